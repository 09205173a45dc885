/*
 * Weights of windows (bands.h) in the order in which a warp's lanes hold them, as operands of
 * mma.m16n8k32 with bytes, an odd last one of m16n8k16 (PTX ISA, "Matrix Fragments for mma"). For
 * the host and for devices, which make them where they are read.
 */
#ifndef SATF_SUMS_MARCH_BANDS_WORDS_H
#define SATF_SUMS_MARCH_BANDS_WORDS_H

#include "../../base/border.h"
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

/* The weight of a sample `away` pixels from the result. */
BANDS_CALL int bands_tap(const window_bands *b, int64_t away)
{
    return away < -b->before || away > b->after ? 0
           : !b->weighs                         ? 1
                                                : b->taps[away < 0 ? -away : away];
}

/* The weights of all samples from `begin` to `end` away. */
BANDS_CALL int bands_taps(const window_bands *b, int64_t begin, int64_t end)
{
    int taps = 0;
    for (int64_t away = begin; away <= end; away++) {
        taps += bands_tap(b, away);
    }
    return taps;
}

/* The weights of all samples that are first + k * period away, for any k. */
BANDS_CALL int bands_hits(const window_bands *b, int64_t first, int64_t period)
{
    int64_t behind = (-b->before - first) % period; /* of the next one at or behind -before */
    int64_t next = behind > 0 ? period - behind - b->before : -behind - b->before;
    int hits = 0;
    for (; next <= b->after; next += period) {
        hits += bands_tap(b, next);
    }
    return hits;
}

/* The weight of the sample at position `at` for the result at `to`. */
BANDS_CALL int bands_weight(const window_bands *b, int64_t to, int64_t at)
{
    int64_t most = bands_positions(b);
    if (to < 0 || at < 0 || to >= most || at >= most || to % b->channels != at % b->channels) {
        return 0;
    }
    int64_t pixel = to / b->channels, sample = at / b->channels;
    int64_t n = b->pixels;
    int inside = bands_tap(b, sample - pixel);
    if (b->border == SATF_BORDER_CONSTANT) {
        return inside;
    }
    if (b->border == SATF_BORDER_CLAMP) {
        int above = sample == 0 ? bands_taps(b, -b->before, -pixel - 1) : 0;
        int below = sample == n - 1 ? bands_taps(b, n - pixel, b->after) : 0;
        return inside + above + below;
    }
    /* The sample is seen once in each period, and once turned about, if that is another place. */
    bool mirrors = b->border == SATF_BORDER_MIRROR;
    int64_t period = mirrors ? 2 * n - 2 : 2 * n, turned = mirrors ? -sample : -1 - sample;
    if (period == 0) { /* a mirror of one pixel */
        return bands_taps(b, -b->before, b->after);
    }
    bool twice = sample != turned && sample != turned + period;
    return bands_hits(b, sample - pixel, period) +
           (twice ? bands_hits(b, turned - pixel, period) : 0);
}

/* A lane's words of one byte of a matrix's weights. */
BANDS_CALL int bands_byte_words(const window_bands *b)
{
    int groups = b->halo / 8;
    return b->tile == BANDS_ACROSS_TILE ? 2 * 2 * (groups + 2) : 4 * (groups + 1);
}

/* A lane's words of a matrix. By lines of taps: those of the weights' lower bytes, those of their
 * higher bytes, and four numbers that sums start from. */
BANDS_CALL int64_t bands_matrix_words(const window_bands *b)
{
    return b->weighs ? 2 * bands_byte_words(b) + 4 : bands_byte_words(b);
}

/* The place that a matrix is for: a tile, or any place far from the edges, whose tiles share it. */
typedef struct bands_place {
    const window_bands *bands;
    bool inner;
    int64_t from; /* the tile's first position */
} bands_place;

BANDS_CALL int bands_plain_weight(const bands_place *p, int to, int at)
{
    const window_bands *b = p->bands;
    if (!p->inner) {
        return bands_weight(b, p->from + to, p->from + at);
    }
    int away = at - to, c = b->channels;
    return away % c == 0 ? bands_tap(b, away / c) : 0;
}

/* Taps are doubled, so that the sums' bits of fraction are whole bytes. A tap of 2^16, which two
 * bytes do not hold, becomes 2^16 - 1: see bands_start(). */
BANDS_CALL uint32_t bands_weight_at(const bands_place *p, int to, int at, int byte)
{
    enum { MOST = (1 << (BANDS_TAP_BITS + 1)) - 1 };
    int weight = bands_plain_weight(p, to, at);
    if (!p->bands->weighs) {
        return (uint32_t)weight;
    }
    weight = 2 * weight > MOST ? MOST : 2 * weight;
    return (uint32_t)weight >> (8 * byte) & 255;
}

/*
 * The number that the sum of result `to` starts from: half a unit of what it is rounded to, and the
 * constant beyond the border by its taps. A weight of 2^16 is the only one, of all results alike.
 * By 2^16 - 1 the sum lacks one sample s, at most 255 across, or one number, at most 255 * 256
 * down. `most` makes up for it: 127 + 1/2 unit = 255 across. Sums are multiples of 2^16, or of the
 * unit, so what is too much, below 256 across and 2^16 down, never rounds up.
 */
BANDS_CALL uint32_t bands_start(const bands_place *p, int to)
{
    const window_bands *b = p->bands;
    bool across = b->tile == BANDS_ACROSS_TILE, constant = b->border == SATF_BORDER_CONSTANT;
    bool single = b->taps[0] == 1 << BANDS_TAP_BITS || (b->pixels == 1 && !constant);
    uint32_t half = across ? 1 << 7 : 1 << 23, most = across ? 127 : 255 * 256;
    int64_t position = p->from + to, pixel = position / b->channels;
    uint32_t outside = 0;
    if (constant && !p->inner && position >= 0 && position < bands_positions(b)) {
        int taps =
            bands_taps(b, -b->before, -pixel - 1) + bands_taps(b, b->pixels - pixel, b->after);
        outside = 2 * (uint32_t)taps * b->constant * (across ? 1 : 256);
    }
    return half + (single ? most : 0) + outside;
}

/* The result of a tile that is row g + 8 h of the product of its half q. */
BANDS_CALL int bands_across_result(const window_bands *b, int q, int h, int g)
{
    /* the last product leaves it in lane g / 2 of four, as number `own` of eight */
    int own = 4 * q + 2 * h + g % 2;
    return own / b->run * 4 * b->run + g / 2 * b->run + own % b->run;
}

/* Lane 4 g + t has row g of the operand, and the columns that t selects. */
BANDS_CALL uint32_t bands_across_word(const bands_place *p, int word, int lane, int byte)
{
    int pieces = p->bands->halo / 8 + 2;
    int q = word / (2 * pieces), k = word / 2 % pieces, h = word % 2, g = lane / 4, t = lane % 4;
    int to = bands_across_result(p->bands, q, h, g);
    /* pairs of 16 positions are read as 8 neighbouring bytes a lane, the odd one as 4 */
    int at = k < pieces / 2 * 2 ? 32 * (k / 2) + 8 * t + 4 * (k % 2) : 16 * k + 4 * t;
    uint32_t weights = 0;
    for (int e = 0; e < 4; e++) {
        weights |= bands_weight_at(p, to, at + e - p->bands->halo, byte) << (8 * e);
    }
    return weights;
}

/* The rows of a group lie in the order in which the first product leaves them. */
BANDS_CALL uint32_t bands_down_word(const bands_place *p, int word, int lane, int byte)
{
    int groups = p->bands->halo / 8 + 1;
    int h = word % 4, g = lane / 4, t = lane % 4;
    int group = (word / 4 + h / 2) % groups, to = g + 8 * (h % 2);
    uint32_t weights = 0;
    for (int e = 0; e < 4; e++) {
        int at = 16 * group + 8 * (e / 2) + 2 * t + e % 2 - p->bands->halo;
        weights |= bands_weight_at(p, to, at, byte) << (8 * e);
    }
    return weights;
}

/* The number that a lane's sums start from: across word 2 q + h, for half q and row g + 8 h of its
 * product; down words h and 2 + h, for row g + 8 h. */
BANDS_CALL uint32_t bands_start_word(const bands_place *p, int word, int lane)
{
    int g = lane / 4, h = word % 2;
    bool across = p->bands->tile == BANDS_ACROSS_TILE;
    return bands_start(p, across ? bands_across_result(p->bands, word / 2, h, g) : g + 8 * h);
}

/*
 * Word `index` of all matrices, one after the other: in each four words of lane 0, four of lane 1
 * and so on, then the next four.
 * Across: 2 * (halo / 8 + 2) words for either half of a tile: half q, then 16 positions k, then
 * h = 0, 1. Down: four words for each of the 1 + halo / 8 groups of 16 rows: the weights of this
 * group and of the next. By lines of taps there are twice as many, and four.
 */
BANDS_CALL uint32_t bands_word(const window_bands *b, int64_t index)
{
    int64_t each = bands_matrix_words(b), m = index / (each * BANDS_LANES);
    int lane = (int)(index / 4 % BANDS_LANES);
    int word = (int)(index / (4 * BANDS_LANES) % (each / 4) * 4 + index % 4);
    int64_t tile = m <= b->first ? m - 1 : b->last + m - 1 - b->first;
    bands_place p = {b, m == 0, m == 0 ? 0 : tile * b->tile};
    int words = bands_byte_words(b), byte = word / words;
    return b->weighs && byte == 2         ? bands_start_word(&p, word - 2 * words, lane)
           : b->tile == BANDS_ACROSS_TILE ? bands_across_word(&p, word % words, lane, byte)
                                          : bands_down_word(&p, word % words, lane, byte);
}

#endif
