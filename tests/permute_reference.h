/* Permutations that stay within rows, or within columns, for the tests of the CPU and of devices.
 */
#ifndef SATF_TESTS_PERMUTE_REFERENCE_H
#define SATF_TESTS_PERMUTE_REFERENCE_H

#include "test.h"

#include "study/pattern.h"

enum { REF_LONGEST = 32768 };

/* Random ones of each row of p. */
static inline void ref_fill_rows(uint32_t *p, uint32_t rows, uint32_t columns)
{
    static uint32_t q[REF_LONGEST];
    for (uint32_t y = 0; y < rows; y++) {
        assert_true(pattern_fill(PATTERN_RANDOM, 1, columns, y, q));
        for (uint32_t x = 0; x < columns; x++) {
            p[y * columns + x] = y * columns + q[x];
        }
    }
}

/* Random ones of each column. */
static inline void ref_fill_columns(uint32_t *p, uint32_t rows, uint32_t columns)
{
    static uint32_t q[REF_LONGEST];
    for (uint32_t x = 0; x < columns; x++) {
        assert_true(pattern_fill(PATTERN_RANDOM, 1, rows, x, q));
        for (uint32_t y = 0; y < rows; y++) {
            p[y * columns + x] = q[y] * columns + x;
        }
    }
}

#endif
