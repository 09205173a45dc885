/* Filters whole images: finds their ranges and picture types, and changes their metadata. */
#include "../base/memory.h"
#include "../base/image.h"
#include "../io/meta/tags.h"

#include "../base/view.h"
#include "../chain/region.h"
#include "../plan/step.h"

/* The range that a filter sees, with the values that the border has outside the image. */
static filter_range seen_range(const chain_link *link, filter_range range)
{
    const filter_border *border = chain_value(link, PARAM_BORDER);
    double outside = border ? border->constant : 0;
    if (border && border->kind == SATF_BORDER_SHRINK && chain_value(link, PARAM_TEMPLATE)) {
        outside = 0; /* pixels outside count as 0 */
    } else if (!border || border->kind != SATF_BORDER_CONSTANT) {
        return range;
    }
    range.lo = outside < range.lo ? outside : range.lo;
    range.hi = outside > range.hi ? outside : range.hi;
    return range;
}

/* The range in a sample type. */
static filter_range stored_range(filter_range range, int type)
{
    double max = (double)satf_type_max(type), min = satf_type_is_signed(type) ? -max - 1 : 0;
    if (!satf_type_is_float(type)) {
        range.lo = range.lo < min ? min : range.lo > max ? max : range.lo;
        range.hi = range.hi < min ? min : range.hi > max ? max : range.hi;
    }
    return range;
}

/* Changes an image's facts by a filter of TYPE_SCALED: black and white stay black and white. */
static void scale_facts(const chain_link *link, const satf_view *in, filter_range *range,
                        double *alpha_max, int *picture_type)
{
    filter_scale scale = filter_scale_of(link, in);
    satf_type made = filter_last(link->info)->made(link->options, (satf_type)in->type);
    range->lo *= scale.times;
    range->hi *= scale.times;
    *alpha_max = fmin(*alpha_max * scale.times, scale.most);
    if (!satf_type_is_float((int)made)) {
        *picture_type = (int)made;
        *range = (filter_range){true, 0, scale.most};
    }
}

/* Finds the facts of a chain's result of an image. */
static void filter_image_facts(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                               satf_image *out)
{
    filter_range range = {in->has_range, in->lo, in->hi};
    int picture_type = in->picture_type;
    double alpha_max = in->alpha_max;
    satf_view view = in->view, next = view;
    for (size_t i = 0; i < filter->count; i++) {
        const chain_link *link = &filter->links[i];
        filter_type_rule rule = filter_type(filter_last(link->info), link->options);
        if (link->info->range) {
            filter_extent of = {(double)view.width, (double)view.height,
                                filter_scale_of(link, &view).level};
            range = link->info->range(seen_range(link, range), link->options, &of);
        }
        if (rule == TYPE_BILEVEL) {
            range = (filter_range){true, 0, UINT8_MAX};
            picture_type = SATF_U8;
        } else if (rule == TYPE_SCALED) {
            scale_facts(link, &view, &range, &alpha_max, &picture_type);
        } else if (rule != TYPE_OF_INPUT && rule != TYPE_WIDENED) {
            picture_type = SATF_U16;
        }
        filter_step_output(ctx, link, &view, &next);
        view = next;
    }
    range = stored_range(range, out->view.type);
    out->has_range = range.known;
    out->lo = range.known ? range.lo : 0;
    out->hi = range.known ? range.hi : 0;
    out->picture_type = picture_type;
    bool bilevel = filter_is_bilevel(filter) || (in->bilevel && filter_only_moves(filter));
    out->bilevel = out->view.type == SATF_U8 && bilevel;
    if (out->view.flags & SATF_ALPHA) {
        out->alpha_max = alpha_max;
    }
}

static unsigned whole_symmetry(const satf_filter *filter)
{
    unsigned symmetry = 0;
    for (size_t i = 0; i < filter->count; i++) {
        const chain_link *link = &filter->links[i];
        symmetry = move_compose(symmetry, filter_symmetry(filter_last(link->info), link->options));
    }
    return symmetry;
}

bool filter_moves(const satf_filter *filter)
{
    bool orders = false;
    for (size_t i = 0; i < filter->count; i++) {
        const filter_pass *pass = filter_last(filter->links[i].info);
        orders = orders || (pass_shape_of(pass)->moves && !pass->symmetry) ||
                 filter_trims(&filter->links[i]) || filter_has_zero_edge(&filter->links[i]) ||
                 pass->shape;
    }
    return orders || whole_symmetry(filter) != 0;
}

bool filter_keeps_size(const satf_filter *filter, const satf_view *in)
{
    int64_t width = in->width, height = in->height;
    bool keeps = false;
    for (size_t i = 0; i < filter->count; i++) {
        const chain_link *link = &filter->links[i];
        const filter_shape *shape = chain_value(link, PARAM_SHAPE);
        keeps = keeps || (shape && filter_shape_keeps(shape, width, height));
        filter_result_size(link, &width, &height);
    }
    return keeps;
}

/* The value of the first filter that has one of that kind, if none in front of it turns; NULL:
 * none. */
static const void *unturned_value(const satf_filter *filter, param_kind kind)
{
    const void *value = NULL;
    for (size_t i = 0; i < filter->count && !value; i++) {
        const chain_link *link = &filter->links[i];
        if (filter_symmetry(filter_last(link->info), link->options) != 0) {
            return NULL;
        }
        value = chain_value(link, kind);
    }
    return value;
}

bool filter_counts_part(const satf_filter *filter)
{
    return unturned_value(filter, PARAM_PART) != NULL;
}

bool filter_counts_sides(const satf_filter *filter)
{
    const filter_shape *shape = unturned_value(filter, PARAM_SHAPE);
    return shape && shape->size.width != shape->size.height;
}

void filter_change_metadata(const satf_filter *filter, const satf_view *in, satf_metadata *metadata)
{
    satf_view from = *in, to = *in;
    satf_metadata_drop_thumbnails(metadata);
    for (size_t i = 0; i < filter->count; i++, from = to) {
        const chain_link *link = &filter->links[i];
        const filter_pass *last = filter_last(link->info);
        filter_result_size(link, &to.width, &to.height);
        move_metadata(filter_symmetry(last, link->options), metadata);
        if (last->shape) {
            move_resize_metadata(&from, &to, filter_scales(last), metadata);
        }
    }
    if (filter_moves(filter)) {
        metadata->tags_bytes = satf_tags_drop(metadata->tags, metadata->tags_bytes, SATF_TAG_GEO);
    }
}

/* The full scale of the result in samples of a type: integers keep theirs in any width. */
static double kept_scale(const satf_view *result, satf_type made)
{
    double full = satf_full_scale(result);
    bool integers = !satf_type_is_float(result->type) && !satf_type_is_float((int)made);
    return integers && full < (double)satf_type_max((int)made) ? full : 0;
}

satf_status filter_describe(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                            int type, satf_image *out)
{
    satf_view view;
    satf_status status = satf_filter_output(ctx, filter, &in->view, &view);
    if (status) {
        return status;
    }
    satf_type made = (satf_type)(type == SATF_TYPE_AUTO ? view.type : type);
    *out = (satf_image){0};
    out->view = satf_view_packed(NULL, view.width, view.height, view.channels, made);
    out->view.flags = view.flags;
    out->view.full = kept_scale(&view, made);
    out->alpha_max = satf_type_is_float((int)made) ? 1 : (double)satf_type_max((int)made);
    filter_image_facts(ctx, filter, in, out);
    return SATF_OK;
}

static satf_status filter_image(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                                int type, satf_image **out)
{
    satf_view view;
    satf_status status = satf_filter_output(ctx, filter, &in->view, &view);
    if (status) {
        return status;
    }
    if (type != SATF_TYPE_AUTO && !satf_type_name(type)) {
        return satf_fail(ctx, SATF_INVALID, "there is no sample type number %d", type);
    }
    satf_type made = (satf_type)(type == SATF_TYPE_AUTO ? view.type : type);
    satf_image *image;
    status = satf_image_create_unset(ctx, view.width, view.height, view.channels, made, view.flags,
                                     &image);
    if (status) {
        return status;
    }
    image->view.full = kept_scale(&view, made);
    filter_image_facts(ctx, filter, in, image);
    status = satf_metadata_copy(ctx, &in->metadata, &image->metadata);
    if (!status) {
        filter_change_metadata(filter, &in->view, &image->metadata);
        status = satf_filter_apply(ctx, filter, &in->view, &image->view);
    }
    if (status) {
        satf_image_destroy(image);
        return status;
    }
    *out = image;
    return SATF_OK;
}

satf_status satf_filter_image(satf_context *ctx, const satf_filter *filter, const satf_image *in,
                              int type, satf_image **out)
{
    if (out) {
        *out = NULL;
    }
    satf_status status = satf_check_given(ctx, in, "image is", out, "result is");
    status = status ? status : satf_check_given(ctx, filter, "filter is", filter, "");
    if (status) {
        return status;
    }
    satf_budget *before = satf_memory_begin(ctx);
    satf_filter *resolved;
    status = filter_resolve(ctx, filter, &in->view, &in->metadata, &resolved);
    if (!status) {
        status = filter_image(ctx, resolved ? resolved : filter, in, type, out);
        satf_filter_destroy(resolved);
    }
    satf_image_disown(*out);
    return satf_memory_end(ctx, before, status);
}
