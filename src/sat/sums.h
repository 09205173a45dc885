/* The types of sums, and what is summed: shared by tables and running sums. */
#ifndef SATF_SAT_SUMS_H
#define SATF_SAT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../satfilter.h"

__extension__ typedef unsigned __int128 satf_u128;

/* Integer sums are modulo 2^bits; a sum that fits is exact however it was reached. */
typedef enum satf_sum_type {
    SATF_SUM_U16,
    SATF_SUM_U32,
    SATF_SUM_U64,
    SATF_SUM_U128, /* only squares of 16-bit colour weighted by 16-bit alpha need it */
    SATF_SUM_F64
} satf_sum_type;

size_t satf_sum_bytes(satf_sum_type type);

/* The satf_type with the numbers of the sum type; -1: there is none. */
int satf_sum_samples(satf_sum_type type);

/* What a sum is a sum of. "a" is a sample, "c" a colour sample, "w" the pixel's alpha. */
typedef enum satf_summand {
    SATF_SUMMAND_PLAIN,          /* a */
    SATF_SUMMAND_SQUARE,         /* a * a */
    SATF_SUMMAND_WEIGHTED,       /* c * w; in the alpha lane w */
    SATF_SUMMAND_WEIGHTED_SQUARE /* c * c * w; in the alpha lane w */
} satf_summand;

/* The largest summand of that integer sample type (u8, u16). */
uint64_t satf_summand_max(satf_type type, satf_summand summand);

/* The narrowest sum type, but not below `least`, that holds area summands of
 * that sample type; SATF_SUM_F64 for floats. area >= 1, below 2^63. */
satf_sum_type satf_sum_type_for(satf_type type, satf_summand summand, uint64_t area,
                                satf_sum_type least);

/*
 * dst[i] = summand i of `pixels` pixels of `channels` interleaved samples at
 * src (no alignment needed), as sum_type. The weighted summands take the last
 * channel as alpha (channels >= 2). Float products are formed in double.
 * sum_type must hold one summand.
 */
void satf_summands(satf_type type, int channels, satf_summand summand, const void *src,
                   int64_t pixels, satf_sum_type sum_type, void *dst);

#endif
