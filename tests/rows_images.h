/* Images of noise, filters, and chances, for tests of rows. */
#ifndef SATF_TESTS_ROWS_IMAGES_H
#define SATF_TESTS_ROWS_IMAGES_H

#include "test.h"

#include "samples.h"

static uint32_t seed = 1;

/* least ... most */
static inline int64_t any(void *user, int64_t from, int64_t to)
{
    (void)user;
    seed = seed * 1664525U + 1013904223U;
    return from + (int64_t)(seed >> 8) % (to - from + 1);
}

/* An image whose data are to be freed. */
static inline satf_view image(int64_t width, int64_t height, int channels, int type)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.data = malloc((size_t)(view.stride * height));
    assert_non_null(view.data);
    return view;
}

/* One of noise. */
static inline satf_view noise(int64_t width, int64_t height, int channels, satf_type type)
{
    satf_view view = image(width, height, channels, type);
    for (int64_t i = 0; i < width * height * channels; i++) {
        put_noise(&view, (size_t)i, (uint32_t)any(NULL, 0, 65535));
    }
    return view;
}

static inline satf_view room_for(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    if (satf_filter_output(ctx, filter, in, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    return image(out.width, out.height, out.channels, out.type);
}

static inline satf_filter *parse(satf_context *ctx, const char *spec)
{
    satf_filter *filter;
    if (satf_filter_parse(ctx, spec, &filter)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    return filter;
}

#endif
