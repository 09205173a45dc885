/* A mix of images: each pixel of the result is made of their pixels at its place, on the CPU or on
 * a device. */
#ifndef SATF_FORMULA_MIX_H
#define SATF_FORMULA_MIX_H

#include "../base/device/gpu.h"
#include "formulas.h"

/* All images have one size and lie on one device, or all on the host. */
struct filter_mix {
    int number; /* a mix_number */
    int count;  /* of the images that it sees */
    satf_view of[FORMULA_MIXED], out;
    formula_sums common; /* what all samples have in common */
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options; /* the filter's own; what they point to is not there */
};

/* A row of the result, of rows of the images, wherever they lie. */
void filter_mix_row(const filter_mix *mix, const void *const *rows, void *to);

#endif
