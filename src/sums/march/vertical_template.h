/*
 * The vertical kernels of one pair of types; kernels.c includes this once a
 * pair. SRC is the row's type, COL the column sum's, WORK what products are
 * formed in (at least unsigned, so that nothing is promoted to int and overflows).
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

static inline __attribute__((always_inline)) void NAME(march_case)(bool square, int64_t n,
                                                                   COL *restrict sums,
                                                                   const char *restrict enter,
                                                                   const char *restrict leave)
{
    for (int64_t i = 0; i < n; i++) {
        sums[i] =
            (COL)(sums[i] + (COL)NAME(term)(square, enter, i) - (COL)NAME(term)(square, leave, i));
    }
}

static void NAME(march)(const vertical_row *shape, void *sums, const void *enter, const void *leave)
{
    int64_t n = shape->pixels * shape->channels;
    if (shape->summand == SATF_SUMMAND_SQUARE) {
        NAME(march_case)(true, n, sums, enter, leave);
    } else {
        NAME(march_case)(false, n, sums, enter, leave);
    }
}

#undef WEIGHTED
#undef SRC
#undef COL
#undef WORK
#undef NAME
