/* A command line of satbench: a table, and its options. */
#include <string.h>

#include "bench.h"

/* The table of that name, and the defaults of its lists. */
static int choose_table(bench *b, const char *name)
{
    for (size_t i = 0; bench_table_at(i); i++) {
        if (strcmp(bench_table_at(i)->name, name) == 0) {
            b->table = bench_table_at(i);
        }
    }
    if (!b->table) {
        return bench_error(2, "there is no table \"%s\"; see satbench --list", name);
    }
    for (int list = 0; list < BENCH_LISTS; list++) {
        const char *text = bench_default_of(b->table, (bench_list)list);
        if (text && !bench_parse_list((bench_list)list, text, &b->options.list[list])) {
            return 1;
        }
    }
    return 0;
}

int bench_parse(bench *b, char **words)
{
    int failed = !*words          ? bench_error(2, "name a table, such as `satbench sat`; "
                                                            "see satbench --help")
                 : **words == '-' ? 0
                                  : choose_table(b, *words++);
    for (; !failed && *words && !b->text; words++) {
        failed = (*words)[0] == '-' && (*words)[1]
                     ? options_take(b, &satbench_cli, &words)
                     : usage_error(*words, "is no option; see satbench --help");
    }
    return failed;
}

int bench_check_options(const bench *b)
{
    const bench_options *o = &b->options;
    const char *name = b->table->name;
    if (o->simulate && o->device != SATF_HOST) {
        return bench_error(2, "a simulation takes no device; leave out --device or --simulate");
    }
    if (o->simulate && o->repeat) {
        return bench_error(2, "a simulation takes no time; leave out --repeat or --simulate");
    }
    if (!o->simulate && !b->table->run) {
        return bench_error(1, "the table %s is counted only, on no device; use --simulate", name);
    }
    if (o->device == SATF_HOST && b->table == &bench_sat_table &&
        (o->tuning.tile || o->tuning.threads || o->tuning.sync || o->search)) {
        return bench_error(2, "--tile, --block-threads, --sync and --search are of CUDA rows; "
                              "use --device cuda");
    }
    if (o->device != SATF_HOST && !b->table->on_cuda) {
        return bench_error(2, "the table %s is measured on the CPU only", name);
    }
    return 0;
}
