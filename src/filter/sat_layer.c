/* Building the SAT engine's tables. */
#include "sat_layer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"

static bool row_bytes(const satf_view *in, size_t sum_bytes, size_t *bytes)
{
    size_t row;
    if (!satf_mul((size_t)satf_row_samples(in), sum_bytes, &row) || row > SIZE_MAX / 2) {
        return false;
    }
    *bytes = satf_align64(row);
    return true;
}

bool sat_layer_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes)
{
    size_t row;
    return row_bytes(in, satf_sum_bytes(layer->type), &row) &&
           satf_mul(row, (size_t)in->height, bytes) && *bytes <= SIZE_MAX / 2;
}

sat_job sat_layer_job(const satf_view *in, const sat_layer *layer)
{
    size_t row = 0;
    row_bytes(in, satf_sum_bytes(layer->type), &row);
    return (sat_job){
        .in = *in,
        .summand = layer->summand,
        .sum_type = layer->type,
        .out = layer->sat,
        .out_stride = (int64_t)row,
    };
}

/* The summands of a pixel whose samples are all the border's constant. */
static void find_outside(const filter_stage *stage, sat_layer *layer)
{
    union {
        uint8_t u8[SATF_MAX_CHANNELS];
        uint16_t u16[SATF_MAX_CHANNELS];
        float f32[SATF_MAX_CHANNELS];
        double f64[SATF_MAX_CHANNELS];
    } pixel;
    union {
        satf_u128 integer[SATF_MAX_CHANNELS];
        double real[SATF_MAX_CHANNELS];
    } summand;
    int channels = stage->in.channels;
    bool real = satf_type_is_float(stage->in.type);
    for (int c = 0; c < channels; c++) {
        finish_store((satf_type)stage->in.type, formula_real(stage->constant),
                     (char *)&pixel + (size_t)c * satf_type_bytes(stage->in.type));
    }
    satf_summands((satf_type)stage->in.type, channels, layer->summand, &pixel, 1,
                  real ? SATF_SUM_F64 : SATF_SUM_U128, &summand);
    for (int c = 0; c < channels; c++) {
        layer->outside[c].integer = real ? 0 : summand.integer[c];
        layer->outside[c].real = real ? summand.real[c] : 0;
    }
}

/* Is anything in the image, or in the sum of all of it, not finite? Then so is
 * the last pixel of the table: what is not finite never becomes finite again. */
static bool table_is_finite(const satf_view *in, const sat_layer *layer)
{
    const char *row = (const char *)layer->sat + (in->height - 1) * layer->stride;
    const double *last = (const double *)row + (in->width - 1) * in->channels;
    for (int c = 0; c < in->channels; c++) {
        if (!isfinite(last[c])) {
            return false;
        }
    }
    return true;
}

/* The summands of the image, those that are not finite as 0. */
static void copy_finite(const satf_view *in, satf_summand summand, double *to)
{
    int64_t n = satf_row_samples(in);
    for (int64_t y = 0; y < in->height; y++, to += n) {
        satf_summands((satf_type)in->type, in->channels, summand, satf_row(in, y), in->width,
                      SATF_SUM_F64, to);
        for (int64_t i = 0; i < n; i++) {
            to[i] = isfinite(to[i]) ? to[i] : 0;
        }
    }
}

/* 1 where a summand is NaN or the infinity of that sign. */
static void mark_hits(const satf_view *in, satf_summand summand, double infinity, double *row,
                      uint8_t *to)
{
    int64_t n = satf_row_samples(in);
    for (int64_t y = 0; y < in->height; y++, to += n) {
        satf_summands((satf_type)in->type, in->channels, summand, satf_row(in, y), in->width,
                      SATF_SUM_F64, row);
        for (int64_t i = 0; i < n; i++) {
            to[i] = isnan(row[i]) || row[i] == infinity;
        }
    }
}

/* Builds the table of finite summands and the two tables of the others. */
static satf_status rebuild_finite(satf_context *ctx, const satf_view *in, sat_layer *layer)
{
    size_t samples = (size_t)(satf_row_samples(in) * in->height), row, image_bytes, hit_bytes;
    if (!satf_mul(samples, sizeof(double), &image_bytes) ||
        !row_bytes(in, sizeof(uint32_t), &row) || !satf_mul(row, (size_t)in->height, &hit_bytes) ||
        image_bytes > SIZE_MAX / 4 || hit_bytes > SIZE_MAX / 8 ||
        image_bytes + 2 * hit_bytes > (size_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "samples that are not finite need more memory than the limit of %" PRId64
                         " bytes (--max-memory)",
                         ctx->max_bytes);
    }
    double *image = satf_alloc(image_bytes); /* first of summands, then of marks */
    double *summands = satf_alloc((size_t)satf_row_samples(in) * sizeof *summands);
    layer->hits[0] = satf_alloc(hit_bytes);
    layer->hits[1] = satf_alloc(hit_bytes);
    layer->hits_stride = (int64_t)row;
    satf_status status = SATF_OK;
    if (!image || !summands || !layer->hits[0] || !layer->hits[1]) {
        status = satf_fail_memory(ctx, image_bytes + 2 * hit_bytes, "samples that are not finite");
        goto done;
    }
    copy_finite(in, layer->summand, image);
    sat_job job = sat_layer_job(in, layer);
    job.in = satf_view_packed(image, in->width, in->height, in->channels, SATF_F64);
    job.summand = SATF_SUMMAND_PLAIN;
    status = sat_run(ctx, &job, NULL);
    for (int sign = 0; sign < 2 && !status; sign++) {
        mark_hits(in, layer->summand, sign ? -INFINITY : INFINITY, summands, (uint8_t *)image);
        job.in = satf_view_packed(image, in->width, in->height, in->channels, SATF_U8);
        job.sum_type = SATF_SUM_U32;
        job.out = layer->hits[sign];
        job.out_stride = layer->hits_stride;
        status = sat_run(ctx, &job, NULL);
    }
done:
    satf_free(image);
    satf_free(summands);
    return status;
}

satf_status sat_layer_build(satf_context *ctx, const filter_stage *stage, bool local, void *scratch,
                            sat_layer *layer)
{
    sat_job job = sat_layer_job(&stage->in, layer);
    layer->stride = job.out_stride;
    if (stage->values->border == SATF_CONSTANT) {
        find_outside(stage, layer);
    }
    satf_status status = sat_run(ctx, &job, scratch);
    if (!status && local && layer->type == SATF_SUM_F64 && !table_is_finite(&stage->in, layer)) {
        status = rebuild_finite(ctx, &stage->in, layer);
    }
    return status;
}

void sat_layer_clear(sat_layer *layer)
{
    satf_free(layer->hits[0]);
    satf_free(layer->hits[1]);
    layer->hits[0] = layer->hits[1] = NULL;
}
