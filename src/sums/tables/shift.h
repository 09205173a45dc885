/* Images of floats less a shift, as doubles, for tables of moments (docs/numbers.md, Floats). */
#ifndef SATF_SUMS_TABLES_SHIFT_H
#define SATF_SUMS_TABLES_SHIFT_H

#include "../../plan/step.h"

/* Whether the step's tables are to be of an image less shifts. */
bool filter_is_shifted(const filter_step *step);

/* The step on the image less shifts at `data`, whose rows are whole lines of cache, and the image's
 * bytes, a multiple of 64; false if they overflow. */
bool filter_shifted_step(const filter_step *step, void *data, filter_step *shifted, size_t *bytes);

/* shifted = in less its channels' shifts; both are on the host. */
satf_status filter_shift(satf_context *ctx, const satf_view *in, const double *shifts,
                         const satf_view *shifted);

#endif
