/* Makes samples numbers, and numbers samples (line_samples.h). */
#include "line_samples.h"

#include "../../base/view.h"
#include "../../sat/sums.h"

enum { PIECE_PIXELS = 128 }; /* loaded or stored at a time */

void line_samples_begin(line_samples *s, const line_spec *spec)
{
    bool shrinks = spec->border == SATF_BORDER_SHRINK;
    s->numbers = line_numbers_of(&spec->in, &spec->axes, spec->weighted, shrinks);
    s->kernels = SATF_ISA_CHOOSE(&line_kernels);
    s->loops = SATF_ISA_CHOOSE(&loop_kernels);
    line_find_outside(&s->numbers, spec->border, spec->constant, spec->weight_outside, s->outside);
}

/* The samples of n pixels as doubles, weighted by alpha if numbers are. */
static void load_piece(const line_samples *s, const char *from, int64_t n, double *to)
{
    const line_numbers *of = &s->numbers;
    satf_type type = (satf_type)of->type;
    uint32_t products[PIECE_PIXELS * SATF_MAX_CHANNELS];
    if (!of->weighted) {
        s->loops->load_samples(type, n * of->channels, from, to);
    } else if (of->rounds) {
        satf_summands(type, of->channels, SATF_SUMMAND_WEIGHTED, from, n, SATF_SUM_U32, products);
        s->loops->load_sums(SATF_SUM_U32, n * of->channels, products, to);
    } else {
        satf_summands(type, of->channels, SATF_SUMMAND_WEIGHTED, from, n, SATF_SUM_F64, to);
    }
}

void line_samples_load(const line_samples *s, const char *from, int64_t pixels, double *to)
{
    const line_numbers *of = &s->numbers;
    int channels = of->channels;
    size_t pixel = (size_t)channels * satf_type_bytes(of->type);
    for (int64_t x = 0, n; x < pixels; x += n) {
        double samples[PIECE_PIXELS * SATF_MAX_CHANNELS];
        n = pixels - x < PIECE_PIXELS ? pixels - x : PIECE_PIXELS;
        if (of->scale == 1) {
            load_piece(s, from + (size_t)x * pixel, n, to + x * channels);
            continue;
        }
        load_piece(s, from + (size_t)x * pixel, n, samples);
        s->kernels->scale(samples, of->scale, 1, to + x * channels, n * channels);
    }
    for (int64_t i = channels - 1; i < pixels * channels && of->weighted; i += channels) {
        to[i] *= of->alpha_scale / of->scale;
    }
}

void line_find_outside(const line_numbers *of, int border, double constant, double weight,
                       double *outside)
{
    double v = border == SATF_BORDER_CONSTANT ? constant : 0;
    double w = border == SATF_BORDER_CONSTANT && weight > 0 ? weight : v;
    for (int c = 0; c < of->channels; c++) {
        bool alpha = of->weighted && c + 1 == of->channels;
        outside[c] = of->narrow && !of->own   ? v * (1 << LINE_NARROW_BITS)
                     : of->weighted && !alpha ? v * w * of->scale
                     : alpha                  ? w * of->alpha_scale
                                              : v * of->scale;
    }
}

void line_samples_fill(const line_samples *s, int64_t pixels, void *to)
{
    int channels = s->numbers.channels;
    for (int64_t i = 0; i < pixels * channels; i++) {
        double number = s->outside[i % channels];
        if (s->numbers.narrow) {
            ((uint16_t *)to)[i] = (uint16_t)number;
        } else {
            ((double *)to)[i] = number;
        }
    }
}

/* Divides colour times alpha by alpha, and alpha by `one`. */
static void finish_weighted(const line_samples *s, const double *from, int64_t pixels, double one,
                            double *to)
{
    const line_numbers *of = &s->numbers;
    int last = of->channels - 1;
    double divisors[PIECE_PIXELS * SATF_MAX_CHANNELS], *divisor = divisors;
    for (int64_t x = 0; x < pixels; x++) {
        double alpha = from[x * of->channels + last] * (1 / (of->alpha_scale * of->gain));
        for (int c = 0; c < last; c++) {
            *divisor++ = alpha;
        }
        *divisor++ = one * (of->alpha_scale / of->scale);
    }
    s->kernels->quotients(from, 1 / (of->scale * of->gain), divisors, to, pixels * of->channels);
}

static void store_piece(const line_samples *s, const void *results, int64_t pixels, double one,
                        satf_type type, char *to)
{
    const line_numbers *of = &s->numbers;
    int64_t n = pixels * of->channels;
    double numbers[PIECE_PIXELS * SATF_MAX_CHANNELS], values[PIECE_PIXELS * SATF_MAX_CHANNELS];
    if (of->weighted) {
        finish_weighted(s, results, pixels, one, values);
    } else if (of->narrow && !of->own) {
        s->loops->load_samples(SATF_U16, n, results, numbers);
        s->kernels->scale(numbers, 1.0 / (1 << LINE_NARROW_BITS), 1, values, n);
    } else if (of->single) {
        for (int64_t i = 0; i < n; i++) {
            values[i] = line_single(((const float *)results)[i]);
        }
    } else if (!of->own || of->gain != 1 || one != 1) {
        s->kernels->scale(results, 1 / (of->scale * of->gain), one, values, n);
    } else {
        s->loops->store(type, n, results, to); /* sums of doubles: never -0 */
        return;
    }
    s->loops->store(type, n, values, to);
}

void line_samples_store(const line_samples *s, const void *numbers, int64_t pixels, double one,
                        satf_type type, char *to)
{
    const line_numbers *of = &s->numbers;
    size_t pixel = (size_t)of->channels * satf_type_bytes(type);
    size_t number = of->narrow && !of->own ? sizeof(uint16_t)
                    : of->single           ? sizeof(float)
                                           : sizeof(double);
    for (int64_t x = 0, n; x < pixels; x += n) {
        n = pixels - x < PIECE_PIXELS ? pixels - x : PIECE_PIXELS;
        store_piece(s, (const char *)numbers + (size_t)(x * of->channels) * number, n, one, type,
                    to + (size_t)x * pixel);
    }
}
