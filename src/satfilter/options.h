/*
 * The types of parameters' values, of which a filter's options struct consists. A leaf, valid in
 * C11 and in CUDA C++17: formulas read options on every device.
 */
#ifndef SATF_MODULE_OPTIONS_H
#define SATF_MODULE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../satfilter.h"

#define FILTER_MAX_SIZE 65535                /* width and height of a window or rectangle */
#define FILTER_MAX_OFFSET (INT64_C(1) << 30) /* |x|, |y| of a template's rectangle */
#define FILTER_MAX_RECTS 4096
#define FILTER_MAX_WINDOWS 8 /* among which a filter chooses */

enum { FILTER_OPTIONS_BYTES = 128 }; /* the most that a filter's options take */

typedef struct filter_size {
    int64_t width, height; /* 1 ... FILTER_MAX_SIZE */
} filter_size;

typedef struct filter_place {
    int64_t x, y; /* pixels to the right, and down */
} filter_place;

/* The sides of a result: filter_shape_sides(). */
typedef struct filter_shape {
    filter_size
        size;   /* pixels, or below 0 that many 10^-8 of the input's; 0: as the other side is */
    bool exact; /* of two sides in pixels: these, else the largest that fit into both */
} filter_shape;

/* A rectangle of the input. */
typedef struct filter_part {
    filter_size size; /* 0: none yet */
    filter_place at;  /* its upper left pixel, unless it is the middle of the input */
    bool centred;
} filter_part;

typedef struct filter_border {
    int32_t kind;    /* satf_border */
    double constant; /* SATF_BORDER_CONSTANT; else 0 */
} filter_border;

/* What a filter of windows looks at, and what it sees beyond the edges. */
typedef struct filter_window {
    filter_size size;
    filter_place at; /* where its centre lies from the pixel, which it must contain */
    filter_border border;
} filter_window;

/* What every filter to black and white does besides: black and white change places, or the result
 * is the threshold itself. */
typedef struct filter_bilevel {
    bool invert, surface;
} filter_bilevel;

struct filter_rects;   /* rects.h */
struct filter_order;   /* order.h */
struct filter_picture; /* picture.h */

#endif
