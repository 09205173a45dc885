/* The suffixes of PNM: each writes the kind that it names, or says which would do. */
#include "test.h"
#include "test_io_files.h"

/* A picture of 3 x 2 whose samples are these, in turn. */
static satf_image *make(satf_context *ctx, int channels, unsigned flags, const char *samples)
{
    satf_image *image = make_image(ctx, 3, 2, channels, SATF_U8, flags, 1);
    size_t n = strlen(samples);
    for (size_t i = 0; i < (size_t)channels * 6; i++) {
        ((char *)image->view.data)[i] = samples[i % n];
    }
    return image;
}

/* The file that name's suffix, or the format, gives; "" and a message if it is refused. */
static bytes write_as(satf_context *ctx, const satf_image *image, const char *name,
                      const char *format)
{
    satf_write_options options = satf_write_defaults();
    options.format = format;
    bytes file = bytes_of(NULL, 4096);
    file.n = 0;
    ctx->message[0] = 0;
    if (satf_image_write(ctx, image, name, &options) == SATF_OK) {
        FILE *in = fopen(name, "rb");
        assert_non_null(in);
        file.n = fread(file.data, 1, 4096, in);
        fclose(in);
        unlink(name);
    }
    return file;
}

static void expect_file(satf_context *ctx, const satf_image *image, const char *name,
                        const char *format, const char *want, size_t n)
{
    SCOPED_BYTES file = write_as(ctx, image, name, format);
    if (file.n != n || memcmp(file.data, want, n) != 0) {
        fail_msg("%s, format %s: %zu bytes, \"%.60s\" %s", name, format ? format : "by suffix",
                 file.n, (char *)file.data, satf_message(ctx));
    }
}

static void refuse(satf_context *ctx, const satf_image *image, const char *name,
                   const char *in_message)
{
    SCOPED_BYTES file = write_as(ctx, image, name, NULL);
    if (file.n > 0 || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s: %zu bytes, \"%s\"", name, file.n, satf_message(ctx));
    }
}

#define EXPECT(image, name, format, want) \
    expect_file(ctx, image, name, format, want, sizeof want - 1)

TEST(kinds)
{
    SCOPED_IMAGE *grey = make(ctx, 1, 0, "abc"), *rgb = make(ctx, 3, 0, "abcdef"),
                 *opaque = make(ctx, 2, SATF_ALPHA, "a\xff"),
                 *clear = make(ctx, 2, SATF_ALPHA, "ab"),
                 *rgba = make(ctx, 4, SATF_ALPHA, "abc\xff"), *plain = make(ctx, 2, 0, "ab");

    EXPECT(grey, "x.pgm", NULL, "P5\n3 2\n255\nabcabc");
    EXPECT(grey, "x.PGM", NULL, "P5\n3 2\n255\nabcabc");
    EXPECT(grey, "x.pnm", NULL, "P5\n3 2\n255\nabcabc");
    EXPECT(grey, "x.ppm", NULL, "P6\n3 2\n255\naaabbbcccaaabbbccc");
    EXPECT(grey, "x.pam", NULL,
           "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\nabcabc");
    EXPECT(rgb, "x.ppm", NULL, "P6\n3 2\n255\nabcdefabcdefabcdef");
    EXPECT(rgb, "x.pnm", NULL, "P6\n3 2\n255\nabcdefabcdefabcdef");
    EXPECT(rgb, "x.pam", NULL,
           "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\nabcdefabcdefabcdef");
    EXPECT(opaque, "x.pgm", NULL, "P5\n3 2\n255\naaaaaa");
    EXPECT(opaque, "x.ppm", NULL, "P6\n3 2\n255\naaaaaaaaaaaaaaaaaa");
    EXPECT(rgba, "x.ppm", NULL, "P6\n3 2\n255\nabcabcabcabcabcabc");
    EXPECT(plain, "x.pam", NULL,
           "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nENDHDR\nabababababab");
    refuse(ctx, rgb, "x.pgm", "the picture has colours, which pgm cannot hold; write .ppm");
    refuse(ctx, rgba, "x.pgm", "write .ppm");
    refuse(ctx, clear, "x.pgm", "transparent in places, which pgm cannot hold; write PNG, PAM");
    refuse(ctx, clear, "x.ppm", "which ppm cannot hold");
    refuse(ctx, plain, "x.pgm", "pgm cannot hold 2 channels; write .pam");

    /* the word in place of the suffix */
    EXPECT(grey, "x.png", "pgm", "P5\n3 2\n255\nabcabc");
    EXPECT(grey, "x.pgm", "PPM", "P6\n3 2\n255\naaabbbcccaaabbbccc");
    EXPECT(rgb, "x.pgm", "pnm", "P6\n3 2\n255\nabcdefabcdefabcdef");
}

TEST(bits)
{
    SCOPED_IMAGE *two = make(ctx, 1, 0, "\xff\1\xff\xff\1");
    unsigned char *samples = two->view.data;
    samples[1] = samples[4] = 0; /* black is the bit 1 */
    EXPECT(two, "x.pbm", NULL, "P4\n3 2\n\x40\x40");
    SCOPED_BYTES file = write_as(ctx, two, "x.pbm", NULL);
    must_hold(ctx, "PBM", &file, &two->view);

    two->hi = 1; /* a maxval of 1 */
    for (int i = 0; i < 6; i++) {
        samples[i] = samples[i] ? 1 : 0;
    }
    EXPECT(two, "x.pbm", NULL, "P4\n3 2\n\x40\x40");
    two->hi = 2;
    refuse(ctx, two, "x.pbm", "pbm holds black and white alone; write .pgm");

    /* no sample above the maxval, which readers refuse */
    SCOPED_IMAGE *over = make_image(ctx, 3, 1, 1, SATF_U16, 0, 1);
    uint16_t deep[] = {4095, 5000, 7};
    memcpy(over->view.data, deep, sizeof deep);
    over->hi = 4095;
    EXPECT(over, "x.pgm", NULL, "P5\n3 1\n4095\n\x0f\xff\x0f\xff\x00\x07");

    SCOPED_IMAGE *rgb = make(ctx, 3, 0, "\xff");
    refuse(ctx, rgb, "x.pbm", "write .pgm, or .ppm if it has colours");

    /* more than a byte a row, of 16 bits */
    SCOPED_IMAGE *wide = make_image(ctx, 19, 1, 1, SATF_U16, 0, 1);
    for (int x = 0; x < 19; x++) {
        ((uint16_t *)wide->view.data)[x] = x % 3 ? UINT16_MAX : 0;
    }
    EXPECT(wide, "x.pbm", NULL, "P4\n19 1\n\x92\x49\x20");
}

/* Grey that becomes RGB while its samples change, in rows of many blocks. */
TEST(spread)
{
    SCOPED_IMAGE *image = make_image(ctx, 1000, 3, 1, SATF_F64, 0, 1);
    double *samples = image->view.data;
    for (int i = 0; i < 3000; i++) {
        samples[i] = i;
    }
    for (int type = SATF_U8; type <= SATF_U16; type++) {
        satf_write_options options = options_for("ppm");
        options.type = type;
        options.has_range = 1;
        options.hi = type == SATF_U8 ? 255 : 65535;
        SCOPED_BYTES file = must_encode_with(ctx, image, &options);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        assert_int_equal(read->view.channels, 3);
        for (int i = 0; i < 9000; i++) {
            int want = i / 3 < options.hi ? i / 3 : (int)options.hi;
            assert_int_equal(type == SATF_U8 ? ((uint8_t *)read->view.data)[i]
                                             : ((uint16_t *)read->view.data)[i],
                             want);
        }
    }
}

/* Ink becomes light by the formula of JPEG's CMYK, at any maxval; alpha stays. */
TEST(cmyk)
{
    static const unsigned maxvals[] = {255, 100, 1, 65535, 4095};
    for (size_t i = 0; i < 2 * ROWS_OF(maxvals); i++) {
        enum { WIDTH = 50, HEIGHT = 3 };
        unsigned max = maxvals[i / 2];
        bool alpha = i % 2;
        size_t sample = max > 255 ? 2 : 1, depth = alpha ? 5 : 4, out = depth - 1;
        unsigned ink[WIDTH * HEIGHT * 5];
        unsigned char file[2000];
        uint64_t seed = i + 1;
        size_t n = (size_t)sprintf((char *)file,
                                   "P7\nWIDTH 50\nHEIGHT 3\nDEPTH %zu\nMAXVAL %u\nTUPLTYPE CMYK%s\n"
                                   "ENDHDR\n",
                                   depth, max, alpha ? "_ALPHA" : "");
        for (size_t s = 0; s < WIDTH * HEIGHT * depth; s++) {
            ink[s] = s < 5 ? 0 : s < 10 ? max : (unsigned)(next_random(&seed) % (max + 1));
            store_big(file + n, ink[s], (int)sample);
            n += sample;
        }
        SCOPED_READER *reader;
        MUST(ctx, io_open_memory(ctx, file, n, &reader));
        assert_true(reader->header.was_cmyk);
        SCOPED_IMAGE *image = must_decode(ctx, file, n);
        const satf_view *v = &image->view;
        assert_int_equal(v->channels, out);
        assert_int_equal(v->flags, alpha ? SATF_ALPHA : 0);
        assert_int_equal(v->type, sample == 1 ? SATF_U8 : SATF_U16);
        for (size_t s = 0; s < WIDTH * HEIGHT * out; s++) {
            const unsigned *from = ink + s / out * depth;
            double light = (double)(max - from[s % out]) * (max - from[3]) / max;
            unsigned want = s % out == 3 ? from[4] : (unsigned)floor(light + 0.5);
            unsigned is = sample == 1 ? ((uint8_t *)v->data)[s] : ((uint16_t *)v->data)[s];
            if (is != want) {
                fail_msg("maxval %u, alpha %d, sample %zu: %u, not %u", max, alpha, s, is, want);
            }
        }
    }
}

TEST(cmyk_refusals)
{
#define PAM(depth, tuple) \
    DATA("P7\nWIDTH 1\nHEIGHT 1\nDEPTH " depth "\nMAXVAL 255\nTUPLTYPE " tuple "\nENDHDR\nabcde")
    expect_decode(ctx, "3", PAM("3", "CMYK"), SATF_DATA, "damaged: CMYK in 3 channels");
    expect_decode(ctx, "5", PAM("5", "CMYK"), SATF_DATA, "damaged: CMYK in 5 channels");
    expect_decode(ctx, "4", PAM("4", "CMYK_ALPHA"), SATF_DATA, "damaged: CMYK in 4 channels");
    expect_decode(ctx, "RGB", PAM("5", "RGB"), SATF_UNSUPPORTED, "depth 5");
}

TEST_FILE(.formats = "all", .folder = true)
