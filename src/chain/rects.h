/* The rectangles of a template: from memory or files, shared by filters. */
#ifndef SATF_CHAIN_RECTS_H
#define SATF_CHAIN_RECTS_H

#include <stdatomic.h>

#include "../base/context.h"
#include "../satfilter/options.h"

/* Never changed once it is made, so that filters share it, whatever thread they are used on. */
typedef struct filter_rects {
    _Atomic int users;
    size_t count; /* 1 ... FILTER_MAX_RECTS */
    satf_weighted_rect items[];
} filter_rects;

/* NULL if the rectangle keeps the limits of options.h, else a clause that says how it does not. */
const char *filter_rect_defect(const satf_weighted_rect *rect);

/* Checks and copies rectangles. *out is NULL on failure. */
satf_status filter_rects_make(satf_context *ctx, const satf_weighted_rect *rects, size_t count,
                              filter_rects **out);

/* Reads rectangles from a template file. */
satf_status filter_rects_read(satf_context *ctx, const char *path, filter_rects **out);

/* Makes *rect the least rectangle around both. */
void filter_rect_around(satf_rect *rect, const satf_rect *with);

/* The least rectangle around all of them. */
satf_rect filter_rects_hull(const filter_rects *rects);

/* One user more, one less; the last one frees it. NULL is allowed. */
void filter_rects_share(filter_rects *rects);
void filter_rects_release(filter_rects *rects);

#endif
