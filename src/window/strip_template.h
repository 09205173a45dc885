/*
 * The kernels of strips; kernels.c includes this once, after those of rows of doubles.
 * Every sum is formed in the same order whatever the vector's length.
 */

typedef F64 reals __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
#define REALS_LANES (VECTOR_BYTES / 8)
#define REALS(p) (*(reals *)(p))
#define REALS_CONST(p) (*(const reals *)(p))

/* Windows beyond this one are sums of 8 columns, EIGHT pixels apart, and a rest. */
#define STRIP_DIRECT 16
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
 * The row is cut into blocks of `window / EIGHT` sums of eight, of each of the eight phases at
 * once. A window is the end of one block, the start of the next (van Herk; Gil and Werman),
 * and the rest. Arrays are worked on in whole steps: what lies past their end is not used.
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

static void row_sums(const horizontal_row *shape, const double *columns, double *spare,
                     double *sums)
{
    if (shape->window <= STRIP_DIRECT) {
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

static void accumulate(int64_t n, double *sum, const double *with)
{
    for (int64_t i = 0; i < n; i++) {
        sum[i] += with[i];
    }
}

static void join(int64_t n, double *restrict prefix, const double *restrict entered,
                 const double *restrict suffix, double *restrict sums)
{
    for (int64_t i = 0; i < n; i++) {
        prefix[i] += entered[i];
        sums[i] = suffix[i] + prefix[i];
    }
}

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
