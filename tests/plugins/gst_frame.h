/* Frames for tests of GStreamer's elements: their samples one component after another, and buffers
 * whose planes lie apart, with long rows. */
#ifndef SATF_TESTS_PLUGINS_GST_FRAME_H
#define SATF_TESTS_PLUGINS_GST_FRAME_H

#include <gst/video/video.h>

#include "need.h"

/* "video/x-raw,format=..." */
char *frame_caps(const char *format, int width, int height);

GstVideoInfo frame_info(const char *format, int width, int height);

/* Bytes of its samples: those of grey and RGB(A) as PAM has them (red first, alpha last, of 16 bits
 * the high byte first), those of YUV as a plane for Y, U and V each. Samples of 9 to 16 bits are in
 * the low bits of two bytes. */
size_t frame_bytes(const GstVideoInfo *info);

/* A buffer of these samples, with odd offsets and strides and marked bytes between. */
GstBuffer *frame_buffer(const GstVideoInfo *info, const guint8 *samples);

/* The samples of a buffer; the caller's, for g_free(). Needs that bits below samples are 0. */
guint8 *frame_samples(const GstVideoInfo *info, GstBuffer *buffer);

/* Needs that what lies beside the colours (RGBx) is as frame_buffer() made it. */
void frame_check_padding(const GstVideoInfo *info, GstBuffer *buffer);

#endif
