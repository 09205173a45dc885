/* Keys of windows of integers among which a filter chooses on a device. All have one area, so the
 * window whose channels' keys add up to less varies less. In C11 and in CUDA C++17. */
#ifndef SATF_SUMS_CHOICE_KEYS_H
#define SATF_SUMS_CHOICE_KEYS_H

#include "../../satfilter/formula.h"

/* A S2 - S^2 of a channel. It is at most (A M / 2)^2, M being the largest sample, so the keys of
 * four channels add up to less than 2^64 if A is at most 255^2 and M at most 65535. */
SATF_FORMULA uint64_t choice_key(uint32_t area, uint64_t sum, uint64_t square)
{
    return area * square - sum * sum;
}

/* The least type that holds the keys: A M / 2 < 2^16, rounded down, if (A M / 2)^2 < 2^32. */
SATF_FORMULA satf_type choice_key_type(uint64_t area, uint64_t max)
{
    return area * max / 2 < 65536 ? SATF_U32 : SATF_U64;
}

#endif
