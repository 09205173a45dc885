/* The image form of a filter's result, into a view. */
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../formula/pixels.h"
#include "../plan/plan.h"
#include "../plan/views.h"
#include "pipeline.h"

/* Exact results beyond that go back after the call. */
enum { KEPT_BYTES = 64 << 20, BAND_ROWS = 16 };

#define FILTERING 0.75 /* of the work, beside what makes a picture of the result */

static satf_status render_check(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out)
{
    satf_status status = filter_check_views(ctx, filter, in, out, true);
    if (!status && (in->device != SATF_HOST || (out->type != SATF_U8 && out->type != SATF_U16))) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "pictures are made in the host's memory, of samples u8 or u16");
    }
    return status;
}

/* Plans the image form as a PAM would hold it, which stores what every view can be. White becomes
 * the white of out. */
static satf_status make_plan(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *out, io_plan *plan)
{
    double max = satf_type_is_float(in->type) ? 0 : satf_full_scale(in);
    satf_image given = {.view = *in,
                        .has_range = max > 0,
                        .lo = satf_least_sample(in),
                        .hi = max,
                        .alpha_max = max > 0 ? max : 1,
                        .picture_type = in->type};
    satf_image made;
    satf_write_options options = satf_write_defaults();
    options.format = "pam";
    options.type = out->type;
    satf_status status = filter_describe(ctx, filter, &given, SATF_TYPE_AUTO, &made);
    if (!status && !made.has_range) {
        status = satf_fail(ctx, SATF_INVALID, "%s results have no range that could be shown",
                           satf_type_name(made.view.type));
    }
    status = status ? status : io_make_plan(ctx, &made, NULL, &options, plan);
    if (!status && made.view.type == out->type) {
        bool stays = out->full == 0 || out->full == satf_full_scale(&made.view);
        plan->how = stays ? IO_IDENTITY : IO_IMAGE_FORM;
    }
    plan->out.full = out->full;
    return status;
}

/* ctx->shown becomes an image for such a view. */
static satf_status provide(satf_context *ctx, const satf_view *view)
{
    const satf_view *held = satf_image_view(ctx->shown);
    if (held && held->width == view->width && held->height == view->height &&
        held->channels == view->channels && held->type == view->type &&
        held->flags == view->flags) {
        return SATF_OK;
    }
    satf_image_destroy(ctx->shown);
    ctx->shown = NULL;
    return satf_image_create_unset(ctx, view->width, view->height, view->channels,
                                   (satf_type)view->type, view->flags, &ctx->shown);
}

typedef struct work {
    const io_plan *plan;
    const satf_view *from, *to;
} work;

static void convert_row(const work *w, int64_t y)
{
    enum { PIXELS = 240 };
    uint16_t piece[PIXELS * SATF_MAX_CHANNELS];
    int64_t step = satf_pixel_stride(w->to), bytes = satf_pixel_bytes(w->to);
    const char *from = satf_row(w->from, y);
    char *to = satf_row(w->to, y);
    for (int64_t x = 0; x < w->to->width; x += PIXELS) {
        int64_t n = w->to->width - x < PIXELS ? w->to->width - x : PIXELS;
        io_convert(w->plan, from + x * satf_pixel_bytes(w->from), piece, n, NULL);
        satf_copy_row(to + x * step, step, (const char *)piece, bytes, bytes, n);
    }
}

static void render_convert_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const work *w = user;
    int64_t end = (band + 1) * BAND_ROWS;
    end = end < w->to->height ? end : w->to->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        convert_row(w, y);
    }
}

/* Applies the filter as a part of the call. Memory that the caller has lent is for other views. */
static satf_status render_apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out, double share)
{
    void *lent = ctx->scratch;
    filter_call call = filter_whole_call(ctx, filter, in, out);
    call.in_part = true;
    ctx->scratch = NULL;
    satf_progress_part whole = satf_progress_enter(ctx, 0, share);
    satf_status status = filter_apply(ctx, &call);
    satf_progress_leave(ctx, whole);
    ctx->scratch = lent;
    return status;
}

static satf_status show(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                        const satf_view *out)
{
    io_plan plan;
    satf_status status = render_check(ctx, filter, in, out);
    status = status ? status : make_plan(ctx, filter, in, out, &plan);
    if (status || plan.how == IO_IDENTITY) {
        return status ? status : render_apply(ctx, filter, in, out, 1);
    }
    status = provide(ctx, &plan.in);
    status =
        status ? status : render_apply(ctx, filter, in, satf_image_view(ctx->shown), FILTERING);
    if (!status) {
        work w = {&plan, satf_image_view(ctx->shown), out};
        satf_progress_part whole = satf_progress_enter(ctx, FILTERING, 1 - FILTERING);
        status = satf_parallel_told(ctx, satf_thread_count(ctx), (out->height - 1) / BAND_ROWS + 1,
                                    render_convert_band, &w);
        satf_progress_leave(ctx, whole);
    }
    if ((size_t)(plan.in.stride * plan.in.height) > satf_most_kept(ctx, KEPT_BYTES)) {
        satf_image_destroy(ctx->shown);
        ctx->shown = NULL;
    }
    return status;
}

satf_status satf_filter_render(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_progress_begin(ctx);
    satf_budget *before = satf_memory_begin(ctx);
    satf_status status = satf_memory_end(ctx, before, show(ctx, filter, in, out));
    return status ? status : satf_report_progress(ctx, 1);
}
