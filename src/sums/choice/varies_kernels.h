/* Loops over blocks of doubles that measure how much windows vary (varied.h), and take the results
 * of the least. There is a set for each instruction set. */
#ifndef SATF_SUMS_CHOICE_VARIES_KERNELS_H
#define SATF_SUMS_CHOICE_VARIES_KERNELS_H

#include "../../sat/sums.h"
#include "varied.h"

/* What a pixel's number consists of: varies_lanes() doubles, in planes. */
typedef enum varies_kind {
    VARIES_OVER,     /* spread, where all weights are the same and doubles are exact */
    VARIES_FRACTION, /* spread and weight^2, exact too */
    VARIES_REAL,     /* least and most of floats */
    VARIES_EXACT     /* spread / 2^48, the rest of it, and weight */
} varies_kind;

/* The sums of n pixels of `channels` lanes, of which `colours` count. */
typedef struct varies_block {
    int channels, colours;
    int64_t n;
    double unit;                                     /* VARIED_UNIT() */
    const double *sums, *squares, *shifts, *weights; /* weights: one a pixel */
} varies_block;

typedef struct varies_kernels {
    /* Measures; not for VARIES_EXACT. plane: doubles from one plane to the next, here and below. */
    void (*vary)(varies_kind kind, const varies_block *block, double *to, int64_t plane);
    /* The numbers of best become those of other where these are less; less[i] is then 1, else 0. */
    void (*lessen)(varies_kind kind, int64_t n, const double *other, int64_t plane, double *best,
                   int64_t best_plane, uint8_t *less);
    /* to = from for pixels whose less[i] is 1, of samples of so many bytes. */
    void (*take)(int64_t n, int channels, size_t bytes, const uint8_t *less, const void *from,
                 void *to);
} varies_kernels;

extern const varies_kernels varies_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const varies_kernels varies_kernels_avx2, varies_kernels_avx512;
#endif

static inline int varies_lanes(varies_kind kind)
{
    return kind == VARIES_OVER ? 1 : kind == VARIES_EXACT ? 3 : 2;
}

#endif
