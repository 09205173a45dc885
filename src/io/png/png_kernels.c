/* The loops of PNG's filters, forwards and backwards. The library is built with one copy for each
 * instruction set. */
#include "png_kernels.h"

#include <string.h>

#include "../../base/cpu.h"

/* Loops over the bytes of a row; a, b and c are the bytes on the left, above, and above that on the
 * left. Compilers make vectors of them. */
#define FOR_BYTES(i, from, to) for (size_t i = (from); i < (to); i++)

static inline uint8_t average(uint8_t a, uint8_t b)
{
    return (uint8_t)((a + b) >> 1);
}

/* The one of a, b and c next to a + b - c; of equally near ones the first. */
static inline uint8_t paeth(uint8_t a, uint8_t b, uint8_t c)
{
    int16_t pa = (int16_t)(b - c), pb = (int16_t)(a - c), pc = (int16_t)(pa + pb);
    pa = (int16_t)(pa < 0 ? -pa : pa);
    pb = (int16_t)(pb < 0 ? -pb : pb);
    pc = (int16_t)(pc < 0 ? -pc : pc);
    int16_t least = pb <= pc ? pb : pc;
    uint8_t other = pb <= pc ? b : c;
    return pa <= least ? a : other;
}

static void png_filter(int filter, size_t n, size_t step, const uint8_t *restrict row,
                       const uint8_t *restrict above, uint8_t *restrict to)
{
    const uint8_t *left = row - step, *corner = above - step;
    switch (filter) {
    case IO_PNG_SUB:
        FOR_BYTES(i, 0, n) to[i] = (uint8_t)(row[i] - left[i]);
        break;
    case IO_PNG_UP:
        FOR_BYTES(i, 0, n) to[i] = (uint8_t)(row[i] - above[i]);
        break;
    case IO_PNG_AVERAGE:
        FOR_BYTES(i, 0, n) to[i] = (uint8_t)(row[i] - average(left[i], above[i]));
        break;
    case IO_PNG_PAETH:
        FOR_BYTES(i, 0, n) to[i] = (uint8_t)(row[i] - paeth(left[i], above[i], corner[i]));
        break;
    default:
        memcpy(to, row, n);
        break;
    }
}

/* The value of paeth(), in fewer steps one after the other. */
static inline int near(int a, int b, int c)
{
    int low = a < b ? a : b, high = a < b ? b : a, turn = 3 * c - a - b;
    int other = turn >= high ? low : c;
    return turn <= low ? high : other;
}

/* `step` is a constant where this is expanded, and a pixel's bytes are in registers. */
static inline __attribute__((always_inline)) void restore_by(int filter, size_t n, size_t step,
                                                             const uint8_t *restrict from,
                                                             const uint8_t *restrict above,
                                                             uint8_t *restrict to)
{
    int a[8] = {0}, c[8] = {0};
    for (size_t i = 0; i < n; i += step) {
        for (size_t k = 0; k < step; k++) {
            int b = above[i + k];
            int expected = filter == IO_PNG_SUB       ? a[k]
                           : filter == IO_PNG_AVERAGE ? (a[k] + b) >> 1
                                                      : near(a[k], b, c[k]);
            a[k] = to[i + k] = (uint8_t)(from[i + k] + expected);
            c[k] = b;
        }
    }
}

#define RESTORE(step)                                             \
    case step:                                                    \
        if (filter == IO_PNG_SUB) {                               \
            restore_by(IO_PNG_SUB, n, step, from, above, to);     \
        } else if (filter == IO_PNG_AVERAGE) {                    \
            restore_by(IO_PNG_AVERAGE, n, step, from, above, to); \
        } else {                                                  \
            restore_by(IO_PNG_PAETH, n, step, from, above, to);   \
        }                                                         \
        break;

static void restore(int filter, size_t n, size_t step, const uint8_t *restrict from,
                    const uint8_t *restrict above, uint8_t *restrict to)
{
    if (filter == IO_PNG_NONE) {
        memcpy(to, from, n);
        return;
    }
    if (filter == IO_PNG_UP) {
        FOR_BYTES(i, 0, n) to[i] = (uint8_t)(from[i] + above[i]);
        return;
    }
    switch (step) { /* 1 to 4 channels of 8 or 16 bits */
        RESTORE(1)
        RESTORE(2)
        RESTORE(3)
        RESTORE(4)
        RESTORE(6)
        RESTORE(8)
    }
}

/* The magnitude of a byte as a signed number. */
static inline uint16_t magnitude(int byte)
{
    uint8_t v = (uint8_t)byte, negative = (uint8_t)-byte;
    return v < 128 ? v : negative;
}

static int png_choose(size_t n, size_t step, const uint8_t *restrict row,
                      const uint8_t *restrict above)
{
    enum { BLOCK = 256 }; /* whose sum of magnitudes, of 128 at most, 16 bits hold */
    const uint8_t *left = row - step, *corner = above - step;
    uint64_t sums[IO_PNG_FILTERS] = {0};
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t to = n - from < BLOCK ? n : from + BLOCK;
        uint16_t none = 0, sub = 0, up = 0, mean = 0, near = 0;
        FOR_BYTES(i, from, to)
        {
            uint8_t x = row[i], a = left[i], b = above[i];
            none = (uint16_t)(none + magnitude(x));
            sub = (uint16_t)(sub + magnitude(x - a));
            up = (uint16_t)(up + magnitude(x - b));
            mean = (uint16_t)(mean + magnitude(x - average(a, b)));
            near = (uint16_t)(near + magnitude(x - paeth(a, b, corner[i])));
        }
        const uint16_t block[] = {none, sub, up, mean, near};
        for (int k = 0; k < IO_PNG_FILTERS; k++) {
            sums[k] += block[k];
        }
    }
    int best = 0;
    for (int k = 1; k < IO_PNG_FILTERS; k++) {
        best = sums[k] < sums[best] ? k : best;
    }
    return best;
}

static size_t surprises(size_t n, size_t step, const uint8_t *restrict row,
                        const uint8_t *restrict above)
{
    enum { BLOCK = 4096 };
    const uint8_t *left = row - step, *corner = above - step;
    size_t all = 0;
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t to = n - from < BLOCK ? n : from + BLOCK;
        uint32_t some = 0;
        FOR_BYTES(i, from, to)
        {
            some += (uint8_t)(row[i] - above[i]) != (uint8_t)(left[i] - corner[i]);
        }
        all += some;
    }
    return all;
}

const io_png_kernels SATF_ISA_NAME(io_png_kernels) = {
    .filter = png_filter, .restore = restore, .choose = png_choose, .surprises = surprises};
