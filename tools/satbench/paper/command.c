/* `satbench paper`: which tables, and how they are shown. */
#include "paper.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../../../src/base/device/gpu.h"
#include "../../columns.h"
#include "../../spelling.h"

const char paper_help[] = "the papers' tables and figures, theirs beside ours: satbench paper 6.2";

/* ----------------------------------------------------------------- options */

static const char GROUP[] = "Options of paper";

static const option paper_options[] = {
    {GROUP, "list", 0, NULL, NULL, "list them with their names and sources", NULL,
     BECOMES(text, BENCH_LIST)},
    {GROUP, "record", 0, NULL, NULL, "measure nothing: what is recorded of an NVIDIA H200", NULL,
     IS_SET(options.record_only)},
    {GROUP, "quick", 0, NULL, NULL, "the sizes and samples of some minutes at most; the default",
     NULL, IS_SET(options.quick)},
    {GROUP, "full", 0, NULL, NULL, "all sizes and samples that the papers have", NULL,
     IS_SET(options.full)},
    {GROUP, "check", 0, NULL, NULL,
     "judge what the papers claim; status 1 if one that should hold fails", NULL,
     IS_SET(options.check)},
    {GROUP, "against", 0, "FILE", "FILE",
     "what --json wrote on another machine: its figures below ours, and the ratio", NULL,
     TEXT(options.against)},
    {GROUP, "device", 0, "DEVICE", NULL,
     "cpu, or cuda[:N]; default the first CUDA device if there is one", NULL,
     TAKES(bench_take_device)},
    {GROUP, "plot", 0, "FILE", "FILE",
     "write curves as SVG: of table 6.2, times and the best r by the size", NULL,
     TEXT(options.plot)},
    {GROUP, "markdown", 0, NULL, NULL, "print in Markdown", NULL, IS_SET(options.markdown)},
    {GROUP, "json", 0, NULL, NULL, "print as JSON", NULL, IS_SET(options.as_json)},
    {GROUP, "help", 'h', NULL, NULL, "this text", NULL, BECOMES(text, BENCH_HELP)},
};

static const option *paper_option_at(size_t index)
{
    return index < sizeof paper_options / sizeof *paper_options ? &paper_options[index] : NULL;
}

static void paper_each_option(option_visit visit, void *user)
{
    for (size_t i = 0; paper_option_at(i); i++) {
        visit(user, paper_option_at(i));
    }
}

const cli paper_cli = {.option_at = paper_option_at, .each_option = paper_each_option};

enum { MOST_TABLES = 64, NAME = 64 };

typedef struct request {
    bench *b;                 /* what the options say */
    bool wanted[MOST_TABLES]; /* by the list's index */
    bool any_wanted;
    bench_output plot;
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

static bool paper_is_same(const char *name, const char *text)
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
        if (paper_is_same(name, table->name) || paper_is_same(name, table->alias) ||
            paper_is_same(name, table->source->short_name)) {
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
static int paper_difference(const char *name, const char *listed)
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
        int d = paper_difference(name, table->name);
        least = d < least ? d : least;
    }
    for (size_t i = 0; (table = paper_table_at(i)) != NULL; i++) {
        size_t length = strlen(near);
        if (least <= (int)strlen(name) && paper_difference(name, table->name) == least) {
            snprintf(near + length, sizeof near - length, "%s%s", length ? ", " : "", table->name);
        }
    }
    return bench_error(2, "the papers have no table \"%s\"; %s%s%ssatbench paper --list has all",
                       text, *near ? "nearest: " : "", near, *near ? "; " : "");
}

/* ----------------------------------------------------------------- the words */

/* 0 or the exit status after a message. */
static int parse(request *r, char **words)
{
    int failed = 0;
    for (; *words && !failed && !r->b->text; words++) {
        if ((*words)[0] == '-' && (*words)[1]) {
            failed = options_take(r->b, &paper_cli, &words);
        } else {
            int taken = want_words(r, words);
            failed = taken ? 0 : unknown(*words);
            words += taken == 2;
        }
    }
    return failed;
}

/* The device that was asked for must be there; if none was, one that is there is taken. */
static int paper_choose_device(request *r)
{
    satf_context *ctx;
    satf_gpu_info info;
    int failed = 0;
    bench_options *options = &r->b->options;
    if (options->record_only) {
        options->device = SATF_HOST;
    } else if (options->device == SATF_DEVICE_AUTO) {
        bool usable = satf_gpu_count(NULL) > 0 && satf_cuda()->describe(SATF_CUDA(0), &info) &&
                      info.runs_kernels;
        options->device = usable ? SATF_CUDA(0) : SATF_HOST;
    } else if (satf_context_create(&ctx) == SATF_OK) {
        if (satf_context_set_device(ctx, options->device) != SATF_OK) {
            failed = bench_error(1, "%s", satf_message(ctx));
        }
        satf_context_destroy(ctx);
    }
    return failed;
}

/* ---------------------------------------------------------------- the command */

static void paper_print_list(void)
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

static void paper_print_help(void)
{
    puts("usage: satbench paper [NAME]... [OPTIONS]\n");
    print_wrapped(
        "Prints tables and figures of the papers that satfilter comes from, in their own rows and "
        "columns: the paper's figures, and below them what the memory machines count, what is "
        "measured here, or what is recorded of an NVIDIA H200. Without a NAME all of them, in less "
        "than a minute where there is no CUDA device.",
        0, 0);
    options_print(&paper_cli);
}

/* Whether a table is asked for, and for --check has a claim. */
static bool is_wanted(const request *r, size_t i)
{
    const paper_claim *claim;
    bool wanted = !r->any_wanted || r->wanted[i];
    bool lacks_claim = r->b->options.check && !r->b->options.as_json;
    for (size_t k = 0; lacks_claim && (claim = paper_claim_at(k)) != NULL; k++) {
        lacks_claim = claim->table != paper_table_at(i);
    }
    return wanted && !lacks_claim;
}

/* The first table that is asked for and has curves, or NULL. */
static const paper_table *plotted_table(const request *r)
{
    const paper_table *table;
    size_t i = 0;
    while ((table = paper_table_at(i)) != NULL && (!table->plot || !is_wanted(r, i))) {
        i++;
    }
    return table;
}

/* 0 or the exit status after a message. */
static int open_plot(request *r)
{
    bench *b = r->b;
    const char *path = b->options.plot;
    if (path && bench_output_is_stdout(path)) {
        return bench_error(2, "--plot: name a file; the tables go to standard output");
    }
    if (path && !plotted_table(r)) {
        return bench_error(2, "--plot: none of the tables that are asked for has curves; 6.2 has");
    }
    if (path && satf_context_create(&b->ctx) != SATF_OK) {
        return bench_error(1, "out of memory");
    }
    return bench_output_open(b, &r->plot, path);
}

/* Says what the runs take before they begin; of less than 10 seconds only if a size was asked for.
 */
static void say_cost(const request *r)
{
    const paper_table *table;
    paper_bill bill = {0};
    for (size_t i = 0; (table = paper_table_at(i)) != NULL && i < MOST_TABLES; i++) {
        if (is_wanted(r, i)) {
            paper_bill_add(&bill, table, &r->b->options);
        }
    }
    const paper_cost *all = &bill.all;
    bool device = all->device_gb > 0, minutes = all->seconds > 90;
    bool asked = r->b->options.full || r->b->options.quick;
    char of_device[64] = "";
    if (bill.runs == 0 || (all->seconds < 10 && !asked)) {
        return;
    }
    double time = minutes ? ceil(all->seconds / 60) : fmax(5 * ceil(all->seconds / 5), 5);
    if (device) {
        snprintf(of_device, sizeof of_device, " and %.2g GB of the device's",
                 fmax(all->device_gb, 0.1));
    }
    fprintf(stderr, "satbench: this takes some %.0f %s on %s, and up to %.2g GB of memory%s\n",
            time, minutes ? "minutes" : "seconds", device ? "an H200" : "a CPU", fmax(all->gb, 0.1),
            of_device);
}

static int print_tables(request *r)
{
    static paper_found found;
    const paper_table *table;
    int failed = 0, printed = 0;
    const bench_options *options = &r->b->options;
    bool json = options->as_json;
    say_cost(r);
    if (json) {
        paper_json_begin();
    }
    for (size_t i = 0; (table = paper_table_at(i)) != NULL && i < MOST_TABLES; i++) {
        if (!is_wanted(r, i)) {
            continue;
        }
        int status = paper_fill(table, options, &found);
        failed = failed ? failed : status;
        if (r->plot.file && table == plotted_table(r)) {
            paper_plot(bench_output_file(&r->plot), &found, options);
        }
        if (options->check) {
            paper_claims_judge(&found, options);
        }
        if (json) {
            paper_json_table(&found, printed);
        } else if (!options->check) {
            fputs(printed ? "\n\n" : "", stdout);
            paper_print(&found, options);
        }
        fflush(stdout);
        printed++;
    }
    if (json) {
        paper_json_end(options);
    } else if (options->check) {
        paper_claims_print(options);
    }
    paper_forget();
    failed = failed ? failed : bench_output_commit(r->b, &r->plot);
    return failed ? failed : paper_claims_status();
}

int paper_command(char **words)
{
    static bench b = {.options = {.device = SATF_DEVICE_AUTO}};
    static request r = {.b = &b};
    int failed = parse(&r, words);
    if (failed) {
        return failed;
    }
    if (b.text) {
        (b.text == BENCH_LIST ? paper_print_list : paper_print_help)();
        return 0;
    }
    if (b.options.quick && b.options.full) {
        return bench_error(2, "--quick and --full cannot be combined");
    }
    failed = paper_choose_device(&r);
    if (!failed && b.options.against) {
        failed = paper_against_read(b.options.against);
    }
    failed = failed ? failed : open_plot(&r);
    failed = failed ? failed : print_tables(&r);
    bench_output_discard(&r.plot);
    satf_context_destroy(b.ctx);
    paper_against_forget();
    return failed;
}
