/* Streaming: every format, filter, border and sample type gives the bytes of whole images, in
 * memory that does not know the picture's height; what cannot be streamed says why. */
#include "test.h"
#include "filter_make.h"
#include "pairs.h"
#include "pipeline_jobs.h"

#include <png.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

static const char *const borders[] = {"clamp", "mirror", "reflect", "constant:7", "shrink", "wrap"};
/* The last is higher than the pictures. */
static const char *const windows[] = {"5x4", "251x3", "7x60", "3x200"};

static const char *const sigmas[] = {"1.5", "0.4", "3", "70"};

enum { BORDERS = sizeof borders / sizeof *borders, WINDOWS = sizeof windows / sizeof *windows };

typedef struct picture {
    const char *name;
    int64_t width, height;
    int channels;
    satf_type type;
    unsigned flags;
    const char *outputs[6]; /* taken in turn */
} picture;

/* Several blocks of rows each. The smallest come first: of them pairs.h takes most cases. */
static const picture pictures[] = {
    {"grey.pfm", 4001, 97, 1, SATF_F32, 0, {"o.pfm", "o.npy"}},
    {"f64.npy", 2001, 107, 2, SATF_F64, 0, {"o.npy"}},
    {"u16.npy", 5001, 87, 1, SATF_U16, 0, {"o.npy", "o.pgm"}},
    {"grey16.png", 5001, 89, 1, SATF_U16, 0, {"o.npy", "o.png", "o.pfm"}},
    {"alpha16.pam", 3001, 79, 2, SATF_U16, SATF_ALPHA, {"o.pam", "o.npy"}},
    {"rgba16.png", 2001, 67, 4, SATF_U16, SATF_ALPHA, {"o.png", "o.npy"}},
    {"f32.npy", 2001, 99, 3, SATF_F32, 0, {"o.pfm", "o.npy"}},
    {"grey.jpg", 6001, 101, 1, SATF_U8, 0, {"o.jpg", "o.png", "o.npy"}},
    {"rgb.pfm", 2001, 103, 3, SATF_F32, 0, {"o.npy", "o.pfm"}},
    {"rgb16.ppm", 3001, 73, 3, SATF_U16, 0, {"o.ppm", "o.npy"}},
    {"grey.png", 9001, 97, 1, SATF_U8, 0, {"o.png", "o.npy", "o.pgm", "o.jpg", "o.pfm"}},
    {"grey.pgm", 9001, 97, 1, SATF_U8, 0, {"o.pgm", "o.npy"}},
    {"rgb.png", 5001, 61, 3, SATF_U8, 0, {"o.ppm", "o.png", "o.jpg", "o.npy", "o.pfm"}},
    {"rgb.jpg", 4001, 91, 3, SATF_U8, 0, {"o.npy", "o.jpg", "o.pfm", "o.ppm"}},
    {"u8.npy", 3001, 93, 4, SATF_U8, 0, {"o.npy", "o.png"}},
    {"rgba.png", 4001, 71, 4, SATF_U8, SATF_ALPHA, {"o.pam", "o.npy", "o.png"}},
    {"alpha.png", 7001, 83, 2, SATF_U8, SATF_ALPHA, {"o.png", "o.pam", "o.npy"}},
};

enum { PICTURES = sizeof pictures / sizeof *pictures };

/* Which end its name has. */
static int format_of(const picture *p)
{
    static const char *const ends[] = {".png", ".jpg", ".pgm", ".ppm", ".pam", ".pfm", ".npy"};
    int i = 0;
    while (strcmp(strrchr(p->name, '.'), ends[i]) != 0) {
        i++;
    }
    return i;
}

static const char *make(const picture *p)
{
    const char *in = path(p->name);
    write_noise(in, p->width, p->height, p->channels, p->type, p->flags, 17);
    return in;
}

/* The outputs of a picture in turn. */
static const char *next_output(const picture *p)
{
    static size_t turn;
    size_t count = 0;
    while (count < sizeof p->outputs / sizeof *p->outputs && p->outputs[count]) {
        count++;
    }
    return p->outputs[turn++ % count];
}

/* Why the filter cannot go by rows over such a picture; NULL: it can. */
static const char *refusal_of(const picture *p, const char *spec)
{
    satf_view view = satf_view_packed(NULL, p->width, p->height, p->channels, p->type), out;
    SCOPED_PLAN *plan = NULL;
    SCOPED_FILTER *filter;
    if (satf_filter_parse(ctx, spec, &filter)) {
        return "it takes no window";
    }
    bool fails = filter_output_at(ctx, filter, 0, &view, &out) ||
                 filter_plan_rows(ctx, filter, 0, &view, &out, &plan);
    const char *refusal = fails ? "cannot be applied" : filter_plan_need(plan).refusal;
    return refusal;
}

TEST_ALONE(every_window_filter)
{
    static pairs met;
    for (size_t i = 0; i < PICTURES; i++) {
        char in[300], out[300], spec[100];
        snprintf(in, sizeof in, "%s", make(&pictures[i]));
        const filter_info *info;
        int walked = 0;
        for (size_t k = 0; (info = filter_info_at(k)); k++) {
            snprintf(spec, sizeof spec, "%s=3", info->name);
            bool lines = goes_along_lines(info);
            bool bordered = filter_param_of_kind(info, PARAM_BORDER) != NULL;
            const char *refusal = lines || filter_param_of_kind(info, PARAM_SIZE)
                                      ? refusal_of(&pictures[i], spec)
                                      : "it takes no window";
            for (int b = 0; b < BORDERS && !refusal; b++) {
                bool wrap = strcmp(borders[b], "wrap") == 0;
                const char *const *values = lines ? sigmas : windows;
                walked++;
                if (!PAIRS_RUN(&met, format_of(&pictures[i]), (int)pictures[i].type,
                               pictures[i].channels, (int)k, b)) {
                    continue;
                }
                snprintf(out, sizeof out, "%s", path(next_output(&pictures[i])));
                snprintf(spec, sizeof spec, "%s=%s%s%s", info->name,
                         values[((size_t)b + i + k) % (wrap ? WINDOWS - 1 : WINDOWS)],
                         bordered ? ",border=" : "", bordered ? borders[b] : "");
                if (wrap && refusal_of(&pictures[i], spec)) {
                    continue; /* a filter of several steps */
                }
                bool jpeg = strstr(out, ".jpg") != NULL; /* black and white only as grey */
                compare(in, out, spec, jpeg ? SATF_U8 : SATF_TYPE_AUTO, 2);
            }
        }
        assert_true(walked >= 3 * BORDERS); /* box, variance, stddev */
        unlink(in);
    }
}

TEST_ALONE(integrals)
{
    static const int types[] = {SATF_TYPE_AUTO, SATF_U64, SATF_F32, SATF_F64};
    static pairs met;
    for (size_t i = 0; i < PICTURES; i++) {
        char in[300], out[300];
        snprintf(in, sizeof in, "%s", make(&pictures[i]));
        snprintf(out, sizeof out, "%s", path("o.npy"));
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            if (!PAIRS_RUN(&met, (int)pictures[i].type, pictures[i].channels, (int)k)) {
                continue;
            }
            compare(in, out, "integral", types[k], 2);
            compare(in, out, "integral,squared", types[k], 1);
        }
        snprintf(out, sizeof out, "%s", path(next_output(&pictures[i])));
        compare(in, out, "integral", SATF_TYPE_AUTO, 2);
        unlink(in);
    }
}

TEST_ALONE(chains)
{
    static const char *const specs[] = {
        "box=5 box=9",
        "box=3x41,border=mirror variance=7 box=2",
        "stddev=9 integral",
        "flip=h box=5,border=mirror flip=h integral",
        "box=15,border=shrink stddev=5,border=constant:3 box=4x3,border=reflect variance=3",
        "box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3",
        "box=7x5,border=valid flip=h stddev=4x9,border=valid,at=1:0 box=3 sum=2,border=valid",
        "box=5x300 box=3x300 integral,squared",
    };
    static pairs met;
    for (size_t i = 0; i < PICTURES; i++) {
        char in[300], out[300];
        snprintf(in, sizeof in, "%s", make(&pictures[i]));
        snprintf(out, sizeof out, "%s", path("o.npy"));
        for (size_t k = i % 2; k < sizeof specs / sizeof *specs; k += 2) {
            if (PAIRS_RUN(&met, (int)pictures[i].type, pictures[i].channels, (int)k)) {
                compare(in, out, specs[k], SATF_TYPE_AUTO, pairs_run_all() ? 4 : 2);
            }
        }
        unlink(in);
    }
}

/* ------------------------------------------------------------------- EXIF */

/* A PNG with EXIF behind its pixels: orientation 6. Its bytes are the caller's. */
static unsigned char *make_late_exif(const char *to, size_t *bytes)
{
    enum { END_BYTES = 12, EXIF_BYTES = 26 };
    static const unsigned char exif[] = "\0\0\0\32eXIfII*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0"
                                        "\6\0\0\0\0\0\0\0";
    write_noise(to, 40, 30, 1, SATF_U8, 0, 3);
    size_t n, end = 8 + EXIF_BYTES;
    SCOPED unsigned char *plain = slurp(to, &n);
    unsigned char *late = malloc(n + end + 4);
    assert_non_null(late);
    n -= END_BYTES;
    memcpy(late, plain, n);
    memcpy(late + n, exif, end);
    png_save_uint_32(late + n + end, (png_uint_32)crc32(0, exif + 4, 4 + EXIF_BYTES));
    memcpy(late + n + end + 4, plain + n, END_BYTES);
    *bytes = n + end + 4 + END_BYTES;
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(late, 1, *bytes, file), *bytes);
    fclose(file);
    return late;
}

static void check_orientation(const char *name, int wanted)
{
    size_t bytes, at = 0;
    SCOPED unsigned char *data = slurp(name, &bytes);
    static const unsigned char entry[] = {0x12, 1, 3, 0, 1, 0, 0, 0};
    while (at + sizeof entry < bytes && memcmp(data + at, entry, sizeof entry) != 0) {
        at++;
    }
    if (at + sizeof entry >= bytes || data[at + sizeof entry] != wanted) {
        fail_msg("%s: the orientation is lost or wrong", name);
    }
}

/* A thumbnail goes on either path. */
TEST_ALONE(thumbnail)
{
    static const unsigned char exif[] = "II*\0\10\0\0\0\0\0\16\0\0\0\2\0"
                                        "\1\2\4\0\1\0\0\0\54\0\0\0\2\2\4\0\1\0\0\0\12\0\0\0\0\0\0\0"
                                        "\xff\xd8thumb!\xff\xd9";
    static const char *const outputs[] = {"o.jpg", "o.png"};
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("thumb.jpg"));
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, 40, 30, 1, SATF_U8, 0, &image), SATF_OK);
    image->metadata.exif_bytes = sizeof exif - 1;
    image->metadata.exif = satf_alloc(sizeof exif - 1);
    memcpy(image->metadata.exif, exif, sizeof exif - 1);
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    satf_image_destroy(image);
    for (int i = -1; i < 2; i++) {
        snprintf(out, sizeof out, "%s", i < 0 ? in : path(outputs[i]));
        if (i >= 0) {
            compare(in, out, "box=3", SATF_TYPE_AUTO, 2);
        }
        size_t bytes;
        SCOPED unsigned char *data = slurp(out, &bytes);
        assert_int_equal(memmem(data, bytes, "thumb!", 6) != NULL, i < 0);
        assert_int_equal(satf_image_read(ctx, out, &image), SATF_OK);
        assert_int_equal(image->metadata.exif_bytes, i < 0 ? sizeof exif - 1 : 14);
        satf_image_destroy(image);
    }
}

/* EXIF before the pixels and XMP behind them, out of a pipe: each goes through the filter once. */
TEST_ALONE(late_xmp)
{
    enum { END_BYTES = 12, EXIF_BYTES = 26 };
    static const unsigned char text[] = "\0\0\0\34iTXtXML:com.adobe.xmp\0\0\0\0\0packet";
    const size_t text_bytes = sizeof text - 1;
    char in[300], out[300], name[40];
    size_t bytes;
    snprintf(in, sizeof in, "%s", path("early.png"));
    snprintf(out, sizeof out, "%s", path("o.png"));
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, 40, 30, 1, SATF_U8, 0, &image), SATF_OK);
    image->metadata.exif = satf_alloc(EXIF_BYTES);
    image->metadata.exif_bytes = EXIF_BYTES;
    memcpy(image->metadata.exif, "II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0", EXIF_BYTES);
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    satf_image_destroy(image);
    SCOPED unsigned char *plain = slurp(in, &bytes), *late = malloc(bytes + text_bytes + 4);
    bytes -= END_BYTES;
    memcpy(late, plain, bytes);
    memcpy(late + bytes, text, text_bytes);
    png_save_uint_32(late + bytes + text_bytes,
                     (png_uint_32)crc32(0, text + 4, (unsigned)(text_bytes - 4)));
    memcpy(late + bytes + text_bytes + 4, plain + bytes, END_BYTES);
    bytes += text_bytes + 4 + END_BYTES;
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], late, bytes), bytes);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        assert_int_equal(run(name, out, "flip=h box=3", SATF_TYPE_AUTO, way, 2, &result), SATF_OK);
        close(ends[0]);
        check_orientation(out, 8);
        assert_int_equal(satf_image_read(ctx, out, &image), SATF_OK);
        assert_int_equal(image->metadata.xmp_bytes, 6);
        assert_memory_equal(image->metadata.xmp, "packet", 6);
        satf_image_destroy(image);
    }
}

/* IPTC behind the pixels, out of a pipe: its small picture goes too. */
TEST_ALONE(late_iptc)
{
    static const char resources[] = "8BIM\4\4\0\0\0\0\0\4IPTC8BIM\4\14\0\0\0\0\0\6thumb!";
    enum { HEAD_BYTES = 33, IPTC_BYTES = 16 };
    char in[300], out[300], name[40];
    snprintf(in, sizeof in, "%s", path("iptc.png"));
    snprintf(out, sizeof out, "%s", path("o.png"));
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, 40, 30, 1, SATF_U8, 0, &image), SATF_OK);
    image->metadata.iptc_bytes = sizeof resources - 1;
    image->metadata.iptc = satf_alloc(sizeof resources - 1);
    memcpy(image->metadata.iptc, resources, sizeof resources - 1);
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    satf_image_destroy(image);
    size_t bytes; /* the chunk goes from behind IHDR to the front of IEND */
    SCOPED unsigned char *early = slurp(in, &bytes), *late = malloc(bytes);
    size_t chunk = 12 + png_get_uint_32(early + HEAD_BYTES), rest = bytes - HEAD_BYTES - chunk - 12;
    assert_memory_equal(early + HEAD_BYTES + 4, "tEXtRaw profile", 15);
    memcpy(late, early, HEAD_BYTES);
    memcpy(late + HEAD_BYTES, early + HEAD_BYTES + chunk, rest);
    memcpy(late + HEAD_BYTES + rest, early + HEAD_BYTES, chunk);
    memcpy(late + bytes - 12, early + bytes - 12, 12);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], late, bytes), bytes);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        assert_int_equal(run(name, out, "box=3", SATF_TYPE_AUTO, way, 2, &result), SATF_OK);
        close(ends[0]);
        assert_int_equal(satf_image_read(ctx, out, &image), SATF_OK);
        assert_int_equal(image->metadata.iptc_bytes, IPTC_BYTES);
        assert_memory_equal(image->metadata.iptc, resources, IPTC_BYTES);
        satf_image_destroy(image);
    }
}

/* Into formats that have it in front, too; out of a pipe it comes too late for them. */
TEST_ALONE(late_exif)
{
    char in[300], out[300], name[40];
    size_t bytes;
    snprintf(in, sizeof in, "%s", path("late.png"));
    SCOPED unsigned char *late = make_late_exif(in, &bytes);
    static const char *const outputs[] = {"o.png", "o.jpg"};
    for (int k = 0; k < 2; k++) {
        snprintf(out, sizeof out, "%s", path(outputs[k]));
        compare(in, out, "box=3", SATF_TYPE_AUTO, 2);
        check_orientation(out, 6);
        compare(in, out, "flip=h box=3", SATF_TYPE_AUTO, 2);
        check_orientation(out, 8);
        for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_ROWS; way++) {
            satf_file_report result;
            int ends[2];
            assert_int_equal(pipe(ends), 0);
            assert_int_equal(write(ends[1], late, bytes), bytes);
            close(ends[1]);
            snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
            unlink(out);
            satf_status status = run(name, out, "flip=h box=3", SATF_TYPE_AUTO, way, 2, &result);
            close(ends[0]);
            if (k == 1 && way == SATF_ROUTE_ROWS) {
                assert_int_equal(status, SATF_UNSUPPORTED);
                assert_non_null(strstr(satf_message(ctx), "EXIF"));
                continue;
            }
            assert_int_equal(status, SATF_OK);
            assert_int_equal(result.streamed, way != SATF_ROUTE_WHOLE && k == 0);
            check_orientation(out, 8);
        }
    }
    unlink(in);
}

/* ---------------------------------------------------------------- refusals */

static void write_interlaced(const char *to)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    unsigned char rows[40][30];
    png_bytep pointers[40];
    for (int y = 0; y < 40; y++) {
        pointers[y] = rows[y];
        for (int x = 0; x < 30; x++) {
            rows[y][x] = (unsigned char)(x * y);
        }
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, 30, 40, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7, 0, 0);
    png_write_info(png, info);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static void write_text(const char *to, const char *head, size_t head_bytes, size_t zeros)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, head_bytes, file), head_bytes);
    for (size_t i = 0; i < zeros; i++) {
        assert_int_equal(fputc(0, file), 0);
    }
    fclose(file);
}

TEST_ALONE(refusals)
{
    static const char fortran[] =
        "\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': True, 'shape': (4, 5), }       "
        "    \n";
    write_interlaced(path("interlaced.png"));
    write_noise(path("plain.pgm"), 30, 40, 1, SATF_U8, 0, 5);
    write_text(path("fortran.npy"), fortran, sizeof fortran - 1, 20);
    static const struct {
        const char *in, *spec, *says;
    } cases[] = {
        {"interlaced.png", "box=3", "png file is decoded as a whole"},
        {"fortran.npy", "box=3", "npy file is decoded as a whole"},
        {"plain.pgm", "box=3x40,border=wrap", "--box needs the whole picture for so high a window"},
        {"plain.pgm", "box=3 variance=3,border=wrap",
         "--variance needs the whole picture for border wrap behind another"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_file_report result;
        char in[300], out[300];
        snprintf(in, sizeof in, "%s", path(cases[i].in));
        snprintf(out, sizeof out, "%s", path("refused.npy"));
        assert_int_equal(run(in, out, cases[i].spec, SATF_TYPE_AUTO, SATF_ROUTE_ROWS, 2, &result),
                         SATF_UNSUPPORTED);
        if (!strstr(satf_message(ctx), cases[i].says) ||
            !strstr(satf_message(ctx), "option: stream")) {
            fail_msg("%s of %s: \"%s\"", cases[i].spec, cases[i].in, satf_message(ctx));
        }
        assert_int_equal(access(out, F_OK), -1);
        /* without being asked for it is done as a whole */
        assert_int_equal(run(in, out, cases[i].spec, SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 2, &result),
                         SATF_OK);
        assert_false(result.streamed);
        unlink(out);
    }
    /* the engine and the algorithm asked for are honoured */
    satf_file_report result;
    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_SAT), SATF_OK);
    assert_int_equal(
        run(path("plain.pgm"), path("o.pgm"), "box=3", SATF_TYPE_AUTO, SATF_ROUTE_ROWS, 2, &result),
        SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "SAT engine"));
    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_AUTO), SATF_OK);
    assert_int_equal(satf_context_set_algorithm(ctx, "2r2w"), SATF_OK);
    assert_int_equal(run(path("plain.pgm"), path("o.npy"), "integral", SATF_TYPE_AUTO,
                         SATF_ROUTE_AUTO, 2, &result),
                     SATF_OK);
    assert_false(result.streamed);
    assert_string_equal(result.algorithm, "2r2w");
}

/* ------------------------------------------------------------------ memory */

/* A PGM of zeros that takes no room on the disk. */
static void write_sparse(const char *to, int64_t width, int64_t height)
{
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    int n = fprintf(file, "P5\n%d %d\n255\n", (int)width, (int)height);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(ftruncate(fileno(file), n + width * height), 0);
    fclose(file);
}

TEST_ALONE(limit_is_that_of_rows)
{
    satf_file_report result;
    write_sparse(path("tall.pgm"), 1000, 20000);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 6 << 20), SATF_OK);
    static const char *const specs[] = {"box=255", "box=9 stddev=31 box=3", "integral",
                                        "variance=99,border=wrap box=3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const char *in = path("tall.pgm"), *out = path("tall.npy");
        if (run(in, out, specs[i], SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 2, &result)) {
            fail_msg("%s: %s", specs[i], satf_message(ctx));
        }
        assert_true(result.streamed);
        unlink(out);
        assert_int_equal(run(in, out, specs[i], SATF_TYPE_AUTO, SATF_ROUTE_WHOLE, 2, &result),
                         SATF_LIMIT);
        assert_non_null(strstr(satf_message(ctx), "limit: max-memory"));
    }
    assert_int_equal(run(path("tall.pgm"), path("tall.npy"), "box=3x19999", SATF_TYPE_AUTO,
                         SATF_ROUTE_ROWS, 2, &result),
                     SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "limit: max-memory"));
    assert_int_equal(access(path("tall.npy"), F_OK), -1);
    unlink(path("tall.pgm"));
}

/* A picture that its rows in queues are larger than goes as a whole where only that keeps a limit;
 * the message says all that streaming takes. */
TEST_ALONE(small_pictures_keep_small_limits)
{
    satf_file_report result;
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("small.pgm"));
    snprintf(out, sizeof out, "%s", path("small-out.pgm"));
    write_sparse(in, 512, 512);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1 << 20), SATF_OK);
    assert_int_equal(run(in, out, "box=3", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 2, &result), SATF_OK);
    assert_false(result.streamed);
    assert_int_equal(run(in, out, "box=3", SATF_TYPE_AUTO, SATF_ROUTE_ROWS, 2, &result),
                     SATF_LIMIT);
    long long needed = 0;
    assert_int_equal(sscanf(satf_message(ctx), "streaming it needs %lld", &needed), 1);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, needed), SATF_OK);
    assert_int_equal(run(in, out, "box=3", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 2, &result), SATF_OK);
    assert_true(result.streamed);
    unlink(in);
    unlink(out);
}

/* The most memory that a process of its own holds while it filters a picture, in KiB. */
static long peak_kib(const char *spec, int64_t height)
{
    char in[300];
    snprintf(in, sizeof in, "%s", path("peak.pgm"));
    write_sparse(in, 10000, height);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        satf_filter *filter;
        satf_file_report result;
        if (satf_filter_parse(ctx, spec, &filter)) {
            _exit(1);
        }
        pipeline_job job = {.input = in,
                            .output = "/dev/null",
                            .filter = filter,
                            .write = satf_write_defaults(),
                            .route = SATF_ROUTE_ROWS};
        job.write.format = "npy";
        _exit(pipeline_run(ctx, &job, &result) == SATF_OK ? 0 : 1);
    }
    int status;
    struct rusage usage;
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    unlink(in);
    return usage.ru_maxrss;
}

TEST_ALONE(memory_is_that_of_rows)
{
    static const char *const specs[] = {"box=31", "box=5 variance=9", "integral"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        int rows = pairs_run_all() ? 8000 : 3000;
        long low = peak_kib(specs[i], 500), high = peak_kib(specs[i], rows);
        /* 30 MB in at least, more out; a few MiB are what malloc and threads may differ in */
        if (high > low + (8 << 10)) {
            fail_msg("%s: %ld KiB for 500 rows, %ld KiB for %d", specs[i], low, high, rows);
        }
    }
}

TEST_FILE(.context = &ctx, .folder = true)
