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
static const char *const windows[] = {"5x4", "251x3", "7x60", "1", "3x200"};

static const char *const sigmas[] = {"1.5", "0.4", "3", "9", "70"};

enum { BORDERS = COUNT(borders), WINDOWS = COUNT(windows) };

typedef struct picture {
    const char *name;
    int64_t width, height;
    int channels;
    satf_type type;
    unsigned flags;
    const char *outputs[6]; /* taken in turn */
} picture;

/* At least three blocks of rows each, of 256 KiB. The smallest come first: pairs.h takes most cases
 * of them. */
static const picture pictures[] = {
    {"grey.pfm", 2001, 97, 1, SATF_F32, 0, {"o.pfm", "o.npy"}},
    {"f64.npy", 701, 77, 2, SATF_F64, 0, {"o.npy"}},
    {"u16.npy", 5001, 87, 1, SATF_U16, 0, {"o.npy", "o.pgm"}},
    {"grey16.png", 5001, 89, 1, SATF_U16, 0, {"o.npy", "o.png", "o.pfm"}},
    {"alpha16.pam", 3001, 79, 2, SATF_U16, SATF_ALPHA, {"o.pam", "o.npy"}},
    {"rgba16.png", 1501, 67, 4, SATF_U16, SATF_ALPHA, {"o.png", "o.npy"}},
    {"f32.npy", 901, 99, 3, SATF_F32, 0, {"o.pfm", "o.npy"}},
    {"grey.jpg", 8001, 101, 1, SATF_U8, 0, {"o.jpg", "o.png", "o.npy"}},
    {"rgb.pfm", 901, 83, 3, SATF_F32, 0, {"o.npy", "o.pfm"}},
    {"rgb16.ppm", 2001, 73, 3, SATF_U16, 0, {"o.ppm", "o.npy"}},
    {"grey.png", 9001, 97, 1, SATF_U8, 0, {"o.png", "o.npy", "o.pgm", "o.jpg", "o.pfm"}},
    {"grey.pgm", 9001, 97, 1, SATF_U8, 0, {"o.pgm", "o.npy"}},
    {"rgb.png", 5001, 61, 3, SATF_U8, 0, {"o.ppm", "o.png", "o.jpg", "o.npy", "o.pfm"}},
    {"rgb.jpg", 4001, 91, 3, SATF_U8, 0, {"o.npy", "o.jpg", "o.pfm", "o.ppm"}},
    {"u8.npy", 3001, 93, 4, SATF_U8, 0, {"o.npy", "o.png"}},
    {"rgba.png", 4001, 71, 4, SATF_U8, SATF_ALPHA, {"o.pam", "o.npy", "o.png"}},
    {"alpha.png", 7001, 83, 2, SATF_U8, SATF_ALPHA, {"o.png", "o.pam", "o.npy"}},
    /* and some of one block, which windows are larger than */
    {"one.pgm", 1, 1, 1, SATF_U8, 0, {"o.pgm"}},
    {"wide.ppm", 97, 1, 3, SATF_U8, 0, {"o.png"}},
    {"high.pgm", 1, 211, 1, SATF_U16, 0, {"o.npy"}},
};

enum { PICTURES = COUNT(pictures) };

/* 0: of several blocks; the others are each its own. */
static int size_of(const picture *p)
{
    return p->height == 1 ? 1 + (p->width > 1) : p->width == 1 ? 3 : 0;
}

static pairs met; /* of the case that runs */
#define RUNS(...) PAIRS_ONLY(&met, __VA_ARGS__)

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

/* Writes it. */
static const char *make(const picture *p)
{
    write_noise(p->name, p->width, p->height, p->channels, p->type, p->flags, 17);
    return p->name;
}

/* The outputs of a picture in turn. */
static const char *next_output(const picture *p)
{
    static size_t turn;
    size_t count = 0;
    while (count < COUNT(p->outputs) && p->outputs[count]) {
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
                 filter_plan_rows(ctx, filter, 0, 1, NULL, &view, NULL, &out, &plan);
    const char *refusal = fails ? "cannot be applied" : filter_plan_need(plan).refusal;
    return refusal;
}

/* The filter of that number over picture i, by every border. Returns how many there are. */
static int every_border(size_t i, size_t k, const filter_info *info)
{
    const picture *p = &pictures[i];
    char spec[100];
    snprintf(spec, sizeof spec, "%s=3", info->name);
    bool lines = goes_along_lines(info);
    const char *border = filter_param_of_kind(info, PARAM_BORDER) ? ",border=" : "";
    if ((!lines && !filter_param_of_kind(info, PARAM_SIZE)) || refusal_of(p, spec)) {
        return 0;
    }
    for (int b = 0; b < BORDERS; b++) {
        bool wrap = strcmp(borders[b], "wrap") == 0;
        if (!RUNS(format_of(p), (int)p->type, p->channels, (int)k, b, size_of(p))) {
            continue;
        }
        snprintf(spec, sizeof spec, "%s=%s%s%s", info->name,
                 (lines ? sigmas : windows)[((size_t)b + i + k) % (wrap ? WINDOWS - 1 : WINDOWS)],
                 border, *border ? borders[b] : "");
        if (!wrap || !refusal_of(p, spec)) { /* else a filter of several steps */
            const char *out = next_output(p);
            bool jpeg = strstr(out, ".jpg") != NULL; /* black and white only as grey */
            compare(p->name, out, spec, jpeg ? SATF_U8 : SATF_TYPE_AUTO, 2);
        }
    }
    return BORDERS;
}

TEST_ALONE(every_window_filter)
{
    memset(&met, 0, sizeof met);
    for (size_t i = 0; i < PICTURES; i++) {
        const filter_info *info;
        int walked = 0;
        make(&pictures[i]);
        for (size_t k = 0; (info = filter_info_at(k)); k++) {
            walked += every_border(i, k, info);
        }
        assert_true(walked >= 3 * BORDERS); /* box, variance, stddev */
        unlink(pictures[i].name);
    }
}

TEST_ALONE(integrals)
{
    static const int types[] = {SATF_TYPE_AUTO, SATF_U64, SATF_F32, SATF_F64};
    memset(&met, 0, sizeof met);
    for (size_t i = 0; i < PICTURES; i++) {
        const char *in = make(&pictures[i]);
        for (size_t k = 0; k < COUNT(types); k++) {
            if (RUNS((int)pictures[i].type, pictures[i].channels, (int)k, size_of(&pictures[i]))) {
                compare(in, "o.npy", "integral", types[k], 2);
                compare(in, "o.npy", "integral,squared", types[k], 1);
            }
        }
        compare(in, next_output(&pictures[i]), "integral", SATF_TYPE_AUTO, 2);
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
    memset(&met, 0, sizeof met);
    for (size_t i = 0; i < PICTURES; i++) {
        const char *in = make(&pictures[i]);
        for (size_t k = 0; k < COUNT(specs); k++) {
            bool fits = !size_of(&pictures[i]) || !strstr(specs[k], "valid");
            if (fits &&
                RUNS((int)pictures[i].type, pictures[i].channels, (int)k, size_of(&pictures[i]))) {
                compare(in, "o.npy", specs[k], SATF_TYPE_AUTO, pairs_run_all() ? 4 : 2);
            }
        }
        compare(in, "o.npy", "box=5", pictures[i].type == SATF_U8 ? SATF_U16 : SATF_U8, 3);
        unlink(in);
    }
}

/* ------------------------------------------------------------------- EXIF */

enum { END_BYTES = 12 }; /* of a PNG: IEND */

#define EXIF_OF(orientation) "II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0" orientation "\0\0\0\0\0\0\0"

/* A grey picture with that block in its metadata. */
static void write_with(const char *name, satf_metadata_kind kind, const void *block, size_t n)
{
    satf_image *image = make_noise(40, 30, 1, SATF_U8, 0, 3);
    MUST(ctx, satf_image_set_metadata(ctx, image, kind, block, n));
    write_image(image, name);
}

/* The PNG has a chunk behind its pixels, too: its length, name and data. */
static void add_late(const char *name, const char *chunk, size_t n)
{
    unsigned char crc[4];
    insert(name, -END_BYTES, chunk, n);
    png_save_uint_32(crc, (png_uint_32)crc32(0, (const unsigned char *)chunk + 4, (unsigned)n - 4));
    insert(name, -END_BYTES, crc, sizeof crc);
}

/* The job of that file, out of a pipe. */
static satf_status run_piped(const char *name, const char *out, const char *spec, satf_route way)
{
    char in[40];
    int end = open_pipe_of(name);
    snprintf(in, sizeof in, "/dev/fd/%d", end);
    unlink(out);
    satf_status status = run(JOB(in, out, spec, way));
    close(end);
    return status;
}

static void check_orientation(const char *name, unsigned char wanted)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes);
    const unsigned char entry[] = {0x12, 1, 3, 0, 1, 0, 0, 0, wanted};
    if (!memmem(data, bytes, entry, sizeof entry)) {
        fail_msg("%s: the orientation is lost or wrong", name);
    }
}

/* A thumbnail goes on either path. */
TEST_ALONE(thumbnail)
{
    static const char exif[] = "II*\0\10\0\0\0\0\0\16\0\0\0\2\0"
                               "\1\2\4\0\1\0\0\0\54\0\0\0\2\2\4\0\1\0\0\0\12\0\0\0\0\0\0\0"
                               "\xff\xd8thumb!\xff\xd9";
    static const char *const files[] = {"thumb.jpg", "o.jpg", "o.png"};
    write_with(files[0], SATF_METADATA_EXIF, exif, sizeof exif - 1);
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            compare(files[0], files[i], "box=3", SATF_TYPE_AUTO, 2);
        }
        size_t bytes;
        SCOPED unsigned char *data = slurp(files[i], &bytes);
        SCOPED_IMAGE *image = read_image(files[i]);
        assert_int_equal(memmem(data, bytes, "thumb!", 6) != NULL, i == 0);
        assert_int_equal(image->metadata.exif_bytes, i == 0 ? sizeof exif - 1 : 14);
    }
}

/* EXIF before the pixels and XMP behind them, out of a pipe: each goes through the filter once. */
TEST_ALONE(late_xmp)
{
    static const char text[] = "\0\0\0\34iTXtXML:com.adobe.xmp\0\0\0\0\0packet";
    static const char exif[] = EXIF_OF("\6");
    write_with("early.png", SATF_METADATA_EXIF, exif, sizeof exif - 1);
    add_late("early.png", text, sizeof text - 1);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        assert_int_equal(run_piped("early.png", "o.png", "flip=h box=3", way), SATF_OK);
        check_orientation("o.png", 8);
        SCOPED_IMAGE *image = read_image("o.png");
        assert_int_equal(image->metadata.xmp_bytes, 6);
        assert_memory_equal(image->metadata.xmp, "packet", 6);
    }
}

/* IPTC behind the pixels, out of a pipe: its small picture goes too. */
TEST_ALONE(late_iptc)
{
    static const char resources[] = "8BIM\4\4\0\0\0\0\0\4IPTC8BIM\4\14\0\0\0\0\0\6thumb!";
    enum { IPTC_BYTES = 16 };
    satf_image *image = make_noise(40, 30, 1, SATF_U8, 0, 3);
    MUST(ctx, satf_copy_block(ctx, resources, sizeof resources - 1, &image->metadata.iptc,
                              &image->metadata.iptc_bytes));
    write_image(image, "iptc.png");
    delay_chunk("iptc.png", "tEXt");
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        assert_int_equal(run_piped("iptc.png", "o.png", "box=3", way), SATF_OK);
        SCOPED_IMAGE *got = read_image("o.png");
        assert_int_equal(got->metadata.iptc_bytes, IPTC_BYTES);
        assert_memory_equal(got->metadata.iptc, resources, IPTC_BYTES);
    }
}

/* Into formats that have it in front, too; out of a pipe it comes too late for them. */
TEST_ALONE(late_exif)
{
    static const char chunk[] = "\0\0\0\32eXIf" EXIF_OF("\6");
    static const char *const outputs[] = {"o.png", "o.jpg"};
    write_noise("late.png", 40, 30, 1, SATF_U8, 0, 3);
    add_late("late.png", chunk, sizeof chunk - 1);
    for (int k = 0; k < 2; k++) {
        const char *out = outputs[k];
        compare("late.png", out, "box=3", SATF_TYPE_AUTO, 2);
        check_orientation(out, 6);
        compare("late.png", out, "flip=h box=3", SATF_TYPE_AUTO, 2);
        check_orientation(out, 8);
        for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_ROWS; way++) {
            satf_status status = run_piped("late.png", out, "flip=h box=3", way);
            if (k == 1 && way == SATF_ROUTE_ROWS) {
                assert_int_equal(status, SATF_UNSUPPORTED);
                assert_non_null(strstr(satf_message(ctx), "EXIF"));
                continue;
            }
            assert_int_equal(status, SATF_OK);
            assert_int_equal(report.streamed, way != SATF_ROUTE_WHOLE && k == 0);
            check_orientation(out, 8);
        }
    }
}

/* ---------------------------------------------------------------- refusals */

TEST_ALONE(refusals)
{
    static const char interlaced[] = /* of a pixel */
        "\211PNG\15\12\32\12\0\0\0\15IHDR\0\0\0\1\0\0\0\1\10\0\0\0\1My\253\303"
        "\0\0\0\12IDATx\234c`\7\0\0\11\0\10 #\303\214"
        "\0\0\0\0IEND\256B`\202";
    static const char fortran[] =
        "\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': True, 'shape': (4, 5), }       "
        "    \n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    write_bytes("interlaced.png", interlaced, sizeof interlaced - 1);
    write_noise("plain.pgm", 30, 40, 1, SATF_U8, 0, 5);
    write_bytes("fortran.npy", fortran, sizeof fortran - 1);
    static const struct {
        const char *in, *spec, *says;
    } cases[] = {
        {"interlaced.png", "box=3", "png file is decoded as a whole"},
        {"fortran.npy", "box=3", "npy file is decoded as a whole"},
        {"plain.pgm", "box=3x40,border=wrap", "--box needs the whole picture for so high a window"},
        {"plain.pgm", "box=3 variance=3,border=wrap",
         "--variance needs the whole picture for border wrap behind another"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        must_fail(JOB(cases[i].in, "no.npy", cases[i].spec, SATF_ROUTE_ROWS), SATF_UNSUPPORTED,
                  cases[i].says);
        assert_non_null(strstr(satf_message(ctx), "option: stream"));
        /* without being asked for it is done as a whole */
        must_run(JOB(cases[i].in, "whole.npy", cases[i].spec));
        assert_false(report.streamed);
    }
    must_run(JOB("plain.pgm", "whole.npy", "box=3,border=wrap")); /* so small, it is not worth it */
    assert_false(report.streamed);
    /* the engine and the algorithm asked for are honoured */
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT));
    must_fail(JOB("plain.pgm", "no.pgm", "box=3", SATF_ROUTE_ROWS), SATF_UNSUPPORTED, "SAT engine");
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_AUTO));
    MUST(ctx, satf_context_set_algorithm(ctx, "2r2w"));
    must_run(JOB("plain.pgm", "o.npy", "integral"));
    assert_false(report.streamed);
    assert_string_equal(report.algorithm, "2r2w");
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
    static const char *const specs[] = {"box=255", "box=9 stddev=31 box=3", "integral",
                                        "variance=99,border=wrap box=3"};
    write_sparse("tall.pgm", 1000, 20000);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 6 << 20));
    for (size_t i = 0; i < COUNT(specs); i++) {
        must_run(JOB("tall.pgm", "tall.npy", specs[i]));
        assert_true(report.streamed);
        must_fail(JOB("tall.pgm", "tall.npy", specs[i], SATF_ROUTE_WHOLE), SATF_LIMIT,
                  "limit: max-memory");
    }
    must_fail(JOB("tall.pgm", "tall.npy", "box=3x19999", SATF_ROUTE_ROWS), SATF_LIMIT,
              "limit: max-memory");
}

/* A picture that its rows in queues are larger than goes as a whole where only that keeps a limit;
 * the message says all that streaming takes. */
TEST_ALONE(small_pictures_keep_small_limits)
{
    const job *any = JOB("small.pgm", "out.pgm", "box=3");
    write_sparse("small.pgm", 512, 512);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 20));
    must_run(any);
    assert_false(report.streamed);
    must_fail(JOB("small.pgm", "out.pgm", "box=3", SATF_ROUTE_ROWS), SATF_LIMIT, "");
    long long needed = 0;
    assert_int_equal(sscanf(satf_message(ctx), "streaming it needs %lld", &needed), 1);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, needed));
    must_run(any);
    assert_true(report.streamed);
}

/* The most memory that a process of its own holds while it filters a picture, in KiB. */
static long peak_kib(const char *spec, int64_t height)
{
    write_sparse("peak.pgm", 10000, height);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(run(JOB("peak.pgm", "/dev/null", spec, SATF_ROUTE_ROWS, .write.format = "npy")) !=
              SATF_OK);
    }
    int status;
    struct rusage usage;
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss;
}

TEST_ALONE(memory_is_that_of_rows)
{
    static const char *const specs[] = {"box=31", "box=5 variance=9", "integral"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        enum { ROWS = 3000 };
        long low = peak_kib(specs[i], 500), high = peak_kib(specs[i], ROWS);
        /* 30 MB in at least, more out; a few MiB are what malloc and threads may differ in */
        if (high > low + (8 << 10)) {
            fail_msg("%s: %ld KiB for 500 rows, %ld KiB for %d", specs[i], low, high, ROWS);
        }
    }
}

TEST_FILE(.context = &ctx, .folder = true)
