/* The task of a filter's last step on a CUDA device (filter_plan() and what follows in
 * base/device/calls.h). All memory is the device's. */
#ifndef SATF_PLAN_GPU_H
#define SATF_PLAN_GPU_H

#include "../base/device/gpu.h"
#include "../sat/sums.h"
#include "../satfilter/formula.h"
#include "../sums/lines/line_numbers.h"
#include "../formula/reduction.h"
#include "../formula/terms.h"

/* What a layer's masks begin with (cuda/sums/masks.cuh), before two counts (uint32_t) a sample.
 */
enum { FILTER_GPU_HEAD_BYTES = 64 };

/* Windows of floats without a table (cuda/sums/windows.cu): what their sums take a sample; and how
 * many samples a window has at most that is summed sample by sample. */
enum { FILTER_GPU_SUM_BYTES = 8, FILTER_GPU_FEW_SAMPLES = 16 };

/* A summed area table, built. */
typedef struct filter_gpu_layer {
    void *sat;      /* rows of width * channels sums, aligned to their size */
    int64_t stride; /* bytes */
    satf_sum_type type;
    satf_summand summand;
    /* One pixel outside the image under SATF_BORDER_CONSTANT, as summands. */
    struct {
        uint64_t integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /* filter_gpu_hit_bytes() bytes for float images of which what is not finite
     * must stay in the windows that contain it, else NULL. */
    void *masks;
} filter_gpu_layer;

/* What the formula is known to be; such have kernels of their own. */
typedef enum filter_gpu_known {
    FILTER_GPU_ANY,
    FILTER_GPU_MEAN,
    FILTER_GPU_VARIANCE,
    FILTER_GPU_STDDEV,
    FILTER_GPU_WEIGHTED_SUM,
    FILTER_GPU_LUMA, /* any that reads FORMULA_LUMA */
    FILTER_GPU_STEP  /* of the pixel alone, from integers to bytes: KERNEL_STEP */
} filter_gpu_known;

typedef struct filter_gpu_task {
    satf_view in, out;
    filter_gpu_layer layers[2]; /* sums, and squares if the formula wants them */
    int32_t layer_count;
    /* For formulas that read squares of floats: the image that tables are made of, and in the
     * device's memory what has been subtracted from each channel of `in` for that. NULL: they are
     * made of `in`. */
    satf_view summed;
    const double *shifts;
    int32_t border;   /* satf_border */
    int32_t formula;  /* formula_number */
    bool keeps_alpha; /* the last channel's results are its samples */
    filter_gpu_known known;
    bool weighted; /* the last channel is alpha and weighs the others */
    /* Else has_rects and that many rectangles in the device's memory, in their order, or NULL
     * and the window as the only one. Their window is the least rectangle around all. */
    bool has_rects;
    const satf_weighted_rect *rects;
    int64_t rect_count;
    satf_weighted_rect window;
    /* Unless it is 0: so many windows, of which that counts which varies least. */
    int32_t choices;
    satf_rect choice[FILTER_MAX_WINDOWS];
    satf_view keys; /* how much the window of each result varies: of integers a key for each sample
                       (src/sums/choice/keys.h), of floats two bounds; data NULL: nobody asks */
    bool sides; /* aux[0] gives the sides of windows (src/sums/choice/sides.h); the formula is the
                   mean */
    formula_sums constants; /* what all samples have in common */
    terms_numbers terms;    /* of FORMULA_TERMS, for windows that lie inside the image; of
                               FORMULA_FOUND without what is found */
    satf_view
        aux[2]; /* other images, whose samples at the pixel the formula reads; data NULL: none */
    bool has_aux;
    /* The inline pass, which gives aux[0] of each sample: its formula, without a limit, of the same
     * windows of inline_in and of inline_aux; FORMULA_NONE: aux[0] is an image. */
    int32_t inline_formula;
    satf_view inline_in, inline_aux;
    filter_gpu_layer inline_layer;
    uint64_t *reduction; /* the keys of src/formula/reduction.h in the device's memory; NULL if
                            nobody asks */
    bool reduces;        /* this pass raises them, by its formula, and stores nothing */
    satf_rect reduced;   /* of these pixels */
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options; /* the filter's own; what they point to is not on the device */
} filter_gpu_task;

/* Bytes of a layer's masks, a multiple of 64; false if they overflow. (src/sums/tables/sat_layer.c)
 */
bool filter_gpu_hit_bytes(const satf_view *in, size_t *bytes);

/* A pass along lines. */
typedef struct filter_gpu_lines {
    satf_view in, out;
    filter_axes axes;
    line_taps along, down; /* if they are weights */
    line_numbers numbers;
    int32_t border; /* satf_border */
    double constant;
    double outside[SATF_MAX_CHANNELS]; /* a pixel beyond the border, as numbers */
    double one;                        /* what counts as a sample inside, where it shrinks */
    void *numbers_at[2];               /* memory for what passes make */
    double *ones[2], *ones_at[2]; /* where it shrinks: for a row and a column, and to make them:
                                   * as many as the longer side has, and what lines reach */
} filter_gpu_lines;

/* A task whose kernel and blocks are chosen. They fit any memory of the same shape and strides: who
 * runs it has set the task's pointers. */
enum { FILTER_GPU_LAUNCH_BYTES = 512 };
typedef struct filter_gpu_plan {
    filter_gpu_task task;
    void (*kernel)(void);
    union {
        unsigned char bytes[FILTER_GPU_LAUNCH_BYTES];
        int64_t aligned;
    } launch[2]; /* [1]: where the output is aligned to its samples */
} filter_gpu_plan;

#endif
