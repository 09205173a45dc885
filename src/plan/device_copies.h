/* Copies of images for kernels of products, which need rows that are aligned. */
#ifndef SATF_PLAN_DEVICE_COPIES_H
#define SATF_PLAN_DEVICE_COPIES_H

#include "step.h"

/*
 * Kernels read aligned rows, and write aligned rows of u8 and u16. Only when a run brings their
 * data is it known whether the caller's are aligned: so there is memory for aligned copies of the
 * image and of the result. Under border wrap both are larger than the step's, by so many pixels on
 * each side, where the image begins again.
 */
typedef struct device_copies {
    int64_t more_x, more_y; /* at most as many as the image has */
} device_copies;

/* Reserves the step's scratch for the copies. */
satf_status device_copies_reserve(satf_context *ctx, filter_step *step, const device_copies *of);

/* Bytes of one copy; the copies begin the scratch. */
size_t device_copies_bytes(const filter_step *step, const device_copies *of);

/* The image that kernels see for one of the step's size; data is NULL. */
satf_view device_copies_view(const device_copies *of, const satf_view *view);

/* Begin: makes the views that kernels get in place of the step's, and the copy of the image. End:
 * copies the result to where it belongs. */
satf_status device_copies_begin(satf_context *ctx, const filter_step *step, const device_copies *of,
                                satf_view *in, satf_view *out);
satf_status device_copies_end(satf_context *ctx, const filter_step *step, const device_copies *of,
                              const satf_view *out);

#endif
