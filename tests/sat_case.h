/* Jobs for SAT rows: their images, and tables between guards. */
#ifndef SATF_TESTS_SAT_CASE_H
#define SATF_TESTS_SAT_CASE_H

#include "test.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/view.h"
#include "sat/sat.h"

enum { GUARD_BYTES = 192, GUARD = 0xA5 };

typedef enum pattern { RANDOM, ZEROS, MAXIMA, IMPULSE, PATTERNS } pattern;

/* How rows lie in memory: bytes of padding, upside down, bytes off alignment. */
typedef struct layout {
    int padding, negative, offset;
} layout;

static const layout layouts[] = {{0, 0, 0}, {64, 0, 0}, {7, 0, 1}, {0, 1, 3}, {13, 1, 16}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

typedef struct test_case {
    int type;
    satf_summand summand;
    satf_sum_type sum_type;
    bool f32_out;
    int channels;
    int64_t width, height;
    pattern pattern;
    unsigned seed;
    double r; /* of 1+r */
} test_case;

static inline int64_t case_samples(const test_case *t)
{
    return t->width * t->channels;
}

static inline size_t out_bytes(const test_case *t)
{
    return t->f32_out ? sizeof(float) : satf_sum_bytes(t->sum_type);
}

static inline void describe(const test_case *t, const char *row, const char *isa, int threads)
{
    static const char *const sums[] = {"u16", "u32", "u64", "u128", "f64"};
    print_error("row %s, isa %s, %d threads, %s summand %d to %s%s, %" PRId64 " x %" PRId64
                " x %d, pattern %d, seed %u: ",
                row, isa, threads, satf_type_name(t->type), (int)t->summand, sums[t->sum_type],
                t->f32_out ? " as f32" : "", t->width, t->height, t->channels, (int)t->pattern,
                t->seed);
}

/* ------------------------------------------------------------------- buffers */

typedef struct buffer {
    unsigned char *memory;
    char *row0;
    size_t bytes, row_bytes;
    int64_t stride, height;
} buffer;

/* Rows between guards; all of it GUARD at first. */
static inline buffer make_buffer(int64_t height, size_t row_bytes, const layout *l)
{
    buffer b = {.row_bytes = row_bytes, .height = height};
    int64_t pitch = (int64_t)row_bytes + l->padding;
    b.bytes = (size_t)(2 * GUARD_BYTES + l->offset + pitch * height);
    b.memory = satf_alloc(b.bytes);
    assert_non_null(b.memory);
    memset(b.memory, GUARD, b.bytes);
    b.row0 = (char *)b.memory + GUARD_BYTES + l->offset + (l->negative ? pitch * (height - 1) : 0);
    b.stride = l->negative ? -pitch : pitch;
    return b;
}

static const char *buffer_row(const buffer *b, int64_t y)
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

static inline void fill(const test_case *t, buffer *b)
{
    uint32_t state = t->seed * 2654435761u + 12345u;
    size_t bytes = satf_type_bytes(t->type);
    for (int64_t y = 0; y < t->height; y++) {
        for (int64_t i = 0; i < case_samples(t); i++) {
            bool impulse = y == t->height / 2 && i / t->channels == t->width / 2;
            uint32_t r = next_random(&state);
            double value = t->pattern == ZEROS     ? 0
                           : t->pattern == MAXIMA  ? 65535
                           : t->pattern == IMPULSE ? impulse
                                                   : (double)(r >> 8);
            uint8_t u8 = (uint8_t)(uint32_t)value;
            uint16_t u16 = (uint16_t)(uint32_t)value;
            double f64 = t->pattern == RANDOM ? value / 4099 - 2000 : value;
            float f32 = (float)f64;
            const void *sample = t->type == SATF_U8    ? (const void *)&u8
                                 : t->type == SATF_U16 ? (const void *)&u16
                                 : t->type == SATF_F32 ? (const void *)&f32
                                                       : (const void *)&f64;
            memcpy(b->row0 + y * b->stride + i * (int64_t)bytes, sample, bytes);
        }
    }
}

static inline sat_job make_job(const test_case *t, const buffer *in, const buffer *out)
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

#endif
