/*
 * Orders of pixels of 4 and 8 bytes on a CUDA device, for plans that run many times: the algorithms
 * of src/permute, which take long to prepare. Which one is src/permute's choice; where it is the
 * gather, that is what filter_device_move_engine does as well.
 */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../move/move.h"
#include "../permute/permute.h"
#include "device_task.h"
#include "move_step.h"

typedef struct permute_step {
    satf_permutation *permutation;
} permute_step;

static int64_t pixel_bytes(const satf_view *view)
{
    return view->channels * (int64_t)satf_type_bytes(view->type);
}

static bool rows_are_packed(const satf_view *view)
{
    return view->stride == view->width * pixel_bytes(view);
}

static bool suits(const satf_context *ctx, const filter_step *step)
{
    int64_t bytes = pixel_bytes(&step->in);
    (void)ctx;
    return step->lasting && step->order && !filter_move_converts(step) &&
           (bytes == 4 || bytes == 8) && rows_are_packed(&step->in) &&
           rows_are_packed(&step->out) && step->order->count <= SATF_MAX_PERMUTATION;
}

static void release(void *state)
{
    satf_permutation_destroy(((permute_step *)state)->permutation);
}

/* The order is kept beside: for images that are not aligned to their pixels, and where memory does
 * not suffice to prepare it. */
static satf_status plan(satf_context *ctx, filter_step *step)
{
    permute_step *state = step->state;
    const filter_order *order = step->order;
    size_t bytes = (size_t)order->count * sizeof *order->entries; /* they are in memory */
    uint32_t *places = satf_alloc(bytes);
    step->kept_bytes = bytes;
    if (!places) {
        return SATF_OK; /* the gather will do */
    }
    for (int64_t k = 0; k < order->count; k++) {
        places[order->entries[k]] = (uint32_t)k;
    }
    permute_request request = {places, order->count, (int)pixel_bytes(&step->in), 0};
    satf_status status =
        permute_create(ctx, &request, step->in.device, "auto", &state->permutation);
    satf_free(places);
    if (status == SATF_LIMIT || status == SATF_NO_MEMORY) {
        state->permutation = NULL;
        return SATF_OK; /* likewise */
    }
    return status ? status
                  : satf_permutation_scratch(ctx, state->permutation, &step->scratch_bytes);
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    return filter_send_order(ctx, step, step->kept);
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    const permute_step *state = step->state;
    uintptr_t places = (uintptr_t)step->in.data | (uintptr_t)step->out.data;
    if (state->permutation && places % (uintptr_t)pixel_bytes(&step->in) == 0) {
        return permute_run(ctx, state->permutation, step->in.data, step->out.data, step->scratch);
    }
    move_job job = filter_move_job(step);
    job.order = (const uint32_t *)(const void *)step->kept;
    return satf_cuda()->move(ctx, &job);
}

static const char *algorithm(const filter_step *step)
{
    const permute_step *state = step->state;
    return state->permutation ? satf_permutation_choice(state->permutation) : "s-designated";
}

const filter_engine filter_permute_engine = {
    .name = "permute",
    .overs = 1U << OVER_ELSEWHERE,
    .on_device = true,
    .ns = 0.004,
    .state_bytes = sizeof(permute_step),
    .suits = suits,
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .release = release,
    .algorithm = algorithm,
};
