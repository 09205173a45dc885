/* Images of floats less a pivot, as doubles: what tables of moments are made of (docs/design.md,
 * Floats). */
#ifndef SATF_FILTER_LIFT_H
#define SATF_FILTER_LIFT_H

#include "step.h"

/* Whether the step's tables are to be of such an image. */
bool filter_lifts(const filter_step *step);

/* The step on such an image at `data`, of rows of whole lines of cache, and its bytes, a multiple
 * of 64; false if they overflow. */
bool filter_lift_step(const filter_step *step, void *data, filter_step *lifted, size_t *bytes);

/* lifted = in less its channels' pivots; both are on the host. */
void filter_lift(satf_context *ctx, const satf_view *in, const double *pivots,
                 const satf_view *lifted);

#endif
