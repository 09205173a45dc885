/* Parts of a result, and the parts of the input that they depend on. */
#ifndef SATF_CHAIN_REGION_H
#define SATF_CHAIN_REGION_H

#include "chain.h"

/* Whether the filter's result has a zero edge: a row and a column of zeros in front. */
bool filter_has_zero_edge(const chain_link *link);

/* What the filter's result lacks at the sides under border valid: pixels whose windows, in all of
 * its steps, are not inside the image. 0 under other borders; -1 where the result has a zero
 * edge. */
filter_reach filter_margins(const chain_link *link);

/* Whether it lacks any. */
static inline bool filter_trims(const chain_link *link)
{
    filter_reach m = filter_margins(link);
    return m.left > 0 || m.top > 0 || m.right > 0 || m.bottom > 0;
}

/* The pixels of an image of that size that have results. */
satf_rect filter_valid_part(const chain_link *link, int64_t width, int64_t height);

/* The sides of the filter's input become those of its result. */
void filter_result_size(const chain_link *link, int64_t *width, int64_t *height);

/*
 * The part `where` of what the chain makes of in, inside that, is the part `part` of what it makes
 * of the part `crop` of in: the pixels that `where` depends on, and no more. Where crop ends inside
 * the image its borders are seen by pixels outside `part` alone. in's data are not looked at.
 */
satf_status filter_find_region(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                               const satf_rect *where, satf_rect *crop, satf_rect *part);

#endif
