/* The blend of a job's mask. It is defined in docs/formats.md, "A mask". */
#include "mask.h"

#include <math.h>
#include <string.h>

#include "../base/view.h"
#include "../formula/adapt.h"
#include "../formula/grey.h"

satf_status pipeline_mask_check(satf_context *ctx, const satf_view *mask)
{
    satf_status status = satf_check_view(ctx, mask, "mask", true);
    if (status) {
        return status;
    }
    int colours = mask->channels - (mask->flags & SATF_ALPHA ? 1 : 0);
    bool plain = satf_type_is_plain(mask->type);
    return mask->device == SATF_HOST && plain && (colours == 1 || colours == 3)
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "the mask has %d channels of %s%s; it must be grey or RGB of u8, u16, "
                           "f32 or f64 (option: mask)",
                           (int)mask->channels, satf_type_name(mask->type),
                           mask->device == SATF_HOST ? "" : " on a device");
}

enum { PIECE_PIXELS = 256 };

/* Masks of floats are rounded to so many steps for integers. */
static const double float_steps = 65535;

static double grey_at(const satf_view *mask, const char *pixel)
{
    size_t bytes = satf_type_bytes(mask->type);
    double r = adapt_load(mask->type, pixel);
    if (mask->channels < 3) {
        return r;
    }
    double g = adapt_load(mask->type, pixel + bytes), b = adapt_load(mask->type, pixel + 2 * bytes);
    return satf_type_is_float(mask->type) ? grey_of_reals(r, g, b)
                                          : grey_of_integers((uint32_t)r, (uint32_t)g, (uint32_t)b);
}

/* The mask's levels, 0 to full, for each sample of pixels that have so many channels. */
static void get_levels(const satf_view *mask, const char *pixel, int64_t pixels, int channels,
                       bool steps, double *levels)
{
    const double full = satf_full_scale(mask);
    const int64_t step = satf_pixel_stride(mask);
    for (int64_t x = 0; x < pixels; x++, pixel += step) {
        double m = grey_at(mask, pixel);
        m = m > 0 ? (m < full ? m : full) : 0; /* of NaN too */
        m = steps ? floor(m / full * float_steps + 0.5) : m;
        for (int c = 0; c < channels; c++) {
            *levels++ = m;
        }
    }
}

/* (r m + p (full - m)) / full + 1/2, to be cut off. All products are below 2^53, and so exact; so
 * is the quotient's floor. */
static inline double mix_integers(double r, double p, double m, double full)
{
    return (2 * (r * m + p * (full - m)) + full) / (2 * full);
}

/* The same of 64 bits, in two steps: those of the quotient, and of the rest. */
static inline uint64_t mix_wide(uint64_t r, uint64_t p, double level, double all)
{
    uint64_t full = (uint64_t)all, m = (uint64_t)level;
    uint64_t least = r < p ? r : p, difference = r < p ? p - r : r - p, of = r < p ? full - m : m;
    return least + difference / full * of + (difference % full * of * 2 + full) / (2 * full);
}

static inline double mix_reals(double r, double p, double share)
{
    return p + (r - p) * share;
}

#define BLEND(Sample, mixed)                                                              \
    static void blend_##Sample(const double *m, double full, int64_t n, const void *made, \
                               void *out)                                                 \
    {                                                                                     \
        const Sample *restrict from = made;                                               \
        Sample *restrict to = out;                                                        \
        for (int64_t i = 0; i < n; i++) {                                                 \
            to[i] = mixed;                                                                \
        }                                                                                 \
    }
#define INTEGER(Sample, mix) BLEND(Sample, (Sample)mix(from[i], to[i], m[i], full))
#define REAL(Sample) /* whose bits stay at both ends */                         \
    BLEND(Sample, m[i] == full ? from[i]                                        \
                  : m[i] > 0   ? (Sample)mix_reals(from[i], to[i], m[i] / full) \
                               : to[i])
INTEGER(uint8_t, mix_integers)
INTEGER(uint16_t, mix_integers)
INTEGER(uint32_t, mix_integers)
INTEGER(uint64_t, mix_wide)
REAL(float)
REAL(double)

/* Integers with a sign, and halves; those of 64 bits beyond 2^53 only as far as doubles hold them.
 */
static void blend_others(int type, const double *m, double full, int64_t n, const char *made,
                         char *to)
{
    bool halves = satf_type_is_float(type);
    size_t bytes = satf_type_bytes(type);
    for (int64_t i = 0; i < n; i++, made += bytes, to += bytes) {
        double r = adapt_load(type, made), p = adapt_load(type, to);
        double mixed = halves ? mix_reals(r, p, m[i] / full) : mix_integers(r, p, m[i], full);
        if (m[i] == full) {
            memcpy(to, made, bytes);
        } else if (m[i] > 0) {
            adapt_put(type, halves ? mixed : floor(mixed), to);
        }
    }
}

static void blend(satf_type type, const double *m, double full, int64_t n, const void *made,
                  void *to)
{
    switch (type) {
    case SATF_U8:
        blend_uint8_t(m, full, n, made, to);
        break;
    case SATF_U16:
        blend_uint16_t(m, full, n, made, to);
        break;
    case SATF_U32:
        blend_uint32_t(m, full, n, made, to);
        break;
    case SATF_U64:
        blend_uint64_t(m, full, n, made, to);
        break;
    case SATF_F32:
        blend_float(m, full, n, made, to);
        break;
    case SATF_F64:
        blend_double(m, full, n, made, to);
        break;
    default:
        blend_others(type, m, full, n, made, to);
    }
}

/* Does a sample of the pixel say that it does not count? nodata: as one of them, NAN: none does. */
static bool says_nothing(const chain_counting *counting, double nodata, int type, int channels,
                         const char *pixel)
{
    bool says = false;
    for (int c = 0; c < channels && !says; c++, pixel += satf_type_bytes(type)) {
        double sample = adapt_load(type, pixel);
        says = sample == nodata || (counting->omits_nan && isnan(sample));
    }
    return says;
}

/* Where one of the two pixels does not count there is no value between them: the nearer one. */
static void part_levels(const chain_counting *counting, const satf_view *out, int64_t pixels,
                        const char *made, const char *to, double full, double *levels)
{
    const int channels = out->channels, colours = channels - (out->flags & SATF_ALPHA ? 1 : 0);
    const int64_t bytes = satf_pixel_bytes(out);
    double nodata = counting->says_nodata ? adapt_sample_of(out->type, counting->nodata) : NAN;
    for (int64_t x = 0; x < pixels; x++, made += bytes, to += bytes, levels += channels) {
        bool between = *levels > 0 && *levels < full;
        if (between && (says_nothing(counting, nodata, out->type, colours, made) ||
                        says_nothing(counting, nodata, out->type, colours, to))) {
            double level = 2 * *levels < full ? 0 : full;
            for (int c = 0; c < channels; c++) {
                levels[c] = level;
            }
        }
    }
}

void pipeline_mask_blend(const satf_view *mask, const chain_counting *counting, int64_t x,
                         int64_t y, const satf_view *out, int64_t pixels, const char *made,
                         char *to)
{
    double levels[PIECE_PIXELS * SATF_MAX_CHANNELS];
    bool steps = satf_type_is_float(mask->type) && !satf_type_is_float(out->type);
    const double full = steps ? float_steps : satf_full_scale(mask);
    const int64_t step = satf_pixel_stride(mask), bytes = satf_pixel_bytes(out);
    const char *at = (const char *)satf_row(mask, y) + x * step;
    for (int64_t done = 0; done < pixels; done += PIECE_PIXELS) {
        int64_t n = pixels - done < PIECE_PIXELS ? pixels - done : PIECE_PIXELS;
        get_levels(mask, at + done * step, n, out->channels, steps, levels);
        if (counting->says_nodata || counting->omits_nan) {
            part_levels(counting, out, n, made + done * bytes, to + done * bytes, full, levels);
        }
        blend((satf_type)out->type, levels, full, n * out->channels, made + done * bytes,
              to + done * bytes);
    }
}
