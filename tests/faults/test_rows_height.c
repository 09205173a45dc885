/* Rows of pictures whose height is not known when they are opened, and pictures one after the other
 * in the same rows: the bits of whole images. */
#include "test.h"
#include "rows_images.h"

#include "chain/filter.h"
#include "chain/pass.h"
#include "filter_any.h"
#include "interpose.h"
#include "pipeline/flow.h"

/* That picture through rows that are open, some rows a call, which then end. */
static void go_through(satf_context *ctx, satf_rows *rows, const satf_view *in,
                       const satf_view *out)
{
    int64_t pushed = 0, pulled = 0, height = -1, n;
    while (pushed < in->height) {
        if (satf_rows_push(rows, satf_row(in, pushed), in->stride,
                           any(NULL, 1, in->height - pushed), &n)) {
            fail_msg("%s", satf_message(ctx));
        }
        pushed += n;
        int64_t most = any(NULL, 0, out->height - pulled);
        void *to = most > 0 ? satf_row(out, pulled) : NULL;
        assert_int_equal(satf_rows_pull(rows, to, out->stride, most, &n), SATF_OK);
        pulled += n;
    }
    if (satf_rows_finish(rows, &height)) {
        fail_msg("%s", satf_message(ctx));
    }
    assert_int_equal(height, out->height);
    while (pulled < height) {
        MUST(ctx, satf_rows_pull(rows, satf_row(out, pulled), out->stride, height - pulled, &n));
        assert_true(n > 0); /* all can be pulled */
        pulled += n;
    }
    char more[1 << 16];
    assert_int_equal(satf_rows_pull(rows, more, sizeof more, 1, &n), SATF_OK);
    assert_int_equal(n, 0);
    assert_int_equal(satf_rows_finish(rows, &height), SATF_OK); /* once more */
    assert_int_equal(height, out->height);
}

/* What rows that are open for `high` make of in, against the filter on that as a whole. */
static void compare(satf_context *ctx, const satf_filter *filter, satf_rows *rows,
                    const satf_view *in, const satf_view *high_out)
{
    char spec[500];
    satf_view whole, out;
    satf_filter_print(filter, spec, sizeof spec);
    if (satf_filter_output(ctx, filter, in, &out)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    whole = image(out.width, out.height, out.channels, high_out->type);
    out = image(out.width, out.height, out.channels, high_out->type);
    size_t bytes = (size_t)(out.stride * out.height);
    memset(out.data, 0x5a, bytes);
    if (satf_filter_apply(ctx, filter, in, &whole)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    go_through(ctx, rows, in, &out);
    for (size_t i = 0; i < bytes; i++) {
        if (((char *)out.data)[i] != ((char *)whole.data)[i]) {
            fail_msg("%s of %dx%d, %d channels of %s: differs first in row %d", spec,
                     (int)in->width, (int)in->height, (int)in->channels, satf_type_name(in->type),
                     (int)((int64_t)i / out.stride));
        }
    }
    free(out.data);
    free(whole.data);
}

static satf_filter *any_filter(satf_context *ctx, const filter_info *info, bool *wants_file)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, info->name, &filter), SATF_OK);
    *wants_file = false;
    for (const filter_param *p = info->params; p->name; p++) {
        char text[64];
        bool made = any_value(p, any, NULL, text, sizeof text);
        *wants_file = *wants_file || (info->needs_value && p == info->params && !made);
        if (made) {
            if (p->kind == PARAM_PLACE) {
                any_place(filter, any, NULL, text, sizeof text);
            }
            assert_int_equal(satf_filter_set(ctx, filter, p->name, text), SATF_OK);
        }
    }
    return filter;
}

/* Every filter that goes by rows, of pictures higher and lower than its windows, one after the
 * other; in->height is the most that may come, by one row, a few, or very many. */
TEST(every_filter)
{
    static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    const filter_info *info;
    int filters = 0;
    for (size_t k = 0; (info = filter_info_at(k)); k++) {
        int flows = 0;
        for (int round = 0; round < 96; round++) {
            bool wants_file;
            satf_view high = satf_view_packed(NULL, any(NULL, 1, 40), 0, 1 + round % 4,
                                              types[round / 4 % 4]),
                      out;
            int64_t most = any(NULL, 1, 70);
            high.height = round % 3 == 0 ? most : round % 3 == 1 ? most + 1 : INT64_C(1) << 31;
            high.flags = high.channels % 2 == 0 && round % 5 ? SATF_ALPHA : 0;
            SCOPED_FILTER *filter = any_filter(ctx, info, &wants_file);
            satf_rows *rows = NULL;
            satf_context_set_threads(ctx, 1 + round % 3);
            if (!wants_file && !satf_filter_output(ctx, filter, &high, &out) &&
                !satf_rows_open_any_height(ctx, filter, &high, &out, &rows)) {
                for (int picture = 0; picture < 3; picture++) {
                    satf_view in =
                        noise(high.width, any(NULL, 1, most), high.channels, (satf_type)high.type);
                    in.flags = high.flags;
                    satf_view room;
                    if (!satf_filter_output(ctx, filter, &in, &room)) {
                        compare(ctx, filter, rows, &in, &out);
                        flows++;
                    }
                    assert_int_equal(satf_rows_reset(rows), SATF_OK);
                    free(in.data);
                }
                satf_rows_close(rows);
            }
        }
        filters += flows > 0;
    }
    assert_true(filters >= 8);
}

/* Chains, and windows of either reach, whose every height is tried around what they see. */
TEST(every_height)
{
    static const struct {
        const char *spec;
        int channels;
        satf_type type;
    } cases[] = {
        {"box=3x9,border=mirror variance=5,border=reflect box=2", 1, SATF_U8},
        {"box=3x9,at=0:-4 box=3x9,at=0:4", 1,
         SATF_U16}, /* one sees nothing below, one nothing above */
        {"stddev=5x7,border=shrink", 4, SATF_F32},
        {"stddev=5x7,border=mirror", 3, SATF_F64},
        {"box=5x8,border=shrink integral", 2, SATF_F64},
        {"variance=3x4,border=valid box=3x5,border=valid flip=h", 1, SATF_U8},
        {"box=3,border=constant:1 integral,zeros", 1, SATF_U8},
        {"sauvola=9x5 box=3", 3, SATF_U8},
        {"box=1,border=constant:7", 1, SATF_F32},
        {"box=5x1,border=wrap", 1, SATF_U8},
        {"unsharp=7,amount=2,border=reflect", 1, SATF_F32},
        /* filters that share a stage: */
        {"linearize=srgb delinearize=srgb", 4, SATF_U8},
        {"linearize=srgb box=3x9,border=mirror delinearize=srgb stddev=5", 3, SATF_U8},
        {"linearize=2 guided=3x4 delinearize=2", 1, SATF_U8},
        {"box=3x5,border=valid linearize=srgb pixelate=4x7 delinearize=srgb", 1, SATF_U16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_view high = satf_view_packed(NULL, 30, INT64_C(1) << 31, cases[i].channels,
                                          cases[i].type),
                  out, room;
        SCOPED_FILTER *filter = parse(ctx, cases[i].spec);
        satf_rows *rows;
        high.flags = cases[i].channels % 2 ? 0 : SATF_ALPHA;
        assert_int_equal(satf_filter_output(ctx, filter, &high, &out), SATF_OK);
        if (satf_rows_open_any_height(ctx, filter, &high, &out, &rows)) {
            fail_msg("%s: %s", cases[i].spec, satf_message(ctx));
        }
        for (int64_t height = 1; height < 40; height++) {
            satf_view in = noise(30, height, cases[i].channels, cases[i].type);
            in.flags = high.flags;
            if (!satf_filter_output(ctx, filter, &in, &room)) {
                compare(ctx, filter, rows, &in, &out);
                assert_int_equal(satf_rows_reset(rows), SATF_OK);
            }
            free(in.data);
        }
        satf_rows_close(rows);
    }
}

/* Floats slide where they are coarse, or go by tiles of rows with shifts of their own: ends in, at
 * and behind these. Both lines of dog ask for the row behind the last. */
TEST(high_pictures)
{
    static const char *const specs[] = {"variance=3x5", "stddev=9x12,border=shrink",
                                        "box=3x8,border=constant:2", "box=5x1 variance=3",
                                        "dog=0.5,ratio=3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        SCOPED_FILTER *filter = parse(ctx, specs[i]);
        satf_view high = satf_view_packed(NULL, 20, 100000, 1, SATF_F64), out;
        satf_rows *rows;
        assert_int_equal(satf_filter_output(ctx, filter, &high, &out), SATF_OK);
        assert_int_equal(satf_rows_open_any_height(ctx, filter, &high, &out, &rows), SATF_OK);
        for (int64_t height = 120; height < 420; height++) {
            satf_view in = noise(20, height, 1, SATF_F64);
            for (int64_t k = 0; k < 20 * height; k++) {
                double *sample = (double *)in.data + k;
                *sample = height % 2 ? floor(*sample) : *sample + 1e6;
            }
            compare(ctx, filter, rows, &in, &out);
            assert_int_equal(satf_rows_reset(rows), SATF_OK);
            free(in.data);
        }
        satf_rows_close(rows);
    }
}

/* The rows that a filter makes below the last whole window are no result: they would take the place
 * of rows that nobody has pulled yet. */
TEST(valid_and_wide)
{
    SCOPED_FILTER *filter = parse(ctx, "box=3x161,border=valid");
    satf_view in = noise(40001, 180, 1, SATF_U8), high = in, out, whole;
    satf_rows *rows;
    int64_t pushed = 0, never = 0, height, n;
    high.height = 100000;
    assert_int_equal(satf_filter_output(ctx, filter, &high, &out), SATF_OK);
    whole = room_for(ctx, filter, &in);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &whole), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(ctx, filter, &high, &out, &rows), SATF_OK);
    for (; pushed < 180; pushed += n) {
        MUST(ctx, satf_rows_push(rows, satf_row(&in, pushed), in.stride, 180 - pushed, &n));
        assert_true(n > 0); /* 20 rows of results are waited with */
    }
    assert_int_equal(satf_rows_finish(rows, &height), SATF_OK);
    assert_int_equal(height, 20);
    assert_int_equal(flow_settle((flow *)(void *)rows, &never, 1), 0); /* the filter is done */
    SCOPED unsigned char *row = malloc((size_t)out.stride);
    for (int64_t y = 0; y < height; y++) {
        assert_int_equal(satf_rows_pull(rows, row, 0, 1, &n), SATF_OK);
        assert_int_equal(n, 1);
        assert_memory_equal(row, satf_row(&whole, y), (size_t)out.stride);
    }
    satf_rows_close(rows);
    free(in.data);
    free(whole.data);
}

/* Rows of a known height serve picture after picture, too, wherever the last one was left. */
TEST(reset_anywhere)
{
    satf_view in = noise(20001, 60, 1, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=5 variance=3x9 integral");
    satf_view out = room_for(ctx, filter, &in);
    satf_rows *rows;
    int64_t n, height;
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
    for (int round = 0; round < 20; round++) {
        assert_int_equal(satf_rows_push(rows, in.data, in.stride, any(NULL, 1, 60), &n), SATF_OK);
        if (round % 2) {
            assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 5, &n), SATF_OK);
        }
        assert_int_equal(satf_rows_reset(rows), SATF_OK);
    }
    compare(ctx, filter, rows, &in, &out);
    assert_int_equal(satf_rows_reset(rows), SATF_OK);
    compare(ctx, filter, rows, &in, &out);
    assert_int_equal(satf_rows_reset(rows), SATF_OK);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 5, &n), SATF_OK);
    assert_int_equal(satf_rows_finish(rows, &height), SATF_INVALID); /* of a known height */
    assert_string_equal(satf_message(ctx), "the picture cannot end: 5 rows of it have been pushed");
    satf_rows_close(rows);
    free(in.data);
    free(out.data);
}

static int cancel(void *user, double done)
{
    (void)user, (void)done;
    return 1;
}

/* What may not be, and goes on after it. */
TEST(wrong_use)
{
    satf_view high = satf_view_packed(NULL, 30, 50, 1, SATF_U8), out,
              in = noise(30, 50, 1, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=5x9,border=valid");
    satf_rows *rows = (satf_rows *)&high;
    int64_t n, height = 7;
    /* what it sees below the last row is the first one, which is kept where the height is known */
    satf_filter *wrap = parse(ctx, "box=3x2,at=0:1,border=wrap");
    assert_int_equal(satf_filter_output(ctx, wrap, &high, &out), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(ctx, wrap, &high, &out, &rows), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "box needs to know the picture's height"));
    assert_int_equal(satf_rows_open(ctx, wrap, &high, &out, &rows), SATF_OK);
    satf_rows_close(rows);
    satf_filter_destroy(wrap);
    /* a guide goes on below the last row */
    satf_filter *guided = parse(ctx, "guided=5");
    assert_int_equal(satf_filter_set_image(ctx, guided, &in), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, guided, &high, &out), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(ctx, guided, &high, &out, &rows), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "guided needs to know the picture's height"));
    assert_int_equal(satf_rows_open(ctx, guided, &high, &out, &rows), SATF_OK);
    satf_rows_close(rows);
    satf_filter_destroy(guided);
    assert_int_equal(satf_filter_output(ctx, filter, &high, &out), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(NULL, filter, &high, &out, &rows), SATF_INVALID);
    assert_null(rows);
    assert_int_equal(satf_rows_open_any_height(ctx, filter, &high, &out, NULL), SATF_INVALID);
    assert_int_equal(satf_rows_open_any_height(ctx, filter, &high, &out, &rows), SATF_OK);
    assert_int_equal(satf_rows_finish(NULL, &height), SATF_INVALID);
    assert_int_equal(satf_rows_reset(NULL), SATF_INVALID);
    assert_int_equal(satf_rows_finish(rows, &height), SATF_INVALID); /* no row */
    assert_int_equal(height, 0);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 8, &n), SATF_OK);
    assert_int_equal(satf_rows_finish(rows, &height), SATF_INVALID); /* no whole window */
    assert_non_null(strstr(satf_message(ctx), "window"));
    assert_int_equal(satf_rows_push(rows, satf_row(&in, 8), in.stride, 2, &n), SATF_OK);
    assert_int_equal(satf_rows_finish(rows, NULL), SATF_OK);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 1, &n), SATF_INVALID);
    assert_string_equal(satf_message(ctx), "1 rows are pushed; 0 of the picture are left");
    assert_int_equal(satf_rows_pull(rows, (char[52]){0}, 26, 2, &n), SATF_OK);
    assert_int_equal(n, 2);

    /* a cancelled picture is forgotten, too */
    assert_int_equal(satf_rows_reset(rows), SATF_OK);
    satf_context_set_progress(ctx, cancel, NULL);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 9, &n), SATF_CANCELLED);
    satf_context_set_progress(ctx, NULL, NULL);
    assert_int_equal(satf_rows_finish(rows, &height), SATF_CANCELLED);
    assert_int_equal(satf_rows_reset(rows), SATF_OK);
    compare(ctx, filter, rows, &in, &out);
    satf_rows_close(rows);
    free(in.data);
}

static int cancel_first(void *user, double done)
{
    int *calls = user;
    (void)done;
    return (*calls)++ == 0;
}

/* Neither reset nor open ends because the call before was cancelled; none that fails tells of a
 * height. */
TEST(after_cancelled_calls)
{
    SCOPED_FILTER *filter = parse(ctx, "box=5 box=9 variance=3");
    satf_view in = noise(4000, 20, 1, SATF_U8), out = room_for(ctx, filter, &in);
    int64_t n, height = 7;
    int calls = 0;
    satf_rows *rows;
    satf_context_set_progress(ctx, cancel_first, &calls);
    for (int i = 0; i < 200; i++) {
        calls = 0;
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_CANCELLED);
        assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
        for (int k = 0; k < 2; k++) {
            calls = 0;
            assert_int_equal(satf_rows_push(rows, in.data, in.stride, 9, &n), SATF_CANCELLED);
            assert_int_equal(satf_rows_reset(rows), SATF_OK);
        }
        calls = 0;
        satf_rows_push(rows, in.data, in.stride, 9, &n);
        height = 7;
        assert_int_equal(satf_rows_finish(rows, &height), SATF_CANCELLED);
        assert_int_equal(height, 0);
        satf_rows_close(rows);
    }
    satf_context_set_progress(ctx, NULL, NULL);
    free(in.data);
    free(out.data);
}

/* From picture to picture nothing is allocated, whatever their heights. */
TEST(nothing_is_allocated)
{
#ifdef REAL
    satf_filter *filter = parse(ctx, "sauvola=5x7 box=3 integral");
    satf_view in = noise(300, 50, 3, SATF_U8), high = in, out;
    satf_rows *rows;
    int64_t n, pulled, height;
    high.height = 1 << 30;
    assert_int_equal(satf_filter_output(ctx, filter, &high, &out), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(ctx, filter, &high, &out, &rows), SATF_OK);
    void *row = malloc((size_t)out.stride);
    for (int round = 0; round < 30; round++) {
        atomic_store(&allocations.count, 0);
        atomic_store(&allocations.armed, true); /* none fails: they are counted */
        assert_int_equal(satf_rows_push(rows, in.data, in.stride, 20 + round, &n), SATF_OK);
        assert_int_equal(n, 20 + round);
        assert_int_equal(satf_rows_finish(rows, &height), SATF_OK);
        for (pulled = 0; pulled < height; pulled += n) {
            assert_int_equal(satf_rows_pull(rows, row, 0, 1, &n), SATF_OK);
        }
        assert_int_equal(satf_rows_reset(rows), SATF_OK);
        atomic_store(&allocations.armed, false);
        if (round >= 4) { /* threads have had what the system takes for them by now */
            assert_int_equal(atomic_load(&allocations.count), 0);
        }
    }
    satf_rows_close(rows);
    satf_filter_destroy(filter);
    free(row);
    free(in.data);
#else
    skip();
#endif
}
