/* The cells of a table: runs of satbench in this program, and committed records. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/base/memory.h"
#include "paper.h"

/* What was run so far: several tables are of the same records. */
enum { MOST_WORDS = 32, COMMAND = 256 };

static struct {
    char command[COMMAND];
    char *json;
    int failed;
} done[PAPER_MOST_RUNS];
static int done_count;

void paper_forget(void)
{
    while (done_count > 0) {
        free(done[--done_count].json);
    }
}

/* Cuts `text` at its blanks, which become ends. */
static void split(char *text, char *words[MOST_WORDS + 1])
{
    int count = 0;
    for (char *word = strtok(text, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    words[count] = NULL;
}

/* Runs a command line of satbench. *json is the caller's, NULL after failure. */
static int run_command(const char *command, int device, char **json)
{
    static bench b;
    char text[COMMAND], *words[MOST_WORDS + 1];
    size_t bytes;
    b = (bench)BENCH_DEFAULTS;
    b.options.device = device;
    *json = NULL;
    snprintf(text, sizeof text, "%s", command);
    split(text, words);
    int failed = satf_context_create(&b.ctx) == SATF_OK ? 0 : bench_error(1, "out of memory");
    failed = failed ? failed : bench_parse(&b, words + 1);
    failed = failed ? failed : bench_check_options(&b);
    failed = failed ? failed : bench_run_table(&b, NULL);
    FILE *file = failed ? NULL : open_memstream(json, &bytes);
    if (file) {
        bench_write_records(file, &b, command);
    }
    if (!failed && (!file || fclose(file) != 0)) {
        failed = bench_error(1, "out of memory for the report");
    }
    bench_close(&b);
    return failed;
}

/* The same, once for each command; *json is kept until paper_forget(). */
static int paper_run_once(const paper_run *run, const bench_options *options, const char **json)
{
    char command[COMMAND];
    int device = run->way == PAPER_ON_CUDA ? options->device : SATF_HOST, i = 0;
    const char *more = options->full ? run->full : run->quick;
    snprintf(command, sizeof command, "satbench %s%s%s", run->command, *more ? " " : "", more);
    while (i < done_count && strcmp(done[i].command, command) != 0) {
        i++;
    }
    assert(i < PAPER_MOST_RUNS);
    if (i == done_count) {
        done_count++;
        snprintf(done[i].command, sizeof done[i].command, "%s", command);
        done[i].failed = run_command(command, device, &done[i].json);
    }
    *json = done[i].json;
    return done[i].failed;
}

static bool paper_is_wanted(const paper_run *run, const bench_options *options)
{
    return run->way == PAPER_COUNTED ||
           (!options->record_only && (options->device == SATF_HOST) == (run->way == PAPER_ON_CPU));
}

void paper_bill_add(paper_bill *bill, const paper_table *table, const bench_options *options)
{
    for (int i = 0; i < PAPER_RUNS && table->runs[i]; i++) {
        const paper_run *run = table->runs[i];
        bool known = !paper_is_wanted(run, options);
        for (int k = 0; k < bill->runs && !known; k++) {
            known = bill->run[k] == run;
        }
        if (!known) {
            const paper_cost *cost = options->full ? &run->full_cost : &run->quick_cost;
            bill->run[bill->runs++] = run;
            bill->all.seconds += cost->seconds;
            bill->all.gb = fmax(bill->all.gb, cost->gb);
            bill->all.device_gb = fmax(bill->all.device_gb, cost->device_gb);
        }
    }
}

/* What a run, by any of its JSON, gives the lines of the table. */
static void fill_from(paper_found *found, int line, const char *json)
{
    for (int row = 0; row < found->table->row_count && json; row++) {
        for (int column = 0; column < found->table->column_count; column++) {
            char *text = found->cells[row][line][column];
            if (!*text && paper_cell(json, found->table, row, column, text, PAPER_CELL)) {
                found->has[row][line] = true;
            }
        }
    }
}

static void fill_printed(paper_found *found)
{
    for (int row = 0; row < found->table->row_count; row++) {
        const char *printed = found->table->rows[row].printed;
        found->has[row][PAPER_PRINTED] = *printed;
        for (int column = 0; column < found->table->column_count; column++) {
            paper_part(printed, '|', column, found->cells[row][PAPER_PRINTED][column], PAPER_CELL);
        }
    }
}

/* A record stands beside what was measured here only where it has more. */
static void drop_records(paper_found *found)
{
    for (int row = 0; row < found->table->row_count; row++) {
        bool more = false;
        for (int column = 0; column < found->table->column_count; column++) {
            more = more || (*found->cells[row][PAPER_RECORD][column] &&
                            !*found->cells[row][PAPER_HERE][column]);
        }
        found->has[row][PAPER_RECORD] = more;
    }
}

int paper_fill(const paper_table *table, const bench_options *options, paper_found *found)
{
    int failed = 0;
    memset(found, 0, sizeof *found);
    found->table = table;
    fill_printed(found);
    for (int i = 0; i < PAPER_RUNS && table->runs[i]; i++) {
        const paper_run *run = table->runs[i];
        if (paper_is_wanted(run, options)) {
            int status = paper_run_once(run, options, &found->here[i]);
            failed = failed ? failed : status;
        }
        found->record[i] = paper_record(run->record);
        fill_from(found, run->way == PAPER_COUNTED ? PAPER_BY_COUNT : PAPER_HERE, found->here[i]);
        fill_from(found, PAPER_RECORD, found->record[i]);
    }
    drop_records(found);
    if (options->against) {
        paper_against_fill(found, options);
    }
    return failed;
}
