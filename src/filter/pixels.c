/* Pixels from one view to another, where both are. */
#include "pixels.h"

#include <string.h>

#include "../base/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"

enum {
    BAND_ROWS = 32,
    SHARE_BYTES = 1 << 21 /* for less no thread is woken */
};

typedef struct pixels_work {
    const satf_view *from, *to;
    size_t row_bytes;
} pixels_work;

static void copy_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const pixels_work *work = user;
    int64_t end = (band + 1) * BAND_ROWS;
    end = end < work->from->height ? end : work->from->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        memcpy(satf_row(work->to, y), satf_row(work->from, y), work->row_bytes);
    }
}

satf_status filter_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    if (from->device != SATF_HOST || to->device != SATF_HOST) {
        return satf_gpu_copy(ctx, from, to);
    }
    size_t row = (size_t)satf_row_samples(from) * satf_type_bytes(from->type);
    pixels_work work = {from, to, row};
    satf_parallel_on(ctx, satf_threads_for(ctx, (int64_t)row * from->height, SHARE_BYTES),
                     (from->height - 1) / BAND_ROWS + 1, copy_band, &work);
    return SATF_OK;
}
