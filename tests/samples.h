/* Samples of any type: as numbers, and of noise. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include "test.h"

#include "base/view.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    case SATF_F32:
        return ((const float *)data)[s];
    default:
        return ((const double *)data)[s];
    }
}

/* Sample s of it becomes a number below 2^24, or a fraction of either sign. */
static inline void put_noise(const satf_view *v, size_t s, uint32_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const float f32 = (float)value / 1000 - 5;
    const double f64 = (double)value / 3 - 1e4;
    const void *const as[] = {
        [SATF_U8] = &u8, [SATF_U16] = &u16, [SATF_F32] = &f32, [SATF_F64] = &f64};
    size_t sample = satf_type_bytes(v->type);
    memcpy((char *)v->data + s * sample, as[v->type], sample);
}

#endif
