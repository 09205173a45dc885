/* The ends of a filter: how its input becomes pixels that engines take, and the engines' result the
 * caller's (src/formula/adapt.h). */
#ifndef SATF_PLAN_ENDS_H
#define SATF_PLAN_ENDS_H

#include "../formula/adapt.h"
#include "step.h"

typedef struct filter_ends {
    bool loads, stores; /* else the input, or the output, is as engines take it */
    row_adapter load, store;
    satf_view in, out;        /* as engines take them; data NULL */
    satf_view weights;        /* for engines; data NULL: none */
    satf_image *made;         /* the weights' image, owned; NULL: they are those that were given */
    const filter_passes *way; /* the passes between the ends; NULL: the filter's own */
    bool lane;                /* `in` has weights as its last channel */
    bool masked;              /* as filter_step.masked */
    double zero;              /* the sample of `in` that stands for 0 */
} filter_ends;

/* SATF_OK if the filter takes these samples, and can leave out those that do not count. */
satf_status filter_check_ends(satf_context *ctx, const satf_filter *chain, const chain_link *link,
                              const satf_view *in);

/* Finds the ends of a filter of the chain, which takes `from` and makes `to` of it; weights: the
 * chain's, moved like `from`, or NULL. *ends has nothing to free on failure. */
satf_status filter_find_ends(satf_context *ctx, const satf_filter *chain, const chain_link *link,
                             const filter_picture *weights, const satf_view *from,
                             const satf_view *to, filter_ends *ends);

/* *made = the picture in samples that engines take: like the filter's input if `like`, else
 * doubles. *made is NULL if the picture has such samples already. */
satf_status filter_plain_picture(satf_context *ctx, const filter_ends *ends, bool like,
                                 const satf_view *picture, satf_image **made);

#endif
