/* Calls on files and images ask the progress callback all the time, and stop when it says so. */
#include "test.h"
#include "interpose.h"
#include "run_line.h"
#include "test_io_files.h"

#include <png.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "config.h"

/* In place of the library's: time for the callback whenever it might be asked. This is so for the
 * other files of the program, too: their codecs fail while progress is told. */
double satf_now_ms(void)
{
    static atomic_int calls;
    return 1e3 * atomic_fetch_add(&calls, 1);
}

typedef struct watch {
    long calls, stop_at; /* the call that cancels; 0: none */
    double stop_from;    /* the progress that does */
    double latest;
    int defects;
} watch;

static int look(void *user, double done)
{
    watch *w = user;
    bool stopped = (w->stop_at && w->calls >= w->stop_at) || w->latest >= w->stop_from;
    w->defects += stopped || !(done > w->latest) || done > 1;
    w->latest = done;
    return ++w->calls == w->stop_at || done >= w->stop_from;
}

static void watch_until(satf_context *ctx, watch *w, long call)
{
    *w = (watch){0, call, 2, -1, 0};
    satf_context_set_progress(ctx, look, w);
}

/* Whether there is no file in the case's folder. */
static bool is_empty(void)
{
    DIR *d = opendir(".");
    int entries = 0;
    while (readdir(d)) {
        entries++;
    }
    closedir(d);
    return entries == 2; /* it and its parent */
}

static long live_blocks(void)
{
    return atomic_load(&allocations.live);
}

/* Whoever asks while a codec works keeps errno, by which we know later that it got no memory. */
TEST(error_stays)
{
    watch w;
    watch_until(ctx, &w, 0);
    satf_progress_begin(ctx);
    while (w.calls < 3) { /* at nothing, at 0 and at the least advance */
        errno = ENOMEM;
        assert_int_equal(satf_tick(ctx), SATF_OK);
        assert_int_equal(errno, ENOMEM);
    }
}

/* ------------------------------------------------------------------ decoding */

enum { SIDE = 1024, CHUNK = 512 << 10 };

static void put_bytes(bytes *to, const void *data, size_t n)
{
    to->data = realloc(to->data, to->n + n + 1);
    assert_non_null(to->data);
    memcpy(to->data + to->n, data, n);
    to->n += n;
}

static void put_noise(bytes *to, size_t n)
{
    uint64_t seed = 7;
    SCOPED unsigned char *noise = malloc(n);
    assert_non_null(noise);
    for (size_t i = 0; i < n; i++) {
        noise[i] = (unsigned char)(next_random(&seed) >> 8);
    }
    put_bytes(to, noise, n);
}

/* So many bytes of a header, the rest noise. */
static bytes raw_file(const void *header, size_t n, size_t samples)
{
    bytes file = {0};
    put_bytes(&file, header, n);
    put_noise(&file, samples);
    return file;
}

#define LITTLE(v) (char)((v)&0xff), (char)((v) >> 8)

static bytes make_bmp(void)
{
    static const char header[54] = {
        'B',      'M',      [10] = 54, [14] = 40, [18] = LITTLE(SIDE), [22] = LITTLE(SIDE),
        [26] = 1, [28] = 24};
    return raw_file(header, sizeof header, 3 * SIDE * SIDE);
}

static bytes make_tga(void)
{
    static const char header[18] = {[2] = 2, [12] = LITTLE(SIDE), LITTLE(SIDE), 24};
    return raw_file(header, sizeof header, 3 * SIDE * SIDE);
}

#ifdef HAVE_GIF
/* Eight bits a code: a clear code often enough that there are never more. */
static bytes make_gif(void)
{
    static const char header[] = {'G',          'I',          'F',        '8', '9', 'a',
                                  LITTLE(SIDE), LITTLE(SIDE), (char)0xe6, 0,   0};
    static const char picture[] = {',', 0, 0, 0, 0, LITTLE(SIDE), LITTLE(SIDE), 0, 7};
    bytes file = raw_file(header, sizeof header, 3 * 128);
    put_bytes(&file, picture, sizeof picture);
    unsigned char block[102] = {101, 0x80};
    for (int i = 0; i < SIDE * SIDE; i += 100) {
        int n = SIDE * SIDE - i < 100 ? SIDE * SIDE - i : 100;
        block[0] = (unsigned char)(n + 1);
        for (int k = 0; k < n; k++) {
            block[2 + k] = (unsigned char)((i + k) % 101);
        }
        put_bytes(&file, block, (size_t)n + 2);
    }
    put_bytes(&file, "\x01\x81\0;", 4);
    return file;
}
#endif

/* Rows of less than eight pixels are not packed. */
static bytes make_hdr(void)
{
    static const char header[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 262144 +X 4\n";
    return raw_file(header, sizeof header - 1, 4 * SIDE * SIDE);
}

static bytes make_psd(void)
{
    static const char header[40] = {
        '8', 'B', 'P', 'S', 0, 1, [13] = 4, [16] = SIDE >> 8, [20] = SIDE >> 8, [23] = 8, [25] = 3};
    return raw_file(header, sizeof header, 4 * SIDE * SIDE);
}

/* Two bytes for 128 of the samples: little is read for them. */
static bytes make_packed_psd(void)
{
    static const char header[40] = {
        '8',      'B',      'P',     'S', 0, 1, [13] = 4, [16] = SIDE >> 8, [20] = SIDE >> 8,
        [23] = 8, [25] = 3, [39] = 1};
    bytes file = {0};
    put_bytes(&file, header, sizeof header);
    for (int i = 0; i < 4 * SIDE; i++) {
        put_bytes(&file, (unsigned char[]){0, 2 * SIDE / 128}, 2);
    }
    for (int i = 0; i < 4 * SIDE * SIDE / 128; i++) {
        put_bytes(&file, "\x81", 2);
    }
    return file;
}

static bytes make_columns(void)
{
    char header[128] = "\x93NUMPY\x01";
    memset(header + 10, ' ', sizeof header - 10);
    header[8] = 118;
    int n = snprintf(header + 10, 118,
                     "{'descr': '<f4', 'fortran_order': True, 'shape': (%d, %d), }", SIDE, SIDE);
    header[10 + n] = ' ';
    header[127] = '\n';
    bytes file = raw_file(header, sizeof header, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float v = (float)i;
        put_bytes(&file, &v, sizeof v);
    }
    return file;
}

static bytes make_text(void)
{
    bytes file = raw_file("P2 1024 1024 255\n", 17, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        put_bytes(&file, "77\n", 3);
    }
    return file;
}

static void append(png_structp png, png_bytep data, size_t n)
{
    put_bytes(png_get_io_ptr(png), data, n);
}

static void chunk(png_structp png, const char *name, const void *data, size_t n)
{
    png_write_chunk(png, (png_const_bytep)name, data, n);
}

/* Grey pixels that deflate to next to nothing: in one go, with as many too many, or interlaced; or
 * one pixel, and much text. */
enum { PNG_PLAIN, PNG_SURPLUS, PNG_INTERLACED, PNG_TEXT };

static bytes make_png(int kind)
{
    bytes file = {0};
    size_t side = kind == PNG_TEXT ? 1 : 2 * SIDE, bytes_out = (side + 1) * side;
    bytes_out = bytes_out * (kind == PNG_SURPLUS ? 20 : 1) + (kind == PNG_INTERLACED ? 9999 : 0);
    uLongf packed = compressBound(bytes_out);
    unsigned char *zeros = calloc(bytes_out, 1), *idat = malloc(packed);
    assert_true(zeros && idat && compress2(idat, &packed, zeros, bytes_out, 6) == Z_OK);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &file, append, NULL);
    png_set_IHDR(png, info, (png_uint_32)side, (png_uint_32)side, 8, PNG_COLOR_TYPE_GRAY,
                 kind == PNG_INTERLACED, 0, 0);
    png_write_info(png, info);
    for (int i = 0; i < 4000 && kind == PNG_TEXT; i++) {
        static const unsigned char text[8192] = "Comment";
        chunk(png, "tEXt", text, sizeof text);
    }
    chunk(png, "IDAT", idat, packed);
    chunk(png, "IEND", NULL, 0);
    png_destroy_write_struct(&png, &info);
    free(zeros);
    free(idat);
    return file;
}

/* A codec's call: an image is encoded, or, where there is none, a file decoded. */
typedef struct work {
    const char *what;
    bytes file;
    const satf_image *image;
    const satf_write_options *options;
} work;

/* How many bytes of samples there were; 0: nothing has come out. */
static satf_status do_work(satf_context *ctx, const work *w, size_t *samples_bytes)
{
    satf_image *image = NULL;
    void *data = NULL;
    size_t n;
    satf_status status = w->image ? satf_image_encode(ctx, w->image, w->options, &data, &n)
                                  : satf_image_decode(ctx, w->file.data, w->file.n, &image);
    const satf_image *of = data ? w->image : image;
    *samples_bytes = of ? (size_t)of->view.stride * (size_t)of->view.height : 0;
    satf_buffer_free(data);
    satf_image_destroy(image);
    return status;
}

/* Works once to the end, counting calls, of which there must be so many, or as the samples say, and
 * then cancels. */
static void check_work(satf_context *ctx, const work *w, long least)
{
    watch seen;
    size_t made;
    watch_until(ctx, &seen, 0);
    if (do_work(ctx, w, &made)) {
        fail_msg("%s: %s", w->what, satf_message(ctx));
    }
    least = least ? least : (long)(made / CHUNK);
    if (seen.calls < least || seen.defects || seen.latest != 1) {
        fail_msg("%s: %ld calls, %ld wanted, the last at %g, %d defects", w->what, seen.calls,
                 least, seen.latest, seen.defects);
    }
    /* encoders in threads may come to their end behind the last calls */
    long all = seen.calls, stops[] = {1, 2, all / 3, all / 2, all - 1, all};
    for (size_t i = 0; i < (w->image ? 4 : 6); i++) {
        watch_until(ctx, &seen, stops[i]);
        long before = live_blocks();
        satf_status status = do_work(ctx, w, &made);
        if (status != SATF_CANCELLED || made || seen.calls != stops[i] || seen.defects ||
            live_blocks() != before) {
            fail_msg("%s, stopped at call %ld of %ld: %s after %ld, %ld blocks are left", w->what,
                     stops[i], all, satf_status_name(status), seen.calls, live_blocks() - before);
        }
    }
    satf_context_set_progress(ctx, NULL, NULL);
    MUST(ctx, do_work(ctx, w, &made)); /* as if nothing had been */
    free(w->file.data);
}

static void check_decode(satf_context *ctx, const char *what, bytes file, long least)
{
    check_work(ctx, &(work){.what = what, .file = file}, least);
}

static void check_encode(satf_context *ctx, const char *what, const satf_image *image,
                         const satf_write_options *options, long least)
{
    check_work(ctx, &(work){.what = what, .image = image, .options = options}, least);
}

static satf_image *make_progressive(satf_context *ctx)
{
    satf_image *image = make_image(ctx, SIDE, SIDE, 3, SATF_U8, 0, 3);
    image->metadata.jpeg = (satf_jpeg_coding){.components = 3, .progressive = true};
    memset(image->metadata.jpeg.h, 1, 3);
    memset(image->metadata.jpeg.v, 1, 3);
    return image;
}

/* Ten scans, of rows of blocks. */
enum { PROGRESSIVE_CALLS = 10 * SIDE / 8 };

TEST(decoding)
{
    static const char *const formats[] = {"png", "jpeg", "ppm", "pam", "pfm", "npy"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        satf_type type = i < 4 ? SATF_U8 : SATF_F32;
        SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 3, type, 0, i + 1);
        check_decode(ctx, formats[i], must_encode(ctx, image, formats[i]), 0);
    }
    if (!satf_format_missing("webp")) {
        SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 3, SATF_U8, 0, 9);
        check_decode(ctx, "WebP", must_encode(ctx, image, "webp"), 0);
    }
    SCOPED_IMAGE *progressive = make_progressive(ctx);
    check_decode(ctx, "progressive JPEG", must_encode(ctx, progressive, "jpeg"), PROGRESSIVE_CALLS);
    check_decode(ctx, "PNG", make_png(PNG_PLAIN), 0);
    check_decode(ctx, "PNG with pixels too many", make_png(PNG_SURPLUS), 20 * 4 * SIDE / 512);
    check_decode(ctx, "interlaced PNG", make_png(PNG_INTERLACED), 2 * 2 * SIDE);
    check_decode(ctx, "PNG of texts", make_png(PNG_TEXT), 4000 * 8 / 512);
    check_decode(ctx, "PNM in text", make_text(), 0);
    check_decode(ctx, "BMP", make_bmp(), 0);
    check_decode(ctx, "TGA", make_tga(), 0);
#ifdef HAVE_GIF
    check_decode(ctx, "GIF", make_gif(), 0);
#endif
    check_decode(ctx, "HDR", make_hdr(), 0);
    check_decode(ctx, "PSD", make_psd(), 0);
    check_decode(ctx, "packed PSD", make_packed_psd(), 0);
    check_decode(ctx, ".npy of columns", make_columns(), 0);
}

/* ------------------------------------------------------------------ encoding */

TEST(encoding)
{
    static const struct {
        const char *format;
        satf_type type;
        int level, threads;
        double clip;
    } cases[] = {
        {"png", SATF_U8, 1, 1, -1},  {"png", SATF_U8, 0, 2, -1},  {"png", SATF_U8, 6, 2, -1},
        {"jpeg", SATF_U8, 1, 2, -1}, {"ppm", SATF_U8, 1, 2, -1},  {"pam", SATF_U16, 1, 2, -1},
        {"pfm", SATF_F32, 1, 2, -1}, {"npy", SATF_F64, 1, 2, -1}, {"npy", SATF_U8, 1, 2, -1},
        {"png", SATF_F32, 1, 2, 0},  {"png", SATF_F64, 1, 2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_write_options options = options_for(cases[i].format);
        options.png_level = cases[i].level;
        options.auto_range = cases[i].clip >= 0;
        options.clip_percent = cases[i].clip > 0 ? cases[i].clip : 0;
        satf_context_set_threads(ctx, cases[i].threads);
        SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 3, cases[i].type, 0, i + 1);
        /* A look at all rows finds the range, four of them percentiles of doubles. */
        int passes = !options.auto_range ? 0 : options.clip_percent > 0 ? 4 : 1;
        check_encode(ctx, cases[i].format, image, &options, passes * SIDE);
    }
    SCOPED_IMAGE *progressive = make_progressive(ctx);
    satf_write_options options = options_for("jpeg");
    check_encode(ctx, "progressive JPEG", progressive, &options, PROGRESSIVE_CALLS);
    options = options_for("webp");
    for (int quality = 0; quality <= 80 && !satf_format_missing("webp"); quality += 80) {
        options.quality = quality;
        SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 3, SATF_U8, 0, 9);
        check_encode(ctx, "WebP", image, &options, 0);
    }

    watch w;
    watch_until(ctx, &w, 3);
    assert_int_equal(satf_image_write(ctx, progressive, "out.png", NULL), SATF_CANCELLED);
    assert_int_equal(w.calls, 3);
    assert_true(is_empty()); /* nothing is left */
}

/* --------------------------------------------------------------------- files */

/* Progress rises to 1, and stops a call wherever it is. */
TEST(files)
{
    static const char in[] = "in.jpg", out[] = "out.jpg";
    SCOPED_IMAGE *progressive = make_progressive(ctx);
    bytes file = must_encode(ctx, progressive, "jpeg");
    save_bytes(in, file.data, file.n);
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, "box=5 box=3", &filter), SATF_OK);
    for (int i = 0; i < 2; i++) {
        static const double stops[] = {2, 0, 0.25, 0.5, 0.8, 0.95};
        satf_file_options options;
        satf_file_options_init(&options, sizeof options);
        options.route = i ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE;
        for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
            watch w = {0, 0, stops[k], -1, 0};
            satf_context_set_progress(ctx, look, &w);
            satf_status status = satf_filter_file(ctx, filter, in, out, &options, NULL, 0);
            bool there = unlink(out) == 0, cancels = stops[k] < 2;
            if (status != (cancels ? SATF_CANCELLED : SATF_OK) || there == cancels || w.defects ||
                (!cancels && (w.latest != 1 || w.calls < 2 * PROGRESSIVE_CALLS * (i == 0)))) {
                fail_msg("route %d, stopped from %g on: %s after %ld calls, the last at %g, %d "
                         "defects",
                         i, stops[k], satf_status_name(status), w.calls, w.latest, w.defects);
            }
        }
    }
    free(file.data);
    unlink(in);
    assert_true(is_empty());
}

/* Writes half of the file into a pipe and waits until the call is cancelled, or for long; then what
 * is still read of the other half. */
typedef struct feeder {
    const char *name;
    bytes file;
    atomic_bool cancelled;
    size_t taken;
} feeder;

static void *feed_pipe(void *user)
{
    feeder *f = user;
    int fd = open(f->name, O_WRONLY);
    ssize_t n = 1;
    while (fd >= 0 && f->taken < f->file.n && n > 0) {
        for (int i = 0; i < 3000 && f->taken >= f->file.n / 2 && !atomic_load(&f->cancelled); i++) {
            usleep(10000);
        }
        size_t left = f->file.n - f->taken;
        n = write(fd, f->file.data + f->taken, left < 16384 ? left : 16384);
        f->taken += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    return NULL;
}

static int stop_feeder(void *user, double done)
{
    (void)done;
    feeder *f = user;
    atomic_store(&f->cancelled, true);
    return 1;
}

/* The thread of the call waits for a decoder, which waits for its input. */
TEST(waiting_stage)
{
    static const char in[] = "in", out[] = "out.png";
    signal(SIGPIPE, SIG_IGN);
    SCOPED_IMAGE *image = make_image(ctx, 2 * SIDE, 2 * SIDE, 3, SATF_U8, 0, 3);
    feeder f = {.name = in, .file = must_encode(ctx, image, "ppm")};
    assert_int_equal(mkfifo(in, 0600), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &f), 0);
    SCOPED_FILTER *filter;
    satf_file_options options;
    satf_file_options_init(&options, sizeof options);
    options.route = SATF_ROUTE_ROWS;
    assert_int_equal(satf_filter_parse(ctx, "box=1x4001", &filter), SATF_OK);
    satf_context_set_progress(ctx, stop_feeder, &f);
    assert_int_equal(satf_filter_file(ctx, filter, in, out, &options, NULL, 0), SATF_CANCELLED);
    pthread_join(thread, NULL);
    assert_in_range(f.taken, 0, f.file.n / 2 + (1 << 20));
    assert_int_equal(access(out, F_OK), -1);
    free(f.file.data);
    unlink(in);
    assert_true(is_empty());
}

TEST_FILE(.formats = "all", .folder = true,
          .skipped = INTERPOSE_SANITIZED ? "a sanitizer's allocations take their time" : NULL)