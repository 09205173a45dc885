/* Images of floats less a pivot, as doubles: what tables of moments are made of. */
#ifndef SATF_FILTER_LIFT_H
#define SATF_FILTER_LIFT_H

#include "../base/context.h"

/* The view of such an image at `data`, of rows of whole lines of cache, and its bytes, a multiple
 * of 64; false if they overflow. */
bool filter_lifted_view(const satf_view *in, void *data, satf_view *lifted, size_t *bytes);

/* lifted = in less its channels' pivots; both are on the host. */
void filter_lift(satf_context *ctx, const satf_view *in, const double *pivots,
                 const satf_view *lifted);

#endif
