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

/* The bytes of a pixel in each of a choice_row's arrays. */
enum { CHOICE_PIXEL_BYTES = sizeof(varied) };

typedef struct choice {
    bool real, exact; /* exact: choice_row.exact counts */
    int channels, colours;
    const choice_kernels *kernels;
    const epilogue *finish;
} choice;

/* For windows of at most that many pixels. finish: makes results of segments. */
choice choice_of(const epilogue *finish, uint64_t area);

/* Memory for `pixels` pixels, aligned to 64, of choice_row_bytes(). */
static inline size_t choice_row_bytes(size_t pixels)
{
    return pixels * sizeof(varied);
}

choice_row choice_row_at(const choice *of, void *memory, size_t pixels);

/* How much the segment's windows vary: pixels segment->x ... of the row. */
void choice_vary(const choice *of, const window_segment *segment, const choice_row *row);

/* Where the n pixels of `other` from x on vary less than those of row, these take it over, and `to`
 * the results `from`, each of the first of these pixels. */
void choice_take(const choice *of, int64_t n, const choice_row *other, int64_t other_x,
                 const choice_row *row, int64_t x, const void *from, void *to);

#endif
