/* Checks that a filter's parameters are ready to work with. */
#ifndef SATF_CHAIN_CHECK_H
#define SATF_CHAIN_CHECK_H

#include "chain.h"

/* The first parameter from `param` on that is a length (size.h); NULL behind the last. */
const filter_param *filter_next_length(const chain_link *link, const filter_param *param);

/* Fails because a length does not become pixels. why: a clause. */
satf_status filter_fail_length(satf_context *ctx, const chain_link *link, const filter_param *param,
                               const filter_size *size, const char *why);

/* Fails if a window of the filter is a length. */
satf_status filter_check_pixels(satf_context *ctx, const chain_link *link);

/* Fails if a level is out of range for samples of the type. */
satf_status filter_check_levels(satf_context *ctx, const chain_link *link, int type);

/* Fails if a parameter counts instead of another (PARAM_INSTEAD) that is given too; named: even
 * with its default value. */
satf_status filter_check_instead(satf_context *ctx, const chain_link *link, bool named);

/* Fails unless all of the filter's parameters are given that it needs, and go together. */
satf_status filter_check_link(satf_context *ctx, const chain_link *link);

#endif
