/* Images of pixels that the caller keeps: whatever their layout, they are written as a packed copy
 * is, and with the metadata that they are given. */
#include "test.h"
#include "test_io_files.h"

/* An image of that shape whose rows and pixels lie apart, between guards. */
typedef struct apart {
    satf_view view;
    unsigned char *memory, *copy; /* owned; copy: what it has been */
    size_t bytes;
} apart;

enum { LAYOUTS = 6 };

/* Layout 0 is packed, 1 a crop, 2 bottom up, 3 some channels of more, 4 at odd addresses, 5 all. */
static apart make_apart(int layout, int64_t width, int64_t height, int channels, satf_type type)
{
    int64_t sample = (int64_t)satf_type_bytes((int)type), pixel = channels * sample;
    bool crop = layout == 1 || layout == 5, up = layout == 2 || layout == 5,
         wide = layout == 3 || layout == 5, odd = layout >= 4;
    int64_t step = pixel + (wide ? sample : 0), stride = width * step + (crop ? 7 * sample : 0);
    stride += odd;
    apart a = {.bytes = (size_t)(stride * height + 64)};
    uint64_t seed = 5;
    a.memory = malloc(a.bytes);
    a.copy = malloc(a.bytes);
    for (size_t i = 0; i < a.bytes; i++) {
        a.memory[i] = (unsigned char)next_random(&seed);
    }
    memcpy(a.copy, a.memory, a.bytes);
    a.view = satf_view_packed(a.memory + 16 + odd, width, height, channels, type);
    a.view.stride = up ? -stride : stride;
    a.view.data = (char *)a.view.data + (up ? (height - 1) * stride : 0);
    a.view.pixel_stride = wide ? step : 0;
    a.view.flags = channels % 2 == 0 ? SATF_ALPHA : 0;
    return a;
}

static void free_apart(apart *a)
{
    assert_memory_equal(a->memory, a->copy, a->bytes); /* never written to */
    free(a->memory);
    free(a->copy);
}

static satf_image *wrap(satf_context *ctx, const satf_view *view)
{
    satf_image *image;
    if (satf_image_wrap(ctx, view, &image)) {
        fail_msg("%s", satf_message(ctx));
    }
    return image;
}

static satf_image *packed_copy(satf_context *ctx, const satf_view *view)
{
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, view->width, view->height, view->channels,
                                       (satf_type)view->type, view->flags, &image),
                     SATF_OK);
    char *to = image->view.data;
    int64_t pixel = satf_pixel_bytes(view);
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < view->width; x++, to += pixel) {
            memcpy(to, (char *)satf_row(view, y) + x * satf_pixel_stride(view), (size_t)pixel);
        }
    }
    return image;
}

static bytes file_of(satf_context *ctx, const satf_image *image, const satf_write_options *options,
                     satf_status *status)
{
    void *data;
    bytes file = {0};
    *status = satf_image_encode(ctx, image, options, &data, &file.n);
    file.data = data;
    return file;
}

/* Both become the same file, or neither does. */
static bool same_file(satf_context *ctx, const satf_image *a, const satf_image *b,
                      const satf_write_options *options)
{
    satf_status status[2];
    bytes one = file_of(ctx, a, options, &status[0]), two = file_of(ctx, b, options, &status[1]);
    bool good = !status[0];
    assert_int_equal(status[0], status[1]);
    if (one.n != two.n || (good && memcmp(one.data, two.data, one.n) != 0)) {
        fail_msg("%s: %zu bytes of a packed image, %zu or others of one that lies so",
                 options->format, two.n, one.n);
    }
    satf_buffer_free(one.data);
    satf_buffer_free(two.data);
    return good;
}

/* Every format, layout, type and number of channels; ranges that are found as well. */
TEST(test_layouts)
{
    int written = 0;
    for (size_t f = 0; io_format_at(f); f++) {
        const io_format *loaded;
        if (!io_can_write(io_format_at(f)) || io_format_load(ctx, io_format_at(f), &loaded)) {
            continue;
        }
        satf_write_options options = options_for(io_format_at(f)->name);
        for (int i = 0; i < LAYOUTS * 4 * 6; i++) {
            int layout = i % LAYOUTS, channels = 1 + i / LAYOUTS % 4, type = i / LAYOUTS / 4;
            apart a = make_apart(layout, 37, 41, channels, (satf_type)type);
            SCOPED_IMAGE *image = wrap(ctx, &a.view), *packed = packed_copy(ctx, &a.view);
            assert_ptr_equal(satf_image_view(image)->data, a.view.data);
            options.auto_range = i % 5 == 0 && !satf_type_is_float(type);
            options.clip_percent = i % 2 ? 3 : 0;
            written += same_file(ctx, image, packed, &options);
            free_apart(&a);
        }
    }
    assert_true(written > 5 * LAYOUTS * 8); /* PNG, PNM, PFM, .npy, JPEG at least */
}

/* Wrapped pixels go to a path, into a file of pages and through a filter, too. */
TEST(test_calls)
{
    char path[] = "/tmp/satf-test-wrap-XXXXXX";
    apart a = make_apart(5, 23, 31, 3, SATF_U8);
    SCOPED_IMAGE *image = wrap(ctx, &a.view), *packed = packed_copy(ctx, &a.view);
    satf_image *out[2], *read;
    satf_write_options options = options_for("png");
    satf_filter *filter;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(satf_image_write(ctx, image, path, &options), SATF_OK);
    assert_int_equal(satf_image_read(ctx, path, &read), SATF_OK);
    assert_same_pixels("PNG", &packed->view, &read->view);
    satf_image_destroy(read);

    satf_image_file *file;
    options.format = "npy";
    assert_int_equal(satf_image_file_create(ctx, path, 2, &options, &file), SATF_OK);
    assert_int_equal(satf_image_file_append(ctx, file, packed), SATF_OK);
    assert_int_equal(satf_image_file_append(ctx, file, image), SATF_OK);
    assert_int_equal(satf_image_file_finish(ctx, file), SATF_OK);
    satf_image_file_close(file);
    assert_int_equal(satf_image_file_open(ctx, path, &file), SATF_OK);
    assert_int_equal(satf_image_file_read(ctx, file, 2, &read), SATF_OK);
    assert_same_pixels(".npy", &packed->view, &read->view);
    satf_image_destroy(read);
    satf_image_file_close(file);
    unlink(path);

    assert_int_equal(satf_filter_parse(ctx, "box=5", &filter), SATF_OK);
    assert_int_equal(satf_image_filter(ctx, filter, image, SATF_TYPE_AUTO, &out[0]), SATF_OK);
    assert_int_equal(satf_image_filter(ctx, filter, packed, SATF_TYPE_AUTO, &out[1]), SATF_OK);
    assert_same_pixels("box", &out[1]->view, &out[0]->view);
    for (int i = 0; i < 2; i++) {
        satf_image_destroy(out[i]);
    }
    satf_filter_destroy(filter);
    free_apart(&a);
}

/* 64 MiB are written within a limit of 4, with nothing between the pixels or with something. */
TEST(test_nothing_is_copied)
{
    satf_write_options options = options_for("pgm");
    size_t room = (size_t)64 << 20;
    SCOPED void *memory = calloc(1, room);
    assert_non_null(memory);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 4 << 20), SATF_OK);
    for (int wide = 0; wide < 2; wide++) {
        satf_view view = satf_view_packed(memory, 4096 >> wide, 16384, 1, SATF_U8);
        view.stride = 4096;
        view.pixel_stride = wide ? 2 : 0;
        SCOPED_IMAGE *image = wrap(ctx, &view);
        if (satf_image_write(ctx, image, "/dev/null", &options)) {
            fail_msg("%s", satf_message(ctx));
        }
    }
}

/* The full scale of a view is its range; floats have none. */
TEST(test_range)
{
    satf_image_info info;
    uint16_t samples[12] = {0, 1, 1023, 512};
    satf_view view = satf_view_packed(samples, 2, 3, 2, SATF_U16);
    satf_status status;
    view.full = 1023;
    view.flags = SATF_ALPHA;
    satf_image *image = wrap(ctx, &view);
    satf_image_describe(image, &info, sizeof info);
    assert_ptr_equal(info.view.data, samples);
    assert_true(info.has_range && info.lo == 0 && info.hi == 1023);
    assert_true(info.pictures == 1 && info.pages == 1 && info.orientation == 1 && !info.format);
    satf_write_options options = options_for("pam");
    bytes file = file_of(ctx, image, &options, &status);
    assert_int_equal(status, SATF_OK);
    assert_non_null(memmem(file.data, file.n, "MAXVAL 1023", 11));
    satf_buffer_free(file.data);
    satf_image_destroy(image);

    float reals[4] = {0, 1, 2, 3};
    view = satf_view_packed(reals, 2, 2, 1, SATF_F32);
    image = wrap(ctx, &view);
    satf_image_describe(image, &info, offsetof(satf_image_info, hi)); /* of an older header */
    assert_false(info.has_range);
    assert_true(info.hi == 1023);
    options.format = "png";
    file_of(ctx, image, &options, &status);
    assert_int_equal(status, SATF_INVALID); /* needs a range */
    satf_image_destroy(image);
    satf_image_describe(NULL, &info, sizeof info);
    assert_true(info.view.width == 0 && info.pages == 0);
}

/* ---------------------------------------------------------------------- metadata */

static const unsigned char exif[] = "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0";
enum { EXIF_LEAD = 6, EXIF_BYTES = sizeof exif - 1 - EXIF_LEAD, ICC_BYTES = 200 };
static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><a/></x:xmpmeta>";

/* Of grey or RGB. */
static void make_icc(unsigned char icc[ICC_BYTES], bool grey)
{
    uint64_t seed = 6;
    memset(icc, 0, ICC_BYTES);
    for (int i = 132; i < ICC_BYTES; i++) { /* libpng refuses what packs too well */
        icc[i] = (unsigned char)next_random(&seed);
    }
    icc[3] = ICC_BYTES;
    icc[8] = 2;
    memcpy(icc + 12, grey ? "mntrGRAYXYZ " : "mntrRGB XYZ ", 12);
    memcpy(icc + 36, "acsp", 4);
    memcpy(icc + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12);
}

static void assert_block(const satf_image *image, satf_metadata_kind which, const void *want,
                         size_t n)
{
    size_t got = 99;
    const void *block = satf_image_metadata(image, which, &got);
    assert_int_equal(got, n);
    assert_int_equal(block != NULL, n > 0);
    assert_true(n == 0 || memcmp(block, want, n) == 0);
}

/* What is set is in the file, and had again of what is read. */
TEST(test_metadata)
{
    static const char *const formats[] = {"png", "jpeg", "tiff", "webp"};
    unsigned char icc[ICC_BYTES], pixels[27] = {0};
    make_icc(icc, false);
    int formats_seen = 0;
    for (int f = 0; f < 4; f++) {
        if (satf_format_missing(formats[f])) {
            continue;
        }
        satf_view view = satf_view_packed(pixels, 3, 3, 3, SATF_U8);
        SCOPED_IMAGE *image = wrap(ctx, &view);
        satf_image_info info;
        satf_status status;
        assert_block(image, SATF_METADATA_ICC, NULL, 0);
        assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, sizeof icc),
                         SATF_OK);
        assert_int_equal(
            satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, exif, EXIF_LEAD + EXIF_BYTES),
            SATF_OK);
        assert_int_equal(
            satf_image_set_metadata(ctx, image, SATF_METADATA_XMP, xmp, sizeof xmp - 1), SATF_OK);
        satf_write_options options = options_for(formats[f]);
        bytes file = file_of(ctx, image, &options, &status);
        assert_int_equal(status, SATF_OK);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        satf_buffer_free(file.data);
        assert_block(read, SATF_METADATA_ICC, icc, sizeof icc);
        assert_block(read, SATF_METADATA_XMP, xmp, sizeof xmp - 1);
        satf_image_describe(read, &info, sizeof info);
        assert_int_equal(info.orientation, 6);
        assert_int_equal(info.icc_bytes, sizeof icc);
        assert_int_equal(info.xmp_bytes, sizeof xmp - 1);
        if (f < 2) { /* a TIFF has it in tags of its own */
            assert_block(read, SATF_METADATA_EXIF, exif + EXIF_LEAD, EXIF_BYTES);
        }
        /* replaced, and taken away */
        for (size_t n = 16; n < 100000; n += 77777) {
            SCOPED char *long_xmp = malloc(n);
            memset(long_xmp, '<', n);
            assert_int_equal(satf_image_set_metadata(ctx, read, SATF_METADATA_XMP, long_xmp, n),
                             SATF_OK);
            assert_block(read, SATF_METADATA_XMP, long_xmp, n);
        }
        assert_int_equal(satf_image_set_metadata(ctx, read, SATF_METADATA_XMP, NULL, 0), SATF_OK);
        assert_block(read, SATF_METADATA_XMP, NULL, 0);
        formats_seen++;
    }
    assert_true(formats_seen >= 2);
}

/* A refusal leaves the image as it was. */
TEST(test_refusals)
{
    unsigned char icc[ICC_BYTES], pixels[4] = {0};
    satf_view view = satf_view_packed(pixels, 2, 2, 1, SATF_U8), bad = view;
    satf_image *image = (satf_image *)&view;
    size_t n = 1;
    make_icc(icc, true);
    assert_int_equal(satf_image_wrap(NULL, &view, &image), SATF_INVALID);
    assert_null(image);
    assert_int_equal(satf_image_wrap(ctx, NULL, &image), SATF_INVALID);
    assert_int_equal(satf_image_wrap(ctx, &view, NULL), SATF_INVALID);
    bad.data = NULL;
    assert_int_equal(satf_image_wrap(ctx, &bad, &image), SATF_INVALID);
    bad = view;
    bad.device = SATF_CUDA(0);
    assert_int_equal(satf_image_wrap(ctx, &bad, &image), SATF_INVALID);
    assert_string_equal(satf_message(ctx), "images are in memory of the host");
    bad = view;
    bad.stride = 1;
    assert_int_equal(satf_image_wrap(ctx, &bad, &image), SATF_INVALID);
    assert_null(image);

    image = wrap(ctx, &view);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, sizeof icc),
                     SATF_OK);
    assert_int_equal(satf_image_set_metadata(NULL, image, SATF_METADATA_ICC, icc, 1), SATF_INVALID);
    assert_int_equal(satf_image_set_metadata(ctx, NULL, SATF_METADATA_ICC, icc, 1), SATF_INVALID);
    assert_int_equal(satf_image_set_metadata(ctx, image, 3, icc, 1), SATF_INVALID);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, NULL, 1), SATF_INVALID);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, 127), SATF_DATA);
    assert_string_equal(satf_message(ctx), "the bytes are no ICC profile");
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, xmp, 20), SATF_DATA);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, exif, EXIF_LEAD),
                     SATF_DATA);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_XMP, exif, 20), SATF_DATA);
    satf_context_set_limit(ctx, SATF_MAX_METADATA, 199);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, 200), SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "limit: max-metadata"));
    assert_block(image, SATF_METADATA_ICC, icc, sizeof icc);
    assert_null(satf_image_metadata(NULL, SATF_METADATA_ICC, &n));
    assert_null(satf_image_metadata(image, 7, &n));
    assert_int_equal(n, 0);
    satf_image_destroy(image);
}

TEST_FILE(.formats = "all")
