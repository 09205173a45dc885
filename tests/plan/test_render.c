/* Results as pictures: the samples of the file that would be written. */
#include "test.h"

#include "base/parallel.h"
#include "base/view.h"
#include "ways.h"

enum { W = 251, H = 23, FILL = 0x5B };

/* The samples of a PAM: the end of the file, high byte first. For free(). */
static uint8_t *by_file(satf_context *ctx, const satf_filter *filter, const satf_view *in, int type,
                        size_t bytes)
{
    satf_image *image, *result;
    MUST(ctx, satf_image_create(ctx, in->width, in->height, in->channels, (satf_type)in->type,
                                in->flags, &image));
    for (int64_t y = 0; y < in->height; y++) {
        memcpy(satf_row(satf_image_view(image), y), satf_row(in, y),
               (size_t)(in->width * satf_pixel_bytes(in)));
    }
    MUST(ctx, satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &result));
    satf_write_options options = satf_write_defaults();
    options.format = "pam";
    options.type = type;
    void *file;
    size_t file_bytes;
    MUST(ctx, satf_image_encode(ctx, result, &options, &file, &file_bytes));
    uint8_t *samples = malloc(bytes);
    memcpy(samples, (char *)file + (file_bytes - bytes), bytes);
    for (size_t i = 0; type == SATF_U16 && i < bytes; i += 2) {
        uint16_t sample = (uint16_t)(samples[i] << 8 | samples[i + 1]);
        memcpy(samples + i, &sample, sizeof sample);
    }
    satf_buffer_free(file);
    satf_image_destroy(result);
    satf_image_destroy(image);
    return samples;
}

/* Packed, and with gaps that stay as they are. */
static void check_show(satf_context *ctx, const every_case *c, int type)
{
    satf_view out;
    MUST(ctx, satf_filter_output(ctx, c->filter, &c->in, &out));
    out = satf_view_packed(NULL, out.width, out.height, out.channels, (satf_type)type);
    size_t pixel = (size_t)satf_pixel_bytes(&out), pixels = (size_t)(out.width * out.height);
    SCOPED uint8_t *want = by_file(ctx, c->filter, &c->in, type, pixel * pixels);
    for (size_t gap = 0; gap < 4; gap += 3) {
        size_t step = pixel + gap;
        SCOPED uint8_t *got = malloc(step * pixels);
        memset(got, FILL, step * pixels);
        out.data = got;
        out.pixel_stride = (int64_t)step;
        out.stride = out.width * (int64_t)step;
        satf_context_set_scratch(ctx, &out, 1); /* too little: it is not for this call */
        MUST(ctx, satf_filter_render(ctx, c->filter, &c->in, &out));
        satf_context_set_scratch(ctx, NULL, 0);
        for (size_t i = 0; i < step * pixels; i++) {
            uint8_t sample = i % step < pixel ? want[i / step * pixel + i % step] : FILL;
            if (got[i] != sample) {
                fail_msg("%s, to %s: byte %zu is %d, not %d", c->what, satf_type_name(type), i,
                         got[i], sample);
            }
        }
    }
}

/* Of integers: floats have no range. */
static void check_every(satf_context *ctx, const every_case *c)
{
    if (!satf_type_is_float(c->in.type)) {
        check_show(ctx, c, SATF_U8);
        check_show(ctx, c, SATF_U16);
    }
}

TEST(test_every_filter)
{
    satf_context_set_threads(ctx, 3);
    every_filter(ctx, W, H, check_every);
}

/* By hand: 0 ... 127.5, 0 ... 16256.25 and 0 ... 6 * 255 become 0 ... 255. */
TEST(test_values)
{
    static uint8_t samples[] = {0, 255, 0, 0, 0, 0};
    static const struct {
        const char *chain;
        uint8_t want[6];
    } cases[] = {
        {"stddev=2x1,border=wrap", {0, 255, 255, 0, 0, 0}},
        {"variance=3x1,border=wrap", {227, 227, 227, 0, 0, 0}}, /* 255^2 * 2 / 9 */
        {"integral", {0, 43, 43, 43, 43, 43}},                  /* 42.5 */
        {"box=5x1,border=wrap variance=1", {0}},
        {"box=5x1,border=wrap flip=h", {51, 0, 51, 51, 51, 51}},
    };
    satf_view in = satf_view_packed(samples, 6, 1, 1, SATF_U8), out = in;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t made[6];
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].chain);
        out.data = made;
        MUST(ctx, satf_filter_render(ctx, filter, &in, &out));
        assert_memory_equal(made, cases[i].want, sizeof made);
    }
}

/* By hand: 12 bits in 16 stay such bits; 0 ... 2047.5 become 0 ... 4095, black and white too. */
TEST(test_full_scale)
{
    static uint16_t samples[] = {0, 4095, 0, 0, 0, 0};
    static const struct {
        const char *chain;
        double full;
        uint16_t want[6];
    } cases[] = {
        {"stddev=2x1,border=wrap", 4095, {0, 4095, 4095, 0, 0, 0}},
        {"stddev=2x1,border=wrap", 0, {0, 65535, 65535, 0, 0, 0}},
        {"box=5x1,border=wrap", 4095, {819, 819, 819, 819, 0, 819}},
        {"box=5x1,border=wrap", 0, {819, 819, 819, 819, 0, 819}},
        {"box=5x1,border=wrap", 1023, {205, 205, 205, 205, 0, 205}}, /* 204.6 */
        {"threshold=128", 4095, {0, 4095, 0, 0, 0, 0}},
        {"threshold=128 delinearize=1,depth=16", 4095, {0, 4095, 0, 0, 0, 0}},
    };
    satf_view in = satf_view_packed(samples, 6, 1, 1, SATF_U16), out = in;
    in.full = 4095;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t made[6];
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].chain);
        out.data = made;
        out.full = cases[i].full;
        MUST(ctx, satf_filter_render(ctx, filter, &in, &out));
        assert_memory_equal(made, cases[i].want, sizeof made);
    }
}

TEST(test_refusals)
{
    static float reals[W * H];
    static uint8_t grey[W * H], made[2 * W * H], kept[2 * W * H];
    satf_view in = satf_view_packed(reals, W, H, 1, SATF_F32);
    satf_view out = satf_view_packed(made, W, H, 1, SATF_U8);
    SCOPED_FILTER *box = parse_filter(ctx, "box=5"), *stddev = parse_filter(ctx, "stddev=5");
    SCOPED_FILTER *sauvola = parse_filter(ctx, "sauvola=5");
    memset(made, FILL, sizeof made);
    memset(kept, FILL, sizeof kept);
    expect(ctx, satf_filter_render(ctx, box, &in, &out), SATF_INVALID, "f32 results have no range");
    expect(ctx, satf_filter_render(ctx, stddev, &in, &out), SATF_INVALID, "f64 results have no");
    in = satf_view_packed(grey, W, H, 1, SATF_U8);
    for (int type = SATF_U32; type <= SATF_F64; type++) {
        out.type = type;
        out.width = in.width = W / 8;
        out.stride = 2 * W;
        expect(ctx, satf_filter_render(ctx, box, &in, &out), SATF_UNSUPPORTED, "u8 or u16");
    }
    in.width = W;
    out = satf_view_packed(made, W, H - 1, 1, SATF_U8);
    expect(ctx, satf_filter_render(ctx, stddev, &in, &out), SATF_INVALID, "it must be 251 x 23");
    out = in;
    expect(ctx, satf_filter_render(ctx, stddev, &in, &out), SATF_INVALID, "overlaps");
    out.data = made;
    expect(ctx, satf_filter_render(ctx, NULL, &in, &out), SATF_INVALID, "filter is missing");
    expect(ctx, satf_filter_render(ctx, stddev, &in, NULL), SATF_INVALID, "output");
    assert_int_equal(satf_filter_render(NULL, stddev, &in, &out), SATF_INVALID);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 8 * W * H - 1);
    expect(ctx, satf_filter_render(ctx, stddev, &in, &out), SATF_LIMIT, "limit: max-memory");
    assert_memory_equal(made, kept, sizeof made);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    MUST(ctx, satf_filter_render(ctx, stddev, &in, &out));
    in = satf_view_packed(reals, W, H, 1, SATF_F32); /* black and white of floats */
    MUST(ctx, satf_filter_render(ctx, sauvola, &in, &out));
}

TEST_FILE(.shared = true)
