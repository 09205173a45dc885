/*
 * Box sums as two products with matrices of weights, for devices whose matrix units multiply bytes
 * exactly: tile = V * samples * H. A weight says how often a window covers a sample, borders
 * included, so samples outside the image are never read. Tiles inside the image share one matrix;
 * those near its edges have one each.
 */
#ifndef SATF_SUMS_MARCH_BANDS_H
#define SATF_SUMS_MARCH_BANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../satfilter.h"

/* Positions are bytes of a row (across) or rows (down); a tile has TILE of them, and reads `halo`
 * more on either side, a multiple of 8. */
enum { BANDS_ACROSS_TILE = 32, BANDS_DOWN_TILE = 16, BANDS_LANES = 32, BANDS_OWN = 8 };

typedef struct window_bands {
    int64_t pixels, tile;  /* BANDS_ACROSS_TILE or BANDS_DOWN_TILE, which also tells the axis */
    int halo, channels;    /* positions a pixel: 1 down */
    int64_t before, after; /* pixels that the window reaches to either side of its own */
    int border;            /* satf_border; constant is 0 */
    /* Across: so many neighbours of a tile's row are one lane's results; then come the next
     * lane's, of four. 2, 4 or 8; a lane has eight in all. */
    int run;
    /* Tiles below `first` and from `last` on have weights of their own, in this order behind those
     * of all others. */
    int64_t tiles, first, last;
} window_bands;

/*
 * Describes an axis of that many pixels for a window of `side` pixels from `from` to the pixel on.
 * False if the window reaches further than the halo, or the border has no such weights. What lies
 * outside the image is then a sample within the halo: clamp, mirror and reflect put no two
 * positions further apart than they are, and leave those in the image where they are. The run is 8.
 */
bool window_bands_make(window_bands *bands, int64_t pixels, int channels, int64_t from,
                       int64_t side, int border, int64_t tile, int halo);

/* Matrices, and words of 32 bits of all of them (bands_words.h). */
int64_t window_bands_count(const window_bands *bands);
int64_t window_bands_words(const window_bands *bands);

#endif
