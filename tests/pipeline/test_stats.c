/* The numbers of a result are those of all its samples, by either route, before it is a picture. */
#include "test.h"
#include "pipeline_jobs.h"

static satf_status filter_counted(const char *in, const char *out, const char *spec,
                                  satf_route route, satf_file_report *report)
{
    satf_filter *filter;
    satf_file_options options;
    satf_file_options_init(&options, sizeof options);
    options.route = route;
    options.stats = 1;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    satf_status status = satf_filter_file(ctx, filter, in, out, &options, report, sizeof *report);
    satf_filter_destroy(filter);
    return status;
}

static long double sample_of(const satf_view *v, int64_t i)
{
    switch (v->type) {
    case SATF_U8:
        return ((const uint8_t *)v->data)[i];
    case SATF_U16:
        return ((const uint16_t *)v->data)[i];
    case SATF_U32:
        return ((const uint32_t *)v->data)[i];
    case SATF_U64:
        return ((const uint64_t *)v->data)[i];
    case SATF_F32:
        return (long double)((const float *)v->data)[i];
    default:
        return (long double)((const double *)v->data)[i];
    }
}

/* Of one channel, in two passes. */
static satf_channel_stats count(const satf_view *v, int channel)
{
    long double sum = 0, squares = 0, least = INFINITY, greatest = -INFINITY, first = NAN;
    int64_t n = 0, all = v->width * v->height * v->channels;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = channel; i < all; i += v->channels) {
            long double s = sample_of(v, i);
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

/* The report's are those of the samples in the file; `ulps` of the largest may be lost. */
static void compare_stats(const satf_file_report *report, const char *file, double ulps)
{
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_read(ctx, file, &image), SATF_OK);
    const satf_view *v = satf_image_view(image);
    assert_int_equal(report->stats_channels, v->channels);
    for (int c = 0; c < v->channels; c++) {
        satf_channel_stats want = count(v, c), is = report->stats[c];
        double most = fmax(fabs(want.least), fabs(want.greatest)) * 0x1p-52 * ulps;
        assert_int_equal(is.samples, want.samples);
        near(is.least, want.least, 0, "least");
        near(is.greatest, want.greatest, 0, "greatest");
        near(is.mean, want.mean, most, "mean");
        near(is.deviation, want.deviation, want.deviation * 0x1p-50, "deviation");
    }
}

static const satf_route routes[] = {SATF_ROUTE_WHOLE, SATF_ROUTE_ROWS};

TEST_ALONE(every_type)
{
    static const struct {
        satf_type type;
        const char *spec;
    } cases[] = {{SATF_U8, "box=1"},
                 {SATF_U16, "box=1"},
                 {SATF_F32, "box=1"},
                 {SATF_F64, "box=3"},
                 {SATF_U8, "stddev=3"},
                 {SATF_U8, "integral"},
                 {SATF_U16, "integral,squared"}};
    satf_file_report report;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int channels = 1; channels <= 4; channels++) {
            write_noise(path("in.npy"), 61, 43, channels, cases[i].type, 0, 99 + (uint32_t)i);
            for (int r = 0; r < 2; r++) {
                if (filter_counted(path("in.npy"), path("out.npy"), cases[i].spec, routes[r],
                                   &report)) {
                    fail_msg("%s: %s", cases[i].spec, satf_message(ctx));
                }
                compare_stats(&report, path("out.npy"), 1);
            }
        }
    }
}

/* 64 bits are more than a double has; samples far from 0 lose nothing of their spread. */
TEST_ALONE(far_from_zero)
{
    satf_file_report report;
    satf_image *image;
    for (int type = SATF_U32; type <= SATF_F64; type++) {
        assert_int_equal(satf_image_create(ctx, 50, 40, 1, (satf_type)type, 0, &image), SATF_OK);
        void *data = satf_image_view(image)->data;
        uint32_t seed = 7;
        for (int i = 0; i < 2000; i++) {
            uint32_t v = noise(&seed) % 1000;
            switch (type) {
            case SATF_U32:
                ((uint32_t *)data)[i] = UINT32_MAX - v;
                break;
            case SATF_U64:
                ((uint64_t *)data)[i] = UINT64_MAX - v;
                break;
            case SATF_F32:
                ((float *)data)[i] = 1e7f + (float)v;
                break;
            default:
                ((double *)data)[i] = -1e12 + v / 1024.0;
                break;
            }
        }
        assert_int_equal(satf_image_write(ctx, image, path("in.npy"), NULL), SATF_OK);
        satf_image_destroy(image);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(
                filter_counted(path("in.npy"), path("out.npy"), "flip=h", routes[r], &report),
                SATF_OK);
            compare_stats(&report, path("out.npy"), 1);
        }
    }
}

TEST_ALONE(not_finite)
{
    satf_file_report report;
    SCOPED_IMAGE *image = make_noise(20, 10, 2, SATF_F64, 0, 3);
    double *data = satf_image_view(image)->data;
    data[0] = NAN;
    data[8] = INFINITY;
    data[80] = -INFINITY;
    for (int i = 1; i < 400; i += 2) {
        data[i] = NAN; /* all of a channel */
    }
    assert_int_equal(satf_image_write(ctx, image, path("in.npy"), NULL), SATF_OK);
    assert_int_equal(
        filter_counted(path("in.npy"), path("out.npy"), "flip=h", SATF_ROUTE_ROWS, &report),
        SATF_OK);
    compare_stats(&report, path("out.npy"), 1);
    assert_int_equal(report.stats[0].samples, 197);
    assert_int_equal(report.stats[1].samples, 0);
}

/* A map's numbers are not those of its picture. */
TEST_ALONE(before_the_picture)
{
    satf_file_report map, picture;
    write_noise(path("in.npy"), 70, 30, 3, SATF_U8, 0, 5);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(
            filter_counted(path("in.npy"), path("map.npy"), "stddev=5", routes[r], &map), SATF_OK);
        assert_int_equal(
            filter_counted(path("in.npy"), path("map.png"), "stddev=5", routes[r], &picture),
            SATF_OK);
        assert_memory_equal(map.stats, picture.stats, sizeof map.stats);
        assert_true(map.stats[0].greatest < 128);
    }
}

static satf_channel_stats of_page[3][SATF_MAX_CHANNELS];

static int take_page(void *user, int64_t page, satf_status status, const char *why,
                     const satf_file_report *report, size_t report_bytes)
{
    (void)user, (void)why, (void)report_bytes;
    assert_int_equal(status, SATF_OK);
    assert_int_equal(report->stats_channels, 1);
    memcpy(of_page[page - 1], report->stats, sizeof report->stats);
    return 0;
}

/* Each page's are its own, and nothing is counted unasked. */
TEST_ALONE(pages)
{
    satf_file_report report;
    satf_file_options options;
    satf_filter *filter;
    SCOPED_IMAGE *image = make_noise(9, 3 * 8, 1, SATF_U16, 0, 11);
    FILE *file = fopen(path("in.npy"), "wb");
    assert_non_null(file);
    char head[65];
    snprintf(head, sizeof head, "%-53s\n",
             "{'descr': '<u2', 'fortran_order': False, 'shape': (3, "
             "8, 9)}");
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    uint16_t length = (uint16_t)strlen(head);
    fwrite(&length, 1, 2, file);
    fwrite(head, 1, length, file);
    fwrite(satf_image_view(image)->data, 2, 3 * 8 * 9, file);
    fclose(file);
    assert_int_equal(satf_context_set_axes(ctx, "ZYX"), SATF_OK);
    satf_file_options_init(&options, sizeof options);
    options.page_done = take_page;
    assert_int_equal(satf_filter_parse(ctx, "flip=h", &filter), SATF_OK);
    options.stats = 1;
    if (satf_filter_file(ctx, filter, path("in.npy"), path("out.npy"), &options, &report,
                         sizeof report)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_int_equal(report.stats_channels, 0);
    for (int k = 0; k < 3; k++) {
        satf_view page = satf_view_rect(satf_image_view(image), (satf_rect){0, 8 * k, 9, 8});
        satf_channel_stats want = count(&page, 0);
        near(of_page[k][0].mean, want.mean, 1e-11, "a page's mean");
        near(of_page[k][0].least, want.least, 0, "a page's least");
    }
    options.stats = 0;
    options.page_done = NULL;
    assert_int_equal(satf_filter_file(ctx, filter, path("in.npy"), path("out.npy"), &options,
                                      &report, sizeof report),
                     SATF_OK);
    assert_int_equal(report.stats_channels, 0);
    satf_filter_destroy(filter);
}

TEST_FILE(.context = &ctx, .folder = true)
