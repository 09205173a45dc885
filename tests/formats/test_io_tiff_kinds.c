/* TIFFs of rarer kinds, beside what TIFF 6.0 says of their bytes. */
#include "test.h"
#include "tiff_files.h"

#include <jpeglib.h>

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

/* The colour that the codes of luma and chroma mean: TIFF 6.0, sections 20 and 21. */
static unsigned char colour_of(const ycbcr *b, const unsigned codes[3], unsigned c)
{
    const float *luma = lumas[b->tags], *r = references[b->tags];
    double full[3];
    for (unsigned i = 0; i < 3; i++) {
        full[i] = (codes[i] - (double)r[2 * i]) * (i ? 127 : 255) /
                  ((double)r[2 * i + 1] - (double)r[2 * i]);
    }
    double red = full[2] * (2 - 2 * (double)luma[0]) + full[0];
    double blue = full[1] * (2 - 2 * (double)luma[2]) + full[0];
    double green = (full[0] - (double)luma[2] * blue - (double)luma[0] * red) / (double)luma[1];
    double v = floor((c == 0 ? red : c == 1 ? green : blue) + 0.5);
    return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void set_ycbcr_tags(const ycbcr *b, TIFF *tif)
{
    TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, b->across, b->down);
    if (b->tags) {
        TIFFSetField(tif, TIFFTAG_YCBCRCOEFFICIENTS, lumas[1]);
        TIFFSetField(tif, TIFFTAG_REFERENCEBLACKWHITE, references[1]);
    }
}

static void make_ycbcr(const kind *k, const ycbcr *b)
{
    static unsigned char room[1 << 14];
    TIFF *tif = create(k->mode);
    set_tags(k, tif);
    set_ycbcr_tags(b, tif);
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
    SCOPED_IMAGE *image;
    if (satf_image_decode(ctx, file.data, file.n, &image)) {
        fail_msg("%s, blocks of %u x %u: %s", name_of(k), b->across, b->down, satf_message(ctx));
    }
    const unsigned char *got = image->view.data;
    assert_int_equal(image->view.channels, 3);
    for (uint32_t y = 0; y < k->height; y++) {
        for (uint32_t x = 0; x < k->width; x++) {
            const unsigned codes[] = {code(b, x, y, 0), code(b, x, y, 1), code(b, x, y, 2)};
            for (unsigned c = 0; c < 3; c++, got++) {
                if (*got != colour_of(b, codes, c)) {
                    fail_msg("%s, blocks of %u x %u: (%u, %u), colour %u is %u, should be %u",
                             name_of(k), b->across, b->down, x, y, c, *got, colour_of(b, codes, c));
                }
            }
        }
    }
}

/* Every size of blocks, in strips and tiles, of which the last ones are not full. */
TEST(blocks)
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
        compare_ycbcr(ctx, &k, &b);
    }
}

/* Planes of the same size, in strips and tiles. */
TEST(ycbcr_planes)
{
    for (unsigned i = 0; i < 8; i++) {
        ycbcr b = {.across = 1, .down = 1, .tags = i & 1};
        kind k = plain;
        k.photometric = PHOTOMETRIC_YCBCR;
        k.planar = PLANARCONFIG_SEPARATE;
        k.compression = i & 2 ? COMPRESSION_LZW : COMPRESSION_NONE;
        k.tiled = i & 4;
        TIFF *tif = create_tagged(&k);
        set_ycbcr_tags(&b, tif);
        for (int c = 0; c < 3; c++) {
            write_parts(&k, tif, c);
        }
        TIFFClose(tif);
        compare_ycbcr(ctx, &k, &b);
    }
}

/* What a tag of YCbCr may not be: a share of green of 0, the same code for black and white. */
TEST(odd_tags)
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
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &image), SATF_DATA);
        assert_non_null(strstr(satf_message(ctx), "make no sense"));
    }
}

/* ------------------------------------------------------------------------ Lab */

/* What a colour of sRGB, 0 ... 1, is as Lab with the white of D50: IEC 61966-2-1, with the
 * primaries that ICC's profile of it has; and CIE 15. */
static void lab_of(const double rgb[3], double lab[3])
{
    static const double primaries[3][3] = {{0.4360747, 0.3850649, 0.1430804},
                                           {0.2225045, 0.7168786, 0.0606169},
                                           {0.0139322, 0.0971045, 0.7141733}};
    static const double white[] = {0.9642, 1, 0.8249};
    double f[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            double light = rgb[c] <= 0.04045 ? rgb[c] / 12.92 : pow((rgb[c] + 0.055) / 1.055, 2.4);
            sum += primaries[i][c] * light / white[i];
        }
        f[i] = sum > 216.0 / 24389 ? cbrt(sum) : (sum * 24389 / 27 + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* Colours of sRGB, as the codes of Lab, come back. */
TEST(lab)
{
    for (unsigned i = 0; i < 8; i++) {
        bool icc = i & 1, wide = i & 2, alpha = i & 4;
        kind k = plain;
        k.photometric = icc ? PHOTOMETRIC_ICCLAB : PHOTOMETRIC_CIELAB;
        k.bits = wide ? 16 : 8;
        k.samples = 3 + alpha;
        k.extra = alpha ? EXTRASAMPLE_UNASSALPHA : -1;
        TIFF *tif = create("wb");
        set_tags(&k, tif);
        for (uint32_t y = 0; y < k.height; y++) {
            unsigned char row[4 * 2 * 64];
            for (uint32_t x = 0; x < k.width; x++) {
                double rgb[3], values[3], unit = wide ? 256 : 1;
                for (unsigned c = 0; c < 3; c++) {
                    rgb[c] = (double)sample(&plain, x, y, c) / 255;
                }
                lab_of(rgb, values);
                double most = !wide ? 255 : icc ? 65280 : 65535;
                long codes[] = {lrint(values[0] * most / 100),
                                lrint((values[1] + (icc ? 128 : 0)) * unit),
                                lrint((values[2] + (icc ? 128 : 0)) * unit), 77};
                for (unsigned c = 0; c < k.samples; c++) {
                    size_t at = (x * k.samples + c) * k.bits / 8;
                    uint16_t code = (uint16_t)codes[c];
                    uint8_t byte = (uint8_t)codes[c];
                    memcpy(row + at, wide ? (void *)&code : &byte, k.bits / 8);
                }
            }
            assert_int_equal(TIFFWriteScanline(tif, row, y, 0), 1);
        }
        TIFFClose(tif);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->view.type, wide ? SATF_U16 : SATF_U8);
        assert_int_equal(image->view.channels, k.samples);
        for (size_t s = 0; s < (size_t)k.width * k.height * k.samples; s++) {
            unsigned c = (unsigned)(s % k.samples);
            size_t pixel = s / k.samples;
            unsigned got = wide ? ((const uint16_t *)image->view.data)[s]
                                : ((const unsigned char *)image->view.data)[s];
            unsigned was = (unsigned)sample(&plain, (uint32_t)(pixel % k.width),
                                            (uint32_t)(pixel / k.width), c);
            double want = c == 3 ? 77 : was * (wide ? 257.0 : 1);
            double most = c == 3 ? 0 : wide ? 257 : 12; /* of a code of Lab that was rounded */
            if (fabs(got - want) > most) {
                fail_msg("%s: pixel %zu, channel %u is %u, should be %g", name_of(&k), pixel, c,
                         got, want);
            }
        }
    }
}

/* ------------------------------------------------------------- old-style JPEG */

enum { LONG = 1100 }; /* LONG x LONG pixels are more than 1 MiB, at which other strips go by rows */

/* A picture that is smooth but for some noise, as a JPEG of that subsampling; 1 or 3 components. */
static bytes make_jpeg(const ycbcr *b, int components, unsigned width, unsigned height,
                       bool progressive)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL, row[3 * LONG];
    unsigned long n = 0;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &data, &n);
    c.image_width = width;
    c.image_height = height;
    c.input_components = components;
    c.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    c.comp_info[0].h_samp_factor = (int)b->across;
    c.comp_info[0].v_samp_factor = (int)b->down;
    if (progressive) {
        jpeg_simple_progression(&c);
    }
    jpeg_start_compress(&c, TRUE);
    uint64_t seed = 5;
    for (unsigned y = 0; y < height; y++) {
        JSAMPROW at = row;
        for (unsigned i = 0; i < width * (unsigned)components; i++) {
            row[i] = (unsigned char)(i + 3 * y * (1 + i % 3) + next_random(&seed) % 32);
        }
        jpeg_write_scanlines(&c, &at, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return (bytes){data, n};
}

/* Its codes, chroma as often as it is shared. */
static void read_jpeg(bytes jpeg, unsigned char *to)
{
    struct jpeg_decompress_struct d;
    struct jpeg_error_mgr errors;
    d.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&d);
    jpeg_mem_src(&d, jpeg.data, jpeg.n);
    jpeg_read_header(&d, TRUE);
    d.out_color_space = d.jpeg_color_space;
    d.do_fancy_upsampling = FALSE;
    jpeg_start_decompress(&d);
    while (d.output_scanline < d.output_height) {
        JSAMPROW at = to + d.output_scanline * d.output_width * (unsigned)d.num_components;
        jpeg_read_scanlines(&d, &at, 1);
    }
    jpeg_finish_decompress(&d);
    jpeg_destroy_decompress(&d);
}

static void put_le(size_t at, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++, v >>= 8) {
        file.data[at + i] = (unsigned char)v;
    }
}

/* A TIFF whose tags of old-style JPEG name a whole stream, which is its strip too. */
static void make_ojpeg(bytes jpeg, unsigned components, unsigned width, unsigned height)
{
    const uint32_t n = (uint32_t)jpeg.n;
    const uint32_t tags[][3] = {/* tag, type, value */
                                {256, 3, width},
                                {257, 3, height},
                                {258, 3, 8},
                                {259, 3, COMPRESSION_OJPEG},
                                {262, 3, components == 1 ? 1 : 6},
                                {273, 4, 8},
                                {277, 3, components},
                                {278, 3, height},
                                {279, 4, n},
                                {513, 4, 8},
                                {514, 4, n}};
    enum { COUNT = sizeof tags / sizeof *tags };
    memcpy(file.data, "II*\0", 4);
    put_le(4, 8 + n, 4);
    memcpy(file.data + 8, jpeg.data, n);
    put_le(8 + n, COUNT, 2);
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = 10 + n + 12 * i;
        put_le(at, tags[i][0], 2);
        put_le(at + 2, tags[i][1], 2);
        put_le(at + 4, 1, 4);
        put_le(at + 8, tags[i][2], 4);
    }
    put_le(10 + n + 12 * COUNT, 0, 4);
    file.n = 14 + n + 12 * COUNT;
}

TEST(old_jpeg)
{
    static unsigned char codes[LONG * LONG];
    static const unsigned sides[][2] = {{1, 1}, {2, 1}, {2, 2}};
    for (unsigned i = 0; i < 5; i++) {
        ycbcr b = {.across = sides[i % 4 % 3][0], .down = sides[i % 4 % 3][1]};
        unsigned components = i < 3 ? 3 : 1, width = i < 4 ? 37 + i : LONG,
                 height = i < 4 ? 41 - i : LONG;
        bytes jpeg = make_jpeg(&b, (int)components, width, height, false);
        read_jpeg(jpeg, codes);
        make_ojpeg(jpeg, components, width, height);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->view.channels, components);
        const unsigned char *got = image->view.data;
        for (unsigned s = 0; s < width * height * components; s++) {
            const unsigned char *pixel = codes + s / components * components;
            const unsigned all[] = {pixel[0], components > 1 ? pixel[1] : 128,
                                    components > 1 ? pixel[2] : 128};
            unsigned want = components > 1 ? colour_of(&b, all, s % components) : all[0];
            if (got[s] != want) {
                fail_msg("blocks of %u x %u: sample %u is %u, should be %u", b.across, b.down, s,
                         got[s], want);
            }
        }
        for (size_t n = jpeg.n - 400; n < jpeg.n - 16; n += 97) { /* pixels end there */
            make_ojpeg(jpeg, components, width, height);
            memcpy(file.data + 8 + n, "\xff\xd9", 2);
            satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
            if (status != SATF_DATA) {
                fail_msg("JPEG %u of %zu bytes, cut at %zu: %s", i, jpeg.n, n,
                         status ? satf_message(ctx) : "is read");
            }
        }
        free(jpeg.data);
    }
}

/* libtiff warns of a progressive JPEG, which is no damage. */
TEST(progressive)
{
    const ycbcr one = {.across = 1, .down = 1};
    kind k = plain;
    k.photometric = PHOTOMETRIC_MINISBLACK;
    k.samples = 1;
    k.compression = COMPRESSION_JPEG;
    k.rows = k.height;
    bytes jpeg = make_jpeg(&one, 1, k.width, k.height, true);
    unsigned char want[20 * 30];
    assert_int_equal(sizeof want, k.width * k.height);
    read_jpeg(jpeg, want);
    TIFF *tif = create_tagged(&k);
    assert_true(TIFFWriteRawStrip(tif, 0, jpeg.data, (tmsize_t)jpeg.n) > 0);
    TIFFClose(tif);
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    assert_memory_equal(image->view.data, want, sizeof want);
    free(jpeg.data);
}

/* ------------------------------------------------------------- what is not read */

/* What libtiff lacks is not said to be damaged. */
TEST(lacking)
{
    static const struct {
        unsigned compression, predictor;
        const char *words;
    } files[] = {{COMPRESSION_LZW, 7, "does not decode: \"Predictor\" value 7"},
                 {COMPRESSION_JPEG, 0, "does not decode: Unsupported JPEG process: SOF type 0xc3"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        kind k = plain;
        k.compression = files[i].compression;
        k.height = k.rows = 16;
        k.width = 32;
        TIFF *tif = create_tagged(&k);
        if (files[i].predictor) {
            TIFFSetField(tif, TIFFTAG_PREDICTOR, 2);
        }
        write_parts(&k, tif, -1);
        TIFFClose(tif);
        if (files[i].predictor) {
            claim(TIFFTAG_PREDICTOR, (uint16_t)files[i].predictor);
        }
        for (size_t at = 0; at + 1 < file.n && !files[i].predictor; at++) { /* lossless */
            bool sof = file.data[at] == 0xff && file.data[at + 1] == 0xc0;
            file.data[at + 1] = sof ? 0xc3 : file.data[at + 1];
        }
        satf_image *image;
        satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
        if (status != SATF_UNSUPPORTED || !strstr(satf_message(ctx), files[i].words)) {
            fail_msg("%s: %s", files[i].words, status ? satf_message(ctx) : "is read");
        }
    }
}

/* Palettes of 16 bits, and those of old programs, whose colours are all at most 255: of 8 bits. */
TEST(palettes)
{
    for (unsigned most = 255; most <= 256; most++) {
        kind k = plain;
        uint16_t map[256];
        k.photometric = PHOTOMETRIC_PALETTE;
        k.samples = 1;
        TIFF *tif = create_tagged(&k);
        for (unsigned i = 0; i < 256; i++) {
            map[i] = (uint16_t)(i ? i : most);
        }
        TIFFSetField(tif, TIFFTAG_COLORMAP, map, map, map);
        write_parts(&k, tif, -1);
        TIFFClose(tif);
        SCOPED_IMAGE *image;
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &image), SATF_OK);
        const satf_view *view = satf_image_view(image);
        for (uint32_t x = 0; x < view->width; x++) {
            unsigned at = (unsigned)sample(&k, x, 0, 0) & 255, got = ((uint8_t *)view->data)[3 * x];
            assert_int_equal(got, most == 255 ? (at ? at : 255) : at == 0);
        }
    }
}

TEST_FILE(.formats = "all")
