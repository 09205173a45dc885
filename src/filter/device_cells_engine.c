/* Means over the cells of a coarser grid, on a CUDA device. */
#include "../base/gpu.h"
#include "step.h"

static bool suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return step->pass->kernel == KERNEL_MEAN;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    (void)ctx, (void)step;
    return SATF_OK;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    return satf_cuda()->cells(ctx, &step->in, &step->out, step->weighted);
}

const filter_engine filter_device_cells_engine = {
    .name = "cells",
    .overs = 1U << OVER_CELLS,
    .on_device = true,
    .ns = 0.01,
    .suits = suits,
    .plan = plan,
    .run = run,
};
