/* Samples of any type: as numbers, and of noise. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include "test.h"

#include "base/view.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The float of 16 bits, of that many of fraction. */
static inline double narrow_float(unsigned bits, int fraction)
{
    int exponent = (int)(bits & 0x7fff) >> fraction, most = (1 << (15 - fraction)) - 1;
    double m = (double)(bits & ((1u << fraction) - 1)),
           size = exponent == most ? (m != 0 ? NAN : INFINITY)
                                   : ldexp(exponent ? ldexp(1, fraction) + m : m,
                                           (exponent ? exponent : 1) - most / 2 - fraction);
    return bits & 0x8000 ? -size : size;
}

/* Sample s of a packed picture. */
static inline long double sample_of(const satf_view *v, size_t s)
{
    const void *data = v->data;
    switch ((satf_type)v->type) {
    case SATF_U8:
        return ((const uint8_t *)data)[s];
    case SATF_U16:
        return ((const uint16_t *)data)[s];
    case SATF_U32:
        return ((const uint32_t *)data)[s];
    case SATF_U64:
        return ((const uint64_t *)data)[s];
    case SATF_I8:
        return ((const int8_t *)data)[s];
    case SATF_I16:
        return ((const int16_t *)data)[s];
    case SATF_I32:
        return ((const int32_t *)data)[s];
    case SATF_I64:
        return ((const int64_t *)data)[s];
    case SATF_F16:
        return narrow_float(((const uint16_t *)data)[s], 10);
    case SATF_BF16:
        return narrow_float(((const uint16_t *)data)[s], 7);
    case SATF_F32:
        return ((const float *)data)[s];
    default:
        return ((const double *)data)[s];
    }
}

/* Sample s of it becomes a number below 2^24, with either sign where the type has one, or a
 * fraction of either sign. */
static inline void put_noise(const satf_view *v, size_t s, uint32_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const float f32 = (float)value / 1000 - 5;
    const double f64 = (double)value / 3 - 1e4;
    const int32_t i32 = (int32_t)value - (1 << 23);
    const int64_t i64 = i32;
    const uint16_t f16 = (uint16_t)(value % 0x7c00 | (value & 0x100) << 7);
    const void *const as[] = {
        [SATF_U8] = &u8,   [SATF_U16] = &u16, [SATF_F32] = &f32, [SATF_F64] = &f64, [SATF_I8] = &u8,
        [SATF_I16] = &u16, [SATF_I32] = &i32, [SATF_I64] = &i64, [SATF_F16] = &f16};
    size_t sample = satf_type_bytes(v->type);
    memcpy((char *)v->data + s * sample, as[v->type], sample);
}

#endif
