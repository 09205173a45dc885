/*
 * The kernels of sums down columns for one pair of types; kernels.c includes this once a pair. SRC
 * is the row's type, COL the column sum's, WORK the type of products (at least unsigned, so that
 * nothing is promoted to int and overflows).
 */

static inline __attribute__((always_inline)) WORK NAME(load)(const char *row, int64_t i)
{
    SRC sample;
    memcpy(&sample, row + i * (int64_t)sizeof sample, sizeof sample);
    return (WORK)sample;
}

#ifdef WEIGHTED
/* Called with constants for channels and square, so that each case is a loop of its own. */
static inline __attribute__((always_inline)) void
NAME(weigh)(int channels, bool square, int64_t pixels, const char *restrict row, COL *restrict out)
{
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        WORK w = NAME(load)(row, i + channels - 1);
        for (int k = 0; k < channels - 1; k++) {
            WORK a = NAME(load)(row, i + k);
            out[i + k] = (COL)((square ? a * a * w : a * w) + (WORK)0);
        }
        out[i + channels - 1] = (COL)(w + (WORK)0);
    }
}

static void NAME(summands)(const vertical_row *shape, const void *row, void *out)
{
    bool square = shape->summand == SATF_SUMMAND_WEIGHTED_SQUARE;
    int64_t n = shape->pixels * shape->channels;
    const char *restrict from = row;
    COL *restrict to = out;
    if (shape->summand == SATF_SUMMAND_PLAIN) {
        for (int64_t i = 0; i < n; i++) {
            to[i] = (COL)(NAME(load)(from, i) + (WORK)0);
        }
    } else if (shape->summand == SATF_SUMMAND_SQUARE) {
        for (int64_t i = 0; i < n; i++) {
            WORK a = NAME(load)(from, i);
            to[i] = (COL)(a * a);
        }
    } else if (shape->channels == 2) {
        NAME(weigh)(2, square, shape->pixels, row, out);
    } else if (shape->channels == 3) {
        NAME(weigh)(3, square, shape->pixels, row, out);
    } else {
        NAME(weigh)(4, square, shape->pixels, row, out);
    }
}
#endif

static inline __attribute__((always_inline)) WORK NAME(term)(bool square, const char *row,
                                                             int64_t i)
{
    WORK a = NAME(load)(row, i);
    return square ? a * a : a;
}

static void NAME(add)(const vertical_row *shape, void *sums, const void *row, int64_t times)
{
    int64_t n = shape->pixels * shape->channels;
    const char *restrict from = row;
    COL *restrict sum = sums;
    if (shape->summand == SATF_SUMMAND_SQUARE) {
        for (int64_t i = 0; i < n; i++) {
            sum[i] = (COL)(sum[i] + (COL)((WORK)times * NAME(term)(true, from, i)));
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            sum[i] = (COL)(sum[i] + (COL)((WORK)times * NAME(term)(false, from, i)));
        }
    }
}

static inline __attribute__((always_inline)) void
NAME(march_apart)(bool square, int64_t n, const COL *restrict from, const char *restrict enter,
                  const char *restrict leave, COL *restrict to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] =
            (COL)(from[i] + (COL)NAME(term)(square, enter, i) - (COL)NAME(term)(square, leave, i));
    }
}

static inline __attribute__((always_inline)) void NAME(march_in_place)(bool square, int64_t n,
                                                                       const char *restrict enter,
                                                                       const char *restrict leave,
                                                                       COL *restrict sum)
{
    for (int64_t i = 0; i < n; i++) {
        sum[i] =
            (COL)(sum[i] + (COL)NAME(term)(square, enter, i) - (COL)NAME(term)(square, leave, i));
    }
}

static inline __attribute__((always_inline)) void NAME(march_case)(bool square, int64_t n,
                                                                   const void *from,
                                                                   const void *enter,
                                                                   const void *leave, void *to)
{
    if (from == to) {
        NAME(march_in_place)(square, n, enter, leave, to);
    } else {
        NAME(march_apart)(square, n, from, enter, leave, to);
    }
}

static void NAME(march)(const vertical_row *shape, const void *from, const void *enter,
                        const void *leave, void *to)
{
    int64_t n = shape->pixels * shape->channels;
    if (shape->summand == SATF_SUMMAND_SQUARE) {
        NAME(march_case)(true, n, from, enter, leave, to);
    } else {
        NAME(march_case)(false, n, from, enter, leave, to);
    }
}

#ifdef LOAD_DOUBLES
static inline __attribute__((always_inline)) void NAME(sum_case)(const int count, const int results,
                                                                 int64_t n, const void *const *rows,
                                                                 double *restrict to, int64_t pitch)
{
    const char *row[VERTICAL_DIRECT + VERTICAL_RESULTS - 1];
    memcpy(row, rows, (size_t)(count + results - 1) * sizeof *rows);
    int64_t i = 0;
    for (; i + REALS_LANES <= n; i += REALS_LANES) {
        reals sums[VERTICAL_RESULTS];
#pragma GCC unroll 8
        for (int k = 0; k < count + results - 1; k++) {
            reals samples = LOAD_DOUBLES(row[k] + i * (int64_t)sizeof(SRC));
#pragma GCC unroll 4
            for (int r = 0; r < results; r++) {
                if (k == r) {
                    sums[r] = samples;
                } else if (k > r && k < r + count) {
                    sums[r] += samples;
                }
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < results; r++) {
            *(reals *)(to + r * pitch + i) = sums[r];
        }
    }
    for (; i < n; i++) {
        for (int r = 0; r < results; r++) {
            double sum = NAME(load)(row[r], i);
            for (int k = r + 1; k < r + count; k++) {
                sum += NAME(load)(row[k], i);
            }
            to[r * pitch + i] = sum;
        }
    }
}

static void NAME(sum)(int count, int results, int64_t n, const void *const *rows, double *to,
                      int64_t pitch)
{
    switch (results == 1 ? count : count + VERTICAL_DIRECT) {
#define CASE(count)                                                  \
    case count:                                                      \
        NAME(sum_case)(count, 1, n, rows, to, pitch);                \
        break;                                                       \
    case count + VERTICAL_DIRECT:                                    \
        NAME(sum_case)(count, VERTICAL_RESULTS, n, rows, to, pitch); \
        break;
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
#undef CASE
    }
}
#endif

#undef WEIGHTED
#undef LOAD_DOUBLES
#undef SRC
#undef COL
#undef WORK
#undef NAME
