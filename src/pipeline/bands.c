/* Bands of a picture on a device: their height, and the loop over them. */
#include "bands.h"

#include "../base/share.h"
#include "../base/view.h"
#include "../chain/region.h"

/* A band is worth its launches, and a picture several bands. What a filter takes of the device's
 * memory is mostly less than so many times the band's bytes. */
static const int64_t band_bytes = (int64_t)32 << 20;
enum { LEAST_BANDS = 4, TIMES_BAND = 8 };

static satf_rect band_at(const satf_view *out, int64_t y, int64_t rows)
{
    return (satf_rect){0, y, out->width, rows};
}

int64_t pipeline_band_rows(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan)
{
    const satf_view *in = &plan->in.view, *out = &plan->out.view;
    int64_t limit = ctx->settings.max_device_bytes / TIMES_BAND;
    int64_t rows = (limit < band_bytes ? limit : band_bytes) / (in->stride + out->stride) + 1;
    for (; rows <= out->height / LEAST_BANDS; rows *= 2) {
        satf_rect where = band_at(out, out->height / 2, rows), crop, part;
        if (filter_find_region(ctx, job->filter, in, &where, &crop, &part) ||
            crop.h == in->height) {
            return 0;
        }
        if (crop.h <= rows + rows / 2) {
            return rows;
        }
    }
    return 0;
}

satf_status pipeline_band_needs(satf_context *ctx, const pipeline_job *job,
                                const pipeline_plan *plan, int64_t y, int64_t rows, int64_t *end)
{
    satf_rect where = band_at(&plan->out.view, y, rows), crop, part;
    satf_status status = filter_find_region(ctx, job->filter, &plan->in.view, &where, &crop, &part);
    *end = status ? 0 : crop.y + crop.h;
    return status;
}

/* The time of a band's steps is not told: it is a part of what the report's is to be. */
static satf_status bands_report_steps(satf_context *ctx, satf_file_report *result)
{
    satf_status status = pipeline_report_plan(ctx, result);
    for (size_t i = 0; !status && i < ctx->file_steps->count; i++) {
        ctx->file_steps->of[i].ms = -1;
    }
    return status;
}

static satf_status make(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                        const satf_view *in, const satf_rect *where, const satf_view *out,
                        satf_file_report *result)
{
    bool on_device = plan->device > SATF_HOST;
    satf_status status = on_device ? satf_share_enter_device(ctx, plan->device) : SATF_OK;
    if (status) {
        return status;
    }
    status = filter_apply_rect_on(ctx, plan->device, job->filter, in, where, out);
    status = status ? status : bands_report_steps(ctx, result);
    if (on_device) {
        satf_share_leave_device(ctx);
    }
    return status;
}

satf_status pipeline_band_make(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                               const satf_view *in, const satf_view *out, int64_t y, int64_t rows,
                               satf_file_report *result)
{
    double height = (double)out->height;
    satf_rect where = band_at(out, y, rows);
    satf_view part = satf_view_rect(out, where);
    satf_progress_part whole = satf_progress_enter(ctx, (double)y / height, (double)rows / height);
    satf_status status = make(ctx, job, plan, in, &where, &part, result);
    if (status && pipeline_leave_device(ctx, job, plan, status, result)) {
        status = make(ctx, job, plan, in, &where, &part, result);
    }
    satf_progress_leave(ctx, whole);
    return status;
}
