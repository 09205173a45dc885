/* Filtering a frame, plane by plane. */
#ifndef SATF_PLUGINS_GSTREAMER_PLANES_H
#define SATF_PLUGINS_GSTREAMER_PLANES_H

#include <gst/video/video.h>
#include <satfilter.h>

/* Colour first, for sources that can make any of these; 16 bits in this machine's order. */
#define PLANES_FORMATS                                                        \
    "{ I420, YV12, NV12, NV21, Y444, RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8" \
    ", " GST_VIDEO_NE(RGBA64) ", " GST_VIDEO_NE(GRAY16) " }"

/* Filters of a chain, and a context for each of two sizes of planes. */
typedef struct planes {
    satf_context *ctx[2];
    satf_filter *filter[2]; /* whole planes; those of half the size */
    satf_filter *chroma[2]; /* likewise without filters that know colours; NULL: they stay */
    char *message;          /* of the call that failed; owned */
} planes;

/* Parses the chain; FALSE leaves a message, and the filters as they were. */
gboolean planes_set_chain(planes *self, const char *chain);

/* Filters a frame of one of these formats into another of its format and size, after
 * planes_set_chain(). FALSE leaves a message. */
gboolean planes_run(planes *self, GstVideoFrame *in, GstVideoFrame *out);

/* Frees all and leaves zeros, as at the start. */
void planes_clear(planes *self);

#endif
