/* Files by callbacks: what is read and written is what files hold, however few bytes a callback
 * moves; pipelines stream; a callback that fails is named, and is not called again. */
#include "test.h"
#include "test_io_files.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { ROOM = 1 << 21, LEAD = 13 }; /* LEAD: bytes in front of the file */

/* A file in memory, and what goes wrong with it. */
typedef struct fake {
    unsigned char *data;
    int64_t n, at;
    size_t most;     /* bytes a call moves */
    int calls, fail; /* this call fails, from 1 on; 0: none */
    bool too_many;   /* by moving too many rather than none */
    bool failed;
    atomic_int busy;
    uint64_t seed;
} fake;

/* Whether this call may go on. */
static bool begin(fake *f)
{
    assert_int_equal(atomic_fetch_add(&f->busy, 1), 0); /* one thread at a time */
    assert_false(f->failed);                            /* nothing behind a failure */
    f->failed = ++f->calls == f->fail;
    return !f->failed;
}

static int64_t end(fake *f, int64_t result)
{
    atomic_fetch_sub(&f->busy, 1);
    return result;
}

/* 1 ... n, at most f->most */
static int64_t some(fake *f, size_t n)
{
    size_t most = n < f->most ? n : f->most;
    assert_in_range(n, 1, 1 << 20);
    return (int64_t)(1 + next_random(&f->seed) % most);
}

static int64_t fake_read(void *user, void *data, size_t n)
{
    fake *f = user;
    if (!begin(f)) {
        return end(f, f->too_many ? (int64_t)n + 1 : -1);
    }
    int64_t some_bytes = some(f, n), left = f->n - f->at;
    some_bytes = some_bytes < left ? some_bytes : left;
    memcpy(data, f->data + f->at, (size_t)some_bytes);
    f->at += some_bytes;
    return end(f, some_bytes);
}

static int64_t fake_write(void *user, const void *data, size_t n)
{
    fake *f = user;
    if (!begin(f)) {
        return end(f, f->too_many ? (int64_t)n + 1 : -(int64_t)(n % 2));
    }
    int64_t some_bytes = some(f, n);
    assert_true(f->at + some_bytes <= ROOM);
    memcpy(f->data + f->at, data, (size_t)some_bytes);
    f->at += some_bytes;
    f->n = f->n > f->at ? f->n : f->at;
    return end(f, some_bytes);
}

static int64_t fake_seek(void *user, int64_t offset, int whence)
{
    fake *f = user;
    if (!begin(f)) {
        return end(f, -1);
    }
    f->at = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? f->at : f->n);
    assert_in_range(f->at, 0, ROOM);
    return end(f, f->at);
}

/* Of that content behind LEAD others, at most so many bytes a call; NULL: to be written. */
static satf_file_calls make_fake(fake *f, const void *data, size_t n, size_t most, bool seeks)
{
    satf_file_calls calls;
    *f = (fake){.n = LEAD + (int64_t)n, .at = LEAD, .most = most, .seed = 1 + most};
    f->data = calloc(1, ROOM);
    assert_non_null(f->data);
    assert_true(n <= ROOM - LEAD);
    memset(f->data, 'x', LEAD);
    if (n > 0) {
        memcpy(f->data + LEAD, data, n);
    }
    satf_file_calls_init(&calls, sizeof calls);
    calls.user = f;
    calls.read = data ? fake_read : NULL;
    calls.write = data ? NULL : fake_write;
    calls.seek = seeks ? fake_seek : NULL;
    return calls;
}

static void free_fake(fake *f)
{
    free(f->data);
}

#define SCOPED_FAKE __attribute__((unused, cleanup(free_fake))) fake

static void assert_holds(const char *what, const fake *f, const bytes *want)
{
    assert_bytes(what, f->data + LEAD, (size_t)f->n - LEAD, want->data, want->n);
    for (int i = 0; i < LEAD; i++) {
        assert_int_equal(f->data[i], 'x');
    }
}

/* Whether there are files of that format here, and one, of an image of random samples. */
static bool make_file(satf_context *ctx, size_t f, int64_t width, satf_image **image, bytes *file)
{
    const io_format *format = io_format_at(f), *loaded;
    bool real = format->picture_types == 0 && strcmp(format->name, "pfm") == 0;
    if (!io_can_write(format) || io_format_load(ctx, format, &loaded)) {
        return false;
    }
    *image = make_image(ctx, width, 61, 3, real ? SATF_F32 : SATF_U8, 0, 7);
    *file = must_encode(ctx, *image, format->name);
    return true;
}

/* Into a file that has no size, in dribs and drabs, by a process of its own. */
static pid_t feed(const char *fifo, const bytes *file)
{
    pid_t child = fork();
    if (child == 0) {
        int fd = open(fifo, O_WRONLY);
        for (size_t at = 0, n; at < file->n; at += n) {
            n = at < 100 ? 7 : 9999;
            n = at + n > file->n ? file->n - at : n;
            if (write(fd, file->data + at, n) != (ssize_t)n) {
                _exit(1);
            }
        }
        _exit(0);
    }
    return child;
}

/* What a file, or callbacks, say of themselves. */
static void assert_described(const char *name, const satf_image_info *info, const satf_view *want)
{
    const satf_view *v = &info->view;
    assert_string_equal(info->format, name);
    assert_true(v->width == want->width && v->height == want->height);
    assert_true(v->channels == want->channels && v->type == want->type);
    assert_true(info->orientation == 1 && info->pictures == 1 && !info->exif_bytes);
}

/* In memory, by a path and through a pipe. */
static void check_files(satf_context *ctx, const satf_image *image, const bytes *file,
                        const satf_view *want, const satf_write_options *options)
{
    const char *name = options->format;
    satf_image_info info;
    int result;
    SCOPED_BYTES whole;
    MUST(ctx, encode_whole(ctx, image, options, &whole));
    assert_bytes(name, whole.data, whole.n, file->data, file->n);
    MUST(ctx, satf_image_write(ctx, image, "by path", options));
    FILE *from = fopen("by path", "rb");
    SCOPED_BYTES there = bytes_of(NULL, file->n + 1);
    assert_bytes(name, there.data, fread(there.data, 1, there.n, from), file->data, file->n);
    fclose(from);
    MUST(ctx, satf_image_probe(ctx, "by path", &info, sizeof info));
    assert_described(name, &info, want);
    pid_t child = feed("fifo", file);
    SCOPED_IMAGE *read;
    MUST(ctx, satf_image_read(ctx, "fifo", &read));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_same_pixels(name, want, &read->view);
}

/* Every format, by each way in and out; by callbacks that move bytes, pieces, and all that is asked
 * for. */
TEST(test_formats)
{
    static const size_t pieces[] = {1, 37, 1 << 20};
    int formats = 0;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t k = 0; io_format_at(k); k++) {
        satf_write_options options = options_for(io_format_at(k)->name);
        SCOPED_IMAGE *image = NULL;
        SCOPED_BYTES file = {0};
        if (!make_file(ctx, k, 301, &image, &file)) {
            continue;
        }
        formats++;
        SCOPED_IMAGE *want = must_decode(ctx, file.data, file.n);
        check_files(ctx, image, &file, &want->view, &options);
        for (int i = 0; i < 6; i++) {
            SCOPED_FAKE from, to;
            satf_image_info info;
            bool seeks = i % 2;
            satf_file_calls in = make_fake(&from, file.data, file.n, pieces[i / 2], seeks),
                            out = make_fake(&to, NULL, 0, pieces[i / 2], seeks);
            SCOPED_IMAGE *read;
            MUST(ctx, satf_image_read_from(ctx, &in, &read));
            assert_same_pixels(options.format, &want->view, &read->view);
            MUST(ctx, satf_image_write_to(ctx, image, &out, &options));
            assert_holds(options.format, &to, &file);
            from.at = LEAD;
            MUST(ctx, satf_image_probe_from(ctx, &in, &info, sizeof info));
            assert_described(options.format, &info, &want->view);
        }
    }
    assert_true(formats >= 5);
}

TEST(test_formats_not_written)
{
    satf_format_info format;
    SCOPED_IMAGE *image = make_image(ctx, 3, 3, 3, SATF_U8, 0, 5);
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        satf_write_options options = options_for(format.name);
        void *data = image;
        size_t n;
        if (!format.can_write) {
            assert_int_equal(satf_image_encode(ctx, image, &options, &data, &n), SATF_UNSUPPORTED);
            assert_null(data);
        }
    }
}

/* Pages are read in any order where there is `seek`, and written with and without it. */
TEST(test_pages)
{
    static const char *const names[] = {"npy", "tiff"};
    MUST(ctx, satf_context_set_axes(ctx, "ZYX"));
    for (int i = 0; i < 4; i++) {
        satf_write_options options = options_for(names[i / 2]);
        satf_image *page[3];
        satf_image_file *file;
        SCOPED_FAKE to = {0}, from = {0};
        if (satf_format_missing(names[i / 2])) {
            continue;
        }
        satf_file_calls out = make_fake(&to, NULL, 0, 999, i % 2);
        MUST(ctx, satf_image_file_create_to(ctx, &out, 3, &options, &file));
        out.write = NULL; /* it has been copied */
        for (int k = 0; k < 3; k++) {
            page[k] = make_image(ctx, 31, 17, 1, SATF_U8, 0, 4 + (uint64_t)k);
            MUST(ctx, satf_image_file_append(ctx, file, page[k]));
        }
        MUST(ctx, satf_image_file_finish(ctx, file));
        satf_image_file_close(file);

        satf_file_calls in = make_fake(&from, to.data + LEAD, (size_t)to.n - LEAD, 999, i % 2);
        MUST(ctx, satf_image_file_open_from(ctx, &in, &file));
        assert_int_equal(satf_image_file_pages(file), 3);
        for (int k = 0; k < 3; k++) {
            int number = i % 2 ? 2 - k : k;
            SCOPED_IMAGE *read;
            MUST(ctx, satf_image_file_read(ctx, file, 1 + number, &read));
            assert_same_pixels(names[i / 2], &page[number]->view, &read->view);
            satf_image_destroy(page[number]);
        }
        satf_image_file_close(file);
    }
}

/* ---------------------------------------------------------------------- pipelines */

static satf_status filter_calls(satf_context *ctx, const char *spec, const satf_file_calls *in,
                                const satf_file_calls *out, const char *name, satf_route route,
                                satf_file_report *report)
{
    SCOPED_FILTER *filter;
    satf_file_options options;
    satf_file_options_init(&options, sizeof options);
    options.input_calls = in;
    options.output_calls = out;
    options.route = route;
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    return satf_filter_file(ctx, filter, "request", name, &options, report, sizeof *report);
}

/* The bytes of a whole image that is filtered and encoded. */
static bytes expected(satf_context *ctx, const char *spec, const bytes *file, const char *format)
{
    SCOPED_IMAGE *in = must_decode(ctx, file->data, file->n), *out = filtered(ctx, in, spec);
    bytes made = must_encode(ctx, out, format);
    return made;
}

/* Every format, by both routes, on threads; border wrap reads twice. */
TEST(test_pipelines)
{
    for (size_t k = 0; io_format_at(k); k++) {
        const char *name = io_format_at(k)->name;
        SCOPED_IMAGE *image = NULL;
        SCOPED_BYTES file = {0};
        if (!make_file(ctx, k, 2047, &image, &file)) {
            continue;
        }
        for (int i = 0; i < 8; i++) {
            SCOPED_FAKE from, to;
            satf_file_report report;
            char output[32];
            bool seeks = i % 2, wraps = i % 4 == 3;
            const char *spec = wraps ? "box=3x5,border=wrap" : "box=5 unsharp=3";
            satf_file_calls in = make_fake(&from, file.data, file.n, 70001, seeks),
                            out = make_fake(&to, NULL, 0, 70001, seeks);
            SCOPED_BYTES want = expected(ctx, spec, &file, name);
            snprintf(output, sizeof output, "answer.%s", name);
            satf_context_set_threads(ctx, 1 + i / 2);
            MUST(ctx, filter_calls(ctx, spec, &in, &out, output,
                                   i / 4 ? SATF_ROUTE_WHOLE : SATF_ROUTE_AUTO, &report));
            assert_holds(name, &to, &want);
            assert_int_equal(report.in_bytes, seeks ? (int64_t)file.n : 0);
            assert_int_equal(report.out_bytes, want.n);
        }
    }
}

TEST(test_streams)
{
    SCOPED_IMAGE *image = make_image(ctx, 2047, 61, 1, SATF_U8, 0, 3);
    SCOPED_BYTES file = must_encode(ctx, image, "pgm");
    for (int seeks = 0; seeks < 2; seeks++) {
        SCOPED_FAKE from, to;
        satf_file_report report;
        satf_file_calls in = make_fake(&from, file.data, file.n, 5000, seeks),
                        out = make_fake(&to, NULL, 0, 5000, false);
        MUST(ctx, filter_calls(ctx, "box=5", &in, &out, "a.pgm", SATF_ROUTE_ROWS, &report));
        assert_true(report.streamed);
        from.at = to.at = LEAD;
        satf_status status =
            filter_calls(ctx, "box=5,border=wrap", &in, &out, "a.pgm", SATF_ROUTE_ROWS, &report);
        assert_int_equal(status, seeks ? SATF_OK : SATF_UNSUPPORTED);
    }
}

/* The file, and 77s for ever. */
static int64_t read_for_ever(void *user, void *data, size_t n)
{
    fake *f = user;
    int64_t left = f->n - f->at, count = left > 0 && left < (int64_t)n ? left : (int64_t)n;
    memset(data, 77, (size_t)count);
    if (left > 0) {
        memcpy(data, f->data + f->at, (size_t)count);
    }
    f->at += count;
    return count;
}

/* Counts the 77s. */
static int64_t count_bytes(void *user, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *(int64_t *)user += ((const unsigned char *)data)[i] == 77;
    }
    return (int64_t)n;
}

/* 128 MiB go through in 6. */
TEST(test_memory_is_bounded)
{
    int64_t pixels = 0;
    SCOPED_FAKE from;
    satf_file_report report;
    static const char head[] = "P5\n2048 65536\n255\n";
    satf_file_calls in = make_fake(&from, DATA(head), 1, false), out;
    satf_file_calls_init(&out, sizeof out);
    in.read = read_for_ever;
    out.user = &pixels;
    out.write = count_bytes;
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 6 << 20));
    MUST(ctx, filter_calls(ctx, "box=15", &in, &out, "a.pgm", SATF_ROUTE_AUTO, &report));
    assert_true(report.streamed);
    assert_int_equal(pixels, 2048 << 16);
    assert_int_equal(report.out_bytes, pixels + (int64_t)strlen(head));
}

static int cancel_at_once(void *user, double done)
{
    (void)done;
    return ++*(int *)user > 20;
}

/* A file that never ends is held no further than the limit, and can be stopped. */
TEST(test_endless)
{
    SCOPED_IMAGE *image = make_image(ctx, 47, 61, 3, SATF_U8, 0, 3), *read, *none;
    SCOPED_BYTES file = must_encode(ctx, image, "ppm");
    SCOPED_FAKE rows, bmp, comment;
    satf_file_calls in = make_fake(&rows, file.data, file.n, 5000, false);
    in.read = read_for_ever;
    MUST(ctx, satf_image_read_from(ctx, &in, &read)); /* all rows are there */
    assert_same_pixels("PPM", &image->view, &read->view);

    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 16 << 20);
    static const unsigned char head[] = "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x09\0\0\0\x09"
                                        "\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                        "\0\0\0\0\0\0\0";
    in = make_fake(&bmp, head, sizeof head, 5000, false);
    in.read = read_for_ever;
    assert_int_equal(satf_image_read_from(ctx, &in, &none), SATF_LIMIT);
    assert_null(none);
    assert_in_range(bmp.at, 1 << 20, 32 << 20);

    int calls = 0;
    in = make_fake(&comment, "P5 #", 4, 5000, false);
    in.read = read_for_ever;
    satf_context_set_progress(ctx, cancel_at_once, &calls);
    assert_int_equal(satf_image_read_from(ctx, &in, &none), SATF_CANCELLED);
}

/* ----------------------------------------------------------------------- failures */

static void assert_named(satf_context *ctx, satf_status status, const fake *f)
{
    const char *said = satf_message(ctx);
    if (f->failed && (status != SATF_IO || !strstr(said, "failed: the callback `"))) {
        fail_msg("call %d fails: %s, \"%s\"", f->fail, satf_status_name(status), said);
    }
    if (!f->failed && status) {
        fail_msg("no call fails: \"%s\"", said);
    }
}

/* Each call in turn fails, the k-th, until none does any more. */
TEST(test_failures)
{
    int failures = 0;
    for (size_t k = 0; io_format_at(k); k++) {
        SCOPED_IMAGE *image = NULL;
        SCOPED_BYTES file = {0};
        if (!make_file(ctx, k, 47, &image, &file)) {
            continue;
        }
        satf_write_options options = options_for(io_format_at(k)->name);
        for (int i = 0; i < 4; i++) {
            bool failed = true;
            for (int n = 1; failed; n++) {
                SCOPED_FAKE from, to;
                satf_file_calls in = make_fake(&from, file.data, file.n, 900, i % 2);
                satf_file_calls out = make_fake(&to, NULL, 0, 900, i % 2);
                from.fail = to.fail = n;
                from.too_many = to.too_many = i / 2;
                SCOPED_IMAGE *read;
                satf_status status = satf_image_read_from(ctx, &in, &read);
                assert_named(ctx, status, &from);
                assert_int_equal(read != NULL, !status);
                assert_named(ctx, satf_image_write_to(ctx, image, &out, &options), &to);
                failed = from.failed || to.failed;
                failures += failed;
            }
        }
    }
    assert_true(failures > 100);
}

/* The same of pipelines, whose report names the file. */
TEST(test_failures_of_pipelines)
{
    static const char *const names[] = {"a.png", "a.jpg", "a.npy", "a.tif", "a.pfm"};
    for (int k = 0; k < 5; k++) {
        bool pfm = k == 4;
        const char *format = pfm ? "pfm" : "png";
        if (k == 3 && satf_format_missing("tiff")) {
            continue;
        }
        SCOPED_IMAGE *image = make_image(ctx, 301, 91, 1, pfm ? SATF_F32 : SATF_U8, 0, 3);
        SCOPED_BYTES file = must_encode(ctx, image, format);
        for (int i = 0; i < 4; i++) {
            bool failed = true;
            for (int n = 1; failed; n++) {
                SCOPED_FAKE from, to;
                satf_file_report report;
                satf_file_calls in = make_fake(&from, file.data, file.n, 9000, i % 2),
                                out = make_fake(&to, NULL, 0, 9000, i % 2);
                *(n % 2 ? &from.fail : &to.fail) = (n + 1) / 2;
                satf_context_set_threads(ctx, 1 + n % 3);
                satf_status status =
                    filter_calls(ctx, "box=5", &in, &out, names[k],
                                 i / 2 ? SATF_ROUTE_WHOLE : SATF_ROUTE_AUTO, &report);
                assert_named(ctx, status, n % 2 ? &from : &to);
                assert_true(!status || strcmp(report.at, n % 2 ? "request" : names[k]) == 0);
                failed = status || n % 2;
            }
        }
    }
}

static int64_t end_before_start(void *user, int64_t offset, int whence)
{
    (void)user, (void)offset;
    return whence == SEEK_END ? INT64_MIN : INT64_MAX;
}

TEST(test_refusals)
{
    SCOPED_IMAGE *image = make_image(ctx, 3, 3, 1, SATF_U8, 0, 3);
    satf_image *read = image;
    satf_image_file *file = (satf_image_file *)image;
    satf_write_options options = options_for("png"), unnamed = options;
    satf_image_info info;
    satf_file_calls calls, reads, unset;
    satf_file_calls_init(&calls, sizeof calls);
    unnamed.format = NULL;
    reads = calls;
    reads.read = fake_read;
    reads.seek = end_before_start;
    unset = reads;
    unset.bytes = 0;
    REFUSED(satf_image_read_from(NULL, &calls, &read), SATF_INVALID, "");
    assert_null(read);
    REFUSED(satf_image_read_from(ctx, NULL, &read), SATF_INVALID, "");
    REFUSED(satf_image_read_from(ctx, &calls, NULL), SATF_INVALID, "");
    REFUSED(satf_image_read_from(ctx, &calls, &read), SATF_INVALID,
            "the callback `read` is missing");
    REFUSED(satf_image_write_to(ctx, image, &calls, &options), SATF_INVALID,
            "the callback `write` is missing");
    REFUSED(satf_image_write_to(ctx, image, NULL, &options), SATF_INVALID, "");
    REFUSED(satf_image_write_to(ctx, NULL, &calls, &options), SATF_INVALID, "");
    REFUSED(satf_image_write_to(ctx, image, &calls, &unnamed), SATF_INVALID,
            "callbacks have no suffix to go by; name a format");
    REFUSED(satf_image_probe_from(ctx, NULL, &info, sizeof info), SATF_INVALID, "");
    REFUSED(satf_image_file_open_from(ctx, NULL, &file), SATF_INVALID, "");
    assert_null(file);
    REFUSED(satf_image_file_create_to(ctx, NULL, 1, &options, &file), SATF_INVALID, "");
    REFUSED(satf_image_read_from(ctx, &reads, &read), SATF_IO,
            "reading failed: the callback `seek` has failed");
    REFUSED(satf_image_read_from(ctx, &unset, &read), SATF_INVALID,
            "satf_file_calls was not set by satf_file_calls_init()");
}

TEST_FILE(.formats = "all", .folder = true)
