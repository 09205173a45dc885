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

/* Calls try for all patterns of these shapes, in p; it says how many algorithms, of words of 4 and
 * 8 bytes each, take one: auto and the designated ones; with two multiples of 32 all that take any
 * permutation. */
static inline void ref_try_patterns(const uint32_t (*shapes)[2], size_t count, uint32_t *p,
                                    int (*try)(const uint32_t *p, int64_t n, const char *what))
{
    for (size_t i = 0; i < count; i++) {
        int64_t n = (int64_t)shapes[i][0] * shapes[i][1];
        for (int which = 0; which < PATTERN_COUNT; which++) {
            if (pattern_fill((pattern)which, shapes[i][0], shapes[i][1], i + 1, p)) {
                assert_true(try(p, n, pattern_name((pattern)which)) >= (n % 1024 ? 6 : 10));
            }
        }
    }
}

#endif
