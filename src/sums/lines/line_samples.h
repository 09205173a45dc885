/* Makes samples numbers, and numbers samples, for passes along lines. */
#ifndef SATF_SUMS_LINES_LINE_SAMPLES_H
#define SATF_SUMS_LINES_LINE_SAMPLES_H

#include "../../formula/epilogue_loops.h"
#include "line.h"
#include "line_kernels.h"

typedef struct line_samples {
    line_numbers numbers;
    const line_kernels *kernels;
    const loop_kernels *loops;
    double outside[SATF_MAX_CHANNELS]; /* a pixel beyond the border, as numbers */
} line_samples;

void line_samples_begin(line_samples *s, const line_spec *spec);

/* Makes numbers of the samples of so many pixels. */
void line_samples_load(const line_samples *s, const char *from, int64_t pixels, double *to);

/* Fills in numbers of pixels beyond the border. */
void line_samples_fill(const line_samples *s, int64_t pixels, void *to);

/* Makes samples of the type from results of passes, which make `one` of a one. */
void line_samples_store(const line_samples *s, const void *numbers, int64_t pixels, double one,
                        satf_type type, char *to);

#endif
