/* Formulas as sums of terms in floats against the formulas, of windows near ties: half between two
 * results, or between black and white. */
#include "test.h"

#include <math.h>

/* A device's root is off by so much of it at most, either way. */
static float root_error;
static float device_root(float number)
{
    return sqrtf(number) * (1 + root_error);
}
#define sqrtf device_root
#include "formula/terms.h"
#undef sqrtf

#include "base/cpu.h"
#include "chain/chain.h"
#include "formula/epilogue.h"
#include "ways.h"

/* CPU_AREA: pixels of a window of bytes that the CPU decides by terms; others devices do. */
enum { N = 700, CPU_AREA = 65793 };

/* Each in the types that sums and samples may have. */
typedef struct windows {
    uint16_t sums_16[N + 32];
    uint32_t sums[N + 16], squares_32[N + 16];
    uint64_t squares[N + 8];
    uint8_t samples_8[N];
    uint16_t samples[N];
    char fast[2 * N + 1], plain[2 * N];
} windows;

static windows drawn;
static int64_t decided, left_open; /* by what devices do */

/* Moments of `area` samples, the one there among them: sums and squares that some have. */
static void draw_any(uint64_t *random, int64_t area, int64_t top, int64_t sample, int64_t *sum,
                     int64_t *square)
{
    int64_t lo = pick(random, 0, top), hi = pick(random, lo, top), many = pick(random, 0, area - 1);
    lo = pick(random, 0, 1) ? lo : sample;
    hi = pick(random, 0, 2) ? hi : sample;
    *sum = sample + lo * (area - 1 - many) + hi * many;
    *square = sample * sample + lo * lo * (area - 1 - many) + hi * hi * many;
}

/* What the terms are. */
static double sum_of(const filter_terms *t, int64_t area, int64_t sample, double sum, double square)
{
    double w = (double)area, m = sum / w, second = square / w;
    double s = sqrt(fmax(t->from_zero ? second : second - m * m, 0));
    return t->over_mean ? t->sample * (double)sample / m
                        : t->sample * (double)sample + t->mean * m + t->deviation * s +
                              t->both * m * s + t->alone;
}

/* The sum that is nearest to where the result turns, if bisection finds one. */
static int64_t find_turn(const filter_terms *t, const epilogue *f, uint64_t *random, int64_t sample,
                         int64_t square)
{
    int64_t top = (int64_t)satf_type_max((int)f->in_type);
    int64_t area = (int64_t)f->area, lo = sample, hi = top * (area - 1) + sample;
    double turn = f->bilevel ? 0 : (double)pick(random, 0, top - 1) + 0.5;
    bool above = sum_of(t, area, sample, (double)lo, (double)square) > turn;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        bool same = (sum_of(t, area, sample, (double)mid, (double)square) > turn) == above;
        lo = same ? mid : lo;
        hi = same ? hi : mid;
    }
    return lo;
}

/* Squares are at least what the sum asks for, and none is above the largest sample times it. */
static void draw_window(const epilogue *f, uint64_t *random, windows *to, int i)
{
    filter_terms t = f->pass->terms(f->options, &f->constants);
    int64_t top = (int64_t)satf_type_max((int)f->in_type), area = (int64_t)f->area, sum, square;
    int64_t sample = pick(random, 0, pick(random, 0, 7) ? top : 9);
    draw_any(random, area, top, sample, &sum, &square);
    if (pick(random, 0, 3)) {
        int64_t turn = find_turn(&t, f, random, sample, square) + pick(random, -1, 1);
        int64_t least = (turn * turn + area - 1) / area;
        bool fits = turn >= sample && least <= square && square <= top * turn;
        sum = fits || !filter_reads(f->pass, FORMULA_SQUARE) ? turn : sum;
        sum = sum < sample ? sample : sum > top * area ? top * area : sum;
    }
    to->samples_8[i] = (uint8_t)sample;
    to->samples[i] = (uint16_t)sample;
    to->sums_16[i] = (uint16_t)sum;
    to->sums[i] = (uint32_t)sum;
    to->squares_32[i] = (uint32_t)square;
    to->squares[i] = (uint64_t)square;
}

static satf_sum_type type_of_squares(satf_type type, int64_t area)
{
    return type == SATF_U8 && area <= CPU_AREA ? SATF_SUM_U32 : SATF_SUM_U64;
}

/* A pass over windows of the area, in a picture that may be any. */
static epilogue draw_pass(const chain_link *link, satf_type type, bool narrow, int64_t area,
                          uint64_t *random)
{
    int channels = (int)pick(random, 1, 4);
    const filter_pass *pass = filter_last(link->info);
    satf_view in = satf_view_packed(NULL, 1, 1, channels, type), out = in;
    out.type = (int32_t)(pass->type == TYPE_BILEVEL ? SATF_U8 : type);
    epilogue f;
    epilogue_init(&f, pass, link->options, &in, &out, false);
    f.constants.full = f.constants.top =
        (double)satf_type_max((int)type) - (pick(random, 0, 3) ? 0 : 55);
    f.constants.level = f.constants.full / 255;
    f.constants.most = f.bilevel ? INFINITY : f.constants.full;
    f.constants.greatest = (double)pick(random, 0, 3) * 21.7;
    f.constants.least = (double)pick(random, 0, 9);
    epilogue_prepare(&f, narrow ? SATF_SUM_U16 : SATF_SUM_U32, type_of_squares(type, area),
                     (uint64_t)area, false);
    assert_true(f.run == epilogue_by_terms || area >= (type == SATF_U8 ? CPU_AREA + 1 : 1448));
    assert_true(filter_reads(pass, FORMULA_TERMS));
    return f;
}

/* As kernels do (formula/clear.h). */
static bool decides(const terms_floats *t, bool above, bool squares, int32_t sum, uint64_t square,
                    int32_t p, float spread, uint32_t *bits)
{
    float off, value;
    if (!squares && t->tells) {
        *bits = above ? terms_told_above(t, sum, p) : terms_told_rounded(t, sum, p);
        return true;
    }
    value = squares             ? terms_roots(t, sum, p, spread, &off)
            : t->over && !above ? terms_over(t, sum, p, &off)
                                : terms_plain(t, sum, p, &off);
    bool clear = above ? terms_above(t, value, off, bits) : terms_rounded(t, value, off, bits);
    return clear || (squares && terms_alike(t, sum, square, p, bits));
}

static bool decides_word(const terms_numbers *t, int32_t sum, int32_t p, uint32_t *bits)
{
    bool clear = t->tells || terms_word(t, sum, p, bits);
    *bits = t->tells ? terms_told_word(t, sum, p) : *bits;
    return clear;
}

static uint32_t result_at(const epilogue *f, const char *results, int i)
{
    uint16_t word;
    memcpy(&word, results + (f->out_bytes == 2 ? 2 * i : 0), sizeof word);
    return f->out_bytes == 2 ? word : (uint8_t)results[i];
}

/* What a device decides is what the formula says, `plain`, of each sample. How many it leaves open
 * is counted. */
static void check_device(epilogue f, const char *spec, uint64_t random, const windows *w)
{
    bool bytes = f.in_type == SATF_U8, squares = filter_reads(f.pass, FORMULA_SQUARE);
    if (!bytes && (squares || f.bilevel)) {
        return;
    }
    terms_numbers numbers = epilogue_terms_of_device(&f, f.area);
    terms_floats floats = terms_floats_of(&numbers);
    int32_t area = (int32_t)f.area;
    for (int i = 0; i < N / f.channels * f.channels; i++) {
        uint64_t spread = terms_spread(&floats, w->sums[i], w->squares[i]);
        float near = (float)spread, to[] = {0, near, INFINITY};
        near = nextafterf(near, spread > 0 ? to[pick(&random, 0, 2)] : 0); /* 0 is exact */
        root_error = ldexpf((float)pick(&random, -1, 1), -23);
        uint32_t bits = 0, right = result_at(&f, w->plain, i);
        bool clear = bytes ? decides(&floats, f.bilevel, squares, (int32_t)w->sums[i],
                                     w->squares[i], w->samples_8[i], near, &bits)
                           : decides_word(&numbers, (int32_t)w->sums[i], w->samples[i], &bits);
        bits &= bytes ? UINT8_MAX : UINT16_MAX;
        (clear ? &decided : &left_open)[0]++;
        if (clear && bits != right) {
            fail_msg("%s of %s on a device, %d pixels: %u for %u, sample %d, sum %u, square %lu",
                     spec, satf_type_name((int)f.in_type), area, bits, right, w->samples[i],
                     w->sums[i], (unsigned long)w->squares[i]);
        }
    }
}

static void check_area(const chain_link *link, const char *spec, satf_type type, int64_t area,
                       uint64_t *random)
{
    windows *w = &drawn;
    bool bytes = type == SATF_U8, narrow = bytes && area * 255 <= UINT16_MAX && pick(random, 0, 1);
    epilogue f = draw_pass(link, type, narrow, area, random);
    for (int i = 0; i < N; i++) {
        draw_window(&f, random, w, i);
    }
    window_segment segment = {.n = N / f.channels,
                              .area = (uint64_t)area,
                              .sum_type = narrow ? SATF_SUM_U16 : SATF_SUM_U32,
                              .square_type = type_of_squares(type, area),
                              .sums = narrow ? (void *)w->sums_16 : w->sums,
                              .squares =
                                  bytes && area <= CPU_AREA ? (void *)w->squares_32 : w->squares,
                              .centre = bytes ? (void *)w->samples_8 : w->samples};
    size_t n = (size_t)(segment.n * f.channels), size = f.out_bytes;
    memset(w->fast, 0x5a, sizeof w->fast);
    epilogue_segment(&f, &segment, w->fast);
    epilogue_by_formula(&f, &segment, w->plain);
    for (size_t i = 0; i < n; i++) {
        if (memcmp(w->fast + i * size, w->plain + i * size, size) != 0) {
            fail_msg("%s of %s, %d pixels: byte %d for %d, sample %d, sum %u, square %lu", spec,
                     satf_type_name((int)type), (int)area, w->fast[i * size], w->plain[i * size],
                     w->samples[i], w->sums[i], (unsigned long)w->squares[i]);
        }
    }
    assert_int_equal(w->fast[n * size], 0x5a);
    check_device(f, spec, *random, w);
}

TEST(terms)
{
    static const char *const specs[] = {"unsharp=3",
                                        "unsharp=3,amount=2.37",
                                        "unsharp=3,amount=100",
                                        "unsharp=3,amount=0.0001",
                                        "highpass=3",
                                        "adaptive=3",
                                        "adaptive=3,offset=0,invert",
                                        "adaptive=3,offset=-7.123",
                                        "bradley=3",
                                        "bradley=3,percent=0",
                                        "bradley=3,percent=99.999",
                                        "niblack=3",
                                        "niblack=3,k=0",
                                        "niblack=3,k=7.7,invert",
                                        "nick=3",
                                        "nick=3,k=-10",
                                        "sauvola=3",
                                        "sauvola=3,k=-3,r=0.5",
                                        "sauvola=3,k=10,r=1000",
                                        "wolf=3",
                                        "wolf=3,k=0.3",
                                        "flatten=3",
                                        "flatten=3,target=255",
                                        "flatten=3,target=0.001"};
    static const int64_t areas[] = {1,       2,
                                    3,       4,
                                    9,       16,
                                    121,     225,
                                    256,     257,
                                    961,     1024,
                                    4225,    10201,
                                    32768,   33025,
                                    65535,   CPU_AREA,
                                    263169,  1046529,
                                    4194304, INT32_MAX / UINT8_MAX};
    uint64_t random = 11;
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            SCOPED_FILTER *chain = NULL;
            MUST(ctx, satf_filter_parse(ctx, specs[k], &chain));
            for (size_t a = 0; a < 4 * sizeof areas / sizeof *areas; a++) {
                int64_t area = areas[a / 4];
                check_area(&chain->links[0], specs[k], SATF_U8, area, &random);
                bool squares = filter_reads(filter_last(chain->links[0].info), FORMULA_SQUARE);
                if (area > 1 && area < (squares ? 1448 : INT32_MAX / UINT16_MAX)) {
                    check_area(&chain->links[0], specs[k], SATF_U16, area, &random);
                }
            }
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
    assert_true(decided > 8 * left_open && left_open > 10000);
}
