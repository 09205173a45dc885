/* A chain of filters on images of one shape: all that is decided before the pixels come. */
#ifndef SATF_FILTER_PLAN_H
#define SATF_FILTER_PLAN_H

#include <stddef.h>

#include "../base/gpu.h"
#include "step.h"

struct satf_plan {
    satf_context *ctx;
    satf_filter *chain; /* of its own */
    satf_view in, out;  /* the caller's, without data */
    satf_view from,
        to;         /* the same where the work is done, and packed: copies, where they are not */
    satf_rect part; /* of the chain's result, which is `to`, that out gets */
    bool whole;     /* all of it */
    int device;     /* where the work is done */
    int threads;
    size_t count;
    filter_step *steps;
    /*
     * Offsets into the memory, in which every part is aligned to 64: of from and to, of two images
     * behind even and odd filters that take turns, of what each step keeps, and of what all steps
     * use in turn. The images between two filters have their filter's exact type, so that nothing
     * is rounded on the way.
     */
    size_t from_at, to_at, images[2], scratch, kept;
    size_t bytes;
    char *memory; /* NULL: none yet */
    void *owned;  /* what is to be freed of it; NULL: it is the caller's */
    /* Images of the host that are not packed, and work elsewhere: packed copies on the host, of
     * the input, and that far behind of the output. */
    size_t near_bytes, near_out;
    char *near;
    /* On a device: the order of its uses there, and whether a graph may use it at any time. */
    satf_gpu_order order;
    bool in_graph;
    unsigned char settings[offsetof(satf_context, stream)]; /* of the context, when it was made */
};

/* What is asked for. */
typedef struct filter_call {
    const satf_filter *filter;
    const satf_view *in, *out;
    bool whole; /* out gets all that the filter makes of in, else this part of it: */
    satf_rect part;
} filter_call;

/* A call whose output is the whole result. */
static inline filter_call filter_whole_call(const satf_filter *filter, const satf_view *in,
                                            const satf_view *out)
{
    return (filter_call){filter, in, out, true, {0, 0, 0, 0}};
}

/* Whether satf_filter_apply() can be called with these views, and in the output's data. */
satf_status filter_check_views(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out, bool need_data);

/* Where it is computed: where the images are, or for those of the host where the context's device
 * says. */
int filter_plan_device(const satf_context *ctx, const filter_call *call);

/* Decides for that device and views that are checked, whose data are not looked at; the plan has no
 * memory yet. by_rows: the device is SATF_HOST. */
satf_status filter_plan_make(satf_context *ctx, const filter_call *call, int device, bool by_rows,
                             satf_plan **plan);

/* Whether the device that failed so was the context's choice (SATF_DEVICE_AUTO), and the CPU is to
 * compute instead. */
bool filter_plan_leaves(const satf_context *ctx, const filter_call *call, int device,
                        satf_status status);

/* Gives the plan memory of its own, or the caller's, of plan->bytes and aligned to 64, and prepares
 * it. */
satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory);

/* Takes it away again. */
void filter_plan_detach(satf_context *ctx, satf_plan *plan);

/* Frees all but what is not its own. */
void filter_plan_free(satf_context *ctx, satf_plan *plan);

/* Runs it in that memory. */
satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const void *in, void *out);

#endif
