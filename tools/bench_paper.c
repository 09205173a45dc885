/* `satbench paper`: which tables, and how they are shown. */
#include "bench_paper.h"

#include <ctype.h>
#include <string.h>

#include "../src/base/gpu.h"
#include "bench.h"
#include "spelling.h"

const char paper_help[] = "the papers' tables and figures, theirs beside ours: satbench paper 6.2";

static const paper_option options[] = {
    {"--list", NULL, false, "list them with their names and sources"},
    {"--record", NULL, true, "measure nothing: what is recorded of an NVIDIA H200"},
    {"--full", NULL, true, "all sizes and samples; takes minutes"},
    {"--device", "DEVICE", false,
     "cpu, or cuda[:N]; default the first CUDA device if there is one"},
    {"--markdown", NULL, false, "print in Markdown"},
    {"--json", NULL, false, "print as JSON"},
    {"--help", NULL, false, "this text"},
};

const paper_option *paper_option_at(size_t index)
{
    return index < sizeof options / sizeof *options ? &options[index] : NULL;
}

enum { MOST_TABLES = 64, NAME = 64 };

/* How the tables are shown. */
typedef enum form { TEXT, MARKDOWN, JSON } form;

typedef struct request {
    paper_options options;
    form form;
    bool device_given;
    bool wanted[MOST_TABLES]; /* by the list's index */
    bool any_wanted;
} request;

/* ------------------------------------------------------------------- names */

/* Small letters and digits: "RAP III" is rapiii. */
static void plain(const char *text, char name[NAME])
{
    size_t length = 0;
    for (; *text && length + 1 < NAME; text++) {
        if (!isspace((unsigned char)*text) && *text != '_') {
            name[length++] = (char)tolower((unsigned char)*text);
        }
    }
    name[length] = '\0';
}

static bool is_same(const char *name, const char *text)
{
    char other[NAME];
    plain(text ? text : "", other);
    return *name && strcmp(name, other) == 0;
}

/* Wants the tables of that name, or of that source. */
static bool want(request *r, const char *text)
{
    const paper_table *table;
    char name[NAME];
    bool found = false;
    plain(text, name);
    for (size_t i = 0; (table = paper_table_at(i)) != NULL && i < MOST_TABLES; i++) {
        if (is_same(name, table->name) || is_same(name, table->alias) ||
            is_same(name, table->source->short_name)) {
            r->wanted[i] = found = r->any_wanted = true;
        }
    }
    return found;
}

/* Two words may be one name: RAP III. Returns how many were taken, 0 if there is no such table. */
static int want_words(request *r, char **words)
{
    char both[2 * NAME];
    if (words[1]) {
        snprintf(both, sizeof both, "%s%s", words[0], words[1]);
        if (want(r, both)) {
            return 2;
        }
    }
    return want(r, words[0]) ? 1 : 0;
}

/* How little a name looks like one of the list; the first letter counts half. */
static int difference(const char *name, const char *listed)
{
    size_t length = strlen(name);
    bool same_start = *name == *listed;
    return length > SPELLING_MAX
               ? NAME
               : 2 * spelling_distance(name, length, listed, strlen(listed)) - same_start;
}

static int unknown(const char *text)
{
    const paper_table *table;
    char name[NAME], near[4 * NAME] = "";
    int least = NAME;
    plain(text, name);
    for (size_t i = 0; (table = paper_table_at(i)) != NULL; i++) {
        int d = difference(name, table->name);
        least = d < least ? d : least;
    }
    for (size_t i = 0; (table = paper_table_at(i)) != NULL; i++) {
        size_t length = strlen(near);
        if (least <= (int)strlen(name) && difference(name, table->name) == least) {
            snprintf(near + length, sizeof near - length, "%s%s", length ? ", " : "", table->name);
        }
    }
    return bench_error(2, "the papers have no table \"%s\"; %s%s%ssatbench paper --list has all",
                       text, *near ? "nearest: " : "", near, *near ? "; " : "");
}

/* ----------------------------------------------------------------- options */

/* -1: it is none of these. */
static int parse_flag(request *r, const char *word)
{
    if (strcmp(word, "--record") == 0) {
        r->options.record_only = true;
    } else if (strcmp(word, "--full") == 0) {
        r->options.full = true;
    } else if (strcmp(word, "--markdown") == 0) {
        r->form = MARKDOWN;
    } else if (strcmp(word, "--json") == 0) {
        r->form = JSON;
    } else {
        return -1;
    }
    return 0;
}

static int parse_device(request *r, const char *word, char ***next)
{
    static bench b;
    b.table = bench_table_at(0);
    int failed = bench_parse_option(&b, word, next);
    r->options.device = b.options.device;
    r->device_given = true;
    return failed;
}

/* 0 or the exit status after a message. */
static int parse(request *r, char **words)
{
    while (*words) {
        const char *word = *words;
        if (*word != '-') {
            int taken = want_words(r, words);
            if (taken == 0) {
                return unknown(word);
            }
            words += taken;
            continue;
        }
        words++;
        int failed = parse_flag(r, word);
        if (failed < 0 && strncmp(word, "--device", strlen("--device")) == 0) {
            failed = parse_device(r, word, &words);
        } else if (failed < 0) {
            failed =
                bench_error(2, "satbench paper has no option %s; see satbench paper --help", word);
        }
        if (failed) {
            return failed;
        }
    }
    return 0;
}

/* The device that was asked for must be there; if none was, one that is there is taken. */
static int choose_device(request *r)
{
    satf_context *ctx;
    satf_gpu_info info;
    int failed = 0;
    if (r->options.record_only) {
        r->options.device = SATF_HOST;
    } else if (!r->device_given) {
        bool usable =
            satf_gpu_count(NULL) > 0 && satf_gpu_describe(SATF_CUDA(0), &info) && info.runs_kernels;
        r->options.device = usable ? SATF_CUDA(0) : SATF_HOST;
    } else if (satf_context_create(&ctx) == SATF_OK) {
        if (satf_context_set_device(ctx, r->options.device) != SATF_OK) {
            failed = bench_error(1, "%s", satf_message(ctx));
        }
        satf_context_destroy(ctx);
    }
    return failed;
}

/* ---------------------------------------------------------------- the command */

static void print_list(void)
{
    const paper_table *table;
    const paper_source *source = NULL;
    for (size_t i = 0; (table = paper_table_at(i)) != NULL; i++) {
        if (table->source != source) {
            source = table->source;
            printf("%s%s: %s\n", i ? "\n" : "", source->short_name, source->text);
        }
        printf("  %-8s %-21s %s\n", table->name, table->alias ? table->alias : "", table->title);
    }
}

static void print_help(void)
{
    puts("usage: satbench paper [NAME]... [OPTIONS]\n");
    bench_print_wrapped(
        "Prints tables and figures of the papers that satfilter comes from, in their own rows and "
        "columns: the paper's figures, and below them what the memory machines count, what is "
        "measured here, or what is recorded of an NVIDIA H200. Without a NAME all of them, in less "
        "than a minute where there is no CUDA device.");
    puts("\nOptions:");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char left[32];
        snprintf(left, sizeof left, "%s %s", options[i].option,
                 options[i].metavar ? options[i].metavar : "");
        printf("  %-20s %s\n", left, options[i].help);
    }
}

static int print_tables(const request *r)
{
    static paper_found found;
    const paper_table *table;
    int failed = 0, printed = 0;
    if (r->form == JSON) {
        paper_json_begin();
    }
    for (size_t i = 0; (table = paper_table_at(i)) != NULL && i < MOST_TABLES; i++) {
        if (r->any_wanted && !r->wanted[i]) {
            continue;
        }
        int status = paper_fill(table, &r->options, &found);
        failed = failed ? failed : status;
        if (r->form == JSON) {
            paper_json_table(&found, printed);
        } else {
            fputs(printed ? "\n\n" : "", stdout);
            (r->form == MARKDOWN ? paper_print_markdown : paper_print_text)(&found, &r->options);
        }
        fflush(stdout);
        printed++;
    }
    if (r->form == JSON) {
        paper_json_end();
    }
    paper_forget();
    return failed;
}

int paper_command(char **words)
{
    static request r = {.options = {.device = SATF_HOST}};
    for (char **word = words; *word; word++) {
        if (strcmp(*word, "--list") == 0 || strcmp(*word, "--help") == 0) {
            (strcmp(*word, "--list") == 0 ? print_list : print_help)();
            return 0;
        }
    }
    int failed = parse(&r, words);
    if (!failed) {
        failed = choose_device(&r);
    }
    return failed ? failed : print_tables(&r);
}
