/* Samples of any type as numbers, for the tests. They need not be aligned. */
#ifndef SATF_TESTS_SAMPLE_H
#define SATF_TESTS_SAMPLE_H

#include "test.h"

#include "base/view.h"

#define SAMPLE_TYPES(X)   \
    X(SATF_U8, uint8_t)   \
    X(SATF_U16, uint16_t) \
    X(SATF_U32, uint32_t) \
    X(SATF_U64, uint64_t) \
    X(SATF_F32, float)    \
    X(SATF_F64, double)   \
    X(SATF_I8, int8_t)    \
    X(SATF_I16, int16_t)  \
    X(SATF_I32, int32_t)  \
    X(SATF_I64, int64_t)
#define SAMPLE_READ(kind, type)               \
    case kind: {                              \
        type sample;                          \
        memcpy(&sample, from, sizeof sample); \
        return (double)sample;                \
    }
#define SAMPLE_WRITE(kind, type)            \
    case kind: {                            \
        type sample = (type)value;          \
        memcpy(to, &sample, sizeof sample); \
        break;                              \
    }

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

static inline double read_sample(int type, const void *from)
{
    uint16_t bits;
    switch (type) {
        SAMPLE_TYPES(SAMPLE_READ)
    default:
        memcpy(&bits, from, sizeof bits);
        return narrow_float(bits, type == SATF_F16 ? 10 : 7);
    }
}

/* Of integers saturated. */
static inline void write_sample(int type, double value, void *to)
{
    double max = (double)satf_type_max(type), least = satf_type_is_signed(type) ? -max - 1 : 0;
    value = max == 0 ? value : fmin(fmax(value, least), max);
    switch (type) {
        SAMPLE_TYPES(SAMPLE_WRITE)
    default:
        break;
    }
}

/* Sample i of row y of packed pixels: channel c of pixel x is x * channels + c. */
static inline double sample_at(const satf_view *view, int64_t y, int64_t i)
{
    size_t size = satf_type_bytes(view->type);
    return read_sample(view->type, (const char *)satf_row(view, y) + (size_t)i * size);
}

static inline void put_at(const satf_view *view, int64_t y, int64_t i, double value)
{
    size_t size = satf_type_bytes(view->type);
    write_sample(view->type, value, (char *)satf_row(view, y) + (size_t)i * size);
}

#endif
