/* Moved pixels by definition, for the tests, and images between pages that must not be touched. */
#ifndef SATF_TESTS_MOVE_REFERENCE_H
#define SATF_TESTS_MOVE_REFERENCE_H

#include "test.h"

#include "guarded.h"
#include "move/move.h"

/* The eight symmetries, each by what it does to the picture, and their specs. */
static const struct {
    unsigned symmetry;
    const char *spec;
} ref_symmetries[] = {
    {0, "flip=h flip=h"},
    {MOVE_FLIP_H, "flip=h"},
    {MOVE_ROTATE_180, "rotate=180"},
    {MOVE_FLIP_V, "flip=v"},
    {MOVE_TRANSPOSE, "transpose"},
    {MOVE_ROTATE_90, "rotate=90"},
    {MOVE_TRANSPOSE | MOVE_ROTATE_180, "transpose rotate=180"},
    {MOVE_ROTATE_270, "rotate=270"},
};
enum { REF_SYMMETRIES = sizeof ref_symmetries / sizeof *ref_symmetries };

/* Where pixel (x, y) of the result comes from in an image of w x h, symmetry ref_symmetries[k]. */
static inline void ref_source(int k, int64_t w, int64_t h, int64_t x, int64_t y, int64_t *from_x,
                              int64_t *from_y)
{
    switch (k) {
    case 0: /* nothing */
        *from_x = x, *from_y = y;
        break;
    case 1: /* left and right */
        *from_x = w - 1 - x, *from_y = y;
        break;
    case 2: /* half a rotation */
        *from_x = w - 1 - x, *from_y = h - 1 - y;
        break;
    case 3: /* top and bottom */
        *from_x = x, *from_y = h - 1 - y;
        break;
    case 4: /* about the diagonal from the upper left */
        *from_x = y, *from_y = x;
        break;
    case 5: /* a quarter clockwise: what was on the left is on top, from the bottom up */
        *from_x = y, *from_y = h - 1 - x;
        break;
    case 6: /* about the other diagonal */
        *from_x = w - 1 - y, *from_y = h - 1 - x;
        break;
    default: /* a quarter the other way */
        *from_x = w - 1 - y, *from_y = x;
    }
}

static inline int ref_swaps(int k)
{
    return k >= 4;
}

/* Noise in every byte of the rows; floats may be anything, for nothing is computed. */
static inline void ref_noise(const satf_view *view, uint64_t seed)
{
    int64_t bytes = satf_row_samples(view) * (int64_t)satf_type_bytes(view->type);
    for (int64_t y = 0; y < view->height; y++) {
        unsigned char *row = satf_row(view, y);
        for (int64_t i = 0; i < bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            row[i] = (unsigned char)(seed >> 56);
        }
    }
}

/* A packed image of it, whose memory is for free(). */
static inline satf_view ref_noise_view(int64_t width, int64_t height, int channels, int type,
                                       uint64_t seed)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.data = malloc((size_t)(view.stride * height));
    ref_noise(&view, seed);
    return view;
}

/* -1 if out is symmetry k of in, else the first wrong pixel, counted along the rows. */
static inline int64_t ref_wrong_pixel(int k, const satf_view *in, const satf_view *out)
{
    size_t bytes = (size_t)in->channels * satf_type_bytes(in->type);
    for (int64_t y = 0; y < out->height; y++) {
        int64_t u, v, next_u, next_v;
        ref_source(k, in->width, in->height, 0, y, &u, &v);
        ref_source(k, in->width, in->height, 1, y, &next_u, &next_v);
        int64_t step = (next_v - v) * in->stride + (next_u - u) * (int64_t)bytes;
        const char *from = (const char *)satf_row(in, v) + u * (int64_t)bytes;
        for (int64_t x = 0; x < out->width; x++, from += step) {
            if (memcmp((char *)satf_row(out, y) + (size_t)x * bytes, from, bytes) != 0) {
                return y * out->width + x;
            }
        }
    }
    return -1;
}

/* A permutation of 0 ... n - 1. */
static inline void ref_shuffle(int64_t *order, int64_t n, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t j = (int64_t)((seed >> 33) % (uint64_t)(i + 1));
        int64_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

#endif
