/* Files depend on samples alone: on nothing that lies between rows, nor on what new memory held. */
#include "test.h"
#include "test_io_files.h"

enum { APART = 40 };

/* The image as a file, its rows apart, where memory and the bytes between rows hold `before`. */
static bytes encode_apart(satf_context *ctx, const satf_image *image, const char *format,
                          int before)
{
    satf_fill_allocations(before);
    satf_image apart = *image;
    apart.view.stride += APART;
    apart.view.data = satf_alloc((size_t)(apart.view.stride * apart.view.height));
    assert_non_null(apart.view.data);
    for (int64_t y = 0; y < apart.view.height; y++) {
        memcpy(satf_row(&apart.view, y), satf_row(&image->view, y), (size_t)image->view.stride);
    }
    bytes file = must_encode(ctx, &apart, format);
    satf_free(apart.view.data);
    satf_fill_allocations(-1);
    return file;
}

static void check(satf_context *ctx, const satf_image *image, const char *format)
{
    SCOPED_BYTES want = must_encode(ctx, image, format);
    for (int i = 0; i < 2; i++) {
        SCOPED_BYTES got = encode_apart(ctx, image, format, i ? 0x5a : 0xa5);
        if (got.n != want.n || memcmp(got.data, want.data, got.n) != 0) {
            fail_msg("%s of %d channels of type %d, %d wide: another file", format,
                     image->view.channels, image->view.type, (int)image->view.width);
        }
    }
}

TEST(test_samples)
{
    static const struct {
        const char *format;
        satf_type type;
        int channels;
    } cases[] = {
        {"png", SATF_U8, 1},  {"png", SATF_U8, 4},  {"png", SATF_U16, 3},  {"jpeg", SATF_U8, 1},
        {"jpeg", SATF_U8, 3}, {"pgm", SATF_U8, 1},  {"ppm", SATF_U16, 3},  {"pam", SATF_U8, 4},
        {"pfm", SATF_F32, 1}, {"pfm", SATF_F32, 3}, {"npy", SATF_U8, 1},   {"npy", SATF_F64, 1},
        {"npy", SATF_U16, 3}, {"png", SATF_F64, 1}, {"jpeg", SATF_F32, 3}, {"ppm", SATF_F32, 3},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        for (int64_t width = 1; width < 20; width++) {
            SCOPED_IMAGE *image = make_image(ctx, width, 7, cases[i].channels, cases[i].type,
                                             cases[i].channels % 2 ? 0 : SATF_ALPHA, 3);
            image->has_range = true; /* floats become pictures */
            image->hi = cases[i].type == SATF_U8 ? UINT8_MAX : UINT16_MAX;
            image->alpha_max = image->hi;
            check(ctx, image, cases[i].format);
        }
    }
}

/* One bit a pixel: the last byte of a row has bits of no pixel, which are zeros. */
TEST(test_bits)
{
    for (int64_t width = 1; width < 20; width++) {
        SCOPED_IMAGE *image = make_image(ctx, width, 7, 1, SATF_U8, 0, 3);
        for (int64_t i = 0; i < width * 7; i++) {
            uint8_t *at = (uint8_t *)image->view.data + i;
            *at = *at < 128 ? 0 : UINT8_MAX;
        }
        image->bilevel = true;
        check(ctx, image, "png");
        check(ctx, image, "pbm");
        SCOPED_BYTES file = encode_apart(ctx, image, "pbm", 0xa5);
        size_t row_bytes = (size_t)(width + 7) / 8;
        for (size_t y = 0; y < 7; y++) {
            unsigned last = file.data[file.n - row_bytes * y - 1];
            assert_int_equal(last & ((1u << (8 * row_bytes - (size_t)width)) - 1), 0);
        }
    }
}

TEST_FILE(.formats = "all")
