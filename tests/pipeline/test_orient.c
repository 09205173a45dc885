/* --auto-orient: pictures of all eight orientations lie as viewers show them, in every format that
 * names one, whole and by rows, with what is kept of their metadata. */
#include "test.h"
#include "pipeline_jobs.h"

#include "base/exif.h"

enum { WIDTH = 37, HEIGHT = 23, CHANNELS = 3 };

/* The pixel of the stored picture that EXIF's orientation shows at (x, y), in the standard's words:
 * where row 0 and column 0 of what is stored are seen. w, h: of what is stored. */
static void stored_place(unsigned orientation, int x, int y, int w, int h, int *column, int *row)
{
    switch (orientation) {
    case 1: /* top, left */
        *column = x, *row = y;
        break;
    case 2: /* top, right */
        *column = w - 1 - x, *row = y;
        break;
    case 3: /* bottom, right */
        *column = w - 1 - x, *row = h - 1 - y;
        break;
    case 4: /* bottom, left */
        *column = x, *row = h - 1 - y;
        break;
    case 5: /* left, top */
        *column = y, *row = x;
        break;
    case 6: /* right, top */
        *column = y, *row = h - 1 - x;
        break;
    case 7: /* right, bottom */
        *column = w - 1 - y, *row = h - 1 - x;
        break;
    default: /* left, bottom */
        *column = w - 1 - y, *row = x;
        break;
    }
}

static void check_pixels(const satf_view *got, const satf_view *stored, unsigned orientation,
                         const char *of)
{
    bool turns = orientation > 4;
    assert_int_equal(got->width, turns ? stored->height : stored->width);
    assert_int_equal(got->height, turns ? stored->width : stored->height);
    for (int y = 0; y < got->height; y++) {
        for (int x = 0; x < got->width; x++) {
            int column, row;
            stored_place(orientation, x, y, (int)stored->width, (int)stored->height, &column, &row);
            const unsigned char *want = satf_row(stored, row), *is = satf_row(got, y);
            if (memcmp(is + x * CHANNELS, want + column * CHANNELS, CHANNELS) != 0) {
                fail_msg("%s, orientation %u: (%d, %d) is not (%d, %d) as stored", of, orientation,
                         x, y, column, row);
            }
        }
    }
}

/* An EXIF of an orientation, 300 x 150 dpi, and a thumbnail. */
static size_t make_exif(unsigned orientation, unsigned char exif[200])
{
    static const unsigned char block[] = "II*\0\10\0\0\0\4\0"
                                         "\x12\1\3\0\1\0\0\0\1\0\0\0"
                                         "\x1a\1\5\0\1\0\0\0\x3e\0\0\0"
                                         "\x1b\1\5\0\1\0\0\0\x46\0\0\0"
                                         "\x28\1\3\0\1\0\0\0\2\0\0\0"
                                         "\x4e\0\0\0"
                                         "\x2c\1\0\0\1\0\0\0\x96\0\0\0\1\0\0\0"
                                         "\2\0"
                                         "\1\2\4\0\1\0\0\0\x6c\0\0\0"
                                         "\2\2\4\0\1\0\0\0\x0c\0\0\0"
                                         "\0\0\0\0"
                                         "\xff\xd8\xff\xda\0\4yzmo\xff\xd9";
    memcpy(exif, block, sizeof block - 1);
    exif[18] = (unsigned char)orientation;
    return sizeof block - 1;
}

static const char xmp_format[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:Description "
                                 "tiff:Orientation=\"%u\"/></x:xmpmeta>";

/* A file of noise whose metadata name that orientation; *stored: what reading it makes. */
static const char *write_stored(const char *suffix, unsigned orientation, satf_image **stored)
{
    static char at[256];
    unsigned char exif[200];
    satf_write_options options = satf_write_defaults();
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    SCOPED_IMAGE *image = make_noise(WIDTH, HEIGHT, CHANNELS, SATF_U8, 0, orientation);
    size_t bytes = make_exif(orientation, exif);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, exif, bytes), SATF_OK);
    char xmp[sizeof xmp_format];
    snprintf(xmp, sizeof xmp, xmp_format, orientation);
    assert_int_equal(satf_image_set_metadata(ctx, image, SATF_METADATA_XMP, xmp, strlen(xmp)),
                     SATF_OK);
    snprintf(at, sizeof at, "%s/in%u.%s", directory, orientation, suffix);
    if (satf_image_write(ctx, image, at, &options)) {
        fail_msg("%s: %s", at, satf_message(ctx));
    }
    assert_int_equal(satf_context_set_auto_orient(ctx, 0), SATF_OK);
    assert_int_equal(satf_image_read(ctx, at, stored), SATF_OK);
    assert_int_equal(satf_image_view(*stored)->width, WIDTH);
    assert_int_equal(satf_context_set_auto_orient(ctx, 1), SATF_OK);
    return at;
}

/* Nothing of the file says that it lies otherwise than it does, nor how it looked before; upright:
 * it is as it was. */
static void check_metadata(const satf_image *image, bool upright, const char *of)
{
    satf_image_info info;
    size_t bytes;
    satf_image_describe(image, &info, sizeof info);
    if (info.orientation != 1) {
        fail_msg("%s: its orientation is %d", of, info.orientation);
    }
    const unsigned char *exif = satf_image_metadata(image, SATF_METADATA_EXIF, &bytes);
    assert_null(exif && !upright ? memmem(exif, bytes, "\xff\xd8\xff", 3) : NULL);
    const char *packet = satf_image_metadata(image, SATF_METADATA_XMP, &bytes);
    if (packet && !upright && !memmem(packet, bytes, "tiff:Orientation=\"1\"", 20)) {
        fail_msg("%s: its XMP says otherwise: %.*s", of, (int)bytes, packet);
    }
}

static void check_resolution(const satf_image *image, bool turned, const char *of)
{
    const satf_metadata *m = &image->metadata;
    double x = turned ? 150 : 300, y = turned ? 300 : 150;
    if (m->has_resolution &&
        (fabs(m->resolution_x * 0.0254 - x) > 0.5 || fabs(m->resolution_y * 0.0254 - y) > 0.5)) {
        fail_msg("%s: %g x %g dpi", of, m->resolution_x * 0.0254, m->resolution_y * 0.0254);
    }
}

/* Formats of pictures that hold an orientation; JPEG keeps no noise, but reads what it reads. */
static const char *const suffixes[] = {"png", "jpg", "tif", "webp"};

static void check_file(const char *name, const satf_view *stored, unsigned orientation)
{
    static const char *const outputs[] = {"out.png", "out.ppm", "out.tif"};
    static const satf_route routes[] = {SATF_ROUTE_AUTO, SATF_ROUTE_WHOLE};
    SCOPED_FILTER *copy;
    assert_int_equal(satf_filter_create(ctx, "copy", &copy), SATF_OK);
    for (size_t i = 0; i < 2 * (sizeof outputs / sizeof *outputs); i++) {
        satf_file_options how;
        satf_file_report report;
        satf_image *got;
        const char *to = path(outputs[i / 2]);
        if (satf_format_missing(strrchr(to, '.') + 1)) {
            continue;
        }
        satf_file_options_init(&how, sizeof how);
        how.route = routes[i % 2];
        if (satf_filter_file(ctx, copy, name, to, &how, &report, sizeof report)) {
            fail_msg("%s: %s", name, satf_message(ctx));
        }
        assert_int_equal(satf_context_set_auto_orient(ctx, 0), SATF_OK);
        assert_int_equal(satf_image_read(ctx, to, &got), SATF_OK);
        check_pixels(satf_image_view(got), stored, orientation, to);
        check_metadata(got, false, to);
        check_resolution(got, orientation > 4, to);
        satf_image_destroy(got);
        assert_int_equal(satf_context_set_auto_orient(ctx, 1), SATF_OK);
    }
}

TEST_ALONE(every_orientation)
{
    int formats = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (satf_format_missing(suffixes[i])) {
            continue;
        }
        formats++;
        for (unsigned orientation = 1; orientation <= 8; orientation++) {
            satf_image *stored, *upright;
            satf_image_info info;
            const char *name = write_stored(suffixes[i], orientation, &stored);
            assert_int_equal(satf_image_read(ctx, name, &upright), SATF_OK);
            check_pixels(satf_image_view(upright), satf_image_view(stored), orientation, name);
            check_metadata(upright, orientation == 1, name);
            assert_int_equal(satf_image_probe(ctx, name, &info, sizeof info), SATF_OK);
            assert_int_equal(info.view.width, orientation > 4 ? HEIGHT : WIDTH);
            assert_int_equal(info.orientation, 1);
            check_file(name, satf_image_view(stored), orientation);
            satf_image_destroy(upright);
            satf_image_destroy(stored);
        }
    }
    assert_true(formats >= 2);
}

/* Rows of any number at a time, also of a picture that is decoded as a whole. */
TEST_ALONE(by_rows)
{
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        satf_image *stored, *got;
        io_reader *reader;
        const char *name = write_stored("png", orientation, &stored);
        assert_int_equal(io_open(ctx, name, NULL, &reader), SATF_OK);
        const satf_view *view = &reader->header.view;
        assert_int_equal(reader->header.rows_in_order, orientation <= 2);
        assert_int_equal(reader->header.held_bytes >= WIDTH * HEIGHT * CHANNELS, orientation > 2);
        assert_int_equal(
            satf_image_create(ctx, view->width, view->height, CHANNELS, SATF_U8, 0, &got), SATF_OK);
        for (int64_t y = 0, n = 1; y < view->height; y += n, n = n % 5 + 1) {
            n = view->height - y < n ? view->height - y : n;
            assert_int_equal(
                io_read_rows(ctx, reader, satf_row(&got->view, y), got->view.stride, n), SATF_OK);
        }
        check_pixels(&got->view, satf_image_view(stored), orientation, "by rows");
        io_close(reader);
        satf_image_destroy(got);
        satf_image_destroy(stored);
    }
}

/* A region, and a guide of the same camera, are those of the upright picture. */
TEST_ALONE(upright_places)
{
    satf_image *stored, *plain, *whole, *part;
    satf_filter *box, *guided;
    satf_file_options how;
    char spec[300], name[256], to[256];
    snprintf(name, sizeof name, "%s", write_stored("png", 6, &stored));
    snprintf(to, sizeof to, "%s", path("part.png"));
    assert_int_equal(satf_image_read(ctx, name, &plain), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "box=5", &box), SATF_OK);
    assert_int_equal(satf_image_filter(ctx, box, plain, SATF_TYPE_AUTO, &whole), SATF_OK);
    satf_rect region = {2, HEIGHT + 3, HEIGHT - 4, 9}; /* below what is stored */
    satf_file_options_init(&how, sizeof how);
    how.region = &region;
    assert_int_equal(satf_filter_file(ctx, box, name, to, &how, NULL, 0), SATF_OK);
    assert_int_equal(satf_image_read(ctx, to, &part), SATF_OK);
    for (int y = 0; y < plain->view.height; y++) {
        for (int x = 0; x < plain->view.width; x++) {
            bool inside = x >= region.x && x < region.x + region.w && y >= region.y &&
                          y < region.y + region.h;
            const satf_view *from = inside ? &whole->view : &plain->view;
            const unsigned char *want = satf_row(from, y), *is = satf_row(&part->view, y);
            assert_memory_equal(is + x * CHANNELS, want + x * CHANNELS, CHANNELS);
        }
    }
    snprintf(spec, sizeof spec, "guided=3,guide=%s", name);
    assert_int_equal(satf_filter_parse(ctx, spec, &guided), SATF_OK);
    assert_int_equal(satf_filter_file(ctx, guided, name, to, NULL, NULL, 0), SATF_OK);
    satf_filter_destroy(guided);
    satf_filter_destroy(box);
    satf_image_destroy(part);
    satf_image_destroy(whole);
    satf_image_destroy(plain);
    satf_image_destroy(stored);
}

/* EXIF behind the pixels of a PNG is found before them, but not in a pipe. */
TEST_ALONE(behind_the_pixels)
{
    satf_image *stored, *got;
    size_t bytes;
    SCOPED unsigned char *file = slurp(write_stored("png", 8, &stored), &bytes);
    unsigned char *exif = memmem(file, bytes, "eXIf", 4);
    assert_non_null(exif);
    size_t chunk = 12 + 256 * (size_t)exif[-2] + exif[-1], at = (size_t)(exif - 4 - file);
    SCOPED unsigned char *moved = malloc(bytes);
    unsigned char kept[512];
    assert_non_null(moved);
    assert_true(chunk <= sizeof kept);
    memcpy(kept, file + at, chunk);
    memcpy(moved, file, at);
    memcpy(moved + at, file + at + chunk, bytes - at - chunk - 12);
    memcpy(moved + bytes - chunk - 12, kept, chunk);
    memcpy(moved + bytes - 12, file + bytes - 12, 12);
    assert_int_equal(satf_image_decode(ctx, moved, bytes, &got), SATF_OK);
    check_pixels(satf_image_view(got), satf_image_view(stored), 8, "EXIF behind the pixels");
    satf_image_destroy(got);
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(write(pipe_ends[1], moved, bytes), bytes);
    close(pipe_ends[1]);
    int standard = dup(STDIN_FILENO);
    dup2(pipe_ends[0], STDIN_FILENO);
    assert_int_equal(satf_image_read(ctx, "-", &got), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "its orientation comes behind its pixels"));
    dup2(standard, STDIN_FILENO);
    close(standard);
    close(pipe_ends[0]);
    satf_image_destroy(stored);
}

TEST_FILE(.context = &ctx, .folder = true)
