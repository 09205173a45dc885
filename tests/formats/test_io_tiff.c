/* TIFFs of every layout that libtiff writes, beside what their samples mean by TIFF 6.0. */
#include "test.h"
#include "pairs.h"
#include "test_io_metadata.h"
#include "tiff_files.h"

/* ------------------------------------------------------------------- meanings */

static satf_type type_of(const kind *k)
{
    bool has_sign = k->format == SAMPLEFORMAT_INT;
    return k->format == SAMPLEFORMAT_IEEEFP ? (k->bits == 16   ? SATF_F16
                                               : k->bits == 32 ? SATF_F32
                                                               : SATF_F64)
           : k->bits <= 8                   ? (has_sign ? SATF_I8 : SATF_U8)
           : k->bits <= 16                  ? (has_sign ? SATF_I16 : SATF_U16)
           : k->bits <= 32                  ? (has_sign ? SATF_I32 : SATF_U32)
                                            : (has_sign ? SATF_I64 : SATF_U64);
}

static double half(uint64_t bits)
{
    double sign = bits & 0x8000 ? -1 : 1, m = (double)(bits & 0x3ff);
    int e = (int)(bits >> 10 & 31);
    return sign * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

/* Sample s of a pixel as a number. */
static long double value(const kind *k, uint32_t x, uint32_t y, unsigned s)
{
    uint64_t bits = sample(k, x, y, s);
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    long double modulus = ldexpl(1, (int)k->bits);
    return k->format == SAMPLEFORMAT_UINT ? (long double)bits
           : k->format == SAMPLEFORMAT_INT
               ? (long double)bits - (bits >> (k->bits - 1) ? modulus : 0)
           : k->bits == 16 ? half(bits)
           : k->bits == 32 ? (long double)f
                           : (long double)d;
}

/* Of integers: a sample before it was multiplied by alpha. */
static long double divided(long double v, long double a, long double max)
{
    return a == 0 ? 0 : v >= a ? max : floorl((v * max + floorl(a / 2)) / a);
}

static unsigned colours_of(const kind *k)
{
    return k->photometric <= PHOTOMETRIC_MINISBLACK ? 1 : 3;
}

/* Channel c of the picture, of which colours come first: what TIFF 6.0 says. */
static long double meaning(const void *user, uint32_t x, uint32_t y, unsigned c)
{
    const kind *k = user;
    unsigned colours = colours_of(k);
    bool floats = k->format != SAMPLEFORMAT_UINT;
    long double max = floats ? 1 : k->bits <= 8 ? 255 : ldexpl(1, (int)k->bits) - 1;
    long double scale = floats || k->bits > 8 ? 1 : 255 / (ldexpl(1, (int)k->bits) - 1);
    unsigned inks = k->photometric == PHOTOMETRIC_SEPARATED ? 4 : colours;
    inks = k->photometric == PHOTOMETRIC_PALETTE ? 1 : inks;
    bool alpha = c == colours;
    long double v = value(k, x, y, alpha ? inks : inks == 1 ? 0 : c);
    if (alpha) {
        return scale == 1 ? v : floorl(v * scale + 0.5L);
    }
    bool multiplied = k->extra == EXTRASAMPLE_ASSOCALPHA;
    long double a = multiplied ? value(k, x, y, inks) * scale : 0;
    if (k->photometric == PHOTOMETRIC_PALETTE) {
        return ramp((unsigned)v, c) / 257;
    }
    v = scale == 1 ? v : floorl(v * scale + 0.5L);
    v = multiplied ? divided(v, floorl(a + 0.5L), max) : v;
    if (k->photometric == PHOTOMETRIC_MINISWHITE) {
        v = max - v;
    } else if (k->photometric == PHOTOMETRIC_SEPARATED) {
        long double key = floorl(value(k, x, y, 3) * scale + 0.5L); /* at most 16 bits */
        key = multiplied ? divided(key, floorl(a + 0.5L), max) : key;
        v = floorl((max - v) * (max - key) / max + 0.5L);
    }
    return v;
}

static bool has_alpha(const kind *k)
{
    return k->extra == EXTRASAMPLE_ASSOCALPHA || k->extra == EXTRASAMPLE_UNASSALPHA ||
           (k->extra < 0 && k->photometric == PHOTOMETRIC_RGB && k->samples == 4);
}

/* The file is of that kind. */
static void compare(satf_context *ctx, const kind *k)
{
    bool alpha = has_alpha(k);
    expect_samples(ctx, name_of(k), view_like(k, (int)colours_of(k) + alpha, type_of(k), alpha),
                   meaning, k, 0);
}

static void try_kind(satf_context *ctx, kind k)
{
    make_file(&k);
    compare(ctx, &k);
}

static const unsigned widths[] = {1, 2, 3, 4, 5, 7, 8, 10, 12, 14, 16, 17, 21, 24, 31, 32, 64};

static bool has_width(unsigned format, unsigned bits)
{
    return format == SAMPLEFORMAT_INT      ? bits == 8 || bits == 16 || bits == 32 || bits == 64
           : format == SAMPLEFORMAT_IEEEFP ? bits == 16 || bits == 32 || bits == 64
                                           : true;
}

/* Every size of samples in every layout, by every compression without loss: any two of them meet.
 * CHECK_FULL=1 tries all of each. */
TEST(layouts)
{
    static const unsigned compressions[] = {COMPRESSION_NONE,          COMPRESSION_LZW,
                                            COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS,
                                            COMPRESSION_ZSTD,          COMPRESSION_LZMA};
    static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};
    static const unsigned formats[] = {SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT, SAMPLEFORMAT_IEEEFP};
    static pairs met;
    unsigned tried = 0;
    for (unsigned n = 0; n < 3 * COUNT(widths) * 6 * 4 * 2 * 2 * 2; n++) {
        /* neighbours differ in most of them, so that few cases have all pairs */
        unsigned i = n % 192, b = n / 192, c = i % 6, mode = (i + b) % 4, tiled = i / 24 % 2,
                 planes = i / 48 % 2, rgb = i / 96;
        if (!has_width(formats[b % 3], widths[b / 3]) ||
            !TIFFIsCODECConfigured((uint16_t)compressions[c])) {
            continue;
        }
        tried++;
        if (PAIRS_ONLY(&met, (int)b, (int)c, (int)mode, (int)tiled, (int)planes, (int)rgb)) {
            try_kind(ctx,
                     KIND(.bits = widths[b / 3], .format = formats[b % 3],
                          .photometric = rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK,
                          .samples = rgb ? 3 : 1,
                          .planar = rgb && planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG,
                          .compression = compressions[c],
                          .order = i % 5 == 0 ? FILLORDER_LSB2MSB : FILLORDER_MSB2LSB,
                          .tiled = tiled, .mode = modes[mode], .width = 21 + i % 13,
                          .height = 19 + i % 3, .rows = (i / 6 + i) % 2 ? 7 : 40));
        }
    }
    assert_true(tried > 2000);
}

TEST(colours)
{
    static const struct {
        unsigned photometric, samples;
        int extra;
        unsigned most; /* bits */
    } models[] = {{PHOTOMETRIC_MINISWHITE, 1, -1, 64},
                  {PHOTOMETRIC_MINISWHITE, 2, EXTRASAMPLE_UNASSALPHA, 64},
                  {PHOTOMETRIC_MINISBLACK, 2, EXTRASAMPLE_UNASSALPHA, 64},
                  {PHOTOMETRIC_MINISBLACK, 2, EXTRASAMPLE_UNSPECIFIED, 64},
                  {PHOTOMETRIC_RGB, 4, EXTRASAMPLE_UNASSALPHA, 64},
                  {PHOTOMETRIC_RGB, 4, EXTRASAMPLE_UNSPECIFIED, 64},
                  {PHOTOMETRIC_RGB, 4, EXTRASAMPLE_ASSOCALPHA, 16},
                  {PHOTOMETRIC_RGB, 4, -1, 64},
                  {PHOTOMETRIC_RGB, 5, -1, 64},
                  {PHOTOMETRIC_MINISBLACK, 2, -1, 64},
                  {PHOTOMETRIC_MINISWHITE, 2, EXTRASAMPLE_ASSOCALPHA, 16},
                  {PHOTOMETRIC_SEPARATED, 5, EXTRASAMPLE_ASSOCALPHA, 16},
                  {PHOTOMETRIC_PALETTE, 1, -1, 8},
                  {PHOTOMETRIC_PALETTE, 2, EXTRASAMPLE_UNASSALPHA, 8},
                  {PHOTOMETRIC_SEPARATED, 4, -1, 16},
                  {PHOTOMETRIC_SEPARATED, 5, EXTRASAMPLE_UNASSALPHA, 16}};
    for (size_t m = 0; m < COUNT(models); m++) {
        for (size_t b = 0; b < COUNT(widths) && widths[b] <= models[m].most; b++) {
            for (unsigned i = 0; i < 8; i++) {
                try_kind(ctx, KIND(.bits = widths[b], .photometric = models[m].photometric,
                                   .samples = models[m].samples, .extra = models[m].extra,
                                   .planar = i & 1 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG,
                                   .compression = i & 2 ? COMPRESSION_LZW : COMPRESSION_NONE,
                                   .tiled = i & 4, .mode = m % 2 ? "wl" : "wb", .width = 37,
                                   .height = 18, .rows = 5));
            }
        }
    }
}

/* Bilevel pages by every coding of faxes; without a tag of their colour they are black on white. */
TEST(faxes)
{
    static const unsigned codings[] = {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,
                                       COMPRESSION_CCITTFAX4};
    for (unsigned i = 0; i < 12; i++) {
        kind k =
            KIND(.bits = 1, .samples = 1, .width = 203, .height = 50,
                 .photometric = i & 1 ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK,
                 .compression = codings[i % 3], .mode = i & 4 ? "wb" : "wl",
                 .order = i & 2 ? FILLORDER_LSB2MSB : FILLORDER_MSB2LSB, .rows = i & 8 ? 50 : 9);
        try_kind(ctx, k);
        if (k.photometric == PHOTOMETRIC_MINISWHITE) {
            kind untold = k;
            untold.photometric = NO_PHOTOMETRIC;
            make_file(&untold);
            compare(ctx, &k);
        }
    }
}

/* A strip too large to be held, of more than a MiB, is decoded row by row. */
TEST(long_strips)
{
    try_kind(ctx, KIND(GREY, .bits = 16, .compression = COMPRESSION_ADOBE_DEFLATE, .mode = "wb",
                       .width = 617, .height = 1000, .rows = 900));
    try_kind(ctx, KIND(GREY, .width = 1234, .height = 900, .rows = 900));
}

static long double smooth(const void *user, uint32_t x, uint32_t y, unsigned c)
{
    (void)user;
    return c == 0 ? 4 * x + 20 : c == 1 ? 5 * y : 250 - 2 * x - 2 * y;
}

/* A smooth picture as JPEG, whose colours libtiff makes RGB of YCbCr, is what it was, by and large.
 */
TEST(jpeg)
{
    enum { SIDE = 48 };
    for (unsigned tiled = 0; tiled < 2; tiled++) {
        const kind k = KIND(.width = SIDE, .height = SIDE, .rows = 16, .tiled = tiled,
                            .compression = COMPRESSION_JPEG, .photometric = PHOTOMETRIC_YCBCR);
        TIFF *tif = create(&k);
        TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        TIFFSetField(tif, TIFFTAG_JPEGQUALITY, 95);
        uint32_t side = tiled ? TILE : SIDE, rows = tiled ? TILE : 1, part = 0;
        for (uint32_t y = 0; y < SIDE; y += rows) {
            for (uint32_t x = 0; x < SIDE; x += side, part++) {
                unsigned char room[TILE * TILE * 3];
                for (uint32_t s = 0; s < 3 * side * rows; s++) {
                    room[s] =
                        (unsigned char)smooth(NULL, x + s / 3 % side, y + s / 3 / side, s % 3);
                }
                assert_true(tiled ? TIFFWriteEncodedTile(tif, part, room, sizeof room) > 0
                                  : TIFFWriteScanline(tif, room, y, 0) == 1);
            }
        }
        finish(tif);
        expect_samples(ctx, name_of(&k), view_like(&k, 3, SATF_U8, false), smooth, NULL, 12);
    }
}

/* Colours that have been multiplied by their alpha, and the floats of such files. */
TEST(premultiplied)
{
    static const uint16_t wide[] = {40000, 20000, 0, 50000, 60000, 7, 1, 65535, 3, 2, 1, 0};
    static const uint16_t wants[] = {52428, 26214, 0, 50000, 60000, 7, 1, 65535, 0, 0, 0, 0};
    static const float real[] = {0.5f, 0.25f, 4, 0.5f, 1, 2, 3, 0, 8, 2, 1, 2};
    static const float reals[] = {1, 0.5f, 8, 0.5f, 0, 0, 0, 0, 4, 1, 0.5f, 2};
    for (int floats = 0; floats < 2; floats++) {
        const kind k = KIND(.bits = floats ? 32 : 16, .samples = 4, .mode = "w", /* as it lies */
                            .format = floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT,
                            .compression = COMPRESSION_NONE, .extra = EXTRASAMPLE_ASSOCALPHA,
                            .width = 3, .height = 1);
        make_strip(&k, floats ? (const void *)real : wide, floats ? sizeof real : sizeof wide);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->view.flags, SATF_ALPHA);
        assert_memory_equal(image->view.data, floats ? (const void *)reals : wants,
                            floats ? sizeof reals : sizeof wants);
    }
}

/* What the tags say travels; what does not is told of. */
TEST(metadata)
{
    static const char icc[] = "a profile of 16 RGB ", xmp[] = "<x:xmpmeta/>",
                      resources[] = "8BIM and more";
    static const uint32_t bare[] = {0x0050021c, 0x00000141}; /* 1c 02 50 00 41 01 00 00 */
    for (int i = 0; i < 2; i++) {
        TIFF *tif = create(&KIND(.mode = i ? "wb" : "wl"));
        TIFFSetField(tif, TIFFTAG_ICCPROFILE, (uint32_t)sizeof icc, icc);
        TIFFSetField(tif, TIFFTAG_XMLPACKET, (uint32_t)sizeof xmp, xmp);
        if (i) {
            TIFFSetField(tif, TIFFTAG_PHOTOSHOP, (uint32_t)sizeof resources, resources);
        } else {
            const TIFFField *field = TIFFFieldWithTag(tif, TIFFTAG_RICHTIFFIPTC);
            uint32_t width = (uint32_t)TIFFDataWidth(TIFFFieldDataType(field));
            TIFFSetField(tif, TIFFTAG_RICHTIFFIPTC, (uint32_t)sizeof bare / width, bare);
        }
        TIFFSetField(tif, TIFFTAG_RESOLUTIONUNIT, i ? RESUNIT_CENTIMETER : RESUNIT_INCH);
        TIFFSetField(tif, TIFFTAG_XRESOLUTION, 254.0);
        TIFFSetField(tif, TIFFTAG_YRESOLUTION, 127.0);
        TIFFSetField(tif, TIFFTAG_ORIENTATION, 6);
        TIFFSetField(tif, TIFFTAG_IMAGEDESCRIPTION, "a lake");
        TIFFSetField(tif, TIFFTAG_PAGENAME, "7");
        write_samples(&plain, tif);
        SCOPED_READER *reader = open_bytes(ctx, &(bytes){file.data, file.n});
        const satf_metadata *m = &reader->header.metadata;
        static const char wrapped[] = "8BIM\4\4\0\0\0\0\0\10\x1c\2\x50\0\x41\1\0";
        assert_block("ICC", m->icc, m->icc_bytes, icc, sizeof icc);
        assert_block("XMP", m->xmp, m->xmp_bytes, xmp, sizeof xmp);
        assert_block("IPTC", m->iptc, m->iptc_bytes, i ? resources : wrapped,
                     i ? sizeof resources : sizeof wrapped);
        assert_true(m->has_resolution && m->resolution_unit == 1);
        assert_true(fabs(m->resolution_x - (i ? 25400 : 10000)) < 1e-6);
        assert_true(fabs(m->resolution_y - (i ? 12700 : 5000)) < 1e-6);
        assert_int_equal(satf_exif_orientation(m->exif, m->exif_bytes), 6);
        assert_string_equal(reader->header.text, "");
        assert_string_equal(reader->header.others, "");
        assert_int_equal(reader->header.pictures, 1);
    }
}

/* What is not read says what it is. */
TEST(refusals)
{
    static const struct {
        unsigned bits, format, photometric, samples, compression; /* claimed, unless 0 */
        satf_status status;
        const char *words;
    } odd[] = {
        {24, SAMPLEFORMAT_INT, 1, 1, 0, SATF_UNSUPPORTED, "signed integers of 24 bits"},
        {16, SAMPLEFORMAT_INT, 0, 1, 0, SATF_UNSUPPORTED, "signed integers of which 0 is white"},
        {64, SAMPLEFORMAT_COMPLEXIEEEFP, 1, 1, 0, SATF_UNSUPPORTED, "complex numbers"},
        {40, SAMPLEFORMAT_UINT, 1, 1, 0, SATF_UNSUPPORTED, "integers of 40 bits"},
        {32, SAMPLEFORMAT_IEEEFP, 0, 1, 0, SATF_UNSUPPORTED, "floats of which 0 is white"},
        {8, SAMPLEFORMAT_UINT, PHOTOMETRIC_ITULAB, 3, 0, SATF_UNSUPPORTED, "Lab colours (ITULAB)"},
        {16, SAMPLEFORMAT_UINT, PHOTOMETRIC_YCBCR, 3, 0, SATF_UNSUPPORTED,
         "YCbCr of other than three samples of 8 bits"},
        {16, SAMPLEFORMAT_UINT, PHOTOMETRIC_CFA, 1, 0, SATF_UNSUPPORTED, "raw samples"},
        {9, SAMPLEFORMAT_UINT, PHOTOMETRIC_PALETTE, 1, 0, SATF_UNSUPPORTED,
         "more than 256 colours"},
        {1, SAMPLEFORMAT_UINT, 1, 1, 34661, SATF_UNSUPPORTED, "compression 34661"},
        {8, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB, 2, 0, SATF_DATA,
         "2 samples a pixel, its colours take 3"},
    };
    for (size_t i = 0; i < COUNT(odd); i++) {
        const kind k =
            KIND(.bits = odd[i].bits, .format = odd[i].format, .photometric = odd[i].photometric,
                 .samples = odd[i].samples, .compression = COMPRESSION_NONE);
        make_file(&k);
        if (odd[i].compression) {
            claim(TIFFTAG_COMPRESSION, (uint16_t)odd[i].compression);
        }
        must_refuse(ctx, odd[i].status, odd[i].words);
    }
}

/* A tile takes memory before its pixels come: more than the picture, for a file of few bytes. */
TEST(vast_tiles)
{
    static const char *const words[] = {"16 x 1073741824", "1073741824 x 1073741824"};
    make_file(&KIND(.tiled = true));
    for (int both = 0; both < 2; both++) {
        unsigned char *entry = find_tag(both ? TIFFTAG_TILEWIDTH : TIFFTAG_TILELENGTH);
        memcpy(entry + 2, "\4\0\1\0\0\0\0\0\0\x40", 10); /* 2^30, a LONG */
        must_refuse(ctx, SATF_DATA, words[both]);
    }
}

/* Few bytes that claim to be many: what counts is every sample of a pixel. */
TEST(claims)
{
    enum { SIDE = 3000 };
    make_file(&KIND(.compression = COMPRESSION_ADOBE_DEFLATE, .rows = 30));
    claim(TIFFTAG_IMAGEWIDTH, SIDE);
    claim(TIFFTAG_IMAGELENGTH, SIDE);
    for (int times = 2; times <= 4; times += 2) { /* three samples */
        int64_t ratio = (int64_t)times * SIDE * SIDE / (int64_t)file.n;
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_RATIO, ratio));
        must_refuse(ctx, times < 3 ? SATF_LIMIT : SATF_DATA, times < 3 ? "limit: max-ratio" : "");
    }
}

/* Strips may not share bytes so many times that reading has no end. */
TEST(overlapping)
{
    enum { STRIPS = 5000 };
    make_file(&KIND(.height = STRIPS, .rows = 1, .compression = COMPRESSION_PACKBITS));
    const unsigned char *entry = find_tag(TIFFTAG_STRIPBYTECOUNTS);
    uint32_t table;
    memcpy(&table, entry + 8, sizeof table);
    for (size_t i = 0; i < STRIPS / 2; i++) { /* half of all claim 60,000 bytes */
        memcpy(file.data + table + (entry[2] == SHORT ? 2 : 4) * i, "\x60\xea", 2);
    }
    must_refuse(ctx, SATF_DATA, "overlap");
}

/* Every end and a thousand changed bytes: a sentence or a picture. */
TEST(damage)
{
    static struct memory whole;
    uint64_t seed = 3;
    for (unsigned i = 0; i < 6; i++) {
        static const unsigned compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW,
                                                COMPRESSION_ADOBE_DEFLATE};
        make_file(&KIND(.compression = compressions[i % 3], .tiled = i >= 3));
        whole = file;
        for (size_t n = 0; n < whole.n; n += 1 + n / 16) {
            satf_image *image = NULL;
            satf_status status = satf_image_decode(ctx, whole.data, n, &image);
            assert_true(status == SATF_DATA || status == SATF_UNSUPPORTED);
            assert_null(image);
        }
        for (int change = 0; change < 300; change++) {
            file = whole;
            for (int c = 0; c < 1 + change % 3; c++) {
                file.data[next_random(&seed) % file.n] = (unsigned char)next_random(&seed);
            }
            SCOPED_IMAGE *image = NULL;
            satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
            assert_true(status == SATF_OK || status == SATF_DATA || status == SATF_UNSUPPORTED ||
                        status == SATF_LIMIT);
            assert_true(!status || satf_message(ctx)[0]);
        }
    }
}

TEST_FILE(.formats = "all")
