/* A filter of a plan, and its auxiliary input. */
#ifndef SATF_PLAN_PLAN_AUX_H
#define SATF_PLAN_PLAN_AUX_H

#include "ends.h"
#include "plan.h"

/* A filter of the chain, from `in` to `out`. */
typedef struct plan_link {
    const chain_link *link;
    satf_view from, to;
    plan_place in, out;
    const filter_ends
        *ends; /* how the input becomes `from`, and `to` the result; NULL: they are the same */
    satf_view given; /* the input before it is adapted */
} plan_link;

/* What a filter's steps read beside its input: an image, its own or the second input, and the sums
 * of that image's channels. */
typedef struct plan_aux {
    plan_place place, sums_place; /* PLACE_NONE: none */
    satf_view view, sums;
    bool rgb;  /* it guides by its colour (filter_info.colour_aux) */
    bool says; /* it says its own full scale */
} plan_aux;

/* Whether its auxiliary image guides by colour with these options. */
bool plan_takes_rgb(const chain_link *link);

/* Finds the auxiliary input, or leaves PLACE_NONE if none is given. */
satf_status plan_find_aux(satf_context *ctx, satf_plan *plan, const plan_link *of, plan_aux *aux);

#endif
