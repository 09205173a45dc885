/* The choice among several windows of a pixel: that which varies least, the first of those. */
#ifndef SATF_FILTER_CHOICE_H
#define SATF_FILTER_CHOICE_H

#include "choice_kernels.h"
#include "epilogue.h"

/* How much the windows of a row of pixels vary: over / under, or, where doubles are not exact,
 * `exact`. */
typedef struct choice_row {
    double *over, *under;
    varied *exact;
} choice_row;

typedef struct choice {
    bool real, exact; /* exact: choice_row.exact counts */
    bool alike;       /* choice_row.under is not there: it is the same for all windows */
    int channels, colours;
    const choice_kernels *kernels;
    const epilogue *finish;
} choice;

/* For windows of at most that many pixels; shrinks: or fewer. finish: makes results of segments. */
choice choice_of(const epilogue *finish, uint64_t area, bool shrinks);

/* Bytes of a row of so many pixels, at most sizeof(varied) for each; and the row in such memory,
 * aligned to 64. */
size_t choice_row_bytes(const choice *of, size_t pixels);

choice_row choice_row_at(const choice *of, void *memory, size_t pixels);

/* How much the segment's windows vary: pixels segment->x ... of the row. */
void choice_vary(const choice *of, const window_segment *segment, const choice_row *row);

/* to = n pixels of row from x on. */
void choice_copy(const choice *of, int64_t n, const choice_row *row, int64_t x,
                 const choice_row *to);

/* Where the n pixels of `other` from x on vary less than those of row, these take it over, and `to`
 * the results `from`, each of the first of these pixels. */
void choice_take(const choice *of, int64_t n, const choice_row *other, int64_t other_x,
                 const choice_row *row, int64_t x, const void *from, void *to);

#endif
