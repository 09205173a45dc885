/* Parts of a result, and the parts of an input that they depend on. */
#ifndef SATF_CHAIN_REGION_H
#define SATF_CHAIN_REGION_H

#include "chain.h"

/* Whether the filter's result has a zero edge: a row and a column of zeros in front. */
bool filter_has_zero_edge(const chain_link *link);

/* How many pixels the filter's result lacks at its sides under border valid: those whose windows,
 * in all of its steps, are not inside the image. 0 under other borders; -1 if the result has a zero
 * edge. */
filter_reach filter_margins(const chain_link *link);

/* Whether the result lacks any pixels. */
static inline bool filter_trims(const chain_link *link)
{
    filter_reach m = filter_margins(link);
    return m.left > 0 || m.top > 0 || m.right > 0 || m.bottom > 0;
}

/* The pixels of an image of that size that have results. */
satf_rect filter_valid_part(const chain_link *link, int64_t width, int64_t height);

/* Makes the sides of the filter's input those of its result. */
void filter_result_size(const chain_link *link, int64_t *width, int64_t *height);

/*
 * The part `where` of the chain's result of `in` is the part `part` of its result of the crop
 * `crop` of `in`: the pixels that `where` depends on, and no more. Where crop ends inside the
 * image, only pixels outside `part` see its borders. in's data are not looked at.
 */
satf_status filter_find_region(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                               const satf_rect *where, satf_rect *crop, satf_rect *part);

#endif
