/*
 * The descriptor of a filter, which its file gives: parameters, sums, types. Installed, so that
 * such a file can be a module as well (satfilter-module.h).
 */
#ifndef SATF_MODULE_FILTER_H
#define SATF_MODULE_FILTER_H

#include <stddef.h>

#include "formula.h"

/* These are casts of C, of which C++ compilers warn where -Wold-style-cast asks them to. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* A kind of parameter, and the type of its value in the options struct (options.h). */
typedef enum param_kind {
    PARAM_INTEGER,  /* int64_t */
    PARAM_REAL,     /* double; with the metavar "S|auto" that word is NAN */
    PARAM_LEVEL,    /* likewise, a level of 8 bits: of integers min ... max, of floats any number */
    PARAM_DISTANCE, /* likewise, between levels: of floats 0 or more, and above 0 where min is */
    PARAM_FULL,     /* int64_t: the full scale of the samples; 0: the picture's */
    PARAM_AUX_FULL, /* int64_t: likewise of the auxiliary input */
    PARAM_SIZE,     /* filter_size */
    PARAM_PLACE,    /* filter_place */
    PARAM_FLAG,     /* bool */
    PARAM_BORDER,   /* filter_border */
    PARAM_CHOICE,   /* int: which of the words that the metavar lists, "90|180|270", from 0 */
    PARAM_TEMPLATE, /* filter_rects *: a file of rectangles; NULL until it is set */
    PARAM_ORDER,    /* filter_order *: a .npy file of pixels' numbers; likewise */
    PARAM_IMAGE,    /* filter_picture *: an auxiliary input; NULL: none */
    PARAM_SHAPE,    /* filter_shape: the result's sides, or their share of the input's (size.h) */
    PARAM_PART,     /* filter_part: what of the input is the result */
    PARAM_INSTEAD   /* double, from 0: unless it is 0 it says, in another way, what the parameter in
                     * front of it does. Both together are refused */
} param_kind;

/* A parameter, once: parsing, setters, printing, help, man page and completion derive from it. */
typedef struct filter_param {
    const char *name;    /* as in specs: "border", "squared"; the window is "size" ("N" or "WxH") */
    const char *metavar; /* "N|WxH"; NULL for a flag */
    const char *unit;    /* of a number; "" if it has none */
    param_kind kind;
    size_t offset;            /* of the value in the filter's options */
    double min, max;          /* of an integer, a real, each side of a size, each part of a place;
                               * of levels where samples are integers */
    const char *default_text; /* NULL: none, for files */
    const char *help;         /* one line with unit and range */
} filter_param;

/*
 * What a pass sums over, or moves: OVER_WINDOW and so on. The row of each is shape_window
 * (src/chain/shape.h).
 * WINDOW: width x height around the pixel.
 * MIRRORED: the pixels whose windows contain the pixel: its window's mirror image.
 * PIXEL: the pixel alone.
 * CHOICE, of devices: of several windows the one that varies least, or the first.
 * SIDES: around the pixel, 2 r + 1 wide and high, r being aux[0] there.
 * RECTS: the template's rectangles.
 * ALL: everything above and left of the pixel, and the pixel: the SAT itself, without a formula.
 * CELLS: a cell of a coarser grid: the pixel, with a shape, else of PARAM_SIZE.
 * LINES: several times over a line along the row, then as often along the column.
 * ELSEWHERE: one pixel from elsewhere, as it is: no sums, any sample type.
 * MIX: the pixels of several images at one place, all their channels.
 * ADAPT, of the library alone: the pixel, as engines take it, or back.
 * LEAST: of several pixels the one whose numbers in aux[0] are least (varied.h), or the first of
 * these: no sums, any sample type.
 */
#define FILTER_SHAPES(SHAPE)    \
    SHAPE(WINDOW, window)       \
    SHAPE(MIRRORED, mirrored)   \
    SHAPE(PIXEL, pixel)         \
    SHAPE(CHOICE, choice)       \
    SHAPE(SIDES, sides)         \
    SHAPE(RECTS, rects)         \
    SHAPE(ALL, all)             \
    SHAPE(CELLS, cells)         \
    SHAPE(LINES, lines)         \
    SHAPE(ELSEWHERE, elsewhere) \
    SHAPE(MIX, mix)             \
    SHAPE(LEAST, least)         \
    SHAPE(ADAPT, adapt)

#define FILTER_OVER(over, name) OVER_##over,
typedef enum filter_over { FILTER_SHAPES(FILTER_OVER) } filter_over;
#undef FILTER_OVER

typedef enum filter_type_rule {
    TYPE_OF_INPUT, /* means: the depth stays, a picture stays such a picture */
    TYPE_REAL,     /* f64; pictures hold it in 16 bits */
    TYPE_WIDENED,  /* f64 of the input's range and full scale: a picture stays such a picture */
    TYPE_OF_SUM,   /* satf_sat_type() */
    TYPE_OF_WINDOW_SUM, /* the smaller of u32 and u64 that holds a window's; f64 of floats */
    TYPE_BILEVEL,       /* u8: 0, black, and 255, white; f64 of a surface */
    TYPE_WHOLE, /* not of the last pass: f32 of integers, whole numbers up to 2^24; f64 of floats */
    TYPE_SCALED /* not of modules, and of the only pass: what filter_pass.made says, white in it
                 * being what formula_sums.times says. Alpha goes along */
} filter_type_rule;

/* What becomes of a result when a constant is added to all samples, and with it how integers with a
 * sign are computed: of 8 and 16 bits with an offset and exactly, if a filter says so. Others, and
 * those of 32 and 64 bits, as doubles. */
typedef enum filter_sign {
    SIGN_REAL,   /* something else */
    SIGN_MOVES,  /* the constant is added to it */
    SIGN_STAYS,  /* nothing */
    SIGN_REFUSED /* the filter has no meaning where means are 0 or less */
} filter_sign;

/* The vectorised epilogues (epilogue.h) that compute this very formula, if any. KERNEL_STEP: any
 * formula of the pixel alone whose result is one up to some sample, and another above it.
 * KERNEL_SAMPLE: any whose result depends on nothing but the sample, not on its alpha either.
 * KERNEL_VARIES: how much all colours of the window vary, as the numbers that OVER_LEAST compares;
 * the formula says what is summed. */
typedef enum filter_kernel {
    KERNEL_NONE,
    KERNEL_MEAN,
    KERNEL_VARIANCE,
    KERNEL_STDDEV,
    KERNEL_WEIGHTED_SUM,
    KERNEL_STEP,
    KERNEL_SAMPLE,
    KERNEL_VARIES
} filter_kernel;

/* The possible range of an image's samples. */
typedef struct filter_range {
    bool known;
    double lo, hi;
} filter_range;

/* The image whose samples those are: its sides, and formula_sums.level. */
typedef struct filter_extent {
    double width, height, level;
} filter_extent;

/* What a pass over OVER_LINES sums along an axis: 2 radius + 1 samples, by the weights of a
 * Gaussian of that deviation; or, `times` one after the other, these of weight `inner` each and one
 * more at either end of weight `outer`. The weights' sum is 1. */
typedef struct filter_lines {
    int times;      /* 1 ... 5; 0: by a Gaussian's weights */
    int64_t radius; /* 0 ... 1000 */
    double inner, outer, sigma;
} filter_lines;

/* Along the rows and down the columns, as many times. */
typedef struct filter_axes {
    filter_lines along, down;
} filter_axes;

/* Up to this deviation a Gaussian's own weights cost no more than boxes. */
#define FILTER_GAUSS_WEIGHTS 6.0

/* A Gaussian of 0 ... 1000 pixels by 3 ... 5 boxes, or, for 0 passes, by its own weights as far as
 * 4 deviations: see filters/gauss.h. */
static inline filter_lines filter_gaussian_line(double sigma, int passes)
{
    filter_lines lines = {passes, (int64_t)ceil(4 * sigma), 0, 0, sigma};
    if (passes > 0) {
        double variance = sigma * sigma / passes;
        double r = floor((sqrt(12 * variance + 1) - 1) / 2), wider = (r + 1) * (r + 1);
        double alpha = (2 * r + 1) * (r * (r + 1) - 3 * variance) / (6 * (variance - wider));
        double share = floor(alpha * 65536 + 0.5), all = (2 * r + 1) * 65536 + 2 * share;
        lines.radius = (int64_t)r;
        lines.inner = 65536 / all;
        lines.outer = share / all;
    }
    return lines;
}

/* By weights if no deviation, nor `widest`, is above FILTER_GAUSS_WEIGHTS; else by boxes. */
static inline filter_axes filter_gaussian(double along, double down, double widest, int passes)
{
    double most = along > down ? along : down;
    int times = most > FILTER_GAUSS_WEIGHTS || widest > FILTER_GAUSS_WEIGHTS ? passes : 0;
    filter_axes axes = {filter_gaussian_line(along, times), filter_gaussian_line(down, times)};
    return axes;
}

/* The least number times which share / all is whole; 0 if the share is not. */
static inline double filter_parts(double share, double all)
{
    double a = fabs(share), b = all;
    if (floor(a) != a) {
        return 0;
    }
    while (a > 0) {
        double rest = fmod(b, a);
        b = a;
        a = rest;
    }
    return all / b;
}

/*
 * A pass makes one image: of sums over pixels of one image, and of samples of others at the pixel.
 * Images are counted: 0 is the filter's input, 1 the image given beside it, or the input where
 * there is none, 2 + k the result of pass k, which has the input's size and is not rounded: f64, or
 * by TYPE_WHOLE. Its channels are those of what is summed. The last pass's is the filter's.
 * FILTER_SUMS, for formulas of the library alone: at every pixel the sums of all samples of image
 * 1, those of a channel in its lane.
 */
enum { FILTER_MAX_PASSES = 24, FILTER_MAX_WAYS = 4, FILTER_AUX = 6, FILTER_SUMS = -1 };

typedef struct filter_pass {
    filter_over over;
    int of;   /* what is summed, or the first image of a mix */
    bool all; /* OVER_WINDOW, not of the last pass: all windows that hold a pixel of the image, each
               * at its last pixel; so their image is larger, to the right and below */
    int aux[FILTER_AUX]; /* whose samples the formula reads, if it does: up to 2, a mix all it sees
                          */
    int lanes;           /* OVER_MIX: channels of the image it makes; 0: the filter's input's */
    /* What lies outside under border constant:V, common: what all samples have in common. NULL: V.
     */
    double (*outside)(double constant, const formula_sums *common);
    bool averages_alpha; /* colour is weighted by alpha; alpha's lane becomes its mean */
    bool keeps_alpha;    /* that, but alpha's lane stays as it is, times formula_sums.times; the
                          * formula reads the centre */
    bool grey; /* colour of the filter's input becomes grey first (src/formula/grey.h), for all its
                * passes; alpha weighs and then is gone, or stays where pixels move */
    filter_type_rule type;
    /* TYPE_SCALED: the type that the options make of samples of this one. */
    satf_type (*made)(const void *options, satf_type of);
    /* TYPE_BILEVEL: where in the options the filter_bilevel is, by which the result may be the
     * threshold, TYPE_REAL. */
    size_t bilevel;
    filter_kernel kernel;
    int formula; /* FORMULA_NAME, of NAME_formula(); FORMULA_NONE where pixels move or mix */
    int mix;     /* OVER_MIX: MIX_FILTER_NAME, of FILTER_NAME_mix() */
    /* Windows without auxiliary images: the formula as a sum, common: what all samples have in
     * common. Engines decide by it what is not near a tie. NULL: it is none. */
    filter_terms (*terms)(const void *options, const formula_sums *common);
    /* Windows: a formula over the same windows whose greatest finite value in the whole image, and
     * the least finite sample that counts, are in->greatest and in->least of the other.
     * FORMULA_NONE: nothing is reduced. */
    int reduction;
    /* OVER_PIXEL, of one channel besides alpha, which weighs: the samples of the whole image are
     * counted, floats in 256 bins, and in->otsu is the level that parts them best. */
    bool histogram;
    /* OVER_CHOICE, OVER_LEAST: the windows of a pixel at (0, 0), each at most 255 pixels wide and
     * high and with the pixel in it, and their number. A window varies by the variances of its
     * channels besides alpha, added up, of integers exactly. OVER_LEAST takes the last pixel of
     * each, from images of passes over all windows. */
    int (*windows)(const void *options, satf_rect windows[FILTER_MAX_WINDOWS]);
    /* OVER_ELSEWHERE: the symmetry (src/move) that says where pixels go, and with it the shape of
     * the result. NULL: the filter has an order of pixels (PARAM_ORDER), or a corner. */
    unsigned (*symmetry)(const void *options);
    /* The sides of the result for those of the input. NULL: the border and the symmetry say. */
    void (*shape)(const void *options, int64_t *width, int64_t *height);
    /* OVER_ELSEWHERE with a shape: where in an input of these sides the result begins; it may not
     * leave the input. Other results with a shape are scaled. */
    filter_place (*corner)(const void *options, int64_t width, int64_t height);
    /* OVER_LINES, which has no formula: what the options say. */
    filter_axes (*lines)(const void *options);
    /* OVER_ALL: whether squares are summed instead of the samples. NULL: never. */
    bool (*sums_squares)(const void *options);
    /* OVER_ALL: whether the result has a zero edge: a row and a column of zeros in front. NULL:
     * never. */
    bool (*zero_edge)(const void *options);
} filter_pass;

/* The passes of a filter, in their order; without any it needs an auxiliary input. */
typedef struct filter_passes {
    const filter_pass *list;
    int count;
} filter_passes;

#define FILTER_PASSES(list)                             \
    {                                                   \
        (list), (int)(sizeof(list) / sizeof((list)[0])) \
    }

typedef struct filter_info {
    const char *name;
    const char *help;   /* one line */
    const char *detail; /* what to take it for, and what not: a few lines of --help NAME */
    const filter_param
        *params;          /* ends with name NULL; the first is the option's own value, if any */
    bool needs_value;     /* --box N against --integral */
    size_t options_bytes; /* of the options struct, at most FILTER_OPTIONS_BYTES */
    /* What the filter may be, all with results of one type and shape, and the number of that which
     * it is with these options, for images of so many channels besides alpha, and with an
     * auxiliary input (PARAM_IMAGE) or without. NULL: the first. */
    filter_passes ways[FILTER_MAX_WAYS];
    int (*way)(const void *options, int colours, bool aux);
    /* Its passes on a device, where they are others. */
    filter_passes on_device;
    filter_sign sign;
    /* The range of the result for samples in lo ... hi of such an image. NULL: the same range. Not
     * asked of black and white. */
    filter_range (*range)(filter_range in, const void *options, const filter_extent *of);
    /* The auxiliary input may have another sample type than the input, and its alpha is left out:
     * it has one channel or the input's besides alpha. */
    bool any_aux;
    /* Whether an auxiliary input of RGB, with these options, may have any sample type and channels
     * of its own. What way() is told then are the colours of that: 3, or 1 of all others. Its alpha
     * is in its image, and no pass should read it. NULL: never. */
    bool (*colour_aux)(const void *options);
    /* Whether passes read FILTER_SUMS with these options. NULL: never. */
    bool (*sums_aux)(const void *options);
    /* A command that one can type: the first line of --help NAME, and the filter's picture
     * (docs/gallery.py). NULL, of a module alone: none. */
    const char *example;
} filter_info;

/* pixels * parts / all, rounded, halves up, at least 1 and at most INT64_MAX. */
static inline int64_t filter_shape_share(int64_t pixels, int64_t parts, int64_t all)
{
    satf_u128 share =
        ((satf_u128)(uint64_t)pixels * (uint64_t)parts + (uint64_t)all / 2) / (uint64_t)all;
    return share < 1 ? 1 : share < INT64_MAX ? (int64_t)share : INT64_MAX;
}

/* Whether PARAM_SHAPE says a box: two sides in pixels, into which the result fits. */
static inline bool filter_shape_is_box(const filter_shape *shape)
{
    return shape->size.width > 0 && shape->size.height > 0 && !shape->exact;
}

/* Whether an input is smaller than PARAM_SHAPE asks for, by one side or by a box. */
static inline bool filter_shape_keeps(const filter_shape *shape, int64_t width, int64_t height)
{
    int64_t w = shape->size.width, h = shape->size.height;
    return filter_shape_is_box(shape) ? w > width && h > height
                                      : (h == 0 && w > width) || (w == 0 && h > height);
}

/* The sides of PARAM_SHAPE for an input of *width x *height, which stay where it keeps its size. In
 * a box the side that fills it is the one that is further above it; the other follows. */
static inline void filter_shape_sides(const filter_shape *shape, int64_t *width, int64_t *height)
{
    const int64_t all = 100000000;
    int64_t w = shape->size.width, h = shape->size.height;
    if (filter_shape_keeps(shape, *width, *height)) {
        return;
    }
    if (filter_shape_is_box(shape)) {
        bool fills =
            (satf_u128)(uint64_t)w * (uint64_t)*height <= (satf_u128)(uint64_t)h * (uint64_t)*width;
        w = fills ? w : 0;
        h = fills ? 0 : h;
    }
    int64_t wide = w < 0 ? filter_shape_share(*width, -w, all) : w;
    int64_t high = h < 0 ? filter_shape_share(*height, -h, all) : h;
    wide = w ? wide : filter_shape_share(*width, high, *height);
    *height = h ? high : filter_shape_share(*height, wide, *width);
    *width = wide;
}

/* A mean lies among the samples and what is outside. */
static inline filter_range filter_mean_range(filter_range in, const void *options,
                                             const filter_extent *of)
{
    (void)options, (void)of;
    return in;
}

/* The first pixel of PARAM_PART in an input of these sides. In the middle, of an odd number of
 * pixels around it the one more is on the right and below. */
static inline filter_place filter_part_corner(const filter_part *part, int64_t width,
                                              int64_t height)
{
    filter_place middle = {(width - part->size.width) / 2, (height - part->size.height) / 2};
    return part->centred ? middle : part->at;
}

/* The range of a threshold that is the result: that of the samples, widened to hold lo ... hi. */
static inline filter_range filter_surface_range(filter_range in, double lo, double hi)
{
    filter_range range = {in.known, lo < in.lo ? lo : in.lo, hi > in.hi ? hi : in.hi};
    return range;
}

/* The parameters of a filter_window called `window` in the options struct Options, which every
 * filter of OVER_WINDOW has; side: the default size, as text. */
#define FILTER_WINDOW_PARAMS(Options, side)                  \
    FILTER_SIZE_PARAM(offsetof(Options, window.size), side), \
        FILTER_PLACE_PARAM(offsetof(Options, window.at)),    \
        FILTER_BORDER_PARAM(offsetof(Options, window.border))

#define FILTER_PLACE_PARAM(offset)                                          \
    {                                                                       \
        "at", "X:Y", "pixels", PARAM_PLACE, offset, -32767, 32767, "0:0",   \
            "the window's centre lies X to the right and Y below its pixel" \
    }
#define FILTER_SIZE_PARAM(offset, side)                                          \
    {                                                                            \
        "size", "N|WxH", "pixels", PARAM_SIZE, offset, 1, FILTER_MAX_SIZE, side, \
            "window in pixels, 1 to 65535"                                       \
    }
#define FILTER_BORDER_PARAM(offset)                                      \
    {                                                                    \
        "border", "B", "", PARAM_BORDER, offset, 0, 0, "clamp",          \
            "outside: clamp mirror reflect wrap constant:V shrink valid" \
    }
/* Every filter that asks for the full scale has it. */
#define FILTER_FULL_PARAM(offset)                                          \
    {                                                                      \
        "full", "M", "", PARAM_FULL, offset, 0, 65535, "0",                \
            "full scale, such as 4095 for 12 bits in 16; 0: the picture's" \
    }
/* The parameter of the auxiliary input's full scale; `file` is that of the input itself. */
#define FILTER_AUX_FULL_PARAM(name, file, offset)                   \
    {                                                               \
        name, "M", "", PARAM_AUX_FULL, offset, 0, 65535, "0",       \
            "full scale of " file "; 0: its own, or that of full=M" \
    }
/* Those of a filter_bilevel called `bilevel`, which every filter of TYPE_BILEVEL has. */
#define FILTER_BILEVEL_PARAMS(Options)                                                    \
    {"invert",                                                                            \
     NULL,                                                                                \
     "",                                                                                  \
     PARAM_FLAG,                                                                          \
     offsetof(Options, bilevel.invert),                                                   \
     0,                                                                                   \
     0,                                                                                   \
     "off",                                                                               \
     "black and white change places"},                                                    \
    {                                                                                     \
        "surface", NULL, "", PARAM_FLAG, offsetof(Options, bilevel.surface), 0, 0, "off", \
            "the threshold itself, as f64"                                                \
    }
#define FILTER_PARAM_END                                  \
    {                                                     \
        NULL, NULL, NULL, PARAM_FLAG, 0, 0, 0, NULL, NULL \
    }

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
