/* Filtering a frame, plane by plane. */
#ifndef SATF_PLUGINS_GSTREAMER_PLANES_H
#define SATF_PLUGINS_GSTREAMER_PLANES_H

#include <gst/video/video.h>
#include <satfilter.h>

/* Colour first, for sources that can make any of these; words of 16 bits in this machine's order.
 * All else about a format is in GStreamer's own table: depths, shifts, planes and steps. */
#define PLANES_BYTES                                                                      \
    "I420, YV12, NV12, NV21, Y444, RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, Y42B, YUY2, " \
    "UYVY, NV16"
#define PLANES_WORDS(end)                                                                         \
    "RGBA64_" end ", GRAY16_" end ", I420_10" end ", I420_12" end ", I422_10" end ", I422_12" end \
    ", Y444_10" end ", Y444_12" end ", P010_10" end ", P012_" end
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define PLANES_FORMATS "{ " PLANES_BYTES ", " PLANES_WORDS("LE") " }"
#else
#define PLANES_FORMATS "{ " PLANES_BYTES ", " PLANES_WORDS("BE") " }"
#endif

/* Sizes of planes: as large as the frame, half as wide and high, half as wide. */
enum { PLANES_WHOLE, PLANES_HALF, PLANES_NARROW, PLANES_SIZES };

/* Filters of a chain, and a context for each of two sizes of planes, those of one frame. */
typedef struct planes {
    satf_context *ctx[2];
    satf_filter *filter[PLANES_SIZES];
    satf_filter *chroma[PLANES_SIZES]; /* without filters that know colours; NULL: they stay */
    void *words;                       /* a plane whose samples were in high bits; owned */
    gsize words_bytes;
    char *message; /* of the call that failed; owned */
} planes;

/* Parses the chain; FALSE leaves a message, and the filters as they were. */
gboolean planes_set_chain(planes *self, const char *chain);

/* Filters a frame of one of these formats into another of its format and size, after
 * planes_set_chain(). FALSE leaves a message. */
gboolean planes_run(planes *self, GstVideoFrame *in, GstVideoFrame *out);

/* Frees all and leaves zeros, as at the start. */
void planes_clear(planes *self);

#endif
