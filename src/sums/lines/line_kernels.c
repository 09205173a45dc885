/*
 * Passes along lines. Numbers of 8.8 bits are summed in 32 bits, and weighed in float, others in
 * double: every product, sum and rounding is one of IEEE's, without contraction, so the bits are
 * the same everywhere. Sums of whole numbers are exact, so they slide.
 */
#include "line_kernels.h"

#include <string.h>

#include "../../base/stores.h"

typedef double reals __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t integers __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t pairs __attribute__((vector_size(VECTOR_BYTES)));
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));

/* Numbers of 16 bits, widened in pairs: those at even places are the low halves, those at odd
 * places the high ones. */
typedef struct places {
    integers even, odd;
} places;

INLINE places load_narrow(const char *from)
{
    pairs v;
    memcpy(&v, from, sizeof v);
    return (places){(integers)(v & 0xffff), (integers)(v >> 16)};
}

INLINE void store_narrow(char *to, places v)
{
    pairs all = (pairs)v.even | (pairs)v.odd << 16;
    memcpy(to, &all, sizeof all);
}

INLINE places plus_narrow(places a, places b)
{
    return (places){a.even + b.even, a.odd + b.odd};
}

INLINE places minus_narrow(places a, places b)
{
    return (places){a.even - b.even, a.odd - b.odd};
}

/* Slides in the fewest operations. */
INLINE places slide_narrow(places sums, places leaves, places enters)
{
    return plus_narrow(minus_narrow(sums, leaves), enters);
}

/* The nearest integers of results 0 <= x < 2^16, halves to even. */
INLINE integers weigh_half(float inner, float outer, integers sums, integers ends)
{
    floats results = __builtin_convertvector(sums, floats) * inner +
                     __builtin_convertvector(ends, floats) * outer;
    return (integers)(results + 0x1p23f) & 0xffff;
}

INLINE places weigh_narrow(const filter_lines *w, places sums, places ends)
{
    float inner = (float)w->inner, outer = (float)w->outer;
    return (places){weigh_half(inner, outer, sums.even, ends.even),
                    weigh_half(inner, outer, sums.odd, ends.odd)};
}

INLINE reals load_whole(const char *from)
{
    reals v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store_whole(char *to, reals v)
{
    memcpy(to, &v, sizeof v);
}

INLINE reals plus_whole(reals a, reals b)
{
    return a + b;
}

INLINE reals minus_whole(reals a, reals b)
{
    return a - b;
}

/* Slides in the shortest chain of operations. */
INLINE reals slide_whole(reals sums, reals leaves, reals enters)
{
    return sums + (enters - leaves);
}

INLINE reals weigh_real(const filter_lines *w, reals sums, reals ends)
{
    return sums * w->inner + ends * w->outer;
}

INLINE reals weigh_whole(const filter_lines *w, reals sums, reals ends)
{
    return (weigh_real(w, sums, ends) + 0x1.8p52) - 0x1.8p52;
}

/* Down: a part of a row, by all passes, whose sums stay in the first level of cache. Along: vectors
 * of lines side by side; a result takes the place of the number that leaves. */
#define WHOLE(kind, V)                                                                            \
    INLINE void down_part_##kind(filter_lines w, size_t row_bytes, const line_tick *tick,         \
                                 size_t first, size_t end)                                        \
    {                                                                                             \
        size_t sums_at = (size_t)span_of(&w) * row_bytes;                                         \
        for (size_t x = first; x < end; x += VECTOR_BYTES) {                                      \
            V v = load_##kind(tick->entering + x), sums;                                          \
            for (int k = 0; k < tick->passes; k++) {                                              \
                const line_rows *row = &tick->of[k];                                              \
                char *sums_of = row->ring + sums_at + x * (sizeof(V) / VECTOR_BYTES);             \
                char *kept = row->ring + row->place * row_bytes + x;                              \
                V gone = load_##kind(kept);                                                       \
                store_##kind(kept, v);                                                            \
                memcpy(&sums, sums_of, sizeof sums);                                              \
                V inside = minus_##kind(sums, gone), all = plus_##kind(inside, v);                \
                memcpy(sums_of, &all, sizeof all);                                                \
                v = weigh_##kind(&w, inside, plus_##kind(gone, v));                               \
            }                                                                                     \
            store_##kind(tick->to + x, v);                                                        \
        }                                                                                         \
    }                                                                                             \
    static void along_##kind(const filter_lines *lines, char *line, int64_t n, size_t line_bytes, \
                             int64_t first, char *ends)                                           \
    {                                                                                             \
        filter_lines w = *lines;                                                                  \
        size_t span = (size_t)span_of(&w) * line_bytes;                                           \
        (void)first, (void)ends;                                                                  \
        for (size_t lane = 0; lane < line_bytes; lane += VECTOR_BYTES) {                          \
            char *at = line + lane, *end = at + (size_t)n * line_bytes;                           \
            V sums = load_##kind(at);                                                             \
            for (size_t x = line_bytes; x < span; x += line_bytes) {                              \
                sums = plus_##kind(sums, load_##kind(at + x));                                    \
            }                                                                                     \
            for (; at + span < end; at += line_bytes) {                                           \
                V gone = load_##kind(at), v = load_##kind(at + span);                             \
                V inside = minus_##kind(sums, gone);                                              \
                store_##kind(at, weigh_##kind(&w, inside, plus_##kind(gone, v)));                 \
                sums = slide_##kind(sums, gone, v);                                               \
            }                                                                                     \
        }                                                                                         \
    }

WHOLE(narrow, places)
WHOLE(whole, reals)

/* Where a block ends: the sums from each of its rows to its last one, which is in front of the row
 * that has entered; but not from its first, which is the whole block's. */
INLINE void sum_ends(const filter_lines *w, size_t row_bytes, const line_rows *row, size_t first,
                     size_t end)
{
    size_t span = (size_t)span_of(w), place = row->place;
    char *ends = row->ring + (2 * span - 2) * row_bytes;
    for (size_t q = span - 2; q >= 1; q--, ends -= row_bytes) {
        place = place > 0 ? place - 1 : span - 1;
        const char *from = row->ring + place * row_bytes;
        for (size_t x = first; x < end; x += VECTOR_BYTES) {
            reals sums = load_whole(from + x);
            store_whole(ends + x, q == span - 2 ? sums : sums + load_whole(ends + row_bytes + x));
        }
    }
}

INLINE void down_part_real(filter_lines w, size_t row_bytes, const line_tick *tick, size_t first,
                           size_t end)
{
    size_t sums_at = (size_t)span_of(&w) * row_bytes;
    for (size_t x = first; x < end; x += VECTOR_BYTES) {
        reals v = load_whole(tick->entering + x);
        for (int k = 0; k < tick->passes; k++) {
            const line_rows *row = &tick->of[k];
            char *sums_of = row->ring + sums_at + x, *kept = row->ring + row->place * row_bytes + x;
            reals gone = load_whole(kept), sums = load_whole(sums_of), inside = sums;
            store_whole(kept, v);
            if (row->ends) {
                inside += load_whole(sums_of + row->ends * row_bytes);
            }
            store_whole(sums_of, row->begins ? v : sums + v);
            v = weigh_real(&w, inside, gone + v);
        }
        store_whole(tick->to + x, v);
    }
    for (int k = 0; k < tick->passes; k++) {
        if (tick->of[k].ends == 0) {
            sum_ends(&w, row_bytes, &tick->of[k], first, end);
        }
    }
}

static void along_real(const filter_lines *lines, char *line, int64_t n, size_t line_bytes,
                       int64_t first, char *ends)
{
    filter_lines w = *lines;
    int64_t span = span_of(&w), side = span - 1, begin = first % side;
    size_t back = (size_t)span * line_bytes;
    for (size_t lane = 0; lane < line_bytes; lane += VECTOR_BYTES) {
        char *at = line + lane;
        int64_t place = begin < 0 ? begin + side : begin;
        reals sums = load_whole(at), last = sums;
        for (int64_t t = 1; t < n; t++) {
            char *next = at + line_bytes;
            reals v = load_whole(next);
            bool whole = place == side - 1;
            if (t >= span) {
                char *to = next - back;
                reals inside = whole ? sums : sums + load_whole(ends + (place + 1) * VECTOR_BYTES);
                store_whole(to, weigh_real(&w, inside, load_whole(to) + v));
            }
            if (whole) {
                char *from = at;
                for (int64_t q = side - 1; q >= 1 && from >= line; q--, from -= line_bytes) {
                    reals row = load_whole(from);
                    last = q == side - 1 ? row : row + last;
                    store_whole(ends + q * VECTOR_BYTES, last);
                }
            }
            sums = whole ? v : sums + v;
            place = whole ? 0 : place + 1;
            at = next;
        }
    }
}

#define DOWN(kind)                                                                                 \
    static void down_##kind(const filter_lines *lines, size_t row_bytes, size_t first, size_t end, \
                            const line_tick *ticks, int count)                                     \
    {                                                                                              \
        for (size_t x = first; x < end; x += LINE_PART_BYTES) {                                    \
            for (int t = 0; t < count; t++) {                                                      \
                down_part_##kind(*lines, row_bytes, &ticks[t], x,                                  \
                                 x + LINE_PART_BYTES < end ? x + LINE_PART_BYTES : end);           \
            }                                                                                      \
        }                                                                                          \
    }

DOWN(narrow)
DOWN(whole)
DOWN(real)

static void narrow(const uint16_t *restrict from, uint8_t *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint8_t)((from[i] + 128) >> LINE_NARROW_BITS);
    }
}

static void line_widen(const uint8_t *restrict from, uint16_t *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint16_t)(from[i] << 8);
    }
}

static void divide(double *restrict numbers, const double *restrict ones, int64_t pixels,
                   int64_t lanes, bool rounds)
{
    for (int64_t x = 0; x < pixels; x++, numbers += lanes) {
        double one = ones[x];
        for (int64_t i = 0; i < lanes; i++) {
            double quotient = numbers[i] / one;
            numbers[i] = rounds ? (quotient + 0x1.8p52) - 0x1.8p52 : quotient;
        }
    }
}

static void scale(const double *restrict from, double by, double one, double *restrict to,
                  int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = from[i] * by + 0.0;
    }
    for (int64_t i = 0; i < n && one != 1; i++) {
        to[i] /= one;
    }
}

static void quotients(const double *restrict from, double by, const double *restrict divisors,
                      double *restrict to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double quotient = from[i] * by / divisors[i] + 0.0;
        to[i] = divisors[i] == 0 ? 0 : quotient;
    }
}

#define BY_KIND(what, ...)          \
    switch (kind) {                 \
    case LINE_NARROW:               \
        what##_narrow(__VA_ARGS__); \
        break;                      \
    case LINE_WHOLE:                \
        what##_whole(__VA_ARGS__);  \
        break;                      \
    case LINE_REAL:                 \
        what##_real(__VA_ARGS__);   \
        break;                      \
    }

static void down(line_kind kind, const filter_lines *lines, size_t row_bytes, size_t first,
                 size_t end, const line_tick *ticks, int count)
{
    BY_KIND(down, lines, row_bytes, first, end, ticks, count)
}

static void along(line_kind kind, const filter_lines *lines, char *line, int64_t n, size_t bytes,
                  int64_t first, char *ends)
{
    BY_KIND(along, lines, line, n, bytes, first, ends)
}

const line_kernels SATF_ISA_NAME(line_kernels) = {
    .down = down,
    .along = along,
    .widen = line_widen,
    .narrow = narrow,
    .divide = divide,
    .scale = scale,
    .quotients = quotients,
};
