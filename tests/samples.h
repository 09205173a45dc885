/* Samples of any type: as numbers, and of noise. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include "test.h"

#include "base/view.h"
#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Sample s of a packed picture. */
static inline long double sample_of(const satf_view *v, size_t s)
{
    const char *at = (const char *)v->data + s * satf_type_bytes(v->type);
    if (v->type == SATF_U64) {
        return ((const uint64_t *)v->data)[s];
    }
    return v->type == SATF_I64 ? ((const int64_t *)v->data)[s]
                               : (long double)read_sample(v->type, at);
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
