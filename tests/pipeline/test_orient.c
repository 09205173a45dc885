/* --auto-orient: pictures of all eight orientations lie as viewers show them, in every format that
 * names one, whole and by rows, with what is kept of their metadata. */
#include "test.h"
#include "pipeline_jobs.h"

enum { WIDTH = 37, HEIGHT = 23, CHANNELS = 3 };

/* The pixel of the stored picture, w x h, that EXIF's orientation shows at (x, y), in the
 * standard's words: where row 0 and column 0 of what is stored are seen. */
static void stored_place(unsigned orientation, int x, int y, int w, int h, int *column, int *row)
{
    static const struct {
        bool turns, right, bottom;            /* columns are rows; they count from there */
    } ways[9] = {[1] = {false, false, false}, /* top, left */
                 [2] = {false, true, false},  /* top, right */
                 [3] = {false, true, true},   /* bottom, right */
                 [4] = {false, false, true},  /* bottom, left */
                 [5] = {true, false, false},  /* left, top */
                 [6] = {true, false, true},   /* right, top */
                 [7] = {true, true, true},    /* right, bottom */
                 [8] = {true, true, false}};  /* left, bottom */
    int across = ways[orientation].turns ? y : x, down = ways[orientation].turns ? x : y;
    *column = ways[orientation].right ? w - 1 - across : across;
    *row = ways[orientation].bottom ? h - 1 - down : down;
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

/* As it is stored. */
static satf_image *read_stored(const char *name)
{
    MUST(ctx, satf_context_set_auto_orient(ctx, 0));
    satf_image *image = read_image(name);
    MUST(ctx, satf_context_set_auto_orient(ctx, 1));
    return image;
}

/* A file of noise whose metadata name that orientation, in.`suffix`. Returns what reading it makes.
 */
static satf_image *write_stored(const char *suffix, unsigned orientation)
{
    char name[16], xmp[sizeof xmp_format];
    unsigned char exif[200];
    satf_image *image = make_noise(WIDTH, HEIGHT, CHANNELS, SATF_U8, 0, orientation);
    size_t bytes = make_exif(orientation, exif);
    snprintf(name, sizeof name, "in.%s", suffix);
    snprintf(xmp, sizeof xmp, xmp_format, orientation);
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, exif, bytes));
    MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_XMP, xmp, strlen(xmp)));
    write_image(image, name);
    satf_image *stored = read_stored(name);
    assert_int_equal(satf_image_view(stored)->width, WIDTH);
    return stored;
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
    for (size_t i = 0; i < COUNT(outputs); i++) {
        for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_WHOLE; way++) {
            const char *to = outputs[i];
            if (!satf_format_missing(strrchr(to, '.') + 1)) {
                must_run(JOB(name, to, "copy", way));
                SCOPED_IMAGE *got = read_stored(to);
                check_pixels(satf_image_view(got), stored, orientation, to);
                check_metadata(got, false, to);
                check_resolution(got, orientation > 4, to);
            }
        }
    }
}

TEST_ALONE(every_orientation)
{
    int formats = 0;
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        if (satf_format_missing(suffixes[i])) {
            continue;
        }
        formats++;
        for (unsigned orientation = 1; orientation <= 8; orientation++) {
            satf_image_info info;
            char name[16];
            snprintf(name, sizeof name, "in.%s", suffixes[i]);
            SCOPED_IMAGE *stored = write_stored(suffixes[i], orientation);
            SCOPED_IMAGE *upright = read_image(name);
            check_pixels(satf_image_view(upright), satf_image_view(stored), orientation, name);
            check_metadata(upright, orientation == 1, name);
            MUST(ctx, satf_image_probe(ctx, name, &info, sizeof info));
            assert_int_equal(info.view.width, orientation > 4 ? HEIGHT : WIDTH);
            assert_int_equal(info.orientation, 1);
            check_file(name, satf_image_view(stored), orientation);
        }
    }
    assert_true(formats >= 2);
}

/* Rows of any number at a time, also of a picture that is decoded as a whole. */
TEST_ALONE(by_rows)
{
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        io_reader *reader;
        SCOPED_IMAGE *stored = write_stored("png", orientation), *got = NULL;
        MUST(ctx, io_open(ctx, "in.png", NULL, &reader));
        const satf_view *view = &reader->header.view;
        assert_int_equal(reader->header.rows_in_order, orientation <= 2);
        assert_int_equal(reader->header.held_bytes >= WIDTH * HEIGHT * CHANNELS, orientation > 2);
        MUST(ctx, satf_image_create(ctx, view->width, view->height, CHANNELS, SATF_U8, 0, &got));
        for (int64_t y = 0, n = 1; y < view->height; y += n, n = n % 5 + 1) {
            n = view->height - y < n ? view->height - y : n;
            MUST(ctx, io_read_rows(ctx, reader, satf_row(&got->view, y), got->view.stride, n));
        }
        check_pixels(&got->view, satf_image_view(stored), orientation, "by rows");
        io_close(reader);
    }
}

/* A region, and a guide of the same camera, are those of the upright picture. */
TEST_ALONE(upright_places)
{
    const satf_rect region = {2, HEIGHT + 3, HEIGHT - 4, 9}; /* below what is stored */
    SCOPED_IMAGE *stored = write_stored("png", 6), *plain = read_image("in.png");
    must_run(JOB("in.png", "part.png", "box=5", .how.region = &region));
    must_run(JOB("in.png", "whole.png", "box=5"));
    SCOPED_IMAGE *part = read_image("part.png"), *whole = read_image("whole.png");
    for (int y = 0; y < plain->view.height; y++) {
        for (int x = 0; x < plain->view.width; x++) {
            bool inside = x >= region.x && x < region.x + region.w && y >= region.y &&
                          y < region.y + region.h;
            const satf_view *from = inside ? &whole->view : &plain->view;
            const unsigned char *want = satf_row(from, y), *is = satf_row(&part->view, y);
            assert_memory_equal(is + x * CHANNELS, want + x * CHANNELS, CHANNELS);
        }
    }
    must_run(JOB("in.png", "guided.png", "guided=3,guide=in.png"));
}

/* EXIF behind the pixels of a PNG is found before them, but not in a pipe. */
TEST_ALONE(behind_the_pixels)
{
    SCOPED_IMAGE *stored = write_stored("png", 8), *got = NULL;
    delay_chunk("in.png", "eXIf");
    got = read_image("in.png");
    check_pixels(satf_image_view(got), satf_image_view(stored), 8, "EXIF behind the pixels");
    satf_image *none;
    int standard = dup(STDIN_FILENO), end = open_pipe_of("in.png");
    dup2(end, STDIN_FILENO);
    assert_int_equal(satf_image_read(ctx, "-", &none), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "its orientation comes behind its pixels"));
    dup2(standard, STDIN_FILENO);
    close(standard);
    close(end);
}

TEST_FILE(.context = &ctx, .folder = true)
