/* Behind --real a chain of integers is the chain of the same doubles, with the same full scale. */
#include "test.h"

#include "ways.h"

enum { W = 37, H = 23, SAMPLES = W * H * 4 };

static const char *const chains[] = {
    "",           "box=5",          "box=9,border=mirror box=3", "unsharp=7,amount=2 stddev=3",
    "sauvola=15", "guided=5 box=2", "adaptive=9,offset=3",       "flatten=9 normalize=5",
};

static void fill(satf_view *v, satf_type type, int channels, unsigned flags, double full,
                 void *memory)
{
    *v = satf_view_packed(memory, W, H, channels, type);
    v->flags = flags;
    v->full = full;
    uint32_t state = (uint32_t)(channels * 7 + (int)type);
    double most = full > 0 ? full : satf_type_is_float((int)type) ? 1 : (double)satf_type_max(type);
    for (int64_t i = 0; i < (int64_t)W * H * channels; i++) {
        state = state * 1664525U + 1013904223U;
        double value = (double)(state >> 8) / (1 << 24) * most;
        put_at(v, 0, i, value);
    }
}

/* The chain's result, as f64 or bytes; false: it takes no such image. */
static bool apply(satf_context *ctx, const char *chain, const satf_view *in, satf_view *out)
{
    SCOPED_FILTER *filter = parse_filter(ctx, chain);
    bool taken = satf_filter_output(ctx, filter, in, out) == SATF_OK;
    *out = taken ? result_of(ctx, filter, in) : (satf_view){0};
    return taken;
}

static void check(satf_context *ctx, const char *chain, const satf_view *in)
{
    static double doubles[SAMPLES];
    char with_real[200];
    satf_view wide = *in, is, want;
    wide = satf_view_packed(doubles, W, H, in->channels, SATF_F64);
    wide.flags = in->flags;
    wide.full = satf_type_is_float(in->type) ? in->full : satf_full_scale(in);
    for (int64_t i = 0; i < (int64_t)W * H * in->channels; i++) {
        doubles[i] = sample_at(in, 0, i);
    }
    snprintf(with_real, sizeof with_real, "real %s", chain);
    bool taken = apply(ctx, with_real, in, &is);
    want = wide;
    assert_true(!*chain || taken == apply(ctx, chain, &wide, &want));
    if (taken) {
        assert_true(is.full == want.full && is.flags == want.flags);
        require_same(with_real, "of doubles", &is, &want);
    }
    free(is.data);
    free(*chain ? want.data : NULL);
}

/* Nothing is summed for the pixel alone. */
TEST(engine_of)
{
    static double memory[SAMPLES];
    satf_view in, out;
    satf_used used;
    fill(&in, SATF_U8, 3, 0, 0, memory);
    assert_true(apply(ctx, "real", &in, &out));
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.engine, "pixel");
    free(out.data);
}

TEST(doubles_of)
{
    static double memory[SAMPLES];
    static const struct {
        satf_type type;
        double full;
    } kinds[] = {{SATF_U8, 0},  {SATF_U8, 200},  {SATF_U16, 0}, {SATF_U16, 4095},
                 {SATF_F32, 0}, {SATF_F32, 7.5}, {SATF_F64, 0}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int channels = 1; channels <= 4; channels++) {
            for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
                satf_view in;
                unsigned flags = channels % 2 == 0 ? SATF_ALPHA : 0;
                fill(&in, kinds[k].type, channels, flags, kinds[k].full, memory);
                check(ctx, chains[c], &in);
            }
        }
    }
}

/* A picture keeps its depth, and is rounded once: the mean of means that are not. */
TEST(pictures)
{
    static uint16_t memory[SAMPLES];
    satf_view in, exact;
    fill(&in, SATF_U8, 3, 0, 0, memory);
    satf_image *image, *out;
    satf_filter *filter;
    MUST(ctx, satf_image_create(ctx, W, H, 3, SATF_U8, 0, &image));
    memcpy(satf_image_view(image)->data, memory, W * H * 3);
    char file[] = "/tmp/satfilter-real-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0 && close(fd) == 0);
    satf_write_options options = satf_write_defaults();
    options.format = "png";
    MUST(ctx, satf_filter_parse(ctx, "real box=5 box=3", &filter));
    MUST(ctx, satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &out));
    MUST(ctx, satf_image_write(ctx, out, file, &options));
    satf_image_destroy(out);
    MUST(ctx, satf_image_read(ctx, file, &out));
    assert_true(apply(ctx, "real box=5 box=3", &in, &exact));
    assert_int_equal(satf_image_view(out)->type, SATF_U8);
    for (int64_t i = 0; i < W * H * 3; i++) {
        double value = sample_at(&exact, 0, i);
        assert_int_equal(sample_at(satf_image_view(out), 0, i), (int)(value + 0.5));
    }
    free(exact.data);
    satf_filter_destroy(filter);
    satf_image_destroy(image);
    satf_image_destroy(out);
    remove(file);
}
