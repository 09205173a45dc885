/* The range of values that occur: exact for every type, and what a picture shows of it. */
#include "test.h"
#include "test_io_files.h"

static double sample_value(const satf_view *v, size_t i)
{
    const void *d = v->data;
    switch (v->type) {
    case SATF_U8:
        return ((const uint8_t *)d)[i];
    case SATF_U16:
        return ((const uint16_t *)d)[i];
    case SATF_U32:
        return ((const uint32_t *)d)[i];
    case SATF_U64:
        return (double)((const uint64_t *)d)[i];
    case SATF_F32:
        return (double)((const float *)d)[i];
    default:
        return ((const double *)d)[i];
    }
}

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
        double x = sample_value(v, i);
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
    if (io_make_plan(ctx, image, "-", &options, &plan)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_true(plan.find_range);
    return plan;
}

TEST(percentiles)
{
    static const int per_mille[] = {0, 1, 10, 25, 100, 333, 499};
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        for (int channels = 1; channels <= 4; channels++) {
            unsigned flags = channels % 2 ? 0 : SATF_ALPHA;
            satf_image *image =
                make_image(ctx, 37, 29, channels, (satf_type)type, flags, 1 + (uint64_t)type);
            float *f = image->view.data;
            double *d = image->view.data;
            for (int i = 0; i < 40 && type >= SATF_F32; i += 4) {
                double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0x1p-149, -0x1p-149};
                for (int k = 0; k < 6 && type == SATF_F32; k++) {
                    f[i * channels + k] = (float)odd[k];
                }
                for (int k = 0; k < 6 && type == SATF_F64; k++) {
                    d[i * channels + k] = odd[k];
                }
            }
            for (size_t p = 0; p < sizeof per_mille / sizeof *per_mille; p++) {
                io_plan plan = plan_for(ctx, image, per_mille[p] / 10.0);
                double lo, hi;
                reference(&image->view, per_mille[p], &lo, &hi);
                assert_int_equal(io_find_range(ctx, &image->view, per_mille[p] / 10.0, &plan),
                                 SATF_OK);
                if (plan.lo != lo || plan.hi != hi || plan.find_range) {
                    fail_msg("%s x %d, %d per mille: %.17g:%.17g, not %.17g:%.17g",
                             satf_type_name(type), channels, per_mille[p], plan.lo, plan.hi, lo,
                             hi);
                }
            }
            satf_image_destroy(image);
        }
    }
}

/* A row of doubles as an 8-bit PNG, under these options. */
static void expect_row(satf_context *ctx, const double *values, int n, satf_write_options options,
                       const unsigned char *want)
{
    SCOPED_IMAGE *image = make_image(ctx, n, 1, 1, SATF_F64, 0, 1);
    memcpy(image->view.data, values, (size_t)n * sizeof *values);
    bytes file;
    options.format = "png";
    options.type = SATF_U8;
    if (encode(ctx, image, &options, &file)) {
        fail_msg("%s", satf_message(ctx));
    }
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(((uint8_t *)read->view.data)[i], want[i]);
    }
    free(file.data);
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
    satf_write_options options = options_for("png");
    options.auto_range = 1;
    bytes file;
    assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
    satf_image *read = must_decode(ctx, file.data, file.n);
    assert_memory_equal(read->view.data, "\x00\x00\x80\x80\xff\xff", 6);
    satf_image_destroy(read);
    free(file.data);

    /* through the public function */
    char name[] = "/tmp/test_io_range.XXXXXX";
    close(mkstemp(name));
    assert_int_equal(satf_image_write(ctx, image, name, &options), SATF_OK);
    assert_int_equal(satf_image_read(ctx, name, &read), SATF_OK);
    assert_memory_equal(read->view.data, "\x00\x00\x80\x80\xff\xff", 6);
    satf_image_destroy(read);
    unlink(name);

    options.format = "npy"; /* plain values know no range */
    assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
    read = must_decode(ctx, file.data, file.n);
    assert_memory_equal(read->view.data, image->view.data, 6);
    satf_image_destroy(read);
    free(file.data);
}

static void refuse(satf_context *ctx, const satf_image *image, const satf_write_options *options,
                   const char *in_message)
{
    bytes file;
    satf_status status = encode(ctx, image, options, &file);
    if (status != SATF_INVALID || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s \"%s\"", satf_status_name(status), satf_message(ctx));
    }
}

TEST(refusals)
{
    SCOPED_IMAGE *image = make_image(ctx, 2, 1, 1, SATF_F64, 0, 1);
    double *d = image->view.data;
    satf_write_options options = options_for("png");
    refuse(ctx, image, &options, "LO:HI or auto (option: range)");
    options.auto_range = 1;
    static const double bad[] = {-1, 50, 1e9, NAN};
    for (int i = 0; i < 4; i++) {
        options.clip_percent = bad[i];
        refuse(ctx, image, &options, "0 to below 50");
    }
    options.clip_percent = 0;
    options.has_range = 1;
    options.hi = 1;
    refuse(ctx, image, &options, "not both");
    options.has_range = 0;
    for (int i = 0; i < 2; i++) {
        options.clip_percent = 10 * i;
        d[0] = NAN;
        d[1] = -INFINITY;
        refuse(ctx, image, &options, "no sample is finite");
        d[0] = 1e308;
        d[1] = -1e308;
        refuse(ctx, image, &options, "too far apart");
    }
}

TEST_FILE(.formats = "all")
