/*
 * Moving pixels: the eight symmetries of a rectangle, and any order of its pixels. Nothing is
 * computed: a pixel is its channels' bytes, alpha among them.
 */
#ifndef SATF_MOVE_H
#define SATF_MOVE_H

#include "../base/image.h"

/*
 * A symmetry: the flips, then the transposition. Clockwise by 90 degrees is
 * upside down, then transposed.
 */
enum {
    MOVE_FLIP_H = 1,                               /* left and right change places */
    MOVE_FLIP_V = 2,                               /* top and bottom change places */
    MOVE_TRANSPOSE = 4,                            /* rows become columns */
    MOVE_ROTATE_90 = MOVE_FLIP_V | MOVE_TRANSPOSE, /* clockwise */
    MOVE_ROTATE_180 = MOVE_FLIP_H | MOVE_FLIP_V,
    MOVE_ROTATE_270 = MOVE_FLIP_H | MOVE_TRANSPOSE,
};

/* An order holds pixels' numbers in 32 bits. */
#define MOVE_MAX_ORDER ((int64_t)1 << (SIZE_MAX > UINT32_MAX ? 32 : 28))

/*
 * out = the pixels of in, in other places. Checked views of one type and
 * number of channels that do not overlap, of any stride and alignment; out is
 * as wide as in, or, under MOVE_TRANSPOSE, as in is high, and so on.
 */
typedef struct move_job {
    satf_view in, out;
    unsigned symmetry;     /* MOVE_... or 0, which copies */
    const uint32_t *order; /* or NULL. Else pixel k of out, counted along the rows, is pixel
                              order[k] of in, each below in's width * height; symmetry is 0 */
} move_job;

/* Moves the pixels on the CPU, on the context's threads; allocates nothing. Fails only by
 * SATF_CANCELLED. */
satf_status move_run(satf_context *ctx, const move_job *job);

/*
 * Makes rows first ... first + rows - 1 of the result at dst, `stride` bytes apart (any sign), on
 * the calling thread. job->out's data and stride are not looked at. Of job->in only the rows that
 * are needed are read.
 */
void move_rows(const move_job *job, int64_t first, int64_t rows, void *dst, int64_t stride);

/* True if the symmetry alone works row by row: row y of the result is made of row y. */
static inline bool move_keeps_rows(unsigned symmetry)
{
    return (symmetry & ~(unsigned)MOVE_FLIP_H) == 0;
}

/* The symmetry that does `first`, then `second`. */
unsigned move_compose(unsigned first, unsigned second);

/*
 * Changes what a picture's file says about the places of its pixels as the symmetry changes the
 * picture: the resolutions of x and y change places where the sides do, in EXIF too. EXIF's and
 * XMP's orientation become the one under which viewers show the moved picture as the moved form of
 * what they showed. How a JPEG was coded follows.
 */
void move_metadata(unsigned symmetry, satf_metadata *metadata);

/* The symmetry by which viewers show a stored picture of that EXIF orientation, 1 ... 8. */
unsigned move_of_orientation(unsigned orientation);

/* The same after a picture was turned by its own orientation: the stored pixels now lie as they
 * were shown, so the orientation becomes 1. */
void move_metadata_upright(unsigned symmetry, satf_metadata *metadata);

/* Changes what the file says after a picture of the first size has become one of the second: EXIF's
 * sides and, if it was made smaller and not cut, the resolutions. */
void move_resize_metadata(const satf_view *from, const satf_view *to, bool scales,
                          satf_metadata *metadata);

#endif
