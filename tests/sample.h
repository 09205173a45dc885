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
    X(SATF_F64, double)
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

static inline double read_sample(int type, const void *from)
{
    switch (type) {
        SAMPLE_TYPES(SAMPLE_READ)
    default:
        return NAN;
    }
}

/* Of integers saturated. */
static inline void write_sample(int type, double value, void *to)
{
    double max = (double)satf_type_max(type);
    value = max == 0 ? value : fmin(fmax(value, 0), max);
    switch (type) {
        SAMPLE_TYPES(SAMPLE_WRITE)
    default:
        break;
    }
}

/* Sample i of row y of packed pixels: channel c of pixel x is x * channels + c. */
static inline double sample_at(const satf_view *view, int64_t y, int64_t i)
{
    size_t bytes = satf_type_bytes(view->type);
    return read_sample(view->type, (const char *)satf_row(view, y) + (size_t)i * bytes);
}

static inline void put_at(const satf_view *view, int64_t y, int64_t i, double value)
{
    size_t bytes = satf_type_bytes(view->type);
    write_sample(view->type, value, (char *)satf_row(view, y) + (size_t)i * bytes);
}

#endif
