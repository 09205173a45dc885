/*
 * Floats of 16 bits: IEEE's f16, of 5 bits of exponent and 10 of fraction, and bf16, of 8 and 7. A
 * leaf, valid in C11 and in CUDA C++17.
 */
#ifndef SATF_FORMULA_HALF_H
#define SATF_FORMULA_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define SATF_HALF static inline __host__ __device__
#else
#define SATF_HALF static inline __attribute__((always_inline))
#endif

/* The number that a half is, exactly. */
SATF_HALF float half_number(int brain, uint16_t half)
{
    uint32_t bits = brain ? (uint32_t)half << 16 : (uint32_t)(half & 0x7fff) << 13;
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, special = (half & 0x7c00) == 0x7c00;
    float number;
    memcpy(&number, &bits, sizeof number);
    if (brain) {
        return number;
    }
    number = number * 0x1p112f; /* the exponents' biases differ by that */
    memcpy(&bits, &number, sizeof bits);
    bits = (special ? bits | 0x7f800000 : bits) | sign;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The half that is nearest to a number, halves to even; infinite beyond the largest. */
SATF_HALF uint16_t half_nearest(int brain, double number)
{
    const int kept = brain ? 7 : 10;
    const uint64_t bias = brain ? 127 : 15, special = brain ? 0x7f80 : 0x7c00;
    double size = fabs(number), least = brain ? 0x1p-126 : 0x1p-14;
    uint64_t bits, size_bits, half;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&size_bits, &size, sizeof size_bits);
    if (size != size) {
        half = special | 1ull << (kept - 1);
    } else if (size < least) { /* in steps of the least one above 0 */
        half = (uint64_t)((size * (brain ? 0x1p133 : 0x1p24) + 0x1p52) - 0x1p52);
    } else {
        size_bits += (1ull << (51 - kept)) - 1 + (size_bits >> (52 - kept) & 1);
        half = (size_bits >> (52 - kept)) - ((1023 - bias) << kept);
        half = half < special ? half : special;
    }
    return (uint16_t)(half | bits >> 63 << 15);
}

#endif
