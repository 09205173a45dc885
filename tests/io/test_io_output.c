/* Outputs appear whole or not at all; plans and conversions; reading from pipes and odd files. */
#include "test.h"
#include "test_io_metadata.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/meta/exif.h"

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

/* That is what it holds, and nothing is beside it. */
static void assert_alone(const char *path, const char *text)
{
    assert_text(path, text);
    assert_int_equal(count_files("."), 1);
}

static struct stat stat_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info;
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
    MUST(ctx, satf_image_write(ctx, image, out_pgm, NULL));
    assert_text(out_pgm, written);
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat_of(out_pgm).st_mode & 0777, 0666 & ~mask);

    write_text(out_pgm, "old");
    chmod(out_pgm, 0640);
    MUST(ctx, satf_image_write(ctx, image, out_pgm, NULL));
    assert_text(out_pgm, written);
    assert_int_equal(stat_of(out_pgm).st_mode & 0777, 0640);
    if (chown(out_pgm, 12345, 23456) == 0) { /* who may not do that, may not undo it either */
        MUST(ctx, satf_image_write(ctx, image, out_pgm, NULL));
        struct stat info = stat_of(out_pgm);
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
    assert_alone(out_pgm, "old");
    unlink(out_pgm);
    MUST(ctx, satf_image_write(ctx, image, out_pgm, &options));
    assert_text(out_pgm, written);

    /* A file that appears between opening and commit wins. */
    unlink(out_pgm);
    io_output *out;
    MUST(ctx, io_output_open(ctx, out_pgm, NULL, true, NULL, &out));
    fputs("new", io_output_file(out));
    write_text(out_pgm, "theirs");
    assert_int_equal(io_output_end(ctx, out, SATF_OK), SATF_IO);
    assert_alone(out_pgm, "theirs");
}

/* What is not set, or not black and white any more, is refused; what a file says of itself. */
TEST(test_encode_and_probe)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    void *data = &image;
    size_t n = 0;
    assert_int_equal(satf_image_encode(ctx, image, NULL, &data, &n), SATF_INVALID);
    assert_null(data);
    satf_write_options unset = {.format = "png"}, options = options_for("png");
    assert_refused(ctx, "options", satf_image_encode(ctx, image, &unset, &data, &n), SATF_INVALID,
                   "satf_write_options_init()");

    /* A filter has made it black and white; what was written to it since is not lost unsaid. */
    SCOPED_IMAGE *page = make_image(ctx, 9, 5, 1, SATF_U8, 0, 5),
                 *bw = filtered(ctx, page, "sauvola=3");
    MUST(ctx, satf_image_write(ctx, bw, out_pgm, &options));
    memset(bw->view.data, 100, 1);
    assert_int_equal(satf_image_write(ctx, bw, out_pgm, &options), SATF_INVALID);
    options.type = SATF_U8;
    MUST(ctx, satf_image_write(ctx, bw, out_pgm, &options));

    /* An orientation is told, and nothing of what is no picture. */
    satf_image_info info = {.orientation = 9};
    write_text(out_pgm, "no picture");
    assert_int_equal(satf_image_probe(ctx, out_pgm, &info, sizeof info), SATF_DATA);
    assert_true(info.orientation == 0 && !info.format);
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    satf_exif_make_orientation(6, exif);
    give(&page->metadata.exif, &page->metadata.exif_bytes, exif, sizeof exif);
    options = options_for("png");
    MUST(ctx, satf_image_write(ctx, page, out_pgm, &options));
    MUST(ctx, satf_image_probe(ctx, out_pgm, &info, sizeof info));
    assert_true(info.orientation == 6 && info.exif_bytes == sizeof exif && info.hi == 255);
}

TEST(test_links)
{
    SCOPED_IMAGE *image = two_pixels(ctx);
    static const char link[] = "./link.pgm", target[] = "./target.pgm";
    assert_int_equal(symlink("target.pgm", link), 0);
    for (int exists = 0; exists < 2; exists++) {
        MUST(ctx, satf_image_write(ctx, image, link, NULL));
        assert_text(target, written);
        assert_true(S_ISLNK(stat_of(link).st_mode));
        assert_true(S_ISREG(stat_of(target).st_mode));
        assert_int_equal(count_files("."), 2);
    }
}

TEST(test_discard_and_cleanup)
{
    io_output *out;
    write_text(out_pgm, "old");
    MUST(ctx, io_output_open(ctx, out_pgm, NULL, false, NULL, &out));
    assert_int_equal(count_files("."), 2);
    io_output_discard(out);
    assert_int_equal(count_files("."), 1);
    io_output_discard(NULL);

    /* It is for a process that ends: none opens after it. */
    MUST(ctx, io_output_open(ctx, out_pgm, NULL, false, NULL, &out));
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

TEST(test_places)
{
    static const struct {
        const char *path;
        satf_status status;
        const char *sentence;
    } cases[] = {
        {"./none/out.pgm", SATF_IO, "there is no directory"},
        {"./d.pgm", SATF_IO, "is a directory"},
        {"out.xyz", SATF_INVALID, "suffix"},
        {"out.gif", SATF_UNSUPPORTED, "not written"},
        {"-", SATF_INVALID, "option: format"},
        {"/proc/out.pgm", SATF_IO, "/proc"},
        {"./d.pgm", SATF_IO, "not writable"},
    };
    SCOPED_IMAGE *image = two_pixels(ctx);
    mkdir("d.pgm", 0777);
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        if (i + 1 == ROWS_OF(cases)) {
            chmod(".", 0500);
        }
        bool possible = cases[i].path[0] != '/' || access("/proc/self", F_OK) == 0;
        if (possible && (i + 1 < ROWS_OF(cases) || geteuid() != 0)) { /* root may write anywhere */
            assert_refused(ctx, cases[i].path, satf_image_write(ctx, image, cases[i].path, NULL),
                           cases[i].status, cases[i].sentence);
        }
    }
    chmod(".", 0700);
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
            assert_refused(ctx, formats[i], satf_image_write(ctx, image, "/dev/full", &options),
                           SATF_IO, "No space");
        }
        write_text(out_pgm, "old");
        setrlimit(RLIMIT_FSIZE, &small);
        satf_status status = satf_image_write(ctx, image, out_pgm, &options);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, SATF_IO);
        assert_alone(out_pgm, "old");
    }
    signal(SIGXFSZ, handler);
}

/* ------------------------------------------------------------------- input */

TEST(test_inputs)
{
    satf_image *image;
    assert_int_equal(satf_image_read(ctx, out_pgm, &image), SATF_IO);
    assert_null(image);
    assert_refused(ctx, ".", satf_image_read(ctx, ".", &image), SATF_IO, "directory");
    write_text(out_pgm, "");
    assert_refused(ctx, out_pgm, satf_image_read(ctx, out_pgm, &image), SATF_DATA, "empty");
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
    SCOPED_BYTES file = must_encode_with(ctx, image, options);
    satf_view v = satf_view_packed((void *)(uintptr_t)want, n, 1, 1, out);
    must_hold(ctx, what, &file, &v);
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
    convert(ctx, "i16 to u16", SATF_I16, 4, (int16_t[]){INT16_MIN, -1, 0, INT16_MAX}, INT16_MAX,
            &png, SATF_U16, (uint16_t[]){0, 32767, 32768, 65535});
    convert(ctx, "i8 to u8", SATF_I8, 3, (int8_t[]){-128, 0, 127}, 127, &png8, SATF_U8,
            (uint8_t[]){0, 128, 255});
    npy.type = SATF_I8;
    convert(ctx, "plain i16 to i8", SATF_I16, 4, (int16_t[]){-129, -128, -5, 128}, INT16_MAX, &npy,
            SATF_I8, (int8_t[]){-128, -128, -5, 127});
    convert(ctx, "plain f64 to i8", SATF_F64, 5, (double[]){-2.5, -0.5, 1.5, -1e9, NAN}, 0, &npy,
            SATF_I8, (int8_t[]){-2, 0, 2, -128, 0});
    npy.type = SATF_U64;
    convert(ctx, "plain i64 to u64", SATF_I64, 3, (int64_t[]){INT64_MIN, -1, INT64_MAX}, 0x1p63,
            &npy, SATF_U64, (uint64_t[]){0, 0, INT64_MAX});
    npy.type = SATF_I64;
    convert(ctx, "plain u64 to i64", SATF_U64, 3, (uint64_t[]){5, INT64_MAX, UINT64_MAX}, 0x1p64,
            &npy, SATF_I64, (int64_t[]){5, INT64_MAX, INT64_MAX});
    npy.type = SATF_F16;
    convert(ctx, "plain f64 to f16", SATF_F64, 4, (double[]){1, -0.5, 65520, 0x1p-25}, 0, &npy,
            SATF_F16, (uint16_t[]){0x3c00, 0xb800, 0x7c00, 0});
    satf_write_options pfm = options_for("pfm");
    convert(ctx, "u8 to PFM", SATF_U8, 2, (uint8_t[]){3, 255}, 255, &pfm, SATF_F32,
            (float[]){3, 255});
}

TEST(test_plan_refusals)
{
    static const struct {
        satf_type in;
        int channels;
        const char *format;
        satf_type out;
        double lo, hi; /* a range, if hi is not 0 */
        int quality, level;
        satf_status status;
        const char *sentence;
    } cases[] = {
        {SATF_F32, 1, "png", SATF_TYPE_AUTO, 0, 0, 0, 0, SATF_INVALID, "option: range"},
        {SATF_F32, 1, "png", SATF_F32, 0, 1, 0, 0, SATF_UNSUPPORTED, "f32"},
        {SATF_F32, 1, "png", SATF_F32, 2, 1, 0, 0, SATF_INVALID, "range"},
        {SATF_U8, 2, "jpeg", SATF_TYPE_AUTO, 0, 0, 0, 0, SATF_UNSUPPORTED, "2 channels"},
        {SATF_U8, 2, "heic", SATF_TYPE_AUTO, 0, 0, 0, 0, SATF_INVALID, "heic"},
        {SATF_U16, 1, "jpeg", SATF_U16, 0, 0, 0, 0, SATF_UNSUPPORTED, "u16"},
        {SATF_U16, 1, "jpeg", SATF_TYPE_AUTO, 0, 0, -1, 0, SATF_INVALID, "quality"},
        {SATF_U16, 1, "jpeg", SATF_TYPE_AUTO, 0, 0, 101, 0, SATF_INVALID, "quality"},
        {SATF_U16, 1, "png", SATF_TYPE_AUTO, 0, 0, 0, 10, SATF_INVALID, "level"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_IMAGE *image = make_image(ctx, 2, 2, cases[i].channels, cases[i].in, 0, 1);
        satf_write_options options = options_for(cases[i].format);
        options.type = cases[i].out;
        options.has_range = cases[i].hi > 0;
        options.lo = cases[i].lo;
        options.hi = cases[i].hi;
        options.quality = cases[i].quality;
        options.png_level = cases[i].level ? cases[i].level : options.png_level;
        expect_unwritten(ctx, image, &options, cases[i].status, cases[i].sentence);
    }
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
    SCOPED_BYTES file = must_encode(ctx, image, "pfm");
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    assert_int_equal(read->view.channels, 1);
    for (int i = 0; i < 6; i++) {
        assert_true(((float *)read->view.data)[i] == samples[2 * i]);
    }
    samples[11] = 254;
    expect_unwritten(ctx, image, &pfm, SATF_UNSUPPORTED, "transparent");
}

TEST_FILE(.folder = true)
