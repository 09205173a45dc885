/*
 * The vertical kernels of one pair of types; kernels.c includes this once a
 * pair. SRC is the sample's type, COL the column sum's, WORK what products are
 * formed in (at least unsigned, so that nothing is promoted to int and overflows).
 */

static inline __attribute__((always_inline)) SRC NAME(load)(const char *row, int64_t i)
{
    SRC sample;
    memcpy(&sample, row + i * (int64_t)sizeof sample, sizeof sample);
    return sample;
}

/* Summand i of row; k is the sample's channel of `channels`. */
static inline __attribute__((always_inline)) WORK NAME(term)(satf_summand summand, const char *row,
                                                             int64_t i, int k, int channels)
{
    WORK a = (WORK)NAME(load)(row, i);
    if (summand == SATF_SUMMAND_PLAIN) {
        return a;
    }
    if (summand == SATF_SUMMAND_SQUARE) {
        return a * a;
    }
    if (k == channels - 1) {
        return a;
    }
    WORK w = (WORK)NAME(load)(row, i - k + channels - 1);
    return summand == SATF_SUMMAND_WEIGHTED ? a * w : a * a * w;
}

/* Runs `statement` for every sample i with its channel k; called with constants
 * for summand and channels, so that each case is a loop of its own. */
#define EACH_SAMPLE(statement)                                             \
    if (summand == SATF_SUMMAND_PLAIN || summand == SATF_SUMMAND_SQUARE) { \
        for (int64_t i = 0; i < pixels * channels; i++) {                  \
            const int k = 0;                                               \
            statement;                                                     \
        }                                                                  \
    } else {                                                               \
        for (int64_t p = 0; p < pixels; p++) {                             \
            for (int k = 0; k < channels; k++) {                           \
                int64_t i = p * channels + k;                              \
                statement;                                                 \
            }                                                              \
        }                                                                  \
    }

static inline __attribute__((always_inline)) void
NAME(add_case)(satf_summand summand, int channels, int64_t pixels, COL *sums, const COL *base,
               const char *restrict row, int64_t times)
{
    if (times == 1) {
        EACH_SAMPLE(sums[i] = (COL)(base[i] + (COL)NAME(term)(summand, row, i, k, channels)))
    } else {
        EACH_SAMPLE(sums[i] = (COL)(base[i] +
                                    (COL)((WORK)times * NAME(term)(summand, row, i, k, channels))))
    }
}

static inline __attribute__((always_inline)) void
NAME(add_both_case)(satf_summand summand, int channels, int64_t pixels, COL *restrict sums,
                    COL *restrict running, const COL *restrict part, const char *restrict row)
{
    EACH_SAMPLE(COL sum = (COL)(running[i] + (COL)NAME(term)(summand, row, i, k, channels));
                running[i] = sum; sums[i] = (COL)(part[i] + sum))
}

static inline __attribute__((always_inline)) void
NAME(march_case)(satf_summand summand, int channels, int64_t pixels, COL *restrict sums,
                 const char *restrict enter, const char *restrict leave)
{
    EACH_SAMPLE(sums[i] = (COL)(sums[i] + (COL)NAME(term)(summand, enter, i, k, channels) -
                                (COL)NAME(term)(summand, leave, i, k, channels)))
}

#undef EACH_SAMPLE

#define BY_SUMMAND(f, ...)                                        \
    switch (shape->summand) {                                     \
    case SATF_SUMMAND_PLAIN:                                      \
        f(SATF_SUMMAND_PLAIN, shape->channels, __VA_ARGS__);      \
        break;                                                    \
    case SATF_SUMMAND_SQUARE:                                     \
        f(SATF_SUMMAND_SQUARE, shape->channels, __VA_ARGS__);     \
        break;                                                    \
    case SATF_SUMMAND_WEIGHTED:                                   \
        BY_CHANNELS(f, SATF_SUMMAND_WEIGHTED, __VA_ARGS__)        \
        break;                                                    \
    default:                                                      \
        BY_CHANNELS(f, SATF_SUMMAND_WEIGHTED_SQUARE, __VA_ARGS__) \
    }
#define BY_CHANNELS(f, summand, ...)   \
    if (shape->channels == 2) {        \
        f(summand, 2, __VA_ARGS__);    \
    } else if (shape->channels == 3) { \
        f(summand, 3, __VA_ARGS__);    \
    } else {                           \
        f(summand, 4, __VA_ARGS__);    \
    }

static void NAME(add)(const vertical_row *shape, void *sums, const void *base, const void *row,
                      int64_t times)
{
    BY_SUMMAND(NAME(add_case), shape->pixels, sums, base, row, times)
}

static void NAME(add_both)(const vertical_row *shape, void *sums, void *running, const void *part,
                           const void *row)
{
    BY_SUMMAND(NAME(add_both_case), shape->pixels, sums, running, part, row)
}

static void NAME(march)(const vertical_row *shape, void *sums, const void *enter, const void *leave)
{
    BY_SUMMAND(NAME(march_case), shape->pixels, sums, enter, leave)
}

#undef BY_SUMMAND
#undef BY_CHANNELS
#undef SRC
#undef COL
#undef WORK
#undef NAME
