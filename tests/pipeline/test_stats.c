/* The numbers of a result are those of all its samples, by either route, before it is a picture. */
#include "test.h"
#include "pipeline_jobs.h"

/* Of one channel, in two passes. */
static satf_channel_stats count(const satf_view *v, int channel)
{
    long double sum = 0, squares = 0, least = INFINITY, greatest = -INFINITY, first = NAN;
    int64_t n = 0, all = v->width * v->height * v->channels;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = channel; i < all; i += v->channels) {
            long double s = sample_of(v, (size_t)i);
            if (!isfinite(s)) {
                continue;
            }
            first = isnan(first) ? s : first;
            if (pass == 0) {
                least = s < least ? s : least;
                greatest = s > greatest ? s : greatest;
                sum += s - first;
                n++;
            } else {
                long double apart = s - first - sum / (long double)n;
                squares += apart * apart;
            }
        }
    }
    satf_channel_stats stats = {n, 0, 0, 0, 0};
    if (n > 0) {
        stats.least = (double)least;
        stats.greatest = (double)greatest;
        stats.mean = (double)(first + sum / (long double)n);
        stats.deviation = (double)sqrtl(squares / (long double)n);
    }
    return stats;
}

static void near(double is, double want, double by, const char *what)
{
    if (!(fabs(is - want) <= by)) {
        fail_msg("%s: %.17g, not %.17g", what, is, want);
    }
}

/* The last report's are those of the samples in the file. */
static void check_stats(const char *file)
{
    SCOPED_IMAGE *image = read_image(file);
    const satf_view *v = satf_image_view(image);
    assert_int_equal(report.stats_channels, v->channels);
    for (int c = 0; c < v->channels; c++) {
        satf_channel_stats want = count(v, c), is = report.stats[c];
        double most = fmax(fabs(want.least), fabs(want.greatest)) * 0x1p-52;
        assert_int_equal(is.samples, want.samples);
        near(is.least, want.least, 0, "least");
        near(is.greatest, want.greatest, 0, "greatest");
        near(is.mean, want.mean, most, "mean");
        near(is.deviation, want.deviation, want.deviation * 0x1p-50, "deviation");
    }
}

/* Those of in.npy through the chain, by either route. */
static void check_chain(const char *spec)
{
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("in.npy", "out.npy", spec, way, .how.stats = 1));
        check_stats("out.npy");
    }
}

TEST_ALONE(every_type)
{
    static const struct {
        satf_type type;
        const char *spec;
    } cases[] = {{SATF_U8, "box=1"},
                 {SATF_U16, "box=1"},
                 {SATF_F32, "box=1"},
                 {SATF_F64, "box=3"},
                 {SATF_I8, "box=3"},
                 {SATF_I16, "box=1"},
                 {SATF_I32, "flip=h"},
                 {SATF_I64, "flip=h"},
                 {SATF_F16, "box=1"},
                 {SATF_I16, "integral"},
                 {SATF_U8, "stddev=3"},
                 {SATF_U8, "integral"},
                 {SATF_U16, "integral,squared"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int channels = 1; channels <= 4; channels++) {
            write_noise("in.npy", 61, 43, channels, cases[i].type, 0, 99 + (uint32_t)i);
            check_chain(cases[i].spec);
        }
    }
}

/* 64 bits are more than a double has; samples far from 0 lose nothing of their spread. */
TEST_ALONE(far_from_zero)
{
    static const int types[] = {SATF_U32, SATF_U64, SATF_F32, SATF_F64, SATF_I32, SATF_I64};
    for (size_t k = 0; k < COUNT(types); k++) {
        int type = types[k];
        satf_image *image;
        MUST(ctx, satf_image_create(ctx, 50, 40, 1, (satf_type)type, 0, &image));
        char *data = satf_image_view(image)->data;
        size_t sample = satf_type_bytes(type);
        uint32_t seed = 7;
        for (int i = 0; i < 2000; i++) {
            uint32_t v = noise(&seed) % 1000;
            const uint32_t u32 = UINT32_MAX - v;
            const uint64_t u64 = UINT64_MAX - v;
            const int32_t i32 = INT32_MIN + (int32_t)v;
            const int64_t i64 = INT64_MIN + v;
            const float f32 = 1e7f + (float)v;
            const double f64 = -1e12 + v / 1024.0;
            const void *const as[] = {[SATF_U32] = &u32, [SATF_U64] = &u64, [SATF_F32] = &f32,
                                      [SATF_F64] = &f64, [SATF_I32] = &i32, [SATF_I64] = &i64};
            memcpy(data + (size_t)i * sample, as[type], sample);
        }
        write_image(image, "in.npy");
        check_chain("flip=h");
    }
}

TEST_ALONE(not_finite)
{
    satf_image *image = make_noise(20, 10, 2, SATF_F64, 0, 3);
    double *data = satf_image_view(image)->data;
    data[0] = NAN;
    data[8] = INFINITY;
    data[80] = -INFINITY;
    for (int i = 1; i < 400; i += 2) {
        data[i] = NAN; /* all of a channel */
    }
    write_image(image, "in.npy");
    check_chain("flip=h");
    assert_int_equal(report.stats[0].samples, 197);
    assert_int_equal(report.stats[1].samples, 0);
}

/* A map's numbers are not those of its picture. */
TEST_ALONE(before_the_picture)
{
    write_noise("in.npy", 70, 30, 3, SATF_U8, 0, 5);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("in.npy", "map.npy", "stddev=5", way, .how.stats = 1));
        const satf_file_report map = report;
        must_run(JOB("in.npy", "map.png", "stddev=5", way, .how.stats = 1));
        assert_memory_equal(map.stats, report.stats, sizeof map.stats);
        assert_true(map.stats[0].greatest < 128);
    }
}

static satf_channel_stats of_page[3][SATF_MAX_CHANNELS];

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *told, size_t report_bytes)
{
    (void)user, (void)why, (void)report_bytes;
    assert_int_equal(status, SATF_OK);
    assert_int_equal(told->stats_channels, 1);
    memcpy(of_page[page - 1], told->stats, sizeof told->stats);
    return 0;
}

static satf_image *make_page(int k)
{
    return make_noise(9, 8, 1, SATF_U16, 0, 11 + (uint32_t)k);
}

/* Each page's are its own, and nothing is counted unasked. */
TEST_ALONE(pages)
{
    write_pages("in.npy", make_page, 0, 3, NULL);
    MUST(ctx, satf_context_set_axes(ctx, "ZYX"));
    must_run(JOB("in.npy", "out.npy", "flip=h", .how.stats = 1, .how.page_done = take_page));
    assert_int_equal(report.stats_channels, 0);
    for (int k = 0; k < 3; k++) {
        SCOPED_IMAGE *page = make_page(k);
        satf_channel_stats want = count(satf_image_view(page), 0);
        near(of_page[k][0].mean, want.mean, 1e-11, "a page's mean");
        near(of_page[k][0].least, want.least, 0, "a page's least");
    }
    must_run(JOB("in.npy", "out.npy", "flip=h"));
    assert_int_equal(report.stats_channels, 0);
}

TEST_FILE(.context = &ctx, .folder = true)
