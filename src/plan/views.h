/* Checks of a call's views. */
#ifndef SATF_PLAN_VIEWS_H
#define SATF_PLAN_VIEWS_H

#include "../chain/chain.h"

/* Whether there are a filter and an input for it. */
satf_status filter_check_in(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            bool need_data);

/* Whether a checked view can take that result. */
satf_status filter_check_out(satf_context *ctx, const satf_view *result, const satf_view *out);

/* Whether two views are alike in all but their data. */
bool filter_same_shape(const satf_view *a, const satf_view *b);

satf_status filter_fail_overlap(satf_context *ctx);

/* Whether satf_filter_apply() can be called with these views; need_data: with data, too. */
satf_status filter_check_views(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out, bool need_data);

#endif
