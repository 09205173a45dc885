/* Colour to grey on the CPU: rows, images, and rows that stream. */
#include "grey.h"

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../plan/gpu.h"
#include "../plan/step.h"

enum { BAND_ROWS = 32 };

bool filter_needs_grey(const filter_pass *pass, const satf_view *in)
{
    return pass->grey && in->channels >= 3;
}

satf_view filter_grey_view(const satf_view *in, void *data)
{
    bool alpha = in->flags & SATF_ALPHA;
    satf_type type = satf_type_is_float(in->type) ? SATF_F64 : (satf_type)in->type;
    satf_view view = satf_view_packed(data, in->width, in->height, alpha ? 2 : 1, type);
    view.flags = in->flags;
    view.full = in->full;
    view.device = in->device;
    return view;
}

/* A row of `in` to a row of grey. */
static void grey_row(const satf_view *in, const void *row, void *dst)
{
    SATF_ISA_CHOOSE(&grey_kernels)->row((satf_type)in->type, in->channels, in->width, row, dst);
}

typedef struct grey_work {
    const satf_view *in, *out;
} grey_work;

static void grey_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const grey_work *work = user;
    int64_t end = (band + 1) * BAND_ROWS;
    end = end < work->in->height ? end : work->in->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        grey_row(work->in, satf_row(work->in, y), satf_row(work->out, y));
    }
}

satf_status filter_run_grey(satf_context *ctx, const satf_view *in, const satf_view *out)
{
    if (in->device != SATF_HOST) {
        return satf_cuda()->grey(ctx, in, out);
    }
    grey_work work = {in, out};
    return satf_parallel_ticked(ctx, satf_thread_count(ctx), (in->height - 1) / BAND_ROWS + 1,
                                grey_band, &work);
}

/* ------------------------------------------------------------------------- rows */

/* A slot each for the rows of the ring, and for those that are kept for good: these are asked for
 * beside rows of the ring. */
static int64_t slots_of(const filter_rows_need *need)
{
    return need->kept + need->end + need->start;
}

static int64_t slot_of(const filter_grey_rows *g, int64_t y)
{
    int64_t end = g->in->height - g->need.end;
    return y >= end            ? g->need.kept + y - end
           : y < g->need.start ? g->need.kept + g->need.end + y
                               : y % g->need.kept;
}

size_t filter_grey_rows_bytes(const satf_view *in, const filter_rows_need *need)
{
    size_t kept = (size_t)slots_of(need);
    satf_view grey = filter_grey_view(in, NULL);
    size_t rows, numbers;
    if (!satf_mul((size_t)grey.stride, kept, &rows) || !satf_mul(sizeof(int64_t), kept, &numbers) ||
        rows > SIZE_MAX / 4) {
        return 0;
    }
    return satf_align64(rows) + numbers;
}

void filter_grey_rows_init(filter_grey_rows *g, const filter_rows *rows, const satf_view *in,
                           const filter_rows_need *need, void *memory)
{
    int64_t kept = slots_of(need);
    satf_view grey = filter_grey_view(in, NULL);
    *g = (filter_grey_rows){.rows = rows, .in = in, .need = *need, .stride = grey.stride};
    g->memory = memory;
    g->held = (int64_t *)(void *)(g->memory + satf_align64((size_t)(grey.stride * kept)));
    for (int64_t i = 0; i < kept; i++) {
        g->held[i] = -1;
    }
}

const void *filter_grey_rows_in(void *user, int64_t y)
{
    filter_grey_rows *g = user;
    int64_t slot = slot_of(g, y);
    char *to = g->memory + slot * g->stride;
    if (g->held[slot] != y) {
        const void *row = g->rows->in(g->rows->user, y);
        if (!row) {
            return NULL;
        }
        grey_row(g->in, row, to);
        g->held[slot] = y;
    }
    return to;
}

void *filter_grey_rows_out(void *user, int64_t y)
{
    filter_grey_rows *g = user;
    return g->rows->out(g->rows->user, y);
}
