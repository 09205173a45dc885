/* Sums along one axis as few prefix sums, whatever the border. */
#ifndef SATF_FILTER_AXIS_H
#define SATF_FILTER_AXIS_H

#include "../satfilter.h"

/*
 * The sum over the positions first ... first + length - 1 of an axis of n
 * pixels that a border continues, as a linear combination of prefix sums:
 * sum of coef * F[end], F[end] being the sum of the pixels 0 ... end - 1 and
 * 1 <= end <= n. SATF_CONSTANT and SATF_SHRINK: of the pixels inside only.
 */
enum { AXIS_MAX_TERMS = 5 };

typedef struct axis_sum {
    int32_t count;
    int32_t unused;
    int64_t inside; /* positions that fall into 0 ... n - 1 */
    struct {
        int64_t end, coef;
    } term[AXIS_MAX_TERMS];
} axis_sum;

/* n >= 1, length >= 1; |first| + length + 2 n below 2^62. */
void axis_span(int border, int64_t n, int64_t first, int64_t length, axis_sum *out);

#endif
