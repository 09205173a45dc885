/*
 * A model of filters: what docs/filters.md and docs/numbers.md say of pictures, windows, borders,
 * alpha and types, by definition; and a driver that compares any filter with a function that knows
 * its samples, whole by both engines, in a part, by rows, in a plan, by each instruction set.
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include "test.h"

#include "filter_reference.h"
#include "pairs.h"

/* ------------------------------------------------------------------------------- pictures */

enum { MODEL_TYPES = 4, MODEL_LAYOUTS = 7, MODEL_BORDERS = SATF_BORDER_SHRINK + 1 };
extern const int model_types[MODEL_TYPES];
extern const struct model_layout {
    int channels, alpha;
} model_layouts[MODEL_LAYOUTS];

/* The largest sample, or what the picture says that is white; 1 of floats. */
double model_full(int type, int full);

/* 0 ... count - 1 */
int model_pick(uint64_t *seed, int count);

/* What samples are like. MODEL_NEAR: the largest or the one below it. */
enum { MODEL_ANY, MODEL_FEW, MODEL_NEAR, MODEL_WHITE, MODEL_BLACK, MODEL_EXTREME, MODEL_FILLS };
void model_fill(ref_image *image, int how, uint64_t seed);

/* --------------------------------------------------------------------------------- cases */

/* A picture, a window that lies at a place of its pixel, and what is outside. */
typedef struct model_case {
    ref_image image;
    int border;
    int64_t constant; /* the sample outside, in units of the image's */
    int64_t w, h, at_x, at_y;
    uint64_t seed;
    int fill;
} model_case;

bool model_is_real(const model_case *c);
double model_constant(const model_case *c); /* as the filter takes it */

/* At random: any type, layout and border, up to that size, windows with the first of these sides,
 * square ones often. The image is not filled. */
model_case model_draw(uint64_t *seed, int width, int height, int sides);

/* A filter with the case's window, place and border, and more options: "k=1,invert" or "". */
satf_filter *model_filter(satf_context *ctx, const model_case *c, const char *name,
                          const char *options);

/* Each type, layout and border of one size, {width, height, w, h}. The image is filled, at random
 * or, each third time, in one of the other ways. */
void model_each(satf_context *ctx, const int64_t size[4], uint64_t seed,
                void (*with)(satf_context *, model_case *));

/* ------------------------------------------------------------------------------- windows */

/* The sums of a rectangle that lies so from every pixel. */
typedef struct model_sums {
    const ref_image *image;
    int border;
    int64_t constant;
    satf_rect rect;
    ref_wide *sums, *squares; /* of samples, each times its alpha if there is one */
    int64_t *area;            /* the pixels that count */
} model_sums;

model_sums model_sum(const ref_image *image, int border, int64_t constant, satf_rect rect);
satf_rect model_rect(const model_case *c);
void model_sums_free(model_sums *sums);

/* Of sample i. Alpha is weighed by pixels, what it weighs by its sum. */
typedef struct model_moments {
    ref_wide weight, sum, square;
    double weight_unit, sum_unit, square_unit; /* of floats; 1 for integers */
    bool is_alpha;                             /* the sample is */
} model_moments;
model_moments model_moments_at(const model_sums *sums, int64_t i);

/* What one counts for products of so many samples. */
double model_unit(const ref_image *image, int power);

/* The mean over one rectangle of the picture, and what is around it, as a fraction. */
void model_mean(const ref_image *image, int border, int64_t constant, satf_rect rect, int channel,
                ref_wide *over, ref_wide *under);

/* To the nearest, halves up; 0 of no weight. */
ref_wide model_round(ref_wide over, ref_wide under);
double model_saturated(double value, double most);

/* -------------------------------------------------------------------------------- driver */

typedef struct model_place {
    int64_t x, y, i; /* of the whole result; i counts samples */
    int channel;
} model_place;

/* Whether a filter may make that of it; *want goes into the message. */
typedef bool model_right(const void *user, const model_place *at, double got, double *want);

enum {
    MODEL_SAT = 1,      /* the whole, by the engine of tables */
    MODEL_WINDOW = 2,   /* by that of windows */
    MODEL_AUTO = 4,     /* by what is chosen */
    MODEL_PART = 8,     /* some part alone */
    MODEL_ROWS = 16,    /* by rows that come and go */
    MODEL_NO_ROWS = 32, /* which is refused, as it looks at the whole picture */
    MODEL_ISAS = 64,    /* by each instruction set */
    MODEL_KEPT = 256,   /* by rows, of which no more are kept than the plan asks for */
    MODEL_IN_TURN = 128 /* of a part and rows one each second time, which is quicker */
};

/* What is checked: a filter, or a text of one, or a case's by name and options; of a view, or of a
 * case's picture, whose rows are longer. */
typedef struct model_run {
    const satf_filter *filter;
    const char *spec;
    const model_case *of;
    const char *name, *options;
    satf_view in;
    unsigned ways;
    int type; /* of the result; 0: the filter's. SATF_U8 is so, too */
    /* A filter without an image and that image: a plan of both, or NULL. */
    const satf_filter *without;
    const satf_view *second;
    model_right *right;
    const void *user;
    const char *more; /* about the case, for messages, or NULL */
    uint64_t seed;
} model_run;

/* Fails with a line that says filter, picture, way, pixel and both samples. The result's rows are
 * longer than they must be, and nothing is written behind them. */
#define MODEL_CHECK(ctx, ...) model_check(ctx, (model_run){__VA_ARGS__})
void model_check(satf_context *ctx, model_run run);

/* Results that are known beforehand. */
typedef struct model_values {
    const double *values;
    double room; /* how far they, or their squares, may be from these; 0: the same */
    bool of_squares;
} model_values;
model_right model_is_value; /* user: model_values */

#endif
