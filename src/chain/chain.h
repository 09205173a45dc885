/* The inside of a satf_filter: a chain of filters with the values of their parameters. Read this
 * file first, then params.h and region.h. */
#ifndef SATF_CHAIN_CHAIN_H
#define SATF_CHAIN_CHAIN_H

#include <stddef.h>
#include <string.h>

#include "pass.h"
#include "order.h"
#include "params.h"
#include "picture.h"
#include "rects.h"

typedef struct chain_link {
    const filter_info *info;
    uint32_t given; /* bit i: parameter i was set, be it to its default */
    _Alignas(max_align_t) unsigned char options[FILTER_OPTIONS_BYTES]; /* the filter's own struct */
} chain_link;

/* Which pixels do not count, for all filters of a chain. Weights are of the chain's input. */
typedef struct chain_counting {
    bool omits_nan; /* samples that are no number */
    bool says_nodata;
    double nodata;           /* samples of that value */
    filter_picture *weights; /* of the other pixels; NULL: all count wholly */
} chain_counting;

struct satf_filter {
    size_t count; /* 1 ... SATF_MAX_FILTERS */
    size_t room;  /* links that there is memory for */
    chain_link *links;
    chain_counting counting;
};

/* An empty chain, to be filled with chain_add(). NULL: no memory. */
satf_filter *chain_new(satf_context *ctx);

/* Appends a filter with its parameters at their defaults. */
satf_status chain_add(satf_context *ctx, satf_filter *chain, const filter_info *info);

/* Lets a chain that does not say yet which pixels do not count say the same as the other. */
void chain_count_as(satf_filter *chain, const satf_filter *other);

/* Whether the same pixels count in both chains. Weights are shared: one address, one picture. */
static inline bool chain_counts_alike(const satf_filter *a, const satf_filter *b)
{
    const chain_counting *p = &a->counting, *q = &b->counting;
    return p->omits_nan == q->omits_nan && p->weights == q->weights &&
           p->says_nodata == q->says_nodata &&
           memcmp(&p->nodata, &q->nodata, sizeof p->nodata) == 0;
}

/* The last filter. */
static inline chain_link *chain_last(satf_filter *chain)
{
    return &chain->links[chain->count - 1];
}

/* Fails with "no filter is called ...", and lists all filters. */
satf_status filter_fail_name(satf_context *ctx, const char *name);

/* Fails with "... has no parameter ...", and lists all parameters. */
satf_status filter_fail_param(satf_context *ctx, const filter_info *info, const char *name);

static inline void chain_note_given(chain_link *link, const filter_param *param)
{
    link->given |= UINT32_C(1) << (param - link->info->params);
}

/* Sets `param` of link from text (NULL: a flag alone), which messages quote. */
satf_status filter_set_param(satf_context *ctx, chain_link *link, const filter_param *param,
                             const char *text);

/* SATF_OK if the filter's window, where it has one, contains its pixel. */
satf_status filter_check_place(satf_context *ctx, const chain_link *link);

/* The value of the filter's parameter of that kind; NULL if it has none. */
static inline const void *chain_value(const chain_link *link, param_kind kind)
{
    return filter_value_of_kind(link->info, link->options, kind);
}

#endif
