/*
 * `satbench paper`: every table and figure of the papers that satfilter comes from, in the paper's
 * own rows and columns. tools/satbench/paper/papers.txt has them, with the paper's figures and what
 * is run for them. A cell is made of one record of satbench: of a run here, or of a committed
 * record.
 */
#ifndef SATF_TOOLS_BENCH_PAPER_H
#define SATF_TOOLS_BENCH_PAPER_H

#include "../bench.h"

enum {
    PAPER_RUNS = 2, /* of a table */
    PAPER_MOST_RUNS = 32,
    PAPER_MOST_ROWS = 24,
    PAPER_MOST_COLUMNS = 16,
    PAPER_CELL = 48,
    PAPER_TEXT = 160 /* a name, or a list of them */
};

/* ------------------------------------------------------------------ tables */

typedef struct paper_column {
    const char *group; /* a title above this column and its neighbours of the same group; NULL */
    const char *title, *value; /* value: of @ */
    const char *where, *cell;
} paper_column;

typedef struct paper_row {
    const char *label, *where;
    const char *printed; /* the paper's cells with | between them */
    const char *cells;   /* in place of the columns', likewise; NULL: theirs */
} paper_row;

/* What a run takes. */
typedef struct paper_cost {
    double seconds, gb, device_gb;
} paper_cost;

typedef struct paper_run {
    const char *name;
    enum {
        PAPER_COUNTED, /* by the memory machines: always */
        PAPER_ON_CPU,  /* where no device is measured */
        PAPER_ON_CUDA  /* where one is */
    } way;
    const char *command, *quick, *full, *record; /* "": none */
    paper_cost quick_cost, full_cost;
} paper_run;

typedef struct paper_source {
    const char *short_name, *text;
} paper_source;

typedef struct paper_table {
    const char *name, *alias; /* for people to type; alias may be NULL */
    const paper_source *source;
    const char *title, *unit, *machine, *corner, *note; /* machine NULL: the paper has no figures */
    const char *plot; /* what the columns' values are, the x of its curves; NULL: none are drawn */
    struct {
        const char *title, *rows; /* of a panel, and a list of names; NULL: no more */
    } curves[2];
    paper_column columns[PAPER_MOST_COLUMNS];
    paper_row rows[PAPER_MOST_ROWS];
    int column_count, row_count;
    const paper_run *runs[PAPER_RUNS]; /* NULL: no more */
} paper_table;

/* NULL behind the last. */
const paper_table *paper_table_at(size_t index);

/* The name of a row, its label, or of a column: "group/title". */
void paper_name(const paper_table *t, bool columns, int index, char name[PAPER_TEXT]);

/* The indices of the rows or columns that a list means, words with * and ?; returns how many, at
 * least one. */
int paper_find(const paper_table *t, bool columns, const char *list, int *index);

/* What a paper says in words; papers.txt explains the fields. */
typedef struct paper_claim {
    const paper_table *table;
    const char *place, *sentence, *left, *relation, *right;
    const char *known; /* why it need not hold; NULL: it should */
} paper_claim;

const paper_claim *paper_claim_at(size_t index);

/* ------------------------------------------------------------------ records */

/* The JSON of a record in results/h200, by its name there without .json; NULL: there is none.
 * Static storage. */
const char *paper_record(const char *name);

/* The text of "key": "text" or "key": number in what stands before the records of satbench's JSON;
 * "" if it is not there. */
void paper_header(const char *json, const char *key, char *text, size_t bytes);

/* The cell of a row and a column by these records; of several that are meant the last. false, and
 * an empty text, if one is missing. */
bool paper_cell(const char *json, const paper_table *table, int row, int column, char *text,
                size_t bytes);

/* Copies the part of `list` between the index-th and the next separator, without blanks around
 * it, "" if there is none. */
void paper_part(const char *list, char separator, int index, char *text, size_t bytes);

/* --------------------------------------------------------------------- runs */

/* Whose cells a line has. */
#define PAPER_LINE_LIST(LINE) \
    LINE(PRINTED, "paper")    \
    LINE(BY_COUNT, "counted") \
    LINE(HERE, "here") LINE(RECORD, "record") LINE(THERE, "there") LINE(RATIO, "ratio")
#define PAPER_ENUM(NAME, name) PAPER_##NAME,
enum { PAPER_LINE_LIST(PAPER_ENUM) PAPER_LINES };
#undef PAPER_ENUM
extern const char *const paper_line_names[PAPER_LINES];

/* What is known of a table once it was run: for each of its runs the JSON of what was run here and
 * of what is recorded, NULL where there is none. */
typedef struct paper_found {
    const paper_table *table;
    const char *here[PAPER_RUNS], *record[PAPER_RUNS];
    char cells[PAPER_MOST_ROWS][PAPER_LINES][PAPER_MOST_COLUMNS][PAPER_CELL];
    bool has[PAPER_MOST_ROWS][PAPER_LINES];
} paper_found;

/* Runs, each once, and what they take together: of time the sum, of memory the most. */
typedef struct paper_bill {
    const paper_run *run[PAPER_MOST_RUNS];
    int runs;
    paper_cost all;
} paper_bill;

/* Adds what paper_fill() will run for the table. */
void paper_bill_add(paper_bill *bill, const paper_table *table, const bench_options *options);

/* Runs what the options ask for, each command once in a program, and fills the cells. 0 or the
 * exit status after a message; the cells are filled with what there is in any case. */
int paper_fill(const paper_table *table, const bench_options *options, paper_found *found);

/* What stands here for a cell: counted, measured, or recorded if that will do; "": none. */
const char *paper_ours(const paper_found *found, int row, int column, bool record);

/* Reads what satbench paper --json wrote to that file. The exit status after a message if it is
 * nothing of the kind. */
int paper_against_read(const char *file);
void paper_against_forget(void);

/* Fills the lines of that file, and what is here by that; records count where they are asked for.
 */
void paper_against_fill(paper_found *found, const bench_options *options);

/* Gives back what paper_fill() keeps. */
void paper_forget(void);

/* ----------------------------------------------------------------- printing */

void paper_print(const paper_found *found, const bench_options *options);

/* A document: begin, each table with its number from 0 on, end. */
void paper_json_begin(void);
void paper_json_table(const paper_found *found, int number);
void paper_json_end(const bench_options *options);

/* The curves of a table that has some, as SVG. */
void paper_plot(FILE *file, const paper_found *found, const bench_options *options);

/* ------------------------------------------------------------------- claims */

/* Judges the claims of a table that is filled. */
void paper_claims_judge(const paper_found *found, const bench_options *options);

/* What was judged so far: as text or in Markdown, and as JSON. */
void paper_claims_print(const bench_options *options);
void paper_claims_json(void);

/* 1 if a claim that should hold does not, else 0. */
int paper_claims_status(void);

/* ------------------------------------------------------------------ command */

extern const cli paper_cli;
extern const char paper_help[]; /* one line */

/* `satbench paper` with these words behind it; the exit status. */
int paper_command(char **words);

#endif
