/* What plugins show of a filter's result: a picture of the input's sample type. */
#ifndef SATF_PLUGINS_PICTURE_H
#define SATF_PLUGINS_PICTURE_H

#include <satfilter.h>

/* Whether results have the size of such an input, which must be a view that the filter takes. */
int picture_keeps_size(satf_context *ctx, const satf_filter *filter, const satf_view *in);

/* Non-zero if plugins can apply the filter of that name: without a file, one picture of 8-bit RGBA
 * to another of its size and channels. A filter that can do nothing but leave it as it is does not
 * fit. */
int picture_fits(const char *filter);

/*
 * out = the filter's result for in as a picture, the samples that `satfilter --type` writes: u8 or
 * u16, of in's type, width, height and full scale. A result of that type is computed in place.
 * Others (a variance, a sum) are mapped from their possible range to all of out's. Black and white
 * of a colour picture fills every colour channel, and is opaque. out has in's channels, of which
 * the first three are blue, green and red if bgr is non-zero. Host memory; they must not overlap.
 */
satf_status picture_filter(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, int bgr);

#endif
