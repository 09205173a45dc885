/* Histograms on the CPU. */
#ifndef SATF_FORMULA_HISTOGRAM_H
#define SATF_FORMULA_HISTOGRAM_H

#include "../base/context.h"
#include "otsu.h"

/* The levels of a type, 256 or 65536; the bins of floats. */
int64_t histogram_levels(int type);

/* The memory in which the context counts samples of that type; false if it overflows. */
bool histogram_bytes(const satf_context *ctx, int type, size_t *bytes);

/* What is counted: an image of one channel; or, if weighted, of one channel and alpha, where each
 * pixel counts as often as its alpha says. full: the alpha of floats that is white. */
typedef struct histogram_task {
    const satf_view *in;
    bool weighted;
    double full;
    otsu_range range; /* of floats it is found */
} histogram_task;

/* *counts = how often each level occurs, in `memory`, which is aligned to 64. Fails only if it is
 * cancelled. */
satf_status histogram_count(satf_context *ctx, histogram_task *task, void *memory,
                            const uint64_t **counts);

#endif
