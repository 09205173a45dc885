/* Planes of a frame as views. */
#include "planes.h"

#include <string.h>

#include "../picture.h"
#include "chain.h"

static gboolean fail(planes *self, const satf_context *ctx)
{
    g_free(self->message);
    self->message = g_strdup(satf_message(ctx));
    return FALSE;
}

static void destroy(satf_filter *filter[2])
{
    for (int i = 0; i < 2; i++) {
        satf_filter_destroy(filter[i]);
        filter[i] = NULL;
    }
}

/* For whole planes, and for those of half the size. */
static gboolean parse_sizes(satf_context *ctx, const char *chain, satf_filter *filter[2])
{
    gboolean done = satf_filter_parse(ctx, chain, &filter[0]) == SATF_OK;
    if (done) {
        char *halved = chain_halved(chain);
        done = satf_filter_parse(ctx, halved, &filter[1]) == SATF_OK;
        g_free(halved);
    }
    if (!done) {
        destroy(filter);
    }
    return done;
}

gboolean planes_set_chain(planes *self, const char *chain)
{
    satf_filter *filter[2] = {NULL, NULL}, *chroma[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (!self->ctx[i] && satf_context_create(&self->ctx[i])) {
            return fail(self, NULL);
        }
    }
    gboolean done = parse_sizes(self->ctx[0], chain, filter);
    char *without = done ? chain_of_chroma(chain) : NULL;
    if (without) {
        done = parse_sizes(self->ctx[0], without, chroma);
        g_free(without);
    }
    if (!done) {
        destroy(filter);
        return fail(self, self->ctx[0]);
    }
    destroy(self->filter);
    destroy(self->chroma);
    memcpy(self->filter, filter, sizeof filter);
    memcpy(self->chroma, chroma, sizeof chroma);
    return TRUE;
}

void planes_clear(planes *self)
{
    destroy(self->filter);
    destroy(self->chroma);
    for (int i = 0; i < 2; i++) {
        satf_context_destroy(self->ctx[i]);
    }
    g_free(self->message);
    *self = (planes){.message = NULL};
}

/* The channels of one plane: its component, and those that lie between its samples. */
static satf_view view_of(GstVideoFrame *frame, guint component, int channels)
{
    const GstVideoInfo *info = &frame->info;
    satf_type type = GST_VIDEO_INFO_COMP_DEPTH(info, 0) > 8 ? SATF_U16 : SATF_U8;
    satf_view view = satf_view_packed(
        GST_VIDEO_FRAME_COMP_DATA(frame, component), GST_VIDEO_FRAME_COMP_WIDTH(frame, component),
        GST_VIDEO_FRAME_COMP_HEIGHT(frame, component), channels, type);
    view.stride = GST_VIDEO_FRAME_COMP_STRIDE(frame, component);
    view.pixel_stride = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
    return view;
}

static gboolean run_view(planes *self, satf_context *ctx, const satf_filter *filter,
                         const satf_view *in, const satf_view *out, int bgr)
{
    satf_view made;
    if (satf_filter_output(ctx, filter, in, &made)) {
        return fail(self, ctx);
    }
    if (made.width != in->width || made.height != in->height) {
        g_free(self->message);
        self->message = g_strdup_printf(
            "the filter makes %d x %d pixels of %d x %d, but frames keep their size",
            (int)made.width, (int)made.height, (int)in->width, (int)in->height);
        return FALSE;
    }
    return picture_filter(ctx, filter, in, out, bgr) == SATF_OK || fail(self, ctx);
}

/* Grey or RGB in one plane, whatever the order of its channels. */
static gboolean run_packed(planes *self, GstVideoFrame *in, GstVideoFrame *out)
{
    const GstVideoInfo *info = &in->info;
    int colours = GST_VIDEO_INFO_IS_RGB(info) ? 3 : 1;
    gboolean alpha = GST_VIDEO_INFO_HAS_ALPHA(info);
    int bgr =
        colours == 3 && GST_VIDEO_INFO_COMP_POFFSET(info, 2) < GST_VIDEO_INFO_COMP_POFFSET(info, 0);
    guint first = bgr ? 2 : 0;
    satf_view from = view_of(in, first, colours + alpha), to = view_of(out, first, colours + alpha);
    from.flags = to.flags = alpha ? SATF_ALPHA : 0;
    if (from.pixel_stride > (int64_t)satf_type_bytes(from.type) * from.channels) {
        gst_video_frame_copy(out, in); /* what lies beside the colours */
    }
    return run_view(self, self->ctx[0], self->filter[0], &from, &to, bgr);
}

/* Whether colour becomes grey: then a picture without colours is what a frame shows. */
static gboolean makes_grey(planes *self, const GstVideoFrame *frame)
{
    satf_view out, in = satf_view_packed(NULL, GST_VIDEO_FRAME_WIDTH(frame),
                                         GST_VIDEO_FRAME_HEIGHT(frame), 3, SATF_U8);
    return satf_filter_output(self->ctx[0], self->filter[0], &in, &out) == SATF_OK &&
           out.channels == 1;
}

static void fill(const satf_view *view, int value)
{
    for (int64_t y = 0; y < view->height; y++) {
        memset((char *)view->data + y * view->stride, value,
               (size_t)(view->width * view->channels));
    }
}

static void copy(const satf_view *from, const satf_view *to)
{
    for (int64_t y = 0; y < to->height; y++) {
        memcpy((char *)to->data + y * to->stride, (const char *)from->data + y * from->stride,
               (size_t)(to->width * to->channels));
    }
}

/* 8-bit YUV, each component by itself; U and V of one plane are channels of one view. */
static gboolean run_yuv(planes *self, GstVideoFrame *in, GstVideoFrame *out)
{
    const GstVideoInfo *info = &in->info;
    gboolean grey = makes_grey(self, in), done = TRUE;
    guint count = GST_VIDEO_FRAME_N_PLANES(in);
    guint first_of_two =
        GST_VIDEO_INFO_COMP_POFFSET(info, 1) < GST_VIDEO_INFO_COMP_POFFSET(info, 2) ? 1 : 2;
    for (guint p = 0; p < count && done; p++) {
        gboolean two = p > 0 && count == 2;
        guint c = two ? first_of_two : p;
        int half = GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, c) > 0;
        satf_view from = view_of(in, c, 1 + two), to = view_of(out, c, 1 + two);
        const satf_filter *filter = p > 0 ? self->chroma[half] : self->filter[half];
        if (grey && p > 0) {
            fill(&to, 128);
        } else if (!filter) {
            copy(&from, &to);
        } else {
            done = run_view(self, self->ctx[half], filter, &from, &to, 0);
        }
    }
    return done;
}

gboolean planes_run(planes *self, GstVideoFrame *in, GstVideoFrame *out)
{
    return GST_VIDEO_INFO_IS_YUV(&in->info) ? run_yuv(self, in, out) : run_packed(self, in, out);
}
