/* The last steps of filters on a CUDA device, in plain C: what cuda/filter does. All memory is the
 * device's, which is open. */
#ifndef SATF_FILTER_GPU_H
#define SATF_FILTER_GPU_H

#include "../base/context.h"
#include "../base/sums.h"
#include "../satfilter/formula.h"
#include "survey.h"

/* What a layer's hits begin with (cuda/filter/hits.cuh), before two counts (uint32_t) a sample. */
enum { FILTER_GPU_HEAD_BYTES = 64 };

/* A summed area table, built. */
typedef struct filter_gpu_layer {
    void *sat;      /* rows of width * channels sums, aligned to their size */
    int64_t stride; /* bytes */
    satf_sum_type type;
    satf_summand summand;
    /* One pixel outside the image under SATF_CONSTANT, as summands. */
    struct {
        uint64_t integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /* filter_gpu_hit_bytes() bytes for float images of which what is not finite
     * must stay in the windows that contain it, else NULL. */
    void *hits;
} filter_gpu_layer;

/* What the formula is known to be; such have kernels of their own. */
typedef enum filter_gpu_known {
    FILTER_GPU_ANY,
    FILTER_GPU_MEAN,
    FILTER_GPU_VARIANCE,
    FILTER_GPU_STDDEV,
    FILTER_GPU_WEIGHTED_SUM,
    FILTER_GPU_LUMA, /* any that reads FORMULA_LUMA */
    FILTER_GPU_PIXEL /* any that reads no sums */
} filter_gpu_known;

typedef struct filter_gpu_task {
    satf_view in, out;
    filter_gpu_layer layers[2]; /* sums, and squares if the formula wants them */
    int32_t layer_count;
    /* Where the squares of floats are read: what tables are made of, and in the device's memory
     * what has been subtracted from each channel of `in` for that. NULL: they are made of `in`. */
    satf_view summed;
    const double *pivots;
    int32_t border;   /* satf_border */
    int32_t formula;  /* formula_number */
    bool keeps_alpha; /* the last channel's results are its samples */
    filter_gpu_known known;
    bool prefix;   /* the region from the image's corner to the pixel */
    bool weighted; /* the last channel is alpha and weighs the others */
    /* Else has_rects and that many rectangles in the device's memory, in their order, or NULL
     * and the window as the only one. Their window is the least rectangle around all. */
    bool has_rects;
    const satf_weighted_rect *rects;
    int64_t rect_count;
    satf_weighted_rect window;
    formula_sums constants; /* what all samples have in common */
    satf_view beside[2];    /* what formulas read of other images; data NULL: nothing */
    bool has_beside;
    uint64_t *survey;   /* the keys of survey.h in the device's memory; NULL if nobody asks */
    bool surveys;       /* this pass raises them, by its formula, and stores nothing */
    satf_rect surveyed; /* of these pixels */
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options; /* the filter's own; what they point to is not there */
} filter_gpu_task;

/* Bytes of a layer's hits, a multiple of 64; false if they overflow. (sat_layer.c) */
bool filter_gpu_hit_bytes(const satf_view *in, size_t *bytes);

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

/* Decides for plan->task, whose pointers are not looked at; its device is open. */
satf_status filter_gpu_plan_make(satf_context *ctx, filter_gpu_plan *plan);

/* Enqueues out = the formula of the sums that the tables hold. */
satf_status filter_gpu_run(satf_context *ctx, const filter_gpu_plan *plan);

/* The same of windows, from the samples themselves: the task has its layers' types, summands and
 * what lies outside, but no tables. (cuda/filter/march.cu) */
bool filter_gpu_march_fits(const filter_gpu_task *task, bool pays); /* and is faster than tables */
satf_status filter_gpu_march_make(satf_context *ctx, filter_gpu_plan *plan);
satf_status filter_gpu_march_run(satf_context *ctx, const filter_gpu_plan *plan);

/* The same of rectangles over integers, whose sums stay in shared memory. (cuda/filter/ring.cu) */
bool filter_gpu_ring_fits(const filter_gpu_task *task);
satf_status filter_gpu_ring_make(satf_context *ctx, filter_gpu_plan *plan);
satf_status filter_gpu_ring_run(satf_context *ctx, const filter_gpu_plan *plan);

/* Enqueues `to` = the grey of `from`, as filter_run_grey() wants them. */
satf_status filter_gpu_grey(satf_context *ctx, const satf_view *from, const satf_view *to);

/* Enqueues to = from, floats, less its channels' pivots, and these, as satf_image_pivots() finds
 * them: both in the device's memory. `to` is packed doubles in rows. (cuda/filter/lift.cu) */
satf_status filter_gpu_lift(satf_context *ctx, const satf_view *from, bool weighted, double *pivots,
                            const satf_view *to);

/* Enqueues `to` = the pixels of `from`, a view of one shape and type, which need not be packed. */
satf_status filter_gpu_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to);

/* Enqueues `to` = the samples of `from`, a view of equal size and another type, rounded and
 * saturated as results are (formula_store()). `from` is aligned to its samples. */
satf_status filter_gpu_convert(satf_context *ctx, const satf_view *from, const satf_view *to);

/* Where the calls above lead (base/backend.h). */
typedef struct filter_gpu_calls {
    __typeof__(filter_gpu_plan_make) *plan_make;
    __typeof__(filter_gpu_run) *run;
    __typeof__(filter_gpu_march_fits) *march_fits;
    __typeof__(filter_gpu_march_make) *march_make;
    __typeof__(filter_gpu_march_run) *march_run;
    __typeof__(filter_gpu_ring_fits) *ring_fits;
    __typeof__(filter_gpu_ring_make) *ring_make;
    __typeof__(filter_gpu_ring_run) *ring_run;
    __typeof__(filter_gpu_grey) *grey;
    __typeof__(filter_gpu_lift) *lift;
    __typeof__(filter_gpu_copy_pixels) *copy_pixels;
    __typeof__(filter_gpu_convert) *convert;
} filter_gpu_calls;

#endif
