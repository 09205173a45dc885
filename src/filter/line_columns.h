/* Passes down the columns of rows that come one after the other. */
#ifndef SATF_FILTER_LINE_COLUMNS_H
#define SATF_FILTER_LINE_COLUMNS_H

#include <stddef.h>

#include "line.h"
#include "line_kernels.h"

typedef struct line_columns {
    const line_kernels *kernels;
    filter_lines lines;
    bool narrow, rounds;
    int64_t n;          /* numbers a row: of 16 bits, or double */
    int64_t first;      /* where the first row lies: blocks of sums of doubles begin at multiples */
    int64_t entered;    /* rows */
    int latest, spoilt; /* rows that have entered at last, and those of them without a result */
    size_t row_bytes;
    char *memory; /* rows: the rings of all passes, then what they sum */
} line_columns;

/* Memory for rows of n numbers; 0 if that overflows. */
size_t line_columns_bytes(const filter_lines *lines, bool narrow, int64_t n);

/* memory: aligned to 64. Row `first` is the next to enter. */
void line_columns_begin(line_columns *c, const filter_lines *lines, const line_numbers *numbers,
                        int64_t n, int64_t first, void *memory);

/* Where row i of the next ones has to be written, i < LINE_ROWS. */
void *line_columns_enter(line_columns *c, int i);

/* So many have been, at most LINE_ROWS. The number of results: they lie filter_lines_reach() rows
 * in front of the last ones that have entered. */
int line_columns_next(line_columns *c, int count);

/* Result i of these, valid until the next call. */
const void *line_columns_result(const line_columns *c, int i);

#endif
