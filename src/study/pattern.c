/* The permutations of pattern.h, filled in. */
#include "pattern.h"

#include "machine.h"

static const struct {
    const char *name;
    bool in_place;
} patterns[PATTERN_COUNT] = {
#define PATTERN_ROW(NAME, name, in_place) {name, in_place},
    PATTERNS(PATTERN_ROW)
#undef PATTERN_ROW
};

const char *pattern_name(pattern which)
{
    return patterns[which].name;
}

bool pattern_in_place(pattern which)
{
    return patterns[which].in_place;
}

bool pattern_fill(pattern which, uint32_t rows, uint32_t columns, uint64_t seed, uint32_t *p)
{
    uint32_t n = rows * columns, bits = 0;
    while (bits < 31 && UINT32_C(1) << bits < n) {
        bits++;
    }
    if ((which == PATTERN_SHUFFLE || which == PATTERN_BIT_REVERSAL) && UINT32_C(1) << bits != n) {
        return false;
    }
    if (which == PATTERN_RANDOM) {
        machine_random random = {seed};
        machine_random_permutation(&random, p, n);
    }
    for (uint32_t i = 0; i < n && which != PATTERN_RANDOM; i++) {
        switch (which) {
        case PATTERN_SHUFFLE:
            p[i] = bits ? (i << 1 | i >> (bits - 1)) & (n - 1) : 0;
            break;
        case PATTERN_BIT_REVERSAL: /* the one before, counted up from the other end */
            if (i == 0) {
                p[i] = 0;
            } else {
                uint32_t bit = n >> 1, value = p[i - 1];
                for (; value & bit; bit >>= 1) {
                    value ^= bit;
                }
                p[i] = value | bit;
            }
            break;
        case PATTERN_TRANSPOSE:
            p[i] = i % columns * rows + i / columns;
            break;
        default:
            p[i] = i;
        }
    }
    return true;
}
