/* The sum type of a job, and rows of summands. */
#include "sums.h"

#include <string.h>

#include "../base/view.h"

/* X(NAME, Type, the satf_type of the same numbers) */
#define SUM_TYPES(X)           \
    X(U16, uint16_t, SATF_U16) \
    X(U32, uint32_t, SATF_U32) \
    X(U64, uint64_t, SATF_U64) \
    X(U128, satf_u128, -1)     \
    X(F64, double, SATF_F64)

size_t satf_sum_bytes(satf_sum_type type)
{
#define BYTES_CASE(NAME, Type, samples) \
    case SATF_SUM_##NAME:               \
        return sizeof(Type);
    switch (type) {
        SUM_TYPES(BYTES_CASE)
    }
    return 0;
}

int satf_sum_samples(satf_sum_type type)
{
#define SAMPLES_CASE(NAME, Type, samples) \
    case SATF_SUM_##NAME:                 \
        return samples;
    switch (type) {
        SUM_TYPES(SAMPLES_CASE)
    }
    return -1;
}

uint64_t satf_summand_max(satf_type type, satf_summand summand)
{
    uint64_t max = satf_type_max(type);
    switch (summand) {
    case SATF_SUMMAND_PLAIN:
        return max;
    case SATF_SUMMAND_SQUARE:
    case SATF_SUMMAND_WEIGHTED:
        return max * max;
    default:
        return max * max * max;
    }
}

satf_sum_type satf_sum_type_for(satf_type type, satf_summand summand, uint64_t area,
                                satf_sum_type least)
{
    if (satf_type_is_float(type)) {
        return SATF_SUM_F64;
    }
    satf_u128 largest = (satf_u128)satf_summand_max(type, summand) * area;
    satf_sum_type fits = largest <= UINT16_MAX   ? SATF_SUM_U16
                         : largest <= UINT32_MAX ? SATF_SUM_U32
                         : largest <= UINT64_MAX ? SATF_SUM_U64
                                                 : SATF_SUM_U128;
    return fits > least ? fits : least;
}

/* The four summands of one sample type in one sum type. Src is the sample's
 * type, Sum the sum's; both products are formed in Sum. */
#define SUMMANDS(Src, Sum)                                                                  \
    static void summands_##Src##_##Sum(int channels, satf_summand summand, const char *src, \
                                       int64_t pixels, void *to)                            \
    {                                                                                       \
        Sum *restrict dst = to;                                                             \
        int64_t samples = pixels * channels;                                                \
        if (summand == SATF_SUMMAND_PLAIN || summand == SATF_SUMMAND_SQUARE) {              \
            for (int64_t i = 0; i < samples; i++) {                                         \
                Src a;                                                                      \
                memcpy(&a, src + i * (int64_t)sizeof a, sizeof a);                          \
                dst[i] = summand == SATF_SUMMAND_PLAIN ? (Sum)a : (Sum)((Sum)a * (Sum)a);   \
            }                                                                               \
            return;                                                                         \
        }                                                                                   \
        for (int64_t p = 0; p < pixels; p++) {                                              \
            Src pixel[SATF_MAX_CHANNELS];                                                   \
            size_t bytes = (size_t)channels * sizeof *pixel;                                \
            memcpy(pixel, src + p * (int64_t)bytes, bytes);                                 \
            Sum w = (Sum)pixel[channels - 1];                                               \
            for (int k = 0; k < channels - 1; k++) {                                        \
                Sum c = (Sum)pixel[k];                                                      \
                dst[p * channels + k] =                                                     \
                    (Sum)(summand == SATF_SUMMAND_WEIGHTED ? c * w : (Sum)(c * c) * w);     \
            }                                                                               \
            dst[p * channels + channels - 1] = w;                                           \
        }                                                                                   \
    }

SUMMANDS(uint8_t, uint16_t)
SUMMANDS(uint8_t, uint32_t)
SUMMANDS(uint8_t, uint64_t)
SUMMANDS(uint8_t, satf_u128)
SUMMANDS(uint16_t, uint16_t)
SUMMANDS(uint16_t, uint32_t)
SUMMANDS(uint16_t, uint64_t)
SUMMANDS(uint16_t, satf_u128)
SUMMANDS(float, double)
SUMMANDS(double, double)

void satf_summands(satf_type type, int channels, satf_summand summand, const void *src,
                   int64_t pixels, satf_sum_type sum_type, void *dst)
{
    static void (*const integers[2][SATF_SUM_U128 + 1])(int, satf_summand, const char *, int64_t,
                                                        void *) = {
        {summands_uint8_t_uint16_t, summands_uint8_t_uint32_t, summands_uint8_t_uint64_t,
         summands_uint8_t_satf_u128},
        {summands_uint16_t_uint16_t, summands_uint16_t_uint32_t, summands_uint16_t_uint64_t,
         summands_uint16_t_satf_u128}};
    if (type == SATF_F32) {
        summands_float_double(channels, summand, src, pixels, dst);
    } else if (type == SATF_F64) {
        summands_double_double(channels, summand, src, pixels, dst);
    } else {
        integers[type == SATF_U16][sum_type](channels, summand, src, pixels, dst);
    }
}
