/* A step of a plan, which is one pass of a filter of a chain, and the engines that can take it. */
#ifndef SATF_PLAN_STEP_H
#define SATF_PLAN_STEP_H

#include "../chain/chain.h"
#include "../formula/adapt.h"
#include "../sums/choice/varies_kernels.h"

struct filter_engine;

/* What formulas know of the samples that the filter takes (formula_sums); the step's may be a
 * part. */
typedef struct filter_scale {
    bool of_floats, aux_of_floats, aux_said, has_sign;
    double full, level, aux_full, aux_pixels, top, aux_top, times, most, zero;
} filter_scale;

typedef struct filter_step {
    const filter_info *info;
    const filter_pass *pass;
    const pass_shape *shape; /* the pass's */
    const void *options;     /* the filter's own; then those that engines look at: */
    filter_size size;
    filter_place at;
    /* The constant is exact in the input's type. SATF_BORDER_VALID is SATF_BORDER_CLAMP here: the
     * plan takes a part of the step's result. */
    filter_border border;
    double weight_outside; /* unless 0, the last channel beyond a constant border */
    satf_rect reduced;     /* the pixels that a reduction looks at */
    const filter_rects *rects;
    const filter_order *order;
    filter_axes axes;   /* of passes along lines; size is then their reach */
    bool squared;       /* of integrals: squares are summed */
    varies_kind varies; /* for KERNEL_VARIES, and if the shape `picks` */
    bool weighted;
    bool masked; /* weights are 0 or 1, and samples of weight 0 are 0: plain sums are weighted */
    satf_view in, out; /* data: NULL until a run */
    satf_view aux[FILTER_AUX];
    /* The pass of a second output, which engines with makes_twin make from the same sums; NULL:
     * there is none. */
    const filter_pass *twin;
    satf_view twin_out, twin_aux[2];
    /* The pass before this one, for engines with has_inline: its image is this formula's aux[0],
     * made sample by sample from the same windows of inline_in and from twin_aux, and stored
     * nowhere. NULL: aux[0] is an image. */
    const filter_pass *inline_pass;
    satf_view inline_in;
    double inline_constant; /* of the border */
    filter_scale scale;
    row_adapter adapter; /* of a step at the end of a filter (ends.h) */
    bool walked;         /* walkers make it */
    bool by_rows;        /* from rows that come one by one: in and out have no data */
    bool passes_on;      /* its rows are read soon, so they go through the caches */
    bool lasting;        /* the plan will run many times: long preparations may pay */

    const struct filter_engine *engine;
    const char *name;                /* of the engine, as reports have it */
    const struct filter_step *maker; /* if the shape `picks`, and for adapters of results: the step
                                        that makes the pixels, which reports name */
    double ns;   /* of a sample of the result: roughly, on one thread or on the device */
    void *state; /* the engine's: state_bytes, zeros before it plans */
    /* Memory where the step computes, aligned to 64: what it keeps from run to run, and scratch
     * that other steps use in between. */
    size_t kept_bytes, scratch_bytes;
    size_t walker_bytes;   /* of a walker */
    int64_t least_samples; /* for each further thread; 0: the engine's */
    char *kept, *scratch;
    filter_rows_need need; /* by_rows */
} filter_step;

/* The window of a pixel at (0, 0). */
static inline satf_rect filter_window_rect(const filter_step *step)
{
    return (satf_rect){step->at.x - step->size.width / 2, step->at.y - step->size.height / 2,
                       step->size.width, step->size.height};
}

/* The windows of the pixel at (0, 0) among which the filter chooses, or the largest one that it may
 * have; returns their number. If the shape `picks` they are not what the step reads. */
static inline int filter_windows(const filter_step *step, satf_rect windows[FILTER_MAX_WINDOWS])
{
    if (step->pass->windows) {
        return step->pass->windows(step->options, windows);
    }
    windows[0] = step->shape->window ? step->shape->window(step) : filter_window_rect(step);
    return 1;
}

/* The least rectangle around these windows. */
static inline satf_rect filter_windows_hull(const filter_step *step)
{
    satf_rect windows[FILTER_MAX_WINDOWS];
    int count = filter_windows(step, windows);
    for (int k = 1; k < count; k++) {
        filter_rect_around(&windows[0], &windows[k]);
    }
    return windows[0];
}

/* An engine makes steps of the shapes that name it (pass_shape.engines). One that can take a step
 * is asked to plan it; then, whenever the step's memory is new, to prepare that; then it runs any
 * number of times. */
typedef struct filter_engine {
    const char *name; /* in reports */
    const char *does; /* in refusals: a clause whose subject is the filter */
    /* How it sums over windows, as settings name it; SATF_ENGINE_AUTO: it does not, and no setting
     * excludes it unless it sums_others. */
    satf_engine kind;
    bool sums_others;
    bool pixels_alone;    /* it takes passes alone whose formulas read no sums */
    bool makes_twin;      /* it makes filter_step.twin_out too */
    bool has_inline;      /* it makes the image of filter_step.inline_pass inside its march */
    double ns, device_ns; /* of a sum, or a moved sample: roughly, on one thread and on a CUDA
                             device; 0: it takes no images there */
    size_t state_bytes;   /* of filter_step.state */
    /* Whether it takes the step; NULL: it takes all of its shapes. */
    bool (*suits)(const satf_context *ctx, const filter_step *step);
    /* Plans the step and the memory that it takes. by_rows: also how many rows the source must keep
     * (filter_step.need): h + 1 for a window of h, or all of a lower image. */
    satf_status (*plan)(satf_context *ctx, filter_step *step);
    satf_status (*prepare)(satf_context *ctx, filter_step *step); /* NULL: nothing to prepare */
    /* On a device it enqueues. On the host it makes steps that walkers cannot, or not as fast. */
    satf_status (*run)(satf_context *ctx, filter_step *step);
    /* Whether run() is faster on the host than walkers that begin anywhere, for a step that is none
     * of a walk of several. NULL: never. */
    bool (*runs)(const satf_context *ctx, const filter_step *step);
    /* Looks at the whole image in memory before walkers begin; walk(walkers) passes over it once
     * more. NULL: it takes no filter with a reduction. */
    satf_status (*look)(satf_context *ctx, filter_step *step, satf_status (*walk)(void *walkers),
                        void *walkers);
    void (*release)(void *state); /* NULL: it owns nothing */
    /* Why it cannot make the step by rows, asked before it plans; NULL: it can. */
    const char *(*refuses_rows)(const satf_context *ctx, const filter_step *step);
    /*
     * A walker makes rows first ... end - 1 of the result in memory of its own. `rows` and the step
     * stay there meanwhile. rows->in() gives rows of the input, from top to bottom;
     * satf_border_index() tells which row one beyond the border is. next() makes the next row, or
     * several unless by_rows, and returns how many; 0, and *status, behind the last and after a
     * failure. Long work of one call asks satf_work().
     */
    satf_status (*begin)(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker);
    int64_t (*next)(void *walker, satf_status *status);
    int64_t lookahead_rows; /* rows of the input that it may read beyond windows, either way */
    bool anywhere;          /* walkers may begin at any row, and go side by side: */
    int64_t least_samples;  /* samples for each further thread, plain ones of integers */
    /* The algorithm of the step's table or permutation; NULL: it has none. */
    const char *(*algorithm)(const filter_step *step);
} filter_engine;

/* Engines that several shapes name. */
extern const filter_engine filter_window_engine, filter_table_engine, filter_pixel_engine,
    filter_sides_engine, filter_device_engine, filter_device_window_engine,
    filter_device_floats_engine, filter_device_cells_engine, filter_device_choice_engine;

static inline void filter_set_scale(const filter_scale *scale, formula_sums *common)
{
    common->of_floats = scale->of_floats;
    common->full = scale->full;
    common->level = scale->level;
    common->aux_of_floats = scale->aux_of_floats;
    common->aux_said = scale->aux_said;
    common->aux_full = scale->aux_full;
    common->aux_pixels = scale->aux_pixels;
    common->top = scale->top;
    common->aux_top = scale->aux_top;
    common->times = scale->times;
    common->most = scale->most;
    common->zero = scale->zero;
    common->has_sign = scale->has_sign;
}

/* Auxiliary inputs k and k + 1 of row y, for the epilogue, where they are no images in memory:
 * views all of whose rows are that one. */
static inline void filter_find_aux(const filter_rows *rows, int k, int64_t y, satf_view *aux)
{
    for (int b = 0; b < 2 && rows->aux; b++) {
        if (!aux[b].data || aux[b].stride == 0) {
            aux[b].data = (void *)(uintptr_t)rows->aux(rows->user, k + b, y);
            aux[b].stride = 0;
        }
    }
}

/* A walker that makes a row of each row of its input from y on; `above`: rows that it skips
 * first. */
typedef struct row_walker {
    satf_context *ctx;
    const filter_step *step;
    const filter_rows *rows;
    int64_t y, above;
} row_walker;

/* The next row of the input, and the place of the result's; NULL behind the last and, with *status,
 * after a failure. */
static inline void *filter_next_row(row_walker *w, const void **from, satf_status *status)
{
    const filter_rows *rows = w->rows;
    int64_t height = w->step->out.height, planned = w->step->in.height, y = w->y++;
    *from = y < height ? rows->in(rows->user, w->above + y) : NULL;
    if (y >= height - planned + filter_rows_height(rows, planned)) {
        return NULL;
    }
    void *to = *from ? rows->out(rows->user, y) : NULL;
    if (!to) {
        *status = satf_fail_row(w->ctx, y);
    }
    return to;
}

/* Frees what planning has made. */
void filter_step_release(filter_step *step);

/* The view of a filter's result of `in`, by default; data is NULL. */
satf_status filter_step_output(satf_context *ctx, const chain_link *link, const satf_view *in,
                               satf_view *out);

/* What formulas know of the filter's input, as far as the input alone tells. */
filter_scale filter_scale_of(const chain_link *link, const satf_view *input);

/* The arguments of filter_step_make(). The views' data are not looked at. */
typedef struct filter_step_spec {
    const chain_link *link;
    const filter_pass *pass;
    satf_view in, out, aux[FILTER_AUX];
    const filter_pass *twin; /* as filter_step.twin, if the engine makes it; or NULL */
    satf_view twin_out, twin_aux[2];
    const filter_pass *inline_pass; /* as filter_step.inline_pass; or NULL */
    satf_view inline_in;
    const satf_view *input;     /* the filter's */
    const satf_view *input_aux; /* beside it; NULL: none */
    const satf_view *given;     /* the filter's input before it is adapted (ends.h) */
    bool aux_says;              /* the auxiliary input says its full scale */
    double zero;                /* the input's sample that stands for 0 */
    bool masked;                /* as filter_step.masked */
    double whole;               /* the weight of pixels outside; 0: the border's constant */
    bool by_rows, lasting;
} filter_step_spec;

/* The kind of numbers that KERNEL_VARIES makes of an input. */
varies_kind step_varies_kind(const chain_link *link, const satf_view *input);

/* A step that adapts the pixels of the link's input or result; beside: the image that its rows need
 * beside them, or NULL. There is nothing to free. */
void filter_step_adapt(const chain_link *link, const row_adapter *adapter, const satf_view *in,
                       const satf_view *beside, const satf_view *out, filter_step *step);

/* Checks the step and chooses its engine. There is nothing to free. */
satf_status filter_step_make(satf_context *ctx, const filter_step_spec *spec, filter_step *step);

/* Chooses the step's engine, the only place where that is done: the fastest that takes the step and
 * does what settings ask for. SATF_UNSUPPORTED names what cannot be honoured, and why. */
satf_status filter_choose_engine(satf_context *ctx, filter_step *step);

/* The engine for sums over windows that the settings ask for. A named algorithm, its r and its
 * barriers ask for tables, even where marching is faster. */
satf_engine filter_wanted_engine(const satf_context *ctx);

/* Whether the chain can honour the settings on that device, as far as this does not depend on
 * images: some filter sums over windows, and none sums anything else. */
satf_status filter_check_engine(satf_context *ctx, const satf_filter *chain, int device);

/* The cost of a sample of the step's result by its engine, as filter_step.ns. */
double filter_step_ns(const filter_step *step);

/* Lets the engine plan. */
satf_status filter_step_plan(satf_context *ctx, filter_step *step);

/* The cost of a sample of the filter by the fastest engine that the context allows, on the CPU or
 * on a CUDA device: roughly, in ns of one thread or of the device. */
double filter_ns(const satf_context *ctx, const chain_link *link, bool on_device);

/* The type of the sums of an integral: the smallest that holds those of the whole image. */
static inline satf_sum_type filter_prefix_sum(const filter_step *step)
{
    return satf_sum_type_for((satf_type)step->in.type,
                             step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN,
                             (uint64_t)step->in.width * (uint64_t)step->in.height, SATF_SUM_U32);
}

#endif
