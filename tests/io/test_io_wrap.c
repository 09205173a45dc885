/* Images of pixels that the caller keeps: whatever their layout, they are written as a packed copy
 * is, and with the metadata that they are given. Files depend on samples alone: on nothing that
 * lies between rows, nor on what new memory held. */
#include "test.h"
#include "test_io_metadata.h"

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

static void release_apart(apart *a)
{
    assert_memory_equal(a->memory, a->copy, a->bytes); /* never written to */
    free(a->memory);
    free(a->copy);
}

#define SCOPED_APART __attribute__((unused, cleanup(release_apart))) apart

static satf_image *wrap(satf_context *ctx, const satf_view *view)
{
    satf_image *image;
    MUST(ctx, satf_image_wrap(ctx, view, &image));
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

/* Both become the same file, or neither does; whatever new memory held before. */
static bool same_file(satf_context *ctx, const satf_image *a, const satf_image *b,
                      const satf_write_options *options)
{
    SCOPED_BYTES one = {0}, two = {0};
    satf_fill_allocations(0xa5);
    satf_status status = encode_whole(ctx, a, options, &one);
    satf_fill_allocations(0x5a);
    assert_int_equal(encode_whole(ctx, b, options, &two), status);
    satf_fill_allocations(-1);
    if (!status) {
        char what[80];
        snprintf(what, sizeof what, "%s of %d channels of type %d, %d wide", options->format,
                 a->view.channels, a->view.type, (int)a->view.width);
        assert_bytes(what, one.data, one.n, two.data, two.n);
    }
    return !status;
}

/* Every format, type, number of channels and width, with a layout each; ranges, too. */
TEST(test_layouts)
{
    enum { WIDTHS = 20 };
    int written = 0;
    for (size_t f = 0; io_format_at(f); f++) {
        const io_format *loaded;
        if (!io_can_write(io_format_at(f)) || io_format_load(ctx, io_format_at(f), &loaded)) {
            continue;
        }
        satf_write_options options = options_for(io_format_at(f)->name);
        for (int i = 0; i < WIDTHS * 4 * 6; i++) {
            int width = 1 + i % WIDTHS, channels = 1 + i / WIDTHS % 4, type = i / WIDTHS / 4;
            SCOPED_APART a =
                make_apart((width + channels + type) % LAYOUTS, width < WIDTHS ? width : 37,
                           width < WIDTHS ? 7 : 41, channels, (satf_type)type);
            SCOPED_IMAGE *image = wrap(ctx, &a.view), *packed = packed_copy(ctx, &a.view);
            bool real = satf_type_is_float(type);
            assert_ptr_equal(satf_image_view(image)->data, a.view.data);
            options.auto_range = i % 5 == 0 && !real;
            options.clip_percent = i % 2 ? 3 : 0;
            options.has_range = real && i % 3; /* floats become pictures */
            options.hi = 1000;
            written += same_file(ctx, image, packed, &options);
        }
    }
    assert_true(written > 5 * WIDTHS * 8); /* PNG, PNM, PFM, .npy, JPEG at least */
}

/* One bit a pixel: the last byte of a row has bits of no pixel, which are zeros. */
TEST(test_bits)
{
    satf_write_options png = options_for("png"), pbm = options_for("pbm");
    for (int64_t width = 1; width < 20; width++) {
        SCOPED_APART a = make_apart(1, width, 7, 1, SATF_U8);
        for (size_t i = 0; i < a.bytes; i++) {
            a.memory[i] = a.copy[i] = a.memory[i] < 128 ? 0 : UINT8_MAX;
        }
        SCOPED_IMAGE *image = wrap(ctx, &a.view), *packed = packed_copy(ctx, &a.view);
        image->bilevel = packed->bilevel = true;
        assert_true(same_file(ctx, image, packed, &png) && same_file(ctx, image, packed, &pbm));
        SCOPED_BYTES file;
        MUST(ctx, encode_whole(ctx, image, &pbm, &file));
        size_t row_bytes = (size_t)(width + 7) / 8;
        for (size_t y = 0; y < 7; y++) {
            unsigned last = file.data[file.n - row_bytes * y - 1];
            assert_int_equal(last & ((1u << (8 * row_bytes - (size_t)width)) - 1), 0);
        }
    }
}

/* Wrapped pixels go to a path, into a file of pages and through a filter, too. */
TEST(test_calls)
{
    SCOPED_APART a = make_apart(5, 23, 31, 3, SATF_U8);
    SCOPED_IMAGE *image = wrap(ctx, &a.view), *packed = packed_copy(ctx, &a.view), *read, *page;
    satf_write_options options = options_for("png");
    MUST(ctx, satf_image_write(ctx, image, "file", &options));
    MUST(ctx, satf_image_read(ctx, "file", &read));
    assert_same_pixels("PNG", &packed->view, &read->view);

    satf_image_file *file;
    options.format = "npy";
    MUST(ctx, satf_image_file_create(ctx, "file", 2, &options, &file));
    MUST(ctx, satf_image_file_append(ctx, file, packed));
    MUST(ctx, satf_image_file_append(ctx, file, image));
    MUST(ctx, satf_image_file_finish(ctx, file));
    satf_image_file_close(file);
    MUST(ctx, satf_image_file_open(ctx, "file", &file));
    MUST(ctx, satf_image_file_read(ctx, file, 2, &page));
    assert_same_pixels(".npy", &packed->view, &page->view);
    satf_image_file_close(file);

    SCOPED_IMAGE *got = filtered(ctx, image, "box=5"), *want = filtered(ctx, packed, "box=5");
    assert_same_pixels("box", &want->view, &got->view);
}

/* 64 MiB are written within a limit of 4, with nothing between the pixels or with something. */
TEST(test_nothing_is_copied)
{
    satf_write_options options = options_for("pgm");
    size_t room = (size_t)64 << 20;
    SCOPED void *memory = calloc(1, room);
    assert_non_null(memory);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 4 << 20));
    for (int wide = 0; wide < 2; wide++) {
        satf_view view = satf_view_packed(memory, 4096 >> wide, 16384, 1, SATF_U8);
        view.stride = 4096;
        view.pixel_stride = wide ? 2 : 0;
        SCOPED_IMAGE *image = wrap(ctx, &view);
        MUST(ctx, satf_image_write(ctx, image, "/dev/null", &options));
    }
}

/* The full scale of a view is its range; floats have none. */
TEST(test_range)
{
    satf_image_info info;
    uint16_t samples[12] = {0, 1, 1023, 512};
    satf_view view = satf_view_packed(samples, 2, 3, 2, SATF_U16);
    view.full = 1023;
    view.flags = SATF_ALPHA;
    SCOPED_IMAGE *image = wrap(ctx, &view);
    satf_image_describe(image, &info, sizeof info);
    assert_ptr_equal(info.view.data, samples);
    assert_true(info.has_range && info.lo == 0 && info.hi == 1023);
    assert_true(info.pictures == 1 && info.pages == 1 && info.orientation == 1 && !info.format);
    satf_write_options options = options_for("pam");
    SCOPED_BYTES file, none;
    MUST(ctx, encode_whole(ctx, image, &options, &file));
    assert_true(holds(&file, "MAXVAL 1023", 11));

    float reals[4] = {0, 1, 2, 3};
    view = satf_view_packed(reals, 2, 2, 1, SATF_F32);
    SCOPED_IMAGE *real = wrap(ctx, &view);
    satf_image_describe(real, &info, offsetof(satf_image_info, hi)); /* of an older header */
    assert_false(info.has_range);
    assert_true(info.hi == 1023);
    options.format = "png";
    assert_int_equal(encode_whole(ctx, real, &options, &none), SATF_INVALID); /* needs a range */
    satf_image_describe(NULL, &info, sizeof info);
    assert_true(info.view.width == 0 && info.pages == 0);
}

/* ---------------------------------------------------------------------- metadata */

static const unsigned char exif[] = "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0";
enum { EXIF_LEAD = 6, EXIF_BYTES = sizeof exif - 1 - EXIF_LEAD };
static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><a/></x:xmpmeta>";

static void assert_kind(const satf_image *image, satf_metadata_kind which, const void *want,
                        size_t n)
{
    size_t got = 99;
    const void *block = satf_image_metadata(image, which, &got);
    assert_int_equal(got, n);
    assert_int_equal(block != NULL, n > 0);
    assert_true(n == 0 || memcmp(block, want, n) == 0);
}

static void set(satf_context *ctx, satf_image *image, satf_metadata_kind which, const void *data,
                size_t n)
{
    MUST(ctx, satf_image_set_metadata(ctx, image, which, data, n));
}

/* What is set is in the file, and had again of what is read. */
TEST(test_metadata)
{
    static const char *const formats[] = {"png", "jpeg", "tiff", "webp"};
    unsigned char pixels[27] = {0};
    SCOPED_BYTES icc = make_icc(200, false), lots = bytes_of(NULL, 77793);
    memset(lots.data, '<', lots.n);
    for (int f = 0; f < 4; f++) {
        if (satf_format_missing(formats[f])) {
            assert_true(f >= 2);
            continue;
        }
        satf_view view = satf_view_packed(pixels, 3, 3, 3, SATF_U8);
        SCOPED_IMAGE *image = wrap(ctx, &view);
        satf_image_info info;
        assert_kind(image, SATF_METADATA_ICC, NULL, 0);
        set(ctx, image, SATF_METADATA_ICC, icc.data, icc.n);
        set(ctx, image, SATF_METADATA_EXIF, exif, EXIF_LEAD + EXIF_BYTES);
        set(ctx, image, SATF_METADATA_XMP, xmp, sizeof xmp - 1);
        satf_write_options options = options_for(formats[f]);
        SCOPED_BYTES file;
        MUST(ctx, encode_whole(ctx, image, &options, &file));
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        assert_kind(read, SATF_METADATA_ICC, icc.data, icc.n);
        assert_kind(read, SATF_METADATA_XMP, xmp, sizeof xmp - 1);
        satf_image_describe(read, &info, sizeof info);
        assert_int_equal(info.orientation, 6);
        assert_true(info.icc_bytes == icc.n && info.xmp_bytes == sizeof xmp - 1);
        if (f < 2) { /* a TIFF has it in tags of its own */
            assert_kind(read, SATF_METADATA_EXIF, exif + EXIF_LEAD, EXIF_BYTES);
        }
        for (int i = 0; i < 3; i++) { /* replaced, and taken away */
            size_t n = i == 0 ? 16 : i == 1 ? lots.n : 0;
            set(ctx, read, SATF_METADATA_XMP, n ? lots.data : NULL, n);
            assert_kind(read, SATF_METADATA_XMP, lots.data, n);
        }
    }
}

/* A refusal leaves the image as it was. */
TEST(test_refusals)
{
    unsigned char pixels[4] = {0};
    satf_view view = satf_view_packed(pixels, 2, 2, 1, SATF_U8);
    satf_view nowhere = view, on_device = view, overlapping = view;
    satf_image *none = (satf_image *)&view;
    nowhere.data = NULL;
    on_device.device = SATF_CUDA(0);
    overlapping.stride = 1;
    REFUSED(satf_image_wrap(NULL, &view, &none), SATF_INVALID, "");
    assert_null(none);
    none = (satf_image *)&view;
    REFUSED(satf_image_wrap(ctx, NULL, &none), SATF_INVALID, "");
    REFUSED(satf_image_wrap(ctx, &view, NULL), SATF_INVALID, "");
    REFUSED(satf_image_wrap(ctx, &nowhere, &none), SATF_INVALID, "");
    REFUSED(satf_image_wrap(ctx, &on_device, &none), SATF_INVALID,
            "images are in memory of the host");
    REFUSED(satf_image_wrap(ctx, &overlapping, &none), SATF_INVALID, "");
    assert_null(none);

    SCOPED_BYTES icc = make_icc(200, true);
    SCOPED_IMAGE *image = wrap(ctx, &view);
    size_t n = 1;
    set(ctx, image, SATF_METADATA_ICC, icc.data, icc.n);
    satf_context_set_limit(ctx, SATF_LIMIT_METADATA, 199);
#define REFUSED_BLOCK(ctx, image, kind, data, n, status, sentence) \
    REFUSED(satf_image_set_metadata(ctx, image, kind, data, n), status, sentence)
    REFUSED_BLOCK(NULL, image, SATF_METADATA_ICC, icc.data, 1, SATF_INVALID, "");
    REFUSED_BLOCK(ctx, NULL, SATF_METADATA_ICC, icc.data, 1, SATF_INVALID, "");
    REFUSED_BLOCK(ctx, image, 3, icc.data, 1, SATF_INVALID, "");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_ICC, NULL, 1, SATF_INVALID, "");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_ICC, icc.data, 127, SATF_DATA, "are no ICC profile");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_EXIF, xmp, 20, SATF_DATA, "");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_EXIF, exif, EXIF_LEAD, SATF_DATA, "");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_XMP, exif, 20, SATF_DATA, "");
    REFUSED_BLOCK(ctx, image, SATF_METADATA_ICC, icc.data, 200, SATF_LIMIT, "limit: max-metadata");
    assert_kind(image, SATF_METADATA_ICC, icc.data, icc.n);
    assert_null(satf_image_metadata(NULL, SATF_METADATA_ICC, &n));
    assert_null(satf_image_metadata(image, 7, &n));
    assert_int_equal(n, 0);
}

TEST_FILE(.formats = "all", .folder = true)
