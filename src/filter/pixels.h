/* Pixels from one view to another. */
#ifndef SATF_FILTER_PIXELS_H
#define SATF_FILTER_PIXELS_H

#include "../base/context.h"

/* to = the pixels of from: checked views of one shape and type that do not overlap. Both on the
 * host: at once. Else it is enqueued, as satf_gpu_copy() does it. */
satf_status filter_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to);

#endif
