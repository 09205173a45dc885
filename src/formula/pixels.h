/* Copies and conversions of pixels from one view to another. */
#ifndef SATF_FORMULA_PIXELS_H
#define SATF_FORMULA_PIXELS_H

#include "../base/context.h"

/* to = the pixels of from: checked views of one shape and type, both on the host or on one device,
 * that do not overlap; on a device it is enqueued. */
satf_status filter_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to);

/* to = the samples of from, converted as by filter_convert(): checked views of one shape, both on
 * the host or on one device. On the host rows are packed and aligned to their samples. */
satf_status filter_convert_pixels(satf_context *ctx, const satf_view *from, const satf_view *to);

/* to = n samples of `from`, which are aligned to their type, stored as results of to_type are:
 * rounded and saturated. */
void filter_convert(int type, const void *from, int64_t n, int to_type, char *to);

#endif
