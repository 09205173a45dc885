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

static void destroy(satf_filter *filter[PLANES_SIZES])
{
    for (int i = 0; i < PLANES_SIZES; i++) {
        satf_filter_destroy(filter[i]);
        filter[i] = NULL;
    }
}

/* For planes of every size. */
static gboolean parse_sizes(satf_context *ctx, const char *chain, satf_filter *filter[PLANES_SIZES])
{
    gboolean done = satf_filter_parse(ctx, chain, &filter[PLANES_WHOLE]) == SATF_OK;
    for (int i = PLANES_WHOLE + 1; i < PLANES_SIZES && done; i++) {
        char *halved = chain_halved(chain, i == PLANES_HALF);
        done = satf_filter_parse(ctx, halved, &filter[i]) == SATF_OK;
        g_free(halved);
    }
    if (!done) {
        destroy(filter);
    }
    return done;
}

gboolean planes_set_chain(planes *self, const char *chain)
{
    satf_filter *filter[PLANES_SIZES] = {NULL}, *chroma[PLANES_SIZES] = {NULL};
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
    g_free(self->words);
    g_free(self->message);
    *self = (planes){.message = NULL};
}

/* The channels of one plane: its component, and those that lie between its samples. */
static satf_view view_of(GstVideoFrame *frame, guint component, int channels)
{
    const GstVideoInfo *info = &frame->info;
    guint depth = GST_VIDEO_INFO_COMP_DEPTH(info, 0);
    satf_type type = depth > 8 ? SATF_U16 : SATF_U8;
    satf_view view = satf_view_packed(
        GST_VIDEO_FRAME_COMP_DATA(frame, component), GST_VIDEO_FRAME_COMP_WIDTH(frame, component),
        GST_VIDEO_FRAME_COMP_HEIGHT(frame, component), channels, type);
    view.stride = GST_VIDEO_FRAME_COMP_STRIDE(frame, component);
    view.pixel_stride = GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
    view.full = depth % 8 ? (1 << depth) - 1 : 0;
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

/* Callers name the bytes of a sample by a constant: so copies become loads and stores. */
static inline void copy_row(const char *from, int64_t from_step, char *to, int64_t to_step,
                            int64_t samples, size_t bytes)
{
    for (int64_t x = 0; x < samples; x++, from += from_step, to += to_step) {
        memcpy(to, from, bytes);
    }
}

/* Bytes from a sample to the next. Two channels are those of a plane of their own. */
static int64_t step_of(const satf_view *view)
{
    return view->channels > 1 ? (int64_t)satf_type_bytes(view->type) : view->pixel_stride;
}

/* Where steps of `from` are 0, its sample fills `to`. */
static void copy(const satf_view *from, const satf_view *to)
{
    int64_t samples = to->width * to->channels, bytes = (int64_t)satf_type_bytes(to->type);
    int64_t from_step = step_of(from), to_step = step_of(to);
    for (int64_t y = 0; y < to->height; y++) {
        const char *in = (const char *)from->data + y * from->stride;
        char *out = (char *)to->data + y * to->stride;
        if (from_step == bytes && to_step == bytes) {
            memcpy(out, in, (size_t)(samples * bytes));
        } else if (bytes == 2) {
            copy_row(in, from_step, out, to_step, samples, 2);
        } else {
            copy_row(in, from_step, out, to_step, samples, 1);
        }
    }
}

static void fill(const satf_view *view, int value)
{
    guint8 byte = (guint8)value;
    guint16 word = (guint16)value;
    satf_view one = {.data = view->type == SATF_U8 ? (void *)&byte : (void *)&word, .channels = 1};
    copy(&one, view);
}

/* Packed words, each shifted to the left, or to the right below 0, four at a time; in place, or
 * apart. */
static void shift_row(const char *from, char *to, int64_t words, int left)
{
    guint word = left < 0 ? 0xffffu >> -left : (0xffffu << left) & 0xffffu;
    guint64 four, kept = G_GUINT64_CONSTANT(0x0001000100010001) * word;
    int64_t x = 0;
#pragma GCC ivdep
    for (; x <= words - 4; x += 4) {
        memcpy(&four, from + 2 * x, 8);
        four = (left < 0 ? four >> -left : four << left) & kept;
        memcpy(to + 2 * x, &four, 8);
    }
    four = 0;
    memcpy(&four, from + 2 * x, 2 * (size_t)(words - x));
    four = (left < 0 ? four >> -left : four << left) & kept;
    memcpy(to + 2 * x, &four, 2 * (size_t)(words - x));
}

static void shift(const satf_view *from, const satf_view *to, int left)
{
    for (int64_t y = 0; y < to->height; y++) {
        shift_row((const char *)from->data + y * from->stride, (char *)to->data + y * to->stride,
                  to->width * to->channels, left);
    }
}

/* Samples in the high bits of words move to the low ones, are filtered there, and move back. */
static gboolean run_high(planes *self, satf_context *ctx, const satf_filter *filter,
                         const satf_view *in, const satf_view *out, int high)
{
    satf_view low = satf_view_packed(NULL, in->width, in->height, in->channels, SATF_U16);
    gsize bytes = (gsize)low.stride * (gsize)low.height;
    if (bytes > self->words_bytes) {
        g_free(self->words);
        self->words = g_malloc(bytes);
        self->words_bytes = bytes;
    }
    low.data = self->words;
    low.pixel_stride = 2 * low.channels;
    low.full = in->full;
    shift(in, &low, -high);
    gboolean done = run_view(self, ctx, filter, &low, out, 0);
    if (done) {
        shift(out, out, high);
    }
    return done;
}

/* The channels of one view. grey: without colour, unless they are luma. */
static gboolean run_component(planes *self, GstVideoFrame *in, GstVideoFrame *out, guint c,
                              int channels, gboolean grey)
{
    const GstVideoFormatInfo *info = in->info.finfo;
    int high = (int)GST_VIDEO_FORMAT_INFO_SHIFT(info, c);
    int size = GST_VIDEO_FORMAT_INFO_W_SUB(info, c) == 0  ? PLANES_WHOLE
               : GST_VIDEO_FORMAT_INFO_H_SUB(info, c) > 0 ? PLANES_HALF
                                                          : PLANES_NARROW;
    satf_view from = view_of(in, c, channels), to = view_of(out, c, channels);
    satf_context *ctx = self->ctx[size != PLANES_WHOLE];
    const satf_filter *filter = c > 0 ? self->chroma[size] : self->filter[size];
    if (grey && c > 0) {
        fill(&to, 1 << ((int)GST_VIDEO_FORMAT_INFO_DEPTH(info, c) - 1 + high));
        return TRUE;
    }
    if (!filter) {
        copy(&from, &to);
        return TRUE;
    }
    return high ? run_high(self, ctx, filter, &from, &to, high)
                : run_view(self, ctx, filter, &from, &to, 0);
}

/* YUV, each component by itself; U and V of a plane of their own are channels of one view. */
static gboolean run_yuv(planes *self, GstVideoFrame *in, GstVideoFrame *out)
{
    const GstVideoInfo *info = &in->info;
    gboolean grey = makes_grey(self, in), pair = GST_VIDEO_FRAME_N_PLANES(in) == 2;
    guint first_of_two =
        GST_VIDEO_INFO_COMP_POFFSET(info, 1) < GST_VIDEO_INFO_COMP_POFFSET(info, 2) ? 1 : 2;
    gboolean done = run_component(self, in, out, 0, 1, grey);
    for (guint c = 1; c < 3 && done; c++) {
        if (!pair) {
            done = run_component(self, in, out, c, 1, grey);
        } else if (c == first_of_two) {
            done = run_component(self, in, out, c, 2, grey);
        }
    }
    return done;
}

gboolean planes_run(planes *self, GstVideoFrame *in, GstVideoFrame *out)
{
    return GST_VIDEO_INFO_IS_YUV(&in->info) ? run_yuv(self, in, out) : run_packed(self, in, out);
}
