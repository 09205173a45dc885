/*
 * Box sums of large windows as products. Along a row: one for each whole chunk of 32 bytes, and two
 * with weights of 1, 0 and -1 that move the chunks' ends to those of each result's window. Down the
 * rows, whatever the height: the sum of whole groups of 16, of which a step adds one and takes one
 * off, and such products for the ends. For the host and for devices; operands lie in lanes as in
 * bands_words.h, with signed weights.
 */
#ifndef SATF_SUMS_MARCH_PIECES_H
#define SATF_SUMS_MARCH_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "bands.h"

#ifdef __CUDACC__
#define PIECES_CALL static inline __host__ __device__
#else
#define PIECES_CALL static inline
#endif

/* So wide that sums along rows of bytes have 16 bits. */
enum { PIECES_MOST_WIDTH = 65535 / 255 };

/*
 * Across, in bytes from a tile's first one: its first result's window begins at -before + lead and
 * ends in front of `end`. Chunks lie from -before + first on. The last one ends `over` behind
 * `end`, and reads up to two bytes more. The products of the ends read 32 bytes from -before on and
 * from `end` on. Down, in rows: a tile of results reads groups 0 to kept, group 0 from -(above +
 * skip) on. Its first window ends in front of row `rest` of group kept - 1, its last one 15 rows
 * further.
 */
typedef struct window_pieces {
    int channels, before, lead, end, chunk, first, chunks, over;
    int above, skip, kept, rest;
} window_pieces;

/* For a window of width x height pixels that reaches so many to the left and above. */
PIECES_CALL window_pieces window_pieces_make(int channels, int left, int above, int width,
                                             int height)
{
    window_pieces p = {0};
    int side = (width - 1) * channels + 1;
    p.channels = channels;
    p.lead = left * channels % 8 == 7; /* a byte more, and all lies at multiples of 8 */
    p.before = left * channels + p.lead;
    p.end = side - left * channels;
    /* chunks of 32 of three channels would begin with different ones; others lie at 8 k */
    p.chunk = channels == 3 ? 30 : 32;
    p.first = channels == 3 ? 0 : p.before % 8;
    int whole = p.before + p.end - p.first;
    p.chunks = whole > 0 ? (whole + p.chunk - 1) / p.chunk : 0;
    p.over = p.chunks * p.chunk - whole;
    p.above = above;
    p.skip = height % 16 == 15;
    p.kept = (height + p.skip - 1) / 16 + 1;
    p.rest = height + p.skip - 16 * (p.kept - 1);
    return p;
}

/* Whether the group before the newest one is not wholly in all windows. */
PIECES_CALL bool pieces_cut_two(const window_pieces *p)
{
    return p->rest < 16;
}

/* Whether the products of the ends read from multiples of 8 on, as those of chunks do. */
PIECES_CALL bool pieces_even(const window_pieces *p)
{
    return p->before % 8 == 0 && p->end % 8 == 0 && p->channels != 3;
}

/* Bytes that a tile of 32 reads on either side of it, a multiple of 16. */
PIECES_CALL int pieces_margin(const window_pieces *p)
{
    int right = p->end + 32 - p->chunk, most = right > p->before ? right : p->before;
    return (most + 15) / 16 * 16;
}

/* Quads of words, each a lane's of one operand. Left end, right end and whole chunks have a quad
 * for each half of a tile. */
enum {
    PIECES_LEFT = 0,
    PIECES_RIGHT = 2,
    PIECES_WHOLE = 4,
    PIECES_ENDS = 6, /* of the oldest group and of the newest */
    PIECES_CUT = 7,  /* of the one before the newest: two words */
    PIECES_QUADS = 8,
    PIECES_WORDS = 4 * PIECES_QUADS * BANDS_LANES
};

/* +1 from `from` to `to`, -1 from `to` to `from`. */
PIECES_CALL int pieces_between(int from, int to, int at)
{
    return at >= from && at < to ? 1 : at >= to && at < from ? -1 : 0;
}

/* The weight of byte `at` of a product for result `to` of a tile. */
PIECES_CALL int pieces_across_weight(const window_pieces *p, int product, int to, int at)
{
    int start =
        product == PIECES_RIGHT ? p->end : (product == PIECES_WHOLE ? p->first : 0) - p->before;
    if ((start + at - to) % p->channels != 0) {
        return 0;
    }
    return product == PIECES_LEFT    ? pieces_between(to + p->lead, p->first, at)
           : product == PIECES_RIGHT ? pieces_between(p->over, to, at)
                                     : at < p->chunk;
}

/* The weight of row `at` of a group for result row `to`, beside the sum of all groups kept. part 0:
 * the oldest group, 1: the newest, 2: the one before the newest. */
PIECES_CALL int pieces_down_weight(const window_pieces *p, int part, int to, int at)
{
    return part == 0   ? (at >= to + p->skip) - 1
           : part == 1 ? at < p->rest + to - 16
                       : (at < p->rest + to) - 1;
}

/* Word `index` of all: quad after quad, in each four words of lane 0, four of lane 1 and so on. */
PIECES_CALL uint32_t pieces_word(const window_pieces *p, int index)
{
    int word = index % 4, lane = index / 4 % BANDS_LANES, quad = index / (4 * BANDS_LANES);
    int g = lane / 4, t = lane % 4;
    uint32_t weights = 0;
    for (int e = 0; e < 4; e++) {
        int weight;
        if (quad < PIECES_ENDS) {
            int to = 8 * (g / 2) + 4 * (quad % 2) + 2 * (word % 2) + g % 2;
            weight = pieces_across_weight(p, quad / 2 * 2, to, 8 * t + 4 * (word / 2) + e);
        } else {
            int part = quad == PIECES_CUT ? 2 : word / 2;
            weight = pieces_down_weight(p, part, g + 8 * (word % 2), 8 * (e / 2) + 2 * t + e % 2);
        }
        weights |= (uint32_t)(weight & 255) << (8 * e);
    }
    return weights;
}

/*
 * (S + area / 2) / area for sums S of bytes over an area of 2 to 2^20, as byte `byte` of the upper
 * word of a product: with n = S + area div 2 < 256 area and m = (2^(32 + 8 byte) + e) / area, where
 * 0 < e <= area, n m / 2^(32 + 8 byte) is above n / area by n e / (area 2^(32 + 8 byte)). That is
 * below 1 / area, so no integer lies between, while 256 area^2 <= 2^(32 + 8 byte). The multiplier
 * fits 32 bits while area > 2^(8 byte).
 */
typedef struct pieces_divisor {
    uint32_t multiplier;
    int byte;
} pieces_divisor;

PIECES_CALL pieces_divisor pieces_divide_by(uint32_t area)
{
    pieces_divisor d;
    d.byte = area <= 4096 ? 0 : area <= 65536 ? 1 : 2;
    d.multiplier = (uint32_t)(((uint64_t)1 << (32 + 8 * d.byte)) / area + 1);
    return d;
}

#endif
