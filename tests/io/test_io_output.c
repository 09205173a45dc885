/* Outputs appear whole or not at all; plans and conversions; reading from pipes and odd files. */
#include "test.h"
#include "test_io_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/exif.h"

static const char out_pgm[] = "out.pgm"; /* does not exist yet */

/* Files in dir, hidden ones too. */
static int count_files(const char *dir)
{
    DIR *d = opendir(dir);
    int n = -2;
    while (readdir(d)) {
        n++;
    }
    closedir(d);
    return n;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *path, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    assert_string_equal(got, text);
}

static const char written[] = "P5\n2 1\n255\nab";

static satf_image *two_pixels(satf_context *ctx)
{
    satf_image *image = make_image(ctx, 2, 1, 1, SATF_U8, 0, 1);
    memcpy(image->view.data, "ab", 2);
    return image;
}

TEST(test_write)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    assert_int_equal(satf_image_write(ctx, image, out_pgm, NULL), SATF_OK);
    assert_text(out_pgm, written);
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(out_pgm, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666 & ~mask);

    write_text(out_pgm, "old");
    chmod(out_pgm, 0640);
    assert_int_equal(satf_image_write(ctx, image, out_pgm, NULL), SATF_OK);
    assert_text(out_pgm, written);
    assert_int_equal(stat(out_pgm, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    if (chown(out_pgm, 12345, 23456) == 0) { /* who may not do that, may not undo it either */
        assert_int_equal(satf_image_write(ctx, image, out_pgm, NULL), SATF_OK);
        assert_int_equal(stat(out_pgm, &info), 0);
        assert_true(info.st_uid == 12345 && info.st_gid == 23456);
        assert_int_equal(info.st_mode & 0777, 0640);
    }
    assert_int_equal(count_files("."), 1);
}

TEST(test_no_clobber)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    satf_write_options options = satf_write_defaults();
    options.no_clobber = 1;
    write_text(out_pgm, "old");
    assert_int_equal(satf_image_write(ctx, image, out_pgm, &options), SATF_IO);
    assert_text(out_pgm, "old");
    assert_int_equal(count_files("."), 1);
    unlink(out_pgm);
    assert_int_equal(satf_image_write(ctx, image, out_pgm, &options), SATF_OK);
    assert_text(out_pgm, written);

    /* A file that appears between opening and commit wins. */
    unlink(out_pgm);
    io_output *out;
    assert_int_equal(io_output_open(ctx, out_pgm, NULL, true, NULL, &out), SATF_OK);
    fputs("new", io_output_file(out));
    write_text(out_pgm, "theirs");
    assert_int_equal(io_output_commit(ctx, out), SATF_IO);
    assert_text(out_pgm, "theirs");
    assert_int_equal(count_files("."), 1);
}

/* In memory there is what a file would have, in every format; and what a file says of itself. */
TEST(test_encode_and_probe)
{
    satf_format_info format;
    size_t written_formats = 0;
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        bool plain = strcmp(format.name, "pfm") == 0;
        satf_image *image = make_image(ctx, 37, 21, 3, plain ? SATF_F32 : SATF_U8, 0, 5);
        satf_write_options options = satf_write_defaults();
        options.format = format.name;
        void *data;
        size_t n = 0;
        satf_status status = satf_image_encode(ctx, image, &options, &data, &n);
        if (!format.can_write) {
            assert_int_equal(status, SATF_UNSUPPORTED);
            assert_null(data);
            satf_image_destroy(image);
            continue;
        }
        assert_int_equal(status, SATF_OK);
        assert_int_equal(satf_image_write(ctx, image, out_pgm, &options), SATF_OK);
        SCOPED char *file = calloc(1, n + 1);
        FILE *from = fopen(out_pgm, "rb");
        assert_int_equal(fread(file, 1, n + 1, from), n);
        fclose(from);
        assert_memory_equal(file, data, n);

        satf_image_info info;
        assert_int_equal(satf_image_probe(ctx, out_pgm, &info, sizeof info), SATF_OK);
        assert_string_equal(info.format, format.name);
        assert_true(info.view.width == 37 && info.view.height == 21 && info.view.channels == 3);
        assert_int_equal(info.view.type, plain ? SATF_F32 : SATF_U8);
        assert_true(info.orientation == 1 && info.pictures == 1 && !info.exif_bytes);
        satf_buffer_free(data);
        satf_image_destroy(image);
        written_formats++;
    }
    assert_true(written_formats >= 5);

    satf_image *image = two_pixels(ctx);
    void *data = &image;
    size_t n = 0;
    assert_int_equal(satf_image_encode(ctx, image, NULL, &data, &n), SATF_INVALID);
    assert_null(data);
    satf_write_options unset = {.format = "png"};
    assert_int_equal(satf_image_encode(ctx, image, &unset, &data, &n), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "satf_write_options_init()"));
    satf_image_destroy(image);

    /* A filter has made it black and white; what was written to it since is not lost unsaid. */
    satf_write_options options;
    SCOPED_FILTER *filter;
    satf_image *page, *bw;
    assert_int_equal(satf_filter_parse(ctx, "sauvola=3", &filter), SATF_OK);
    page = make_image(ctx, 9, 5, 1, SATF_U8, 0, 5);
    assert_int_equal(satf_image_filter(ctx, filter, page, SATF_TYPE_AUTO, &bw), SATF_OK);
    options = satf_write_defaults();
    options.format = "png";
    assert_int_equal(satf_image_write(ctx, bw, out_pgm, &options), SATF_OK);
    memset(bw->view.data, 100, 1);
    assert_int_equal(satf_image_write(ctx, bw, out_pgm, &options), SATF_INVALID);
    options.type = SATF_U8;
    assert_int_equal(satf_image_write(ctx, bw, out_pgm, &options), SATF_OK);
    satf_image_destroy(bw);
    satf_image_destroy(page);

    /* An orientation is told, and nothing of what is no picture. */
    satf_image_info info = {.orientation = 9};
    write_text(out_pgm, "no picture");
    assert_int_equal(satf_image_probe(ctx, out_pgm, &info, sizeof info), SATF_DATA);
    assert_true(info.orientation == 0 && !info.format);
    image = make_image(ctx, 5, 4, 1, SATF_U8, 0, 5);
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    satf_exif_make_orientation(6, exif);
    image->metadata.exif = satf_alloc(sizeof exif);
    memcpy(image->metadata.exif, exif, sizeof exif);
    image->metadata.exif_bytes = sizeof exif;
    options = satf_write_defaults();
    options.format = "png";
    assert_int_equal(satf_image_write(ctx, image, out_pgm, &options), SATF_OK);
    assert_int_equal(satf_image_probe(ctx, out_pgm, &info, sizeof info), SATF_OK);
    assert_true(info.orientation == 6 && info.exif_bytes == sizeof exif && info.hi == 255);
    satf_image_destroy(image);
}

TEST(test_links)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    char link[96], target[96];
    snprintf(link, sizeof link, "%s/link.pgm", ".");
    snprintf(target, sizeof target, "%s/target.pgm", ".");
    assert_int_equal(symlink("target.pgm", link), 0);
    for (int exists = 0; exists < 2; exists++) {
        assert_int_equal(satf_image_write(ctx, image, link, NULL), SATF_OK);
        assert_text(target, written);
        struct stat info;
        assert_int_equal(lstat(link, &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        assert_int_equal(lstat(target, &info), 0);
        assert_true(S_ISREG(info.st_mode));
        assert_int_equal(count_files("."), 2);
    }
}

TEST(test_discard_and_cleanup)
{
    io_output *out;
    write_text(out_pgm, "old");
    assert_int_equal(io_output_open(ctx, out_pgm, NULL, false, NULL, &out), SATF_OK);
    assert_int_equal(count_files("."), 2);
    io_output_discard(out);
    assert_int_equal(count_files("."), 1);
    io_output_discard(NULL);

    /* It is for a process that ends: none opens after it. */
    assert_int_equal(io_output_open(ctx, out_pgm, NULL, false, NULL, &out), SATF_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        io_output *another;
        io_output_cleanup();
        _exit(count_files(".") == 1 &&
                      io_output_open(ctx, out_pgm, NULL, false, NULL, &another) == SATF_IO &&
                      count_files(".") == 1
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    io_output_discard(out);
    assert_text(out_pgm, "old");
}

static void expect_refusal(satf_context *ctx, const satf_image *image, const char *path,
                           satf_status status, const char *in_message)
{
    satf_status got = satf_image_write(ctx, image, path, NULL);
    if (got != status || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s: %s \"%s\"", path, satf_status_name(got), satf_message(ctx));
    }
}

TEST(test_places)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    char path[160];
    snprintf(path, sizeof path, "%s/none/out.pgm", ".");
    expect_refusal(ctx, image, path, SATF_IO, "there is no directory");
    snprintf(path, sizeof path, "%s/d.pgm", ".");
    mkdir(path, 0777);
    expect_refusal(ctx, image, path, SATF_IO, "is a directory");
    expect_refusal(ctx, image, "out.xyz", SATF_INVALID, "suffix");
    expect_refusal(ctx, image, "out.gif", SATF_UNSUPPORTED, "not written");
    expect_refusal(ctx, image, "-", SATF_INVALID, "option: format");
    if (access("/proc/self", F_OK) == 0) {
        expect_refusal(ctx, image, "/proc/out.pgm", SATF_IO, "/proc");
    }
    if (geteuid() != 0) { /* root may write everywhere */
        chmod(".", 0500);
        expect_refusal(ctx, image, path, SATF_IO, "not writable");
        chmod(".", 0700);
    }
}

/* A full disk, in three ways: the device, a size limit, and the limit with an output to keep. */
TEST(test_full)
{
    SCOPED_IMAGE *image = make_image(ctx, 600, 600, 3, SATF_U8, 0, 2);
    static const char *const formats[] = {"png", "jpeg", "pnm", "npy"};
    struct rlimit old, small = {1000, 0};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 4; i++) {
        satf_write_options options = options_for(formats[i]);
        if (access("/dev/full", W_OK) == 0) {
            assert_int_equal(satf_image_write(ctx, image, "/dev/full", &options), SATF_IO);
            assert_non_null(strstr(satf_message(ctx), "No space"));
        }
        write_text(out_pgm, "old");
        setrlimit(RLIMIT_FSIZE, &small);
        satf_status status = satf_image_write(ctx, image, out_pgm, &options);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, SATF_IO);
        assert_text(out_pgm, "old");
        assert_int_equal(count_files("."), 1);
    }
    signal(SIGXFSZ, handler);
}

/* ------------------------------------------------------------------- input */

TEST(test_inputs)
{
    satf_image *image;
    assert_int_equal(satf_image_read(ctx, out_pgm, &image), SATF_IO);
    assert_null(image);
    assert_int_equal(satf_image_read(ctx, ".", &image), SATF_IO);
    assert_non_null(strstr(satf_message(ctx), "directory"));
    write_text(out_pgm, "");
    assert_int_equal(satf_image_read(ctx, out_pgm, &image), SATF_DATA);
    assert_non_null(strstr(satf_message(ctx), "empty"));
}

/* Every format comes through a pipe, in dribs and drabs. */
TEST(test_pipe)
{
    char fifo[96];
    snprintf(fifo, sizeof fifo, "%s/fifo", ".");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    static const char *const formats[] = {"png", "pnm", "npy"};
    for (int i = 0; i < 3; i++) {
        SCOPED_IMAGE *image = make_image(ctx, 301, 400, 3, SATF_U8, 0, 2);
        bytes file = must_encode(ctx, image, formats[i]);
        pid_t child = fork();
        if (child == 0) {
            int fd = open(fifo, O_WRONLY);
            for (size_t at = 0, n; at < file.n; at += n) {
                n = at < 100 ? 7 : file.n - at < 9999 ? file.n - at : 9999;
                n = at + n > file.n ? file.n - at : n;
                if (write(fd, file.data + at, n) != (ssize_t)n) {
                    _exit(1);
                }
            }
            _exit(0);
        }
        SCOPED_IMAGE *read;
        if (satf_image_read(ctx, fifo, &read)) {
            fail_msg("%s from a pipe: %s", formats[i], satf_message(ctx));
        }
        int result;
        waitpid(child, &result, 0);
        assert_int_equal(result, 0);
        assert_same_pixels(formats[i], &image->view, &read->view);
        free(file.data);
    }
}

/* ------------------------------------------------------- plans, conversions */

/* Writes one row of samples of a type and range, and compares the file's samples. */
static void convert(satf_context *ctx, const char *what, satf_type in, int n, const void *samples,
                    double hi, const satf_write_options *options, satf_type out, const void *want)
{
    SCOPED_IMAGE *image = make_image(ctx, n, 1, 1, in, 0, 1);
    memcpy(image->view.data, samples, (size_t)n * satf_type_bytes((int)in));
    image->has_range = hi > 0;
    image->hi = hi;
    bytes file;
    if (encode(ctx, image, options, &file)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    satf_view v = satf_view_packed((void *)(uintptr_t)want, n, 1, 1, out);
    assert_same_pixels(what, &v, &read->view);
    free(file.data);
}

TEST(test_image_form)
{
    satf_write_options png = options_for("png"), png8 = png, ranged = png, npy = options_for("npy");
    png8.type = SATF_U8;
    satf_write_options png16 = png;
    png16.type = SATF_U16;
    convert(ctx, "u8 to u16", SATF_U8, 3, (uint8_t[]){0, 1, 255}, 255, &png16, SATF_U16,
            (uint16_t[]){0, 257, 65535});
    /* 65535 / 255 = 257: ties cannot occur, 128 and 129 of 257 lie either side */
    convert(ctx, "u16 to u8", SATF_U16, 5, (uint16_t[]){0, 128, 129, 65406, 65535}, 65535, &png8,
            SATF_U8, (uint8_t[]){0, 0, 1, 254, 255});
    convert(ctx, "maxval 2 to u8, a tie", SATF_U8, 3, (uint8_t[]){0, 1, 2}, 2, &png, SATF_U8,
            (uint8_t[]){0, 128, 255});
    convert(ctx, "u32 of range 10", SATF_U32, 4, (uint32_t[]){0, 1, 10, 4000000000u}, 10, &png,
            SATF_U16, (uint16_t[]){0, 6554, 65535, 65535});
    convert(ctx, "u32, next to a half", SATF_U32, 4,
            (uint32_t[]){8421504, 8421505, 4286545790u, 4286545791u}, 4294967295.0, &png8, SATF_U8,
            (uint8_t[]){0, 1, 254, 255});
    convert(ctx, "u64 of 2^63", SATF_U64, 3, (uint64_t[]){0, 1ull << 62, 1ull << 63}, 0x1p63, &png,
            SATF_U16, (uint16_t[]){0, 32768, 65535});
    ranged.has_range = 1;
    ranged.lo = -1;
    ranged.hi = 1;
    convert(ctx, "floats of -1 ... 1", SATF_F64, 7,
            (double[]){-1, 0, 1, -7, 7, (double)NAN, -1 + 2 * 0.501 / 65535}, 0, &ranged, SATF_U16,
            (uint16_t[]){0, 32768, 65535, 0, 65535, 0, 1});
    ranged.lo = 0;
    ranged.hi = 255;
    ranged.type = SATF_U8;
    convert(ctx, "floats of 0 ... 255", SATF_F64, 8,
            (double[]){0.49999999999999994, 0.5, 254.49999999999997, 254.5, 1e300, (double)INFINITY,
                       -(double)INFINITY, (double)NAN},
            0, &ranged, SATF_U8, (uint8_t[]){0, 1, 254, 255, 255, 255, 0, 0});
    ranged.type = SATF_TYPE_AUTO;
    ranged.lo = 10;
    ranged.hi = 20;
    convert(ctx, "u8 of 10 ... 20", SATF_U8, 4, (uint8_t[]){9, 10, 15, 30}, 255, &ranged, SATF_U8,
            (uint8_t[]){0, 0, 128, 255});
    npy.type = SATF_U8;
    convert(
        ctx, "plain floats", SATF_F64, 8,
        (double[]){-3, 0.49999999999999994, 0.5, 1.5, 254.5, 300, (double)NAN, (double)INFINITY}, 0,
        &npy, SATF_U8, (uint8_t[]){0, 0, 1, 2, 255, 255, 0, 255});
    convert(ctx, "plain u32 to u8", SATF_U32, 3, (uint32_t[]){7, 255, 256}, 4294967295.0, &npy,
            SATF_U8, (uint8_t[]){7, 255, 255});
    npy.type = SATF_U64;
    convert(ctx, "plain f64 to u64", SATF_F64, 3, (double[]){0x1p63, 0x1p64, 1e300}, 0, &npy,
            SATF_U64, (uint64_t[]){1ull << 63, UINT64_MAX, UINT64_MAX});
    npy.type = SATF_F32;
    convert(ctx, "plain u16 to f32", SATF_U16, 2, (uint16_t[]){3, 65535}, 65535, &npy, SATF_F32,
            (float[]){3, 65535});
    satf_write_options pfm = options_for("pfm");
    convert(ctx, "u8 to PFM", SATF_U8, 2, (uint8_t[]){3, 255}, 255, &pfm, SATF_F32,
            (float[]){3, 255});
}

static void refuse(satf_context *ctx, const satf_image *image, const satf_write_options *options,
                   satf_status status, const char *in_message)
{
    bytes file;
    satf_status got = encode(ctx, image, options, &file);
    if (got != status || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s: %s \"%s\"", options->format, satf_status_name(got), satf_message(ctx));
    }
}

TEST(test_plan_refusals)
{
    satf_write_options png = options_for("png"), jpeg = options_for("jpeg"), o;
    satf_image *image = make_image(ctx, 2, 2, 1, SATF_F32, 0, 1);
    refuse(ctx, image, &png, SATF_INVALID, "option: range");
    o = png;
    o.type = SATF_F32;
    o.has_range = 1;
    o.hi = 1;
    refuse(ctx, image, &o, SATF_UNSUPPORTED, "f32");
    o.lo = 2;
    refuse(ctx, image, &o, SATF_INVALID, "range");
    satf_image_destroy(image);

    image = make_image(ctx, 2, 2, 2, SATF_U8, 0, 1);
    refuse(ctx, image, &jpeg, SATF_UNSUPPORTED, "2 channels");
    o = options_for("heic");
    refuse(ctx, image, &o, SATF_INVALID, "heic");
    satf_image_destroy(image);

    image = make_image(ctx, 2, 2, 1, SATF_U16, 0, 1);
    o = jpeg;
    o.type = SATF_U16;
    refuse(ctx, image, &o, SATF_UNSUPPORTED, "u16");
    o = jpeg;
    o.quality = -1;
    refuse(ctx, image, &o, SATF_INVALID, "quality");
    o.quality = 101;
    refuse(ctx, image, &o, SATF_INVALID, "quality");
    o = png;
    o.png_level = 10;
    refuse(ctx, image, &o, SATF_INVALID, "level");
    satf_image_destroy(image);
}

/* Alpha goes when it is opaque everywhere, and is not lost otherwise. */
TEST(test_alpha_drop)
{
    satf_write_options pfm = options_for("pfm");
    SCOPED_IMAGE *image = make_image(ctx, 3, 2, 2, SATF_U8, SATF_ALPHA, 1);
    uint8_t *samples = image->view.data;
    for (int i = 1; i < 12; i += 2) {
        samples[i] = 255;
    }
    bytes file = must_encode(ctx, image, "pfm");
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    assert_int_equal(read->view.channels, 1);
    for (int i = 0; i < 6; i++) {
        assert_true(((float *)read->view.data)[i] == samples[2 * i]);
    }
    free(file.data);
    samples[11] = 254;
    refuse(ctx, image, &pfm, SATF_UNSUPPORTED, "transparent");
}

TEST_FILE(.folder = true)
