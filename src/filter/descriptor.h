/* What a file of filters/ tells the filter layer about its filter. */
#ifndef SATF_FILTER_DESCRIPTOR_H
#define SATF_FILTER_DESCRIPTOR_H

#include "../move/move.h"
#include "filter.h"
#include "formula.h"

typedef enum filter_region {
    REGION_WINDOW, /* width x height around the pixel, either engine */
    REGION_RECTS,  /* the template's rectangles, SAT engine */
    REGION_PREFIX, /* everything above and left of the pixel, and the pixel: the SAT itself */
    REGION_PIXEL   /* one pixel from elsewhere, as it is: no sums, no engine, any sample type */
} filter_region;

typedef enum filter_type_rule {
    TYPE_OF_INPUT, /* means: the depth stays, a picture stays such a picture */
    TYPE_REAL,     /* f64; pictures hold it in 16 bits */
    TYPE_OF_SUM    /* satf_sat_type() */
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

typedef struct filter_engine {
    filter_region region;
    bool squares;        /* REGION_WINDOW: the formula uses the sum of squares too */
    bool averages_alpha; /* colour is weighted by alpha; alpha's lane becomes its mean */
    filter_type_rule type;
    filter_kernel kernel;
    formula_value (*formula)(const formula_sums *in);
    /* The range of the result for samples in lo ... hi of a width x height image.
     * NULL: the same range. */
    filter_range (*range)(filter_range in, const filter_values *values, double width,
                          double height);
    /* REGION_PIXEL: the symmetry (src/move) that says where pixels go, and with it the shape of
     * the result. NULL: the filter has an order of pixels (PARAM_ORDER). */
    unsigned (*turn)(const filter_values *values);
} filter_engine;

/* The symmetry of a filter of REGION_PIXEL; 0 for an order, which keeps the shape. */
static inline unsigned filter_turn(const filter_engine *engine, const filter_values *values)
{
    return engine->turn ? engine->turn(values) : 0;
}

/* Parameters that several filters have. */
#define FILTER_PARAM_SIZE                                                                    \
    {                                                                                        \
        "size", "N|WxH", "window in pixels, width and height of 1 to 65535", "3", PARAM_SIZE \
    }
#define FILTER_PARAM_BORDER                                               \
    {                                                                     \
        "border", "B",                                                    \
            "what lies outside the image: clamp, mirror, reflect, wrap, " \
            "constant:V or shrink",                                       \
            "clamp", PARAM_BORDER                                         \
    }
#define FILTER_PARAM_END                   \
    {                                      \
        NULL, NULL, NULL, NULL, PARAM_FLAG \
    }

#endif
