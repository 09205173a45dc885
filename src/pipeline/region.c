/* The region of a job: its place in the picture, and the checks of it. */
#include "region.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "../formula/pixels.h"
#include "../chain/region.h"
#include "mask.h"

/* Why the filters' result cannot stand beside pixels of in, or be blended with them. */
static satf_status check_alike(satf_context *ctx, const pipeline_job *job, const satf_view *in,
                               const satf_view *exact)
{
    const char *given = pipeline_region_option(job);
    if (filter_is_bilevel(job->filter)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the filters' result cannot become black and white, for the picture "
                         "itself is not (option: %s)",
                         given);
    }
    if (exact->width != in->width || exact->height != in->height) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the filters make %" PRId64 " x %" PRId64 " pixels of %" PRId64
                         " x %" PRId64 ", and a %s keeps the picture's size (option: %s)",
                         exact->width, exact->height, in->width, in->height, given, given);
    }
    if (exact->type != in->type || exact->channels != in->channels || exact->flags != in->flags) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the filters' result is %s with %d channel%s, and the picture itself %s "
                         "with %d (option: %s)",
                         satf_type_name(exact->type), (int)exact->channels,
                         exact->channels == 1 ? "" : "s", satf_type_name(in->type),
                         (int)in->channels, given);
    }
    return satf_full_scale(exact) == satf_full_scale(in)
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "white is %g for the filters' result and %g for the picture itself "
                           "(option: %s)",
                           satf_full_scale(exact), satf_full_scale(in), given);
}

/* Whether the region lies in the picture, and the mask has its sides. */
static satf_status check_sides(satf_context *ctx, const pipeline_job *job, const satf_view *in)
{
    const satf_rect *of = job->options.region;
    const satf_view *mask = job->options.mask;
    if (!satf_inside(of->x, of->w, in->width) || !satf_inside(of->y, of->h, in->height)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the region of %" PRId64 " x %" PRId64 " at %" PRId64 ", %" PRId64
                         " is empty or leaves the picture of %" PRId64 " x %" PRId64
                         " (option: region)",
                         of->w, of->h, of->x, of->y, in->width, in->height);
    }
    return !mask || (mask->width == in->width && mask->height == in->height)
               ? SATF_OK
               : satf_fail(ctx, SATF_INVALID,
                           "the mask has %" PRId64 " x %" PRId64 " pixels, and the picture %" PRId64
                           " x %" PRId64 " (option: mask)",
                           mask->width, mask->height, in->width, in->height);
}

satf_status pipeline_region_plan(satf_context *ctx, const pipeline_job *job, const satf_view *exact,
                                 pipeline_plan *plan)
{
    const satf_view *in = &plan->in.view;
    satf_status status = check_sides(ctx, job, in);
    status = status ? status : check_alike(ctx, job, in, exact);
    return status ? status
                  : filter_find_region(ctx, job->filter, in, job->options.region, &plan->crop,
                                       &plan->part);
}

void pipeline_region_widen(pipeline_plan *plan)
{
    const satf_image *in = &plan->in;
    satf_image *out = &plan->out;
    out->has_range = in->has_range && out->has_range;
    out->lo = out->has_range ? (in->lo < out->lo ? in->lo : out->lo) : 0;
    out->hi = out->has_range ? (in->hi > out->hi ? in->hi : out->hi) : 0;
    out->picture_type = in->picture_type;
}

void pipeline_region_views(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                           satf_view *in, satf_view *out)
{
    int type = plan->out.view.type;
    *in = plan->in.view;
    *out = plan->out.view;
    if (!job->options.region) {
        return;
    }
    in->width = plan->crop.w;
    in->height = plan->crop.h;
    satf_filter_output(ctx, job->filter, in, out); /* which the whole picture has passed */
    out->type = type;
    out->stride = out->width * satf_pixel_bytes(out);
    out->full = plan->out.view.full;
}

void pipeline_region_row(const pipeline_job *job, const pipeline_plan *plan, int64_t y,
                         const void *from, const char *made, char *to)
{
    const satf_view *in = &plan->in.view, *out = &plan->out.view;
    const satf_rect *of = job->options.region;
    int64_t pixel = satf_pixel_bytes(out);
    filter_convert((int)in->type, from, satf_row_samples(in), (int)out->type, to);
    if (made && job->options.mask) {
        pipeline_mask_blend(job->options.mask, &job->filter->counting, of->x, y, out, of->w, made,
                            to + of->x * pixel);
    } else if (made) {
        memcpy(to + of->x * pixel, made, (size_t)(of->w * pixel));
    }
}

satf_status pipeline_region_image(satf_context *ctx, const pipeline_job *job,
                                  const pipeline_plan *plan, const satf_image *in, satf_image *out)
{
    const satf_rect *of = job->options.region;
    satf_view part = satf_view_rect(&out->view, *of);
    size_t bytes = (size_t)(of->w * satf_pixel_bytes(&part));
    satf_status status = filter_apply_rect_on(ctx, plan->device, job->filter, &in->view, of, &part);
    char *row = status ? NULL : satf_alloc(bytes);
    if (!status && !row) {
        status = satf_fail_memory(ctx, bytes, "a row");
    }
    for (int64_t y = 0; y < in->view.height && !status; y++) {
        bool inside = y >= of->y && y < of->y + of->h;
        if (inside) { /* it is where the result of both goes */
            memcpy(row, satf_row(&part, y - of->y), bytes);
        }
        pipeline_region_row(job, plan, y, satf_row(&in->view, y), inside ? row : NULL,
                            satf_row(&out->view, y));
        status = satf_tick(ctx);
    }
    satf_free(row);
    return status;
}
