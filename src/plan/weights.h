/* The weights of a chain's pixels, which its filters move as they move these. */
#ifndef SATF_PLAN_WEIGHTS_H
#define SATF_PLAN_WEIGHTS_H

#include "../chain/chain.h"

/*
 * *weights, which lie in the filter's input, become those in its result: in the places to which it
 * moves pixels, the means of its cells, or less where its result is. `loaded` are those that its
 * engines take, if it weighs. On failure they are as before.
 */
satf_status filter_weights_behind(satf_context *ctx, const chain_link *link,
                                  const satf_view *loaded, filter_picture **weights);

#endif
