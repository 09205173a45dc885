/* Describes an axis for sums by products (bands.h), if its window has weights. */
#include "bands_words.h"

#include <string.h>

/* Whether the tile's weights are the same as far from the edges. */
static bool is_inner(const window_bands *b, int64_t tile)
{
    int64_t from = tile * b->tile, end = from + b->tile;
    return from - b->before * b->channels >= 0 &&
           end + b->after * b->channels <= bands_positions(b);
}

bool window_bands_make(window_bands *bands, int64_t pixels, int channels, int64_t from,
                       int64_t side, int border, int64_t tile, int halo)
{
    window_bands b = {.pixels = pixels,
                      .tile = tile,
                      .halo = halo,
                      .channels = channels,
                      .before = -from,
                      .after = from + side - 1,
                      .border = border,
                      .run = BANDS_OWN};
    if (b.before < 0 || b.after < 0 || b.before > halo / channels || b.after > halo / channels ||
        border == SATF_BORDER_WRAP || border == SATF_BORDER_SHRINK) {
        return false;
    }
    b.tiles = (bands_positions(&b) + tile - 1) / tile;
    while (b.first < b.tiles && !is_inner(&b, b.first)) {
        b.first++;
    }
    b.last = b.tiles;
    while (b.last > b.first && !is_inner(&b, b.last - 1)) {
        b.last--;
    }
    *bands = b;
    return true;
}

bool window_bands_weigh(window_bands *bands, int64_t pixels, int channels, const window_taps *taps,
                        int border, int constant, int64_t tile, int halo)
{
    if (!window_bands_make(bands, pixels, channels, -taps->radius, 2 * taps->radius + 1, border,
                           tile, halo)) {
        return false;
    }
    bands->weighs = true;
    memcpy(bands->taps, taps->weights, sizeof bands->taps);
    bands->constant = (uint8_t)constant;
    return true;
}

int64_t window_bands_count(const window_bands *b)
{
    return 1 + b->first + (b->tiles - b->last);
}

int64_t window_bands_words(const window_bands *b)
{
    return window_bands_count(b) * bands_matrix_words(b) * BANDS_LANES;
}
