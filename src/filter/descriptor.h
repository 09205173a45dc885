/* What a file of filters/ tells the filter layer about its filter. */
#ifndef SATF_FILTER_DESCRIPTOR_H
#define SATF_FILTER_DESCRIPTOR_H

#include <stddef.h>

#include "../move/move.h"
#include "filter.h"
#include "formulas.h"
#include "rects.h"

typedef enum filter_region {
    REGION_WINDOW, /* width x height around the pixel */
    REGION_RECTS,  /* the template's rectangles */
    REGION_PREFIX, /* everything above and left of the pixel, and the pixel: the SAT itself */
    REGION_PIXEL   /* one pixel from elsewhere, as it is: no sums, any sample type */
} filter_region;

typedef enum filter_type_rule {
    TYPE_OF_INPUT,      /* means: the depth stays, a picture stays such a picture */
    TYPE_REAL,          /* f64; pictures hold it in 16 bits */
    TYPE_OF_SUM,        /* satf_sat_type() */
    TYPE_OF_WINDOW_SUM, /* the smaller of u32 and u64 that holds a window's; f64 of floats */
    TYPE_BILEVEL        /* u8: 0, black, and 255, white */
} filter_type_rule;

/* The vectorised finishers (finish.h) that compute this very formula, if any. */
typedef enum filter_kernel {
    KERNEL_NONE,
    KERNEL_MEAN,
    KERNEL_VARIANCE,
    KERNEL_STDDEV,
    KERNEL_WEIGHTED_SUM
} filter_kernel;

/* The possible range of an image's samples. */
typedef struct filter_range {
    bool known;
    double lo, hi;
} filter_range;

typedef struct filter_part filter_part;

typedef struct filter_recipe {
    filter_region region;
    bool averages_alpha; /* colour is weighted by alpha; alpha's lane becomes its mean */
    bool keeps_alpha;    /* that, but alpha's lane stays as it is; the formula reads the centre */
    bool grey;           /* colour becomes grey first (grey.h), alpha weighs and then is gone */
    filter_type_rule type;
    filter_kernel kernel;
    formula_number formula; /* FORMULA_NAME, of NAME_formula(); FORMULA_NONE where pixels move */
    /* REGION_WINDOW: a formula over the same windows whose greatest value in the whole image, and
     * the least sample that counts, are in->greatest and in->least of the other. FORMULA_NONE:
     * nothing is surveyed. */
    formula_number survey;
    /* The range of the result for samples in lo ... hi of a width x height image.
     * NULL: the same range. */
    filter_range (*range)(filter_range in, const void *options, double width, double height);
    /* REGION_PIXEL: the symmetry (src/move) that says where pixels go, and with it the shape of
     * the result. NULL: the filter has an order of pixels (PARAM_ORDER). */
    unsigned (*turn)(const void *options);
    /* REGION_WINDOW: a filter of several steps; [1]: those with an image beside (PARAM_IMAGE). The
     * recipe's own formula is the last one's. No alpha weighs. NULL: it is one step. */
    const filter_part *parts[2];
    int part_counts[2];
    /* REGION_PREFIX: whether squares are summed instead of the samples. NULL: never. */
    bool (*sums_squares)(const void *options);
} filter_recipe;

/*
 * A step of a filter of several: sums over the window of one image, and samples of others at the
 * pixel. Images are counted: 0 is the filter's input, 1 the image given beside it, 2 + k the result
 * of step k, which is f64, has the input's shape and is not rounded; the last step's is the
 * filter's.
 */
enum { FILTER_MAX_PARTS = 16 };

struct filter_part {
    const filter_recipe *recipe; /* REGION_WINDOW */
    int of;                      /* what is summed */
    int beside[2];               /* whose samples the formula reads, if it does */
    bool single;                 /* over the pixel alone, not the window */
    /* What lies outside under border constant:V, V of an input whose largest sample is `full`;
     * NULL: V. */
    double (*outside)(double constant, double full);
};

/* Whether alpha weighs colour. */
static inline bool filter_weighs(const filter_recipe *recipe)
{
    return recipe->averages_alpha || recipe->keeps_alpha;
}

/* Whether the formulas read FORMULA_SQUARE, FORMULA_CENTRE. */
static inline bool filter_reads(const filter_recipe *recipe, unsigned what)
{
    return (formula_reads(recipe->formula) | formula_reads(recipe->survey)) & what;
}

/* The symmetry of a filter of REGION_PIXEL; 0 for an order, which keeps the shape. */
static inline unsigned filter_turn(const filter_recipe *recipe, const void *options)
{
    return recipe->turn ? recipe->turn(options) : 0;
}

/* The parameters of a filter_window called `window` in the options struct Options, which every
 * filter of REGION_WINDOW has; side: the default size, as text. */
#define FILTER_WINDOW_PARAMS(Options, side)                  \
    FILTER_SIZE_PARAM(offsetof(Options, window.size), side), \
        FILTER_PLACE_PARAM(offsetof(Options, window.at)),    \
        FILTER_BORDER_PARAM(offsetof(Options, window.border))

#define FILTER_PLACE_PARAM(offset)                                                             \
    {                                                                                          \
        "at", "X:Y", "pixels", PARAM_PLACE, offset, -32767, 32767, "0:0",                      \
            "the window's centre lies X to the right and Y below the pixel, which it contains" \
    }
#define FILTER_SIZE_PARAM(offset, side)                                          \
    {                                                                            \
        "size", "N|WxH", "pixels", PARAM_SIZE, offset, 1, FILTER_MAX_SIZE, side, \
            "window in pixels, width and height of 1 to 65535"                   \
    }
#define FILTER_BORDER_PARAM(offset)                                       \
    {                                                                     \
        "border", "B", "", PARAM_BORDER, offset, 0, 0, "clamp",           \
            "what lies outside the image: clamp, mirror, reflect, wrap, " \
            "constant:V or shrink"                                        \
    }
#define FILTER_PARAM_END                                  \
    {                                                     \
        NULL, NULL, NULL, PARAM_FLAG, 0, 0, 0, NULL, NULL \
    }

#endif
