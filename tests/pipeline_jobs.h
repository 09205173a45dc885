/* What the tests of src/pipeline share: files of noise in the current folder, which goes again;
 * jobs and what they report; and files, pictures and notes that are compared. */
#ifndef TEST_PIPELINE_JOBS_H
#define TEST_PIPELINE_JOBS_H

#include "test.h"

#include <sys/stat.h>

#include "samples.h"

#include "io/meta/exif.h"
#include "base/memory.h"
#include "pipeline/pipeline.h"

static satf_context *ctx;
static satf_file_report report; /* of the last job */

/* ---------------------------------------------------------------------- files */

static inline uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static inline satf_image *make_noise(int64_t width, int64_t height, int channels, satf_type type,
                                     unsigned flags, uint32_t seed)
{
    satf_image *image;
    MUST(ctx, satf_image_create(ctx, width, height, channels, type, flags, &image));
    const satf_view *view = satf_image_view(image);
    int64_t samples = satf_row_samples(view) * height;
    for (int64_t i = 0; i < samples; i++) {
        put_noise(view, (size_t)i, noise(&seed));
    }
    return image;
}

/* The image is written, and goes. */
static inline void write_image(satf_image *image, const char *to)
{
    SCOPED_IMAGE *written = image;
    if (satf_image_write(ctx, written, to, NULL)) {
        fail_msg("%s: %s", to, satf_message(ctx));
    }
}

static inline void write_noise(const char *to, int64_t width, int64_t height, int channels,
                               satf_type type, unsigned flags, uint32_t seed)
{
    write_image(make_noise(width, height, channels, type, flags, seed), to);
}

/* A file of `count` pages, of which make() makes those from `first` on. */
static inline void write_pages(const char *to, satf_image *(*make)(int), int first, int count,
                               const char *compression)
{
    satf_image_file *file;
    satf_write_options options = satf_write_defaults();
    options.compression = compression;
    MUST(ctx, satf_image_file_create(ctx, to, count, &options, &file));
    for (int k = first; k < first + count; k++) {
        SCOPED_IMAGE *image = make(k);
        MUST(ctx, satf_image_file_append(ctx, file, image));
    }
    assert_int_equal(satf_image_file_pages(file), count);
    MUST(ctx, satf_image_file_finish(ctx, file));
    satf_image_file_close(file);
}

/* Noise that viewers turn, as EXIF says. */
static inline void write_turned(const char *to, int64_t width, int64_t height, int channels,
                                unsigned orientation)
{
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    satf_image *image = make_noise(width, height, channels, SATF_U8, 0, 1);
    satf_exif_make_orientation(orientation, exif);
    MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, exif, sizeof exif));
    write_image(image, to);
}

static inline satf_image *read_image(const char *name)
{
    satf_image *image;
    if (satf_image_read(ctx, name, &image)) {
        fail_msg("%s: %s", name, satf_message(ctx));
    }
    return image;
}

static inline unsigned char *slurp(const char *name, size_t *bytes)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    struct stat info;
    assert_int_equal(fstat(fileno(file), &info), 0);
    *bytes = (size_t)info.st_size;
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static inline void write_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Inserts bytes into the file, so many behind its start or, below 0, before its end. */
static inline void insert(const char *name, long at, const void *inserted, size_t n)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes), *all = malloc(bytes + n);
    size_t before = at < 0 ? bytes - (size_t)-at : (size_t)at;
    memcpy(all, data, before);
    memcpy(all + before, inserted, n);
    memcpy(all + before + n, data + before, bytes - before);
    write_bytes(name, all, bytes + n);
}

/* The PNG's chunk of that name goes behind its pixels. */
static inline void delay_chunk(const char *png, const char *name)
{
    enum { END_BYTES = 12 }; /* of IEND */
    size_t bytes;
    SCOPED unsigned char *data = slurp(png, &bytes), *moved = malloc(bytes);
    unsigned char *at = memmem(data, bytes, name, 4);
    assert_non_null(at);
    size_t chunk = 12 + 256 * (size_t)at[-2] + at[-1], before = (size_t)(at - 4 - data);
    memcpy(moved, data + before, chunk);
    memmove(at - 4, at - 4 + chunk, bytes - before - chunk);
    write_bytes(png, data, bytes - chunk);
    insert(png, -END_BYTES, moved, chunk);
}

/* The end of a pipe that holds the file. */
static inline int open_pipe_of(const char *name)
{
    int ends[2];
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], data, bytes), bytes);
    close(ends[1]);
    return ends[0];
}

/* The file ends in its middle. */
static inline void halve(const char *name)
{
    size_t bytes;
    SCOPED unsigned char *data = slurp(name, &bytes);
    write_bytes(name, data, bytes / 2);
}

static inline void assert_same_file(const char *a, const char *b, const char *what)
{
    size_t n, other, first = 0;
    SCOPED unsigned char *data = slurp(a, &n), *others = slurp(b, &other);
    while (first < n && first < other && data[first] == others[first]) {
        first++;
    }
    if (n != other || first < n) {
        fail_msg("%s: %s and %s (%zu and %zu bytes) differ at byte %zu", what, a, b, n, other,
                 first);
    }
}

static inline void assert_same_image(const satf_image *want, const satf_image *got,
                                     const char *what)
{
    const satf_view *v = satf_image_view(want), *w = satf_image_view(got);
    if (v->width != w->width || v->height != w->height || v->channels != w->channels ||
        v->type != w->type || v->flags != w->flags) {
        fail_msg("%s: %d x %d x %d of type %d became %d x %d x %d of type %d", what, (int)v->width,
                 (int)v->height, v->channels, v->type, (int)w->width, (int)w->height, w->channels,
                 w->type);
    }
    for (int64_t y = 0; y < v->height; y++) {
        if (memcmp(satf_row(v, y), satf_row(w, y), (size_t)(v->width * satf_pixel_bytes(v)))) {
            fail_msg("%s: row %d has other pixels", what, (int)y);
        }
    }
}

/* The file's page is what the filter makes of the image. */
static inline void check_page(satf_image_file *file, int64_t page, const satf_image *in,
                              const satf_filter *filter)
{
    char what[64];
    SCOPED_IMAGE *want = NULL, *got = NULL;
    snprintf(what, sizeof what, "page %d", (int)page);
    MUST(ctx, satf_filter_image(ctx, filter, in, SATF_TYPE_AUTO, &want));
    MUST(ctx, satf_image_file_read(ctx, file, page, &got));
    assert_same_image(want, got, what);
}

/* ----------------------------------------------------------------------- jobs */

/* What is left out is as the library has it, but for threads: two. */
typedef struct job {
    const char *in, *out, *spec;
    satf_route route;
    const satf_filter *filter; /* in place of spec */
    int threads;
    satf_file_options how;
    satf_write_options write;
} job;

#pragma GCC diagnostic ignored "-Woverride-init"
/* JOB(in, out, spec, route, .threads = 3, .write.type = SATF_U8) */
#define JOB(...)                                                                                \
    (&(job){                                                                                    \
        .how = {.bytes = sizeof(satf_file_options)},                                            \
        .write = {.bytes = sizeof(satf_write_options), .type = SATF_TYPE_AUTO, .png_level = 1}, \
        .in = __VA_ARGS__})

static inline satf_status run(const job *j)
{
    SCOPED_FILTER *parsed = NULL;
    satf_file_options how = j->how;
    if (!j->filter) {
        MUST(ctx, satf_filter_parse(ctx, j->spec, &parsed));
    }
    MUST(ctx, satf_context_set_threads(ctx, j->threads ? j->threads : 2));
    how.write = &j->write;
    how.route = j->route;
    satf_status status = satf_filter_file(ctx, j->filter ? j->filter : parsed, j->in, j->out, &how,
                                          &report, sizeof report);
    return status;
}

/* The job in a sentence. */
static inline const char *job_text(const job *j)
{
    static char text[500];
    static const char *const routes[] = {"", ", whole", ", by rows"};
    snprintf(text, sizeof text, "%s of %s to %s%s, %d threads", j->spec ? j->spec : "filter", j->in,
             j->out, routes[j->route], j->threads ? j->threads : 2);
    return text;
}

static inline void must_run(const job *j)
{
    if (run(j)) {
        fail_msg("%s: %s", job_text(j), satf_message(ctx));
    }
}

/* It fails like this, and leaves no output. */
static inline void must_fail(const job *j, satf_status wanted, const char *words)
{
    unlink(j->out);
    satf_status status = run(j);
    if (status != wanted || !strstr(satf_message(ctx), words) || access(j->out, F_OK) == 0) {
        fail_msg("%s: %s, '%s' lacks '%s', or there is an output", job_text(j),
                 satf_status_name(status), status ? satf_message(ctx) : "", words);
    }
}

/* It has that note alone, of that file; NULL: none. */
static inline void must_note(const job *j, const char *at, const char *text)
{
    must_run(j);
    const satf_file_note *note = report.notes;
    if (report.note_count != (text ? 1 : 0) ||
        (text && (strcmp(note->text, text) != 0 || strcmp(note->at, at) != 0))) {
        fail_msg("%s: %d notes, the first of %s: %s", job_text(j), report.note_count,
                 report.note_count ? note->at : "no file", report.note_count ? note->text : "");
    }
}

/* One input through a chain: whole against streamed with 1 ... `most` threads. */
static inline void compare(const char *in, const char *out, const char *spec, int type, int most)
{
    char whole[32];
    snprintf(whole, sizeof whole, "whole%s", strrchr(out, '.'));
    must_run(JOB(in, whole, spec, SATF_ROUTE_WHOLE, .write.type = type));
    assert_false(report.streamed);
    for (int threads = 1; threads <= most; threads++) {
        const job *rows =
            JOB(in, out, spec, SATF_ROUTE_ROWS, .threads = threads, .write.type = type);
        must_run(rows);
        assert_true(report.streamed);
        assert_same_file(whole, out, job_text(rows));
    }
}

#endif
