/* The conversion of an image's samples to a file's samples. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/cpu.h"
#include "../base/view.h"
#include "../formula/adapt.h"
#include "codec.h"
#include "kernels.h"

/* Samples go through blocks of the widest type of their kind. */
enum { BLOCK = 480 }; /* samples; whole pixels for 1 to 4 channels */

typedef union block {
    uint64_t u[BLOCK];
    double f[BLOCK];
} block;

/* All that doubles hold, or stand for: of i64 the nearest. */
#define CONVERT_TYPES(DO) \
    DO(SATF_U8)           \
    DO(SATF_U16)          \
    DO(SATF_U32)          \
    DO(SATF_F32)          \
    DO(SATF_F64) DO(SATF_I8) DO(SATF_I16) DO(SATF_I32) DO(SATF_I64) DO(SATF_F16) DO(SATF_BF16)

/* Compilers make good loops of samples of one type that lie side by side. */
#define LOAD(type)                                                    \
    case type:                                                        \
        for (int i = 0; kept == channels && i < pixels * kept; i++) { \
            to->f[i] = adapt_load(type, s + i * adapt_bytes(type));   \
        }                                                             \
        for (int i = 0; kept < channels && i < pixels * kept; i++) {  \
            int at = i / kept * channels + i % kept;                  \
            to->f[i] = adapt_load(type, s + at * adapt_bytes(type));  \
        }                                                             \
        break;

/* The first `kept` of every pixel's channels: u64 to u, all else to f. */
static void convert_load(int type, const char *s, int channels, int kept, int pixels, block *to)
{
    switch (type) {
        CONVERT_TYPES(LOAD)
    default:
        for (int i = 0; i < pixels * kept; i++) {
            size_t at = (size_t)(i / kept * channels + i % kept);
            memcpy(&to->u[i], s + at * sizeof *to->u, sizeof *to->u);
        }
    }
}

/* x rounded to nearest, halves up, saturated to 0 ... max; NaN gives 0. */
static uint64_t round_saturated(double x, uint64_t max)
{
    if (!(x > 0)) {
        return 0;
    }
    double whole = floor(x); /* floor(x + 0.5) would round the double below 0.5 up */
    whole += x - whole >= 0.5;
    return whole >= (double)max ? max : (uint64_t)whole;
}

/* v of 0 ... hi to 0 ... max, exactly; v <= hi. */
static uint64_t scale_integer(uint64_t v, uint64_t hi, uint64_t max)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((2 * (wide)v * max + hi) / (2 * (wide)hi));
}

/* Does what io_kernels.map does, for integers that doubles do not hold. */
static void map_words(double lo, double span, uint16_t max, int n, const uint64_t *from,
                      uint16_t *to)
{
    /* Integers of a range 0 ... hi stay in integers, so that ties are exact. */
    bool exact = lo == 0 && span >= 1 && span <= 0x1p64 && span == floor(span);
    uint64_t hi = !exact ? 0 : span < 0x1p64 ? (uint64_t)span : UINT64_MAX;
    for (int i = 0; i < n; i++) {
        double v = (double)from[i];
        to[i] = (uint16_t)(exact       ? (from[i] >= hi ? max : scale_integer(from[i], hi, max))
                           : span == 0 ? (v > lo ? max : 0)
                                       : round_saturated((v - lo) * max / span, max));
    }
}

static void convert_map(const block *b, bool words, double lo, double hi, uint16_t max, int n,
                        uint16_t *to)
{
    if (words) {
        map_words(lo, hi - lo, max, n, b->u, to);
    } else {
        SATF_ISA_CHOOSE(&io_kernels)->map(lo, hi - lo, max, n, b->f, to);
    }
}

/* Watches the extremes of channels 0 ... colour - 1. */
static void watch(const block *b, bool words, int n, int colour, int channels, io_extremes *seen)
{
    double least = seen->least, most = seen->most;
    for (int p = 0; p < n; p += channels) {
        for (int i = p; i < p + colour; i++) {
            double x = words ? (double)b->u[i] : b->f[i];
            least = x < least && x >= -DBL_MAX ? x : least;
            most = x > most && x <= DBL_MAX ? x : most;
        }
    }
    *seen = (io_extremes){least, most};
}

/* Samples in an image form; seen may be NULL. */
static void convert_form(const io_plan *plan, int kept, const char *src, char *dst, int pixels,
                         io_extremes *seen)
{
    block b;
    uint16_t made[BLOCK], alpha[BLOCK];
    int n = pixels * kept, colour = kept - ((plan->out.flags & SATF_ALPHA) ? 1 : 0);
    uint16_t max = (uint16_t)satf_full_scale(&plan->out);
    bool words = plan->in.type == SATF_U64;
    convert_load(plan->in.type, src, plan->in.channels, kept, pixels, &b);
    if (seen) {
        watch(&b, words, n, colour, kept, seen);
    }
    convert_map(&b, words, plan->lo, plan->hi, max, n, made);
    if (colour < kept) {
        convert_map(&b, words, 0, plan->alpha_max, max, n, alpha);
    }
    for (int i = colour; colour < kept && i < n; i += kept) {
        made[i] = alpha[i];
    }
    if (plan->out.type == SATF_U16) {
        memcpy(dst, made, (size_t)n * sizeof *made);
        return;
    }
    for (int i = 0; i < n; i++) {
        dst[i] = (char)made[i];
    }
}

/* Integers of 64 bits, in u, that keep their values where doubles do not hold them. */
static void store_wide(int in, int out, const block *from, int n, char *d)
{
    bool has_sign = in == SATF_I64;
    for (int i = 0; i < n; i++) {
        uint64_t v = from->u[i];
        float f = has_sign ? (float)(int64_t)v : (float)v;
        v = v <= INT64_MAX || in == out ? v : has_sign ? 0 : INT64_MAX;
        memcpy(d + i * adapt_bytes(out), out == SATF_F32 ? (void *)&f : (void *)&v,
               (size_t)adapt_bytes(out));
    }
}

#define STORE(type)                                              \
    case type:                                                   \
        for (int i = 0; i < n; i++) {                            \
            adapt_put(type, from[i], d + i * adapt_bytes(type)); \
        }                                                        \
        break;

static void store_doubles(int type, const double *from, int n, char *d)
{
    switch (type) {
        CONVERT_TYPES(STORE)
        STORE(SATF_U64)
    default:
        break;
    }
}

/* Samples that keep their values. */
static void convert_values(const io_plan *plan, int kept, const char *src, char *dst, int pixels)
{
    block b;
    int n = pixels * kept, in = plan->in.type, out = plan->out.type;
    bool wide = in == SATF_U64 || in == SATF_I64;
    if (wide && (out == SATF_U64 || out == SATF_I64 || out == SATF_F32)) {
        convert_load(SATF_U64, src, plan->in.channels, kept, pixels, &b);
        store_wide(in, out, &b, n, dst);
        return;
    }
    convert_load(in, src, plan->in.channels, kept, pixels, &b);
    double least = adapt_least(out), most = plan->out_hi > 0 ? plan->out_hi : adapt_most(out);
    for (int i = 0; i < n; i++) {
        double value = in == SATF_U64 ? (double)b.u[i] : b.f[i];
        b.f[i] = adapt_is_float(out) ? value : adapt_rounded(value, least, most);
    }
    store_doubles(out, b.f, n, dst);
}

/* Samples of grey, which lie at the start of the row, become pixels of three, in place. */
static void spread_grey(char *row, size_t sample_bytes, int pixels)
{
    for (size_t x = (size_t)pixels; x-- > 0;) {
        if (sample_bytes == 1) {
            memset(row + 3 * x, row[x], 3);
        } else {
            uint16_t v = (uint16_t)io_load(row + 2 * x, 2), three[3] = {v, v, v};
            memcpy(row + 6 * x, three, sizeof three);
        }
    }
}

/* No sample may lie above a maxval, or readers refuse the file. */
bool io_plan_copies(const io_plan *plan)
{
    double max = (double)satf_type_max(plan->out.type);
    return plan->how == IO_IDENTITY && !plan->drop_alpha && !plan->spread &&
           (plan->out_hi == 0 || plan->out_hi == max);
}

void io_convert(const io_plan *plan, const void *src, void *dst, int64_t pixels, io_extremes *seen)
{
    size_t in_bytes = (size_t)plan->in.channels * satf_type_bytes(plan->in.type);
    size_t out_bytes = (size_t)plan->out.channels * satf_type_bytes(plan->out.type);
    if (io_plan_copies(plan)) {
        memcpy(dst, src, (size_t)pixels * in_bytes);
        return;
    }
    const int64_t step = BLOCK / SATF_MAX_CHANNELS;
    int kept = plan->spread ? 1 : plan->out.channels;
    for (int64_t x = 0; x < pixels; x += step) {
        int64_t some = pixels - x < step ? pixels - x : step;
        char *to = (char *)dst + (size_t)x * out_bytes;
        const char *from = (const char *)src + (size_t)x * in_bytes;
        if (plan->how == IO_IMAGE_FORM) {
            convert_form(plan, kept, from, to, (int)some, seen);
        } else {
            convert_values(plan, kept, from, to, (int)some);
        }
        if (plan->spread) {
            spread_grey(to, satf_type_bytes(plan->out.type), (int)some);
        }
    }
}

bool io_row_is_opaque(const io_plan *plan, const char *row)
{
    int channels = plan->in.channels;
    size_t pixel = (size_t)channels * satf_type_bytes(plan->in.type);
    size_t last = pixel - satf_type_bytes(plan->in.type);
    bool words = plan->in.type == SATF_U64, floats = satf_type_is_float(plan->in.type);
    uint64_t opaque = round_saturated(plan->alpha_max, UINT64_MAX);
    double least = floats ? plan->alpha_max : (double)opaque;
    for (int64_t x = 0; x < plan->in.width; x++) {
        block b;
        convert_load(plan->in.type, row + (size_t)x * pixel + last, 1, 1, 1, &b);
        if (words ? b.u[0] < opaque : !(b.f[0] >= least)) {
            return false;
        }
    }
    return true;
}
