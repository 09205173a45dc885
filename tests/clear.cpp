/*
 * What device kernels decide by floats, on the host: it must be the formula's result wherever it is
 * called clear. Cases lie near the places where rounding decides, so floats alone would be wrong in
 * some; that is counted, too.
 */
#define __CUDACC__
#define __host__
#define __device__

#include <math.h>
#include <stdio.h>
#include <string.h>

#define __noinline__
#define __forceinline__ inline

/* A device's root is off by so much of it at most, either way. */
static float root_error;
static float device_root(float number)
{
    return sqrtf(number) * (1 + root_error);
}
#define sqrtf device_root

#include "src/formula/clear.h"

#undef sqrtf

typedef struct counts {
    long clear, open, wrong, saved; /* saved: open, and floats are wrong */
} counts;

static uint64_t below(uint64_t n)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static formula_sums sums_of(uint64_t weight, double full)
{
    formula_sums in = {};
    in.rounded = true;
    in.words = FORMULA_WORD;
    in.weight = weight;
    in.real_weight = (double)weight;
    in.inverse = 1 / in.real_weight;
    in.full = full;
    in.level = full / 255;
    in.most = full;
    return in;
}

/* What kernels know of a formula and its options. */
template <class Options> struct task {
    formula_sums constants;
    union {
        unsigned char bytes[sizeof(Options)];
        double aligned;
    } options;
};

template <int NUMBER, class Options>
static void compare(const formula_sums &in, const Options &options, counts *c)
{
    typedef byte_formula<NUMBER> formula;
    task<Options> of = {in, {}};
    memcpy(of.options.bytes, &options, sizeof options);
    byte_window window = {(uint64_t)in.square, (uint32_t)in.sum, (uint32_t)in.centre};
    formula_floats floats = floats_of(NUMBER, &in, &options);
    uint32_t bits = 0;
    bool clear = formula::template is_clear<false>(floats, (uint32_t)in.weight, window, &bits);
    if (in.weight <= NARROW_WINDOW) {
        uint32_t narrow = 0;
        c->wrong += clear != formula::template is_clear<true>(floats, (uint32_t)in.weight, window,
                                                              &narrow) ||
                    narrow != bits;
    }
    uint64_t right = formula_saturated(formula::value(&of, window), UINT8_MAX);
    bool same = (bits & UINT8_MAX) == right;
    (clear ? c->clear : c->open)++;
    c->wrong += clear && !same;
    c->saved += !clear && !same;
}

/* Black and white pixels of 0 and 255, some of another level, and k so that the threshold is the
 * centre, or lies less than 2^-13 beside it. */
static void try_sauvola(counts *c)
{
    static const uint64_t most[] = {NARROW_WINDOW, 16000, 4095 * 4095};
    uint64_t weight = 2 + below(most[below(3)] - 1), white = below(weight + 1), grey = below(256);
    formula_sums in = sums_of(weight, 255);
    uint64_t others = below(weight - white + 1);
    in.sum = 255 * white + grey * others;
    in.square = 255 * 255 * white + grey * grey * others;
    in.centre = (double)below(256);
    sauvola_options options = {};
    options.bilevel.invert = below(2) == 0;
    options.bilevel.surface = below(32) == 0;
    options.r = below(4) ? 1 + (double)below(1000) / 4 : ldexp(1, (int)below(40) - 20);
    double mean = formula_true_mean(&in), part = formula_deviation(&in) / options.r;
    double wanted =
        in.centre + ((double)below(1 << 20) / (1 << 19) - 1) * ldexp(1, -(int)below(26) - 13);
    options.k = below(8) && mean > 0 && part != 1 ? (wanted / mean - 1) / (part - 1) : 0;
    if (fabs(options.k) > 10) {
        return;
    }
    compare<FORMULA_sauvola>(in, options, c);
}

/* The sum for which the result is a half more than an integer, or next to that. */
static void try_unsharp(counts *c)
{
    static const double scales[] = {255, 255, 200, 15};
    double full = scales[below(4)];
    formula_sums in = sums_of(1 + below(16000), full);
    unsharp_options options = {};
    options.amount = (double)(1 + below(below(4) ? 30000 : 1000000)) / 10000;
    double weight = (double)in.weight, half = (double)below((uint64_t)full + 1) + 0.5;
    in.centre = (double)below((uint64_t)full + 1);
    double sum = weight * (in.centre - (half - in.centre) / options.amount);
    sum = floor(sum) + (double)below(3);
    if (!(sum >= 0 && sum <= full * weight)) {
        return;
    }
    in.sum = (uint64_t)sum;
    compare<FORMULA_unsharp>(in, options, c);
}

static int judge(const char *name, const counts *c)
{
    printf("%s: %ld clear, %ld of them wrong; %ld open, floats wrong in %ld\n", name, c->clear,
           c->wrong, c->open, c->saved);
    return c->wrong > 0 || c->clear < 100000 || c->saved < 100;
}

int main()
{
    enum { TRIES = 4000000 };
    counts sauvola = {}, unsharp = {};
    for (int i = 0; i < TRIES; i++) {
        root_error = 0x1p-23f * (float)(i % 3 - 1);
        try_sauvola(&sauvola);
        try_unsharp(&unsharp);
    }
    return judge("sauvola", &sauvola) | judge("unsharp", &unsharp);
}
