/*
 * `satbench paper`: every table and figure of the papers that satfilter comes from, in the paper's
 * own rows and columns. tools/bench_paper_list.c has a row for each, which says what is run for it;
 * tools/bench_paper_kasagi.c and bench_paper_others.c have their rows and columns, with the paper's
 * figures. A cell is made of one record of satbench: what a run here gives, or a committed record.
 */
#ifndef SATF_TOOLS_BENCH_PAPER_H
#define SATF_TOOLS_BENCH_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli.h"

enum { PAPER_RUNS = 2, PAPER_MOST_ROWS = 24, PAPER_MOST_COLUMNS = 16, PAPER_CELL = 48 };

/* ------------------------------------------------------------------ tables */

/*
 * `where` says which records are meant: "key=value,key!=value", all of which hold; a key that a
 * record lacks has no value. `cell` is a text in which {key} stands for what the record has there:
 *   {where:key}   of a record of which this holds, too
 *   {key%5}       a real number to 5 digits; 3 if nothing is said
 *   {key*n}       so many n: "n" for 1, "2n" for 2, "-" for 0
 * Behind ; stands what is taken if a record is missing.
 */
typedef struct paper_column {
    const char *group; /* a title above this column and those behind it that have the same; NULL */
    const char *title; /* NULL: behind the last */
    const char *where; /* NULL: any */
    const char *cell;  /* NULL: rows have it */
} paper_column;

typedef struct paper_row {
    const char *label;   /* NULL: behind the last */
    const char *where;   /* NULL: any */
    const char *printed; /* the paper's cells with | between them, none where it has none; NULL: it
                          * has none in this row */
    const char *cells;   /* in place of the columns', likewise; NULL: theirs */
} paper_row;

typedef enum paper_way {
    PAPER_COUNTED, /* by the memory machines: always */
    PAPER_ON_CPU,  /* where no device is measured */
    PAPER_ON_CUDA  /* where one is */
} paper_way;

typedef struct paper_run {
    paper_way way;
    const char *command;      /* words for satbench */
    const char *quick, *full; /* more words: in sensible time, or all that the paper has; NULL:
                               * none; quick NULL: nothing is cut short */
    const char *record;       /* of results/h200, what this gave there; NULL: it was not recorded */
} paper_run;

typedef struct paper_source {
    const char *short_name, *text;
} paper_source;

typedef struct paper_table {
    const char *name, *alias; /* for people to type; alias may be NULL */
    const paper_source *source;
    const char *title;
    const char *unit;    /* of the cells */
    const char *machine; /* what the paper's figures are of; NULL: it has no figures */
    const char *corner;  /* above the rows' labels */
    const paper_column *columns;
    const paper_row *rows;
    const paper_run *runs[PAPER_RUNS]; /* NULL: no more */
    const char *note;                  /* what a reader must know; NULL: nothing */
} paper_table;

/* NULL behind the last. */
const paper_table *paper_table_at(size_t index);

extern const paper_column paper_columns_4_1[], paper_columns_4_2[], paper_columns_4_3[],
    paper_columns_4_4[], paper_columns_5_1[], paper_columns_5_2[], paper_columns_5_3[],
    paper_columns_6_1[], paper_columns_6_2[];
extern const paper_row paper_rows_4_1[], paper_rows_4_2[], paper_rows_4_3[], paper_rows_4_4[],
    paper_rows_5_1[], paper_rows_5_2[], paper_rows_5_3[], paper_rows_6_1[], paper_rows_6_2[];

extern const paper_column paper_columns_rap1[], paper_columns_rap2[], paper_columns_rap3[],
    paper_columns_rap4[], paper_columns_amm[], paper_columns_giles[], paper_columns_lecture[];
extern const paper_row paper_rows_rap1[], paper_rows_rap2[], paper_rows_rap3[], paper_rows_rap4[],
    paper_rows_amm6[], paper_rows_amm7[], paper_rows_amm8[], paper_rows_giles[],
    paper_rows_lecture[];

/* ------------------------------------------------------------------ records */

/* The JSON of a record in results/h200, by its name there without .json; NULL: there is none.
 * Static storage. */
const char *paper_record(const char *name);

/* The text of "key": "text" or "key": number in what stands before the records of satbench's JSON;
 * "" if it is not there. */
void paper_header(const char *json, const char *key, char *text, size_t bytes);

/* What `cell` becomes of the records that every one of `where` holds of, NULLs left out; of several
 * records the last. false, and an empty text, if one is missing. */
bool paper_cell(const char *json, const char *const where[2], const char *cell, char *text,
                size_t bytes);

/* Copies the part of `list` between the index-th and the next separator, "" if there is none. */
void paper_part(const char *list, char separator, int index, char *text, size_t bytes);

/* --------------------------------------------------------------------- runs */

typedef struct paper_options {
    int device; /* SATF_CUDA(n), or SATF_HOST */
    bool full;  /* all sizes and samples */
    bool record_only;
} paper_options;

/* Whose cells a line has. */
enum { PAPER_PRINTED, PAPER_BY_COUNT, PAPER_HERE, PAPER_RECORD, PAPER_LINES };
extern const char *const paper_line_names[PAPER_LINES];

/* What is known of a table once it was run: for each of its runs the JSON of what was run here and
 * of what is recorded, NULL where there is none. */
typedef struct paper_found {
    const paper_table *table;
    const char *here[PAPER_RUNS], *record[PAPER_RUNS];
    char cells[PAPER_MOST_ROWS][PAPER_LINES][PAPER_MOST_COLUMNS][PAPER_CELL];
    bool has[PAPER_MOST_ROWS][PAPER_LINES];
    int rows, columns;
} paper_found;

/* Runs what the options ask for, each command once in a program, and fills the cells. 0 or the
 * exit status after a message; the cells are filled with what there is in any case. */
int paper_fill(const paper_table *table, const paper_options *options, paper_found *found);

/* Gives back what paper_fill() keeps. */
void paper_forget(void);

/* ----------------------------------------------------------------- printing */

void paper_print_text(const paper_found *found, const paper_options *options);
void paper_print_markdown(const paper_found *found, const paper_options *options);

/* A document: begin, each table with its number from 0 on, end. */
void paper_json_begin(void);
void paper_json_table(const paper_found *found, int number);
void paper_json_end(void);

/* ------------------------------------------------------------------ command */

extern const cli paper_cli;
extern const char paper_help[]; /* one line */

/* `satbench paper` with these words behind it; the exit status. */
int paper_command(char **words);

#endif
