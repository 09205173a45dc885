/* The loops of adapt_rows.h. The library is built with one copy for each instruction set. */
#include "adapt_rows.h"

#include <stddef.h>

#include "../base/cpu.h"

/* X(NAME, name, Type): the types of samples but for halves. */
#define TYPES(X)          \
    X(U8, u8, uint8_t)    \
    X(U16, u16, uint16_t) \
    X(U32, u32, uint32_t) \
    X(U64, u64, uint64_t) \
    X(I8, i8, int8_t)     \
    X(I16, i16, int16_t)  \
    X(I32, i32, int32_t)  \
    X(I64, i64, int64_t)  \
    X(F32, f32, float)    \
    X(F64, f64, double)

/* Samples may lie anywhere. */
#define ANY(NAME, name, Type) typedef Type __attribute__((aligned(1), may_alias)) any_##name;
TYPES(ANY)

enum { PIXELS = 256 }; /* worked on at a time, of up to 4 channels and a lane of weights */

/* ------------------------------------------------------------------ loads of samples */

#define LOAD(From, To, value)                \
    do {                                     \
        const any_##From *restrict s = from; \
        any_##To *restrict d = to;           \
        for (int64_t i = 0; i < n; i++) {    \
            d[i] = (any_##To)(value);        \
        }                                    \
    } while (0)

static void load_reals(int type, int64_t n, const void *from, double *to)
{
#define LOAD_CASE(NAME, name, Type) \
    case SATF_##NAME:               \
        LOAD(name, f64, s[i]);      \
        break;
    switch (type) {
        TYPES(LOAD_CASE)
    case SATF_F16:
        LOAD(u16, f64, half_number(0, s[i]));
        break;
    default:
        LOAD(u16, f64, half_number(1, s[i]));
    }
}

/* n samples as the engines' type. Those that lose their sign get half of their range as offset. */
static void load_samples(const row_adapter *a, int64_t n, const void *from, void *to)
{
    if (a->from == a->to) {
        memcpy(to, from, (size_t)n * (size_t)adapt_bytes(a->to));
    } else if (a->to == SATF_U8) {
        LOAD(u8, u8, s[i] ^ 0x80);
    } else if (a->to == SATF_U16) {
        LOAD(u16, u16, s[i] ^ 0x8000);
    } else if (a->to == SATF_F64) {
        load_reals(a->from, n, from, to);
    } else if (a->from == SATF_F16) {
        LOAD(u16, f32, half_number(0, s[i]));
    } else {
        LOAD(u16, f32, half_number(1, s[i]));
    }
}

/* ------------------------------------------------------------------ what counts */

/* Callers name the channels by constants. s: samples of the engines' type. */
#define WEIGH_LOOP(T, channels, lanes, alpha)                                                      \
    for (int64_t x = 0; x < n; x++) {                                                              \
        const any_##T *p = s + x * (channels);                                                     \
        any_##T *q = d + x * (lanes);                                                              \
        bool counts = !w || w[x] != 0;                                                             \
        for (int c = 0; c < (channels) - (alpha); c++) {                                           \
            counts = counts & (p[c] != nodata) & ((p[c] == p[c]) | !omits);                        \
        }                                                                                          \
        any_##T weighs = counts ? (w ? w[x] : whole) : 0;                                          \
        for (int c = 0; c < (channels) - (alpha); c++) {                                           \
            q[c] = counts ? p[c] : 0;                                                              \
        }                                                                                          \
        if ((lanes) > (channels)) {                                                                \
            q[channels] = weighs;                                                                  \
        }                                                                                          \
        if (alpha) {                                                                               \
            any_##T own = p[(channels)-1];                                                         \
            q[(channels)-1] = (any_##T)adapt_weight(a, (double)weighs, own > 0 ? (double)own : 0); \
        }                                                                                          \
    }

/* Without `nodata`, floats are compared with NAN, integers with `none`, which their type lacks: no
 * sample is equal to it. */
#define WEIGH(T, Compared, none)                                                                   \
    static void weigh_##T(const row_adapter *a, int64_t n, const void *from, const void *weights,  \
                          void *to)                                                                \
    {                                                                                              \
        const any_##T *restrict s = from, *restrict w = weights;                                   \
        any_##T *restrict d = to;                                                                  \
        const Compared nodata = a->nodata == a->nodata ? (Compared)(a->nodata + a->zero) : (none); \
        const any_##T whole = (any_##T)a->whole;                                                   \
        const bool omits = a->omits_nan;                                                           \
        if (a->channels == 1 && a->lanes == 2) {                                                   \
            WEIGH_LOOP(T, 1, 2, 0)                                                                 \
        } else if (a->channels == 1) {                                                             \
            WEIGH_LOOP(T, 1, 1, 0)                                                                 \
        } else if (a->channels == 2) {                                                             \
            WEIGH_LOOP(T, 2, a->lanes, a->alpha)                                                   \
        } else if (a->channels == 3) {                                                             \
            WEIGH_LOOP(T, 3, a->lanes, a->alpha)                                                   \
        } else {                                                                                   \
            WEIGH_LOOP(T, 4, a->lanes, a->alpha)                                                   \
        }                                                                                          \
    }

WEIGH(u8, int32_t, -1)
WEIGH(u16, int32_t, -1)
WEIGH(f32, float, NAN)
WEIGH(f64, double, NAN)

static void weigh(const row_adapter *a, int64_t n, const void *from, const void *weights, void *to)
{
    if (a->to == SATF_U8) {
        weigh_u8(a, n, from, weights, to);
    } else if (a->to == SATF_U16) {
        weigh_u16(a, n, from, weights, to);
    } else if (a->to == SATF_F32) {
        weigh_f32(a, n, from, weights, to);
    } else {
        weigh_f64(a, n, from, weights, to);
    }
}

/* Whether the lanes are the samples, but for their type. */
static bool loads_all(const row_adapter *a)
{
    return !a->weighs && !a->omits_nan && a->nodata != a->nodata && a->lanes == a->channels &&
           !a->alpha;
}

static void load_lanes(const row_adapter *a, int64_t pixels, const char *from, const char *weights,
                       char *to)
{
    int64_t bytes = a->channels * adapt_bytes(a->from), to_bytes = a->lanes * adapt_bytes(a->to);
    int64_t weight = weights ? adapt_bytes(a->to) : 0;
    if (loads_all(a)) {
        load_samples(a, pixels * a->channels, from, to);
        return;
    }
    for (int64_t x = 0, n; x < pixels; x += n) {
        double samples[PIXELS * 4];
        n = pixels - x < PIXELS ? pixels - x : PIXELS;
        if (a->sums && a->weighs) {
            for (int64_t i = x; i < x + n; i++) {
                adapt_load_pixel(a, from + i * bytes, weights + i * weight, to + i * to_bytes);
            }
            continue;
        }
        const char *piece = from + x * bytes;
        if (a->from != a->to) {
            load_samples(a, n * a->channels, piece, samples);
            piece = (const char *)samples;
        }
        weigh(a, n, piece, weights ? weights + x * weight : NULL, to + x * to_bytes);
    }
}

/* ------------------------------------------------------------------ grey */

/* Pixels of 3 or 4 lanes to grey; if `made` is 2, the last lane, behind the colour, stays.
 * Constants are what compilers make good loops of. */
#define GREY_LOOP(lanes, made, Grey, of)                                                          \
    for (int64_t x = 0; x < n; x++) {                                                             \
        d[(made)*x] = (any_##Grey)of(s[(lanes)*x], s[(lanes)*x + 1], s[(lanes)*x + 2]);           \
        d[(made)*x + (made)-1] = (made) > 1 ? (any_##Grey)s[(lanes)*x + (lanes)-1] : d[(made)*x]; \
    }

#define GREY(Type, Grey, of)                 \
    do {                                     \
        const any_##Type *restrict s = from; \
        any_##Grey *restrict d = to;         \
        if (lanes == 3) {                    \
            GREY_LOOP(3, 1, Grey, of)        \
        } else {                             \
            GREY_LOOP(4, 2, Grey, of)        \
        }                                    \
    } while (0)

#define GREY_CASE(NAME, name, Grey, of) \
    case SATF_##NAME:                   \
        GREY(name, Grey, of);           \
        break;

static void make_grey(int type, int lanes, int64_t n, const void *from, void *to)
{
    switch (type) {
        GREY_CASE(U8, u8, u8, grey_of_integers)
        GREY_CASE(U16, u16, u16, grey_of_integers)
        GREY_CASE(U32, u32, u32, grey_of_wide)
        GREY_CASE(U64, u64, u64, grey_of_wide)
        GREY_CASE(F32, f32, f64, grey_of_reals)
        GREY_CASE(F64, f64, f64, grey_of_reals)
    }
}

static void load_row(const row_adapter *a, int64_t pixels, const char *from, const char *weights,
                     char *to)
{
    int64_t bytes = a->channels * adapt_bytes(a->from), weight = adapt_bytes(a->to);
    int64_t made = (a->lanes - 2) * adapt_bytes(adapt_made(a));
    if (!a->grey) {
        load_lanes(a, pixels, from, weights, to);
    } else if (a->from == a->to && loads_all(a)) {
        make_grey(a->to, a->lanes, pixels, from, to);
    } else {
        for (int64_t x = 0, n; x < pixels; x += n) {
            double lanes[PIXELS * 4];
            n = pixels - x < PIXELS ? pixels - x : PIXELS;
            load_lanes(a, n, from + x * bytes, weights ? weights + x * weight : NULL,
                       (char *)lanes);
            make_grey(a->to, a->lanes, n, lanes, to + x * made);
        }
    }
}

/* ------------------------------------------------------------------ results */

#define STORE_CASE(NAME, name, Word)                                      \
    case SATF_##NAME: {                                                   \
        any_##name *restrict d = to;                                      \
        for (int64_t i = 0; i < n; i++) {                                 \
            d[i] = (any_##name)(Word)adapt_rounded(from[i], least, most); \
        }                                                                 \
        break;                                                            \
    }

/* Stores values as samples, integers within least ... most; those of 64 bits one by one. */
static void store_reals(int type, int64_t n, const double *restrict from, double least, double most,
                        void *to)
{
    switch (type) {
        STORE_CASE(U8, u8, int32_t)
        STORE_CASE(I8, i8, int32_t)
        STORE_CASE(U16, u16, int32_t)
        STORE_CASE(I16, i16, int32_t)
        STORE_CASE(U32, u32, int64_t)
        STORE_CASE(I32, i32, int32_t)
    case SATF_F32:
        LOAD(f64, f32, s[i]);
        break;
    case SATF_F64:
        memcpy(to, from, (size_t)n * sizeof *from);
        break;
    case SATF_F16:
        LOAD(f64, u16, half_nearest(0, s[i]));
        break;
    case SATF_BF16:
        LOAD(f64, u16, half_nearest(1, s[i]));
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            adapt_put(type, adapt_rounded(from[i], least, most), (char *)to + 8 * i);
        }
    }
}

/* counts[x] = whether lane `at` of pixel x is not 0, or, with `any`, one of its lanes. */
#define COUNT(T)                                     \
    do {                                             \
        const any_##T *restrict s = from;            \
        for (int64_t x = 0; x < n; x++) {            \
            bool is = s[x * lanes + at] != 0;        \
            for (int c = 0; any && c < lanes; c++) { \
                is = is | (s[x * lanes + c] != 0);   \
            }                                        \
            counts[x] = is;                          \
        }                                            \
    } while (0)

static void find_counts(int type, int64_t n, const void *from, int lanes, int at, bool any,
                        uint8_t *restrict counts)
{
    if (type == SATF_U8) {
        COUNT(u8);
    } else if (type == SATF_U16) {
        COUNT(u16);
    } else if (type == SATF_F32) {
        COUNT(f32);
    } else {
        COUNT(f64);
    }
}

/* Whether the result's own lanes say which pixels count. */
static inline bool by_lanes(adapt_rule rule)
{
    return rule == ADAPT_OWN_LANE || rule == ADAPT_ANY_LANE;
}

/* Whether pixel x counts, as `counts` or its lanes say. */
#define PIXEL_COUNTS(Word)                                                                  \
    Word is = rule == ADAPT_BESIDE ? counts[x] : rule == ADAPT_ALL;                         \
    for (int c = rule == ADAPT_OWN_LANE ? channels : 0; by_lanes(rule) && c < lanes; c++) { \
        is = is | (s[x * lanes + c] != 0);                                                  \
    }

/* Results of the engines' width, which need no rounding. */
#define NARROW(From, To, Word)                                                         \
    do {                                                                               \
        const any_##From *restrict s = from;                                           \
        any_##To *restrict d = to;                                                     \
        const Word zero = (Word)a->zero, least = (Word)a->least, most = (Word)a->most; \
        const any_##To missing = (any_##To)a->missing;                                 \
        for (int64_t x = 0; x < n; x++) {                                              \
            PIXEL_COUNTS(Word)                                                         \
            for (int c = 0; c < channels; c++) {                                       \
                Word v = (Word)s[x * lanes + c] - zero;                                \
                v = v < least ? least : v > most ? most : v;                           \
                d[x * channels + c] = is ? (any_##To)v : missing;                      \
            }                                                                          \
        }                                                                              \
    } while (0)

#define SAME(T)                                                        \
    do {                                                               \
        const any_##T *restrict s = from;                              \
        any_##T *restrict d = to;                                      \
        const any_##T missing = (any_##T)a->missing;                   \
        for (int64_t x = 0; x < n; x++) {                              \
            PIXEL_COUNTS(bool)                                         \
            for (int c = 0; c < channels; c++) {                       \
                d[x * channels + c] = is ? s[x * lanes + c] : missing; \
            }                                                          \
        }                                                              \
    } while (0)

/* Callers name lanes, channels and the rule by constants where that pays. */
static inline __attribute__((always_inline)) bool
narrow_of(const row_adapter *a, int64_t n, const void *from, const int lanes, const int channels,
          const adapt_rule rule, const uint8_t *counts, void *to)
{
    if (a->from == SATF_U8 && a->to == SATF_U8) {
        NARROW(u8, u8, int32_t);
    } else if (a->from == SATF_U8 && a->to == SATF_I8) {
        NARROW(u8, i8, int32_t);
    } else if (a->from == SATF_U16 && a->to == SATF_U16) {
        NARROW(u16, u16, int32_t);
    } else if (a->from == SATF_U16 && a->to == SATF_I16) {
        NARROW(u16, i16, int32_t);
    } else if (a->from == SATF_F32 && a->to == SATF_F32) {
        SAME(f32);
    } else if (a->from == SATF_F64 && a->to == SATF_F64 && a->zero == 0) {
        SAME(f64);
    } else {
        return false;
    }
    return true;
}

/* Stores samples that only lose their offset; false if these lose more. */
static bool store_shifted(const row_adapter *a, int64_t n, const void *from, void *to)
{
    bool whole = a->least == adapt_least(a->to) && a->most == adapt_most(a->to);
    bool words = a->from == SATF_U16 && a->to == SATF_I16;
    if (!whole || a->zero == 0 || !(words || (a->from == SATF_U8 && a->to == SATF_I8))) {
        return false;
    }
    if (words) {
        LOAD(u16, u16, s[i] ^ 0x8000);
    } else {
        LOAD(u8, u8, s[i] ^ 0x80);
    }
    return true;
}

static bool store_narrow(const row_adapter *a, int64_t n, const void *from, const uint8_t *counts,
                         void *to)
{
    int lanes = a->lanes, channels = a->channels;
    if (a->rule == ADAPT_ALL && lanes == channels && store_shifted(a, n * channels, from, to)) {
        return true;
    }
    return a->rule == ADAPT_ALL && lanes == channels
               ? narrow_of(a, n * channels, from, 1, 1, ADAPT_ALL, NULL, to)
           : a->rule == ADAPT_OWN_LANE && lanes == 2
               ? narrow_of(a, n, from, 2, 1, ADAPT_OWN_LANE, NULL, to)
           : a->rule == ADAPT_OWN_LANE && lanes == 4
               ? narrow_of(a, n, from, 4, 3, ADAPT_OWN_LANE, NULL, to)
           : a->rule == ADAPT_ANY_LANE && lanes == 2
               ? narrow_of(a, n, from, 2, 1, ADAPT_ANY_LANE, NULL, to)
           : a->rule == ADAPT_ANY_LANE && lanes == 4
               ? narrow_of(a, n, from, 4, 3, ADAPT_ANY_LANE, NULL, to)
               : narrow_of(a, n, from, lanes, channels, a->rule, counts, to);
}

static void store_wide(const row_adapter *a, int64_t n, const void *from, const uint8_t *counts,
                       char *to)
{
    double lanes[PIXELS * 5], values[PIXELS * 4];
    int bytes = adapt_bytes(a->to) * a->channels;
    load_reals(a->from, n * a->lanes, from, lanes);
    for (int64_t x = 0; x < n; x++) {
        for (int c = 0; c < a->channels; c++) {
            values[x * a->channels + c] = lanes[x * a->lanes + c] - a->zero;
        }
    }
    store_reals(a->to, n * a->channels, values, a->least, a->most, to);
    for (int64_t x = 0; counts && x < n; x++) {
        for (int c = 0; !counts[x] && c < a->channels; c++) {
            adapt_put(a->to, a->missing, to + x * bytes + c * adapt_bytes(a->to));
        }
    }
}

static void store_row(const row_adapter *a, int64_t pixels, const char *from, const char *beside,
                      int beside_type, char *to)
{
    int64_t bytes = a->lanes * adapt_bytes(a->from), to_bytes = a->channels * adapt_bytes(a->to);
    int64_t beside_bytes = a->beside * adapt_bytes(beside_type);
    bool beside_it = a->rule == ADAPT_BESIDE;
    for (int64_t x = 0, n; x < pixels; x += n) {
        uint8_t counts[PIXELS];
        const char *piece = from + x * bytes;
        n = pixels - x < PIXELS ? pixels - x : PIXELS;
        for (int64_t i = 0; a->divides && i < n; i++) {
            adapt_store_pixel(a, piece + i * bytes, NULL, 0, to + (x + i) * to_bytes);
        }
        if (a->divides) {
            continue;
        }
        if (beside_it) {
            find_counts(beside_type, n, beside + x * beside_bytes, a->beside, a->beside - 1, false,
                        counts);
        }
        if (!store_narrow(a, n, piece, counts, to + x * to_bytes)) {
            if (!beside_it && a->rule != ADAPT_ALL) {
                find_counts(a->from, n, piece, a->lanes, a->lanes - 1, a->rule == ADAPT_ANY_LANE,
                            counts);
            }
            store_wide(a, n, piece, a->rule == ADAPT_ALL ? NULL : counts, to + x * to_bytes);
        }
    }
}

static void adapt_row(const row_adapter *a, int64_t pixels, const void *from, const void *beside,
                      int beside_type, void *to)
{
    if (a->stores) {
        store_row(a, pixels, from, beside, beside_type, to);
    } else {
        load_row(a, pixels, from, a->weighs ? beside : NULL, to);
    }
}

static void convert(int type, int64_t n, const void *from, int to_type, void *to)
{
    int bytes = adapt_bytes(type), to_bytes = adapt_bytes(to_type);
    for (int64_t x = 0, m; x < n; x += m) {
        double values[PIXELS];
        m = n - x < PIXELS ? n - x : PIXELS;
        load_reals(type, m, (const char *)from + x * bytes, values);
        store_reals(to_type, m, values, adapt_least(to_type), adapt_most(to_type),
                    (char *)to + x * to_bytes);
    }
}

const adapt_kernels SATF_ISA_NAME(adapt_kernels) = {adapt_row, convert};
