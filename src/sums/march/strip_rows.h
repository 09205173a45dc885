/* Rows of a strip of floats: of samples, of columns' sums, of windows' sums. */
#ifndef SATF_SUMS_MARCH_STRIP_ROWS_H
#define SATF_SUMS_MARCH_STRIP_ROWS_H

#include "march.h"

typedef struct strip {
    int64_t x, n;    /* pixels of the result */
    int64_t columns; /* samples of a row that the strip's windows cover */
    double *memory;
} strip;

strip strip_at(const window_march *m, int64_t index);

/* The upper block's suffix sums from row j of 0 ... height - 1 on; the lower's prefix sums. */
strip_row strip_suffix(const window_plan *plan, const strip *s, int64_t j);
strip_row strip_prefix(const window_plan *plan, const strip *s);

/* A row that the next one takes the place of. */
strip_row strip_scratch(const window_march *m);

/* to: a row of samples, or of summands where no moments are wanted. */
void strip_load(const window_march *m, const strip *s, const char *row, const strip_row *to);

/* The lower block begins with these samples, but has none of them yet. */
void strip_begin(const window_march *m, const strip *s, const strip_row *first);

/* The samples in row j enter the lower block. */
void strip_enter(const window_march *m, const strip *s, int64_t j);

/* The samples in rows `first` and below become suffix sums, above the shifts of the lower block;
 * rows in front of `counts` and from `counts_end` on count nothing. */
void strip_complete(const window_march *m, const strip *s, int64_t first, int64_t counts,
                    int64_t counts_end);

/* All windows have that row so often, too; of the first one, that is all they have. */
void strip_add_fixed(const window_march *m, const strip *s, const char *row, int64_t times,
                     bool first);

/* The windows of row y, whose upper block is complete, and the lower one but for the last row: it
 * enters, if it counts. That is row j of its block. */
strip_row strip_windows(const window_march *m, const strip *s, int64_t y, int64_t j, bool counts);

#endif
