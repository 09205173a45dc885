/* The range of values that occur in an image, whole or between two percentiles. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../formula/adapt.h"
#include "codec.h"

/* Samples as keys, unsigned integers of the same order: the radix search below is for these. */
enum { KEYS = 512, DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

/* The bits of a float, ordered: those of negative numbers all flipped, else the sign alone. */
static uint64_t float_key(uint64_t bits, uint64_t sign)
{
    return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static uint64_t float_bits(uint64_t key, uint64_t sign)
{
    return key & sign ? key & ~sign : ~key & (sign | (sign - 1));
}

/* The highest bit of samples of that type. */
static uint64_t sign_of(int type)
{
    return UINT64_C(1) << (8 * adapt_bytes(type) - 1);
}

static uint64_t key_of(int type, uint64_t bits)
{
    uint64_t sign = sign_of(type);
    return satf_type_is_float(type)    ? float_key(bits, sign)
           : satf_type_is_signed(type) ? bits ^ sign
                                       : bits;
}

static uint64_t load_key(int type, const char *at)
{
    switch (adapt_bytes(type)) {
    case 1:
        return key_of(type, io_load(at, 1));
    case 2:
        return key_of(type, io_load(at, 2));
    case 4:
        return key_of(type, io_load(at, 4));
    default:
        return key_of(type, io_load(at, 8));
    }
}

static double key_value(int type, uint64_t key)
{
    uint64_t sign = sign_of(type);
    uint64_t bits = satf_type_is_float(type)    ? float_bits(key, sign)
                    : satf_type_is_signed(type) ? key ^ sign
                                                : key;
    char sample[8];
    io_store(sample, bits, (size_t)adapt_bytes(type));
    return adapt_load(type, sample) + 0.0; /* -0 is 0 */
}

/* The keys of finite values. Keys outside these are infinite or NaN. */
static void finite_keys(int type, uint64_t *least, uint64_t *most)
{
    *least = 0;
    *most = UINT64_MAX;
    if (satf_type_is_float(type)) {
        uint64_t bits = type == SATF_F16    ? 0x7bff
                        : type == SATF_BF16 ? 0x7f7f
                        : type == SATF_F32  ? 0x7f7fffff
                                            : UINT64_C(0x7fefffffffffffff);
        *least = key_of(type, bits | sign_of(type));
        *most = key_of(type, bits);
    }
}

/* Calls visit(user, keys, count) for the finite colour samples of the picture, some at a time. */
static satf_status visit_keys(satf_context *ctx, const satf_view *v,
                              void (*visit)(void *, const uint64_t *, int), void *user)
{
    satf_status status = SATF_OK;
    uint64_t keys[KEYS], least, most;
    int channels = v->channels, colour = channels - ((v->flags & SATF_ALPHA) ? 1 : 0), count = 0;
    size_t sample = satf_type_bytes(v->type);
    finite_keys(v->type, &least, &most);
    for (int64_t y = 0; y < v->height && !status; y++) {
        const char *at = satf_row(v, y);
        for (int64_t x = 0; x < v->width; x++, at += satf_pixel_stride(v)) {
            for (int c = 0; c < colour; c++) {
                uint64_t key = load_key(v->type, at + (size_t)c * sample);
                keys[count] = key;
                count += key >= least && key <= most;
            }
            if (count > KEYS - SATF_MAX_CHANNELS) {
                visit(user, keys, count);
                count = 0;
            }
        }
        status = satf_tick(ctx);
    }
    visit(user, keys, count);
    return status;
}

/* ------------------------------------------------------------ all that occurs */

typedef struct extremes {
    uint64_t least, most; /* least > most: there is none */
} extremes;

static void visit_extremes(void *user, const uint64_t *keys, int count)
{
    extremes *e = user;
    for (int i = 0; i < count; i++) {
        e->least = keys[i] < e->least ? keys[i] : e->least;
        e->most = keys[i] > e->most ? keys[i] : e->most;
    }
}

/* ---------------------------------------------------------------- percentiles */

/*
 * The two keys of given ranks, found digit by digit from the highest on: a pass over the picture
 * counts the next digits of those keys that begin like the one that is looked for. So it is exact
 * in two histograms, whatever the picture's size.
 */
typedef struct search {
    int shift;           /* of the digit that is counted */
    uint64_t prefix[2];  /* the digits that are found */
    uint64_t *counts[2]; /* DIGITS each */
} search;

static void visit_digits(void *user, const uint64_t *keys, int count)
{
    search *s = user;
    for (int side = 0; side < 2; side++) {
        uint64_t *counts = s->counts[side], prefix = s->prefix[side];
        for (int i = 0; i < count; i++) {
            if (keys[i] >> s->shift >> DIGIT_BITS == prefix) { /* 64 bits cannot go at once */
                counts[keys[i] >> s->shift & (DIGITS - 1)]++;
            }
        }
    }
}

/* The digit of the key of that rank, which becomes its rank among those of the same digit. */
static uint64_t find_digit(const uint64_t *counts, uint64_t *rank)
{
    uint64_t digit = 0;
    while (*rank >= counts[digit]) {
        *rank -= counts[digit++];
    }
    return digit;
}

/*
 * Of n sorted samples v[0] ... v[n - 1] the P-th percentile is v[k] for k = floor(P (n - 1) / 100),
 * and the (100 - P)-th is v[n - 1 - k]. So at most P percent lie below the one, and as many above
 * the other.
 */
static uint64_t rank_of(double percent, uint64_t n)
{
    return (uint64_t)floor(percent * (double)(n - 1) / 100);
}

/* *found stays as it is if there is no finite sample. */
static satf_status find_percentiles(satf_context *ctx, const satf_view *v, double percent,
                                    uint64_t *counts, extremes *found)
{
    search s = {.counts = {counts, counts + DIGITS}};
    uint64_t rank[2] = {0, 0};
    size_t bytes = satf_type_bytes(v->type);
    int first = bytes <= 2 ? 0 : (int)(8 * bytes) - DIGIT_BITS;
    for (s.shift = first; s.shift >= 0; s.shift -= DIGIT_BITS) {
        memset(counts, 0, 2 * DIGITS * sizeof *counts);
        satf_status status = visit_keys(ctx, v, visit_digits, &s);
        if (status) {
            return status;
        }
        if (s.shift == first) {
            uint64_t n = 0;
            for (int i = 0; i < DIGITS; i++) {
                n += counts[i];
            }
            if (n == 0) {
                return SATF_OK;
            }
            rank[0] = rank_of(percent, n);
            rank[1] = n - 1 - rank[0];
        }
        for (int side = 0; side < 2; side++) {
            s.prefix[side] = s.prefix[side] << DIGIT_BITS | find_digit(s.counts[side], &rank[side]);
        }
    }
    *found = (extremes){s.prefix[0], s.prefix[1]};
    return SATF_OK;
}

satf_status io_find_range(satf_context *ctx, const satf_view *pixels, double clip_percent,
                          io_plan *plan)
{
    if (!plan->find_range) {
        return SATF_OK;
    }
    extremes found = {UINT64_MAX, 0};
    satf_status status;
    if (clip_percent > 0) {
        size_t bytes = 2 * DIGITS * sizeof(uint64_t);
        uint64_t *counts = satf_alloc(bytes);
        if (!counts) {
            return satf_fail_memory(ctx, bytes, "the percentiles");
        }
        status = find_percentiles(ctx, pixels, clip_percent, counts, &found);
        satf_free(counts);
    } else {
        status = visit_keys(ctx, pixels, visit_extremes, &found);
    }
    if (status) {
        return status;
    }
    if (found.least > found.most) {
        return satf_fail(ctx, SATF_INVALID,
                         "no sample is finite, so there is no range to find; write .npy");
    }
    double lo = key_value(pixels->type, found.least), hi = key_value(pixels->type, found.most);
    if (!isfinite((hi - lo) * UINT16_MAX)) { /* as the image form computes */
        return satf_fail(ctx, SATF_INVALID, "the values that occur, %g:%g, are too far apart; %s",
                         lo, hi, "write .npy, or name LO:HI (option: range)");
    }
    plan->lo = lo;
    plan->hi = hi;
    plan->find_range = false;
    return SATF_OK;
}
