/* The choice among windows in blocks of doubles (varied.h), compiled for each instruction set. */
#ifndef SATF_FILTER_CHOICE_KERNELS_H
#define SATF_FILTER_CHOICE_KERNELS_H

#include "../base/sums.h"
#include "varied.h"

/* Of n pixels of `channels` lanes, of which `colours` count. */
typedef struct choice_block {
    bool real; /* else integers: no product of two of their sums or weights is 2^53 or more */
    int channels, colours;
    int64_t n;
    const double *sums, *squares, *weights; /* weights: one a pixel */
} choice_block;

typedef struct choice_kernels {
    /* over / under = how much each pixel's window varies. under is NULL where it is the same for
     * all.
     */
    void (*vary)(const choice_block *block, double *over, double *under);
    /* To over / under, where that is less; less[i] is then 1, else 0. */
    void (*lessen)(bool real, int64_t n, const double *other_over, const double *other_under,
                   double *over, double *under, uint8_t *less);
    /* to = from for the pixels with less, of samples of so many bytes. */
    void (*take)(int64_t n, int channels, size_t bytes, const uint8_t *less, const void *from,
                 void *to);
} choice_kernels;

extern const choice_kernels choice_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const choice_kernels choice_kernels_avx2, choice_kernels_avx512;
#endif

#endif
