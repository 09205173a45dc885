#include "choice.h"

#include "../base/cpu.h"
#include "../base/view.h"
#include "epilogue_loops.h"

enum { BLOCK = LOOP_SAMPLES };

choice choice_of(const epilogue *finish, uint64_t area, bool shrinks)
{
    uint64_t max = satf_type_max((int)finish->in_type);
    satf_u128 weight = (satf_u128)area * (finish->weighted ? max : 1);
    bool real = finish->constants.real;
    /* A sum is at most weight * max, of which the square is to be below 2^53; the spreads of four
     * channels are not more, since one is at most a quarter of that. */
    return (choice){.real = real,
                    .exact = !real && weight * max >= 94906265,
                    .alike = real || !(finish->weighted || shrinks),
                    .channels = finish->channels,
                    .colours = finish->channels - finish->weighted,
                    .kernels = SATF_ISA_CHOOSE(&choice_kernels),
                    .finish = finish};
}

size_t choice_row_bytes(const choice *of, size_t pixels)
{
    return pixels * (of->exact ? sizeof(varied) : (of->alike ? 1 : 2) * sizeof(double));
}

choice_row choice_row_at(const choice *of, void *memory, size_t pixels)
{
    choice_row row = {.exact = of->exact ? memory : NULL};
    if (!of->exact) {
        row.over = memory;
        row.under = of->alike ? NULL : row.over + pixels;
    }
    return row;
}

/* NULL stays. */
static double *at(double *row, int64_t x)
{
    return row ? row + x : NULL;
}

static double area_of(const window_segment *segment, int64_t i, int channels)
{
    return segment->areas ? segment->areas[i * channels] : (double)segment->area;
}

static void vary_exactly(const choice *of, const window_segment *segment, varied *to)
{
    formula_sums in = {.real = false};
    for (int64_t p = 0; p < segment->n; p++) {
        int64_t first = p * of->channels;
        satf_u128 weight = (uint64_t)area_of(segment, p, of->channels);
        if (of->colours < of->channels) {
            epilogue_load_sum(segment->sum_type, segment->sums, first + of->colours, &weight,
                              &in.real_weight);
        }
        in.weight = (uint64_t)weight;
        to[p] = (varied){0, 0, 0};
        for (int c = 0; c < of->colours; c++) {
            epilogue_load_sum(segment->sum_type, segment->sums, first + c, &in.sum, &in.real_sum);
            epilogue_load_sum(segment->square_type, segment->squares, first + c, &in.square,
                              &in.real_square);
            varied_add(&to[p], &in);
        }
        varied_end(&to[p], &in);
    }
}

/* In blocks of doubles. */
static void vary_in_doubles(const choice *of, const window_segment *segment, double *over,
                            double *under)
{
    const loop_kernels *loops = of->finish->loops;
    int64_t channels = of->channels, most = BLOCK / channels;
    double sums[BLOCK], squares[BLOCK], weights[BLOCK];
    choice_block block = {.real = of->real,
                          .channels = of->channels,
                          .colours = of->colours,
                          .sums = sums,
                          .squares = squares,
                          .weights = weights};
    for (int64_t first = 0; first < segment->n; first += block.n) {
        size_t sample = (size_t)(first * channels);
        block.n = segment->n - first < most ? segment->n - first : most;
        loops->load_sums(segment->sum_type, block.n * channels,
                         (const char *)segment->sums + sample * satf_sum_bytes(segment->sum_type),
                         sums);
        loops->load_sums(segment->square_type, block.n * channels,
                         (const char *)segment->squares +
                             sample * satf_sum_bytes(segment->square_type),
                         squares);
        for (int64_t i = 0; i < block.n; i++) {
            weights[i] = of->colours < channels ? sums[i * channels + of->colours]
                                                : area_of(segment, first + i, of->channels);
        }
        of->kernels->vary(&block, over + first, at(under, first));
    }
}

void choice_vary(const choice *of, const window_segment *segment, const choice_row *row)
{
    if (of->exact) {
        vary_exactly(of, segment, row->exact + segment->x);
    } else {
        vary_in_doubles(of, segment, row->over + segment->x, at(row->under, segment->x));
    }
}

void choice_copy(const choice *of, int64_t n, const choice_row *row, int64_t x,
                 const choice_row *to)
{
    if (of->exact) {
        memcpy(to->exact, row->exact + x, (size_t)n * sizeof *to->exact);
    } else {
        memcpy(to->over, row->over + x, (size_t)n * sizeof *to->over);
        if (!of->alike) {
            memcpy(to->under, row->under + x, (size_t)n * sizeof *to->under);
        }
    }
}

static void lessen_exactly(int64_t n, const varied *other, varied *row, uint8_t *less)
{
    for (int64_t i = 0; i < n; i++) {
        less[i] = varied_less(false, &other[i], &row[i]);
        row[i] = less[i] ? other[i] : row[i];
    }
}

void choice_take(const choice *of, int64_t n, const choice_row *other, int64_t other_x,
                 const choice_row *row, int64_t x, const void *from, void *to)
{
    uint8_t less[BLOCK];
    size_t bytes = satf_type_bytes((int)of->finish->out_type);
    int64_t pixel = of->finish->out_channels * (int64_t)bytes;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t many = n - first < BLOCK ? n - first : BLOCK;
        int64_t a = other_x + first, b = x + first;
        if (of->exact) {
            lessen_exactly(many, other->exact + a, row->exact + b, less);
        } else {
            of->kernels->lessen(of->real, many, other->over + a, at(other->under, a), row->over + b,
                                at(row->under, b), less);
        }
        of->kernels->take(many, of->finish->out_channels, bytes, less,
                          (const char *)from + first * pixel, (char *)to + first * pixel);
    }
}
