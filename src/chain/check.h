/* Checks that a filter's parameters are ready to work with. */
#ifndef SATF_CHAIN_CHECK_H
#define SATF_CHAIN_CHECK_H

#include "chain.h"

/* The first parameter from `param` on that is a length (size.h); NULL behind the last. */
const filter_param *filter_next_length(const chain_link *link, const filter_param *param);

/* Fails: why the length does not become pixels, a clause. */
satf_status filter_fail_length(satf_context *ctx, const chain_link *link, const filter_param *param,
                               const filter_size *size, const char *why);

/* Fails if a window of the filter is a length. */
satf_status filter_check_pixels(satf_context *ctx, const chain_link *link);

/* Fails if a level is none of such samples. */
satf_status filter_check_levels(satf_context *ctx, const chain_link *link, int type);

/* Fails if a parameter counts instead of one (PARAM_INSTEAD) that is given, be it `named` with its
 * default. */
satf_status filter_check_instead(satf_context *ctx, const chain_link *link, bool named);

/* Whether the filter's parameters are all there and go together. */
satf_status filter_check_link(satf_context *ctx, const chain_link *link);

#endif
