/* base: sum types and summands, against their definitions. */
#include "test.h"

#include "sat/sums.h"
#include "base/view.h"

TEST(sum_types)
{
    static const struct {
        satf_type type;
        satf_summand summand;
        uint64_t pixels;
        satf_sum_type least, wanted;
    } cases[] = {
        /* the largest areas that fit 16 and 32 bits, see docs/numbers.md */
        {SATF_U8, SATF_SUMMAND_PLAIN, 257, SATF_SUM_U16, SATF_SUM_U16},
        {SATF_U8, SATF_SUMMAND_PLAIN, 258, SATF_SUM_U16, SATF_SUM_U32},
        {SATF_U8, SATF_SUMMAND_PLAIN, 16843009, SATF_SUM_U16, SATF_SUM_U32},
        {SATF_U8, SATF_SUMMAND_PLAIN, 16843010, SATF_SUM_U16, SATF_SUM_U64},
        {SATF_U16, SATF_SUMMAND_PLAIN, 65537, SATF_SUM_U32, SATF_SUM_U32},
        {SATF_U16, SATF_SUMMAND_PLAIN, 65538, SATF_SUM_U32, SATF_SUM_U64},
        {SATF_U8, SATF_SUMMAND_SQUARE, 66051, SATF_SUM_U32, SATF_SUM_U32},
        {SATF_U8, SATF_SUMMAND_SQUARE, 66052, SATF_SUM_U32, SATF_SUM_U64},
        {SATF_U16, SATF_SUMMAND_WEIGHTED_SQUARE, 1 << 20, SATF_SUM_U16, SATF_SUM_U128},
        {SATF_U8, SATF_SUMMAND_PLAIN, 1, SATF_SUM_U64, SATF_SUM_U64},
        {SATF_F32, SATF_SUMMAND_SQUARE, 1, SATF_SUM_U16, SATF_SUM_F64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            satf_sum_type_for(cases[i].type, cases[i].summand, cases[i].pixels, cases[i].least),
            cases[i].wanted);
    }
    assert_int_equal(satf_sum_bytes(SATF_SUM_U16), 2);
    assert_int_equal(satf_sum_bytes(SATF_SUM_U128), 16);
    assert_int_equal(satf_sum_bytes(SATF_SUM_F64), 8);
}

/* Number i of those at that address. */
typedef union number {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    satf_u128 u128;
    float f32;
    double f64;
} number;

static number number_at(const char *from, int64_t i, size_t bytes)
{
    number n = {0};
    memcpy(&n, from + i * (int64_t)bytes, bytes);
    return n;
}

static double sample_at(satf_type type, const char *src, int64_t i)
{
    number n = number_at(src, i, satf_type_bytes(type));
    return type == SATF_U8    ? n.u8
           : type == SATF_U16 ? n.u16
           : type == SATF_F32 ? (double)n.f32
                              : n.f64;
}

static double sum_at(satf_sum_type type, const char *sums, int64_t i)
{
    number n = number_at(sums, i, (size_t)satf_sum_bytes(type));
    return type == SATF_SUM_U16    ? n.u16
           : type == SATF_SUM_U32  ? n.u32
           : type == SATF_SUM_U64  ? (double)n.u64
           : type == SATF_SUM_U128 ? (double)n.u128
                                   : n.f64;
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
            number n = type == SATF_U8    ? (number){.u8 = (uint8_t)(i % 5 ? seed >> 24 : 255)}
                       : type == SATF_U16 ? (number){.u16 = (uint16_t)(i % 5 ? seed >> 16 : 65535)}
                       : type == SATF_F32 ? (number){.f32 = (float)(seed >> 8) / 65536 - 128}
                                          : (number){.f64 = (double)seed / 1024 - 1e6};
            size_t bytes = satf_type_bytes(type);
            memcpy(samples + (size_t)i * bytes, &n, bytes);
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
