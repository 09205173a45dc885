/* The memory where kernels of products find images, and put them, whose rows lie as they need them.
 */
#ifndef SATF_PLAN_DEVICE_COPIES_H
#define SATF_PLAN_DEVICE_COPIES_H

#include "step.h"

/*
 * Kernels read rows that are aligned, and write such rows of u8 and u16. Whether the caller's are
 * is known when a run brings their data: so there is memory for copies of the image and of the
 * result that are. Under border wrap both are larger than the step's, by so many pixels on each
 * side: there the image begins again.
 */
typedef struct device_copies {
    int64_t more_x, more_y; /* at most as many as the image has */
} device_copies;

/* The step's scratch for them. */
satf_status device_copies_reserve(satf_context *ctx, filter_step *step, const device_copies *of);

/* Bytes of one, which begin the scratch. */
size_t device_copies_bytes(const filter_step *step, const device_copies *of);

/* An image of the step, or one as large, that kernels see; data is NULL. */
satf_view device_copies_view(const device_copies *of, const satf_view *view);

/* What kernels are given in place of the step's views; then the result goes where it belongs. */
satf_status device_copies_begin(satf_context *ctx, const filter_step *step, const device_copies *of,
                                satf_view *in, satf_view *out);
satf_status device_copies_end(satf_context *ctx, const filter_step *step, const device_copies *of,
                              const satf_view *out);

#endif
