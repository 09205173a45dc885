/*
 * Filters that move pixels as they are, on a CUDA device. Where the output's type is another than
 * the input's, all pixels are moved first, and then stored as results are.
 */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../move/move.h"
#include "device_task.h"
#include "move_step.h"

/* The order lies in kept memory, the moved image in scratch. */
static satf_status plan(satf_context *ctx, filter_step *step)
{
    const filter_order *order = step->order;
    satf_view row = filter_moved_view(step, NULL, 1);
    size_t entries = order ? (size_t)order->count : 0;
    if ((filter_move_converts(step) &&
         !satf_mul((size_t)row.stride, (size_t)step->out.height, &step->scratch_bytes)) ||
        !satf_mul(entries, sizeof(uint32_t), &step->kept_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
    }
    return SATF_OK;
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    return step->order ? filter_send_order(ctx, step, step->kept) : SATF_OK;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    move_job job = filter_move_job(step);
    if (job.order) {
        job.order = (const uint32_t *)(const void *)step->kept;
    }
    if (filter_move_converts(step)) {
        job.out = filter_moved_view(step, step->scratch, step->out.height);
    }
    satf_status status = satf_cuda()->move(ctx, &job);
    if (!status && filter_move_converts(step)) {
        status = satf_cuda()->convert(ctx, &job.out, &step->out);
    }
    return status;
}

const filter_engine filter_device_move_engine = {
    .name = "move",
    .overs = 1U << OVER_ELSEWHERE,
    .on_device = true,
    .ns = 0.005,
    .plan = plan,
    .prepare = prepare,
    .run = run,
};
