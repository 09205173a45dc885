/* The numbers that passes along lines take of samples, and hand on (filters/gauss.h). */
#ifndef SATF_SUMS_LINES_LINE_NUMBERS_H
#define SATF_SUMS_LINES_LINE_NUMBERS_H

#include "../../satfilter/filter.h"

/* Sums of 2 r + 2 numbers below 2^LINE_BITS are exact in double: 2 r + 2 < 2^11. */
enum { LINE_BITS = 41, LINE_NARROW_BITS = 8, LINE_MAX_PASSES = 5 };

/* narrow: of 8 bits in 16, with 8 of fraction. Else doubles: of integers whole numbers of
 * 2^-fraction below 2^LINE_BITS, to which each pass rounds, halves to even. */
typedef struct line_numbers {
    int type, channels;
    bool weighted; /* colour times alpha, and alpha */
    bool shrinks;  /* divided by the same passes over ones */
    bool narrow, rounds;
    double scale, alpha_scale; /* 2^fraction, of the last channel if weighted */
} line_numbers;

#endif
