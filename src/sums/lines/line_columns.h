/* Passes down the columns, of rows that come one after the other. */
#ifndef SATF_SUMS_LINES_LINE_COLUMNS_H
#define SATF_SUMS_LINES_LINE_COLUMNS_H

#include <stddef.h>

#include "line.h"
#include "line_kernels.h"

typedef struct line_columns {
    const line_kernels *kernels;
    filter_lines lines;
    line_kind kind;
    size_t bytes;       /* of a row's numbers */
    int64_t first;      /* the first row's place: blocks of sums of doubles begin at multiples */
    int64_t entered;    /* rows */
    int latest, spoilt; /* rows that entered last, and those of them without a result */
    size_t row_bytes;
    char *memory; /* rows: rings and sums of all passes, then results */
} line_columns;

/* Is told how many numbers are worked on next; false: stop. */
typedef struct line_listener {
    bool (*goes_on)(void *user, int64_t numbers);
    void *user;
} line_listener;

/* Memory for rows of n numbers; 0 if that overflows. */
size_t line_columns_bytes(const filter_lines *lines, line_kind kind, int64_t n);

/* memory: aligned to 64. Row `first` is the next to enter. False: the listener stopped it. */
bool line_columns_begin(line_columns *c, const filter_lines *lines, line_kind kind, int64_t n,
                        int64_t first, void *memory, const line_listener *listener);

/* These rows enter, at most LINE_ROWS; they are read up to a multiple of 64 bytes. Returns the
 * number of results, which lie filter_lines_reach() rows above the last rows that have entered;
 * below 0: the listener stopped it. */
int line_columns_next(line_columns *c, const char *const *rows, int count,
                      const line_listener *listener);

/* Result i of the latest call, valid until the next one. */
const void *line_columns_result(const line_columns *c, int i);

#endif
