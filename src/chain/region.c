/* Finds the part of an input that a part of a result depends on. */
#include <inttypes.h>

#include "../base/view.h"
#include "check.h"
#include "region.h"

/* The sum; FILTER_UNBOUNDED if either is. */
static int64_t region_add(int64_t a, int64_t b)
{
    return a > FILTER_UNBOUNDED - b ? FILTER_UNBOUNDED : a + b;
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t c = *a;
    *a = *b;
    *b = c;
}

/* Undoes a symmetry: its transposition, then its flips. */
static void undo_symmetry(unsigned symmetry, filter_reach *reach)
{
    if (symmetry & MOVE_TRANSPOSE) {
        swap(&reach->left, &reach->top);
        swap(&reach->right, &reach->bottom);
    }
    if (symmetry & MOVE_FLIP_H) {
        swap(&reach->left, &reach->right);
    }
    if (symmetry & MOVE_FLIP_V) {
        swap(&reach->top, &reach->bottom);
    }
}

static filter_reach largest(filter_reach a, filter_reach b)
{
    return (filter_reach){most(a.left, b.left), most(a.top, b.top), most(a.right, b.right),
                          most(a.bottom, b.bottom)};
}

/* Extends a reach along an axis by the border. A pixel outside stands for one between the edge and
 * this pixel; under mirror and reflect for one as far on the other side; under wrap for any. */
static void add_border(satf_border border, int64_t *before, int64_t *behind)
{
    if (*before == 0 && *behind == 0) {
        return;
    }
    if (border == SATF_BORDER_WRAP) {
        *before = *behind = FILTER_UNBOUNDED;
    } else if (border == SATF_BORDER_MIRROR || border == SATF_BORDER_REFLECT) {
        *before = *behind = most(*before, *behind);
    }
}

static filter_reach sum(filter_reach a, filter_reach b)
{
    return (filter_reach){region_add(a.left, b.left), region_add(a.top, b.top),
                          region_add(a.right, b.right), region_add(a.bottom, b.bottom)};
}

/* The reach of the last pass, over all ways through the passes before it; border: NULL, or the
 * border that adds to it. */
static filter_reach passes_reach(const chain_link *link, const filter_passes *way,
                                 const filter_border *border)
{
    filter_reach of[FILTER_MAX_PASSES + 2] = {{0, 0, 0, 0}}; /* by image (filter_pass) */
    for (int k = 0; k < way->count; k++) {
        const filter_pass *pass = &way->list[k];
        const pass_shape *shape = pass_shape_of(pass);
        filter_reach summed = shape->reach ? shape->reach(link, pass) : (filter_reach){0, 0, 0, 0};
        if (border && !shape->picks) { /* the image that it reads goes beyond the border */
            add_border(border->kind, &summed.left, &summed.right);
            add_border(border->kind, &summed.top, &summed.bottom);
        }
        filter_reach most = sum(of[pass->of], summed);
        for (int b = 0; b < FILTER_AUX; b++) {
            most = largest(most, of[pass->aux[b] < 0 ? 1 : pass->aux[b]]);
        }
        of[2 + k] = most;
    }
    return of[1 + way->count];
}

bool filter_has_zero_edge(const chain_link *link)
{
    const filter_pass *pass = filter_last(link->info);
    return pass->zero_edge && pass->zero_edge(link->options);
}

/* The filter's passes without an auxiliary input, which is as large as the image, and so counts as
 * the input does. */
static const filter_passes *plain_way(const chain_link *link)
{
    const satf_view grey = {.channels = 1};
    return filter_way(link->info, link->options, &grey, link->info->ways[0].count == 0);
}

filter_reach filter_margins(const chain_link *link)
{
    const filter_border *border = chain_value(link, PARAM_BORDER);
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    if (filter_has_zero_edge(link)) {
        return (filter_reach){-1, -1, 0, 0};
    }
    bool varies = pass_shape_of(filter_last(link->info))->varies;
    if (!border || border->kind != SATF_BORDER_VALID || varies || (rects && !*rects)) {
        return (filter_reach){0, 0, 0, 0};
    }
    return passes_reach(link, plain_way(link), NULL);
}

satf_rect filter_valid_part(const chain_link *link, int64_t width, int64_t height)
{
    filter_reach m = filter_margins(link);
    return (satf_rect){m.left, m.top, width - m.left - m.right, height - m.top - m.bottom};
}

/* The filter's reach around the pixel of its input that a pixel of its result stands for. */
static filter_reach link_reach(const chain_link *link)
{
    const filter_passes *way = plain_way(link);
    const filter_pass *pass = &way->list[way->count - 1];
    const filter_border *border = chain_value(link, PARAM_BORDER);
    filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
    bool pictured = picture && *picture; /* a picture is as large as the image */
    bool all = filter_reduces(pass) || pictured || filter_param_of_kind(link->info, PARAM_ORDER);
    return all ? shape_all_reach(link, pass) : passes_reach(link, way, border);
}

/* The reach of a chain: from the last filter to the first, each in the coordinates of its own
 * input. */
static satf_status chain_reach(satf_context *ctx, const satf_filter *chain, filter_reach *reach)
{
    *reach = (filter_reach){0, 0, 0, 0};
    for (size_t i = chain->count; i-- > 0;) {
        const chain_link *link = &chain->links[i];
        satf_status status = filter_check_link(ctx, link);
        if (status) {
            return status;
        }
        undo_symmetry(filter_symmetry(filter_last(link->info), link->options), reach);
        *reach = sum(*reach, link_reach(link));
    }
    if (chain->counting.weights) {
        *reach =
            (filter_reach){FILTER_UNBOUNDED, FILTER_UNBOUNDED, FILTER_UNBOUNDED, FILTER_UNBOUNDED};
    }
    return SATF_OK;
}

static satf_rect region_transpose(unsigned symmetry, satf_rect rect)
{
    return symmetry & MOVE_TRANSPOSE ? (satf_rect){rect.y, rect.x, rect.h, rect.w} : rect;
}

/* Flips the rectangle in an image of that size. */
static satf_rect flip(unsigned symmetry, const satf_rect *image, satf_rect rect)
{
    rect.x = symmetry & MOVE_FLIP_H ? image->w - rect.x - rect.w : rect.x;
    rect.y = symmetry & MOVE_FLIP_V ? image->h - rect.y - rect.h : rect.y;
    return rect;
}

/* Extends start and length by the reach, up to the image's ends. */
static void enlarge(int64_t before, int64_t behind, int64_t size, int64_t *start, int64_t *length)
{
    int64_t end = *start + *length;
    end += behind < size - end ? behind : size - end;
    *start -= before < *start ? before : *start;
    *length = end - *start;
}

/* A rectangle `rect` of an image `of`, of which only the size counts. */
typedef struct placed_rect {
    satf_rect of, rect;
} placed_rect;

/* Cuts off the part in front of 0; at least 1 is left. */
static void region_trim(int64_t *start, int64_t *size)
{
    int64_t lost = *start < 0 ? -*start : 0;
    *start += lost;
    *size = *size > lost ? *size - lost : 1;
}

/* The part of the filter's input, an image like `all`, that a part of its result depends on: all of
 * it if the pass has a shape. */
static placed_rect go_back(const chain_link *link, const satf_rect *all, const placed_rect *made)
{
    const filter_pass *last = filter_last(link->info);
    if (last->shape) {
        return (placed_rect){*all, *all};
    }
    unsigned symmetry = filter_symmetry(last, link->options);
    filter_reach reach = link_reach(link), lost = filter_margins(link);
    placed_rect from = {region_transpose(symmetry, made->of),
                        region_transpose(symmetry, made->rect)};
    from.rect = flip(symmetry, &from.of, from.rect);
    from.of.w += lost.left + lost.right;
    from.of.h += lost.top + lost.bottom;
    from.rect.x += lost.left;
    from.rect.y += lost.top;
    if (filter_has_zero_edge(link)) { /* a part that is zeros alone takes any pixel */
        region_trim(&from.rect.x, &from.rect.w);
        region_trim(&from.rect.y, &from.rect.h);
    }
    enlarge(reach.left, reach.right, from.of.w, &from.rect.x, &from.rect.w);
    enlarge(reach.top, reach.bottom, from.of.h, &from.rect.y, &from.rect.h);
    return from;
}

/* The place in the filter's result of its result from a part of the input. */
static placed_rect region_go_on(const chain_link *link, const placed_rect *from)
{
    const filter_pass *last = filter_last(link->info);
    unsigned symmetry = filter_symmetry(last, link->options);
    satf_rect all = filter_valid_part(link, from->of.w, from->of.h);
    satf_rect part = filter_valid_part(link, from->rect.w, from->rect.h);
    part.x = from->rect.x;
    part.y = from->rect.y;
    if (last->shape) { /* of all */
        last->shape(link->options, &all.w, &all.h);
        part = all;
    }
    return (placed_rect){region_transpose(symmetry, all),
                         region_transpose(symmetry, flip(symmetry, &all, part))};
}

void filter_result_size(const chain_link *link, int64_t *width, int64_t *height)
{
    satf_rect all = {0, 0, *width, *height};
    placed_rect made = region_go_on(link, &(placed_rect){all, all});
    *width = made.of.w;
    *height = made.of.h;
}

/* The size of the result of the first `count` filters. */
static satf_rect region_result_of(const satf_filter *chain, size_t count, const satf_view *in)
{
    satf_rect all = {0, 0, in->width, in->height};
    for (size_t i = 0; i < count; i++) {
        filter_result_size(&chain->links[i], &all.w, &all.h);
    }
    return all;
}

satf_status filter_find_region(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                               const satf_rect *where, satf_rect *crop, satf_rect *part)
{
    filter_reach reach;
    placed_rect at = {.of = {0, 0, in->width, in->height}};
    satf_status status = chain_reach(ctx, chain, &reach);
    if (status) {
        return status;
    }
    at.of = region_result_of(chain, chain->count, in);
    at.rect = *where;
    for (size_t i = chain->count; i-- > 0;) {
        satf_rect all = region_result_of(chain, i, in);
        at = go_back(&chain->links[i], &all, &at);
    }
    if (chain->counting.weights) { /* weights are as large as the image */
        at = (placed_rect){{0, 0, in->width, in->height}, {0, 0, in->width, in->height}};
    }
    *crop = at.rect;
    for (size_t i = 0; i < chain->count; i++) {
        at = region_go_on(&chain->links[i], &at);
    }
    *part = (satf_rect){where->x - at.rect.x, where->y - at.rect.y, where->w, where->h};
    return SATF_OK;
}

satf_status satf_filter_reach(satf_context *ctx, const satf_filter *filter, int64_t *left,
                              int64_t *top, int64_t *right, int64_t *bottom)
{
    const void *places = left && top && right && bottom ? left : NULL;
    filter_reach reach;
    satf_status status =
        satf_check_given(ctx, filter, "filter is", places, "places of the result are");
    status = status ? status : chain_reach(ctx, filter, &reach);
    if (!status) {
        *left = reach.left;
        *top = reach.top;
        *right = reach.right;
        *bottom = reach.bottom;
    }
    return status;
}
