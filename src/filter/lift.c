#include "lift.h"

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../window/kernels.h"

enum {
    BAND_ROWS = 32,
    SHARE_BYTES = 1 << 21 /* for less no thread is woken */
};

typedef struct lift_work {
    const satf_view *in, *lifted;
    const double *pivots;
    const strip_kernels *kernels;
} lift_work;

bool filter_lifts(const filter_step *step)
{
    return step->recipe->region == REGION_WINDOW && filter_has_pivots(step->recipe) &&
           satf_type_is_float(step->in.type);
}

bool filter_lift_step(const filter_step *step, void *data, filter_step *lifted, size_t *bytes)
{
    const satf_view *in = &step->in;
    satf_view *view = &lifted->in;
    size_t row;
    *lifted = *step;
    if (!satf_mul((size_t)satf_row_samples(in), sizeof(double), &row) || row > SIZE_MAX / 4) {
        return false;
    }
    *view = satf_view_packed(data, in->width, in->height, in->channels, SATF_F64);
    view->flags = in->flags;
    view->full = in->full;
    view->device = in->device;
    view->stride = (int64_t)satf_align64(row);
    return satf_mul(satf_align64(row), (size_t)in->height, bytes) && *bytes <= SIZE_MAX / 4;
}

static void lift_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const lift_work *work = user;
    const satf_view *in = work->in;
    const vertical_row shape = {SATF_SUMMAND_PLAIN, in->channels, in->width};
    int64_t end = (band + 1) * BAND_ROWS;
    end = end < in->height ? end : in->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        work->kernels->lift((satf_type)in->type, &shape, satf_row(in, y), work->pivots,
                            satf_row(work->lifted, y));
    }
}

void filter_lift(satf_context *ctx, const satf_view *in, const double *pivots,
                 const satf_view *lifted)
{
    lift_work work = {in, lifted, pivots, &SATF_ISA_CHOOSE(&window_kernels)->strip};
    satf_parallel_on(ctx, satf_threads_for(ctx, lifted->stride * in->height, SHARE_BYTES),
                     (in->height - 1) / BAND_ROWS + 1, lift_band, &work);
}
