/* Applies filters that move pixels, or make fewer of them, to weights while a plan is made. */
#include "weights.h"

#include <math.h>

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../chain/region.h"
#include "../formula/adapt_rows.h"
#include "../formula/pixels.h"
#include "step.h"

static satf_status make_step(satf_context *ctx, const chain_link *link, const satf_view *in,
                             const satf_view *out, bool by_rows, filter_step *step)
{
    const filter_step_spec spec = {.link = link,
                                   .pass = filter_last(link->info),
                                   .in = *in,
                                   .out = *out,
                                   .input = in,
                                   .given = in,
                                   .by_rows = by_rows};
    satf_status status = filter_step_make(ctx, &spec, step);
    return status ? status : filter_step_plan(ctx, step);
}

static satf_status move_weights(satf_context *ctx, const chain_link *link, const satf_view *in,
                                const satf_view *out)
{
    filter_step step;
    satf_status status = make_step(ctx, link, in, out, false, &step);
    step.in.data = in->data;
    step.out.data = out->data;
    status = status ? status : step.engine->run(ctx, &step);
    filter_step_release(&step);
    return status;
}

/* ------------------------------------------------------------------------ cells */

/* Weights by rows, as doubles: their means are 0 only if all of them are. */
typedef struct real_rows {
    const satf_view *in;
    double *from, *to;
} real_rows;

static const void *load_row(void *user, int64_t y)
{
    const real_rows *rows = user;
    const row_adapter load = {
        .from = rows->in->type, .to = SATF_F64, .channels = 1, .lanes = 1, .nodata = NAN};
    SATF_ISA_CHOOSE(&adapt_kernels)
        ->row(&load, rows->in->width, satf_row(rows->in, y), NULL, 0, (char *)rows->from);
    return rows->from;
}

static void *row_of_means(void *user, int64_t y)
{
    (void)y;
    return ((const real_rows *)user)->to;
}

/* Stores means: integers to nearest, halves up (a mean may be a little less); none becomes 0. */
static void store_row(const double *means, const satf_view *out, int64_t y)
{
    int type = out->type;
    double less = satf_type_is_float(type) ? 0 : 0x1p-30;
    char *row = satf_row(out, y);
    for (int64_t x = 0; x < out->width; x++) {
        adapt_put(type, adapt_step(type, means[x] > 0 ? means[x] + less : 0),
                  row + x * adapt_bytes(type));
    }
}

static satf_status average_weights(satf_context *ctx, const chain_link *link, const satf_view *in,
                                   const satf_view *out)
{
    satf_view from = satf_view_packed(NULL, in->width, in->height, 1, SATF_F64);
    satf_view to = satf_view_packed(NULL, out->width, out->height, 1, SATF_F64);
    filter_step step;
    satf_status status = make_step(ctx, link, &from, &to, true, &step);
    size_t bytes = satf_align64(status ? 0 : step.walker_bytes);
    size_t row_bytes = satf_align64((size_t)from.stride);
    char *walker = satf_alloc(bytes + row_bytes + (size_t)to.stride);
    if (!status && !walker) {
        status = satf_fail_memory(ctx, bytes + row_bytes + (size_t)to.stride, "weights");
    }
    if (!status) {
        real_rows reals = {in, (double *)(void *)(walker + bytes),
                           (double *)(void *)(walker + bytes + row_bytes)};
        filter_rows rows = {.in = load_row, .out = row_of_means, .user = &reals};
        status = step.engine->begin(ctx, &step, &rows, 0, out->height, walker);
        for (int64_t y = 0; !status && step.engine->next(walker, &status) > 0; y++) {
            store_row(reals.to, out, y);
            status = satf_work(ctx, in->width * (in->height / out->height));
        }
    }
    satf_free(walker);
    filter_step_release(&step);
    return status;
}

/* ----------------------------------------------------------------------- behind */

/* Cuts a part from the weights, or adds pixels above and to the left, which weigh nothing. */
static satf_status cut_weights(satf_context *ctx, const satf_view *in, satf_rect part,
                               const satf_view *out)
{
    int64_t x = most(part.x, 0), y = most(part.y, 0);
    satf_rect from = {x, y, part.x + part.w - x, part.y + part.h - y};
    satf_rect to = {x - part.x, y - part.y, from.w, from.h};
    satf_view of = satf_view_rect(in, from), at = satf_view_rect(out, to);
    return filter_copy_pixels(ctx, &of, &at);
}

satf_status filter_weights_behind(satf_context *ctx, const chain_link *link,
                                  const satf_view *loaded, filter_picture **weights)
{
    const filter_pass *last = filter_last(link->info);
    const pass_shape *shape = pass_shape_of(last);
    bool moves = shape->moves && !last->grey, averages = shape->kind == SATF_FILTER_CELLS;
    const satf_view *in = averages ? loaded : &(*weights)->view;
    int64_t width = in->width, height = in->height;
    satf_image *made;
    filter_picture *behind;
    if (!moves && !averages && !filter_trims(link) && !filter_has_zero_edge(link)) {
        return SATF_OK;
    }
    filter_result_size(link, &width, &height);
    satf_status status = satf_image_create(ctx, width, height, 1, (satf_type)in->type, 0, &made);
    if (status) {
        return status;
    }
    made->view.full = in->full;
    status = moves      ? move_weights(ctx, link, in, &made->view)
             : averages ? average_weights(ctx, link, in, &made->view)
                        : cut_weights(ctx, in, filter_valid_part(link, in->width, in->height),
                                      &made->view);
    if (status) {
        satf_image_destroy(made);
        return status;
    }
    status = filter_picture_wrap(ctx, made, (*weights)->name, &behind);
    if (!status) {
        filter_picture_release(*weights);
        *weights = behind;
    }
    return status;
}
