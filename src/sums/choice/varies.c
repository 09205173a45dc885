/* The epilogue of KERNEL_VARIES (varies.h). */
#include "varies.h"

#include "../../base/cpu.h"
#include "../../base/view.h"
#include "../../formula/epilogue_loops.h"

enum { BLOCK = LOOP_SAMPLES };

static double area_of(const window_segment *segment, int64_t i, int channels)
{
    return segment->areas ? segment->areas[i * channels] : (double)segment->area;
}

static void vary_exactly(const epilogue *f, const window_segment *segment, double *to,
                         int64_t plane)
{
    formula_sums in = {.real = false};
    int colours = f->channels - f->weighted;
    for (int64_t p = 0; p < segment->n; p++, to++) {
        int64_t first = p * f->channels;
        satf_u128 weight = (uint64_t)area_of(segment, p, f->channels);
        if (f->weighted) {
            epilogue_load_sum(segment->sum_type, segment->sums, first + colours, &weight,
                              &in.real_weight);
        }
        in.weight = (uint64_t)weight;
        varied all = {.spread = 0};
        for (int c = 0; c < colours; c++) {
            epilogue_load_sum(segment->sum_type, segment->sums, first + c, &in.sum, &in.real_sum);
            epilogue_load_sum(segment->square_type, segment->squares, first + c, &in.square,
                              &in.real_square);
            varied_add(&all, &in);
        }
        varied_end(&all, &in, 0);
        to[0] = (double)(uint64_t)(all.spread >> 48);
        to[plane] = (double)((uint64_t)all.spread & ((UINT64_C(1) << 48) - 1));
        to[2 * plane] = (double)all.weight;
    }
}

/* Measures windows in blocks of doubles. */
static void vary_in_doubles(const epilogue *f, const window_segment *segment, double *to,
                            int64_t plane)
{
    static const double none[BLOCK];
    const loop_kernels *loops = f->loops;
    const varies_kernels *kernels = SATF_ISA_CHOOSE(&varies_kernels);
    int64_t channels = f->channels, most = BLOCK / channels;
    double sums[BLOCK], squares[BLOCK], weights[BLOCK];
    varies_block block = {.channels = f->channels,
                          .colours = f->channels - f->weighted,
                          .unit = VARIED_UNIT(f->in_type),
                          .sums = sums,
                          .squares = squares,
                          .weights = weights};
    for (int64_t first = 0; first < segment->n; first += block.n) {
        size_t sample = (size_t)(first * channels);
        block.n = segment->n - first < most ? segment->n - first : most;
        block.shifts = segment->shifts ? segment->shifts + sample : none;
        loops->load_sums(segment->sum_type, block.n * channels,
                         (const char *)segment->sums + sample * satf_sum_bytes(segment->sum_type),
                         sums);
        loops->load_sums(segment->square_type, block.n * channels,
                         (const char *)segment->squares +
                             sample * satf_sum_bytes(segment->square_type),
                         squares);
        for (int64_t i = 0; i < block.n && (f->weighted || segment->areas || first == 0); i++) {
            weights[i] = f->weighted ? sums[i * channels + channels - 1]
                                     : area_of(segment, first + i, f->channels);
        }
        kernels->vary(f->varies, &block, to + first, plane);
    }
}

void varies_segment(const epilogue *f, const window_segment *segment, double *to, int64_t plane)
{
    if (f->varies == VARIES_EXACT) {
        vary_exactly(f, segment, to, plane);
    } else {
        vary_in_doubles(f, segment, to, plane);
    }
}
