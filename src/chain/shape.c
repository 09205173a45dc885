/* Reaches that several shapes share. */
#include "chain.h"

/* `all` passes have a window that ends at its pixel. */
filter_reach shape_window_reach(const chain_link *link, const filter_pass *pass)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_place *place = chain_value(link, PARAM_PLACE);
    filter_place at = place ? *place : (filter_place){0, 0};
    if (!size) {
        return (filter_reach){0, 0, 0, 0};
    }
    int64_t left = size->width / 2 - at.x, top = size->height / 2 - at.y;
    int64_t right = size->width - 1 - left, bottom = size->height - 1 - top;
    return pass->all ? (filter_reach){left + right, top + bottom, 0, 0}
                     : (filter_reach){left, top, right, bottom};
}

static int64_t positive(int64_t n)
{
    return n > 0 ? n : 0;
}

filter_reach shape_rect_reach(const satf_rect *rect)
{
    return (filter_reach){positive(-rect->x), positive(-rect->y), positive(rect->x + rect->w - 1),
                          positive(rect->y + rect->h - 1)};
}

filter_reach shape_all_reach(const chain_link *link, const filter_pass *pass)
{
    (void)link, (void)pass;
    return (filter_reach){FILTER_UNBOUNDED, FILTER_UNBOUNDED, FILTER_UNBOUNDED, FILTER_UNBOUNDED};
}
