/* The range of values that occur: exact for every type, and what a picture shows of it. */
#include "test.h"
#include "samples.h"
#include "test_io_files.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By sorting: the percentile's rank is counted in whole numbers, per mille. */
static void reference(const satf_view *v, int per_mille, double *lo, double *hi)
{
    size_t count = (size_t)(v->width * v->height) * (size_t)v->channels, n = 0;
    SCOPED double *sorted = malloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        bool alpha = v->flags && i % (size_t)v->channels == (size_t)v->channels - 1;
        double x = (double)sample_of(v, i);
        if (!alpha && isfinite(x)) {
            sorted[n++] = x;
        }
    }
    qsort(sorted, n, sizeof *sorted, compare);
    size_t k = (size_t)per_mille * (n - 1) / 1000;
    *lo = sorted[k];
    *hi = sorted[n - 1 - k];
}

static io_plan plan_for(satf_context *ctx, const satf_image *image, double clip_percent)
{
    satf_write_options options = options_for("png");
    options.auto_range = 1;
    options.clip_percent = clip_percent;
    io_plan plan;
    MUST(ctx, io_make_plan(ctx, image, "-", &options, &plan));
    assert_true(plan.find_range);
    return plan;
}

TEST(percentiles)
{
    static const int per_mille[] = {0, 1, 10, 25, 100, 333, 499};
    for (int type = 0; satf_type_name(type); type++) {
        for (int channels = 1; channels <= 4; channels++) {
            unsigned flags = channels % 2 ? 0 : SATF_ALPHA;
            SCOPED_IMAGE *image =
                make_image(ctx, 37, 29, channels, (satf_type)type, flags, 1 + (uint64_t)type);
            float *f = image->view.data;
            double *d = image->view.data;
            for (int i = 0; i < 40 && (type == SATF_F32 || type == SATF_F64); i += 4) {
                double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-149, -0x1p-149};
                for (int k = 0; k < 6 && type == SATF_F32; k++) {
                    f[i * channels + k] = (float)odd[k];
                }
                for (int k = 0; k < 6 && type == SATF_F64; k++) {
                    d[i * channels + k] = odd[k];
                }
            }
            for (size_t p = 0; p < ROWS_OF(per_mille); p++) {
                io_plan plan = plan_for(ctx, image, per_mille[p] / 10.0);
                double lo, hi;
                reference(&image->view, per_mille[p], &lo, &hi);
                MUST(ctx, io_find_range(ctx, &image->view, per_mille[p] / 10.0, &plan));
                if (plan.lo != lo || plan.hi != hi || plan.find_range) {
                    fail_msg("%s x %d, %d per mille: %.17g:%.17g, not %.17g:%.17g",
                             satf_type_name(type), channels, per_mille[p], plan.lo, plan.hi, lo,
                             hi);
                }
            }
        }
    }
}

/* A row of doubles as an 8-bit PNG, under these options. */
static void expect_row(satf_context *ctx, const double *values, int n, satf_write_options options,
                       const unsigned char *want)
{
    SCOPED_IMAGE *image = make_image(ctx, n, 1, 1, SATF_F64, 0, 1);
    memcpy(image->view.data, values, (size_t)n * sizeof *values);
    options.format = "png";
    options.type = SATF_U8;
    SCOPED_BYTES file = must_encode_with(ctx, image, &options);
    satf_view view = satf_view_packed((void *)(uintptr_t)want, n, 1, 1, SATF_U8);
    must_hold(ctx, "a row", &file, &view);
}

TEST(pictures)
{
    satf_write_options options = satf_write_defaults();
    options.auto_range = 1;
    expect_row(ctx, (double[]){-1, 0, 4, NAN, INFINITY}, 5, options,
               (unsigned char[]){0, 51, 255, 0, 255});
    expect_row(ctx, (double[]){7, 7, NAN, 7}, 4, options, (unsigned char[]){0, 0, 0, 0});
    options.clip_percent = 25; /* 5 samples: ranks 1 and 3 */
    expect_row(ctx, (double[]){100, 1, 2, 3, -100}, 5, options,
               (unsigned char[]){255, 0, 128, 255, 0});
    options.clip_percent = 40; /* both are 5 */
    expect_row(ctx, (double[]){5, 5, 5, 5, 9}, 5, options, (unsigned char[]){0, 0, 0, 0, 255});
}

TEST(integers)
{
    SCOPED_IMAGE *image = make_image(ctx, 3, 1, 2, SATF_U8, SATF_ALPHA, 1);
    memcpy(image->view.data, "\x0a\x00\x14\x80\x1e\xff", 6); /* 10, 20, 30 and alpha */
    satf_view wide = image->view;
    wide.data = "\x00\x00\x80\x80\xff\xff";
    satf_write_options options = options_for("png");
    options.auto_range = 1;
    SCOPED_BYTES png = must_encode_with(ctx, image, &options);
    must_hold(ctx, "PNG", &png, &wide);

    /* through the public function */
    SCOPED_BYTES whole;
    MUST(ctx, encode_whole(ctx, image, &options, &whole));
    must_hold(ctx, "a whole PNG", &whole, &wide);

    options.format = "npy"; /* plain values know no range, and no alpha */
    SCOPED_BYTES npy = must_encode_with(ctx, image, &options);
    wide.data = image->view.data;
    wide.flags = 0;
    must_hold(ctx, ".npy", &npy, &wide);
}

TEST(refusals)
{
    SCOPED_IMAGE *image = make_image(ctx, 2, 1, 1, SATF_F64, 0, 1);
    double *d = image->view.data;
    satf_write_options options = options_for("png");
    expect_unwritten(ctx, image, &options, SATF_INVALID, "LO:HI or auto (option: range)");
    options.auto_range = 1;
    static const double bad[] = {-1, 50, 1e9, NAN};
    for (int i = 0; i < 4; i++) {
        options.clip_percent = bad[i];
        expect_unwritten(ctx, image, &options, SATF_INVALID, "0 to below 50");
    }
    options.clip_percent = 0;
    options.has_range = 1;
    options.hi = 1;
    expect_unwritten(ctx, image, &options, SATF_INVALID, "not both");
    options.has_range = 0;
    for (int i = 0; i < 2; i++) {
        options.clip_percent = 10 * i;
        d[0] = NAN;
        d[1] = -INFINITY;
        expect_unwritten(ctx, image, &options, SATF_INVALID, "no sample is finite");
        d[0] = 1e308;
        d[1] = -1e308;
        expect_unwritten(ctx, image, &options, SATF_INVALID, "too far apart");
    }
}

TEST_FILE(.formats = "all")
