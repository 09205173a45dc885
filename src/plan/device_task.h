/* The task of a kernel on a CUDA device, made from a step. */
#ifndef SATF_PLAN_DEVICE_TASK_H
#define SATF_PLAN_DEVICE_TASK_H

#include "gpu.h"
#include "../sums/tables/sat_layer.h"
#include "step.h"

/* The task of the step, but for the layers and the place of the rectangles. */
filter_gpu_task filter_device_task(const filter_step *step);

/* The task of a march, whose layers have no tables; reduces: by the pass's reduction. */
filter_gpu_task filter_device_march_task(const filter_step *step, bool reduces);

/* A layer without its table. */
filter_gpu_layer filter_device_layer(const filter_step *step, const sat_layer *layer);

/* Copies the step's rectangles or order to the device, in the stream's order. They live until the
 * copy is done, and any graph that captured it is gone. */
satf_status filter_send_rects(satf_context *ctx, const filter_step *step, void *to);
satf_status filter_send_order(satf_context *ctx, const filter_step *step, void *to);

/* Passes along lines, for the line engine. (src/sums/lines/device_lines.c) */
satf_status filter_lines_plan_on_device(satf_context *ctx, filter_step *step);
satf_status filter_lines_run_on_device(satf_context *ctx, const filter_step *step);

#endif
