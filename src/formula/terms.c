/* Formulas as sums of terms (filter_terms) on the CPU: what floats leave open goes by blocks. */
#include <math.h>
#include <string.h>

#include "../base/cpu.h"
#include "epilogue.h"

enum { OPEN_SAMPLES = 32 };

/* Whether floats hold sample p + alone for all bytes p. */
static bool is_exact(const terms_numbers *of, double sample, double alone)
{
    bool exact = true;
    for (int p = 0; p <= UINT8_MAX && exact; p++) {
        float first = of->sample * (float)p;
        exact = sample * p == (double)first && sample * p + alone == (double)(first + of->alone);
    }
    return exact;
}

/*
 * A sum that is a multiple of 1 / all is a half between whole numbers, or at least half of that
 * from one. So a fourth of it below the half lies between what is rounded up and what is not.
 * Without roots a term is rounded four times at most: the terms are off by 2^-22 of their
 * magnitudes added up.
 */
static void tell_rounded(const epilogue *f, const filter_terms *of, terms_numbers *numbers)
{
    double least = 1 / (4 * of->parts * (double)f->area), told = of->alone + 0.5 + least;
    double largest = fabs(told) + UINT8_MAX * (fabs(of->mean) + fabs(of->sample + of->mean));
    numbers->told = (float)told;
    numbers->tells = largest * 0x1p-22 < least && floor(f->constants.most) == f->constants.most;
}

/* All times it is whole. */
static void tell_above(const epilogue *f, const filter_terms *of, terms_numbers *numbers)
{
    double weight = (double)f->area, of_sum = nearbyint(of->mean * of->parts);
    double of_sample = nearbyint(of->sample * of->parts) * weight;
    double alone = nearbyint(of->alone * of->parts) * weight;
    double largest = UINT8_MAX * (weight * fabs(of_sum) + fabs(of_sample)) + fabs(alone);
    numbers->tells = largest < INT32_MAX;
    if (numbers->tells) {
        numbers->whole_sum = (int32_t)of_sum;
        numbers->whole_sample = (int32_t)of_sample;
        numbers->whole = (int32_t)alone;
    }
}

/* The pass's terms, with what all samples have in common, over windows of the area. */
static terms_numbers find_numbers(const epilogue *f)
{
    filter_terms of = f->pass->terms(f->options, &f->constants);
    double weight = (double)f->area, sample = of.sample + of.mean;
    terms_numbers numbers = {.weight = (int32_t)f->area,
                             .away = (float)(of.mean / weight),
                             .sample = (float)sample,
                             .alone = (float)of.alone,
                             .root = (float)(of.deviation / weight),
                             .both = (float)(of.both / (weight * weight)),
                             .of_square = of.from_zero ? 0 : 1,
                             .roots = of.deviation != 0 || of.both != 0,
                             .most = (float)fmin(f->constants.most, UINT8_MAX),
                             .white = UINT8_MAX};
    numbers.over = of.over_mean;
    if (of.over_mean) {
        numbers.sample = (float)(of.sample * weight);
    }
    numbers.exact = is_exact(&numbers, sample, of.alone);
    if (!numbers.roots && of.parts > 0) {
        (f->bilevel ? tell_above : tell_rounded)(f, &of, &numbers);
    }
    if (f->bilevel) {
        filter_bilevel bilevel;
        memcpy(&bilevel, (const char *)f->options + f->pass->bilevel, sizeof bilevel);
        numbers.white = bilevel.invert ? 0 : UINT8_MAX;
        numbers.black = UINT8_MAX - numbers.white;
    }
    return numbers;
}

void epilogue_find_terms(epilogue *f, satf_sum_type sum, satf_sum_type square)
{
    const terms_kernels *k = SATF_ISA_CHOOSE(&terms_kernels);
    bool bytes = f->in_type == SATF_U8 && f->out_type == SATF_U8 && !f->weighted;
    bool squares = filter_reads(f->pass, FORMULA_SQUARE);
    f->by_terms = NULL;
    if (!f->pass->terms || !bytes || f->bilevel != (f->pass->type == TYPE_BILEVEL) ||
        f->area > TERMS_AREA || f->mode != LOOP_EXACT || (squares && square != SATF_SUM_U32)) {
        return;
    }
    f->terms = find_numbers(f);
    f->by_terms = sum == SATF_SUM_U16   ? (f->bilevel ? k->above_u16 : k->rounded_u16)
                  : sum == SATF_SUM_U32 ? (f->bilevel ? k->above_u32 : k->rounded_u32)
                                        : NULL;
}

void epilogue_terms_again(epilogue *f)
{
    if (f->by_terms) {
        f->terms = find_numbers(f);
    }
}

/* The segment's pixels first ... first + n - 1. */
static window_segment part_of(const epilogue *f, const window_segment *segment, int64_t first,
                              int64_t n)
{
    size_t at = (size_t)(first * f->channels);
    window_segment part = *segment;
    part.x += first;
    part.n = n;
    part.sums = (const char *)segment->sums + at * satf_sum_bytes(segment->sum_type);
    part.squares = segment->squares
                       ? (const char *)segment->squares + at * satf_sum_bytes(segment->square_type)
                       : NULL;
    part.centre = (const char *)segment->centre + at * f->in_bytes;
    return part;
}

/* Decides `most` samples at a time, and of those with one that is left open, fewer. */
static void decide(const epilogue *f, const window_segment *segment, int64_t most, uint8_t *to)
{
    int64_t pixels = most / f->channels;
    for (int64_t first = 0; first < segment->n; first += pixels) {
        int64_t n = segment->n - first < pixels ? segment->n - first : pixels;
        window_segment part = part_of(f, segment, first, n);
        bool all =
            f->by_terms(&f->terms, n * f->channels, part.sums, part.squares, part.centre, to);
        if (!all && most > OPEN_SAMPLES) {
            decide(f, &part, OPEN_SAMPLES, to);
        } else if (!all) {
            epilogue_by_blocks(f, &part, to);
        }
        to += n * f->channels;
    }
}

void epilogue_by_terms(const epilogue *f, const window_segment *segment, void *dst)
{
    if (f->reduction || segment->areas || segment->area != f->area) {
        epilogue_by_blocks(f, segment, dst);
    } else {
        decide(f, segment, LOOP_SAMPLES, dst);
    }
}
