/*
 * Sums as two products with matrices of weights, for devices whose matrix units multiply bytes
 * exactly: tile = V * samples * H. A weight is how much a sample counts for a result, borders
 * included, so samples outside the image are never read: how often the window covers the sample, or
 * the sum of the taps that fall on it. Tiles inside the image share one matrix; those near its
 * edges have one each.
 */
#ifndef SATF_SUMS_MARCH_BANDS_H
#define SATF_SUMS_MARCH_BANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../satfilter.h"

/* Positions are bytes of a row (across) or rows (down); a tile has TILE of them, and reads `halo`
 * more on either side, a multiple of 8. */
enum { BANDS_ACROSS_TILE = 32, BANDS_DOWN_TILE = 16, BANDS_LANES = 32, BANDS_OWN = 8 };

/* A line of weights, which add up to 2^BANDS_TAP_BITS. weights[k]: of either sample k away. */
enum { BANDS_MOST_RADIUS = 24, BANDS_TAP_BITS = 15 };
typedef struct window_taps {
    int radius;
    uint16_t weights[BANDS_MOST_RADIUS + 1];
} window_taps;

typedef struct window_bands {
    int64_t pixels, tile;  /* BANDS_ACROSS_TILE or BANDS_DOWN_TILE, which also tells the axis */
    int halo, channels;    /* positions a pixel: 1 down */
    int64_t before, after; /* pixels that the window reaches to either side of its own */
    int border;            /* satf_border */
    /* By lines of taps; else a constant border is 0. Sums along rows of u8 are rounded to 8 bits
     * with 8 of fraction, sums of these down to samples: (sum + 1/2) rounded down each time. */
    bool weighs;
    uint16_t taps[BANDS_MOST_RADIUS + 1];
    uint8_t constant;
    /* Across: so many neighbours of a tile's row are one lane's results, the next ones those of the
     * next of four lanes. 2, 4 or 8; a lane has eight in all. */
    int run;
    /* Tiles below `first` and from `last` on have matrices of their own, in this order behind the
     * one that all others share. */
    int64_t tiles, first, last;
} window_bands;

/*
 * Describes an axis of `pixels` pixels for a window of `side` pixels that begins `from` pixels from
 * its own. False if the window reaches further than the halo, or under wrap and shrink. Borders
 * then only show samples within the halo: clamp, mirror and reflect put no two positions further
 * apart than they are, and leave those in the image where they are. The run is 8.
 */
bool window_bands_make(window_bands *bands, int64_t pixels, int channels, int64_t from,
                       int64_t side, int border, int64_t tile, int halo);

/* The same for a line of taps. */
bool window_bands_weigh(window_bands *bands, int64_t pixels, int channels, const window_taps *taps,
                        int border, int constant, int64_t tile, int halo);

/* How many matrices there are, and words of 32 bits in all of them (bands_words.h). */
int64_t window_bands_count(const window_bands *bands);
int64_t window_bands_words(const window_bands *bands);

#endif
