/* What the tests of src/pipeline share: pictures of noise in a directory that goes again, and
 * jobs that are run whole and by rows. */
#ifndef TEST_PIPELINE_JOBS_H
#define TEST_PIPELINE_JOBS_H

#include "test.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "base/view.h"
#include "pipeline/pipeline.h"

static char directory[] = ".";
static satf_context *ctx;

static inline const char *path(const char *name)
{
    static char paths[4][256];
    static int next;
    char *to = paths[next++ % 4];
    snprintf(to, sizeof *paths, "%s/%s", directory, name);
    return to;
}

static inline uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static inline satf_image *make_noise(int64_t width, int64_t height, int channels, satf_type type,
                                     unsigned flags, uint32_t seed)
{
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, width, height, channels, type, flags, &image), SATF_OK);
    const satf_view *view = satf_image_view(image);
    int64_t samples = satf_row_samples(view) * height;
    for (int64_t i = 0; i < samples; i++) {
        uint32_t value = noise(&seed);
        switch (type) {
        case SATF_U8:
            ((uint8_t *)view->data)[i] = (uint8_t)value;
            break;
        case SATF_U16:
            ((uint16_t *)view->data)[i] = (uint16_t)value;
            break;
        case SATF_F32:
            ((float *)view->data)[i] = (float)value / 1000 - 5;
            break;
        default:
            ((double *)view->data)[i] = (double)value / 3 - 1e5;
        }
    }
    return image;
}

static inline void write_noise(const char *to, int64_t width, int64_t height, int channels,
                               satf_type type, unsigned flags, uint32_t seed)
{
    SCOPED_IMAGE *image = make_noise(width, height, channels, type, flags, seed);
    if (satf_image_write(ctx, image, to, NULL)) {
        fail_msg("%s: %s", to, satf_message(ctx));
    }
}

static inline unsigned char *slurp(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    struct stat info;
    assert_int_equal(fstat(fileno(file), &info), 0);
    *bytes = (size_t)info.st_size;
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static inline satf_status run(const char *input, const char *output, const char *spec, int type,
                              satf_route way, int threads, satf_file_report *result)
{
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
    pipeline_job job = {.input = input,
                        .output = output,
                        .filter = filter,
                        .write = satf_write_defaults(),
                        .route = way};
    job.write.type = type;
    satf_status status = pipeline_run(ctx, &job, result);
    return status;
}

/* One input through a chain: whole against streamed with 1 ... `most` threads. */
static inline void compare(const char *in, const char *out, const char *spec, int type, int most)
{
    satf_file_report result;
    char whole_name[300];
    snprintf(whole_name, sizeof whole_name, "%s/whole%s", directory, strrchr(out, '.'));
    if (run(in, whole_name, spec, type, SATF_ROUTE_WHOLE, 2, &result)) {
        fail_msg("%s of %s: %s", spec, in, satf_message(ctx));
    }
    assert_false(result.streamed);
    size_t bytes, streamed_bytes;
    SCOPED unsigned char *whole = slurp(whole_name, &bytes);
    for (int threads = 1; threads <= most; threads++) {
        if (run(in, out, spec, type, SATF_ROUTE_ROWS, threads, &result)) {
            fail_msg("%s of %s, %d threads: %s", spec, in, threads, satf_message(ctx));
        }
        assert_true(result.streamed);
        SCOPED unsigned char *streamed = slurp(out, &streamed_bytes);
        size_t first = 0;
        while (first < bytes && first < streamed_bytes && whole[first] == streamed[first]) {
            first++;
        }
        if (bytes != streamed_bytes || first < bytes) {
            fail_msg("%s of %s to %s, %d threads: byte %zu differs (%zu and %zu bytes)", spec, in,
                     out, threads, first, bytes, streamed_bytes);
        }
    }
}

#endif
