/* What gives the cells of a table: runs of satbench in this program, and committed records. */
#include <stdlib.h>
#include <string.h>

#include "../src/base/memory.h"
#include "bench.h"
#include "bench_paper.h"

const char *const paper_line_names[PAPER_LINES] = {"paper", "counted", "here", "record"};

/* What was run so far: several tables are of the same records. */
enum { MOST_RUNS = 24, MOST_WORDS = 32, COMMAND = 256 };

static struct {
    char command[COMMAND];
    char *json;
    int failed;
} done[MOST_RUNS];
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
    for (char *word = text; *word && count < MOST_WORDS; count++) {
        words[count] = word;
        word += strcspn(word, " ");
        if (*word) {
            *word++ = '\0';
        }
    }
    words[count] = NULL;
}

static int parse(bench *b, char **words)
{
    int failed = bench_choose_table(b, *words++);
    for (; *words && !failed; words++) {
        failed = options_take(b, &satbench_cli, &words);
    }
    return failed ? failed : bench_check_options(b);
}

/* Runs a command line of satbench. *json is the caller's, NULL after failure. */
static int run_command(const char *command, int device, char **json)
{
    char text[COMMAND], *words[MOST_WORDS + 1];
    size_t bytes;
    bench *b = satf_alloc_zeroed(sizeof *b);
    *json = NULL;
    if (!b) {
        return bench_error(1, "out of memory");
    }
    *b = (bench)BENCH_DEFAULTS;
    b->options.device = device;
    snprintf(text, sizeof text, "%s", command);
    split(text, words);
    int failed = satf_context_create(&b->ctx) == SATF_OK ? 0 : bench_error(1, "out of memory");
    if (!failed) {
        failed = parse(b, words + 1);
    }
    if (!failed) {
        failed = bench_run_table(b, NULL);
    }
    FILE *file = failed ? NULL : open_memstream(json, &bytes);
    if (file) {
        bench_write_records(file, b, command);
    }
    if (!failed && (!file || fclose(file) != 0)) {
        failed = bench_error(1, "out of memory for the report");
    }
    bench_close(b);
    satf_free(b);
    return failed;
}

/* The same, once for each command; *json is kept until paper_forget(). */
static int run_once(const paper_run *run, const paper_options *options, const char **json)
{
    char command[COMMAND];
    int device = run->way == PAPER_ON_CUDA ? options->device : SATF_HOST;
    const char *more = options->full ? run->full : run->quick;
    snprintf(command, sizeof command, "satbench %s%s%s", run->command, more ? " " : "",
             more ? more : "");
    for (int i = 0; i < done_count; i++) {
        if (strcmp(done[i].command, command) == 0) {
            *json = done[i].json;
            return done[i].failed;
        }
    }
    if (done_count == MOST_RUNS) {
        return bench_error(1, "there are more than %d runs", MOST_RUNS);
    }
    int i = done_count++;
    snprintf(done[i].command, sizeof done[i].command, "%s", command);
    done[i].failed = run_command(command, device, &done[i].json);
    *json = done[i].json;
    return done[i].failed;
}

static bool is_wanted(const paper_run *run, const paper_options *options)
{
    return run->way == PAPER_COUNTED ||
           (!options->record_only && (options->device == SATF_HOST) == (run->way == PAPER_ON_CPU));
}

/* What a run, by any of its JSON, gives the lines of the table. */
static void fill_from(paper_found *found, int line, const char *json)
{
    const paper_table *table = found->table;
    char cell[4 * PAPER_CELL * 4];
    for (int row = 0; row < found->rows && json; row++) {
        for (int column = 0; column < found->columns; column++) {
            const char *const where[2] = {table->rows[row].where, table->columns[column].where};
            char *text = found->cells[row][line][column];
            paper_part(table->rows[row].cells, '|', column, cell, sizeof cell);
            const char *from = *cell ? cell : table->columns[column].cell;
            if (!*text && from && paper_cell(json, where, from, text, PAPER_CELL)) {
                found->has[row][line] = true;
            }
        }
    }
}

static void fill_printed(paper_found *found)
{
    for (int row = 0; row < found->rows; row++) {
        const char *printed = found->table->rows[row].printed;
        found->has[row][PAPER_PRINTED] = printed;
        for (int column = 0; column < found->columns; column++) {
            paper_part(printed, '|', column, found->cells[row][PAPER_PRINTED][column], PAPER_CELL);
        }
    }
}

/* A record stands beside what was measured here only where it has more. */
static void drop_records(paper_found *found)
{
    for (int row = 0; row < found->rows; row++) {
        bool more = false;
        for (int column = 0; column < found->columns; column++) {
            more = more || (*found->cells[row][PAPER_RECORD][column] &&
                            !*found->cells[row][PAPER_HERE][column]);
        }
        found->has[row][PAPER_RECORD] = more;
    }
}

int paper_fill(const paper_table *table, const paper_options *options, paper_found *found)
{
    int failed = 0;
    memset(found, 0, sizeof *found);
    found->table = table;
    while (table->rows[found->rows].label && found->rows < PAPER_MOST_ROWS) {
        found->rows++;
    }
    while (table->columns[found->columns].title && found->columns < PAPER_MOST_COLUMNS) {
        found->columns++;
    }
    fill_printed(found);
    for (int i = 0; i < PAPER_RUNS && table->runs[i]; i++) {
        const paper_run *run = table->runs[i];
        if (is_wanted(run, options)) {
            int status = run_once(run, options, &found->here[i]);
            failed = failed ? failed : status;
        }
        found->record[i] = run->record ? paper_record(run->record) : NULL;
        fill_from(found, run->way == PAPER_COUNTED ? PAPER_BY_COUNT : PAPER_HERE, found->here[i]);
        fill_from(found, PAPER_RECORD, found->record[i]);
    }
    drop_records(found);
    return failed;
}
