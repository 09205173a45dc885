/* The loop that maps samples to the values of an image form, compiled for each instruction set. */
#ifndef SATF_IO_KERNELS_H
#define SATF_IO_KERNELS_H

#include <stdint.h>

typedef struct io_kernels {
    /* to = lo ... lo + span mapped to 0 ... max, nearest, halves up, saturated. NaN, and 0 / 0,
     * give 0. Exact for integers v below 2^32 of a range 0 ... span: v max is below 2^48, and its
     * quotient lies farther from a half, in proportion, than it is rounded. */
    void (*map)(double lo, double span, uint16_t max, int n, const double *from, uint16_t *to);
} io_kernels;

extern const io_kernels io_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const io_kernels io_kernels_avx2, io_kernels_avx512;
#endif

#endif
