/* Histograms of images of integers, on the CPU. */
#ifndef SATF_FILTER_HISTOGRAM_H
#define SATF_FILTER_HISTOGRAM_H

#include "../base/context.h"

/* The levels of a type, 256 or 65536; 0 of floats. */
int64_t histogram_levels(int type);

/* The memory in which the context counts samples of that type; false if it overflows. */
bool histogram_bytes(const satf_context *ctx, int type, size_t *bytes);

/*
 * *counts = how often each level occurs in the image, in `memory`, which is aligned to 64. The
 * image has one channel, of u8 or u16, or, where it is weighted, alpha behind it: each pixel counts
 * as often as its alpha says. Fails only if it is cancelled.
 */
satf_status histogram_count(satf_context *ctx, const satf_view *in, bool weighted, void *memory,
                            const uint64_t **counts);

#endif
