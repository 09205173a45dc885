/*
 * The shapes of passes: which pixels a pass sums, or moves, for a pixel of its result. A shape is
 * an entry beside the engine made for it (`const pass_shape shape_NAME`), and its name in
 * FILTER_SHAPES of src/satfilter/filter.h. Code that depends on a shape reads its entry.
 */
#ifndef SATF_CHAIN_SHAPE_H
#define SATF_CHAIN_SHAPE_H

#include "filter.h"

struct chain_link;
struct filter_engine;
struct filter_gpu_task;
struct filter_step;

#define FILTER_UNBOUNDED INT64_MAX /* a reach as far as the image goes */

/* How far from a pixel, to each side, lie pixels that it depends on. */
typedef struct filter_reach {
    int64_t left, top, right, bottom;
} filter_reach;

typedef struct pass_shape {
    satf_filter_kind kind; /* as satf_filter_info has it */
    bool windows;    /* the pass sums over one window around each pixel, or chooses among some,
                      * as the engines `window` and `sat` do */
    bool mirrored;   /* each window is the mirror image of the one in the options */
    bool varies;     /* the window, or its size, depends on samples */
    bool of_pixel;   /* the pass reads the pixel alone, or pixels of images at its place */
    bool moves;      /* a pixel of the result is one of the input, of any sample type */
    bool picks;      /* the one of several pixels whose numbers in aux[0] are least */
    bool mixes;      /* the pass has a mix instead of a formula */
    bool adapts;     /* at an end of a filter: reports do not name it */
    bool in_modules; /* a module's filter may have such passes */
    /* How far a pass reaches around a pixel. NULL: not at all. */
    filter_reach (*reach)(const struct chain_link *link, const filter_pass *pass);
    /* The least window around all pixels that one at (0, 0) may depend on: it decides which rows
     * walks keep. NULL: the options' window. */
    satf_rect (*window)(const struct filter_step *step);
    /* Adds to the task of a device's kernel. NULL: nothing to add. */
    void (*tell_kernel)(const struct filter_step *step, struct filter_gpu_task *task);
    /* The engines that can take such passes, on the host or on a device; NULL behind the last. */
    const struct filter_engine *const *engines;
} pass_shape;

/* The entry of `over`; NULL: there is no such shape. */
const pass_shape *pass_shape_at(filter_over over);

static inline const pass_shape *pass_shape_of(const filter_pass *pass)
{
    return pass_shape_at(pass->over);
}

/* Reaches: of the options' window; of a rectangle that need not contain the pixel; and over the
 * whole image. */
filter_reach shape_window_reach(const struct chain_link *link, const filter_pass *pass);
filter_reach shape_rect_reach(const satf_rect *rect);
filter_reach shape_all_reach(const struct chain_link *link, const filter_pass *pass);

#endif
