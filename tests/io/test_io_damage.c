/* Damaged, truncated and lying files: an error and a message, never a crash, leak or wrong pixel.
 */
#include "test.h"
#include "test_io_jpeg.h"
#include "test_io_metadata.h"
#include "test_png_files.h"

/* Decodes; SATF_OK demands the same pixels as want, or any if want is NULL. */
static satf_status try_decode(satf_context *ctx, const char *what, const void *data, size_t n,
                              const satf_view *want)
{
    SCOPED_IMAGE *image;
    satf_status status = decode_exactly(ctx, data, n, &image);
    if (!status && want) {
        assert_same_pixels(what, want, satf_image_view(image));
    }
    return status;
}

/* Every proper prefix must fail. */
static void truncate_everywhere(satf_context *ctx, const char *name, const bytes *file)
{
    SCOPED_IMAGE *whole = must_decode(ctx, file->data, file->n);
    for (size_t n = 0; n < file->n; n++) {
        char what[64];
        snprintf(what, sizeof what, "%s cut to %zu of %zu bytes", name, n, file->n);
        satf_status status = try_decode(ctx, what, file->data, n, &whole->view);
        if (status != SATF_DATA) {
            fail_msg("%s: %s", what, status ? satf_message(ctx) : "was read");
        }
    }
}

/* Every bit that is so many behind another is another one; summed: checksums tell it. */
static void flip_everywhere(satf_context *ctx, const char *name, const bytes *file, bool summed,
                            size_t step)
{
    for (size_t bit = 0; bit < 8 * file->n; bit += step) {
        char what[64];
        snprintf(what, sizeof what, "%s with bit %zu of byte %zu flipped", name, bit % 8, bit / 8);
        file->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!try_decode(ctx, what, file->data, file->n, NULL) && summed) {
            fail_msg("%s was read", what);
        }
        file->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* A lie must not cost seconds. */
static void set_limits(satf_context *ctx)
{
    satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 1 << 20);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 26);
}

/* ------------------------------------------------------- files of our own */

TEST(test_written_formats)
{
    static const struct {
        const char *format;
        satf_type type;
        int channels;
        unsigned flags;
        bool summed;
    } cases[] = {
        {"png", SATF_U8, 3, 0, true},           {"png", SATF_U16, 2, SATF_ALPHA, true},
        {"jpeg", SATF_U8, 3, 0, false},         {"jpeg", SATF_U8, 1, 0, false},
        {"pnm", SATF_U8, 3, 0, false},          {"pnm", SATF_U16, 1, 0, false},
        {"pnm", SATF_U8, 4, SATF_ALPHA, false}, {"pfm", SATF_F32, 1, 0, false},
        {"pfm", SATF_F32, 3, 0, false},         {"npy", SATF_F64, 1, 0, false},
        {"npy", SATF_U16, 3, 0, false},
    };
    set_limits(ctx);
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_IMAGE *image =
            make_image(ctx, 7, 5, cases[i].channels, cases[i].type, cases[i].flags, i + 1);
        satf_metadata *m =
            &image->metadata; /* a PNG's damage is an error in its metadata as well */
        m->has_gamma = m->has_resolution = cases[i].summed;
        m->gamma = 0.5;
        m->resolution_x = m->resolution_y = 3000;
        if (cases[i].summed) {
            give(&m->exif, &m->exif_bytes, DATA("MM\0*\0\0\0\x08\0\0\0\0"));
        }
        SCOPED_BYTES file = must_encode(ctx, image, cases[i].format);
        truncate_everywhere(ctx, cases[i].format, &file);
        flip_everywhere(ctx, cases[i].format, &file, cases[i].summed, 1);
    }
}

TEST(test_in_passes)
{
    SCOPED_BYTES png = make_png(&(png_case){0, 8, true, false}), jpeg = make_jpeg(17, 3, true, 0);
    truncate_everywhere(ctx, "interlaced PNG", &png);
    flip_everywhere(ctx, "interlaced PNG", &png, true, 1);
    set_limits(ctx);
    truncate_everywhere(ctx, "progressive JPEG", &jpeg);
    flip_everywhere(ctx, "progressive JPEG", &jpeg, false, 5); /* slow under sanitizers */
}

/* A bit is another one somewhere in the pixels: the picture is what libjpeg makes of it, and called
 * damaged where that warns, or it ends too early. */
TEST(test_wrong_bits)
{
    enum { SIDE = 48, FLIPS = 150 };
    int read = 0, cut = 0;
    for (int i = 0; i < 2 * FLIPS; i++) {
        static unsigned char want[3 * SIDE * SIDE];
        SCOPED_BYTES file = make_jpeg(SIDE, 3, i % 2, 0);
        size_t first = find_text(&file, "\xff\xda", 2) + 14;
        uint64_t seed = (uint64_t)i;
        file.data[first + next_random(&seed) % (file.n - 2 - first)] ^= 1 << next_random(&seed) % 8;
        bool warned = false, whole = read_jpeg(&file, false, want, &warned);
        SCOPED_IMAGE *image;
        satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
        if (!status) {
            if (!whole || image->damaged != warned) {
                fail_msg("flip %d: is read, damaged %d", i, image->damaged);
            }
            assert_memory_equal(image->view.data, want, sizeof want);
            read += warned;
        } else if (whole && !strstr(satf_message(ctx), "premature end of data segment")) {
            fail_msg("flip %d: %s", i, satf_message(ctx));
        }
        cut += status != SATF_OK;
    }
    assert_true(read > 20 && cut > 0);
}

/* ------------------------------------------------------------------ limits */

/* A header that claims much costs nothing. */
TEST(test_claims)
{
    static const struct {
        const char *what, *size;
        satf_status status;
        const char *message;
    } cases[] = {
        {"2^31 x 2^31", "\x80\0\0\0\x80\0\0\0", SATF_LIMIT, "limit: max-pixels"},
        {"2^31 - 1", "\x7f\xff\xff\xff\x7f\xff\xff\xff", SATF_LIMIT, "limit: max-pixels"},
        {"width 0", "\0\0\0\0\0\0\0\1", SATF_DATA, "0 x 1"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_BYTES file = random_file(ctx, "png", 1, 3);
        memcpy(file.data + 16, cases[i].size, 8);
        expect_decode(ctx, cases[i].what, file.data, file.n, cases[i].status, cases[i].message);
    }
}

TEST(test_refusals)
{
    static const struct {
        const char *what, *text;
        satf_status status;
        const char *message;
    } cases[] = {
        {"text", "hello, world, this is text", SATF_DATA, "not known"},
        {"a PGM's large sample", "P2 2 1 100\n100 101\n", SATF_DATA, "above its maxval"},
        {"a raw PGM's large sample", "P5 2 1 10\n\x0a\x0b", SATF_DATA, "above its maxval"},
        {"maxval 0", "P5 1 1 0\n0", SATF_DATA, "in range"},
        {"maxval 65536", "P5 1 1 65536\n0000", SATF_DATA, "in range"},
        {"width of a word", "P5 x 1 255\n0", SATF_DATA, "in range"},
        {"a bit of 2", "P1 2 1\n0 2\n", SATF_DATA, "neither 0 nor 1"},
        {"PAM of 5 channels", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n12345",
         SATF_UNSUPPORTED, "depth 5"},
        {"PAM without DEPTH", "P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\n1", SATF_DATA,
         "DEPTH is missing"},
        {"PAM with a foreign line", "P7\nWIDTH 1\nCOLOR 3\nENDHDR\n", SATF_DATA, "unknown header"},
        {"PFM without scale", "Pf 1 1 nan\nabcd", SATF_DATA, "PFM header"},
        {"PGM", "P5 40000 40000 255\n0123456789", SATF_DATA, "truncated"},
        {"PPM of 16 bits", "P6 20000 20000 65535\n0123456789", SATF_DATA, "truncated"},
        {"PBM", "P4 40000 40000\n0123456789", SATF_DATA, "truncated"},
        {"PGM in text", "P2 40000 40000 255\n0123456789", SATF_DATA, "truncated"},
        {"PFM", "PF\n10000 10000\n-1\n0123456789", SATF_DATA, "truncated"},
        {"PAM", "P7\nWIDTH 20000\nHEIGHT 20000\nDEPTH 4\nMAXVAL 255\nENDHDR\n0123456789", SATF_DATA,
         "truncated"},
        {"a wide PGM", "P5 2000000 1 255\n", SATF_LIMIT, "limit: max-memory"},
        {"a huge PPM", "P6 2147483647 2147483647 255\n", SATF_LIMIT, "limit: max-pixels"},
        {"a huge PFM", "PF\n99999 99999\n-1\n", SATF_LIMIT, "limit: max-pixels"},
        {"nothing", "", SATF_DATA, "empty"},
    };
    /* Memory for large pictures is refused: their claims are told before it is asked for. */
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 20);
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        expect_decode(ctx, cases[i].what, cases[i].text, strlen(cases[i].text), cases[i].status,
                      cases[i].message);
    }
}

/* Dictionaries of a type, an order and a shape, or given as a whole. */
TEST(test_npy_refusals)
{
    static const struct {
        const char *descr, *fortran, *shape; /* descr NULL: shape is all of it */
        satf_status status;
        const char *message;
    } cases[] = {
        {"<c8", "False", "(1, 1)", SATF_UNSUPPORTED, "complex"},
        {"|O", "False", "(1, 1)", SATF_UNSUPPORTED, "|O"},
        {"<i3", "False", "(1, 1)", SATF_UNSUPPORTED, "<i3"},
        {"<f16", "False", "(1, 1)", SATF_UNSUPPORTED, "astype"},
        {"<f16", "False", "(1, 1)", SATF_UNSUPPORTED, "\"f8\""},
        {"|u1", "False", "(3, 200, 300)", SATF_UNSUPPORTED,
         "planes of channels, (C, H, W): save numpy.moveaxis"},
        {"|u1", "False", "(40, 200, 300)", SATF_UNSUPPORTED,
         "a stack of pictures, (Z, H, W): say ZYX"},
        {"|u1", "False", "(200, 40, 300)", SATF_UNSUPPORTED, "say ZYX"},
        {"|u1", "False", "(200, 300, 5)", SATF_UNSUPPORTED,
         "5 channels, its last dimension; 1 to 4 are possible"},
        {"<U12", "False", "(1, 1)", SATF_UNSUPPORTED, "<U12"},
        {"<u2", "True", "(3, 2)", SATF_DATA, "trunc"},
        {"<u2", "False", "(4,)", SATF_UNSUPPORTED, "1 dim"},
        {"<u2", "False", "(2, 2, 9, 9)", SATF_DATA, "trunc"},
        {"<u2", "False", "(5, 0)", SATF_DATA, "empty"},
        {"<u2", "False", "(2, 3, 4, 0, 3)", SATF_DATA, "empty"},
        {"<u2", "False", "(1000000, 1, 1, 1)", SATF_DATA, "trunc"},
        {"<u2", "False", "(100000000, 1, 1, 1)", SATF_LIMIT, "pages"},
        {"<u2", "True", "(2, 1, 1, 1)", SATF_UNSUPPORTED, "ascontiguousarray"},
        {"<u2", "False", "(2, 0, 1, 1)", SATF_DATA, "empty"},
        {"<u2", "False", "(9999999999, 9999999999, 9, 9)", SATF_DATA, "no such shape"},
        {"<u2", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", SATF_UNSUPPORTED, "9 dim"},
        {"<u2", "False", "(9, 9, 9)", SATF_UNSUPPORTED, "9 ch"},
        {"<u2", "False", "(0, 1)", SATF_DATA, "empty"},
        {"<u2", "False", "(-1, 1)", SATF_DATA, "damaged"},
        {"<u2", "False", "(9999999999999999999, 1)", SATF_DATA, "damaged"},
        {"<u2", "False", "(999999999999999999, 999999999)", SATF_LIMIT, "limit: max-pixels"},
        {NULL, NULL,
         "{'descr': [('r', '|u1'), ('g]', '|u1', (2,))], 'fortran_order': False, 'shape': (1, 1)}",
         SATF_UNSUPPORTED, "structured"},
        {NULL, NULL, "{'descr': [('r', '|u1'), 'fortran_order': False, 'shape': (1, 1)}", SATF_DATA,
         "damaged"},
        {NULL, NULL, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1), 'x': 1}", SATF_DATA,
         "damaged"},
        {NULL, NULL, "{'descr': '<u2', 'shape': (1, 1)}", SATF_DATA, "damaged"},
        {NULL, NULL, "{'descr': '<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (1, 1)}",
         SATF_DATA, "damaged"},
        {NULL, NULL, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1)} x", SATF_DATA,
         "damaged"},
        {NULL, NULL, "", SATF_DATA, "damaged"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        char file[256] = "\x93NUMPY\1";
        const char *descr = cases[i].descr;
        int n = snprintf(file + 10, sizeof file - 10, "%s%s%s%s%s%s%s", descr ? "{'descr': '" : "",
                         descr ? descr : "", descr ? "', 'fortran_order': " : "",
                         descr ? cases[i].fortran : "", descr ? ", 'shape': " : "", cases[i].shape,
                         descr ? "}" : "");
        file[8] = (char)n;
        expect_decode(ctx, file + 10, file, 10 + (size_t)n + 8, cases[i].status, cases[i].message);
    }
}

TEST_FILE(.formats = "all")
