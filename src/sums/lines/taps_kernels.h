/* The inner loops of lines of weights, a set for each level of the CPU. */
#ifndef SATF_SUMS_LINES_TAPS_KERNELS_H
#define SATF_SUMS_LINES_TAPS_KERNELS_H

#include "../../base/cpu.h"
#include "taps.h"

/* Numbers behind a row that kernels may read and write, and pixels beyond the radius that they
 * read. */
enum { TAPS_SPARE = 64, TAPS_BEYOND = 2 };

/* Numbers of 8.8 bits, less 2^15, lie in pairs of rows: both rows' numbers of a column side by
 * side, in the order in which a register's halves are joined. */
typedef struct taps_kernels {
    /* Makes numbers first ... end - 1 of two rows by their weights; `to` is a pair. A pixel's
     * neighbours are `channels` apart. */
    void (*across)(const line_taps *taps, int channels, const uint8_t *const rows[2], int64_t first,
                   int64_t end, int16_t *to);
    /* Two rows of results from `radius` + 1 pairs, the first rows of which are the first pair's: as
     * bytes, or as sums with 23 bits of fraction. */
    void (*down)(const line_taps *taps, const int16_t *const *pairs, int64_t first, int64_t end,
                 void *const to[2], bool bytes);
    /* Sums of 2 radius + 1 doubles `step` apart, times their weights; times `scale` and rounded,
     * halves up, unless scale is 0. */
    void (*along)(const line_taps *taps, int64_t step, const double *from, int64_t n, double scale,
                  double *to);
    /* The same down rows: from[0] is the uppermost, from[radius] the middle. Not rounded. */
    void (*columns)(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                    double *to);
    /* Both for floats: the middle plus weighted differences from it. */
    void (*along_singles)(const line_taps *taps, int64_t step, const float *from, int64_t n,
                          float *to);
    void (*down_singles)(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                         float *to);
    /* Numbers from n samples of f32, which may lie anywhere, and back. */
    void (*load_singles)(const void *from, int64_t n, float *to);
    void (*store_singles)(const float *from, int64_t n, void *to);
} taps_kernels;

extern const taps_kernels taps_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const taps_kernels taps_kernels_avx2, taps_kernels_avx512;
#endif

#endif
