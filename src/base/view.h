/* Sample types and views: the facts and the checks that every layer shares. */
#ifndef SATF_BASE_VIEW_H
#define SATF_BASE_VIEW_H

#include "context.h"

/* The largest value of an integer sample type; 0 for floats. */
uint64_t satf_type_max(int type);

static inline bool satf_type_is_float(int type)
{
    return type == SATF_F32 || type == SATF_F64 || type == SATF_F16 || type == SATF_BF16;
}

/* Whether it is of integers with a sign, whose least value is -satf_type_max() - 1. */
static inline bool satf_type_is_signed(int type)
{
    return type >= SATF_I8 && type <= SATF_I64;
}

/* Whether engines compute with such samples: others become these at the ends of a plan. */
static inline bool satf_type_is_plain(int type)
{
    return type == SATF_U8 || type == SATF_U16 || type == SATF_F32 || type == SATF_F64;
}

/* The sample that is white. Valid for checked views. */
static inline double satf_full_scale(const satf_view *view)
{
    return view->full > 0                   ? view->full
           : satf_type_is_float(view->type) ? 1
                                            : (double)satf_type_max(view->type);
}

/* The least sample of integers with a sign, which is black where the full scale is white; else 0.
 */
static inline double satf_least_sample(const satf_view *view)
{
    return satf_type_is_signed(view->type) ? -satf_full_scale(view) - 1 : 0;
}

/* Row y of a view, 0 <= y < height. Need not be aligned for its type. */
static inline void *satf_row(const satf_view *view, int64_t y)
{
    return (char *)view->data + y * view->stride;
}

/* Bytes of a pixel, and from one to the next. Valid for views of a known type. */
static inline int64_t satf_pixel_bytes(const satf_view *view)
{
    return view->channels * (int64_t)satf_type_bytes(view->type);
}

static inline int64_t satf_pixel_stride(const satf_view *view)
{
    return view->pixel_stride ? view->pixel_stride : satf_pixel_bytes(view);
}

/* Whether the pixels of a row have nothing between them: what all but the ends of plans want. */
static inline bool satf_is_packed(const satf_view *view)
{
    return satf_pixel_stride(view) == satf_pixel_bytes(view);
}

/* Whether start ... start + length - 1 is not empty and inside 0 ... size - 1. */
static inline bool satf_inside(int64_t start, int64_t length, int64_t size)
{
    return start >= 0 && length >= 1 && start < size && length <= size - start;
}

/* to = n pixels of so many bytes each; steps: bytes from one to the next. They do not overlap. */
void satf_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t bytes,
                   int64_t n);

/* Samples of a row: width * channels. Valid for checked views. */
static inline int64_t satf_row_samples(const satf_view *view)
{
    return view->width * view->channels;
}

/* Rows that are decoded or encoded at once: 256 KiB of samples, at least one row, at most all. */
int64_t satf_block_rows(const satf_view *view);

/* SATF_OK if view (called what in messages) keeps the rules of satfilter.h:
 * sizes >= 1, channels, type, strides large enough, nothing overflows 63 bits;
 * data may be NULL only if !need_data. */
satf_status satf_check_view(satf_context *ctx, const satf_view *view, const char *what,
                            bool need_data);

/* SATF_OK if the view is packed; for calls that take packed pixels alone. */
satf_status satf_check_packed(satf_context *ctx, const satf_view *view, const char *what);

/* False if the two checked views, of one device, share no byte: they lie apart, side by side in
 * rows of one length, or between one another's pixels. */
bool satf_views_overlap(const satf_view *a, const satf_view *b);

#endif
