/*
 * Colour to grey, with the weights of ITU-R BT.601: integers become (299 R + 587 G + 114 B + 500)
 * div 1000, in their type; floats 0.299 R + 0.587 G + 0.114 B, added from left to right, in f64.
 * Alpha stays behind the grey. A leaf, valid in C11 and in CUDA C++17.
 */
#ifndef SATF_FORMULA_GREY_H
#define SATF_FORMULA_GREY_H

#include "../satfilter/formula.h"

SATF_FORMULA uint32_t grey_of_integers(uint32_t r, uint32_t g, uint32_t b)
{
    return (299 * r + 587 * g + 114 * b + 500) / 1000;
}

/* The grey of larger samples, whose products would overflow: each is split into thousands and the
 * rest. */
SATF_FORMULA uint64_t grey_of_wide(uint64_t r, uint64_t g, uint64_t b)
{
    uint64_t thousands = 299 * (r / 1000) + 587 * (g / 1000) + 114 * (b / 1000);
    return thousands + (299 * (r % 1000) + 587 * (g % 1000) + 114 * (b % 1000) + 500) / 1000;
}

SATF_FORMULA double grey_of_reals(double r, double g, double b)
{
    return 0.299 * r + 0.587 * g + 0.114 * b;
}

/* The luma, of integers in thousandths: not rounded. */
SATF_FORMULA double grey_luma(bool real, double r, double g, double b)
{
    return real ? grey_of_reals(r, g, b) : 299 * r + 587 * g + 114 * b;
}

#endif
