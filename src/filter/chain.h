/* The inside of satf_filter: a chain of filters with their parameters' values. */
#ifndef SATF_FILTER_CHAIN_H
#define SATF_FILTER_CHAIN_H

#include "descriptor.h"
#include "order.h"

typedef struct chain_link {
    const filter_info *info;
    filter_values values;
} chain_link;

struct satf_filter {
    size_t count; /* at least 1 */
    chain_link *links;
};

/* An empty chain, to be filled with chain_add(). NULL: no memory. */
satf_filter *chain_new(satf_context *ctx);

/* Appends a filter with its parameters at their defaults. */
satf_status chain_add(satf_context *ctx, satf_filter *chain, const filter_info *info);

/* The last filter. */
static inline chain_link *chain_last(satf_filter *chain)
{
    return &chain->links[chain->count - 1];
}

/* Fails with "no filter is called ...", listing those there are. */
satf_status filter_fail_name(satf_context *ctx, const char *name);

/* Sets `param` of link from text (NULL: a flag alone), which messages quote. */
satf_status filter_set_param(satf_context *ctx, chain_link *link, const filter_param *param,
                             const char *text);

/* Checks the rectangles of a template and copies them; what is there is freed on success. */
satf_status filter_copy_rects(satf_context *ctx, filter_values *values,
                              const satf_weighted_rect *rects, size_t count);

/* NULL if the rectangle keeps the limits of filter.h, else what is wrong with it. */
const char *filter_rect_defect(const satf_weighted_rect *rect);

/* Reads a template file and gives it to values. */
satf_status filter_read_template(satf_context *ctx, const char *path, filter_values *values);

#endif
