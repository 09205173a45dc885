/* Kernels that move pixels of a given number of bytes. */
#ifndef SATF_MOVE_KERNELS_H
#define SATF_MOVE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes of a pixel: 1 ... 4 channels of 1, 2, 4 or 8 bytes. */
#define MOVE_PIXELS(X) X(1) X(2) X(3) X(4) X(6) X(8) X(12) X(16) X(24) X(32)
#define MOVE_MAX_PIXEL_BYTES 32

/* The side of a tile in pixels, such that its rows are whole lines of the cache. */
#define MOVE_TILE(bytes) ((bytes) <= 2 ? 128 : (bytes) <= 6 ? 64 : (bytes) <= 16 ? 32 : 16)

/* A part of the input, and where its upper left pixel goes to. Strides in
 * bytes, of any sign; any alignment. */
typedef struct move_part {
    const char *in;
    char *out;
    int64_t in_stride, out_stride;
    int64_t width, height; /* of the input, pixels */
    bool stream;           /* write around the caches (stores.h) */
} move_part;

/* The kernels by a pixel's bytes (the index); NULL for numbers that no pixel has. */
typedef struct move_kernels {
    /* Column x of the part becomes row x of the output. */
    void (*transpose[MOVE_MAX_PIXEL_BYTES + 1])(const move_part *part);
    /* out = the pixels of in, `pixels` of them, the last one first. */
    void (*reverse[MOVE_MAX_PIXEL_BYTES + 1])(const char *in, char *out, int64_t pixels,
                                              bool stream);
    /* out = pixels order[0], order[1], ... of in, whose rows hold `width` pixels. */
    void (*gather[MOVE_MAX_PIXEL_BYTES + 1])(const char *in, int64_t in_stride, int64_t width,
                                             const uint32_t *order, char *out, int64_t pixels,
                                             bool stream);
    void (*copy)(const char *in, char *out, int64_t bytes, bool stream);
} move_kernels;

extern const move_kernels move_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const move_kernels move_kernels_avx2, move_kernels_avx512;
#endif

#endif
