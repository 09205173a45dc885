/* Powers for formulas: the same bits by every compiler, vector and device, which pow() has not. */
#ifndef SATF_MODULE_POWER_H
#define SATF_MODULE_POWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define SATF_FORMULA static inline __host__ __device__
#else
#define SATF_FORMULA static inline __attribute__((always_inline))
#endif

/* The base-2 logarithm of m 2^e, m being 0.7 ... 1.42: e + 2 atanh((m - 1) / (m + 1)) / ln 2. */
SATF_FORMULA double formula_log2(double x)
{
    const uint64_t one = 1023, least = UINT64_C(0x3fe6a09e667f3bcd); /* of m: the root of 1 / 2 */
    uint64_t bits, exponent, number;
    double e, m;
    memcpy(&bits, &x, sizeof bits);
    exponent = (bits - least + (one << 52)) >> 52; /* e + 1023 */
    bits = bits - (exponent << 52) + (one << 52);
    number = exponent | UINT64_C(0x4330000000000000); /* 2^52 + the exponent, as a double has it */
    memcpy(&m, &bits, sizeof m);
    memcpy(&e, &number, sizeof e);
    double s = (m - 1) / (m + 1), z = s * s, sum = 1.0 / 21;
    sum = sum * z + 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    return (e - (4503599627370496 + 1023)) + (s + s * z * sum) * 2.8853900817779268; /* 2 / ln 2 */
}

/* 2^t: below 2^-1022 it is 0, and from 2^1023.5 on infinite. */
SATF_FORMULA double formula_exp2(double t)
{
    t = t > -1023 ? t : -1023;
    t = t < 1024 ? t : 1024;
    const double to_units = 6755399441055744; /* 3 * 2^51: the last bit of what is near it is 1 */
    double n = (t + to_units) - to_units, r = (t - n) * 0.69314718055994531; /* ln 2 */
    double biased = n + (4503599627370496 + 1023), scale, sum = 1.0 / 6227020800;
    uint64_t bits;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 1.0 / 2;
    sum = sum * r + 1;
    sum = sum * r + 1;
    memcpy(&bits, &biased, sizeof bits);
    bits <<= 52;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* x to the y-th, y > 0, x >= 0, to some 2^-46 of it. What is below 2^-1022 counts as 0; NaN and
 * infinity stay. */
SATF_FORMULA double formula_power(double x, double y)
{
    double power = formula_exp2(y * formula_log2(x));
    power = x < 2.2250738585072014e-308 ? 0 : power;
    return x < INFINITY ? power : x;
}

#endif
