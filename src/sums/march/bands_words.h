/*
 * Weights of windows (bands.h) in the order in which a warp's lanes hold them, as operands of
 * mma.m16n8k32 with bytes, an odd last one of m16n8k16 (PTX ISA, "Matrix Fragments for mma"). For
 * the host and for devices, which make them where they are read.
 */
#ifndef SATF_SUMS_MARCH_BANDS_WORDS_H
#define SATF_SUMS_MARCH_BANDS_WORDS_H

#include "bands.h"

#ifdef __CUDACC__
#define BANDS_CALL static inline __host__ __device__
#else
#define BANDS_CALL static inline
#endif

BANDS_CALL int64_t bands_positions(const window_bands *b)
{
    return b->pixels * b->channels;
}

/* How many of first + k * period, for any k, are in begin ... end. */
BANDS_CALL int bands_hits(int64_t begin, int64_t end, int64_t first, int64_t period)
{
    int64_t behind = (begin - first) % period; /* of the next one at or behind begin */
    int64_t next = behind > 0 ? begin + period - behind : begin - behind;
    int hits = 0;
    for (; next <= end; next += period) {
        hits++;
    }
    return hits;
}

/* How often the window of the result at position `to` covers the sample at `at`. */
BANDS_CALL int bands_weight(const window_bands *b, int64_t to, int64_t at)
{
    int64_t most = bands_positions(b);
    if (to < 0 || at < 0 || to >= most || at >= most || to % b->channels != at % b->channels) {
        return 0;
    }
    int64_t pixel = to / b->channels, sample = at / b->channels;
    int64_t begin = pixel - b->before, end = pixel + b->after, n = b->pixels;
    int inside = sample >= begin && sample <= end;
    if (b->border == SATF_CONSTANT) {
        return inside;
    }
    if (b->border == SATF_CLAMP) {
        int64_t above = sample == 0 && begin < 0 ? -begin : 0;
        int64_t below = sample == n - 1 && end >= n ? end - n + 1 : 0;
        return (int)(inside + above + below);
    }
    /* What lies there once in each period, and once turned, if that is another place. */
    bool mirrors = b->border == SATF_MIRROR;
    int64_t period = mirrors ? 2 * n - 2 : 2 * n, turned = mirrors ? -sample : -1 - sample;
    if (period == 0) { /* a mirror of one pixel */
        return (int)(end - begin + 1);
    }
    bool twice = sample != turned && sample != turned + period;
    return bands_hits(begin, end, sample, period) +
           (twice ? bands_hits(begin, end, turned, period) : 0);
}

/* Words of a matrix, of each lane. */
BANDS_CALL int64_t bands_matrix_words(const window_bands *b)
{
    int64_t groups = b->halo / 8;
    return b->tile == BANDS_ACROSS_TILE ? 2 * 2 * (groups + 2) : 4 * (groups + 1);
}

/* What a matrix is of: a tile, or, for those that share one, any place far from the edges. */
typedef struct bands_place {
    const window_bands *bands;
    bool inner;
    int64_t from; /* the tile's first position */
} bands_place;

BANDS_CALL uint32_t bands_weight_at(const bands_place *p, int to, int at)
{
    const window_bands *b = p->bands;
    if (!p->inner) {
        return (uint32_t)bands_weight(b, p->from + to, p->from + at);
    }
    int away = at - to, c = b->channels;
    return away % c == 0 && away / c >= -b->before && away / c <= b->after;
}

/* Lane 4 g + t has row g of the operand, and of its columns those that t says. */
BANDS_CALL uint32_t bands_across_word(const bands_place *p, int word, int lane)
{
    int pieces = p->bands->halo / 8 + 2;
    int q = word / (2 * pieces), k = word / 2 % pieces, h = word % 2, g = lane / 4, t = lane % 4;
    /* of lane g / 2 of the last product the result `own` of eight */
    int own = 4 * q + 2 * h + g % 2, run = p->bands->run;
    int to = own / run * 4 * run + g / 2 * run + own % run;
    /* pairs of 16 positions are read as 8 neighbouring bytes a lane, the odd one as 4 */
    int at = k < pieces / 2 * 2 ? 32 * (k / 2) + 8 * t + 4 * (k % 2) : 16 * k + 4 * t;
    uint32_t weights = 0;
    for (int e = 0; e < 4; e++) {
        weights |= bands_weight_at(p, to, at + e - p->bands->halo) << (8 * e);
    }
    return weights;
}

/* The rows of a group lie in the order in which the first product leaves them. */
BANDS_CALL uint32_t bands_down_word(const bands_place *p, int word, int lane)
{
    int groups = p->bands->halo / 8 + 1;
    int h = word % 4, g = lane / 4, t = lane % 4;
    int group = (word / 4 + h / 2) % groups, to = g + 8 * (h % 2);
    uint32_t weights = 0;
    for (int e = 0; e < 4; e++) {
        int at = 16 * group + 8 * (e / 2) + 2 * t + e % 2 - p->bands->halo;
        weights |= bands_weight_at(p, to, at) << (8 * e);
    }
    return weights;
}

/*
 * Word `index` of all: matrix after matrix, in each four words of lane 0, four of lane 1 and so on,
 * then the next four.
 * Across: 2 * (halo / 8 + 2) words for either half of a tile: half q, then 16 positions k, then
 * h = 0, 1. Down: four words for each of the 1 + halo / 8 groups of 16 rows: what this group and
 * the next are multiplied by.
 */
BANDS_CALL uint32_t bands_word(const window_bands *b, int64_t index)
{
    int64_t each = bands_matrix_words(b), m = index / (each * BANDS_LANES);
    int lane = (int)(index / 4 % BANDS_LANES);
    int word = (int)(index / (4 * BANDS_LANES) % (each / 4) * 4 + index % 4);
    int64_t tile = m <= b->first ? m - 1 : b->last + m - 1 - b->first;
    bands_place p = {b, m == 0, m == 0 ? 0 : tile * b->tile};
    return b->tile == BANDS_ACROSS_TILE ? bands_across_word(&p, word, lane)
                                        : bands_down_word(&p, word, lane);
}

#endif
