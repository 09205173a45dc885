/* The weights of a chain's pixels, which filters move with their pixels. */
#ifndef SATF_PLAN_WEIGHTS_H
#define SATF_PLAN_WEIGHTS_H

#include "../chain/chain.h"

/*
 * *weights, moved like the filter's input, become those of its result: moved to the places of moved
 * pixels, means over cells, or cut to the part that the result is. `loaded`: the weights that the
 * filter's engines take, if it weighs. On failure *weights are as before.
 */
satf_status filter_weights_behind(satf_context *ctx, const chain_link *link,
                                  const satf_view *loaded, filter_picture **weights);

#endif
