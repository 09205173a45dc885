/* A job's filters for its input: windows in pixels; in linear light, linearize in front of the
 * chain and delinearize behind. */
#include <math.h>

#include "../base/view.h"
#include "../chain/chain.h"
#include "job.h"

/* Refuses a filter whose result, or other picture, is none in linear light. */
static satf_status check_link(satf_context *ctx, const chain_link *link)
{
    filter_type_rule rule = filter_type(filter_last(link->info), link->options);
    filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
    if (rule != TYPE_OF_INPUT && rule != TYPE_WIDENED) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "linear light is for filters whose result is a picture like their input, "
                         "not for %s (option: linear)",
                         link->info->name);
    }
    if (picture && *picture && filter_param_of_kind(link->info, PARAM_AUX_FULL)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the other picture of %s would not be in linear light (option: linear)",
                         link->info->name);
    }
    return SATF_OK;
}

/* Appends one of the two, with that curve. */
static satf_status add_curve(satf_context *ctx, satf_filter *chain, const char *name, double curve)
{
    satf_status status = chain_add(ctx, chain, filter_info_find(name));
    bool given = !status && !isnan(curve); /* else it is the default */
    return given ? satf_filter_set_double(ctx, chain, "curve", curve) : status;
}

/* *out = the chain between the two. */
static satf_status surround(satf_context *ctx, const satf_filter *filter, int type, double curve,
                            satf_filter **out)
{
    satf_filter *chain = *out = chain_new(ctx);
    satf_status status = chain ? add_curve(ctx, chain, "linearize", curve) : SATF_NO_MEMORY;
    if (!status) {
        chain_count_as(chain, filter);
    }
    for (size_t i = 0; i < filter->count && !status; i++) {
        status = check_link(ctx, &filter->links[i]);
    }
    status = status ? status : satf_filter_append(ctx, chain, filter);
    status = status ? status : add_curve(ctx, chain, "delinearize", curve);
    const char *depth = type == SATF_U8 ? "8" : type == SATF_U16 ? "16" : "auto";
    return status ? status : satf_filter_set(ctx, chain, "depth", depth);
}

satf_status pipeline_resolve(satf_context *ctx, const pipeline_job *job, const io_header *header,
                             satf_filter **filter)
{
    const satf_view *view = &header->view;
    satf_filter *resolved;
    double curve;
    satf_status status = filter_resolve(ctx, job->filter, view, &header->metadata, &resolved);
    *filter = resolved;
    if (!job->options.linear || status) {
        return status;
    }
    *filter = NULL;
    if (satf_type_is_signed(view->type)) {
        satf_filter_destroy(resolved);
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "linear light is for samples of 0 and more, and these are %s (option: "
                         "linear)",
                         satf_type_name(view->type));
    }
    if (job->filter->counting.says_nodata && !satf_type_is_float(view->type)) {
        satf_filter_destroy(resolved);
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "in linear light other samples may become the value that says nodata; "
                         "give one of the two, or weights (option: linear)");
    }
    int colours = view->channels - (view->flags & SATF_ALPHA ? 1 : 0);
    status = io_find_curve(ctx, &header->metadata, colours, &curve);
    if (!status) {
        status = surround(ctx, resolved ? resolved : job->filter, view->type, curve, filter);
    }
    satf_filter_destroy(resolved);
    return status;
}
