/* The inner loops of a line of weights, one set for each level of the CPU. */
#ifndef SATF_SUMS_LINES_TAPS_KERNELS_H
#define SATF_SUMS_LINES_TAPS_KERNELS_H

#include "../../base/cpu.h"
#include "taps.h"

/* Numbers behind a row that kernels read and write, and pixels beyond the radius that they read. */
enum { TAPS_SPARE = 64, TAPS_BEYOND = 2 };

/* Numbers of 8.8 bits less 2^15 lie in pairs of rows: those of one column side by side, in the
 * order in which a register's halves are joined. */
typedef struct taps_kernels {
    /* Numbers first ... end - 1 of two rows along their weights; `to` is a pair. A pixel's
     * neighbours are `channels` apart. */
    void (*across)(const line_taps *taps, int channels, const uint8_t *const rows[2], int64_t first,
                   int64_t end, int16_t *to);
    /* Two rows that begin at the first pair, `radius` + 1 pairs: as bytes, or as sums with 23 bits
     * of fraction. */
    void (*down)(const line_taps *taps, const int16_t *const *pairs, int64_t first, int64_t end,
                 void *const to[2], bool bytes);
    /* Sums of 2 radius + 1 doubles that are `step` apart, times `scale` and rounded, halves up,
     * unless it is 0. */
    void (*along)(const line_taps *taps, int64_t step, const double *from, int64_t n, double scale,
                  double *to);
    /* The same of rows: from[0] is that above, from[radius] the middle. */
    void (*columns)(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                    double *to);
    /* Both of floats: the middle, and weighted differences from it. */
    void (*along_singles)(const line_taps *taps, int64_t step, const float *from, int64_t n,
                          float *to);
    void (*down_singles)(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                         float *to);
    /* From n samples of f32, which may lie anywhere, and to them. */
    void (*load_singles)(const void *from, int64_t n, float *to);
    void (*store_singles)(const float *from, int64_t n, void *to);
} taps_kernels;

extern const taps_kernels taps_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const taps_kernels taps_kernels_avx2, taps_kernels_avx512;
#endif

#endif
