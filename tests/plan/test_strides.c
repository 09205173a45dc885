/* Pixels that are not packed: the same bits as of packed ones, and nothing between them changes. */
#include "test.h"

#include "base/parallel.h"
#include "base/view.h"
#include "filter/pass.h"
#include "filter_make.h"
#include "filter_reference.h"

enum { W = 37, H = 29, FILL = 0x5B };

static void expect(satf_context *ctx, satf_status got, satf_status wanted, const char *part)
{
    assert_int_equal(got, wanted);
    if (!strstr(satf_message(ctx), part)) {
        fail_msg("'%s' lacks '%s'", satf_message(ctx), part);
    }
}

/* ------------------------------------------------------------------------------- views */

TEST(test_checks)
{
    static uint16_t pixels[4096];
    satf_view view = satf_view_packed(pixels, 10, 4, 3, SATF_U16);
    view.pixel_stride = 6; /* packed, said so */
    assert_int_equal(satf_check_view(ctx, &view, "in", true), SATF_OK);
    assert_true(satf_is_packed(&view));
    view.pixel_stride = 7;
    assert_false(satf_is_packed(&view));
    expect(ctx, satf_check_view(ctx, &view, "in", true), SATF_INVALID, "stride of 60 bytes");
    view.stride = -(9 * 7 + 6);
    assert_int_equal(satf_check_view(ctx, &view, "in", true), SATF_OK);
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

/* A view like that one with `gap` bytes between its pixels and more between its rows, bottom up if
 * `flip`; all bytes are FILL. *memory is what to free. */
static satf_view spread(const satf_view *like, int64_t gap, bool flip, size_t *bytes, char **memory)
{
    satf_view view = *like;
    view.pixel_stride = satf_pixel_bytes(like) + gap;
    int64_t row = view.pixel_stride * like->width + 3;
    *bytes = (size_t)(row * like->height);
    *memory = malloc(*bytes);
    memset(*memory, FILL, *bytes);
    view.stride = flip ? -row : row;
    view.data = *memory + (flip ? row * (like->height - 1) : 0) + (gap > 1);
    return view;
}

static char *pixel_at(const satf_view *view, int64_t x, int64_t y)
{
    return (char *)satf_row(view, y) + x * satf_pixel_stride(view);
}

static void copy(const satf_view *from, const satf_view *to)
{
    for (int64_t y = 0; y < from->height; y++) {
        for (int64_t x = 0; x < from->width; x++) {
            memcpy(pixel_at(to, x, y), pixel_at(from, x, y), (size_t)satf_pixel_bytes(from));
        }
    }
}

/* The pixels of `got`, and FILL between them, in its memory. */
static bool same(const satf_view *want, const satf_view *got, const char *memory, size_t bytes)
{
    size_t pixel = (size_t)satf_pixel_bytes(want), filled = 0, used = 0;
    for (int64_t y = 0; y < want->height; y++) {
        for (int64_t x = 0; x < want->width; x++) {
            const char *at = pixel_at(got, x, y);
            if (memcmp(at, pixel_at(want, x, y), pixel) != 0) {
                return false;
            }
            for (size_t i = 0; i < pixel; i++) {
                used += at[i] == FILL;
            }
        }
    }
    for (size_t i = 0; i < bytes; i++) {
        filled += memory[i] == FILL;
    }
    return filled - used == bytes - pixel * (size_t)(want->width * want->height);
}

/* in, and what the filter makes of it, spread in turn; by a call, by its plan, and a part of it. */
static void check_strides(satf_context *ctx, const satf_filter *filter, const char *name,
                          const satf_view *in)
{
    static char memory[W * H * 4 * 8];
    const satf_rect where = {3, 3, 9, 11}; /* guided reaches the corner: sums round alike */
    satf_view want;
    assert_int_equal(satf_filter_output(ctx, filter, in, &want), SATF_OK);
    want.data = memory;
    assert_int_equal(satf_filter_apply(ctx, filter, in, &want), SATF_OK);
    satf_view part = satf_view_rect(&want, where);
    for (int way = 0; way < 9; way++) {
        char *in_memory, *out_memory;
        size_t in_bytes, out_bytes;
        const satf_view *result = way < 6 ? &want : &part;
        satf_view from = spread(in, way % 3 != 1 ? way + 1 : 0, way & 1, &in_bytes, &in_memory);
        satf_view to = spread(result, way % 3 != 0 ? 2 : 0, way & 2, &out_bytes, &out_memory);
        satf_status status;
        copy(in, &from);
        if (way < 3) {
            status = satf_filter_apply(ctx, filter, &from, &to);
        } else if (way < 6) {
            SCOPED_PLAN *plan;
            status = satf_plan_create(ctx, filter, &from, 1, &to, 1, &plan);
            status = status ? status : satf_plan_run(plan, &from, 1, &to, 1);
        } else {
            status = satf_filter_apply_rect(ctx, filter, &from, &where, &to);
        }
        if (status || !same(result, &to, out_memory, out_bytes)) {
            fail_msg("%s of %s, %d channels, way %d: %s", name, satf_type_name(in->type),
                     in->channels, way, status ? satf_message(ctx) : "other bits");
        }
        free(in_memory);
        free(out_memory);
    }
}

TEST(test_every_filter)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    const filter_info *info;
    satf_context_set_threads(ctx, 2);
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int c = 0; c < 4 * 4; c++) {
            int channels = c / 4 + 1;
            ref_image image = {W, H, channels, types[c % 4], channels == 4, NULL};
            if (filter_last(info)->grey && channels == 2) {
                continue;
            }
            ref_fill(&image, i * 100 + (uint64_t)c);
            satf_view in = ref_view(&image, 3);
            SCOPED_FILTER *filter = make_filter_of(ctx, info, c % 6, "7x4", "0:0", W, H);
            use_tables(ctx, filter, in.type, c % 2);
            check_strides(ctx, filter, info->name, &in);
            free(in.data);
            free(image.samples);
        }
    }
}

/* A row and a column of zeros in front of the result, which lies bottom up. */
TEST(test_zeros_in_front)
{
    SCOPED_FILTER *filter = parse_filter(ctx, "integral,zeros");
    ref_image image = {W, H, 1, SATF_U8, 0, NULL};
    ref_fill(&image, 3);
    satf_view in = ref_view(&image, 0);
    check_strides(ctx, filter, "integral,zeros", &in);
    free(in.data);
    free(image.samples);
}

/* One channel of RGB into another of the same pixels, in memory of the caller's. */
TEST(test_in_place)
{
    static uint8_t rgb[W * H * 3], green[W * H], want[W * H];
    for (int i = 0; i < W * H * 3; i++) {
        rgb[i] = (uint8_t)(i * i >> 3);
    }
    for (int i = 0; i < W * H; i++) {
        green[i] = rgb[3 * i + 1];
    }
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5 box=3");
    satf_view in = satf_view_packed(green, W, H, 1, SATF_U8), out = in;
    out.data = want;
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    in.data = &rgb[1];
    in.stride = 3 * W;
    in.pixel_stride = 3;
    out = in;
    out.data = &rgb[2];
    size_t bytes;
    assert_int_equal(satf_filter_scratch(ctx, filter, &in, &out, &bytes), SATF_OK);
    SCOPED char *scratch = malloc(bytes);
    assert_int_equal(satf_context_set_scratch(ctx, scratch, bytes), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    assert_int_equal(satf_context_set_scratch(ctx, NULL, 0), SATF_OK);
    for (int i = 0; i < W * H; i++) {
        assert_int_equal(rgb[3 * i + 1], green[i]);
        assert_int_equal(rgb[3 * i + 2], want[i]);
    }
    out = in;
    expect(ctx, satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID, "overlaps");
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
    assert_int_equal(satf_sat(ctx, &in, &out, 0), SATF_OK);
}

TEST_FILE(.shared = true)
