/* The task of a step for kernels on a CUDA device (filter_plan() and the calls behind it in
 * base/device/calls.h). All memory is the device's. */
#ifndef SATF_PLAN_GPU_H
#define SATF_PLAN_GPU_H

#include "../base/device/gpu.h"
#include "../sat/sums.h"
#include "../satfilter/formula.h"
#include "../sums/lines/line_numbers.h"
#include "../formula/reduction.h"
#include "../formula/terms.h"

/* Bytes of the head of a layer's masks (cuda/sums/masks.cuh); behind it are two counts a sample. */
enum { FILTER_GPU_HEAD_BYTES = 64 };

/* Windows of floats without a table (cuda/sums/windows.cu): bytes of a number of a sum; the most
 * samples of a window that is summed sample by sample; the most columns that are summed one by one.
 */
enum { FILTER_GPU_SUM_BYTES = 8, FILTER_GPU_FEW_SAMPLES = 16, FILTER_GPU_NARROW = 24 };

/* A summed area table that is built. */
typedef struct filter_gpu_layer {
    void *sat;      /* rows of width * channels sums, aligned to their size */
    int64_t stride; /* bytes */
    satf_sum_type type;
    satf_summand summand;
    /* A pixel outside the image under SATF_BORDER_CONSTANT, as summands. */
    struct {
        uint64_t integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /* filter_gpu_hit_bytes() bytes for float images, whose samples that are not finite must stay in
     * the windows that contain them; else NULL. */
    void *masks;
} filter_gpu_layer;

/* What the formula is known to be, for kernels of its own. */
typedef enum filter_gpu_known {
    FILTER_GPU_ANY,
    FILTER_GPU_MEAN,
    FILTER_GPU_VARIANCE,
    FILTER_GPU_STDDEV,
    FILTER_GPU_WEIGHTED_SUM,
    FILTER_GPU_LUMA, /* any formula that reads FORMULA_LUMA */
    FILTER_GPU_STEP  /* of the pixel alone, from integers to bytes: KERNEL_STEP */
} filter_gpu_known;

typedef struct filter_gpu_task {
    satf_view in, out;
    filter_gpu_layer layers[2]; /* sums, and squares if the formula wants them */
    int32_t layer_count;
    /* For formulas that read squares of floats: the image that tables are made of, and in the
     * device's memory the shifts that were subtracted from each channel of `in` for it. NULL:
     * tables are made of `in`. */
    satf_view summed;
    const double *shifts;
    int32_t border;   /* satf_border */
    int32_t formula;  /* formula_number */
    bool keeps_alpha; /* the last channel's results are its samples */
    filter_gpu_known known;
    bool weighted; /* the last channel is alpha and weighs the others */
    /* has_rects: rect_count rectangles in the device's memory, in their order; `window` is the
     * least rectangle around all. Else rects is NULL, and the window is the only one. */
    bool has_rects;
    const satf_weighted_rect *rects;
    int64_t rect_count;
    satf_weighted_rect window;
    /* Unless 0: so many windows, of which the one that varies least counts. */
    int32_t choices;
    satf_rect choice[FILTER_MAX_WINDOWS];
    satf_view keys; /* how much each result's window varies: of integers a key a sample
                       (src/sums/choice/keys.h), of floats two bounds; data NULL: not wanted */
    bool sides; /* aux[0] gives the sides of windows (src/sums/choice/sides.h); the formula is the
                   mean */
    formula_sums constants; /* inputs that all samples share */
    terms_numbers terms; /* of FORMULA_TERMS, for windows inside the image; of FORMULA_FOUND without
                            what a reduction finds */
    satf_view
        aux[2]; /* other images, whose samples at the pixel the formula reads; data NULL: none */
    bool has_aux;
    /* The inline pass, which makes aux[0] of each sample: its formula, unlimited, of the same
     * windows of inline_in and of inline_aux; FORMULA_NONE: aux[0] is an image. */
    int32_t inline_formula;
    satf_view inline_in, inline_aux;
    filter_gpu_layer inline_layer;
    uint64_t
        *reduction;    /* the keys of src/formula/reduction.h in the device's memory; NULL: none */
    bool reduces;      /* this pass raises them, by its formula, and stores nothing */
    satf_rect reduced; /* the pixels that it looks at */
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options; /* the filter's; memory that they point to is not on the device */
} filter_gpu_task;

/*
 * The memory of windows of floats, in sums of a row of `samples`: `rows` rows of columns; twice
 * filter_gpu_pieces() rows of pieces of columns; and, if filter_gpu_keeps_rows(), `rows` rows more.
 */

/* The length of the pieces of a block, which has 64 at most, enough to keep a device busy; of wide
 * images fewer, so that all pieces of three blocks have less than 2^20 sums. */
static inline int64_t filter_gpu_piece(int64_t height, int64_t samples)
{
    int64_t most = samples <= 1 << 12 ? 64 : samples < 1 << 18 ? (1 << 18) / samples : 1;
    int64_t longer = (height + most - 1) / most;
    return longer > 16 ? longer : 16;
}

/* At most so many pieces do a band's windows have: in as many blocks as meet, and one more. 0: none
 * is cut. */
static inline int64_t filter_gpu_pieces(int64_t height, int64_t rows, int64_t samples)
{
    int64_t length = filter_gpu_piece(height, samples), count = (height + length - 1) / length;
    return count > 1 ? ((rows - 1) / height + 3) * count : 0;
}

/* Bytes of shared memory for the ends of a warp's windows. */
enum { FILTER_GPU_ENDS_BYTES = 6144 };

/* Whether ends do not fit there, or a formula reads sums of several channels. */
static inline bool filter_gpu_keeps_rows(const filter_gpu_task *task, size_t sum_bytes)
{
    const satf_rect *window = &task->window.rect;
    int64_t ends = window->w < task->in.width ? window->w : task->in.width;
    return task->known == FILTER_GPU_LUMA || ends > (int64_t)(FILTER_GPU_ENDS_BYTES / sum_bytes);
}

/* Bytes of a layer's masks, a multiple of 64; false if they overflow. (src/sums/tables/sat_layer.c)
 */
bool filter_gpu_hit_bytes(const satf_view *in, size_t *bytes);

/* A pass along lines. */
typedef struct filter_gpu_lines {
    satf_view in, out;
    filter_axes axes;
    line_taps along, down; /* the taps, by weights */
    line_numbers numbers;
    int32_t border; /* satf_border */
    double constant;
    double outside[SATF_MAX_CHANNELS]; /* a pixel beyond the border, as numbers */
    double one;                        /* the number of a sample inside, for borders that shrink */
    void *numbers_at[2];               /* memory for results of passes */
    double *ones[2], *ones_at[2]; /* for borders that shrink: for a row and a column, and to make
                                     them, each as long as the longer side and the lines' reach */
} filter_gpu_lines;

/* A task whose kernel and blocks are chosen. They fit any memory of the same shape and strides: the
 * caller of a run has set the task's pointers. */
enum { FILTER_GPU_LAUNCH_BYTES = 512 };
typedef struct filter_gpu_plan {
    filter_gpu_task task;
    void (*kernel)(void);
    union {
        unsigned char bytes[FILTER_GPU_LAUNCH_BYTES];
        int64_t aligned;
    } launch[2]; /* [1]: if the output is aligned to its samples */
} filter_gpu_plan;

#endif
