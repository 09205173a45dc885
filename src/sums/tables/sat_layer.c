/* One table: its size, its job, and how it is built anew where samples or sums are not finite. */
#include "sat_layer.h"

#include <math.h>
#include <string.h>

#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../plan/gpu.h"

static bool sat_layer_row_bytes(const satf_view *in, size_t sum_bytes, size_t *bytes)
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
    return sat_layer_row_bytes(in, satf_sum_bytes(layer->type), &row) &&
           satf_mul(row, (size_t)in->height, bytes) && *bytes <= SIZE_MAX / 2;
}

bool filter_gpu_hit_bytes(const satf_view *in, size_t *bytes)
{
    size_t samples, counts;
    if (!satf_mul((size_t)satf_row_samples(in), (size_t)in->height, &samples) ||
        !satf_mul(samples, 2 * sizeof(uint32_t), &counts) || counts > SIZE_MAX / 2) {
        return false;
    }
    *bytes = FILTER_GPU_HEAD_BYTES + satf_align64(counts);
    return true;
}

sat_job sat_layer_job(const satf_view *in, const sat_layer *layer)
{
    size_t row = 0;
    sat_layer_row_bytes(in, satf_sum_bytes(layer->type), &row);
    return (sat_job){
        .in = *in,
        .summand = layer->summand,
        .sum_type = layer->type,
        .out_stride = (int64_t)row,
    };
}

/* The summands of a pixel whose samples are all the border's constant. */
void sat_layer_find_outside(const filter_step *step, const double *shifts, sat_layer *layer)
{
    union {
        uint8_t u8[SATF_MAX_CHANNELS];
        uint16_t u16[SATF_MAX_CHANNELS];
        float f32[SATF_MAX_CHANNELS];
        double f64[SATF_MAX_CHANNELS];
    } pixel = {.f64 = {0}};
    union {
        satf_u128 integer[SATF_MAX_CHANNELS];
        double real[SATF_MAX_CHANNELS];
    } summand;
    int channels = step->in.channels;
    bool real = satf_type_is_float(step->in.type);
    for (int c = 0; c < channels; c++) {
        bool weight = step->weight_outside > 0 && c + 1 == channels;
        double outside = weight ? step->weight_outside : step->border.constant;
        double constant = outside - (shifts ? shifts[c] : 0);
        formula_store(step->in.type, formula_real(constant),
                      (char *)&pixel + (size_t)c * satf_type_bytes(step->in.type));
    }
    satf_summands((satf_type)step->in.type, channels, layer->summand, &pixel, 1,
                  real ? SATF_SUM_F64 : SATF_SUM_U128, &summand);
    for (int c = 0; c < channels; c++) {
        layer->outside[c].integer = real ? 0 : summand.integer[c];
        layer->outside[c].real = real ? summand.real[c] : 0;
    }
}

bool sat_layer_is_finite(const satf_view *in, const sat_layer *layer)
{
    /* A sample that is not finite leaves the sum of all samples so, which the last pixel holds. */
    const char *row = (const char *)layer->sat + (in->height - 1) * layer->stride;
    const double *last = (const double *)row + (in->width - 1) * in->channels;
    for (int c = 0; c < in->channels; c++) {
        if (!isfinite(last[c])) {
            return false;
        }
    }
    return true;
}

bool sat_layer_spare_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes)
{
    size_t masks, terms;
    *bytes = 0;
    if (layer->type != SATF_SUM_F64) {
        return true;
    }
    if (in->device != SATF_HOST) {
        return filter_gpu_hit_bytes(in, bytes);
    }
    return sat_layer_row_bytes(in, sizeof(uint32_t), &masks) &&
           sat_layer_row_bytes(in, sizeof(double), &terms) && satf_mul(masks, 2, &masks) &&
           satf_mul(masks, (size_t)in->height, &masks) && satf_add(masks, terms, bytes) &&
           *bytes <= SIZE_MAX / 2;
}

/* The largest magnitude of all summands that are finite. */
static satf_status sat_layer_find_peak(satf_context *ctx, const satf_view *in, satf_summand summand,
                                       double *terms, double *peak)
{
    satf_status status = SATF_OK;
    *peak = 0;
    for (int64_t y = 0; y < in->height && !status; y++) {
        satf_summands((satf_type)in->type, in->channels, summand, satf_row(in, y), in->width,
                      SATF_SUM_F64, terms);
        for (int64_t i = 0; i < satf_row_samples(in); i++) {
            double size = fabs(terms[i]);
            *peak = size > *peak && size < (double)INFINITY ? size : *peak;
        }
        status = satf_work(ctx, satf_row_samples(in));
    }
    return status;
}

/* Corner reads add up less than 2^63 summands with factors below 2^40 in all: below 2^PEAK_LOG none
 * overflows, nor do any below 2^1024 / PEAK_SCALE. Scaled down, small summands lose far less than
 * the rounding of the large one. */
#define PEAK_LOG 800
#define PEAK_SCALE 0x1p128

/* A row of the table of the n finite terms; above: the row above it, or NULL. */
static void sum_finite(const double *terms, int64_t n, int channels, double factor,
                       const double *above, double *sums)
{
    double left[SATF_MAX_CHANNELS] = {0};
    for (int64_t i = 0; i < n; i++) {
        double *sum = &left[i % channels];
        *sum += isfinite(terms[i]) ? terms[i] * factor : 0;
        sums[i] = *sum + (above ? above[i] : 0);
    }
}

/* A row of the table that counts NaN and the given infinity. */
static void sum_masks(const double *terms, int64_t n, int channels, double infinity,
                      const uint32_t *above, uint32_t *masks)
{
    uint32_t left[SATF_MAX_CHANNELS] = {0};
    for (int64_t i = 0; i < n; i++) {
        uint32_t *count = &left[i % channels];
        *count += isnan(terms[i]) || terms[i] == infinity;
        masks[i] = *count + (above ? above[i] : 0);
    }
}

satf_status sat_layer_rebuild(satf_context *ctx, const satf_view *in, sat_layer *layer)
{
    int64_t n = satf_row_samples(in);
    size_t mask_row = 0;
    sat_layer_row_bytes(in, sizeof(uint32_t), &mask_row);
    size_t mask_bytes = mask_row * (size_t)in->height, masks_apart = mask_row / sizeof(uint32_t);
    char *spare = layer->spare;
    double *terms = (double *)(void *)(spare + 2 * mask_bytes);
    layer->masks[0] = (uint32_t *)(void *)spare;
    layer->masks[1] = (uint32_t *)(void *)(spare + mask_bytes);
    layer->masks_stride = (int64_t)mask_row;
    double peak;
    satf_status status = sat_layer_find_peak(ctx, in, layer->summand, terms, &peak);
    layer->scale = peak > ldexp(1, PEAK_LOG) ? PEAK_SCALE : 1;
    char *sums = layer->sat;
    uint32_t *masks[2] = {layer->masks[0], layer->masks[1]};
    for (int64_t y = 0; y < in->height && !status; y++) {
        satf_summands((satf_type)in->type, in->channels, layer->summand, satf_row(in, y), in->width,
                      SATF_SUM_F64, terms);
        status = satf_work(ctx, n);
        sum_finite(terms, n, in->channels, 1 / layer->scale,
                   y ? (double *)(void *)(sums - layer->stride) : NULL, (double *)(void *)sums);
        sums += layer->stride;
        for (int sign = 0; sign < 2; sign++) {
            sum_masks(terms, n, in->channels, sign ? -(double)INFINITY : (double)INFINITY,
                      y ? masks[sign] - masks_apart : NULL, masks[sign]);
            masks[sign] += masks_apart;
        }
    }
    return status;
}
