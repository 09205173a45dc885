/* Large images: both engines against a running-sum reference; and properties. */
#include "test.h"

#include "base/parallel.h"
#include "filter_reference.h"

static void fill(satf_view *view, uint64_t seed)
{
    view->data = malloc((size_t)(view->stride * view->height));
    unsigned char *bytes = view->data;
    for (int64_t i = 0; i < view->stride * view->height; i += 8) {
        uint64_t random = ref_random(&seed);
        for (int64_t k = i; k < i + 8 && k < view->stride * view->height; k++, random >>= 8) {
            bytes[k] = (unsigned char)random;
        }
    }
}

static uint32_t sample(const satf_view *view, int64_t x, int64_t y)
{
    const char *row = satf_row(view, y);
    uint16_t wide;
    if (view->type == SATF_U8) {
        return ((const unsigned char *)row)[x];
    }
    memcpy(&wide, row + 2 * x, sizeof wide);
    return wide;
}

/* Column sums of the window's rows, kept by adding and taking away one row a
 * row; each pixel's window then likewise along the row. */
static void check_mean(const satf_view *in, const satf_view *out, int border, int64_t w, int64_t h,
                       int engine)
{
    int64_t W = in->width, H = in->height;
    SCOPED uint64_t *columns = calloc((size_t)W, sizeof *columns);
    for (int64_t y = 0; y < H; y++) {
        for (int64_t k = y ? h - 1 : 0; k < h; k++) {
            int64_t enter = satf_border_index(border, y - h / 2 + k, H);
            for (int64_t x = 0; x < W; x++) {
                columns[x] += sample(in, x, enter);
            }
        }
        if (y) {
            int64_t leave = satf_border_index(border, y - 1 - h / 2, H);
            for (int64_t x = 0; x < W; x++) {
                columns[x] -= sample(in, x, leave);
            }
        }
        uint64_t sum = 0, area = (uint64_t)(w * h);
        for (int64_t k = 0; k < w; k++) {
            sum += columns[satf_border_index(border, k - w / 2, W)];
        }
        for (int64_t x = 0; x < W; x++) {
            uint64_t want = (2 * sum + area) / (2 * area);
            if (sample(out, x, y) != want) {
                fail_msg("%s %ld x %ld, window %ld x %ld, border %s, engine %d: first wrong pixel "
                         "(%ld, %ld): %u instead of %lu",
                         satf_type_name(in->type), (long)W, (long)H, (long)w, (long)h,
                         satf_border_name(border), engine, (long)x, (long)y, sample(out, x, y),
                         (unsigned long)want);
            }
            sum += columns[satf_border_index(border, x + 1 - w / 2 + w - 1, W)];
            sum -= columns[satf_border_index(border, x - w / 2, W)];
        }
    }
}

TEST(test_large_means)
{
    static const struct {
        int64_t width, height, w, h;
        int type, border;
    } cases[] = {
        {4097, 4095, 15, 15, SATF_U8, SATF_CLAMP},    {4095, 4097, 255, 255, SATF_U8, SATF_MIRROR},
        {4096, 1031, 300, 16, SATF_U8, SATF_WRAP},    {4097, 1023, 3, 3, SATF_U16, SATF_REFLECT},
        {4095, 1025, 255, 255, SATF_U16, SATF_CLAMP}, {2049, 511, 700, 511, SATF_U16, SATF_WRAP},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        satf_view in =
            satf_view_packed(NULL, cases[k].width, cases[k].height, 1, (satf_type)cases[k].type);
        fill(&in, k);
        satf_view out = in;
        out.data = malloc((size_t)(out.stride * out.height));
        SCOPED_FILTER *filter;
        assert_int_equal(satf_filter_create(ctx, "box", &filter), SATF_OK);
        satf_filter_set_int(ctx, filter, "width", cases[k].w);
        satf_filter_set_int(ctx, filter, "height", cases[k].h);
        satf_filter_set_border(ctx, filter, (satf_border)cases[k].border, 0);
        for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
            satf_context_set_engine(ctx, (satf_engine)engine);
            satf_context_set_threads(ctx, engine == SATF_ENGINE_SAT ? 2 : 5);
            assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
            check_mean(&in, &out, cases[k].border, cases[k].w, cases[k].h, engine);
        }
        free(in.data);
        free(out.data);
    }
}

/* Engine against engine where the reference would be slow. */
TEST(test_engines_agree)
{
    static const struct {
        const char *spec;
        int type, channels, alpha;
    } cases[] = {
        {"variance=15", SATF_U8, 1, 0},
        {"variance=255,border=wrap", SATF_U16, 1, 0},
        {"stddev=31x9,border=shrink", SATF_U8, 3, 0},
        {"box=400x90,border=constant:250", SATF_U8, 4, 1},
        {"variance=90,border=mirror", SATF_U16, 2, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        satf_view in =
            satf_view_packed(NULL, 1021, 769, cases[k].channels, (satf_type)cases[k].type);
        in.flags = cases[k].alpha ? SATF_ALPHA : 0;
        fill(&in, 40 + k);
        SCOPED_FILTER *filter;
        satf_view out[2];
        assert_int_equal(satf_filter_parse(ctx, cases[k].spec, &filter), SATF_OK);
        for (int e = 0; e < 2; e++) {
            assert_int_equal(satf_filter_output(ctx, filter, &in, &out[e]), SATF_OK);
            out[e].data = malloc((size_t)(out[e].stride * out[e].height));
            satf_context_set_engine(ctx, e ? SATF_ENGINE_WINDOW : SATF_ENGINE_SAT);
            satf_context_set_threads(ctx, e ? 2 : 5);
            if (satf_filter_apply(ctx, filter, &in, &out[e])) {
                fail_msg("%s: %s", cases[k].spec, satf_message(ctx));
            }
        }
        size_t bytes = (size_t)(out[0].stride * out[0].height), at = 0;
        const char *a = out[0].data, *b = out[1].data;
        while (at < bytes && a[at] == b[at]) {
            at++;
        }
        if (at < bytes) {
            fail_msg("%s: the engines differ first at (%zu, %zu)", cases[k].spec,
                     at % (size_t)out[0].stride / satf_type_bytes(out[0].type) /
                         (size_t)out[0].channels,
                     at / (size_t)out[0].stride);
        }
        free(in.data);
        free(out[0].data);
        free(out[1].data);
    }
}

/* Constants have no variance, an impulse spreads to its window, means commute
 * with shifts and are linear. */
TEST(test_properties)
{
    enum { W = 301, H = 203 };
    SCOPED uint16_t *pixels = malloc(W * H * sizeof *pixels);
    SCOPED double *a = malloc(W * H * sizeof *a), *b = malloc(W * H * sizeof *b);
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U16);
    satf_view out_a = satf_view_packed(a, W, H, 1, SATF_F64);
    satf_view out_b = satf_view_packed(b, W, H, 1, SATF_F64);
    satf_filter *variance, *box;
    assert_int_equal(satf_filter_parse(ctx, "variance=41x17", &variance), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "box=16x9,border=wrap", &box), SATF_OK);
    for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        for (int i = 0; i < W * H; i++) {
            pixels[i] = 54321;
        }
        assert_int_equal(satf_filter_apply(ctx, variance, &in, &out_a), SATF_OK);
        for (int i = 0; i < W * H; i++) {
            assert_true(a[i] == 0);
        }
        memset(pixels, 0, W * H * sizeof *pixels);
        pixels[100 * W + 50] = 144 * 7;
        assert_int_equal(satf_filter_apply(ctx, box, &in, &out_a), SATF_OK);
        for (int i = 0; i < W * H; i++) {
            int x = i % W - 50, y = i / W - 100;
            int inside = x > -8 && x <= 8 && y >= -4 && y <= 4; /* even: one more on the left */
            assert_true(a[i] == (inside ? 7 : 0));
        }
        uint64_t seed = 9;
        for (int i = 0; i < W * H; i++) {
            pixels[i] = (uint16_t)(ref_random(&seed) & 0x3fff);
        }
        assert_int_equal(satf_filter_apply(ctx, box, &in, &out_a), SATF_OK);
        SCOPED uint16_t *turned = malloc(W * H * sizeof *turned);
        for (int i = 0; i < W * H; i++) {
            turned[(i / W + 31) % H * W + (i % W + 17) % W] = (uint16_t)(3 * pixels[i] + 5);
        }
        satf_view shifted = satf_view_packed(turned, W, H, 1, SATF_U16);
        assert_int_equal(satf_filter_apply(ctx, box, &shifted, &out_b), SATF_OK);
        for (int i = 0; i < W * H; i++) {
            double sum = a[i] * 144; /* exact: 144 is 9 * 16 and the sum an integer */
            double want = (3 * round(sum) + 5 * 144) / 144;
            assert_true(b[(i / W + 31) % H * W + (i % W + 17) % W] == want);
        }
    }
    satf_filter_destroy(variance);
    satf_filter_destroy(box);
}

TEST_FILE(.shared = true)
