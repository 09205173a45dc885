/*
 * PNGs that are written in strips, taken apart by other means than the library's: chunks, one zlib
 * stream, filters, and read by libpng. Its size is held against libpng's own. Also built with
 * -fsanitize=thread.
 */
#include "test.h"
#include "test_png_files.h"

#include <errno.h>
#include <pthread.h>

#include "base/cpu.h"

/* ------------------------------------------------------------------ pictures */

static satf_image *make_flat(satf_context *ctx, int64_t width, int64_t height, int channels)
{
    satf_image *image = make_image(ctx, width, height, channels, SATF_U8, 0, 1);
    memset(image->view.data, 77, (size_t)(image->view.stride * height));
    return image;
}

/* Noise that comes again after 20 rows of 1000 bytes: only who looks back far packs it. */
static satf_image *make_rows_again(satf_context *ctx)
{
    enum { PERIOD = 20 };
    satf_image *image = make_image(ctx, 1000, 1000, 1, SATF_U8, 0, 9);
    for (int64_t y = PERIOD; y < image->view.height; y++) {
        memcpy(satf_row(&image->view, y), satf_row(&image->view, y - PERIOD), 1000);
    }
    return image;
}

/* Lines of dots with blank ones between, and blank paper below. */
static satf_image *make_page(satf_context *ctx)
{
    satf_image *image = make_image(ctx, 1700, 2200, 1, SATF_U8, 0, 11);
    for (int64_t y = 0; y < image->view.height; y++) {
        uint8_t *row = satf_row(&image->view, y);
        bool text = y % 30 < 18 && y < 1500;
        for (int64_t x = 0; x < image->view.width; x++) {
            row[x] = text && x > 200 && x < 1500 && row[x] < 60 ? row[x] / 2 : 255;
        }
    }
    return image;
}

/* ------------------------------------------------------------ taking files apart */

typedef struct taken {
    unsigned width, height, depth, colour;
    int pieces;       /* IDAT chunks */
    bytes stream;     /* what they hold */
    bytes rows;       /* what it unpacks to: a filter and a row, and so on */
    size_t row_bytes; /* without the filter */
} taken;

/* Checks each chunk's checksum, and that the stream ends where its last chunk does; zlib's inflate
 * checks Adler's sum. */
static taken take_apart(const bytes *file)
{
    taken t = {0};
    t.stream.data = malloc(file->n);
    assert_memory_equal(file->data, "\x89PNG\r\n\x1a\n", 8);
    size_t at = 8;
    bool ended = false, between = false;
    while (!ended) {
        assert_true(at + 12 <= file->n);
        const unsigned char *chunk = file->data + at;
        size_t n = png_get_uint_32(chunk);
        assert_true(n <= file->n - at - 12);
        assert_int_equal(crc32(0, chunk + 4, (uInt)n + 4), png_get_uint_32(chunk + 8 + n));
        bool pixels = memcmp(chunk + 4, "IDAT", 4) == 0;
        assert_false(pixels && between); /* nothing stands among them */
        between = t.pieces > 0 && !pixels;
        if (memcmp(chunk + 4, "IHDR", 4) == 0) {
            t.width = png_get_uint_32(chunk + 8);
            t.height = png_get_uint_32(chunk + 12);
            t.depth = chunk[16];
            t.colour = chunk[17];
        }
        if (pixels) {
            memcpy(t.stream.data + t.stream.n, chunk + 8, n);
            t.stream.n += n;
            t.pieces++;
        }
        ended = memcmp(chunk + 4, "IEND", 4) == 0;
        at += 12 + n;
    }
    assert_int_equal(at, file->n);
    static const unsigned channels[] = {1, 0, 3, 1, 2, 0, 4};
    unsigned pixel_bits = channels[t.colour] * t.depth;
    t.row_bytes = ((size_t)t.width * pixel_bits + 7) / 8;
    t.rows.n = t.height * (t.row_bytes + 1);
    t.rows.data = malloc(t.rows.n + 1);
    z_stream z = {.next_in = t.stream.data,
                  .avail_in = (uInt)t.stream.n,
                  .next_out = t.rows.data,
                  .avail_out = (uInt)t.rows.n + 1};
    assert_int_equal(inflateInit(&z), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, t.rows.n);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
    return t;
}

static void free_taken(taken *t)
{
    free(t->stream.data);
    free(t->rows.data);
}

#define SCOPED_TAKEN __attribute__((unused, cleanup(free_taken))) taken

static void take(png_structp png, png_bytep to, size_t n)
{
    bytes *left = png_get_io_ptr(png);
    assert_true(n <= left->n);
    memcpy(to, left->data, n);
    *left = (bytes){left->data + n, left->n - n};
}

static void complain(png_structp png, png_const_charp text)
{
    (void)png;
    fail_msg("libpng: %s", text);
}

/* What libpng makes of it, without a complaint; bits become 0 and 255. */
static void assert_holds(const char *what, const bytes *file, const satf_image *image)
{
    const satf_view *v = &image->view;
    bytes left = *file;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, complain, complain);
    png_infop info = png_create_info_struct(png);
    SCOPED unsigned char *row = malloc((size_t)v->stride);
    png_set_read_fn(png, &left, take);
    png_read_info(png, info);
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_swap(png);
    png_read_update_info(png, info);
    assert_int_equal(png_get_image_width(png, info), v->width);
    assert_int_equal(png_get_image_height(png, info), v->height);
    assert_int_equal(png_get_rowbytes(png, info), v->stride);
    for (int64_t y = 0; y < v->height; y++) {
        png_read_row(png, row, NULL);
        if (memcmp(row, satf_row(v, y), (size_t)v->stride) != 0) {
            fail_msg("%s: %dx%d, wrong in row %d", what, (int)v->width, (int)v->height, (int)y);
        }
    }
    png_read_end(png, info);
    png_destroy_read_struct(&png, &info, NULL);
    assert_int_equal(left.n, 0);
}

/* ------------------------------------------------------------------ tests */

/* One picture at one level: taken apart it is the picture, and the library reads it. */
static void check_picture(satf_context *ctx, const char *what, const satf_image *image, int level)
{
    SCOPED_BYTES file = encode_at(ctx, image, level);
    must_hold(ctx, what, &file, &image->view);
    SCOPED_TAKEN t = take_apart(&file);
    assert_int_equal(t.depth, image->bilevel ? 1 : image->view.type == SATF_U16 ? 16 : 8);
    assert_holds(what, &file, image);
}

TEST(test_kinds)
{
    enum { KINDS = 9 };
    static const int64_t heights[] = {1, 2, 3, 17};
    for (int kind = 0; kind < KINDS; kind++) {
        for (int64_t width = 1; width <= 70; width++) {
            for (size_t k = 0; k < ROWS_OF(heights); k++) {
                SCOPED_IMAGE *image = make_kind(ctx, kind, width, heights[k]);
                for (int level = (int)(width + (int64_t)k) % 3; level <= 9; level += 3) {
                    check_picture(ctx, "kind", image, level);
                }
            }
        }
    }
    for (int64_t height = 1; height <= 70; height++) {
        SCOPED_IMAGE *image = make_kind(ctx, (int)height % KINDS, 3, height);
        for (int level = 0; level <= 9; level++) {
            check_picture(ctx, "height", image, level);
        }
    }
}

/* Rows above a strip's size, of a strip's size, and of few bytes but many. */
TEST(test_shapes)
{
    static const struct {
        int64_t width, height;
        int channels;
        satf_type type;
    } shapes[] = {{200000, 7, 4, SATF_U16},
                  {33000, 12, 1, SATF_U8},
                  {1, 600000, 1, SATF_U8},
                  {3, 40000, 3, SATF_U8},
                  {1024, 1100, 1, SATF_U8}};
    satf_context_set_threads(ctx, 3);
    for (size_t i = 0; i < ROWS_OF(shapes); i++) {
        SCOPED_IMAGE *image =
            make_photo(ctx, shapes[i].width, shapes[i].height, shapes[i].channels, shapes[i].type);
        for (int level = 0; level < 3; level++) {
            check_picture(ctx, "shape", image, level);
        }
    }
}

/* Level 1 has one filter, and from 2 on, of bits from 6 on, each row has the one that libpng takes.
 */
TEST(test_filters)
{
    for (int kind = 0; kind < 9; kind++) {
        SCOPED_IMAGE *image =
            kind == 8   ? make_bilevel(ctx, 301, 67)
            : kind == 3 ? make_kind(ctx, 3, 301, 67)
                        : make_photo(ctx, 301, 67, 1 + kind % 4, kind < 4 ? SATF_U8 : SATF_U16);
        for (int level = 0; level <= 3; level++) {
            int same_as = image->bilevel && level > 1 ? 1 : level; /* of bits up to 5 */
            SCOPED_BYTES ours = encode_at(ctx, image, level), theirs = by_libpng(image, same_as);
            SCOPED_TAKEN a = take_apart(&ours), b = take_apart(&theirs);
            assert_int_equal(a.rows.n, b.rows.n);
            for (size_t y = 0; y < a.height; y++) {
                size_t at = y * (a.row_bytes + 1);
                if (a.rows.data[at] != b.rows.data[at]) {
                    fail_msg("kind %d, level %d: filter %d in row %d, not %d", kind, level,
                             a.rows.data[at], (int)y, b.rows.data[at]);
                }
            }
            assert_memory_equal(a.rows.data, b.rows.data, a.rows.n);
        }
    }
}

/* Within 3 % of one stream without strips. */
TEST(test_sizes)
{
    satf_image *images[] = {make_photo(ctx, 700, 500, 3, SATF_U8),
                            make_photo(ctx, 700, 300, 1, SATF_U16),
                            make_image(ctx, 700, 300, 3, SATF_U8, 0, 3),
                            make_flat(ctx, 2000, 1500, 1),
                            make_flat(ctx, 1500, 900, 3),
                            make_page(ctx),
                            make_rows_again(ctx),
                            make_bilevel(ctx, 4000, 1500)};
    static const int levels[] = {0, 1, 2, 6};
    for (size_t i = 0; i < ROWS_OF(images); i++) {
        for (int k = 0; k < 4; k++) {
            int level = levels[k];
            SCOPED_BYTES ours = encode_at(ctx, images[i], level);
            SCOPED_BYTES theirs = by_libpng(images[i], level);
            if ((double)ours.n > 1.03 * (double)theirs.n) {
                fail_msg("picture %d, level %d: %zu bytes, %zu in one stream", (int)i, level,
                         ours.n, theirs.n);
            }
        }
        satf_image_destroy(images[i]);
    }
}

/* The same bytes by any number of threads, in any memory, however rows come. */
TEST(test_same_bytes)
{
    static const int threads[] = {2, 3, 7, 1};
    static const int64_t limits[] = {9 << 20, 5 << 20, 4 << 20, 3 << 20};
    SCOPED_IMAGE *image = make_photo(ctx, 1300, 301, 3, SATF_U8);
    for (int level = 0; level <= 6; level += 1 + 4 * (level == 1)) {
        MUST(ctx, satf_context_set_threads(ctx, 1));
        SCOPED_BYTES one = encode_at(ctx, image, level);
        SCOPED_TAKEN t = take_apart(&one);
        assert_true(t.pieces >= 5); /* there is something to share */
        for (size_t i = 0; i < 2 * ROWS_OF(threads); i++) {
            bool whole = i & 1;
            MUST(ctx, satf_context_set_threads(ctx, threads[i / 2]));
            MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, whole ? limits[i / 2] : 0));
            satf_write_options options = options_for("png");
            options.png_level = level;
            SCOPED_BYTES other = {0};
            MUST(ctx, (whole ? encode_whole : encode)(ctx, image, &options, &other));
            assert_bytes(whole ? "limit" : "threads", other.data, other.n, one.data, one.n);
        }
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0));
    }
}

/* -------------------------------------------------------------- when it goes wrong */

/* A file that takes so many bytes. */
static ssize_t write_some(void *cookie, const char *data, size_t n)
{
    size_t *left = cookie;
    (void)data;
    if (n > *left) {
        errno = ENOSPC;
        return 0;
    }
    *left -= n;
    return (ssize_t)n;
}

/* Writes rows, up to so many, to a file of that room. */
static satf_status write_into(satf_context *ctx, const satf_image *image, int64_t rows, size_t room)
{
    satf_write_options options = options_for("png");
    io_plan plan;
    MUST(ctx, io_make_plan(ctx, image, "-", &options, &plan));
    FILE *file = fopencookie(&room, "w", (cookie_io_functions_t){.write = write_some});
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    satf_status status = write_rows(ctx, &plan, file, &options, NULL, &image->view, rows, NULL);
    fclose(file);
    return status;
}

/* A full disk is told wherever it comes, and who gives up early leaves no thread behind. */
TEST(test_ends)
{
    SCOPED_IMAGE *image = make_photo(ctx, 1300, 601, 3, SATF_U8);
    for (int threads = 1; threads <= 4; threads++) {
        MUST(ctx, satf_context_set_threads(ctx, threads));
        SCOPED_BYTES file = encode_at(ctx, image, 1);
        MUST(ctx, write_into(ctx, image, 601, file.n));
        for (size_t room = 0; room < file.n; room += 1 + file.n / 13) {
            assert_refused(ctx, "a full disk", write_into(ctx, image, 601, room), SATF_IO,
                           "No space left");
        }
        assert_int_equal(write_into(ctx, image, 601, file.n - 1), SATF_IO);
        for (int64_t rows = 0; rows <= 600; rows += 60) {
            MUST(ctx, write_into(ctx, image, rows, SIZE_MAX / 2));
        }
    }
}

typedef struct author {
    pthread_t id;
    satf_context *ctx;
    const satf_image *image;
    const bytes *want;
    bool right;
} author;

static void *write_often(void *argument)
{
    author *a = argument;
    a->right = true;
    for (int i = 0; i < 3 && a->right; i++) {
        satf_write_options options = options_for("png");
        void *data = NULL;
        size_t n;
        a->right = satf_image_encode(a->ctx, a->image, &options, &data, &n) == SATF_OK &&
                   n == a->want->n && memcmp(data, a->want->data, n) == 0;
        satf_buffer_free(data);
    }
    return NULL;
}

/* Calls in several threads, each with threads of its own, or with those that the others leave. */
TEST(test_at_once)
{
    enum { AUTHORS = 4 };
    MUST(ctx, satf_context_set_threads(ctx, 2));
    SCOPED_IMAGE *image = make_photo(ctx, 700, 600, 3, SATF_U8);
    SCOPED_BYTES want = encode_at(ctx, image, 1);
    author authors[AUTHORS];
    for (int i = 0; i < AUTHORS; i++) {
        authors[i] = (author){.image = image, .want = &want};
        assert_int_equal(i < 2 ? satf_context_create(&authors[i].ctx)
                               : satf_context_share(ctx, &authors[i].ctx),
                         SATF_OK);
        if (i < 2) {
            assert_int_equal(satf_context_set_threads(authors[i].ctx, 3), SATF_OK);
        }
        assert_int_equal(pthread_create(&authors[i].id, NULL, write_often, &authors[i]), 0);
    }
    for (int i = 0; i < AUTHORS; i++) {
        pthread_join(authors[i].id, NULL);
        assert_true(authors[i].right);
        satf_context_destroy(authors[i].ctx);
    }
}

TEST_FILE(.formats = "all", .every_isa = true, .of_isa = "test_kinds test_filters")
