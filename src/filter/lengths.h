/* Windows of a chain that are lengths (size.h), which filter_resolve() makes pixels. */
#ifndef SATF_FILTER_LENGTHS_H
#define SATF_FILTER_LENGTHS_H

#include "chain.h"

/* Fails if a window of the filter is a length. */
satf_status filter_check_pixels(satf_context *ctx, const chain_link *link);

/* Whether the filter's parameters are all there and go together. */
satf_status filter_check_link(satf_context *ctx, const chain_link *link);

#endif
