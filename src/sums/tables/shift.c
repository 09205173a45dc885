/* Makes the copy of an image of floats less shifts. */
#include "shift.h"

#include "../../base/cpu.h"
#include "../../base/memory.h"
#include "../../base/parallel.h"
#include "../../base/view.h"
#include "../march/kernels.h"

enum {
    BAND_ROWS = 32,
    SHARE_BYTES = 1 << 21 /* for fewer no thread is woken */
};

typedef struct shift_work {
    const satf_view *in, *shifted;
    const double *shifts;
    const strip_kernels *kernels;
} shift_work;

bool filter_is_shifted(const filter_step *step)
{
    return step->shape->windows && filter_has_shifts(step->pass) &&
           satf_type_is_float(step->in.type);
}

bool filter_shifted_step(const filter_step *step, void *data, filter_step *shifted, size_t *bytes)
{
    const satf_view *in = &step->in;
    satf_view *view = &shifted->in;
    size_t row;
    *shifted = *step;
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

static void shift_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const shift_work *work = user;
    const satf_view *in = work->in;
    const vertical_row shape = {SATF_SUMMAND_PLAIN, in->channels, in->width};
    int64_t end = (band + 1) * BAND_ROWS;
    end = end < in->height ? end : in->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        work->kernels->shift_by((satf_type)in->type, &shape, satf_row(in, y), work->shifts,
                                satf_row(work->shifted, y));
    }
}

satf_status filter_shift(satf_context *ctx, const satf_view *in, const double *shifts,
                         const satf_view *shifted)
{
    shift_work work = {in, shifted, shifts, &SATF_ISA_CHOOSE(&window_kernels)->strip};
    return satf_parallel_ticked(ctx,
                                satf_threads_for(ctx, shifted->stride * in->height, SHARE_BYTES),
                                (in->height - 1) / BAND_ROWS + 1, shift_band, &work);
}
