/* Files in linear light: the curve that each file names, what is refused, and filters that share a
 * stage of the rows. */
#include "test.h"
#include "pipeline_jobs.h"

/* ------------------------------------------------------------------------ stages */

static const struct {
    const char *name, *out;
    int channels;
    satf_type type;
    unsigned flags;
} pictures[] = {
    {"a.ppm", "o.ppm", 3, SATF_U8, 0},
    {"b.png", "o.png", 4, SATF_U8, SATF_ALPHA},
    {"c.pgm", "o.npy", 1, SATF_U16, 0},
    {"d.npy", "o.npy", 1, SATF_F32, 0},
};

static const char *const chains[] = {
    "linearize=srgb delinearize=srgb",
    "linearize=srgb box=9 delinearize=srgb",
    "linearize=srgb resize=37% delinearize=srgb",
    "box=3 linearize=srgb delinearize=srgb box=5,border=mirror",
    "linearize=srgb box=9x5,border=valid delinearize=srgb",
    "box=9x5,border=valid linearize=srgb box=4,border=reflect delinearize=srgb",
    "linearize=srgb guided=5 delinearize=srgb",
    "linearize=srgb pixelate=7 delinearize=srgb",
    "linearize=srgb gauss=3 crop=50x99 delinearize=srgb",
    "linearize=2.2 box=3x300 delinearize=2.2 flip=h",
    "linearize=srgb integral,zeros linearize=srgb",
    "delinearize=srgb,depth=16 kuwahara=5 linearize=0.5 delinearize=srgb linearize=5",
};

/* Each link is told of, in its place. */
static void check_steps(const job *j)
{
    SCOPED_FILTER *filter;
    satf_used used;
    size_t link = 0;
    MUST(ctx, satf_filter_parse(ctx, j->spec, &filter));
    for (const char *name; (name = satf_file_step(report.steps, link, &used, sizeof used));
         link++) {
        assert_true(link < filter_count(filter));
        assert_string_equal(name, filter_at(filter, link)->name);
        assert_true(used.ms >= 0 && used.engine);
    }
    assert_int_equal(link, filter_count(filter));
}

TEST_ALONE(stages)
{
    int streamed = 0;
    for (size_t p = 0; p < COUNT(pictures); p++) {
        write_noise(pictures[p].name, 401, 307, pictures[p].channels, pictures[p].type,
                    pictures[p].flags, 5);
        for (size_t c = 0; c < COUNT(chains); c++) {
            for (int threads = 1; threads <= 3; threads += 2) {
                char whole[20];
                snprintf(whole, sizeof whole, "w%s", pictures[p].out);
                if (run(JOB(pictures[p].name, whole, chains[c], SATF_ROUTE_WHOLE))) {
                    continue; /* sums of 32 bits are not filtered */
                }
                const job *rows = JOB(pictures[p].name, pictures[p].out, chains[c], SATF_ROUTE_ROWS,
                                      .threads = threads);
                must_run(rows);
                assert_same_file(whole, pictures[p].out, job_text(rows));
                check_steps(rows);
                streamed++;
            }
        }
    }
    assert_true(streamed > 80);
}

/* ------------------------------------------------------------------------ curves */

enum { HEADER = 128, NOISE = 100, PROFILE_BYTES = 16384 };

static void put(unsigned char *at, int bytes, uint32_t value)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
    }
}

/* A profile that says nothing but curves, by one element. Noise is behind it, for libpng refuses
 * what deflate makes very small. */
static size_t make_profile(unsigned char *icc, bool grey, const unsigned char *data, size_t n)
{
    static const char *const names[] = {"rTRC", "gTRC", "bTRC"};
    int count = grey ? 1 : 3;
    uint32_t from = HEADER + 4 + 12 * (uint32_t)count,
             bytes = (from + (uint32_t)n + 3) / 4 * 4 + NOISE, seed = 1;
    memset(icc, 0, PROFILE_BYTES);
    put(icc, 4, bytes);
    put(icc + 8, 4, 0x02100000);
    memcpy(icc + 12, grey ? "mntrGRAYXYZ " : "mntrRGB XYZ ", 12);
    memcpy(icc + 36, "acsp", 4);
    put(icc + 68, 4, 0xf6d6); /* D50 */
    put(icc + 72, 4, 0x10000);
    put(icc + 76, 4, 0xd32d);
    put(icc + HEADER, 4, (uint32_t)count);
    for (int k = 0; k < count; k++) {
        unsigned char *tag = icc + HEADER + 4 + 12 * k;
        memcpy(tag, grey ? "kTRC" : names[k], 4);
        put(tag + 4, 4, from);
        put(tag + 8, 4, (uint32_t)n);
    }
    memcpy(icc + from, data, n);
    for (int i = 0; i < NOISE; i++) {
        icc[bytes - NOISE + (uint32_t)i] = (unsigned char)noise(&seed);
    }
    return bytes;
}

/* `para` of that kind. */
static size_t make_formula(unsigned char *data, unsigned kind, const double *numbers, int count)
{
    memcpy(data, "para\0\0\0\0", 8);
    put(data + 8, 4, kind << 16);
    for (int k = 0; k < count; k++) {
        put(data + 12 + 4 * k, 4, (uint32_t)(int32_t)floor(numbers[k] * 65536 + 0.5));
    }
    return 12 + 4 * (size_t)count;
}

/* `curv` of so many entries, of sRGB's curve or of a power. */
static size_t make_table(unsigned char *data, int count, double power)
{
    memcpy(data, "curv\0\0\0\0", 8);
    put(data + 8, 4, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        double v = i / (double)(count - 1);
        double light = power > 0      ? pow(v, power)
                       : v <= 0.04045 ? v / 12.92
                                      : pow((v + 0.055) / 1.055, 2.4);
        put(data + 12 + 2 * i, 2, (uint32_t)floor(light * 65535 + 0.5));
    }
    return 12 + 2 * (size_t)count;
}

/* A file of a checkerboard with that metadata. */
static void write_board(const char *to, int channels, const unsigned char *icc, size_t icc_bytes,
                        double gamma, bool srgb, int transfer)
{
    satf_image *image;
    MUST(ctx, satf_image_create(ctx, 64, 64, channels, SATF_U8, 0, &image));
    const satf_view *view = satf_image_view(image);
    for (int64_t i = 0; i < 64 * 64 * channels; i++) {
        int64_t pixel = i / channels;
        ((uint8_t *)view->data)[i] = (pixel ^ pixel / 64) & 1 ? 255 : 0;
    }
    if (icc) {
        MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, icc_bytes));
    }
    image->metadata.has_gamma = gamma > 0;
    image->metadata.gamma = gamma;
    image->metadata.has_srgb = srgb;
    image->metadata.has_hdr[SATF_CICP] = transfer > 0;
    memcpy(image->metadata.hdr[SATF_CICP], (unsigned char[]){1, (unsigned char)transfer, 0, 1}, 4);
    write_image(image, to);
}

/* Half of the light is that sample; 0: the curve is refused. */
static void check_half(const char *from, const char *what, int want)
{
    const job *half = JOB(from, "half.npy", "resize=50%", SATF_ROUTE_AUTO, .how.linear = 1);
    if (want == 0) {
        must_fail(half, SATF_UNSUPPORTED, "by a curve that is neither sRGB's nor a power");
        return;
    }
    must_run(half);
    SCOPED_IMAGE *made = read_image("half.npy");
    const satf_view *view = satf_image_view(made);
    for (int64_t i = 0; i < satf_row_samples(view) * view->height; i++) {
        int got = ((const uint8_t *)view->data)[i];
        if (view->type != SATF_U8 || got != want) {
            fail_msg("%s: %s: half is %d, not %d", from, what, got, want);
        }
    }
}

static void check_profile(const char *what, const unsigned char *data, size_t n, int want)
{
    static unsigned char icc[PROFILE_BYTES];
    for (int channels = 1; channels <= 3; channels += 2) {
        size_t bytes = make_profile(icc, channels == 1, data, n);
        write_board("p.png", channels, icc, bytes, 0.5, false, 0); /* whose gAMA does not count */
        check_half("p.png", what, want);
    }
}

TEST_ALONE(profiles)
{
    static unsigned char data[PROFILE_BYTES];
    static const double p3[] = {2.4, 0.94786, 0.05214, 0.07739, 0.04045, 0, 0};
    static const double other[] = {2.222, 0.90991, 0.09009, 0.22222, 0.081}; /* BT.709 */
    static const double gamma = 1.8, steep = 9;
    check_profile("Display P3", data, make_formula(data, 3, p3, 5), 188);
    check_profile("sRGB of kind 4", data, make_formula(data, 4, p3, 7), 188);
    check_profile("1.8", data, make_formula(data, 0, &gamma, 1), 174);
    check_profile("a table of 1024", data, make_table(data, 1024, 0), 188);
    check_profile("a table of 4096", data, make_table(data, 4096, 0), 188);
    check_profile("BT.709", data, make_formula(data, 3, other, 5), 0);
    check_profile("9", data, make_formula(data, 0, &steep, 1), 0);
    check_profile("a table of a power", data, make_table(data, 1024, 2.2), 0);
    check_profile("a table that ends before", data, make_table(data, 1024, 0) - 1, 0);
    check_profile("a formula that ends before", data, make_formula(data, 3, p3, 5) - 1, 0);
    memcpy(data, "curv\0\0\0\0\0\0\0\1\2\x33", 14); /* Adobe's 2.2 */
    check_profile("563 / 256", data, 14, 186);
    memcpy(data, "curv\0\0\0\0\0\0\0", 12);
    check_profile("linear", data, 12, 128);
    memcpy(data, "none\0\0\0\0\0\0\0", 12);
    check_profile("another element", data, 12, 0);
}

TEST_ALONE(chunks)
{
    static const struct {
        double gamma;
        bool srgb;
        int transfer, want;
    } files[] = {{0, false, 0, 188},        {0.45455, false, 0, 186}, {0.45455, true, 0, 188},
                 {0.55556, false, 0, 174},  {1, false, 0, 128},       {0.1, false, 0, 0},
                 {0.45455, false, 13, 188}, {0, false, 8, 128},       {0, false, 16, 0}};
    for (size_t k = 0; k < COUNT(files); k++) {
        char what[40];
        snprintf(what, sizeof what, "case %d", (int)k);
        write_board("c.png", 3, NULL, 0, files[k].gamma, files[k].srgb, files[k].transfer);
        check_half("c.png", what, files[k].want);
    }
}

/* ------------------------------------------------------------------------- chains */

/* The option is the two filters around the chain; windows that are lengths are pixels by then. */
TEST_ALONE(option)
{
    static const char *const specs[][2] = {
        {"a.ppm", "linearize=srgb box=9 delinearize=srgb,depth=8"},
        {"b.png", "linearize=srgb box=9 delinearize=srgb,depth=8"},
        {"c.pgm", "linearize=srgb box=9 delinearize=srgb,depth=16"},
        {"d.npy", "linearize=srgb box=9 delinearize=srgb"},
    };
    for (size_t k = 0; k < COUNT(specs); k++) {
        write_noise(specs[k][0], 301, 207, pictures[k].channels, pictures[k].type,
                    pictures[k].flags, 5);
        for (int region = 0; region < 2; region++) {
            satf_rect rect = {20, 30, 99, 101};
            must_run(JOB(specs[k][0], "want.npy", specs[k][1], SATF_ROUTE_WHOLE,
                         .how.region = region ? &rect : NULL));
            must_run(JOB(specs[k][0], "is.npy", "box=9", SATF_ROUTE_ROWS, .how.linear = 1,
                         .how.region = region ? &rect : NULL));
            assert_same_file("want.npy", "is.npy", specs[k][1]);
            must_run(JOB(specs[k][0], "is.npy", "box=0.3in", SATF_ROUTE_AUTO, .how.linear = 1,
                         .how.dpi = 30, .how.region = region ? &rect : NULL));
            assert_same_file("want.npy", "is.npy", "a length");
        }
    }
}

TEST_ALONE(refused)
{
    static const struct {
        const char *spec, *words;
    } cases[] = {{"stddev=3", "a picture like their input, not for stddev"},
                 {"box=3 sauvola=15", "not for sauvola"},
                 {"variance=3 box=3", "not for variance"},
                 {"linearize=srgb", "not for linearize"},
                 {"by=o.pgm", "the other picture of by would not be in linear light"},
                 {"guided=5,guide=o.pgm", "the other picture of guided"}};
    write_noise("e.pgm", 40, 30, 1, SATF_U8, 0, 3);
    write_noise("o.pgm", 40, 30, 1, SATF_U8, 0, 4);
    for (size_t k = 0; k < COUNT(cases); k++) {
        must_fail(JOB("e.pgm", "no.npy", cases[k].spec, SATF_ROUTE_AUTO, .how.linear = 1),
                  SATF_UNSUPPORTED, cases[k].words);
    }
    write_noise("i.npy", 40, 30, 1, SATF_I16, 0, 3);
    must_fail(JOB("i.npy", "no.npy", "box=3", SATF_ROUTE_AUTO, .how.linear = 1), SATF_UNSUPPORTED,
              "samples of 0 and more, and these are i16");
    must_run(JOB("e.pgm", "yes.npy", "varbox=o.pgm guided=5", SATF_ROUTE_AUTO, .how.linear = 1));
}

TEST_FILE(.context = &ctx, .folder = true)
