/* The pixels of a chain that count nothing, or less than others. */
#include <math.h>

#include "chain.h"

void chain_count_as(satf_filter *chain, const satf_filter *other)
{
    chain_counting *own = &chain->counting;
    const chain_counting *its = &other->counting;
    own->omits_nan |= its->omits_nan;
    if (!own->says_nodata) {
        own->says_nodata = its->says_nodata;
        own->nodata = its->nodata;
    }
    if (!own->weights && its->weights) {
        own->weights = its->weights;
        filter_picture_share(own->weights);
    }
}

satf_status satf_filter_set_missing(satf_context *ctx, satf_filter *filter, int omit_nan,
                                    const double *nodata)
{
    satf_status status = satf_check_given(ctx, filter, "filter is", filter, "");
    if (status) {
        return status;
    }
    filter->counting.omits_nan = omit_nan != 0;
    filter->counting.says_nodata = nodata != NULL;
    filter->counting.nodata = nodata ? *nodata : 0;
    return SATF_OK;
}

/* Takes the picture over. */
static satf_status set_weights(satf_context *ctx, satf_filter *filter, filter_picture *weights)
{
    if (weights && weights->view.channels != 1) {
        int channels = weights->view.channels;
        satf_status status =
            satf_fail(ctx, SATF_INVALID,
                      "the weights (%.*s) have %d channels; they are grey, of 1, without alpha",
                      SATF_MOST(weights->name, 200), channels);
        filter_picture_release(weights);
        return status;
    }
    filter_picture_release(filter->counting.weights);
    filter->counting.weights = weights;
    return SATF_OK;
}

satf_status satf_filter_set_weights(satf_context *ctx, satf_filter *filter,
                                    const satf_view *weights)
{
    filter_picture *made = NULL;
    satf_status status = satf_check_given(ctx, filter, "filter is", filter, "");
    if (!status && weights) {
        status = filter_picture_make(ctx, weights, &made);
    }
    return status ? status : set_weights(ctx, filter, made);
}

satf_status satf_filter_read_weights(satf_context *ctx, satf_filter *filter, const char *path)
{
    filter_picture *made = NULL;
    satf_status status = satf_check_given(ctx, filter, "filter is", path, "path is");
    status = status ? status : filter_picture_read(ctx, path, &made);
    return status ? status : set_weights(ctx, filter, made);
}
