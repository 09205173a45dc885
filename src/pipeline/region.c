/* The region of a job: its place in the picture, and the checks of it. */
#include "region.h"

#include <inttypes.h>
#include <string.h>

#include "../base/view.h"
#include "../formula/pixels.h"
#include "../chain/region.h"

/* Why the filters cannot take a part alone, whose surroundings are pixels like those of in. */
static satf_status check_alike(satf_context *ctx, const pipeline_job *job, const satf_view *in,
                               const satf_view *exact)
{
    if (filter_is_bilevel(job->filter)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a region cannot become black and white, for the picture around it is not "
                         "(option: region)");
    }
    if (exact->width != in->width || exact->height != in->height) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the filters make %" PRId64 " x %" PRId64 " pixels of %" PRId64
                         " x %" PRId64 ", and a region keeps the picture's size (option: region)",
                         exact->width, exact->height, in->width, in->height);
    }
    if (exact->type != in->type || exact->channels != in->channels || exact->flags != in->flags) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the filters' result is %s with %d channels, and the picture around the "
                         "region %s with %d (option: region)",
                         satf_type_name(exact->type), (int)exact->channels,
                         satf_type_name(in->type), (int)in->channels);
    }
    return satf_full_scale(exact) == satf_full_scale(in)
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "white is %g for the filters' result and %g for the picture around the "
                           "region (option: region)",
                           satf_full_scale(exact), satf_full_scale(in));
}

satf_status pipeline_region_plan(satf_context *ctx, const pipeline_job *job, const satf_view *exact,
                                 pipeline_plan *plan)
{
    const satf_view *in = &plan->in.view;
    const satf_rect *of = job->region;
    if (!satf_inside(of->x, of->w, in->width) || !satf_inside(of->y, of->h, in->height)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the region of %" PRId64 " x %" PRId64 " at %" PRId64 ", %" PRId64
                         " is empty or leaves the picture of %" PRId64 " x %" PRId64
                         " (option: region)",
                         of->w, of->h, of->x, of->y, in->width, in->height);
    }
    satf_status status = check_alike(ctx, job, in, exact);
    return status ? status : filter_find_region(ctx, job->filter, in, of, &plan->crop, &plan->part);
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
    if (!job->region) {
        return;
    }
    in->width = plan->crop.w;
    in->height = plan->crop.h;
    satf_filter_output(ctx, job->filter, in, out); /* which the whole picture has passed */
    out->type = type;
    out->stride = out->width * satf_pixel_bytes(out);
    out->full = plan->out.view.full;
}

void pipeline_region_keep(const pipeline_plan *plan, const void *from, void *to)
{
    const satf_view *in = &plan->in.view, *out = &plan->out.view;
    if (in->type == out->type) {
        memcpy(to, from, (size_t)(in->width * satf_pixel_bytes(in)));
    } else {
        filter_convert((int)in->type, from, satf_row_samples(in), (int)out->type, to);
    }
}

satf_status pipeline_region_image(satf_context *ctx, const pipeline_job *job,
                                  const pipeline_plan *plan, const satf_image *in, satf_image *out)
{
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < in->view.height && !status; y++) {
        pipeline_region_keep(plan, satf_row(&in->view, y), satf_row(&out->view, y));
        status = satf_tick(ctx);
    }
    satf_view part = satf_view_rect(&out->view, *job->region);
    return status ? status
                  : filter_apply_rect_on(ctx, plan->device, job->filter, &in->view, job->region,
                                         &part);
}
