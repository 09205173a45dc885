/* A plan of a chain of filters for images of one shape: all that is decided before pixels come.
 * Read this file first, then step.h, plan.c and engines.c. */
#ifndef SATF_PLAN_PLAN_H
#define SATF_PLAN_PLAN_H

#include <stddef.h>

#include "../base/device/gpu.h"
#include "../base/view.h"
#include "step.h"

/* Where an image is: the caller's or a copy of it, or in the plan's memory. */
typedef struct plan_place {
    enum {
        PLACE_NONE,
        PLACE_INPUT,
        PLACE_AUX,     /* the caller's second input */
        PLACE_OUTPUT,  /* or the plan's copy, if the work is done elsewhere */
        PLACE_PICTURE, /* an image that a filter keeps */
        PLACE_EVEN,
        PLACE_ODD,
        PLACE_LOADED, /* a filter's input, as engines take it, */
        PLACE_MADE,   /* and its result, as they make it */
        PLACE_PASS
    } kind;
    size_t at; /* bytes from there on; PLACE_PASS: from passes_at; PLACE_PICTURE: which picture */
} plan_place;

/* The source of a step's rows in a walk: step `maker` of the walk; below 0: memory, or rows from
 * outside the plan. Row y of the step is row y + this->y of the source, from `byte` on. */
typedef struct walk_source {
    int maker;
    bool twin; /* it is the maker's twin output */
    int64_t y;
    size_t byte;
} walk_source;

/* The rows of a walk's step that later steps read, relative to the row of the last step: most_ahead
 * and least_ahead: how far ahead of it the step is at most and at least; first_row: the first row
 * that is still needed; rows_before: rows made in front of a walker's first one. */
typedef struct walk_span {
    int64_t most_ahead, least_ahead, first_row, rows_before;
} walk_span;

/* A step, and the images that it reads and makes. */
typedef struct plan_step {
    filter_step step;
    plan_place in, out,
        aux[FILTER_AUX + 2]; /* of the first output, then of the twin or the inline pass */
    plan_place inline_pass;  /* PLACE_NONE: there is none */
    plan_place twin;         /* the output of the twin; PLACE_NONE: there is none */
    size_t link;             /* of the chain, by number */
    /* In a walk (walk.h): the sources of `in` and of the auxiliary inputs; rows of its ring, 0 if
     * it makes an image; where the ring, the twin's and the step's own memory are in a walker's. */
    walk_source from[FILTER_AUX + 3];
    walk_span span;
    int64_t ring_rows;
    size_t ring_at, twin_at, walker_at;
    /* For a result with a zero edge: a picture of as many zeros as its longer side has (PLACE_NONE:
     * no edge), and the result with its edge, at `edged_at`. */
    plan_place zeros, edged_at;
    satf_view edged;
    double ms; /* of the latest run, if it was timed */
} plan_step;

/* An image that a filter of the chain keeps, or one made of it, and where its copy is if the work
 * is done elsewhere. */
typedef struct plan_picture {
    satf_image *made; /* with the input's channels, or their sums; NULL: the view is the filter's */
    filter_picture *weights;     /* the weights that own the view; NULL: it is not of weights */
    satf_view view, device_view; /* device_view: without data */
    size_t at;
    bool zeros; /* all samples are 0, so it is not copied */
} plan_picture;

/* Steps that make one walk. */
typedef struct plan_walk {
    size_t first, count;
    int threads, walkers;
    int64_t band_rows; /* rows of the last step's result that a walker makes */
    int64_t kept;      /* rows of the walk's input that it needs at a time */
    size_t bytes;      /* memory of a walker; walks use the plan's by turns */
} plan_walk;

/* What a plan is for: calls of a context, as long as they are alike; many runs by its maker; or a
 * run by rows. */
typedef enum filter_use { FILTER_CALL, FILTER_LASTING, FILTER_BY_ROWS } filter_use;

/* The images of a run. */
typedef struct plan_images {
    const void *in, *aux;
    void *out, *twin;
} plan_images;

struct satf_plan {
    satf_context *ctx;
    satf_filter *chain; /* of its own */
    filter_picture
        *weights; /* the chain's weights, moved as far as planning has come; NULL: none */
    /* The caller's views, without data; aux: without width if there is one input. */
    satf_view in, aux, out;
    /* The caller's second output, of a filter of two outputs (without data; without width: there is
     * none), and the plan that makes it if the last step of this plan does not. */
    satf_view twin;
    struct satf_plan *other;
    /* The same views where the work is done; `to`: of the last filter's whole result. */
    satf_view from, from_aux, to;
    satf_rect result; /* where the chain's result is in `to`: all but under border valid */
    satf_rect part;   /* the part of that result that `out` gets */
    bool whole;       /* `out` gets all of it */
    int device;       /* where the work is done */
    filter_use use;
    size_t count;
    plan_step *steps;
    plan_picture *pictures;
    size_t picture_count;
    plan_walk *walks; /* by rows one of all steps; else of several steps, or of one */
    size_t walk_count;
    /*
     * Offsets into the memory, in which everything is aligned to 64: of the copies; of two images
     * behind even and odd filters, used by turns; of those at the ends of a filter; of those
     * between a filter's passes; of scratch for all steps and walkers in turn; of what steps keep.
     * Images between two filters have the filters' exact type, so nothing is rounded on the way.
     */
    size_t from_at, aux_at, to_at, images_at[2], ends_at[2], passes_at, scratch_at, walkers_at,
        kept_at;
    size_t bytes;
    char *memory; /* NULL: none yet */
    void *owned;  /* the allocation to free; NULL: the memory is the caller's */
    bool graphs;  /* it belongs to a graph that was captured when it was allocated */
    /* For images of the host that are not packed, and work elsewhere: packed copies on the host of
     * the input, and from near_out on of the output. */
    size_t near_bytes, near_out;
    char *near;
    /* Sides of the tiles in which a device computes the result, each with memory of its own, of at
     * most `bytes`, while the plan has none; 0: all is computed at once. (tiles.h) */
    int64_t tile_w, tile_h;
    /* On a device: the order of the plan's uses, and whether a graph may use it at any time. */
    satf_gpu_order order;
    bool in_graph;
    /* The request that the plan was made for: filter_call.device and the context's settings. */
    int asked_device;
    satf_settings settings;
    bool timed; /* runs note each step's time, where it can be known */
};

/* A request to apply a filter. */
typedef struct filter_call {
    const satf_filter *filter;
    const satf_view *in, *aux, *out; /* aux: NULL if there is one input */
    const satf_view *twin;           /* of a filter of two outputs; only if one march makes both */
    bool whole;                      /* out gets the whole result of `in`, else this part of it: */
    satf_rect part;
    int device; /* that computes host images: SATF_DEVICE_AUTO, SATF_HOST or SATF_CUDA(n) */
    bool timed;
    bool in_part; /* part of a call that reports progress, and says when all is done */
} filter_call;

/* A call of one input whose output is the whole result. */
static inline filter_call filter_whole_call(const satf_context *ctx, const satf_filter *filter,
                                            const satf_view *in, const satf_view *out)
{
    return (filter_call){
        .filter = filter, .in = in, .out = out, .whole = true, .device = ctx->settings.device};
}

/* Whether the work is done elsewhere than where the caller's images are. */
static inline bool plan_crosses(const satf_plan *plan)
{
    return plan->device != plan->in.device;
}

static inline bool plan_is_tiled(const satf_plan *plan)
{
    return plan->tile_w > 0;
}

/* The memory of the image at a place, in a run. */
static inline char *plan_find(const satf_plan *plan, const plan_place *place,
                              const plan_images *images)
{
    switch (place->kind) {
    case PLACE_INPUT:
        return (char *)(uintptr_t)images->in;
    case PLACE_AUX:
        return (char *)(uintptr_t)images->aux;
    case PLACE_OUTPUT:
        return (char *)images->out + (ptrdiff_t)place->at; /* a stride may be below 0 */
    case PLACE_PICTURE:
        return plan->device == SATF_HOST ? plan->pictures[place->at].view.data
                                         : plan->memory + plan->pictures[place->at].at;
    case PLACE_EVEN:
        return plan->memory + plan->images_at[0] + place->at;
    case PLACE_ODD:
        return plan->memory + plan->images_at[1] + place->at;
    case PLACE_LOADED:
        return plan->memory + plan->ends_at[0] + place->at;
    case PLACE_MADE:
        return plan->memory + plan->ends_at[1] + place->at;
    case PLACE_PASS:
        return plan->memory + plan->passes_at + place->at;
    default:
        return NULL;
    }
}

/* How many steps reports name: all but those at the ends of filters. */
static inline size_t plan_reported(const satf_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        count += !plan->steps[i].step.shape->adapts;
    }
    return count;
}

/* Whether the plan's last step makes two outputs. */
static inline bool plan_makes_both(const satf_plan *plan)
{
    return plan->steps[plan->count - 1].step.twin != NULL;
}

/* Whether images go to the device when the plan gets its memory. */
static inline bool plan_keeps_images(const satf_plan *plan)
{
    bool keeps = false;
    for (size_t i = 0; i < plan->picture_count; i++) {
        keeps = keeps || !plan->pictures[i].zeros;
    }
    return keeps;
}

/* Whether a last step copies the caller's result: a part of the last filter's (border valid, or a
 * part is asked for), or into pixels that are not packed. If the work is done elsewhere it is
 * copied anyway. */
static inline bool plan_copies_out(const satf_plan *plan)
{
    bool trims = plan->result.w < plan->to.width || plan->result.h < plan->to.height;
    return !plan_crosses(plan) && (trims || !plan->whole || !satf_is_packed(&plan->out));
}

/* A view of a caller's image with its pixels packed. */
satf_view plan_packed(const satf_view *view, void *data);

/* The device that computes the call: that of the images, or for images of the host the one that the
 * call says. */
int filter_plan_device(const satf_context *ctx, const filter_call *call);

/* Makes a plan for a device and for checked views, whose data are not looked at; the plan has no
 * memory yet. FILTER_BY_ROWS: the device is SATF_HOST. */
satf_status filter_plan_make(satf_context *ctx, const filter_call *call, int device, filter_use use,
                             satf_plan **plan);

/* Whether a device that failed with `status` was chosen here (SATF_DEVICE_AUTO), so that the CPU is
 * to compute instead. */
bool filter_plan_leaves(satf_context *ctx, const filter_call *call, int device, satf_status status);

/* Frees a plan that has no memory. */
void filter_plan_drop(satf_plan *plan);

/* Gives the plan memory of its own, or the caller's, of plan->bytes and aligned to 64, and prepares
 * its steps. */
satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory);

/* Takes the memory away again. */
void filter_plan_detach(satf_context *ctx, satf_plan *plan);

/* Releases the plan's memory after a run, as a part of its call: the system takes memory back page
 * by page, so large memory goes in parts, and the callback is asked in between. */
void filter_plan_let_go(satf_context *ctx, satf_plan *plan);

/* Frees the plan, and its memory if it has any. */
void filter_plan_free(satf_context *ctx, satf_plan *plan);

/* Applies the filter by the plan that the context keeps if it serves the call, else by one that the
 * context keeps from now on. Views of a part of a result have been checked. */
satf_status filter_apply(satf_context *ctx, const filter_call *call);

/* Runs the plan in its memory. The caller begins progress reports, and says when all is done. */
satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images);

#endif
