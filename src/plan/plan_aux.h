/* A filter of a plan, and the image beside its input. */
#ifndef SATF_PLAN_PLAN_AUX_H
#define SATF_PLAN_PLAN_AUX_H

#include "ends.h"
#include "plan.h"

/* The passes of a filter, from `in` to `out`. */
typedef struct plan_link {
    const chain_link *link;
    satf_view from, to;
    plan_place in, out;
    const filter_ends *ends; /* where the input becomes `from`, and `to` the result; NULL: none */
    satf_view given;         /* the input in front of that */
} plan_link;

/* What steps read beside the input of a filter: an image, its own or the second input, and the sums
 * of that. */
typedef struct plan_aux {
    plan_place place, sums_place; /* PLACE_NONE: none */
    satf_view view, sums;
    bool rgb;  /* it guides by its colour (filter_info.colour_aux) */
    bool says; /* its own full scale */
} plan_aux;

/* Whether its auxiliary image guides by colour with these options. */
bool plan_takes_rgb(const chain_link *link);

/* Finds it, or leaves PLACE_NONE where none is given. */
satf_status plan_find_aux(satf_context *ctx, satf_plan *plan, const plan_link *of, plan_aux *aux);

#endif
