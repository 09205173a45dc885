/* Damaged, truncated and lying files: an error and a message, never a crash, leak or wrong pixel.
 */
#include "test.h"
#include "test_io_jpeg.h"

#include <png.h>

/* Decodes; SATF_OK demands the same pixels as want, or any if want is NULL. */
static satf_status try_decode(satf_context *ctx, const char *what, const void *data, size_t n,
                              const satf_view *want)
{
    satf_image *image;
    /* an exact copy on the heap, so that the sanitizer sees reads behind the end */
    SCOPED unsigned char *copy = malloc(n ? n : 1);
    memcpy(copy, data, n);
    ctx->message[0] = 0;
    satf_status status = satf_image_decode(ctx, copy, n, &image);
    if (status) {
        assert_null(image);
        if (!satf_message(ctx)[0] || strchr(satf_message(ctx), '\n')) {
            fail_msg("%s: status %s without a one-line message", what, satf_status_name(status));
        }
    } else if (want) {
        assert_same_pixels(what, want, satf_image_view(image));
    }
    satf_image_destroy(image);
    return status;
}

/* Every proper prefix must fail, or be complete as far as pixels go (trailing bytes). */
static void truncate_everywhere(satf_context *ctx, const char *name, const bytes *file,
                                size_t optional_tail)
{
    SCOPED_IMAGE *whole = must_decode(ctx, file->data, file->n);
    for (size_t n = 0; n < file->n; n++) {
        char what[64];
        snprintf(what, sizeof what, "%s cut to %zu of %zu bytes", name, n, file->n);
        satf_status status = try_decode(ctx, what, file->data, n, &whole->view);
        if (!status && n + optional_tail < file->n) {
            fail_msg("%s was read", what);
        }
        if (status && status != SATF_DATA) {
            fail_msg("%s: %s", what, satf_message(ctx));
        }
    }
}

static void flip_everywhere(satf_context *ctx, const char *name, const bytes *file, bool same)
{
    SCOPED_IMAGE *whole = must_decode(ctx, file->data, file->n);
    for (size_t bit = 0; bit < 8 * file->n; bit++) {
        char what[64];
        snprintf(what, sizeof what, "%s with bit %zu of byte %zu flipped", name, bit % 8, bit / 8);
        file->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        try_decode(ctx, what, file->data, file->n, same ? &whole->view : NULL);
        file->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* ------------------------------------------------------- files of our own */

TEST(test_written_formats)
{
    static const struct {
        const char *format;
        satf_type type;
        int channels;
        unsigned flags;
        bool exact_flips;
    } cases[] = {
        {"png", SATF_U8, 3, 0, true},           {"png", SATF_U16, 2, SATF_ALPHA, true},
        {"jpeg", SATF_U8, 3, 0, false},         {"jpeg", SATF_U8, 1, 0, false},
        {"pnm", SATF_U8, 3, 0, false},          {"pnm", SATF_U16, 1, 0, false},
        {"pnm", SATF_U8, 4, SATF_ALPHA, false}, {"pfm", SATF_F32, 1, 0, false},
        {"pfm", SATF_F32, 3, 0, false},         {"npy", SATF_F64, 1, 0, false},
        {"npy", SATF_U16, 3, 0, false},
    };
    satf_context_set_limit(ctx, SATF_MAX_PIXELS, 1 << 20);
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1 << 26); /* a lie must not cost seconds */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_image *image =
            make_image(ctx, 7, 5, cases[i].channels, cases[i].type, cases[i].flags, i + 1);
        bytes file = must_encode(ctx, image, cases[i].format);
        truncate_everywhere(ctx, cases[i].format, &file, 0);
        flip_everywhere(ctx, cases[i].format, &file, cases[i].exact_flips);
        free(file.data);
        satf_image_destroy(image);
    }
}

/* Metadata: its damage is an error as well. */
TEST(test_png_metadata)
{
    SCOPED_IMAGE *image = make_image(ctx, 3, 2, 1, SATF_U8, 0, 5);
    image->metadata.has_gamma = image->metadata.has_resolution = true;
    image->metadata.gamma = 0.5;
    image->metadata.resolution_x = image->metadata.resolution_y = 3000;
    image->metadata.exif = satf_alloc(12);
    memcpy(image->metadata.exif, "MM\0*\0\0\0\x08\0\0\0\0", 12);
    image->metadata.exif_bytes = 12;
    bytes file = must_encode(ctx, image, "png");
    for (size_t byte = 8; byte < file.n; byte++) {
        file.data[byte] ^= 0x10;
        char what[64];
        snprintf(what, sizeof what, "PNG with byte %zu changed", byte);
        if (try_decode(ctx, what, file.data, file.n, NULL) == SATF_OK) {
            fail_msg("%s was read", what);
        }
        file.data[byte] ^= 0x10;
    }
    free(file.data);
}

TEST(test_interlaced_png)
{
    SCOPED char *data = NULL;
    bytes file = {0};
    FILE *out = open_memstream(&data, &file.n);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    unsigned char rows[9][9];
    png_bytep pointers[9];
    uint64_t seed = 3;
    for (int y = 0; y < 9; y++) {
        pointers[y] = rows[y];
        for (int x = 0; x < 9; x++) {
            rows[y][x] = (unsigned char)next_random(&seed);
        }
    }
    png_init_io(png, out);
    png_set_IHDR(png, info, 9, 9, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7, 0, 0);
    png_write_info(png, info);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(out);
    file.data = (unsigned char *)data;
    truncate_everywhere(ctx, "interlaced PNG", &file, 0);
    flip_everywhere(ctx, "interlaced PNG", &file, true);
}

TEST(test_progressive_jpeg)
{
    bytes file = make_jpeg(17, 3, true, 0);
    satf_context_set_limit(ctx, SATF_MAX_PIXELS, 1 << 20);
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1 << 26);
    truncate_everywhere(ctx, "progressive JPEG", &file, 0);
    /* every fifth: they are slow under sanitizers */
    for (size_t bit = 0; bit < 8 * file.n; bit += 5) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        try_decode(ctx, "progressive JPEG", file.data, file.n, NULL);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(file.data);
}

/* ----------------------------------------------------- files by hand bytes */

static const unsigned char bmp[] =
    "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x18\0"
    "\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\x01\x02\x03\x04\x05\x06\0\0\x07\x08\x09\x0a\x0b\x0c\0"; /* + the literal's 0: 70 bytes */
/* Two entries of a palette, and a pixel of number 7. */
static const unsigned char bmp_short[] =
    "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\1\2\3\0\4\5\6\0\1\7\0";
/* One bit a pixel, behind the header of 12 bytes of OS/2. */
static const unsigned char bmp_core[] =
    "BM\0\0\0\0\0\0\0\0\x20\0\0\0\x0c\0\0\0\x02\0\x01\0\x01\0\x01\0"
    "\1\2\3\4\5\6\x40\0\0";
static const unsigned char tga[] = "\0\0\x02\0\0\0\0\0\0\0\0\0\x02\0\x01\0\x18\x20"
                                   "\x01\x02\x03\x04\x05\x06";
static const unsigned char tga_rle[] =
    "\0\0\x0b\0\0\0\0\0\0\0\0\0\x04\0\x01\0\x08\x20\x82\x07\0\x09";
static const unsigned char psd[] =
    "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\10\0\3\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\1\2\3\4\5\6";
/* Alpha 128 and 0; colours blended with white, one of them darker than that could be. */
static const unsigned char psd_alpha[] =
    "8BPS\0\1\0\0\0\0\0\0\0\4\0\0\0\1\0\0\0\2\0\10\0\3\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\310\12\0\0\200\200\200\0";
/* 16 bits, packed: runs, literals, one that ends inside a sample. */
static const unsigned char psd_packed[] =
    "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\20\0\3\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\1\0\2\0\5\0\4\xfd\x12\3\1\2\3\4\xfe\5\0\7";
static const unsigned char hdr[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n"
                                   "\x80\x40\x20\x81\x10\x20\x40\x80";

static const unsigned char hdr_rle[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 8\n\2\2\0\10"
                                       "\x88\x80\x88\x40\x88\x20\x88\x81";

static void check_pixels(satf_context *ctx, const char *name, const bytes *file, satf_type type,
                         int width, int channels, const void *want, size_t want_bytes)
{
    SCOPED_IMAGE *image;
    if (satf_image_decode(ctx, file->data, file->n, &image)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
    assert_int_equal(image->view.type, type);
    assert_int_equal(image->view.width, width);
    assert_int_equal(image->view.channels, channels);
    if (memcmp(image->view.data, want, want_bytes) != 0) {
        fail_msg("%s: wrong pixels", name);
    }
}

TEST(test_stb_formats)
{
    static const unsigned char bmp_want[] = {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4};
    static const unsigned char short_want[] = {6, 5, 4, 0, 0, 0, 3, 2, 1};
    static const unsigned char core_want[] = {3, 2, 1, 6, 5, 4};
    static const unsigned char tga_want[] = {3, 2, 1, 6, 5, 4}, rle_want[] = {7, 7, 7, 9};
    static const unsigned char psd_want[] = {1, 3, 5, 2, 4, 6};
    static const unsigned char psd_alpha_want[] = {145, 0, 2, 128, 10, 0, 128, 0};
    static const uint16_t psd_packed_want[] = {0x1212, 0x0102, 0x0505, 0x1212, 0x0304, 0x0507};
    static const float hdr_want[] = {1.0f, 0.5f, 0.25f, 0.0625f, 0.125f, 0.25f};
    static const struct {
        const char *name;
        const unsigned char *data;
        size_t n, tail; /* bytes at the end that no pixel needs */
        satf_type type;
        int width, channels;
        const void *want;
        size_t want_bytes;
    } cases[] = {
        {"BMP", bmp, sizeof bmp, 2, SATF_U8, 2, 3, bmp_want, sizeof bmp_want},
        {"BMP of few colours", bmp_short, sizeof bmp_short, 1, SATF_U8, 3, 3, short_want,
         sizeof short_want},
        {"BMP of OS/2", bmp_core, sizeof bmp_core, 3, SATF_U8, 2, 3, core_want, sizeof core_want},
        {"TGA", tga, sizeof tga - 1, 0, SATF_U8, 2, 3, tga_want, sizeof tga_want},
        {"RLE TGA", tga_rle, sizeof tga_rle - 1, 0, SATF_U8, 4, 1, rle_want, sizeof rle_want},
        {"PSD", psd, sizeof psd - 1, 0, SATF_U8, 2, 3, psd_want, sizeof psd_want},
        {"PSD with alpha", psd_alpha, sizeof psd_alpha - 1, 0, SATF_U8, 2, 4, psd_alpha_want,
         sizeof psd_alpha_want},
        {"packed PSD", psd_packed, sizeof psd_packed - 1, 0, SATF_U16, 2, 3, psd_packed_want,
         sizeof psd_packed_want},
        {"RLE HDR", hdr_rle, sizeof hdr_rle - 1, 0, SATF_F32, 8, 3, hdr_want, 3 * sizeof(float)},
        {"HDR", hdr, sizeof hdr - 1, 0, SATF_F32, 2, 3, hdr_want, sizeof hdr_want},
    };
    satf_context_set_limit(ctx, SATF_MAX_PIXELS, 1 << 20);
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1 << 26);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes file = {malloc(cases[i].n), cases[i].n};
        memcpy(file.data, cases[i].data, file.n);
        check_pixels(ctx, cases[i].name, &file, cases[i].type, cases[i].width, cases[i].channels,
                     cases[i].want, cases[i].want_bytes);
        truncate_everywhere(ctx, cases[i].name, &file, cases[i].tail);
        flip_everywhere(ctx, cases[i].name, &file, false);
        free(file.data);
    }
}

/* What libjpeg itself makes of the file's pixels, and whether it warns; false: it gives up. */
static jmp_buf peer_failed;

static void give_up(j_common_ptr cinfo)
{
    (void)cinfo;
    longjmp(peer_failed, 1);
}

static void say_nothing(j_common_ptr cinfo)
{
    (void)cinfo;
}

static bool decode_by_peer(const bytes *file, unsigned char *pixels, bool *warned)
{
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    errors.error_exit = give_up;
    errors.output_message = say_nothing;
    jpeg_create_decompress(&c);
    if (setjmp(peer_failed)) {
        jpeg_destroy_decompress(&c);
        return false;
    }
    jpeg_mem_src(&c, file->data, file->n);
    jpeg_read_header(&c, TRUE);
    jpeg_start_decompress(&c);
    while (c.output_scanline < c.output_height) {
        JSAMPROW row = pixels + (size_t)c.output_scanline * c.output_width * 3;
        jpeg_read_scanlines(&c, &row, 1);
    }
    jpeg_finish_decompress(&c);
    *warned = errors.num_warnings > 0;
    jpeg_destroy_decompress(&c);
    return true;
}

/* A bit is another one somewhere in the pixels: the picture is what libjpeg makes of it, and called
 * damaged where that warns, or it ends too early. */
TEST(test_wrong_bits)
{
    enum { SIDE = 48, FLIPS = 150 };
    int read = 0, cut = 0;
    for (int i = 0; i < 2 * FLIPS; i++) {
        static unsigned char want[3 * SIDE * SIDE];
        bytes file = make_jpeg(SIDE, 3, i % 2, 0);
        const unsigned char *scan = memmem(file.data, file.n, "\xff\xda", 2);
        size_t first = (size_t)(scan - file.data) + 14;
        uint64_t seed = (uint64_t)i;
        file.data[first + next_random(&seed) % (file.n - 2 - first)] ^= 1 << next_random(&seed) % 8;
        bool warned = false, whole = decode_by_peer(&file, want, &warned);
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
        free(file.data);
    }
    assert_true(read > 20 && cut > 0);
}

/* ------------------------------------------------------------------ limits */

static void expect(satf_context *ctx, const char *what, const void *data, size_t n,
                   satf_status status, const char *in_message)
{
    satf_status got = try_decode(ctx, what, data, n, NULL);
    if (got != status || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s: %s \"%s\"", what, satf_status_name(got), satf_message(ctx));
    }
}

TEST(test_claims)
{
    SCOPED_IMAGE *image = make_image(ctx, 1, 1, 3, SATF_U8, 0, 1);
    bytes file = must_encode(ctx, image, "png");
    memcpy(file.data + 16, "\x80\0\0\0\x80\0\0\0", 8);
    expect(ctx, "a PNG of 2^31 x 2^31", file.data, file.n, SATF_LIMIT, "limit: max-pixels");
    memcpy(file.data + 16, "\x7f\xff\xff\xff\x7f\xff\xff\xff", 8);
    expect(ctx, "a PNG of 2^31 - 1", file.data, file.n, SATF_LIMIT, "limit: max-pixels");
    memcpy(file.data + 16, "\0\0\0\0\0\0\0\1", 8);
    expect(ctx, "a PNG of width 0", file.data, file.n, SATF_DATA, "0 x 1");
    free(file.data);
    static const char ppm[] = "P6 2147483647 2147483647 255\n", pfm[] = "PF\n99999 99999\n-1\n";
    expect(ctx, "a huge PPM", ppm, sizeof ppm - 1, SATF_LIMIT, "limit: max-pixels");
    expect(ctx, "a huge PFM", pfm, sizeof pfm - 1, SATF_LIMIT, "limit: max-pixels");

    satf_context_set_limit(ctx, SATF_MAX_PIXELS, 0);
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1 << 20);
    static const char wide[] = "P5 2000000 1 255\n";
    expect(ctx, "a wide PGM", wide, sizeof wide - 1, SATF_LIMIT, "limit: max-memory");
    satf_context_set_limit(ctx, SATF_MAX_PIXELS, 3);
    static const char four[] = "P5 2 2 255\nabcd";
    expect(ctx, "4 pixels of 3", four, sizeof four - 1, SATF_LIMIT, "limit of 3 pixels");
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(ctx, cases[i].what, cases[i].text, strlen(cases[i].text), cases[i].status,
               cases[i].message);
    }
    expect(ctx, "nothing", "", 0, SATF_DATA, "empty");
}

TEST(test_npy_refusals)
{
    static const struct {
        const char *dictionary;
        satf_status status;
        const char *message;
    } cases[] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "signed"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "complex"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "f2"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "|O"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "astype"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "astype"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "\"f8\""},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "\"f4\""},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 200, 300)}", SATF_UNSUPPORTED,
         "planes of channels, (C, H, W): save numpy.moveaxis"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (40, 200, 300)}", SATF_UNSUPPORTED,
         "a stack of pictures, (Z, H, W): say ZYX"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (200, 40, 300)}", SATF_UNSUPPORTED,
         "say ZYX"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (200, 300, 5)}", SATF_UNSUPPORTED,
         "5 channels, its last dimension; 1 to 4 are possible"},
        {"{'descr': '<U12', 'fortran_order': False, 'shape': (1, 1)}", SATF_UNSUPPORTED, "<U12"},
        {"{'descr': [('r', '|u1'), ('g]', '|u1', (2,))], 'fortran_order': False, 'shape': (1, 1)}",
         SATF_UNSUPPORTED, "structured"},
        {"{'descr': [('r', '|u1'), 'fortran_order': False, 'shape': (1, 1)}", SATF_DATA, "damaged"},
        {"{'descr': '<u2', 'fortran_order': True, 'shape': (3, 2)}", SATF_DATA, "trunc"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (4,)}", SATF_UNSUPPORTED, "1 dim"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2, 9, 9)}", SATF_DATA, "trunc"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (5, 0)}", SATF_DATA, "empty"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4, 0, 3)}", SATF_DATA, "empty"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1000000, 1, 1, 1)}", SATF_DATA,
         "trunc"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (100000000, 1, 1, 1)}", SATF_LIMIT,
         "pages"},
        {"{'descr': '<u2', 'fortran_order': True, 'shape': (2, 1, 1, 1)}", SATF_UNSUPPORTED,
         "ascontiguousarray"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (2, 0, 1, 1)}", SATF_DATA, "empty"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (9999999999, 9999999999, 9, 9)}",
         SATF_DATA, "no such shape"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}",
         SATF_UNSUPPORTED, "9 dim"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (9, 9, 9)}", SATF_UNSUPPORTED, "9 ch"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (0, 1)}", SATF_DATA, "empty"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (-1, 1)}", SATF_DATA, "damaged"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1), 'x': 1}", SATF_DATA, "damaged"},
        {"{'descr': '<u2', 'shape': (1, 1)}", SATF_DATA, "damaged"},
        {"{'descr': '<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (1, 1)}", SATF_DATA,
         "damaged"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1)} x", SATF_DATA, "damaged"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (9999999999999999999, 1)}", SATF_DATA,
         "damaged"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (999999999999999999, 999999999)}",
         SATF_LIMIT, "limit: max-pixels"},
        {"", SATF_DATA, "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[256] = "\x93NUMPY\1";
        size_t n = strlen(cases[i].dictionary);
        file[8] = (unsigned char)n;
        memcpy(file + 10, cases[i].dictionary, n);
        expect(ctx, cases[i].dictionary, file, 10 + n + 8, cases[i].status, cases[i].message);
    }
}

/* Found by fuzzing: headers that contradict themselves. */
TEST(test_bmp_headers)
{
    unsigned char file[sizeof bmp_short];
    memcpy(file, bmp_short, sizeof file);
    file[10] = 0x30; /* pixels inside the header */
    expect(ctx, "BMP with a small offset", file, sizeof file, SATF_DATA, "contradicts itself");
    memcpy(file, bmp_short, sizeof file);
    memcpy(file + 30, "\x6c\xff\xff\xff", 4); /* compression -148 */
    expect(ctx, "BMP of no compression there is", file, sizeof file, SATF_UNSUPPORTED,
           "a BMP of compression 4294967148");
}

TEST_FILE(.formats = "all")
