/*
 * The kernels of strips; kernels.c includes this once, after the kernels of rows of doubles. Every
 * sum is formed in the same order whatever the vector's length.
 */

#define REALS(p) (*(reals *)(p))
#define REALS_CONST(p) (*(const reals *)(p))

typedef int64_t masks __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

/* LATER: a vector of the lanes of `now` and then `next`, from the k-th on. */
#if VECTOR_BYTES == 64
#define LANES_FROM(k) k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7
#elif VECTOR_BYTES == 32
#define LANES_FROM(k) k, k + 1, k + 2, k + 3
#else
#define LANES_FROM(k) k, k + 1
#endif
#ifdef __clang__
#define LATER(now, next, k) __builtin_shufflevector(now, next, LANES_FROM((k) % (2 * REALS_LANES)))
#else
#define LATER(now, next, k) __builtin_shuffle(now, next, (masks){LANES_FROM(k)})
#endif

#define EIGHT 8

/* The sums of the last window % EIGHT columns; may be one of the arrays given. */
static const double *sum_rest(int64_t rest, int channels, int64_t n, const double *col,
                              const double *four, double *spare)
{
    const double *term[4] = {rest & 4 ? four : col};
    int count = 1;
    for (int64_t x = rest & 4 ? 4 : 1; x < rest; x++) {
        term[count++] = col + x * channels;
    }
    switch (count) {
    case 1:
        return term[0];
    case 2:
        add_terms_row_f64_f64(2, term, spare, n);
        break;
    case 3:
        add_terms_row_f64_f64(3, term, spare, n);
        break;
    default:
        add_terms_row_f64_f64(4, term, spare, n);
    }
    return spare;
}

/*
 * The row is cut into blocks of `window / EIGHT` sums of eight columns, for each of the eight
 * phases at once. A window is the end of one block, the start of the next (van Herk; Gil and
 * Werman), and the rest. Arrays are worked on in whole steps: what lies past their end is not used.
 */
static inline __attribute__((always_inline)) void sum_blocks(const int channels,
                                                             const horizontal_row *shape,
                                                             const double *col, double *spare,
                                                             double *restrict sums)
{
    const int64_t step = EIGHT * channels;
    enum { MOST = EIGHT * SATF_MAX_CHANNELS / REALS_LANES };
    int64_t n = shape->pixels * channels, rest = shape->window % EIGHT;
    int64_t block = shape->window / EIGHT * step;
    int64_t array = (n + shape->window * channels + STRIP_SLACK) / 8 * 8;
    double *restrict four = spare, *restrict eight = spare + array;
    double *restrict before = spare + 2 * array;
    for (int64_t i = 0; i < n + block; i++) {
        four[i] = (col[i] + col[i + channels]) + (col[i + 2 * channels] + col[i + 3 * channels]);
    }
    for (int64_t first = 0; first < n + block; first += block) {
        int64_t end = first + block < n + block ? first + block : n + block;
        reals sum[MOST] = {{0}};
        for (int64_t i = first; i < end; i += step) {
            for (int v = 0; v < step / REALS_LANES; v++) {
                int64_t at = i + v * REALS_LANES;
                reals now = REALS_CONST(four + at) + REALS_CONST(four + at + 4 * channels);
                REALS(eight + at) = now;
                REALS(before + at) = sum[v];
                sum[v] += now;
            }
        }
    }
    const double *restrict tail =
        rest ? sum_rest(rest, channels, n, col + block, four + block, spare + 3 * array) : NULL;
    for (int64_t first = 0; first < n; first += block) {
        reals sum[MOST] = {{0}};
        int64_t i = first + block - step;
        for (; i >= n; i -= step) {
            for (int v = 0; v < step / REALS_LANES; v++) {
                sum[v] += REALS_CONST(eight + i + v * REALS_LANES);
            }
        }
        for (; i >= first; i -= step) {
            for (int v = 0; v < step / REALS_LANES; v++) {
                int64_t at = i + v * REALS_LANES;
                sum[v] += REALS_CONST(eight + at);
                reals next = REALS_CONST(before + at + block);
                if (tail) {
                    next += REALS_CONST(tail + at);
                }
                REALS(sums + at) = sum[v] + next;
            }
        }
    }
}

/* As run_direct(), in registers, for one channel and 8 to 15 columns: two or three fours, and as
 * the window needs them a pair and a single column. From right to left; called with constants for
 * these parts, and for whether columns may be -0. */
static inline __attribute__((always_inline)) void sum_fours(const bool zeros, const bool third,
                                                            const bool pair, const bool one,
                                                            int64_t n, const double *col,
                                                            double *restrict sums)
{
    reals next_two = {0}, next = {0}, later[3] = {{0}}; /* later: than `next` */
    int64_t i = (n + 11) / REALS_LANES * REALS_LANES;
    for (; i >= 0; i -= REALS_LANES) {
        reals two = REALS_CONST(col + i) + REALS_CONST(col + i + 1);
        reals four = two + LATER(two, next_two, 2);
        reals second = REALS_LANES > 4 ? LATER(four, next, 4) : REALS_LANES > 2 ? next : later[0];
        reals sum = four + second;
        if (third) {
            sum += REALS_LANES > 4 ? next : REALS_LANES > 2 ? later[0] : later[2];
        }
        const double *rest = col + i + (third ? 12 : 8);
        if (pair) {
            sum += REALS_CONST(rest) + REALS_CONST(rest + 1);
        }
        if (one) {
            sum += REALS_CONST(rest + (pair ? 2 : 0));
        }
        if (i < n) {
            if (zeros) {
                sum += (reals){0};
            }
            REALS(sums + i) = sum;
        }
        later[2] = later[1];
        later[1] = later[0];
        later[0] = next;
        next = four;
        next_two = two;
    }
}

static inline __attribute__((always_inline)) void
sum_by_fours(const bool zeros, int64_t window, int64_t n, const double *col, double *sums)
{
    switch (window) {
#define CASE(w)                                                  \
    case w:                                                      \
        sum_fours(zeros, (w) >= 12, (w)&2, (w)&1, n, col, sums); \
        break;
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
#undef CASE
    }
}

static void row_sums(const horizontal_row *shape, const double *columns, double *spare,
                     double *sums)
{
    if (shape->channels == 1 && shape->window >= 8 && shape->window < 16) {
        if (shape->zeros) {
            sum_by_fours(true, shape->window, shape->pixels, columns, sums);
        } else {
            sum_by_fours(false, shape->window, shape->pixels, columns, sums);
        }
    } else if (shape->window <= STRIP_DIRECT) {
        run_direct_row_f64_f64(shape, columns, spare, sums);
    } else if (shape->channels == 1) {
        sum_blocks(1, shape, columns, spare, sums);
    } else if (shape->channels == 2) {
        sum_blocks(2, shape, columns, spare, sums);
    } else if (shape->channels == 3) {
        sum_blocks(3, shape, columns, spare, sums);
    } else {
        sum_blocks(4, shape, columns, spare, sums);
    }
}

static void add(int64_t n, const double *a, const double *b, double *to)
{
    for (int64_t i = 0; i < n; i += REALS_LANES) {
        REALS(to + i) = REALS_CONST(a + i) + REALS_CONST(b + i);
    }
}

/* ------------------------------------------------------------------------- moments */

/* Rows are passed as values, here and below: pointers in memory would be loaded again after each
 * store (docs/notebook/filters-and-moves.md, "Moments of floats"). Flags are constants. */
static inline __attribute__((always_inline)) void
enter_row(const bool moments, const bool unites, int64_t n, const double *samples,
          const strip_row row, const strip_row upper, const strip_row columns)
{
    for (int64_t i = 0; i < n; i += REALS_LANES) {
        reals above = REALS_CONST(samples + i);
        if (moments) {
            above -= REALS_CONST(row.shift + i);
            reals square = REALS_CONST(row.square + i) + above * above;
            REALS(row.square + i) = square;
            if (unites) {
                square += REALS_CONST(upper.square + i);
            }
            REALS(columns.square + i) = square;
        }
        reals sum = REALS_CONST(row.sum + i) + above;
        REALS(row.sum + i) = sum;
        if (unites) {
            sum += REALS_CONST(upper.sum + i);
        }
        REALS(columns.sum + i) = sum;
    }
}

static void enter(int64_t n, const double *samples, const strip_row *row, const strip_row *upper,
                  const strip_row *columns)
{
    if (upper && row->square) {
        enter_row(true, true, n, samples, *row, *upper, *columns);
    } else if (upper) {
        enter_row(false, true, n, samples, *row, *upper, *columns);
    } else if (row->square) {
        enter_row(true, false, n, samples, *row, *row, *columns);
    } else {
        enter_row(false, false, n, samples, *row, *row, *columns);
    }
}

/* The suffix sums of a line of cache at a time. Called with a constant for `moments`. */
static inline __attribute__((always_inline)) void add_upwards(const bool moments, int64_t n,
                                                              const strip_block block)
{
    enum { STEP = 8, VECTORS = STEP / REALS_LANES };
    for (int64_t i = 0; i < n; i += STEP) {
        reals sum[VECTORS] = {{0}}, square[VECTORS] = {{0}};
        for (int64_t j = block.rows - 1; j >= block.first; j--) {
            double *sums = block.row.sum + j * block.stride;
            double *squares = moments ? block.row.square + j * block.stride : NULL;
            bool counts = j >= block.counts && j < block.counts_end;
            for (int v = 0; v < VECTORS && counts; v++) {
                int64_t at = i + v * REALS_LANES;
                reals above = REALS_CONST(sums + at);
                if (moments) {
                    above -= REALS_CONST(block.row.shift + at);
                    square[v] += above * above;
                }
                sum[v] += above;
            }
            for (int v = 0; v < VECTORS; v++) {
                int64_t at = i + v * REALS_LANES;
                REALS(sums + at) = sum[v];
                if (moments) {
                    REALS(squares + at) = square[v];
                }
            }
        }
    }
}

static void suffixes(int64_t n, const strip_block *block)
{
    if (block->row.square) {
        add_upwards(true, n, *block);
    } else {
        add_upwards(false, n, *block);
    }
}

/* Called with a constant for the channels. */
static inline __attribute__((always_inline)) void enter_weighted(const int channels, int64_t pixels,
                                                                 const double *samples,
                                                                 const strip_row *from,
                                                                 const strip_row *to)
{
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        int64_t last = i + channels - 1;
        double weight = samples[last];
        bool first = from->sum[last] == 0;
        for (int64_t k = i; k < last; k++) {
            double usable = fabs(samples[k]) <= SATF_SHIFT_MOST ? samples[k] : 0;
            double shift = first ? usable : from->shift[k], above = samples[k] - shift;
            to->shift[k] = shift;
            to->sum[k] = from->sum[k] + above * weight;
            to->square[k] = from->square[k] + above * above * weight;
        }
        to->shift[last] = 0;
        to->sum[last] = from->sum[last] + weight;
        to->square[last] = from->square[last] + weight;
    }
}

static void enter_weighing(const vertical_row *shape, const double *samples, const strip_row *from,
                           const strip_row *to)
{
    if (shape->channels == 2) {
        enter_weighted(2, shape->pixels, samples, from, to);
    } else if (shape->channels == 3) {
        enter_weighted(3, shape->pixels, samples, from, to);
    } else {
        enter_weighted(4, shape->pixels, samples, from, to);
    }
}

/* a's samples are taken less s, b's less t. With r = t - s, b's weight W and sum S, b above s has
 * the sum S + W r, and squares more by 2 r S + W r^2 = r (S + (S + W r)). weighs: a constant. */
static inline __attribute__((always_inline)) void unite_rows(const bool weighs, int64_t n,
                                                             const strip_row a, const strip_row b,
                                                             double b_weight, const strip_row to)
{
    for (int64_t i = 0; i < n; i += REALS_LANES) {
        reals shift = REALS_CONST(a.shift + i), other = REALS_CONST(b.shift + i);
        reals weight = b_weight - (reals){0}, sum = REALS_CONST(b.sum + i);
        if (weighs) {
            masks some = (masks)(REALS_CONST(a.weight + i) != 0);
            shift = (reals)(((masks)shift & some) | ((masks)other & ~some));
            weight = REALS_CONST(b.weight + i);
        }
        reals rise = other - shift, moved = sum + weight * rise;
        reals square = REALS_CONST(b.square + i) + rise * (sum + moved);
        REALS(to.sum + i) = REALS_CONST(a.sum + i) + moved;
        REALS(to.square + i) = REALS_CONST(a.square + i) + square;
        if (weighs) {
            REALS(to.shift + i) = shift;
            REALS(to.weight + i) = REALS_CONST(a.weight + i) + weight;
        }
    }
}

static void unite(int64_t n, const strip_row *a, const strip_row *b, double b_weight,
                  const strip_row *to)
{
    if (a->weight) {
        unite_rows(true, n, *a, *b, b_weight, *to);
    } else {
        unite_rows(false, n, *a, *b, b_weight, *to);
    }
}

/* Called with a constant for the channels. */
static inline __attribute__((always_inline)) void repeat_pixel(const int channels, int64_t n,
                                                               const double *pixel, double *to)
{
    double samples[SATF_MAX_CHANNELS];
    memcpy(samples, pixel, (size_t)channels * sizeof *samples);
    for (int64_t i = 0; i < n; i += channels) {
        for (int c = 0; c < channels; c++) {
            to[i + c] = samples[c];
        }
    }
}

static void repeat(int channels, int64_t n, const double *pixel, double *to)
{
    if (channels == 1) {
        repeat_pixel(1, n, pixel, to);
    } else if (channels == 2) {
        repeat_pixel(2, n, pixel, to);
    } else if (channels == 3) {
        repeat_pixel(3, n, pixel, to);
    } else {
        repeat_pixel(4, n, pixel, to);
    }
}

static void move(int64_t n, const strip_row *from, double weight, const double *shift, double *sum,
                 double *square)
{
    const strip_row row = *from;
    for (int64_t i = 0; i < n; i += REALS_LANES) {
        reals rise = REALS_CONST(row.shift + i) - REALS_CONST(shift + i);
        reals before = REALS_CONST(row.sum + i), moved = before + weight * rise;
        REALS(sum + i) = moved;
        REALS(square + i) = REALS_CONST(row.square + i) + rise * (before + moved);
    }
}

static strip_row further(const strip_row *row, int64_t samples)
{
    return (strip_row){row->sum + samples, row->square + samples, row->shift + samples,
                       row->weight ? row->weight + samples : NULL};
}

static void copy_row(int64_t n, const strip_row *from, const strip_row *to)
{
    size_t bytes = (size_t)n * sizeof(double);
    memcpy(to->sum, from->sum, bytes);
    memcpy(to->square, from->square, bytes);
    if (from->weight) {
        memcpy(to->shift, from->shift, bytes);
        memcpy(to->weight, from->weight, bytes);
    }
}

#include "moments_template.h"

#define GRID(f) f##_float
#define REAL float
#define BITS uint32_t
#include "grid_template.h"

#define GRID(f) f##_double
#define REAL double
#define BITS uint64_t
#include "grid_template.h"

#define SHIFT_BY(channels)                                       \
    if (type == SATF_F32) {                                      \
        shift_float(channels, shape->pixels, row, shifts, out);  \
    } else {                                                     \
        shift_double(channels, shape->pixels, row, shifts, out); \
    }

static void shift_by(satf_type type, const vertical_row *shape, const void *row,
                     const double *shifts, double *out)
{
    if (shape->channels == 1) {
        SHIFT_BY(1)
    } else if (shape->channels == 2) {
        SHIFT_BY(2)
    } else if (shape->channels == 3) {
        SHIFT_BY(3)
    } else {
        SHIFT_BY(4)
    }
}

static double peak(satf_type type, int64_t n, const void *row)
{
    return type == SATF_F32 ? peak_float(n, row) : peak_double(n, row);
}

static bool on_grid(satf_type type, int64_t n, const void *row, double level, double most)
{
    return type == SATF_F32 ? on_grid_float(n, row, (float)level, (float)most)
                            : on_grid_double(n, row, level, most);
}

#undef LIFT
#undef EIGHT
#undef REALS
#undef REALS_CONST
