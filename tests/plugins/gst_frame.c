/* Samples of frames, and buffers that hold them with gaps. */
#include "gst_frame.h"

#include <string.h>

enum { MARK = 0x5a, GAP = 37 };

char *frame_caps(const char *format, int width, int height)
{
    return g_strdup_printf("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1", format, width,
                           height);
}

GstVideoInfo frame_info(const char *format, int width, int height)
{
    GstVideoInfo info;
    need(gst_video_info_set_format(&info, gst_video_format_from_string(format), (guint)width,
                                   (guint)height),
         "there is no such format");
    return info;
}

/* What fills one sample after another: components of a pixel, or planes. */
typedef struct walk {
    guint component;
    int x, y;
} walk;

static gboolean next(const GstVideoInfo *info, walk *at)
{
    guint count = GST_VIDEO_INFO_N_COMPONENTS(info);
    if (!GST_VIDEO_INFO_IS_YUV(info) && ++at->component < count) {
        return TRUE;
    }
    if (!GST_VIDEO_INFO_IS_YUV(info)) {
        at->component = 0;
    }
    if (++at->x == GST_VIDEO_INFO_COMP_WIDTH(info, at->component)) {
        at->x = 0;
        at->y++;
    }
    if (at->y == GST_VIDEO_INFO_COMP_HEIGHT(info, at->component)) {
        at->y = 0;
        return GST_VIDEO_INFO_IS_YUV(info) && ++at->component < count;
    }
    return TRUE;
}

static size_t sample_bytes(const GstVideoInfo *info)
{
    return GST_VIDEO_INFO_COMP_DEPTH(info, 0) > 8 ? 2 : 1;
}

/* Where the sample lies, by GStreamer's description of the format, which has V of P010 one byte
 * behind U, not a word. */
static guint8 *sample_at(const GstVideoFrame *frame, const walk *at)
{
    const GstVideoFormatInfo *format = frame->info.finfo;
    guint plane = format->plane[at->component], bytes = (guint)sample_bytes(&frame->info);
    guint offset = (format->poffset[at->component] + bytes - 1) / bytes * bytes;
    return (guint8 *)frame->data[plane] + at->y * frame->info.stride[plane] +
           at->x * format->pixel_stride[at->component] + offset;
}

size_t frame_bytes(const GstVideoInfo *info)
{
    walk at = {0};
    size_t bytes = 0;
    do {
        bytes += sample_bytes(info);
    } while (next(info, &at));
    return bytes;
}

/* Writes a sample that has its high byte first to where a frame has it, so many bits higher. */
static void put(guint8 *to, const guint8 *sample, size_t bytes, guint high)
{
    guint16 word = 0;
    if (bytes == 1) {
        *to = *sample;
    } else {
        memcpy(&word, sample, 2);
        word = (guint16)(GUINT16_FROM_BE(word) << high);
        memcpy(to, &word, 2);
    }
}

/* The way back. */
static void get(guint8 *sample, const guint8 *from, size_t bytes, guint high)
{
    guint16 word = 0;
    if (bytes == 1) {
        *sample = *from;
    } else {
        memcpy(&word, from, 2);
        need((word & ((1u << high) - 1)) == 0, "bits below a sample are not 0");
        word = GUINT16_TO_BE((guint16)(word >> high));
        memcpy(sample, &word, 2);
    }
}

static GstBuffer *marked_buffer(const GstVideoInfo *info)
{
    gsize offset[GST_VIDEO_MAX_PLANES] = {0}, bytes = GAP;
    gint stride[GST_VIDEO_MAX_PLANES] = {0};
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(info); i++) {
        offset[i] = bytes;
        stride[i] = GST_VIDEO_INFO_PLANE_STRIDE(info, i) + GAP;
        bytes += (gsize)stride[i] * (gsize)GST_VIDEO_INFO_HEIGHT(info) + GAP;
    }
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, bytes, NULL);
    gst_buffer_memset(buffer, 0, MARK, bytes);
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info),
                                   (guint)GST_VIDEO_INFO_WIDTH(info),
                                   (guint)GST_VIDEO_INFO_HEIGHT(info),
                                   GST_VIDEO_INFO_N_PLANES(info), offset, stride);
    GST_BUFFER_PTS(buffer) = 0;
    GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
    return buffer;
}

GstBuffer *frame_buffer(const GstVideoInfo *info, const guint8 *samples)
{
    GstBuffer *buffer = marked_buffer(info);
    GstVideoFrame frame;
    walk at = {0};
    size_t bytes = sample_bytes(info);
    need(gst_video_frame_map(&frame, info, buffer, GST_MAP_WRITE), "no frame of the input");
    do {
        put(sample_at(&frame, &at), samples, bytes, info->finfo->shift[at.component]);
        samples += bytes;
    } while (next(info, &at));
    gst_video_frame_unmap(&frame);
    return buffer;
}

guint8 *frame_samples(const GstVideoInfo *info, GstBuffer *buffer)
{
    guint8 *samples = g_malloc(frame_bytes(info)), *to = samples;
    GstVideoFrame frame;
    walk at = {0};
    size_t bytes = sample_bytes(info);
    need(gst_video_frame_map(&frame, info, buffer, GST_MAP_READ), "no frame of the output");
    do {
        get(to, sample_at(&frame, &at), bytes, info->finfo->shift[at.component]);
        to += bytes;
    } while (next(info, &at));
    gst_video_frame_unmap(&frame);
    return samples;
}

void frame_check_padding(const GstVideoInfo *info, GstBuffer *buffer)
{
    if (GST_VIDEO_INFO_N_COMPONENTS(info) != 3 || GST_VIDEO_INFO_COMP_PSTRIDE(info, 0) != 4) {
        return;
    }
    GstVideoFrame frame;
    need(gst_video_frame_map(&frame, info, buffer, GST_MAP_READ), "no frame of the output");
    for (walk at = {0}; at.y < GST_VIDEO_INFO_HEIGHT(info); at.y++) {
        for (at.x = 0; at.x < GST_VIDEO_INFO_WIDTH(info); at.x++) {
            need(sample_at(&frame, &at)[3 - info->finfo->poffset[0]] == MARK,
                 "what lies beside the colours is not the input's");
        }
    }
    gst_video_frame_unmap(&frame);
}
