/* base: sum types and summands, against their definitions. */
#include "test.h"

#include "base/sums.h"
#include "base/view.h"

TEST(sum_types)
{
    /* the largest areas that fit 16 and 32 bits, see docs/design.md */
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_PLAIN, 257, SATF_SUM_U16),
                     SATF_SUM_U16);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_PLAIN, 258, SATF_SUM_U16),
                     SATF_SUM_U32);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_PLAIN, 16843009, SATF_SUM_U16),
                     SATF_SUM_U32);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_PLAIN, 16843010, SATF_SUM_U16),
                     SATF_SUM_U64);
    assert_int_equal(satf_sum_type_for(SATF_U16, SATF_SUMMAND_PLAIN, 65537, SATF_SUM_U32),
                     SATF_SUM_U32);
    assert_int_equal(satf_sum_type_for(SATF_U16, SATF_SUMMAND_PLAIN, 65538, SATF_SUM_U32),
                     SATF_SUM_U64);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_SQUARE, 66051, SATF_SUM_U32),
                     SATF_SUM_U32);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_SQUARE, 66052, SATF_SUM_U32),
                     SATF_SUM_U64);
    assert_int_equal(
        satf_sum_type_for(SATF_U16, SATF_SUMMAND_WEIGHTED_SQUARE, 1 << 20, SATF_SUM_U16),
        SATF_SUM_U128);
    assert_int_equal(satf_sum_type_for(SATF_U8, SATF_SUMMAND_PLAIN, 1, SATF_SUM_U64), SATF_SUM_U64);
    assert_int_equal(satf_sum_type_for(SATF_F32, SATF_SUMMAND_SQUARE, 1, SATF_SUM_U16),
                     SATF_SUM_F64);
    assert_int_equal(satf_sum_bytes(SATF_SUM_U16), 2);
    assert_int_equal(satf_sum_bytes(SATF_SUM_U128), 16);
    assert_int_equal(satf_sum_bytes(SATF_SUM_F64), 8);
}

static double sample_at(satf_type type, const char *src, int64_t i)
{
    switch (type) {
    case SATF_U8:
        return ((const unsigned char *)src)[i];
    case SATF_U16: {
        uint16_t a;
        memcpy(&a, src + 2 * i, sizeof a);
        return a;
    }
    case SATF_F32: {
        float a;
        memcpy(&a, src + 4 * i, sizeof a);
        return (double)a;
    }
    default: {
        double a;
        memcpy(&a, src + 8 * i, sizeof a);
        return a;
    }
    }
}

static double sum_at(satf_sum_type type, const char *sums, int64_t i)
{
    switch (type) {
    case SATF_SUM_U16: {
        uint16_t sum;
        memcpy(&sum, sums + 2 * i, sizeof sum);
        return sum;
    }
    case SATF_SUM_U32: {
        uint32_t sum;
        memcpy(&sum, sums + 4 * i, sizeof sum);
        return sum;
    }
    case SATF_SUM_U64: {
        uint64_t sum;
        memcpy(&sum, sums + 8 * i, sizeof sum);
        return (double)sum;
    }
    case SATF_SUM_U128: {
        satf_u128 sum;
        memcpy(&sum, sums + 16 * i, sizeof sum);
        return (double)sum;
    }
    default: {
        double sum;
        memcpy(&sum, sums + 8 * i, sizeof sum);
        return sum;
    }
    }
}

/* All types, channels and summands against the definition. Every
 * product here is below 2^53, so a double holds it exactly. */
TEST(summands)
{
    enum { PIXELS = 19, SAMPLES = PIXELS * SATF_MAX_CHANNELS };
    static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    char src[SAMPLES * 8 + 1];
    static _Alignas(16) char dst[SAMPLES * 16];
    unsigned seed = 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        satf_type type = types[t];
        char *samples = src + 1; /* no alignment is needed */
        for (int i = 0; i < SAMPLES; i++) {
            seed = seed * 1664525u + 1013904223u;
            uint8_t u8 = (uint8_t)(i % 5 ? seed >> 24 : 255);
            uint16_t u16 = (uint16_t)(i % 5 ? seed >> 16 : 65535);
            float f32 = (float)(seed >> 8) / 65536 - 128;
            double f64 = (double)seed / 1024 - 1e6;
            const void *from = type == SATF_U8    ? (const void *)&u8
                               : type == SATF_U16 ? (const void *)&u16
                               : type == SATF_F32 ? (const void *)&f32
                                                  : (const void *)&f64;
            size_t bytes = satf_type_bytes(type);
            memcpy(samples + (size_t)i * bytes, from, bytes);
        }
        for (int channels = 1; channels <= SATF_MAX_CHANNELS; channels++) {
            for (int what = SATF_SUMMAND_PLAIN; what <= SATF_SUMMAND_WEIGHTED_SQUARE; what++) {
                satf_summand summand = (satf_summand)what;
                bool weighted = what >= SATF_SUMMAND_WEIGHTED;
                if (weighted && channels < 2) {
                    continue;
                }
                satf_sum_type least = satf_sum_type_for(type, summand, 1, SATF_SUM_U16);
                satf_sum_type most = satf_type_is_float(type) ? SATF_SUM_F64 : SATF_SUM_U128;
                for (int sum = (int)least; sum <= (int)most; sum++) {
                    satf_summands(type, channels, summand, samples, PIXELS, (satf_sum_type)sum,
                                  dst);
                    for (int i = 0; i < PIXELS * channels; i++) {
                        int lane = i % channels;
                        double a = sample_at(type, samples, i);
                        double w = sample_at(type, samples, i - lane + channels - 1);
                        double wanted = what == SATF_SUMMAND_PLAIN      ? a
                                        : what == SATF_SUMMAND_SQUARE   ? a * a
                                        : lane == channels - 1          ? w
                                        : what == SATF_SUMMAND_WEIGHTED ? a * w
                                                                        : a * a * w;
                        double got = sum_at((satf_sum_type)sum, dst, i);
                        if (got != wanted) {
                            fail_msg("%s, %d channels, summand %d, sum type %d, sample %d: "
                                     "%.17g instead of %.17g",
                                     satf_type_name(type), channels, what, sum, i, got, wanted);
                        }
                    }
                }
            }
        }
    }
}
