/* A chain of filters on images of one shape: all that is decided before the pixels come. */
#ifndef SATF_FILTER_PLAN_H
#define SATF_FILTER_PLAN_H

#include <stddef.h>

#include "../base/gpu.h"
#include "step.h"

/* Where an image is: the caller's, a copy of it, or somewhere in the plan's memory. */
typedef struct plan_place {
    enum { PLACE_INPUT, PLACE_BESIDE, PLACE_OUTPUT, PLACE_EVEN, PLACE_ODD, PLACE_PART } kind;
    size_t at; /* PLACE_PART: from the parts' memory on */
} plan_place;

/* A step, and what it reads and makes. */
typedef struct plan_step {
    filter_step step;
    plan_place in, out, beside[2];
} plan_step;

/* What a plan is for: a call, many runs, or a run by rows. */
typedef enum filter_use { FILTER_ONCE, FILTER_LASTING, FILTER_BY_ROWS } filter_use;

/* Images of a run, where the work is done. */
typedef struct plan_images {
    const void *in, *beside;
    void *out;
} plan_images;

struct satf_plan {
    satf_context *ctx;
    satf_filter *chain; /* of its own */
    /* The caller's, without data: beside has no width if none is given, and is that of a parameter
     * of the filter if `pictured`. */
    satf_view in, beside, out;
    bool pictured;
    /* The same where the work is done: packed copies, if that is elsewhere. */
    satf_view from, from_beside, to;
    int device; /* where it is done */
    int threads;
    bool by_rows, lasting;
    size_t count;
    plan_step *steps;
    const char *refusal; /* by rows: why not, before any step is planned */
    /*
     * Offsets into the memory, in which everything is aligned to 64: of the copies, of two images
     * behind even and odd filters that take turns, of those between the parts of filters, of what
     * each step keeps, and of what all steps use in turn. The images between two filters have their
     * filter's exact type, so that nothing is rounded on the way.
     */
    size_t from_at, beside_at, to_at, images[2], parts, scratch, kept;
    size_t bytes;
    char *memory; /* NULL: none yet */
    void *owned;  /* what is to be freed of it; NULL: it is the caller's */
    /* On a device: the order of its uses there, and whether a graph may use it at any time. */
    satf_gpu_order order;
    bool in_graph;
    unsigned char settings[offsetof(satf_context, stream)]; /* of the context, when it was made */
};

/* Whether satf_filter_apply() can be called with these views, and in the output's data. */
satf_status filter_check_views(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out, bool need_data);

/* What a plan is made for: images like these, whose data are not looked at. */
typedef struct filter_plan_spec {
    satf_view in, beside, out; /* beside: without width if no image is given beside the input */
    int device;                /* that computes */
    filter_use use;
} filter_plan_spec;

/* Where the chain is computed on such images: where they are, or for those of the host where the
 * context's device says. */
int filter_plan_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                       const satf_view *out);

/* Decides; the plan has no memory yet. */
satf_status filter_plan_make(satf_context *ctx, const satf_filter *chain,
                             const filter_plan_spec *spec, satf_plan **plan);

/* Whether the device that failed so was the context's choice (SATF_DEVICE_AUTO), and the CPU is to
 * compute instead. */
bool filter_plan_leaves(const satf_context *ctx, const satf_view *in, int device,
                        satf_status status);

/* Gives the plan memory of its own, or the caller's, of plan->bytes and aligned to 64, and prepares
 * it. */
satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory);

/* Takes it away again. */
void filter_plan_detach(satf_context *ctx, satf_plan *plan);

/* Frees a plan that has no memory; any. */
void filter_plan_drop(satf_plan *plan);
void filter_plan_free(satf_context *ctx, satf_plan *plan);

/* Runs it in that memory. */
satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images);

#endif
