/* Parts of results: the same as of the whole, from the pixels within reach alone. */
#include "test.h"

#include "base/device/gpu.h"
#include "base/parallel.h"
#include "base/view.h"
#include "chain/region.h"
#include "ways.h"

enum { W = 37, H = 29, MOST = (W + 1) * (H + 1) * 4 * 8, PAD = 5 };

/* ------------------------------------------------------------------------------- views */

TEST(test_view_rect)
{
    static uint16_t pixels[10 * 8 * 3];
    const satf_view view = satf_view_packed(pixels, 10, 8, 3, SATF_U16), none = {0};
    satf_view part = satf_view_rect(&view, (satf_rect){2, 3, 7, 5});
    assert_true(part.width == 7 && part.height == 5 && part.stride == view.stride);
    assert_true(part.channels == 3 && part.type == SATF_U16 && part.device == SATF_HOST);
    assert_ptr_equal(part.data, pixels + (3 * 10 + 2) * 3);
    satf_view upside = view;
    upside.data = satf_row(&view, 7);
    upside.stride = -view.stride;
    part = satf_view_rect(&upside, (satf_rect){0, 7, 1, 1});
    assert_ptr_equal(part.data, pixels);
    static const satf_rect outside[] = {{-1, 0, 2, 2}, {0, -1, 2, 2}, {9, 0, 2, 1},
                                        {0, 7, 1, 2},  {0, 0, 0, 1},  {0, 0, 1, 0},
                                        {10, 0, 1, 1}, {3, 3, -1, 1}, {1, 1, INT64_MAX, 1}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        part = satf_view_rect(&view, outside[i]);
        assert_memory_equal(&part, &none, sizeof part);
        assert_int_equal(satf_check_view(ctx, &part, "part", false), SATF_INVALID);
    }
    part = satf_view_rect(NULL, outside[0]);
    assert_memory_equal(&part, &none, sizeof part);
}

/* ------------------------------------------------------------------------------- reach */

static void check_reach(satf_context *ctx, const satf_filter *filter, const int64_t *want)
{
    int64_t r[4];
    char text[200];
    satf_filter_print(filter, text, sizeof text);
    MUST(ctx, satf_filter_reach(ctx, filter, &r[0], &r[1], &r[2], &r[3]));
    if (memcmp(r, want, sizeof r) != 0) {
        fail_msg("%s: %ld %ld %ld %ld", text, (long)r[0], (long)r[1], (long)r[2], (long)r[3]);
    }
}

TEST(test_reach)
{
    const int64_t all = INT64_MAX;
    const struct {
        const char *spec;
        int64_t reach[4];
    } cases[] = {
        {"box=1", {0, 0, 0, 0}},
        {"box=7x4", {3, 2, 3, 1}},
        {"box=7x4,at=2:-1", {1, 3, 5, 0}},
        {"box=7x4,at=2:-1,border=shrink", {1, 3, 5, 0}},
        {"box=7x4,at=2:-1,border=constant:3", {1, 3, 5, 0}},
        {"box=7x4,at=2:-1,border=mirror", {5, 3, 5, 3}},
        {"variance=7x4,border=reflect", {3, 2, 3, 2}},
        {"stddev=7x1,border=wrap", {all, 0, all, 0}},
        {"sauvola=5", {2, 2, 2, 2}},
        {"guided=7x4", {6, 3, 6, 3}}, /* windows of windows, of which the second are mirrored */
        {"guided=7x4,at=2:-1", {6, 3, 6, 3}},
        {"guided=7x4,at=2:-1,border=mirror", {10, 6, 10, 6}},
        {"guided=7x4,border=reflect", {6, 4, 6, 4}},
        {"guided=6x5,at=3:0 flip=h", {5, 4, 5, 4}},
        {"gauss=2.1", {9, 9, 9, 9}},
        {"gauss=8", {28, 28, 28, 28}},
        {"dog=1.25", {8, 8, 8, 8}}, /* the wider one counts */
        {"dog=1.25,border=wrap", {all, all, all, all}},
        {"box=3 pixelate=4", {all, all, all, all}},
        {"wolf=5", {all, all, all, all}},
        {"integral", {all, all, 0, 0}},
        {"box=3 box=7x4", {4, 3, 4, 2}},
        {"box=3 resize=50% box=7x4", {all, all, all, all}},
        {"box=3 crop=4x4", {all, all, all, all}},
        {"grey box=3", {1, 1, 1, 1}},
        {"rotate=90", {0, 0, 0, 0}},
        {"rotate=90 box=7x4,at=2:-1", {3, 5, 0, 1}}, /* upside down, then transposed */
        {"box=3 flip=h box=7x4,at=2:-1", {6, 4, 2, 1}},
        {"flip=h integral", {0, all, all, 0}},
        {"integral flip=h", {all, all, 0, 0}},
        {"integral transpose box=3", {all, all, 1, 1}},
    };
    int64_t r[4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec);
        check_reach(ctx, filter, cases[i].reach);
        assert_int_equal(satf_filter_reach(ctx, filter, &r[0], NULL, &r[2], &r[3]), SATF_INVALID);
    }
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_create(ctx, "template", &filter));
    expect(ctx, satf_filter_reach(ctx, filter, &r[0], &r[1], &r[2], &r[3]), SATF_INVALID,
           "no rectangles yet");
    static const satf_weighted_rect rects[] = {{{-3, 2, 5, 7}, 1}, {{1, 1, 2, 2}, -0.5}};
    MUST(ctx, satf_filter_set_rects(ctx, filter, rects, 2));
    check_reach(ctx, filter, (const int64_t[]){3, 0, 2, 8});
    MUST(ctx, satf_filter_set_border(ctx, filter, SATF_BORDER_REFLECT, 0));
    check_reach(ctx, filter, (const int64_t[]){3, 8, 3, 8});
    assert_int_equal(satf_filter_reach(NULL, NULL, &r[0], &r[1], &r[2], &r[3]), SATF_INVALID);
    assert_int_equal(satf_filter_reach(ctx, NULL, &r[0], &r[1], &r[2], &r[3]), SATF_INVALID);
}

/* ----------------------------------------------------------------------------- regions */

/* Of a result of w x h: corners, edges, inside, one pixel, all. */
static satf_rect region(int i, int64_t w, int64_t h)
{
    const satf_rect regions[] = {
        {0, 0, 9, 6},         {w - 9, 0, 9, 6},     {0, h - 6, 9, 6},  {w - 9, h - 6, 9, 6},
        {12, 0, 8, 5},        {0, 11, 5, 8},        {w - 5, 11, 5, 8}, {12, h - 5, 8, 5},
        {13, 11, 8, 7},       {w / 2, h / 2, 1, 1}, {0, 0, 1, 1},      {w - 1, h - 1, 1, 1},
        {2, 1, w - 3, h - 3}, {0, 9, w, 3},         {9, 0, 3, h},      {0, 0, w, h}};
    return (size_t)i < sizeof regions / sizeof *regions ? regions[i] : (satf_rect){0, 0, 0, 0};
}

/* A copy of the image in which every byte outside the crop is another. */
static satf_view spoiled(const satf_view *in, const satf_rect *crop)
{
    satf_view copy = view_like(in, 0);
    int64_t pixel = satf_pixel_bytes(in);
    for (int64_t i = 0; i < in->width * in->height; i++) {
        int64_t x = i % in->width, y = i / in->width;
        bool inside =
            x >= crop->x && x < crop->x + crop->w && y >= crop->y && y < crop->y + crop->h;
        for (int64_t b = 0; b < pixel; b++) {
            pixel_at(&copy, x, y)[b] = (char)(pixel_at(in, x, y)[b] ^ (inside ? 0 : 0x35));
        }
    }
    return copy;
}

/* Of floats what lies between the steps of a filter of several, or the passes along a line, is not
 * exact, so a crop's last bits are its own. */
static bool is_near(const filter_info *info, const satf_view *got, const satf_view *want)
{
    bool rounds = info && (!filter_is_simple(info) || filter_last(info)->lines);
    bool same = rounds && satf_type_is_float(want->type);
    for (int64_t y = 0; y < want->height && same; y++) {
        for (int64_t i = 0; i < satf_row_samples(want) && same; i++) {
            double x = sample_at(got, y, i), z = sample_at(want, y, i);
            same = fabs(x - z) <= (want->type == SATF_F32 ? 1e-6 : 1e-12) * (1 + fabs(z));
        }
    }
    return same;
}

/* One region of `whole`, the result; what is around it in the output's memory stays. */
static void check_region(satf_context *ctx, const satf_filter *filter, const char *name,
                         const satf_view *in, const satf_view *whole, satf_rect where)
{
    static char memory[MOST + (W + H) * PAD];
    char how[100];
    satf_rect crop, part;
    MUST(ctx, filter_find_region(ctx, filter, in, &where, &crop, &part));
    SCOPED_VIEW from = spoiled(in, &crop);
    satf_view want = satf_view_rect(whole, where), out = want;
    size_t row = (size_t)(where.w * satf_pixel_bytes(&out));
    out.data = memory;
    out.stride = (int64_t)row + PAD;
    memset(memory, 0x77, sizeof memory);
    snprintf(how, sizeof how, "%ld x %ld at %ld, %ld", (long)where.w, (long)where.h, (long)where.x,
             (long)where.y);
    if (satf_filter_apply_rect(ctx, filter, &from, &where, &out)) {
        fail_msg("%s, %s: %s", name, how, satf_message(ctx));
    }
    if (!is_near(filter_count(filter) == 1 ? filter->links[0].info : NULL, &out, &want)) {
        require_same(name, how, &out, &want);
    }
    for (int64_t i = 0; i < where.h * PAD; i++) {
        assert_int_equal(((char *)satf_row(&out, i / PAD))[row + (size_t)(i % PAD)], 0x77);
    }
}

static void check_regions(satf_context *ctx, const satf_filter *filter, const char *name,
                          const satf_view *in)
{
    SCOPED_VIEW whole = result_of(ctx, filter, in);
    satf_rect where;
    for (int i = 0; where = region(i, whole.width, whole.height), where.w; i++) {
        check_region(ctx, filter, name, in, &whole, where);
    }
}

static void check_every(satf_context *ctx, const every_case *c)
{
    check_regions(ctx, c->filter, c->what, &c->in);
}

TEST(test_every_filter)
{
    every_filter(ctx, W, H, check_every);
}

TEST(test_chains)
{
    static const char *const specs[] = {
        "box=5,at=1:0 rotate=90 box=4x7,border=mirror flip=h",
        "transpose box=9x2,at=-4:0,border=reflect rotate=270 box=3,border=constant:7 variance=3",
        "box=3,border=wrap flip=v box=5x1,border=shrink",
        "integral transpose flip=v",
        "rotate=180 rotate=90 flip=h",
        "sauvola=5 box=3 wolf=7",
        "box=3 rotate=90 guided=5x3,border=mirror flip=h",
        "guided=6x4,at=3:-1",
        "guided=5x4,at=1:-1,colour,border=mirror flip=h",
    };
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        for (int tables = 0; tables < 2; tables++) {
            SCOPED_VIEW in = draw_image(W, H, k % 2 ? 1 : 3, SATF_U8, 0, 0, k);
            SCOPED_FILTER *filter = parse_filter(ctx, specs[k]);
            use_tables(ctx, filter, in.type, tables);
            check_regions(ctx, filter, specs[k], &in);
        }
    }
}

/* A guide that the filter keeps is of the whole image, whatever the part; it may lie apart when it
 * is given. */
TEST(test_guide)
{
    SCOPED_VIEW in = draw_image(W, H, 1, SATF_U8, 0, 0, 1),
                rgb = draw_bytes(W, H, 3, SATF_U8, 0, 2);
    SCOPED_VIEW packed = view_like(&in, 0);
    satf_view guide = rgb;
    guide.channels = 1;
    guide.data = (char *)rgb.data + 1;
    guide.pixel_stride = 3;
    for (int i = 0; i < W * H; i++) {
        ((uint8_t *)packed.data)[i] = *(uint8_t *)pixel_at(&guide, i % W, i / W);
    }
    SCOPED_FILTER *filter = parse_filter(ctx, "guided=5"), *same = parse_filter(ctx, "guided=5");
    MUST(ctx, satf_filter_set_image(ctx, filter, &guide));
    MUST(ctx, satf_filter_set_image(ctx, same, &packed));
    check_regions(ctx, filter, "guided", &in);
    SCOPED_VIEW got = result_of(ctx, filter, &in), want = result_of(ctx, same, &in);
    require_same("guided", "a guide that lies apart", &got, &want);
    satf_plan *plan; /* a second input must be packed */
    SCOPED_FILTER *plain = parse_filter(ctx, "guided=5");
    const satf_view inputs[2] = {in, guide};
    expect(ctx, satf_plan_create(ctx, plain, inputs, 2, &got, 1, &plan), SATF_INVALID,
           "pixels must be packed");
}

/* ------------------------------------------------------------------------------- calls */

TEST(test_refusals)
{
    static uint8_t memory[2][W * H];
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3");
    satf_view in = satf_view_packed(memory[0], W, H, 1, SATF_U8), out = in, bad;
    const satf_rect where = {1, 2, 3, 4};
    out = satf_view_packed(memory[1], 3, 4, 1, SATF_U8);
    assert_int_equal(satf_filter_apply_rect(NULL, filter, &in, &where, &out), SATF_INVALID);
    expect(ctx, satf_filter_apply_rect(ctx, NULL, &in, &where, &out), SATF_INVALID, "filter");
    expect(ctx, satf_filter_apply_rect(ctx, filter, NULL, &where, &out), SATF_INVALID, "input");
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, NULL, &out), SATF_INVALID, "part");
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, NULL), SATF_INVALID, "output");
    const satf_rect beyond = {W - 2, 2, 3, 4};
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &beyond, &out), SATF_INVALID,
           "leaves the result of 37 x 29");
    bad = out, bad.width = 2;
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &bad), SATF_INVALID,
           "it must be 3 x 4");
    bad = out, bad.device = SATF_CUDA(0);
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &bad), SATF_INVALID, "one device");
    bad = satf_view_packed(memory[0] + 200, 3, 4, 1, SATF_U8);
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &bad), SATF_INVALID, "overlaps");
    bad = out, bad.data = NULL;
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &bad), SATF_INVALID, "no data");
    MUST(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &out));
}

/* The context's plan serves parts alike, and no call for a whole result; nor does scratch. */
TEST(test_kept)
{
    static uint8_t image[W * H], memory[W * H], scratch[1];
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(i * i >> 3);
    }
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3,border=shrink");
    satf_view in = satf_view_packed(image, W, H, 1, SATF_U8);
    satf_view out = satf_view_packed(memory, 5, 4, 1, SATF_U8);
    satf_rect where = {8, 9, 5, 4}, corner = {0, 0, 5, 4};
    MUST(ctx, satf_context_set_scratch(ctx, scratch, 1));
    MUST(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &out));
    const struct satf_plan *plan = ctx->plan;
    assert_non_null(plan);
    where.x++;
    MUST(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &out));
    assert_ptr_equal(ctx->plan, plan);
    MUST(ctx, satf_filter_apply_rect(ctx, filter, &in, &corner, &out));
    satf_context_set_scratch(ctx, NULL, 0);
    satf_view crop = satf_view_rect(&in, (satf_rect){0, 0, 6, 5}); /* what the corner took */
    expect(ctx, satf_filter_apply(ctx, filter, &crop, &out), SATF_INVALID, "it must be 6 x 5");
}

TEST_FILE(.shared = true)
