/*
 * Sums of floats over any rectangle, of few blocks and without a subtraction, so they depend on the
 * rectangle alone. Blocks are 4^i pixels wide and 4^k high, at multiples of that, and lie wholly in
 * the image. In C11 and in CUDA C++17.
 */
#ifndef SATF_SUMS_CHOICE_PYRAMID_H
#define SATF_SUMS_CHOICE_PYRAMID_H

#include "../tables/axis.h"

/* Blocks of the last level are wider than images; of each other level a run has up to six, three at
 * either end. */
enum { PYRAMID_LEVELS = 16, PYRAMID_BLOCKS = 6 * PYRAMID_LEVELS };

/* How many blocks an axis has, of all levels, which lie one behind the other. */
SATF_FORMULA int64_t pyramid_length(int64_t n)
{
    int64_t length = 0;
    for (int i = 0; i < PYRAMID_LEVELS; i++) {
        length += n >> 2 * i;
    }
    return length;
}

/* The sums of blocks: for rows of blocks of all levels down, those of all levels across, channels
 * interleaved. */
typedef struct pyramid {
    double *sums;
    int64_t width, height, row; /* of the image; of the pyramid, in doubles */
    int channels;
} pyramid;

SATF_FORMULA pyramid pyramid_of(int64_t width, int64_t height, int channels, double *sums)
{
    pyramid p = {sums, width, height, pyramid_length(width) * channels, channels};
    return p;
}

/* The state on the way through the blocks that make up pixels a ... b - 1 of an axis. */
typedef struct pyramid_blocks {
    int64_t n, a, b, at; /* where the level's blocks begin */
    int level;
} pyramid_blocks;

SATF_FORMULA pyramid_blocks pyramid_begin(int64_t n, const axis_run *run)
{
    pyramid_blocks blocks = {n, run->first, run->end, 0, 0};
    return blocks;
}

/* The place of the next block; below 0: there is none. */
SATF_FORMULA int64_t pyramid_next(pyramid_blocks *of)
{
    while (of->a < of->b) {
        if (of->level + 1 == PYRAMID_LEVELS || of->a % 4 != 0) {
            return of->at + of->a++;
        }
        if (of->b % 4 != 0) {
            return of->at + --of->b;
        }
        of->at += of->n >> 2 * of->level++;
        of->a /= 4;
        of->b /= 4;
    }
    return -1;
}

/* The places of a run's blocks, in their order; returns how many. */
SATF_FORMULA int pyramid_places(int64_t n, const axis_run *run, int64_t places[PYRAMID_BLOCKS])
{
    pyramid_blocks blocks = pyramid_begin(n, run);
    int count = 0;
    for (int64_t place; (place = pyramid_next(&blocks)) >= 0;) {
        places[count++] = place;
    }
    return count;
}

/* Makes the blocks of all levels across of a row whose pixels are filled in. */
SATF_FORMULA void pyramid_fill_row(const pyramid *p, int64_t row)
{
    double *from = p->sums + row * p->row, *to = from + p->width * p->channels;
    for (int i = 1; i < PYRAMID_LEVELS; i++) {
        int64_t n = p->width >> 2 * i;
        for (int64_t x = 0; x < n; x++) {
            for (int c = 0; c < p->channels; c++) {
                const double *four = from + 4 * x * p->channels + c;
                to[x * p->channels + c] =
                    (four[0] + four[p->channels]) + (four[2 * p->channels] + four[3 * p->channels]);
            }
        }
        from = to;
        to += n * p->channels;
    }
}

#endif
