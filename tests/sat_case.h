/* Tables to build, on the CPU or on a device: their images, and tables between guards. */
#ifndef SATF_TESTS_SAT_CASE_H
#define SATF_TESTS_SAT_CASE_H

#include "test.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/view.h"
#include "sample.h"
#include "sat/sat.h"

enum { GUARD_BYTES = 256, GUARD = 0xA5 };

/* PATTERNS and those behind it: floats are whole numbers whose sums are exact, even as f32; one of
 * them is NaN, in the middle. IMPULSE is 1 there. */
typedef enum sat_pattern {
    RANDOM,
    ZEROS,
    MAXIMA,
    IMPULSE,
    PATTERNS,
    WHOLE = PATTERNS,
    WHOLE_MAXIMA,
    ONE_NAN
} sat_pattern;

/* How rows lie in memory: padding behind each and the start's distance from an aligned address,
 * both in samples and in bytes; upside down or not. */
typedef struct sat_layout {
    int padding_samples, padding_bytes, offset_samples, offset_bytes;
    bool negative;
} sat_layout;

/* Packed, whole samples off, odd bytes off, upside down. A prime: sizes that take turns meet them
 * all. */
static const sat_layout sat_layouts[] = {
    {0, 0, 0, 0, false},  {16, 0, 0, 0, false}, {1, 0, 1, 0, false},  {0, 1, 0, 0, false},
    {0, 7, 0, 3, false},  {3, 0, 2, 0, true},   {0, 5, 1, 2, true},   {0, 0, 0, 7, true},
    {32, 0, 16, 0, true}, {0, 0, 1, 0, false},  {0, 13, 0, 16, true},
};
enum { LAYOUTS = sizeof sat_layouts / sizeof *sat_layouts };

/* The types of samples and sums. Devices have the first. */
typedef struct sat_kind {
    int type;
    satf_sum_type sum_type;
    bool f32_out;
} sat_kind;

static const sat_kind sat_kinds[] = {
    {SATF_U8, SATF_SUM_U32, false},   {SATF_U8, SATF_SUM_U64, false},
    {SATF_U16, SATF_SUM_U32, false},  {SATF_U16, SATF_SUM_U64, false},
    {SATF_F32, SATF_SUM_F64, false},  {SATF_F32, SATF_SUM_F64, true},
    {SATF_F64, SATF_SUM_F64, false},  {SATF_U8, SATF_SUM_U128, false},
    {SATF_U16, SATF_SUM_U128, false},
};
enum { KINDS = sizeof sat_kinds / sizeof *sat_kinds, DEVICE_KINDS = 7 };

typedef struct sat_case {
    int type;
    satf_summand summand;
    satf_sum_type sum_type;
    bool f32_out;
    int channels;
    int64_t width, height;
    sat_pattern pattern;
    unsigned seed;
    double r; /* of 1+r */
} sat_case;

static inline int64_t case_samples(const sat_case *t)
{
    return t->width * t->channels;
}

static inline size_t out_bytes(const sat_case *t)
{
    return t->f32_out ? sizeof(float) : satf_sum_bytes(t->sum_type);
}

static inline void describe_case(const sat_case *t)
{
    static const char *const sums[] = {"u16", "u32", "u64", "u128", "f64"};
    print_error("%s summand %d to %s%s, %" PRId64 " x %" PRId64 " x %d, pattern %d, seed %u: ",
                satf_type_name(t->type), (int)t->summand, sums[t->sum_type],
                t->f32_out ? " as f32" : "", t->width, t->height, t->channels, (int)t->pattern,
                t->seed);
}

/* The algorithms of that kind of device, index 0, 1, ... until NULL. */
static inline const sat_algorithm *sat_row_at(const char *device_kind, size_t index)
{
    for (size_t i = 0; sat_algorithm_at(i); i++) {
        if (strcmp(sat_algorithm_at(i)->device_kind, device_kind) == 0 && index-- == 0) {
            return sat_algorithm_at(i);
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------- buffers */

typedef struct buffer {
    unsigned char *memory;
    char *row0;
    size_t bytes, row_bytes;
    int64_t stride, height;
} buffer;

/* Rows of so many samples between `guard` bytes; all of it GUARD at first. */
static inline buffer make_buffer(int64_t height, int64_t samples, size_t sample_bytes,
                                 const sat_layout *l, size_t guard)
{
    int64_t sample = (int64_t)sample_bytes, row = samples * sample;
    int64_t pitch = row + l->padding_samples * sample + l->padding_bytes;
    int64_t offset = l->offset_samples * sample + l->offset_bytes, last = pitch * (height - 1);
    buffer b = {.row_bytes = (size_t)row, .height = height};
    b.bytes = 2 * guard + (size_t)(offset + last + row); /* no padding behind the last row */
    b.memory = satf_alloc(b.bytes);
    assert_non_null(b.memory);
    memset(b.memory, GUARD, b.bytes);
    b.row0 = (char *)b.memory + (int64_t)guard + offset + (l->negative ? last : 0);
    b.stride = l->negative ? -pitch : pitch;
    return b;
}

static inline const char *buffer_row(const buffer *b, int64_t y)
{
    return b->row0 + y * b->stride;
}

/* True if every byte that belongs to no row is still GUARD. */
static inline bool guards_stand(const buffer *b)
{
    const unsigned char *at = b->memory;
    for (int64_t k = 0; k <= b->height; k++) {
        int64_t y = b->stride < 0 ? b->height - 1 - k : k; /* ascending addresses */
        const unsigned char *end =
            k < b->height ? (const unsigned char *)buffer_row(b, y) : b->memory + b->bytes;
        for (; at < end; at++) {
            if (*at != GUARD) {
                return false;
            }
        }
        at = end + b->row_bytes;
    }
    return true;
}

/* xorshift: the same everywhere */
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* The largest m with m^3 * n <= 2^24 (cubes: the weighted squares), 1 ... 15:
 * sums of n products of such numbers are exact in f32. */
static inline int exact_range(const sat_case *t)
{
    double m = floor(cbrt(0x1p24 / ((double)t->width * (double)t->height)));
    return m < 1 ? 1 : m > 15 ? 15 : (int)m;
}

/* most: exact_range(). */
static inline double sample_value(const sat_case *t, uint32_t random, bool middle, int most)
{
    bool floats = satf_type_is_float(t->type);
    switch (t->pattern) {
    case ZEROS:
        return 0;
    case IMPULSE:
        return middle;
    case MAXIMA:
        return 65535;
    case WHOLE_MAXIMA:
        return floats ? most : 65535;
    case RANDOM:
        return floats ? (double)(random >> 8) / 4099 - 2000 : (double)(random >> 8);
    default:
        return !floats ? (double)(random >> 8)
               : t->pattern == ONE_NAN && middle
                   ? (double)NAN
                   : (double)((random >> 8) % (2u * (unsigned)most + 1)) - most;
    }
}

static inline void fill(const sat_case *t, buffer *b)
{
    uint32_t state = t->seed * 2654435761u + 12345u;
    size_t bytes = satf_type_bytes(t->type);
    int most = exact_range(t);
    for (int64_t y = 0; y < t->height; y++) {
        for (int64_t i = 0; i < case_samples(t); i++) {
            bool middle = y == t->height / 2 && i / t->channels == t->width / 2;
            double f64 = sample_value(t, next_random(&state), middle, most);
            uint32_t integer = satf_type_is_float(t->type) ? 0 : (uint32_t)f64;
            uint8_t u8 = (uint8_t)integer;
            uint16_t u16 = (uint16_t)integer;
            float f32 = (float)f64;
            const void *sample = t->type == SATF_U8    ? (const void *)&u8
                                 : t->type == SATF_U16 ? (const void *)&u16
                                 : t->type == SATF_F32 ? (const void *)&f32
                                                       : (const void *)&f64;
            memcpy(b->row0 + y * b->stride + i * (int64_t)bytes, sample, bytes);
        }
    }
}

static inline sat_job make_job(const sat_case *t, const buffer *in, const buffer *out)
{
    return (sat_job){
        .in = {in->row0, t->width, t->height, in->stride, t->channels, t->type, SATF_HOST, 0, 0, 0},
        .summand = t->summand,
        .sum_type = t->sum_type,
        .f32_out = t->f32_out,
        .out = out->row0,
        .out_stride = out->stride,
    };
}

/* A sum of floats, as the case stores it. */
static inline double read_float(const sat_case *t, const char *at)
{
    return read_sample(t->f32_out ? SATF_F32 : SATF_F64, at);
}

/* Sample i of row y is wrong. */
static inline void fail_sum(const sat_case *t, int64_t i, int64_t y, const char *want,
                            const char *got, bool want_f64)
{
    uint64_t bits[2] = {0, 0};
    size_t bytes = out_bytes(t) < 8 ? out_bytes(t) : 8;
    sat_case wide = *t;
    wide.f32_out = t->f32_out && !want_f64;
    print_error("pixel (%" PRId64 ", %" PRId64 ") channel %d ", i / t->channels, y,
                (int)(i % t->channels));
    if (t->sum_type == SATF_SUM_F64) {
        fail_msg("is %.17g and should be %.17g", read_float(t, got), read_float(&wide, want));
    }
    memcpy(&bits[0], got, bytes);
    memcpy(&bits[1], want, bytes);
    fail_msg("is %" PRIu64 " and should be %" PRIu64, bits[0], bits[1]);
}

#endif
