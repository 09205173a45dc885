/* Samples of any type as numbers, for the tests. */
#ifndef SATF_TESTS_SAMPLE_H
#define SATF_TESTS_SAMPLE_H

#include "test.h"

#include "base/view.h"

static inline double read_sample(int type, const void *at)
{
    float f32;
    double f64;
    uint64_t integer = 0;
    if (type == SATF_F32) {
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    }
    if (type == SATF_F64) {
        memcpy(&f64, at, sizeof f64);
        return f64;
    }
    memcpy(&integer, at, satf_type_bytes(type)); /* little endian */
    return (double)integer;
}

#endif
