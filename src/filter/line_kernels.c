/*
 * Passes along a line. Numbers of 8.8 bits are summed in 32, and weighed in float: every product,
 * sum and rounding is one of IEEE's, without contraction, so the bits are the same everywhere.
 */
#include "line_kernels.h"

#include <string.h>

#include "../base/stores.h"

/* Vectors of pairs of 16 bits: numbers at even places are the low halves, those at odd places the
 * high ones. */
enum { PLACES = VECTOR_BYTES / 2, PART = 512 };
typedef int32_t integers __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t pairs __attribute__((vector_size(VECTOR_BYTES)));
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef struct places {
    integers even, odd;
} places;

INLINE places load(const uint16_t *from)
{
    pairs v;
    memcpy(&v, from, sizeof v);
    return (places){(integers)(v & 0xffff), (integers)(v >> 16)};
}

INLINE void store(uint16_t *to, places v)
{
    pairs all = (pairs)v.even | (pairs)v.odd << 16;
    memcpy(to, &all, sizeof all);
}

/* The nearest integers of results 0 <= x < 2^16, halves to even. */
INLINE integers weigh_half(float inner, float outer, integers sums, integers ends)
{
    floats results = __builtin_convertvector(sums, floats) * inner +
                     __builtin_convertvector(ends, floats) * outer;
    return (integers)(results + 0x1p23f) & 0xffff;
}

INLINE places weigh_places(float inner, float outer, places sums, places a, places b)
{
    return (places){weigh_half(inner, outer, sums.even, a.even + b.even),
                    weigh_half(inner, outer, sums.odd, a.odd + b.odd)};
}

INLINE void slide(places *sums, places enters, places leaves)
{
    sums->even += enters.even - leaves.even;
    sums->odd += enters.odd - leaves.odd;
}

static void tick_part(float inner, float outer, const line_tick *tick, int64_t first, int64_t end)
{
    for (int64_t x = first; x < end; x += PLACES) {
        places v = load(tick->entering + x);
        for (int k = 0; k < tick->passes; k++) {
            const line_rows *row = &tick->of[k];
            places gone = load(row->leaving + x), sums;
            memcpy(&sums.even, row->sums + x, sizeof sums.even);
            memcpy(&sums.odd, row->sums + x + PLACES / 2, sizeof sums.odd);
            slide(&sums, load(row->before + x), gone);
            memcpy(row->sums + x, &sums.even, sizeof sums.even);
            memcpy(row->sums + x + PLACES / 2, &sums.odd, sizeof sums.odd);
            v = weigh_places(inner, outer, sums, v, gone);
            store(row->to + x, v);
        }
    }
}

/* By parts whose sums stay in the first level of cache. */
static void down(float inner, float outer, const line_tick *ticks, int count, int64_t n)
{
    for (int64_t x = 0; x < n; x += PART) {
        for (int t = 0; t < count; t++) {
            tick_part(inner, outer, &ticks[t], x, x + PART < n ? x + PART : n);
        }
    }
}

/* Some lines side by side. A result takes the place of the sample that leaves. */
INLINE void along_lanes(int64_t radius, float inner, float outer, uint16_t *line, int64_t n,
                        int64_t lanes)
{
    places sums = {{0}, {0}}, none = {{0}, {0}}, gone = load(line);
    int64_t out = 2 * radius + 2;
    for (int64_t x = 1; x < out; x++) {
        slide(&sums, load(line + x * lanes), none);
    }
    for (int64_t x = 0; x + out < n; x++, line += lanes) {
        places next = load(line + lanes), enters = load(line + out * lanes);
        store(line, weigh_places(inner, outer, sums, gone, enters));
        slide(&sums, enters, next);
        gone = next;
    }
}

static void along(int64_t radius, float inner, float outer, uint16_t *line, int64_t n,
                  int64_t lanes)
{
    for (int64_t lane = 0; lane < lanes; lane += PLACES) {
        along_lanes(radius, inner, outer, line + lane, n, lanes);
    }
}

static void narrow(const uint16_t *restrict from, uint8_t *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint8_t)((from[i] + 128) >> LINE_NARROW_BITS);
    }
}

static void widen(const uint8_t *restrict from, uint16_t *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint16_t)(from[i] << 8);
    }
}

INLINE int32_t rounded(double x, int32_t most)
{
    int32_t below = (int32_t)x, nearest = below + (x - below >= 0.5);
    return nearest < most ? nearest : most;
}

static void round_u8(const double *restrict from, uint8_t *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint8_t)rounded(from[i], UINT8_MAX);
    }
}

static void round_u16(const double *restrict from, void *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t sample = (uint16_t)rounded(from[i], UINT16_MAX);
        memcpy((char *)to + 2 * i, &sample, sizeof sample); /* it may lie anywhere */
    }
}

static void add(double *restrict sums, const double *restrict with, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        sums[i] += with[i];
    }
}

static void join(const double *restrict with, const double *restrict sums, double *restrict to,
                 int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = with[i] + sums[i];
    }
}

static void weigh(double inner, double outer, const double *restrict sums, const double *restrict a,
                  const double *restrict b, double *restrict to, int64_t n, bool rounds)
{
    if (rounds) {
        for (int64_t i = 0; i < n; i++) {
            to[i] = (sums[i] * inner + (a[i] + b[i]) * outer + 0x1.8p52) - 0x1.8p52;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        to[i] = sums[i] * inner + (a[i] + b[i]) * outer;
    }
}

const line_kernels SATF_ISA_NAME(line_kernels) = {
    .down = down,
    .along = along,
    .widen = widen,
    .narrow = narrow,
    .round_u8 = round_u8,
    .round_u16 = round_u16,
    .add = add,
    .join = join,
    .weigh = weigh,
};
