/*
 * Sums over a w x h window around every pixel by marching down the rows, as the window engine
 * computes them on the CPU. Read this file first, then march.c, and strips.c for floats. A pixel
 * takes O(1) operations whatever the window; an input row is read as it enters and as it leaves.
 * Memory is O(width * h), so images of any height stream.
 */
#ifndef SATF_SUMS_MARCH_WINDOW_H
#define SATF_SUMS_MARCH_WINDOW_H

#include "../../base/context.h"
#include "../../sat/sums.h"

typedef struct window_spec {
    satf_view in; /* host; u8, u16, f32, f64. data is not looked at */
    int64_t w, h; /* window, 1 ... 65535 each */
    /* Its centre lies that far right and below the pixel, which stays in the window: at most
     * w / 2, at least w / 2 - w + 1, and h likewise. */
    int64_t at_x, at_y;
    satf_border border;
    double constant;       /* the sample outside for SATF_BORDER_CONSTANT, exact in in.type */
    double weight_outside; /* unless 0, that of the last channel */
    bool weighted;         /* weight colour by the last channel (alpha) */
    bool squares;          /* also sum squares */
    bool centre;           /* also hand out the samples themselves */
    bool shifts; /* floats, with squares: sum samples less a shift, one of the window's own */
    /* So many windows more to the right of the picture and below it, around the border's pixels. */
    int64_t beyond_x, beyond_y;
    /*
     * Streaming: returns row y of the input (width * channels samples), valid until the next call
     * that asks for a row more than window_rows_kept() - 1 further down. NULL stops the march
     * (SATF_IO unless the context has a message; the callback sets it). Called by one thread at a
     * time, for y that never goes back further than window_rows_kept() - 1 rows, but for the rows
     * at both ends that window_rows_wrapped() tells of.
     */
    const void *(*row)(void *user, int64_t y);
    /* Unless NULL: rows of the picture as far as is known, at most in.height. It may fall while
     * row() waits for one that does not come, which is no failure then. It is at least
     * window_rows_kept(), so that the plan is that of the picture as it turns out. */
    int64_t (*height)(void *user);
} window_spec;

/* Sums of `n` consecutive pixels of one output row, channels interleaved. */
typedef struct window_segment {
    int64_t x, y, n;
    satf_sum_type sum_type, square_type;
    /* n * channels sums: of samples; weighted: of colour * alpha, and in the alpha lane of alphas
     * (the weights). NULL, of pixels alone: the sums are the samples in `centre`, and nobody reads
     * those of weighted colour. */
    const void *sums;
    /* Likewise of squares: sample^2; weighted: colour^2 * alpha, and alphas. NULL: not wanted. */
    const void *squares;
    /* n * channels shifts, which were subtracted from all samples of the window first, 0 of an
     * alpha that weighs; NULL: none were. */
    const double *shifts;
    /* The samples of these pixels in the input's type, without alignment; NULL unless asked for. */
    const void *centre;
    /* Pixels that each window covers, w * h, or fewer near the edges under SATF_BORDER_SHRINK. */
    uint64_t area;
    /* Unless NULL, windows differ in area: n * channels integers, the area of each sample's window.
     * `area` is then their maximum. */
    const double *areas;
} window_segment;

/* Takes a segment. When streaming, segments come row by row from left to right; else in any order.
 * Arrays are valid during the call; they are aligned to 64 bytes, with room to read (not use) 64
 * bytes past their end. */
typedef void (*window_sink)(void *user, const window_segment *segment);

/* The sum types that segments will have. */
satf_sum_type window_sum_type(const window_spec *spec, bool squares);

/* Rows that a streaming source must keep. */
int64_t window_rows_kept(const window_spec *spec);

/* SATF_BORDER_WRAP: rows at the picture's end that are asked for first, and at its start that are
 * asked for last; a streaming source keeps them for good. 0 for other borders. */
void window_rows_wrapped(const window_spec *spec, int64_t *end, int64_t *start);

#endif
