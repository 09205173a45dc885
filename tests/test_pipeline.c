/* The streaming path gives the same bytes as whole images, and fails as cleanly. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/base/memory.h"
#include "../src/base/view.h"
#include "../src/pipeline/pipeline.h"

static char directory[] = "/tmp/satfilter-pipeline.XXXXXX";
static satf_context *ctx;

static const char *path(const char *name)
{
    static char paths[4][256];
    static int next;
    char *to = paths[next++ % 4];
    snprintf(to, sizeof *paths, "%s/%s", directory, name);
    return to;
}

static uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void write_noise(const char *to, int64_t width, int64_t height, int channels, satf_type type,
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
    if (satf_image_write(ctx, image, to, NULL)) {
        fail_msg("%s: %s", to, satf_message(ctx));
    }
    satf_image_destroy(image);
}

static unsigned char *slurp(const char *name, size_t *bytes)
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

static satf_status run(const char *input, const char *output, const char *spec, int type,
                       bool whole, int threads, pipeline_result *result)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
    pipeline_job job = {input, output, filter, satf_write_defaults(), whole};
    job.write.type = type;
    satf_status status = pipeline_run(ctx, &job, result);
    satf_filter_destroy(filter);
    return status;
}

/* One input through one filter: whole against streamed with 1, 2 and 3 threads. */
static void compare(const char *in, const char *out, const char *spec, int type, bool streams)
{
    pipeline_result result;
    char whole_name[300];
    snprintf(whole_name, sizeof whole_name, "%s/whole%s", directory, strrchr(out, '.'));
    if (run(in, whole_name, spec, type, true, 2, &result)) {
        fail_msg("%s of %s: %s", spec, in, satf_message(ctx));
    }
    assert_false(result.streamed);
    size_t bytes, streamed_bytes;
    unsigned char *whole = slurp(whole_name, &bytes);
    for (int threads = 1; threads <= 3; threads++) {
        if (run(in, out, spec, type, false, threads, &result)) {
            fail_msg("%s of %s, %d threads: %s", spec, in, threads, satf_message(ctx));
        }
        if (result.streamed != streams) {
            fail_msg("%s of %s is %sstreamed", spec, in, streams ? "not " : "");
        }
        unsigned char *streamed = slurp(out, &streamed_bytes);
        size_t first = 0;
        while (first < bytes && first < streamed_bytes && whole[first] == streamed[first]) {
            first++;
        }
        if (bytes != streamed_bytes || first < bytes) {
            fail_msg("%s of %s, %d threads: byte %zu differs (%zu and %zu bytes)", spec, in,
                     threads, first, bytes, streamed_bytes);
        }
        assert_string_equal(result.report.engine, "window");
        free(streamed);
    }
    free(whole);
}

static void same_bytes(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "box=1",
        "box=15",
        "box=4x9,border=mirror",
        "box=3x300,border=reflect",
        "box=700x5,border=shrink",
        "box=9,border=constant:7",
        "variance=7",
        "stddev=5x3,border=mirror",
    };
    static const struct {
        int64_t width, height;
        int channels;
        satf_type type;
        unsigned flags;
        const char *in, *out;
    } images[] = {
        {1, 1, 1, SATF_U8, 0, "a.pgm", "o.pgm"},
        {97, 1, 3, SATF_U8, 0, "b.ppm", "o.png"},
        {1, 211, 1, SATF_U16, 0, "c.pgm", "o.npy"},
        {601, 1009, 3, SATF_U8, 0, "d.png", "o.ppm"}, /* several blocks each way */
        {320, 701, 4, SATF_U8, SATF_ALPHA, "e.png", "o.png"},
        {257, 413, 2, SATF_U16, SATF_ALPHA, "f.png", "o.npy"},
        {211, 503, 1, SATF_F32, 0, "g.npy", "o.npy"},
        {127, 401, 3, SATF_F64, 0, "h.npy", "o.npy"},
    };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        const char *in = path(images[i].in), *out = path(images[i].out);
        write_noise(in, images[i].width, images[i].height, images[i].channels, images[i].type,
                    images[i].flags, (uint32_t)i + 1);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            compare(in, out, specs[k], SATF_TYPE_AUTO, true);
        }
        compare(in, out, "box=5", images[i].type == SATF_U8 ? SATF_U16 : SATF_U8, true);
    }
}

static void what_cannot_stream(void **state)
{
    (void)state;
    static const char *const specs[] = {"integral", "box=3 box=5", "box=3,border=wrap"};
    write_noise(path("n.pgm"), 40, 30, 1, SATF_U8, 0, 5);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        pipeline_result result;
        assert_int_equal(
            run(path("n.pgm"), path("n.npy"), specs[i], SATF_TYPE_AUTO, false, 2, &result),
            SATF_OK);
        assert_false(result.streamed);
    }
}

/* Input and output are one file. */
static void in_place(void **state)
{
    (void)state;
    write_noise(path("i.pgm"), 300, 2000, 1, SATF_U8, 0, 9);
    pipeline_result result;
    assert_int_equal(run(path("i.pgm"), path("i2.pgm"), "box=9", SATF_TYPE_AUTO, true, 1, &result),
                     SATF_OK);
    assert_int_equal(run(path("i.pgm"), path("i.pgm"), "box=9", SATF_TYPE_AUTO, false, 2, &result),
                     SATF_OK);
    assert_true(result.streamed);
    size_t bytes, bytes2;
    unsigned char *a = slurp(path("i.pgm"), &bytes), *b = slurp(path("i2.pgm"), &bytes2);
    assert_int_equal(bytes, bytes2);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
}

/* Whichever stage fails, the message is its own and no output appears. */
static void failures(void **state)
{
    (void)state;
    pipeline_result result;
    write_noise(path("t.png"), 500, 3000, 3, SATF_U8, 0, 11);
    size_t bytes;
    unsigned char *whole = slurp(path("t.png"), &bytes);
    FILE *file = fopen(path("t.png"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(whole, 1, bytes / 2, file), bytes / 2);
    fclose(file);
    free(whole);
    for (int threads = 1; threads <= 3; threads++) {
        const char *in = path("t.png"), *out = path("none.png");
        assert_int_equal(run(in, out, "box=9", SATF_TYPE_AUTO, false, threads, &result), SATF_DATA);
        assert_string_equal(result.at, in);
        assert_int_equal(access(out, F_OK), -1);
    }
    if (access("/dev/full", W_OK) == 0) {
        write_noise(path("u.ppm"), 500, 3000, 3, SATF_U8, 0, 12);
        for (int threads = 1; threads <= 3; threads++) {
            satf_filter *filter;
            assert_int_equal(satf_filter_parse(ctx, "box=9", &filter), SATF_OK);
            assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
            pipeline_job job = {path("u.ppm"), "/dev/full", filter, satf_write_defaults(), false};
            job.write.format = "png";
            assert_int_equal(pipeline_run(ctx, &job, &result), SATF_IO);
            assert_string_equal(result.at, "/dev/full");
            satf_filter_destroy(filter);
        }
    }
}

static int stop_at_half(void *user, double done)
{
    (void)user;
    return done >= 0.5;
}

static void cancelled(void **state)
{
    (void)state;
    pipeline_result result;
    write_noise(path("p.pgm"), 2000, 3000, 1, SATF_U8, 0, 13);
    satf_context_set_progress(ctx, stop_at_half, NULL);
    for (int whole = 0; whole < 2; whole++) {
        assert_int_equal(
            run(path("p.pgm"), path("none.pgm"), "box=3", SATF_TYPE_AUTO, whole, 2, &result),
            SATF_CANCELLED);
        assert_int_equal(access(path("none.pgm"), F_OK), -1);
    }
    satf_context_set_progress(ctx, NULL, NULL);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) && satf_context_create(&ctx) == SATF_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    satf_context_destroy(ctx);
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes), cmocka_unit_test(what_cannot_stream),
        cmocka_unit_test(in_place),   cmocka_unit_test(failures),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
