/* Epilogues by formula, in blocks of plain arrays (epilogue_loops.h). Sums that are too large for
 * these go through the formula one by one. */
#include <math.h>

#include "../base/view.h"
#include "epilogue.h"
#include "grey.h"

void epilogue_load_sum(satf_sum_type type, const void *sums, int64_t i, satf_u128 *integer,
                       double *real)
{
#define LOAD_CASE(NAME, Type, to)        \
    case SATF_SUM_##NAME:                \
        *(to) = ((const Type *)sums)[i]; \
        break;
    switch (type) {
        LOAD_CASE(U16, uint16_t, integer)
        LOAD_CASE(U32, uint32_t, integer)
        LOAD_CASE(U64, uint64_t, integer)
        LOAD_CASE(U128, satf_u128, integer)
        LOAD_CASE(F64, double, real)
    }
}

/* ---------------------------------------------------------------------- reductions */

/* Raises a key to the value's; false if it was no less already. */
static bool raise_key(_Atomic uint64_t *to, double value)
{
    uint64_t key = reduction_key(value), seen = atomic_load(to);
    while (key > seen) {
        if (atomic_compare_exchange_weak(to, &seen, key)) {
            return true;
        }
    }
    return false;
}

/* Finds which of n pixels, from x on, the reduction looks at: *first ... *end - 1. */
static void find_reduced(const epilogue *f, int64_t x, int64_t n, int64_t *first, int64_t *end)
{
    int64_t from = f->reduced.x - x, to = from + f->reduced.w;
    *end = to < 0 ? 0 : to < n ? to : n;
    *first = from < 0 ? 0 : from < *end ? from : *end;
}

static void leave_out(loop_block *block, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        block->centres[i] = INFINITY;
        block->results[i] = -INFINITY;
    }
}

/* Leaves out of the block, whose first pixel is at x, what the reduction does not look at. */
static void keep_reduced(const epilogue *f, int64_t x, loop_block *block)
{
    int64_t first, end;
    find_reduced(f, x, block->n / f->channels, &first, &end);
    leave_out(block, 0, first * f->channels);
    leave_out(block, end * f->channels, block->n);
}

/* Gives the block's results to the reduction, without pixels whose alpha does not count. */
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
    raise_key(&f->reduction->keys[REDUCTION_GREATEST], greatest);
    raise_key(&f->reduction->keys[REDUCTION_LEAST], -least);
}

/* ----------------------------------------------------------------------- blocks */

/* Memory for what blocks read: weights, and samples of auxiliary images that need a conversion. */
typedef struct block_space {
    epilogue_weights weights;
    double aux_samples[2][LOOP_SAMPLES];
} block_space;

static const double nothing[LOOP_SAMPLES];

static void load_sums(const epilogue *f, const window_segment *segment, loop_mode mode, size_t at,
                      loop_block *block)
{
    const loop_kernels *loops = f->loops;
    const char *sums = (const char *)segment->sums + at * satf_sum_bytes(segment->sum_type);
    const char *squares = segment->squares;
    squares = squares ? squares + at * satf_sum_bytes(segment->square_type) : NULL;
    if (f->constants.real) {
        block->sums = (const double *)(const void *)sums;
        block->squares = squares ? (const double *)(const void *)squares : block->sums;
    } else if (mode == LOOP_MODES) {
        for (int64_t i = 0; i < block->n; i++) {
            satf_u128 sum = 0;
            epilogue_load_sum(segment->sum_type, sums, i, &sum, &block->exact_sums[i]);
            block->exact_sums[i] = formula_double(sum);
        }
    } else if (mode != LOOP_WORD || f->weighted || f->reads & FORMULA_LUMA) {
        loops->load_sums(segment->sum_type, block->n, sums, block->exact_sums);
    }
    if (mode == LOOP_WORD) {
        loops->load_words(segment->sum_type, block->n, sums, block->word_sums);
        loops->load_words(segment->square_type, block->n, squares, block->word_squares);
    } else if (mode == LOOP_EXACT && squares && segment->square_type != SATF_SUM_U128) {
        loops->load_sums(segment->square_type, block->n, squares, block->exact_squares);
    }
    block->shifts = segment->shifts ? segment->shifts + at : nothing;
}

/* Whether all pixels weigh their area, which is the same. */
static bool has_one_weight(const epilogue *f, const window_segment *segment)
{
    return !f->weighted && !segment->areas;
}

/* Loads what the formula reads of the pixels from `first` on; for LOOP_MODES all but integers of
 * 128 bits, which are in the sums. */
static void epilogue_load_block(const epilogue *f, const window_segment *segment, loop_mode mode,
                                int64_t first, block_space *space, loop_block *block)
{
    const loop_kernels *loops = f->loops;
    size_t at = (size_t)(first * f->channels);
    bool real = f->constants.real;
    if (segment->centre) {
        const char *centre = segment->centre;
        loops->load_samples(f->in_type, block->n, centre + at * f->in_bytes, block->centres);
    }
    if (segment->sums) {
        load_sums(f, segment, mode, at, block);
    } else {
        block->sums = block->squares = block->centres;
    }
    if (!has_one_weight(f, segment)) {
        loops->weigh(f->channels, block->n, (double)segment->area,
                     segment->areas ? segment->areas + at : NULL, f->weighted ? block->sums : NULL,
                     space->weights.weights, space->weights.inverses);
    }
    if (f->reads & FORMULA_LUMA) {
        loops->luma(real, f->channels, block->n, block->sums, block->luma_sums);
        loops->luma(real, f->channels, block->n, block->centres, block->lumas);
    }
    for (int k = 0; k < 2; k++) {
        const satf_view *aux = &f->aux[k];
        if (aux->data) {
            int64_t pixel = f->channels * (int64_t)satf_type_bytes(aux->type);
            const char *row = satf_row(aux, segment->y), *from = row + (segment->x + first) * pixel;
            bool direct = aux->type == SATF_F64 && (uintptr_t)from % sizeof(double) == 0;
            block->aux_samples[k] =
                direct ? (const double *)(const void *)from : space->aux_samples[k];
            if (!direct) {
                loops->load_samples((satf_type)aux->type, block->n, from, space->aux_samples[k]);
            }
        }
    }
}

/* The mean alpha of the pixel with that last lane. */
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
        block->results[i] =
            f->pass->keeps_alpha ? block->centres[i] * f->constants.times : mean_alpha(block, i);
    }
    for (int64_t p = 0; left < channels && p < block->n / channels; p++) {
        for (int lane = 0; lane < left; lane++) {
            block->results[p * left + lane] = block->results[p * channels + lane];
        }
    }
    return block->n / channels * left;
}

/* Finds the weights of n pixels, if all weigh the same; they may be kept from the segment before.
 * Else returns `space`, whose weights each block computes. */
static const epilogue_weights *find_weights(const epilogue *f, const window_segment *segment,
                                            int64_t n, epilogue_weights *space)
{
    epilogue_weights *found = f->weights ? f->weights : space;
    if (has_one_weight(f, segment) && (found->n < n || found->area != segment->area)) {
        f->loops->weigh(1, n, (double)segment->area, NULL, NULL, found->weights, found->inverses);
        found->n = n;
        found->area = segment->area;
    }
    return has_one_weight(f, segment) ? found : space;
}

/* Sets what all blocks of a segment have in common. */
static void begin_blocks(const epilogue *f, const window_segment *segment, block_space *space,
                         loop_block *block)
{
    int64_t all = segment->n * f->channels, n = all < LOOP_SAMPLES ? all : LOOP_SAMPLES;
    space->weights.n = 0;
    const epilogue_weights *weights = find_weights(f, segment, n, &space->weights);
    block->constants = f->constants;
    block->options = f->options;
    block->sums = block->exact_sums;
    block->squares = block->exact_squares;
    block->weights = weights->weights;
    block->inverses = weights->inverses;
    block->shifts = block->aux_samples[0] = block->aux_samples[1] = nothing;
}

/* Reduces a formula that grows with the spread, over windows of one area: it is computed for the
 * greatest spread alone. x: of the block's first pixel. */
static void reduce_spreads(const epilogue *f, int64_t x, loop_block *block)
{
    double greatest, least;
    f->loops->spreads(block->n, block->weights[0], block->sums, block->squares, block->results);
    keep_reduced(f, x, block);
    f->loops->find(block->n, block->results, block->centres, &greatest, &least);
    raise_key(&f->reduction->keys[REDUCTION_LEAST], -least);
    if (raise_key(&f->reduction->spread, greatest)) {
        formula_sums in = block->constants;
        int64_t i = 0;
        while (block->results[i] != greatest) {
            i++;
        }
        in.words = FORMULA_EXACT;
        in.real_sum = block->sums[i];
        in.real_square = block->squares[i];
        in.real_weight = block->weights[i];
        in.inverse = block->inverses[i];
        raise_key(&f->reduction->keys[REDUCTION_GREATEST],
                  formula_number_of(f->call(&in, f->options)));
    }
}

/* ------------------------------------------------------------------ by definition */

/* Sample i of a block of LOOP_MODES, whose first pixel is the segment's `first`. in: holds what all
 * samples have in common, and gets the sample's own numbers. */
static formula_value define(const epilogue *f, const window_segment *segment,
                            const loop_block *block, int64_t first, int64_t i, formula_sums *in)
{
    int64_t at = first * f->channels + i;
    if (segment->sums) {
        epilogue_load_sum(segment->sum_type, segment->sums, at, &in->sum, &in->real_sum);
    } else {
        in->real_sum = block->sums[i];
        in->sum = in->real ? 0 : (uint64_t)block->sums[i];
    }
    if (segment->squares) {
        epilogue_load_sum(segment->square_type, segment->squares, at, &in->square,
                          &in->real_square);
    }
    in->real_weight = block->weights[i];
    in->weight = in->real ? 0 : (uint64_t)block->weights[i];
    int64_t last = at + f->channels - 1 - i % f->channels;
    if (f->weighted && !in->real && segment->sums && at < last) { /* which may exceed 2^53 */
        satf_u128 alpha = 0;
        double none;
        epilogue_load_sum(segment->sum_type, segment->sums, last, &alpha, &none);
        in->weight = (uint64_t)alpha;
    }
    in->inverse = block->inverses[i];
    in->shift = segment->shifts ? segment->shifts[at] : 0;
    in->centre = block->centres[i];
    in->aux[0] = block->aux_samples[0][i];
    in->aux[1] = block->aux_samples[1][i];
    in->luma_sum = block->luma_sums[i];
    in->luma = block->lumas[i];
    bool alpha = f->weighted && i % f->channels == f->channels - 1;
    return !alpha                 ? f->call(in, f->options)
           : f->pass->keeps_alpha ? formula_real(in->centre * in->times)
                                  : formula_mean(in);
}

/* Stores the results unless a reduction reads them in the block; returns where the next go. */
static char *define_block(const epilogue *f, const window_segment *segment, int64_t first,
                          loop_block *block, char *to)
{
    formula_sums in = block->constants;
    for (int64_t i = 0; i < block->n; i++) {
        formula_value value = define(f, segment, block, first, i, &in);
        block->results[i] = formula_number_of(value);
        if (!f->reduction && i % f->channels < f->out_channels) {
            formula_store((int)f->out_type, value, to);
            to += f->out_bytes;
        }
    }
    return to;
}

/* ------------------------------------------------------------------------ segments */

/* Whether results may go where they belong at once: doubles, one a lane, aligned. */
static bool is_direct(const epilogue *f, const void *dst)
{
    return !f->reduction && !f->bilevel && f->out_type == SATF_F64 &&
           f->out_channels == f->channels && (uintptr_t)dst % sizeof(double) == 0;
}

static char *store_block(const epilogue *f, loop_block *block, bool direct, char *to)
{
    int64_t left = settle_alpha(f, block);
    if (f->bilevel) {
        f->loops->store_bilevel(left, block->results, (uint8_t *)to);
    } else if (!direct) {
        f->loops->store(f->out_type, left, block->results, to);
    }
    return to + left * (int64_t)f->out_bytes;
}

static void run_blocks(const epilogue *f, const window_segment *segment, loop_mode mode, char *to)
{
    block_space space;
    loop_block block;
    int64_t most = LOOP_SAMPLES / f->channels;
    bool direct = mode != LOOP_MODES && is_direct(f, to);
    loop_kernel run = mode == LOOP_MODES ? NULL : f->loop;
    bool grows = f->reduction && formula_reads(f->pass->reduction) & FORMULA_GROWS &&
                 mode == LOOP_EXACT && has_one_weight(f, segment) && segment->area == f->area;
    begin_blocks(f, segment, &space, &block);
    for (int64_t first = 0; first < segment->n; first += most) {
        int64_t pixels = segment->n - first < most ? segment->n - first : most;
        block.n = pixels * f->channels;
        block.results = direct ? (double *)(void *)to : block.space;
        epilogue_load_block(f, segment, mode, first, &space, &block);
        if (grows) {
            reduce_spreads(f, segment->x + first, &block);
            continue;
        }
        if (run) {
            run(&block);
        } else {
            to = define_block(f, segment, first, &block, to);
        }
        if (f->reduction) {
            keep_reduced(f, segment->x + first, &block);
            reduction_block(f, &block);
        } else if (run) {
            to = store_block(f, &block, direct, to);
        }
    }
}

void epilogue_by_blocks(const epilogue *f, const window_segment *segment, void *dst)
{
    run_blocks(f, segment, f->mode, dst);
}

void epilogue_by_formula(const epilogue *f, const window_segment *segment, void *dst)
{
    run_blocks(f, segment, LOOP_MODES, dst);
}
