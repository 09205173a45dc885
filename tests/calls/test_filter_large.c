/* Large images: both engines against a running-sum reference, and against each other. */
#include "test.h"

#include "base/parallel.h"
#include "ways.h"

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
                columns[x] += (uint64_t)sample_at(in, enter, x);
            }
        }
        if (y) {
            int64_t leave = satf_border_index(border, y - 1 - h / 2, H);
            for (int64_t x = 0; x < W; x++) {
                columns[x] -= (uint64_t)sample_at(in, leave, x);
            }
        }
        uint64_t sum = 0, area = (uint64_t)(w * h);
        for (int64_t k = 0; k < w; k++) {
            sum += columns[satf_border_index(border, k - w / 2, W)];
        }
        for (int64_t x = 0; x < W; x++) {
            uint64_t want = (2 * sum + area) / (2 * area);
            if (sample_at(out, y, x) != (double)want) {
                fail_msg("%s %ld x %ld, window %ld x %ld, border %s, engine %d: first wrong pixel "
                         "(%ld, %ld): %g instead of %lu",
                         satf_type_name(in->type), (long)W, (long)H, (long)w, (long)h,
                         satf_border_name(border), engine, (long)x, (long)y, sample_at(out, y, x),
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
        {4097, 4095, 15, 15, SATF_U8, SATF_BORDER_CLAMP},
        {4095, 4097, 255, 255, SATF_U8, SATF_BORDER_MIRROR},
        {4096, 1031, 300, 16, SATF_U8, SATF_BORDER_WRAP},
        {4097, 1023, 3, 3, SATF_U16, SATF_BORDER_REFLECT},
        {4095, 1025, 255, 255, SATF_U16, SATF_BORDER_CLAMP},
        {2049, 511, 700, 511, SATF_U16, SATF_BORDER_WRAP},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SCOPED_VIEW in = draw_bytes(cases[k].width, cases[k].height, 1, cases[k].type, 0, k);
        SCOPED_FILTER *filter;
        MUST(ctx, satf_filter_create(ctx, "box", &filter));
        satf_filter_set_int(ctx, filter, "width", cases[k].w);
        satf_filter_set_int(ctx, filter, "height", cases[k].h);
        satf_filter_set_border(ctx, filter, (satf_border)cases[k].border, 0);
        for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
            satf_context_set_engine(ctx, (satf_engine)engine);
            satf_context_set_threads(ctx, engine == SATF_ENGINE_SAT ? 2 : 5);
            SCOPED_VIEW out = result_of(ctx, filter, &in);
            check_mean(&in, &out, cases[k].border, cases[k].w, cases[k].h, engine);
        }
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
        SCOPED_VIEW in = draw_bytes(1021, 769, cases[k].channels, cases[k].type, 0, 40 + k);
        in.flags = cases[k].alpha ? SATF_ALPHA : 0;
        satf_context_set_engine(ctx, SATF_ENGINE_SAT);
        satf_context_set_threads(ctx, 5);
        SCOPED_VIEW want = made_by(ctx, cases[k].spec, &in);
        satf_context_set_engine(ctx, SATF_ENGINE_WINDOW);
        satf_context_set_threads(ctx, 2);
        SCOPED_VIEW got = made_by(ctx, cases[k].spec, &in);
        require_same(cases[k].spec, "the engines", &got, &want);
    }
}

TEST_FILE(.shared = true)
