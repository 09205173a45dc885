/* Epilogues by formula: in blocks of plain arrays (epilogue_loops.h), or sample by sample. */
#include <math.h>

#include "../base/view.h"
#include "epilogue.h"
#include "grey.h"
#include "../chain/modules.h"

void epilogue_load_sum(satf_sum_type type, const void *sums, int64_t i, satf_u128 *integer,
                       double *real)
{
    switch (type) {
    case SATF_SUM_U16:
        *integer = ((const uint16_t *)sums)[i];
        break;
    case SATF_SUM_U32:
        *integer = ((const uint32_t *)sums)[i];
        break;
    case SATF_SUM_U64:
        *integer = ((const uint64_t *)sums)[i];
        break;
    case SATF_SUM_U128:
        *integer = ((const satf_u128 *)sums)[i];
        break;
    default:
        *real = ((const double *)sums)[i];
    }
}

/* A sample of the types that are filtered. */
static double load_sample(satf_type type, const void *from, int64_t i)
{
    uint8_t u8;
    uint16_t u16;
    float f32;
    double f64;
    const char *at = (const char *)from + i * (int64_t)satf_type_bytes((int)type);
    switch (type) {
    case SATF_U8:
        memcpy(&u8, at, sizeof u8);
        return u8;
    case SATF_U16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case SATF_F32:
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    default:
        memcpy(&f64, at, sizeof f64);
        return f64;
    }
}

/* Sum i of the segment. */
static void load_sum(const epilogue *f, const window_segment *segment, int64_t i,
                     satf_u128 *integer, double *real)
{
    if (segment->sums) {
        epilogue_load_sum(segment->sum_type, segment->sums, i, integer, real);
    } else if (f->constants.real) {
        *real = load_sample(f->in_type, segment->centre, i);
    } else {
        *integer = (uint64_t)load_sample(f->in_type, segment->centre, i);
    }
}

/* The weight of a pixel's lanes: its area for alpha's, else the sum of alphas if that weighs. */
static void set_weight(const epilogue *f, const window_segment *segment, int64_t p, bool by_alpha,
                       formula_sums *in)
{
    double area = segment->areas ? segment->areas[p * f->channels] : (double)segment->area;
    satf_u128 alpha = (uint64_t)area;
    in->real_weight = area;
    if (by_alpha) {
        int64_t last = p * f->channels + f->channels - 1;
        load_sum(f, segment, last, &alpha, &in->real_weight);
    }
    in->weight = (uint64_t)alpha;
    double weight = in->real ? in->real_weight : (double)in->weight;
    in->inverse = weight != 0 ? 1 / weight : 0;
}

/* The luma's moments at a pixel of colour. */
static void set_luma(const epilogue *f, const window_segment *segment, int64_t p, formula_sums *in)
{
    double sums[3], centres[3];
    for (int lane = 0; lane < 3; lane++) {
        int64_t i = p * f->channels + lane;
        load_sum(f, segment, i, &in->sum, &in->real_sum);
        sums[lane] = formula_sum(in);
        centres[lane] = load_sample(f->in_type, segment->centre, i);
    }
    in->luma_sum = grey_luma(in->real, sums[0], sums[1], sums[2]);
    in->luma = grey_luma(in->real, centres[0], centres[1], centres[2]);
}

double epilogue_aux(const epilogue *f, int k, int64_t x, int64_t y, int lane)
{
    const satf_view *aux = &f->aux[k];
    return load_sample((satf_type)aux->type, satf_row(aux, y), x * f->channels + lane);
}

/* One lane of a pixel; in: its sums without weight. */
static formula_value lane_value(const epilogue *f, const window_segment *segment, int64_t p,
                                int lane, formula_sums *in)
{
    bool alpha_lane = f->weighted && lane == f->channels - 1;
    int64_t i = p * f->channels + lane;
    set_weight(f, segment, p, f->weighted && !alpha_lane, in);
    if (formula_reads(f->formula) & FORMULA_LUMA) {
        set_luma(f, segment, p, in);
    }
    load_sum(f, segment, i, &in->sum, &in->real_sum);
    in->shift = segment->shifts ? segment->shifts[i] : 0;
    if (segment->squares) {
        epilogue_load_sum(segment->square_type, segment->squares, i, &in->square, &in->real_square);
    }
    if (segment->centre) {
        in->centre = load_sample(f->in_type, segment->centre, i);
    }
    for (int k = 0; k < 2; k++) {
        if (f->aux[k].data) {
            in->aux[k] = epilogue_aux(f, k, segment->x + p, segment->y, lane);
        }
    }
    return !alpha_lane            ? formula_function_of(f->formula)(in, f->options)
           : f->pass->keeps_alpha ? formula_real(in->centre)
                                  : formula_mean(in);
}

formula_value epilogue_lane(const epilogue *f, const window_segment *segment, int lane,
                            formula_sums *in)
{
    return lane_value(f, segment, 0, lane, in);
}

void epilogue_by_formula(const epilogue *f, const window_segment *segment, void *dst)
{
    formula_sums in = f->constants;
    char *to = dst;
    for (int64_t p = 0; p < segment->n; p++) {
        for (int lane = 0; lane < f->out_channels; lane++) {
            formula_store((int)f->out_type, lane_value(f, segment, p, lane, &in), to);
            to += satf_type_bytes((int)f->out_type);
        }
    }
}

/* ---------------------------------------------------------------------- reductions */

static void raise_key(epilogue_reduction *reduction, int which, double value)
{
    uint64_t key = reduction_key(value), seen = atomic_load(&reduction->keys[which]);
    while (key > seen && !atomic_compare_exchange_weak(&reduction->keys[which], &seen, key)) {
    }
}

/* Of n pixels of its row from x on, those to look at: from *first to in front of *end. */
static void find_reduced(const epilogue *f, int64_t x, int64_t n, int64_t *first, int64_t *end)
{
    int64_t from = f->reduced.x - x, to = from + f->reduced.w;
    *end = to < 0 ? 0 : to < n ? to : n;
    *first = from < 0 ? 0 : from < *end ? from : *end;
}

static void reduction_by_formula(const epilogue *f, const window_segment *segment)
{
    formula_sums in = f->constants;
    int64_t p, end;
    find_reduced(f, segment->x, segment->n, &p, &end);
    for (; p < end; p++) {
        int64_t last = (p + 1) * f->channels - 1;
        bool counts =
            !f->weighted || reduction_counts(load_sample(f->in_type, segment->centre, last));
        for (int lane = 0; lane < f->channels - f->weighted; lane++) {
            double value = formula_number_of(lane_value(f, segment, p, lane, &in));
            raise_key(f->reduction, REDUCTION_GREATEST, value);
            raise_key(f->reduction, REDUCTION_LEAST, counts ? -in.centre : -INFINITY);
        }
    }
}

static void leave_out(loop_block *block, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        block->centres[i] = INFINITY;
        block->results[i] = -INFINITY;
    }
}

/* Of the block, whose first pixel is at x, leaves out what is not to be looked at. */
static void keep_reduced(const epilogue *f, int64_t x, loop_block *block)
{
    int64_t first, end;
    find_reduced(f, x, block->n / f->channels, &first, &end);
    leave_out(block, 0, first * f->channels);
    leave_out(block, end * f->channels, block->n);
}

/* Pixels whose alpha does not count are left out by what is not finite. */
static void reduction_block(const epilogue *f, loop_block *block)
{
    double greatest, least;
    for (int64_t i = 0; f->weighted && i < block->n; i += f->channels) {
        int64_t last = i + f->channels - 1;
        bool counts = reduction_counts(block->centres[last]);
        for (int64_t k = i; k <= last; k++) {
            block->centres[k] = k < last && counts ? block->centres[k] : INFINITY;
        }
        block->results[last] = -INFINITY;
    }
    f->loops->find(block->n, block->results, block->centres, &greatest, &least);
    raise_key(f->reduction, REDUCTION_GREATEST, greatest);
    raise_key(f->reduction, REDUCTION_LEAST, -least);
}

/* ----------------------------------------------------------------------- blocks */

static void load_block(const epilogue *f, const window_segment *segment, loop_mode mode,
                       int64_t first, loop_block *block)
{
    const loop_kernels *loops = f->loops;
    size_t at = (size_t)(first * f->channels);
    const char *sums = (const char *)segment->sums;
    const char *squares = (const char *)segment->squares;
    if (sums) {
        sums += at * satf_sum_bytes(segment->sum_type);
    }
    if (squares) {
        squares += at * satf_sum_bytes(segment->square_type);
    }
    if (mode == LOOP_WORD) {
        loops->load_words(segment->sum_type, block->n, sums, block->word_sums);
        loops->load_words(segment->square_type, block->n, squares, block->word_squares);
        loops->load_sums(segment->sum_type, block->n, sums, block->exact_sums);
    } else if (!sums) {
        block->sums = block->squares = block->centres;
    } else if (mode == LOOP_REAL) {
        block->sums = (const double *)(const void *)sums;
        block->squares = squares ? (const double *)(const void *)squares : block->sums;
        if (segment->shifts) {
            memcpy(block->shifts, segment->shifts + at, (size_t)block->n * sizeof *block->shifts);
        }
    } else {
        loops->load_sums(segment->sum_type, block->n, sums, block->exact_sums);
        if (squares) {
            loops->load_sums(segment->square_type, block->n, squares, block->exact_squares);
        }
    }
    if (segment->centre) {
        const char *centre = segment->centre;
        loops->load_samples(f->in_type, block->n, centre + at * satf_type_bytes((int)f->in_type),
                            block->centres);
    }
    if (formula_reads(f->formula) & FORMULA_LUMA) {
        loops->luma(mode == LOOP_REAL, f->channels, block->n, block->sums, block->luma_sums);
        loops->luma(mode == LOOP_REAL, f->channels, block->n, block->centres, block->lumas);
    }
    for (int k = 0; k < 2; k++) {
        const satf_view *aux = &f->aux[k];
        if (aux->data) {
            int64_t pixel = f->channels * (int64_t)satf_type_bytes(aux->type);
            const char *row = satf_row(aux, segment->y);
            loops->load_samples((satf_type)aux->type, block->n, row + (segment->x + first) * pixel,
                                block->aux_samples[k]);
        }
    }
}

/* The mean alpha of the pixel whose last lane that is. */
static double mean_alpha(const loop_block *block, int64_t last)
{
    formula_sums in = block->constants;
    in.words = FORMULA_EXACT;
    in.real_sum = block->sums[last];
    in.real_weight = block->weights[last];
    in.inverse = block->inverses[last];
    return formula_number_of(formula_mean(&in));
}

/* Alpha's lanes: the mean alpha, alpha as it is, or nothing. Returns the samples that are left. */
static int64_t settle_alpha(const epilogue *f, loop_block *block)
{
    int channels = f->channels, left = f->out_channels;
    bool settles = f->weighted && left == channels && f->pass->kernel != KERNEL_MEAN;
    for (int64_t i = channels - 1; settles && i < block->n; i += channels) {
        block->results[i] = f->pass->keeps_alpha ? block->centres[i] : mean_alpha(block, i);
    }
    for (int64_t p = 0; left < channels && p < block->n / channels; p++) {
        for (int lane = 0; lane < left; lane++) {
            block->results[p * left + lane] = block->results[p * channels + lane];
        }
    }
    return block->n / channels * left;
}

/* What all blocks of a segment have in common. */
static void begin_blocks(const epilogue *f, const window_segment *segment, loop_mode mode,
                         bool one_weight, loop_block *block)
{
    static const unsigned reads[2] = {FORMULA_AUX, FORMULA_AUX_TOO};
    block->constants = f->constants;
    block->options = f->options;
    block->sums = block->exact_sums;
    block->squares = block->exact_squares;
    if (one_weight) {
        int64_t n = segment->n * f->channels;
        f->loops->weigh(1, n < LOOP_SAMPLES ? n : LOOP_SAMPLES, (double)segment->area, NULL, NULL,
                        block->weights, block->inverses);
    }
    if (mode == LOOP_REAL && !segment->shifts) {
        memset(block->shifts, 0, sizeof block->shifts);
    }
    for (int k = 0; k < 2; k++) {
        if (!f->aux[k].data && formula_reads(f->formula) & reads[k]) {
            memset(block->aux_samples[k], 0, sizeof block->aux_samples[k]);
        }
    }
}

/* Whether results may go where they belong at once: doubles, one a lane, aligned. */
static bool is_direct(const epilogue *f, const void *dst)
{
    return !f->reduction && !f->bilevel && f->out_type == SATF_F64 &&
           f->out_channels == f->channels && (uintptr_t)dst % sizeof(double) == 0;
}

void epilogue_by_loops(const epilogue *f, const window_segment *segment, void *dst)
{
    loop_mode mode = f->mode;
    loop_block block;
    int64_t most = LOOP_SAMPLES / f->channels;
    bool one_weight = !f->weighted && !segment->areas;
    begin_blocks(f, segment, mode, one_weight, &block);
    char *to = dst;
    bool direct = is_direct(f, dst);
    for (int64_t first = 0; first < segment->n; first += most) {
        int64_t pixels = segment->n - first < most ? segment->n - first : most;
        block.n = pixels * f->channels;
        block.results = direct ? (double *)(void *)to : block.space;
        load_block(f, segment, mode, first, &block);
        if (!one_weight) {
            const double *areas = segment->areas ? segment->areas + first * f->channels : NULL;
            f->loops->weigh(f->channels, block.n, (double)segment->area, areas,
                            f->weighted ? block.sums : NULL, block.weights, block.inverses);
        }
        formula_loop(f->loops, f->formula, mode)(&block);
        if (f->reduction) {
            keep_reduced(f, segment->x + first, &block);
            reduction_block(f, &block);
            continue;
        }
        int64_t left = settle_alpha(f, &block);
        if (f->bilevel) {
            f->loops->store_bilevel(left, block.results, (uint8_t *)to);
        } else if (!direct) {
            f->loops->store(f->out_type, left, block.results, to);
        }
        to += left * (int64_t)satf_type_bytes((int)f->out_type);
    }
}

void epilogue_by_definition(const epilogue *f, const window_segment *segment, void *dst)
{
    if (f->reduction) {
        reduction_by_formula(f, segment);
    } else {
        epilogue_by_formula(f, segment, dst);
    }
}
