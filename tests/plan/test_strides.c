/* Pixels that are not packed: the same bits as of packed ones, and nothing between them changes. */
#include "test.h"

#include "base/parallel.h"
#include "base/view.h"
#include "ways.h"

enum { W = 37, H = 29, FILL = 0x5B };

/* ------------------------------------------------------------------------------- views */

TEST(test_checks)
{
    static uint16_t pixels[4096];
    satf_view view = satf_view_packed(pixels, 10, 4, 3, SATF_U16);
    view.pixel_stride = 6; /* packed, said so */
    MUST(ctx, satf_check_view(ctx, &view, "in", true));
    assert_true(satf_is_packed(&view));
    view.pixel_stride = 7;
    assert_false(satf_is_packed(&view));
    expect(ctx, satf_check_view(ctx, &view, "in", true), SATF_INVALID, "stride of 60 bytes");
    view.stride = -(9 * 7 + 6);
    MUST(ctx, satf_check_view(ctx, &view, "in", true));
    view.stride++;
    expect(ctx, satf_check_view(ctx, &view, "in", true), SATF_INVALID, "shorter than its rows");
    static const int64_t wrong[] = {5, 1, -6, -1, INT64_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        view.pixel_stride = wrong[i];
        expect(ctx, satf_check_view(ctx, &view, "in", true), SATF_INVALID, "pixel stride");
    }
    view.pixel_stride = INT64_MAX / 2;
    view.height = 1;
    expect(ctx, satf_check_view(ctx, &view, "in", true), SATF_INVALID, "stride");
    view = satf_view_packed(pixels, 10, 4, 1, SATF_U16);
    view.stride = 100;
    view.pixel_stride = 8;
    satf_view part = satf_view_rect(&view, (satf_rect){3, 2, 5, 2});
    assert_ptr_equal(part.data, (char *)pixels + 2 * 100 + 3 * 8);
    assert_true(part.pixel_stride == 8 && part.width == 5);
}

TEST(test_overlaps)
{
    static char pixels[4096];
    satf_view a = satf_view_packed(pixels, 10, 4, 1, SATF_U8), b;
    a.stride = 40;
    a.pixel_stride = 4;
    for (int at = 0; at < 10; at++) { /* another channel, of the same pixels or of others */
        b = a;
        b.data = pixels + at;
        assert_int_equal(satf_views_overlap(&a, &b), at % 4 == 0);
        assert_int_equal(satf_views_overlap(&b, &a), at % 4 == 0);
        b.data = pixels + 3 * 40 + at; /* bottom up */
        b.stride = -40;
        assert_int_equal(satf_views_overlap(&a, &b), at % 4 == 0);
        b = a;
        b.channels = 2;
        b.data = pixels + at;
        assert_int_equal(satf_views_overlap(&a, &b), at % 4 == 0 || at % 4 == 3);
        assert_int_equal(satf_views_overlap(&b, &a), at % 4 == 0 || at % 4 == 3);
    }
    a.stride = b.stride = 42; /* a row on, the channels are others */
    b.channels = 1;
    b.data = pixels + 40;
    satf_view green = {pixels + 2, 15, 4, 42, 1, SATF_U8, 0, 0, 4, 0};
    assert_true(satf_views_overlap(&a, &green));
    b.data = pixels + 2;
    assert_false(satf_views_overlap(&a, &b));
    b.pixel_stride = 2;
    assert_true(satf_views_overlap(&a, &b));
}

/* ----------------------------------------------------------------------------- filters */

/* Pixels of a view that do not lie side by side, and the memory that they lie in. */
typedef struct spread_view {
    satf_view view;
    char *memory;
    size_t bytes;
} spread_view;

/* A view like that one with `gap` bytes between its pixels and more between its rows, bottom up if
 * `flip`; all bytes are FILL. Free its memory. */
static spread_view spread(const satf_view *like, int64_t gap, bool flip)
{
    spread_view s = {*like, NULL, 0};
    s.view.pixel_stride = satf_pixel_bytes(like) + gap;
    int64_t row = s.view.pixel_stride * like->width + 3;
    s.bytes = (size_t)(row * like->height);
    s.memory = malloc(s.bytes);
    memset(s.memory, FILL, s.bytes);
    s.view.stride = flip ? -row : row;
    s.view.data = s.memory + (flip ? row * (like->height - 1) : 0) + (gap > 1);
    return s;
}

static void copy(const satf_view *from, const satf_view *to)
{
    for (int64_t y = 0; y < from->height; y++) {
        for (int64_t x = 0; x < from->width; x++) {
            memcpy(pixel_at(to, x, y), pixel_at(from, x, y), (size_t)satf_pixel_bytes(from));
        }
    }
}

/* in, and what the filter makes of it, spread in turn; by a call, by its plan, and a part of it. */
static void check_strides(satf_context *ctx, const every_case *c)
{
    const satf_rect where = {3, 3, 9, 11};
    SCOPED_VIEW want = result_of(ctx, c->filter, &c->in);
    satf_view of_whole = satf_view_rect(&want, where);
    SCOPED_VIEW part = view_like(&of_whole, 1);
    MUST(ctx, satf_filter_apply_rect(ctx, c->filter, &c->in, &where, &part));
    for (int way = 0; way < 9; way++) {
        const satf_view *result = way < 6 ? &want : &part;
        int64_t gap = way % 3 != 0 ? 2 : 0;
        spread_view from = spread(&c->in, way % 3 != 1 ? way + 1 : 0, way & 1);
        spread_view to = spread(result, gap, way & 2), right = spread(result, gap, way & 2);
        const satf_view *in = &from.view, *out = &to.view;
        satf_status status;
        copy(&c->in, &from.view);
        copy(result, &right.view);
        if (way < 3) {
            status = satf_filter_apply(ctx, c->filter, in, out);
        } else if (way < 6) {
            SCOPED_PLAN *plan;
            status = satf_plan_create(ctx, c->filter, in, 1, out, 1, &plan);
            status = status ? status : satf_plan_run(plan, in, 1, out, 1);
        } else {
            status = satf_filter_apply_rect(ctx, c->filter, in, &where, out);
        }
        if (status || memcmp(to.memory, right.memory, to.bytes) != 0) {
            fail_msg("%s, way %d: %s", c->what, way, status ? satf_message(ctx) : "other bits");
        }
        free(from.memory);
        free(to.memory);
        free(right.memory);
    }
}

TEST(test_every_filter)
{
    satf_context_set_threads(ctx, 2);
    every_filter(ctx, W, H, check_strides);
}

/* A row and a column of zeros in front of the result, which lies bottom up. */
TEST(test_zeros_in_front)
{
    SCOPED_FILTER *filter = parse_filter(ctx, "integral,zeros");
    SCOPED_VIEW in = draw_image(W, H, 1, SATF_U8, 0, 0, 3);
    check_strides(ctx, &(every_case){filter, NULL, in, "integral,zeros"});
}

/* One channel of RGB into another of the same pixels, in memory of the caller's. */
TEST(test_in_place)
{
    SCOPED_VIEW rgb = draw_bytes(W, H, 3, SATF_U8, 0, 1), was = view_like(&rgb, 0);
    memcpy(was.data, rgb.data, (size_t)(W * H * 3));
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5 box=3");
    satf_view green = was, in = rgb, out;
    green.channels = in.channels = 1;
    green.pixel_stride = in.pixel_stride = 3;
    green.data = (char *)was.data + 1;
    in.data = (char *)rgb.data + 1;
    out = in;
    out.data = (char *)rgb.data + 2;
    SCOPED_VIEW want = result_of(ctx, filter, &green);
    size_t bytes;
    MUST(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes));
    SCOPED char *scratch = malloc(bytes);
    MUST(ctx, satf_context_set_scratch(ctx, scratch, bytes));
    MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
    MUST(ctx, satf_context_set_scratch(ctx, NULL, 0));
    require_same("in place", "the input", &in, &green);
    require_same("in place", "the result", &out, &want);
    out = in;
    expect(ctx, satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID, "overlaps");
}

/* Sides whose bytes would overflow where engines count them; where addresses have 32 bits these are
 * the sides of images that exist. */
TEST(test_long_sides)
{
    static uint8_t pixel;
    const int64_t most = PTRDIFF_MAX >> 14;
    for (int k = 0; k < 2; k++) {
        satf_view in = satf_view_packed(&pixel, most + 1, 1, 1, SATF_U8), out;
        if (k) {
            in = satf_view_packed(&pixel, 1, most + 1, 1, SATF_U8);
        }
        SCOPED_FILTER *filter = parse_filter(ctx, "box=3");
        size_t bytes;
        MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
        expect(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes), SATF_LIMIT,
               "too large for any memory");
    }
}

/* ------------------------------------------------------------------------------ tables */

TEST(test_tables_refuse)
{
    static uint8_t rgb[W * H * 3];
    static uint32_t table[W * H], sums[1];
    satf_view in = satf_view_packed(rgb, W, H, 1, SATF_U8);
    satf_view out = satf_view_packed(table, W, H, 1, SATF_U32);
    in.stride = 3 * W;
    in.pixel_stride = 3;
    expect(ctx, satf_sat(ctx, &in, &out, 0), SATF_UNSUPPORTED, "pixels are 3 bytes apart");
    in = satf_view_packed(rgb, W, H, 1, SATF_U8);
    out.width = in.width = W / 2;
    out.pixel_stride = 8;
    expect(ctx, satf_sat(ctx, &in, &out, 0), SATF_UNSUPPORTED, "output view's pixels are 8 bytes");
    const satf_rect rect = {0, 0, 1, 1};
    expect(ctx, satf_rect_sums(ctx, &out, &rect, 1, sums), SATF_UNSUPPORTED, "8 bytes apart");
    out.pixel_stride = 4;
    MUST(ctx, satf_sat(ctx, &in, &out, 0));
}

TEST_FILE(.shared = true)
