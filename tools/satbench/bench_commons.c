/* The options that satbench's tables have in common. */
#include <limits.h>
#include <string.h>

#include "../../src/base/parallel.h"
#include "../../src/sat/sat.h"
#include "bench.h"

int bench_take_device(settings *s, const option *o, const char *value)
{
    int64_t ordinal = 0;
    bool host = strcmp(value, "cpu") == 0;
    if (!host && strcmp(value, "cuda") &&
        (strncmp(value, "cuda:", 5) || !parse_integer(value + 5, false, 0, 1023, &ordinal))) {
        return option_error(o, "'%s' is none of cpu, cuda and cuda:N", value);
    }
    s->options.device = host ? SATF_HOST : SATF_CUDA((int)ordinal);
    return 0;
}

static int commons_take_sync(settings *s, const option *o, const char *value)
{
    return sat_sync_parse(value, &s->options.tuning.sync)
               ? 0
               : option_error(o, "'%s' is none of auto, launch, graph and coop", value);
}

typedef struct common {
    option option;
    bool of_some; /* tables, which name it in .takes */
} common;

static const char GROUP[] = "Options";

static const common commons[] = {
    {{GROUP, "device", 0, "DEVICE", NULL, "cpu, or cuda[:N]; default cpu", NULL,
      TAKES(bench_take_device)},
     false},
    {{GROUP, "threads", 'T', "N", NULL, "threads, 1 to 1024; default 0, one per core", NULL,
      INTEGER(options.threads, 0, SATF_MAX_THREADS)},
     false},
    {{GROUP, "repeat", 0, "N", NULL, "samples a median is taken of, 1 to 1000; default up to 15",
      NULL, INTEGER(options.repeat, 1, 1000)},
     false},
    /* The tile of a CUDA algorithm; a side that it does not have is refused where it is
     * measured. */
    {{GROUP, "tile", 0, "N", NULL,
      "side of a CUDA row's blocks in samples, or fused's rows in elements", NULL,
      INTEGER(options.tuning.tile, 1, 4096)},
     true},
    {{GROUP, "block-threads", 0, "N", NULL, "threads of a CUDA row's blocks", NULL,
      INTEGER(options.tuning.threads, 1, 1024)},
     true},
    {{GROUP, "sync", 0, "SYNC", "auto launch graph coop",
      "between a CUDA row's stages: auto launch graph coop", NULL, TAKES(commons_take_sync)},
     true},
    {{GROUP, "r", 0, "R", NULL, "of (1+r)R1W, measured or simulated, above 0 and below 1", NULL,
      FRACTION(options.tuning.r)},
     true},
    {{GROUP, "search", 0, NULL, NULL,
      "find each CUDA row's fastest tile, threads, barrier and r first", NULL,
      IS_SET(options.search)},
     true},
    {{GROUP, "simulate", 0, NULL, NULL, "count on a simulated memory machine; needs no device",
      NULL, IS_SET(options.simulate)},
     true},
    {{GROUP, "samples", 0, "N", NULL,
      "simulated accesses, or random permutations, to take; default by table", NULL,
      INTEGER(options.samples, 1, 1000000000)},
     true},
    {{GROUP, "seed", 0, "N", NULL, "of random numbers; default 1", NULL,
      INTEGER(options.seed, 0, INT_MAX)},
     true},
    {{GROUP, "latency", 0, "N", NULL, "time units of a simulated global memory; default 100", NULL,
      INTEGER(options.latency, 1, 1000000)},
     true},
    {{GROUP, "json", 0, "FILE", "FILE",
      "write the records as JSON; -: to standard output, the table to stderr", NULL,
      TEXT(options.json)},
     false},
    {{GROUP, "plot", 0, "FILE", "FILE",
      "write a plot as SVG: time and ratio to the copy, or what is simulated", NULL,
      TEXT(options.plot)},
     true},
    {{GROUP, "markdown", 0, NULL, NULL, "print the table in Markdown", NULL,
      IS_SET(options.markdown)},
     false},
    {{GROUP, "list", 0, NULL, NULL, "list tables, algorithms and filters", NULL,
      BECOMES(text, BENCH_LIST)},
     false},
    {{GROUP, "help", 'h', NULL, NULL, "this text", NULL, BECOMES(text, BENCH_HELP)}, false},
    {{GROUP, "version", 0, NULL, NULL, "the version", NULL, BECOMES(text, BENCH_VERSION)}, false},
    {{NULL, "help-man", 0, NULL, NULL, "the man page", NULL, BECOMES(text, BENCH_MAN)}, false},
    {{NULL, "help-bash", 0, NULL, NULL, "bash completion", NULL, BECOMES(text, BENCH_BASH)}, false},
    {{NULL, "help-zsh", 0, NULL, NULL, "zsh completion", NULL, BECOMES(text, BENCH_ZSH)}, false},
    {{NULL, "help-fish", 0, NULL, NULL, "fish completion", NULL, BECOMES(text, BENCH_FISH)}, false},
};

enum { COMMONS = sizeof commons / sizeof *commons };

static const option *commons_option_at(size_t index)
{
    return index < BENCH_LISTS             ? bench_list_option((bench_list)index)
           : index < BENCH_LISTS + COMMONS ? &commons[index - BENCH_LISTS].option
                                           : NULL;
}

static void commons_each_option(option_visit visit, void *user)
{
    const option *o;
    for (size_t i = 0; (o = commons_option_at(i)); i++) {
        if (o->group) {
            visit(user, o);
        }
    }
}

const char *bench_default_of(const bench_table *table, bench_list list)
{
    const struct bench_default *found = table->defaults;
    while (found->text && found->list != list) {
        found++;
    }
    return found->text;
}

bool bench_takes(const bench_table *table, const option *o)
{
    bench_list list = bench_list_of(o);
    if (list != BENCH_LISTS) {
        return bench_default_of(table, list);
    }
    char word[32];
    snprintf(word, sizeof word, " %s ", o->name);
    return !((const common *)o)->of_some || (table->takes && strstr(table->takes, word));
}

/* The tables that take an option, where not all do; the lists stand with their tables. */
static const char *name_tables(const option *o)
{
    static char text[256];
    const bench_table *table;
    size_t length = 0;
    bool of_some = bench_list_of(o) == BENCH_LISTS && ((const common *)o)->of_some;
    for (size_t i = 0; of_some && (table = bench_table_at(i)) != NULL; i++) {
        if (bench_takes(table, o) && length < sizeof text) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                       length ? ", " : "tables: ", table->name);
        }
    }
    return length ? text : NULL;
}

static int commons_check(const settings *s, const option *o, const char *written)
{
    if (o->at == offsetof(settings, text)) {
        return 0;
    }
    return !s->table ? usage_error(written, "belongs behind a table; see satbench --help")
           : !bench_takes(s->table, o)
               ? usage_error(written, "the table %s does not take it", s->table->name)
               : 0;
}

const cli satbench_cli = {.option_at = commons_option_at,
                          .each_option = commons_each_option,
                          .note = name_tables,
                          .check = commons_check};
