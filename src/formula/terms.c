/* Formulas as sums of terms (filter_terms) on the CPU: what floats leave open goes by blocks. */
#include <math.h>
#include <string.h>

#include "../base/cpu.h"
#include "../base/view.h"
#include "epilogue.h"

/* How many samples are decided again together where one of more is open; and the largest area of
 * bytes whose sum floats hold: 255 * 65793 = 2^24 - 1. */
enum { OPEN_SAMPLES = 32, TERMS_AREA = 65793 };

/*
 * With `all` = parts * area the sum is a multiple of 1 / all, so it is half-way between integers or
 * at least 1 / (2 all) from there. Thus adding 1 / 2 and a margin of 1 / (4 all) before rounding
 * down never errs, while the sum is off by less than the margin. Without roots a term is rounded
 * four times at most: the sum is off by 4 u of the terms' magnitudes added up.
 */
static void tell_rounded(const epilogue *f, const filter_terms *of, terms_numbers *numbers)
{
    double unit = f->in_type == SATF_U8 ? 0x1p-24 : 0x1p-53,
           top = (double)satf_type_max((int)f->in_type);
    double margin = 1 / (4 * of->parts * numbers->weight);
    double largest = fabs(of->alone) + 1 + top * (fabs(of->mean) + fabs(of->sample + of->mean));
    numbers->margin = margin;
    numbers->told = of->alone + 0.5 + margin;
    numbers->tells = 4 * unit * largest < margin && floor(f->constants.most) == f->constants.most &&
                     numbers->weight * top * unit <= 1; /* S is not rounded */
}

/* Times its parts and its area the sum is an integer: of bytes in 32 bits, of others in doubles. */
static void tell_above(const epilogue *f, const filter_terms *of, terms_numbers *numbers)
{
    double weight = numbers->weight, top = (double)satf_type_max((int)f->in_type);
    numbers->whole_sum = nearbyint(of->mean * of->parts);
    numbers->whole_sample = nearbyint(of->sample * of->parts) * weight;
    numbers->whole = nearbyint(of->alone * of->parts) * weight;
    double largest = top * (weight * fabs(numbers->whole_sum) + fabs(numbers->whole_sample)) +
                     fabs(numbers->whole);
    numbers->tells = largest < (f->in_type == SATF_U8 ? 0x1p31 : 0x1p53);
}

/* The pass's terms, with what all samples have in common, over windows of the area. */
static terms_numbers find_numbers(const epilogue *f)
{
    filter_terms of = f->pass->terms(f->options, &f->constants);
    terms_numbers numbers = {.most =
                                 fmin(f->constants.most, (double)satf_type_max((int)f->out_type)),
                             .bilevel = f->bilevel,
                             .white = UINT8_MAX};
    terms_say(&of, (double)f->area, &numbers);
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

/* Whether results are the terms' sum, as samples of the input's type or as black and white. */
static bool has_terms(const epilogue *f)
{
    bool to = f->bilevel || (f->pass->type != TYPE_BILEVEL && f->out_type == f->in_type);
    return f->pass->terms && to && !f->weighted;
}

void epilogue_find_terms(epilogue *f, satf_sum_type sum, satf_sum_type square)
{
    bool bytes = f->in_type == SATF_U8, squares = filter_reads(f->pass, FORMULA_SQUARE);
    f->by_terms = NULL;
    if (has_terms(f) && f->mode == LOOP_EXACT && f->area <= (bytes ? TERMS_AREA : UINT32_MAX) &&
        (!squares || square == (bytes ? SATF_SUM_U32 : SATF_SUM_U64))) {
        f->by_terms = SATF_ISA_CHOOSE(&terms_kernels)->find(f->in_type, sum, f->bilevel);
    }
    epilogue_terms_again(f);
}

void epilogue_terms_again(epilogue *f)
{
    if (f->by_terms) {
        f->terms = find_numbers(f);
    }
}

terms_numbers epilogue_terms_of_device(epilogue *f, uint64_t area)
{
    uint64_t top = satf_type_max((int)f->in_type);
    f->area = area;
    return has_terms(f) && top > 0 && area <= INT32_MAX / top
               ? find_numbers(f)
               : (terms_numbers){.alone = NAN, .bilevel = f->bilevel};
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

/* Decides `most` samples at a time; where one of them is left open, fewer, then by blocks. */
static void decide(const epilogue *f, const window_segment *segment, int64_t most, char *to)
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
        to += (size_t)(n * f->channels) * f->out_bytes;
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
