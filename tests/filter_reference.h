/* Filters by definition, for the tests: sums in 128-bit integers, no prefix sums. */
#ifndef SATF_TESTS_FILTER_REFERENCE_H
#define SATF_TESTS_FILTER_REFERENCE_H

#include "test.h"

#include "base/border.h"
#include "base/view.h"
#include "sample.h"

__extension__ typedef __int128 ref_wide;

/* Samples as integers; those of floats are in units of 1 / REF_UNIT, so that
 * every sum and product of the tests is exact in double. */
#define REF_UNIT 1024

typedef struct ref_image {
    int64_t width, height;
    int channels, type;
    int alpha; /* the last channel is alpha */
    int64_t *samples;
} ref_image;

static inline uint64_t ref_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline int64_t ref_count(const ref_image *image)
{
    return image->width * image->height * image->channels;
}

static inline void ref_fill(ref_image *image, uint64_t seed)
{
    image->samples = malloc((size_t)ref_count(image) * sizeof *image->samples);
    for (int64_t i = 0; i < ref_count(image); i++) {
        uint64_t random = ref_random(&seed);
        int alpha = image->alpha && i % image->channels == image->channels - 1;
        int64_t max = (int64_t)satf_type_max(image->type);
        int64_t v = max ? (int64_t)(random >> 32) & max : (int64_t)(random >> 32) % 4096 - 2048;
        if (max && (random & 7) == 0) {
            v = max;
        }
        if (alpha && !max) {
            v = (int64_t)(random >> 40 & 255) * 4;
        }
        if (alpha && (random & 3) == 1) {
            v = 0;
        }
        image->samples[i] = v;
    }
}

/* The samples in their type; strides of `pad` extra bytes. Free with free(). */
static inline satf_view ref_view(const ref_image *image, int64_t pad)
{
    satf_view view = satf_view_packed(NULL, image->width, image->height, image->channels,
                                      (satf_type)image->type);
    view.stride += pad;
    view.flags = image->alpha ? SATF_ALPHA : 0;
    view.data = malloc((size_t)(view.stride * view.height));
    for (int64_t i = 0; i < ref_count(image); i++) {
        double v = (double)image->samples[i];
        int64_t n = satf_row_samples(&view);
        put_at(&view, i / n, i % n, satf_type_max(image->type) ? v : v / REF_UNIT);
    }
    return view;
}

/* Fails unless the call had that result, and a message with that part. */
static inline void expect(satf_context *ctx, satf_status got, satf_status wanted, const char *part)
{
    if (got != wanted || !strstr(satf_message(ctx), part)) {
        fail_msg("%s instead of %s, '%s' without '%s'", satf_status_name(got),
                 satf_status_name(wanted), satf_message(ctx), part);
    }
}

#endif
