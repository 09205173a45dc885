/* How far a device's real results of floats may be from the CPU's. */
#ifndef SATF_TESTS_GPU_NEAR_H
#define SATF_TESTS_GPU_NEAR_H

#include "test.h"

#include "base/view.h"
#include "filter/pass.h"

/* Moments of floats are taken around shifts, which are not the same on both, so products that no
 * double holds round otherwise. Samples and constants are below 200. Of other filters that read
 * such moments a deviation near 0, which is off the most, counts by the greatest result. */
static inline bool is_near(const char *name, int in_type, int type, double greatest, double x,
                           double y)
{
    bool root = strcmp(name, "stddev") == 0, variance = strcmp(name, "variance") == 0;
    if (!root && !variance && filter_has_shifts(filter_last(filter_info_find(name)))) {
        return satf_type_is_float(in_type) && fabs(x - y) <= 0x1p-16 * greatest;
    }
    double scale = root ? fabs(x) + fabs(y) : 1, rounding = type == SATF_F32 ? 0x1p-22 : 0;
    return (root || variance) && satf_type_is_float(in_type) &&
           fabs(x - y) * scale <= 64 * 0x1p-53 * 200 * 200 + rounding * fabs(x) * scale;
}

static inline double number_of(int type, const char *sample)
{
    float f;
    double d;
    uint64_t integer = 0;
    if (type == SATF_F32) {
        memcpy(&f, sample, sizeof f);
        return (double)f;
    }
    if (type == SATF_F64) {
        memcpy(&d, sample, sizeof d);
        return d;
    }
    memcpy(&integer, sample, satf_type_bytes(type)); /* little endian */
    return (double)integer;
}

/* The greatest magnitude of a finite real sample. */
static inline double greatest_of(const satf_view *view)
{
    double greatest = 0;
    size_t bytes = satf_type_bytes(view->type);
    for (int64_t y = 0; y < view->height; y++) {
        const char *row = satf_row(view, y);
        for (int64_t i = 0; i < satf_row_samples(view); i++) {
            double d = fabs(number_of(view->type, row + (size_t)i * bytes));
            greatest = isfinite(d) && d > greatest ? d : greatest;
        }
    }
    return greatest;
}

#endif
