#include "pattern.h"

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

/* SplitMix64, scaled to 0 ... bound - 1. */
static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((z ^ z >> 31) >> 32) * bound >> 32);
}

static void fill_random(uint32_t n, uint64_t seed, uint32_t *p)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(&seed, i + 1);
        p[i] = p[j];
        p[j] = i;
    }
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
        fill_random(n, seed, p);
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
