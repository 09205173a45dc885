/* TIFFs of rarer kinds, beside what TIFF 6.0 says of their bytes. */
#include "test.h"
#include "test_io_jpeg.h"
#include "tiff_files.h"

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
    TIFF *tif = create(k);
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
    finish(tif);
}

static long double ycbcr_colour(const void *user, uint32_t x, uint32_t y, unsigned c)
{
    const ycbcr *b = user;
    return colour_of(b, (const unsigned[]){code(b, x, y, 0), code(b, x, y, 1), code(b, x, y, 2)},
                     c);
}

static void compare_ycbcr(satf_context *ctx, const kind *k, const ycbcr *b)
{
    char what[250];
    snprintf(what, sizeof what, "%s, blocks of %u x %u", name_of(k), b->across, b->down);
    expect_samples(ctx, what, view_like(k, 3, SATF_U8, false), ycbcr_colour, b, 0);
}

/* Every size of blocks, in strips and tiles, of which the last ones are not full. */
TEST(blocks)
{
    static const unsigned sides[] = {1, 2, 4};
    static const unsigned compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW,
                                            COMPRESSION_PACKBITS};
    for (unsigned i = 0; i < 3 * 3 * 3 * 2 * 2; i++) {
        ycbcr b = {.across = sides[i % 3], .down = sides[i / 3 % 3], .tags = i / 27 % 2};
        kind k = KIND(.photometric = PHOTOMETRIC_YCBCR, .compression = compressions[i / 9 % 3],
                      .tiled = i / 54, .mode = i % 2 ? "wb" : "wl", .width = 37 + i % 5,
                      .height = 27 + i % 7);
        k.rows = i % 4 ? 8 : k.height;
        make_ycbcr(&k, &b);
        compare_ycbcr(ctx, &k, &b);
    }
}

/* Planes of the same size, in strips and tiles. */
TEST(ycbcr_planes)
{
    for (unsigned i = 0; i < 8; i++) {
        const ycbcr b = {.across = 1, .down = 1, .tags = i & 1};
        const kind k =
            KIND(.photometric = PHOTOMETRIC_YCBCR, .planar = PLANARCONFIG_SEPARATE,
                 .compression = i & 2 ? COMPRESSION_LZW : COMPRESSION_NONE, .tiled = i & 4);
        TIFF *tif = create(&k);
        set_ycbcr_tags(&b, tif);
        write_samples(&k, tif);
        compare_ycbcr(ctx, &k, &b);
    }
}

/* What a tag of YCbCr may not be: a share of green of 0, the same code for black and white. */
TEST(odd_tags)
{
    static const float none[] = {1, 0, 0}, same[] = {9, 9, 128, 255, 128, 255};
    for (int i = 0; i < 2; i++) {
        const kind k = KIND(.photometric = PHOTOMETRIC_YCBCR, .compression = COMPRESSION_NONE);
        TIFF *tif = create(&k);
        TIFFSetField(tif, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
        TIFFSetField(tif, i ? TIFFTAG_REFERENCEBLACKWHITE : TIFFTAG_YCBCRCOEFFICIENTS,
                     i ? same : none);
        write_samples(&k, tif);
        must_refuse(ctx, SATF_DATA, "make no sense");
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

/* Colour c of a pixel of the picture, 0 ... 255, and its alpha. */
static unsigned was(uint32_t x, uint32_t y, unsigned c)
{
    return c == 3 ? 77 : (unsigned)sample(&plain, x, y, c);
}

/* A row of it as codes of Lab. */
static void lab_row(const kind *k, uint32_t y, unsigned char *row)
{
    bool icc = k->photometric == PHOTOMETRIC_ICCLAB, wide = k->bits == 16;
    for (uint32_t x = 0; x < k->width; x++) {
        double lab[3], unit = wide ? 256 : 1, most = !wide ? 255 : icc ? 65280 : 65535;
        lab_of((const double[]){was(x, y, 0) / 255.0, was(x, y, 1) / 255.0, was(x, y, 2) / 255.0},
               lab);
        const long codes[] = {lrint(lab[0] * most / 100), lrint((lab[1] + (icc ? 128 : 0)) * unit),
                              lrint((lab[2] + (icc ? 128 : 0)) * unit), was(x, y, 3)};
        for (unsigned c = 0; c < k->samples; c++) {
            uint16_t code = (uint16_t)codes[c];
            uint8_t byte = (uint8_t)codes[c];
            memcpy(row, wide ? (void *)&code : &byte, k->bits / 8);
            row += k->bits / 8;
        }
    }
}

static long double lab_colour(const void *user, uint32_t x, uint32_t y, unsigned c)
{
    return was(x, y, c) * (((const kind *)user)->bits == 16 && c < 3 ? 257 : 1);
}

/* Colours of sRGB, as the codes of Lab, come back. */
TEST(lab)
{
    for (unsigned i = 0; i < 8; i++) {
        bool icc = i & 1, wide = i & 2, alpha = i & 4;
        const kind k = KIND(.photometric = icc ? PHOTOMETRIC_ICCLAB : PHOTOMETRIC_CIELAB,
                            .bits = wide ? 16 : 8, .samples = 3 + alpha, .mode = "wb",
                            .extra = alpha ? EXTRASAMPLE_UNASSALPHA : -1);
        TIFF *tif = create(&k);
        for (uint32_t y = 0; y < k.height; y++) {
            unsigned char row[4 * 2 * 64];
            lab_row(&k, y, row);
            assert_int_equal(TIFFWriteScanline(tif, row, y, 0), 1);
        }
        finish(tif);
        /* a code of Lab was rounded */
        expect_samples(ctx, name_of(&k), view_like(&k, 3 + alpha, wide ? SATF_U16 : SATF_U8, alpha),
                       lab_colour, &k, wide ? 257 : 12);
    }
}

/* ------------------------------------------------------------- old-style JPEG */

enum { LARGE = 1100 }; /* its square is more than 1 MiB, at which other strips go by rows */

/* A picture that is smooth but for some noise, as a JPEG of that kind, and the codes of its pixels.
 */
static bytes make_smooth(const jpeg_kind *k, unsigned width, unsigned height, unsigned char *codes)
{
    static unsigned char pixels[LARGE * LARGE];
    unsigned row = width * (unsigned)k->channels;
    uint64_t seed = 5;
    bool warned;
    for (unsigned i = 0; i < row * height; i++) {
        unsigned x = i % row, y = i / row;
        pixels[i] = (unsigned char)(x + 3 * y * (1 + x % 3) + next_random(&seed) % 32);
    }
    bytes jpeg = code_jpeg(k, width, height, pixels);
    assert_true(read_jpeg(&jpeg, true, codes, &warned));
    return jpeg;
}

/* A TIFF whose tags of old-style JPEG name a whole stream, which is its strip too. */
static void make_ojpeg(bytes jpeg, unsigned components, unsigned width, unsigned height)
{
    const uint32_t n = (uint32_t)jpeg.n, at = 8, to = at + n + n % 2;
    const uint16_t wide = (uint16_t)width, high = (uint16_t)height, bits = 8,
                   old = COMPRESSION_OJPEG, colours = components == 1 ? 1 : 6,
                   samples = (uint16_t)components;
    const item tags[] = {{PAGE, 256, SHORT, 1, &wide},    {PAGE, 257, SHORT, 1, &high},
                         {PAGE, 258, SHORT, 1, &bits},    {PAGE, 259, SHORT, 1, &old},
                         {PAGE, 262, SHORT, 1, &colours}, {PAGE, 273, LONG, 1, &at},
                         {PAGE, 277, SHORT, 1, &samples}, {PAGE, 278, SHORT, 1, &high},
                         {PAGE, 279, LONG, 1, &n},        {PAGE, 513, LONG, 1, &at},
                         {PAGE, 514, LONG, 1, &n}};
    const size_t lead[DIRECTORIES] = {0};
    made head = {.n = 0};
    size_t link;
    put_directory(&head, tags, COUNT(tags), PAGE, lead, &link);
    memcpy(file.data, "II*\0", 4);
    for (int i = 0; i < 4; i++) {
        file.data[4 + i] = (unsigned char)(to >> 8 * i);
    }
    memcpy(file.data + 8, jpeg.data, n);
    memcpy(file.data + to, head.data, head.n);
    file.n = to + head.n;
}

typedef struct old_picture {
    ycbcr blocks;
    unsigned components, width;
    unsigned char codes[LARGE * LARGE];
} old_picture;

static long double old_colour(const void *user, uint32_t x, uint32_t y, unsigned c)
{
    const old_picture *p = user;
    const unsigned char *pixel = p->codes + (y * p->width + x) * p->components;
    return p->components == 1
               ? pixel[0]
               : colour_of(&p->blocks, (const unsigned[]){pixel[0], pixel[1], pixel[2]}, c);
}

TEST(old_jpeg)
{
    static const unsigned sides[][2] = {{1, 1}, {2, 1}, {2, 2}};
    static old_picture p;
    for (unsigned i = 0; i < 5; i++) {
        unsigned components = i < 3 ? 3 : 1, width = i < 4 ? 37 + i : LARGE,
                 height = i < 4 ? 41 - i : LARGE;
        char what[64];
        p.blocks = (ycbcr){.across = sides[i % 4 % 3][0], .down = sides[i % 4 % 3][1]};
        p.components = components;
        p.width = width;
        const jpeg_kind k = {.channels = (int)components,
                             .h = {(int)p.blocks.across, 1, 1},
                             .v = {(int)p.blocks.down, 1, 1}};
        SCOPED_BYTES jpeg = make_smooth(&k, width, height, p.codes);
        make_ojpeg(jpeg, components, width, height);
        snprintf(what, sizeof what, "blocks of %u x %u", p.blocks.across, p.blocks.down);
        expect_samples(ctx, what, satf_view_packed(NULL, width, height, (int)components, SATF_U8),
                       old_colour, &p, 0);
        for (size_t n = jpeg.n - 400; n < jpeg.n - 16; n += 97) { /* pixels end there */
            make_ojpeg(jpeg, components, width, height);
            memcpy(file.data + 8 + n, "\xff\xd9", 2);
            must_refuse(ctx, SATF_DATA, "");
        }
    }
}

/* libtiff warns of a progressive JPEG, which is no damage. */
TEST(progressive)
{
    const kind k = KIND(GREY, .compression = COMPRESSION_JPEG, .rows = 30);
    unsigned char want[20 * 30];
    assert_int_equal(sizeof want, k.width * k.height);
    SCOPED_BYTES jpeg =
        make_smooth(&(jpeg_kind){.channels = 1, .progressive = true}, k.width, k.height, want);
    make_strip(&k, jpeg.data, jpeg.n);
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    assert_memory_equal(image->view.data, want, sizeof want);
}

/* ------------------------------------------------------------- what is not read */

/* What libtiff lacks is not said to be damaged. */
TEST(lacking)
{
    const kind k = KIND(.width = 32, .height = 16, .rows = 16);
    TIFF *tif = create(&k);
    TIFFSetField(tif, TIFFTAG_PREDICTOR, 2);
    write_samples(&k, tif);
    claim(TIFFTAG_PREDICTOR, 7);
    must_refuse(ctx, SATF_UNSUPPORTED, "does not decode: \"Predictor\" value 7");
    make_file(&KIND(.width = 32, .height = 16, .rows = 16, .compression = COMPRESSION_JPEG));
    unsigned char *sof = memmem(file.data, file.n, "\xff\xc0", 2);
    assert_non_null(sof);
    sof[1] = 0xc3; /* lossless */
    must_refuse(ctx, SATF_UNSUPPORTED, "does not decode: Unsupported JPEG process: SOF type 0xc3");
}

/* Palettes of 16 bits, and those of old programs, whose colours are all at most 255: of 8 bits. */
TEST(palettes)
{
    for (unsigned most = 255; most <= 256; most++) {
        const kind k = KIND(.photometric = PHOTOMETRIC_PALETTE, .samples = 1);
        uint16_t map[256];
        TIFF *tif = create(&k);
        for (unsigned i = 0; i < 256; i++) {
            map[i] = (uint16_t)(i ? i : most);
        }
        TIFFSetField(tif, TIFFTAG_COLORMAP, map, map, map);
        write_samples(&k, tif);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        const satf_view *view = satf_image_view(image);
        for (uint32_t x = 0; x < view->width; x++) {
            unsigned at = (unsigned)sample(&k, x, 0, 0) & 255, got = ((uint8_t *)view->data)[3 * x];
            assert_int_equal(got, most == 255 ? (at ? at : 255) : at == 0);
        }
    }
}

TEST_FILE(.formats = "all")
