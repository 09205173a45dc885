/* The sum type of a job, and rows of summands. */
#include "sums.h"

#include <string.h>

#include "../base/view.h"

size_t satf_sum_bytes(satf_sum_type type)
{
    switch (type) {
    case SATF_SUM_U16:
        return sizeof(uint16_t);
    case SATF_SUM_U32:
        return sizeof(uint32_t);
    case SATF_SUM_U64:
        return sizeof(uint64_t);
    case SATF_SUM_U128:
        return sizeof(satf_u128);
    case SATF_SUM_F64:
        return sizeof(double);
    }
    return 0;
}

int satf_sum_samples(satf_sum_type type)
{
    switch (type) {
    case SATF_SUM_U16:
        return SATF_U16;
    case SATF_SUM_U32:
        return SATF_U32;
    case SATF_SUM_U64:
        return SATF_U64;
    case SATF_SUM_F64:
        return SATF_F64;
    case SATF_SUM_U128:
        break;
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
                                       int64_t pixels, Sum *restrict dst)                   \
    {                                                                                       \
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
#define CASE(Src, Sum)                                           \
    summands_##Src##_##Sum(channels, summand, src, pixels, dst); \
    break
    switch (type) {
    case SATF_U8:
        switch (sum_type) {
        case SATF_SUM_U16:
            CASE(uint8_t, uint16_t);
        case SATF_SUM_U32:
            CASE(uint8_t, uint32_t);
        case SATF_SUM_U64:
            CASE(uint8_t, uint64_t);
        default:
            CASE(uint8_t, satf_u128);
        }
        break;
    case SATF_U16:
        switch (sum_type) {
        case SATF_SUM_U16:
            CASE(uint16_t, uint16_t);
        case SATF_SUM_U32:
            CASE(uint16_t, uint32_t);
        case SATF_SUM_U64:
            CASE(uint16_t, uint64_t);
        default:
            CASE(uint16_t, satf_u128);
        }
        break;
    case SATF_F32:
        CASE(float, double);
    default:
        CASE(double, double);
    }
#undef CASE
}
