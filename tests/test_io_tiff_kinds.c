/* TIFFs of rarer kinds, beside what TIFF 6.0 and T.4 say of their bytes. */
#include "tiff_files.h"

#include <math.h>

/* ---------------------------------------------------------------------- YCbCr */

/* How the pixels share chroma, and what the tags say of their colours. */
typedef struct ycbcr {
    unsigned across, down;
    bool tags; /* other coefficients and references than without tags */
} ycbcr;

/* Code c of pixel (x, y): luma of its own, chroma of its block. */
static unsigned code(const ycbcr *b, uint32_t x, uint32_t y, unsigned c)
{
    return (unsigned)sample(&plain, c ? x / b->across : x, c ? y / b->down : y, c);
}

/* The blocks of so many pixels from (x, y) on; beyond the picture they are as they come. */
static size_t pack_blocks(const ycbcr *b, uint32_t x, uint32_t y, uint32_t width, uint32_t rows,
                          unsigned char *to)
{
    size_t n = 0;
    for (uint32_t v = y; v < y + rows; v += b->down) {
        for (uint32_t u = x; u < x + width; u += b->across) {
            for (unsigned i = 0; i < b->across * b->down; i++) {
                to[n++] = (unsigned char)code(b, u + i % b->across, v + i / b->across, 0);
            }
            to[n++] = (unsigned char)code(b, u, v, 1);
            to[n++] = (unsigned char)code(b, u, v, 2);
        }
    }
    return n;
}

static const float lumas[2][3] = {{0.299f, 0.587f, 0.114f}, {0.2126f, 0.7152f, 0.0722f}};
static const float references[2][6] = {{0, 255, 128, 255, 128, 255}, {16, 235, 128, 240, 127, 241}};

/* TIFF 6.0, sections 20 and 21. */
static unsigned char colour_of(const ycbcr *b, uint32_t x, uint32_t y, unsigned c)
{
    const float *luma = lumas[b->tags], *r = references[b->tags];
    double full[3];
    for (unsigned i = 0; i < 3; i++) {
        full[i] = (code(b, x, y, i) - (double)r[2 * i]) * (i ? 127 : 255) /
                  ((double)r[2 * i + 1] - (double)r[2 * i]);
    }
    double red = full[2] * (2 - 2 * (double)luma[0]) + full[0];
    double blue = full[1] * (2 - 2 * (double)luma[2]) + full[0];
    double green = (full[0] - (double)luma[2] * blue - (double)luma[0] * red) / (double)luma[1];
    double v = floor((c == 0 ? red : c == 1 ? green : blue) + 0.5);
    return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void make_ycbcr(const kind *k, const ycbcr *b)
{
    static unsigned char room[1 << 14];
    TIFF *tif = create(k->mode);
    set_tags(k, tif);
    TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, b->across, b->down);
    if (b->tags) {
        TIFFSetField(tif, TIFFTAG_YCBCRCOEFFICIENTS, lumas[1]);
        TIFFSetField(tif, TIFFTAG_REFERENCEBLACKWHITE, references[1]);
    }
    uint32_t width = k->tiled ? TILE : k->width, rows = k->tiled ? TILE : k->rows, part = 0;
    for (uint32_t y = 0; y < k->height; y += rows) {
        uint32_t n = k->tiled || k->height - y > rows ? rows : k->height - y;
        for (uint32_t x = 0; x < k->width; x += width, part++) {
            tmsize_t size = (tmsize_t)pack_blocks(b, x, y, width, n, room);
            tmsize_t put = k->tiled ? TIFFWriteEncodedTile(tif, part, room, size)
                                    : TIFFWriteEncodedStrip(tif, part, room, size);
            assert_int_equal(put, size);
        }
    }
    TIFFClose(tif);
}

static void compare_ycbcr(satf_context *ctx, const kind *k, const ycbcr *b)
{
    satf_image *image;
    if (satf_image_decode(ctx, file.data, file.n, &image)) {
        fail_msg("%s, blocks of %u x %u: %s", name_of(k), b->across, b->down, satf_message(ctx));
    }
    const unsigned char *got = image->view.data;
    assert_int_equal(image->view.channels, 3);
    for (uint32_t y = 0; y < k->height; y++) {
        for (uint32_t x = 0; x < k->width; x++) {
            for (unsigned c = 0; c < 3; c++, got++) {
                if (*got != colour_of(b, x, y, c)) {
                    fail_msg("%s, blocks of %u x %u: (%u, %u), colour %u is %u, should be %u",
                             name_of(k), b->across, b->down, x, y, c, *got, colour_of(b, x, y, c));
                }
            }
        }
    }
    satf_image_destroy(image);
}

/* Every size of blocks, in strips and tiles, of which the last ones are not full. */
static void blocks(void **state)
{
    static const unsigned sides[] = {1, 2, 4};
    static const unsigned compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW,
                                            COMPRESSION_PACKBITS};
    for (unsigned i = 0; i < 3 * 3 * 3 * 2 * 2; i++) {
        ycbcr b = {.across = sides[i % 3], .down = sides[i / 3 % 3], .tags = i / 27 % 2};
        kind k = plain;
        k.photometric = PHOTOMETRIC_YCBCR;
        k.compression = compressions[i / 9 % 3];
        k.tiled = i / 54;
        k.mode = i % 2 ? "wb" : "wl";
        k.width = 37 + i % 5;
        k.height = 27 + i % 7;
        k.rows = i % 4 ? 8 : k.height;
        make_ycbcr(&k, &b);
        compare_ycbcr(*state, &k, &b);
    }
}

/* What a tag of YCbCr may not be: a share of green of 0, the same code for black and white. */
static void odd_tags(void **state)
{
    static const float none[] = {1, 0, 0}, same[] = {9, 9, 128, 255, 128, 255};
    for (int i = 0; i < 2; i++) {
        TIFF *tif = create("wl");
        kind k = plain;
        k.photometric = PHOTOMETRIC_YCBCR;
        k.compression = COMPRESSION_NONE;
        set_tags(&k, tif);
        TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
        TIFFSetField(tif, i ? TIFFTAG_REFERENCEBLACKWHITE : TIFFTAG_YCBCRCOEFFICIENTS,
                     i ? same : none);
        write_parts(&k, tif, -1);
        TIFFClose(tif);
        satf_image *image;
        assert_int_equal(satf_image_decode(*state, file.data, file.n, &image), SATF_DATA);
        assert_non_null(strstr(satf_message(*state), "make no sense"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks, new_context, free_context),
        cmocka_unit_test_setup_teardown(odd_tags, new_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
