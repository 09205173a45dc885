/* Rows pushed and pulled: the bits of whole images, for every filter that can, in whatever portions
 * they come. */
#include "test.h"
#include "rows_images.h"

#include "chain/pass.h"
#include "filter_any.h"

enum { MOST_CALLS = 4096 };

/* How many rows each call has moved. */
typedef struct portions {
    int count;
    int64_t moved[MOST_CALLS];
} portions;

static void note(portions *p, int64_t moved)
{
    assert_true(p->count < MOST_CALLS);
    p->moved[p->count++] = moved;
}

/* Memory for rows that lie apart, at odd places, downwards or upwards. */
typedef struct apart {
    unsigned char *memory;
    int64_t row_bytes, rows;
    int64_t first, stride; /* of this call's rows */
} apart;

enum { GAP = 5, GUARD = 0xa5 };

static apart make_apart(const satf_view *view, int64_t rows)
{
    apart a = {.row_bytes = satf_row_samples(view) * (int64_t)satf_type_bytes(view->type),
               .rows = rows};
    a.memory = malloc((size_t)((a.row_bytes + GAP) * rows + 1));
    assert_non_null(a.memory);
    return a;
}

/* For so many rows. */
static unsigned char *lay(apart *a, int64_t rows)
{
    bool up = any(NULL, 0, 1);
    a->stride = (up ? -1 : 1) * (a->row_bytes + GAP);
    a->first = 1 + (up && rows ? (rows - 1) * -a->stride : 0);
    memset(a->memory, GUARD, (size_t)((a->row_bytes + GAP) * a->rows + 1));
    return a->memory + a->first;
}

static unsigned char *apart_row(const apart *a, int64_t i)
{
    return a->memory + a->first + i * a->stride;
}

/* The first `most` rows of the view's that are left, or fewer, one call. Returns how many went. */
static int64_t push(satf_rows *rows, const satf_view *in, int64_t pushed, int64_t most, apart *a)
{
    int64_t left = in->height - pushed, n = any(NULL, 0, left < most ? left : most), taken = -1;
    const unsigned char *from = lay(a, n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(apart_row(a, i), satf_row(in, pushed + i), (size_t)a->row_bytes);
    }
    assert_int_equal(satf_rows_push(rows, from, a->stride, n, &taken), SATF_OK);
    assert_true(taken >= 0 && taken <= n);
    lay(a, 0); /* they have been copied */
    return taken;
}

/* Likewise; nothing is written but the rows. */
static int64_t pull(satf_rows *rows, const satf_view *out, int64_t pulled, int64_t most, apart *a)
{
    int64_t max = any(NULL, 0, most), count = -1;
    unsigned char *to = lay(a, max);
    assert_int_equal(satf_rows_pull(rows, to, a->stride, max, &count), SATF_OK);
    assert_true(count >= 0 && count <= max && count <= out->height - pulled);
    for (int64_t i = 0; i < max; i++) {
        const unsigned char *row = apart_row(a, i);
        if (i < count) {
            memcpy(satf_row(out, pulled + i), row, (size_t)a->row_bytes);
        }
        assert_int_equal(row[-1], GUARD);
        assert_int_equal(row[i < count ? a->row_bytes : 0], GUARD);
    }
    return count;
}

/* Pushes all of `in` and pulls all of `out`, at most `most` rows a call. */
static void flow(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                 const satf_view *out, int64_t most, portions *p)
{
    satf_rows *rows;
    if (satf_rows_open(ctx, filter, in, out, &rows)) {
        fail_msg("%s", satf_message(ctx));
    }
    int64_t pushed = 0, pulled = 0;
    apart from = make_apart(in, most), to = make_apart(out, most);
    for (p->count = 0; pulled < out->height || pushed < in->height;) { /* of a part not all count */
        int64_t taken = push(rows, in, pushed, most, &from);
        int64_t count = pull(rows, out, pulled, most, &to);
        pushed += taken;
        pulled += count;
        note(p, taken);
        note(p, count);
    }
    assert_int_equal(pushed, in->height);
    assert_int_equal(pull(rows, out, pulled, most, &to), 0);
    satf_rows_close(rows);
    free(from.memory);
    free(to.memory);
}

/* The chain by rows, on one thread and on several, against the chain on the whole picture. */
static void compare(satf_context *ctx, const satf_filter *filter, const satf_view *in, int type,
                    int64_t most)
{
    static portions first, again;
    char spec[500];
    satf_filter_print(filter, spec, sizeof spec);
    satf_view whole = room_for(ctx, filter, in);
    if (type != SATF_TYPE_AUTO) {
        free(whole.data);
        whole = image(whole.width, whole.height, whole.channels, type);
    }
    if (satf_filter_apply(ctx, filter, in, &whole)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    satf_view out = whole;
    size_t bytes = (size_t)(whole.stride * whole.height);
    out.data = malloc(bytes);
    uint32_t start = seed;
    for (int threads = 1; threads <= 3; threads += 2) {
        seed = start;
        assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
        memset(out.data, 0x5a, bytes);
        flow(ctx, filter, in, &out, most, threads == 1 ? &first : &again);
        if (memcmp(out.data, whole.data, bytes) != 0) {
            fail_msg("%s of %dx%d, %d channels of %s, %d threads: differs", spec, (int)in->width,
                     (int)in->height, (int)in->channels, satf_type_name(in->type), threads);
        }
    }
    /* portions do not depend on threads */
    assert_int_equal(first.count, again.count);
    assert_memory_equal(first.moved, again.moved, (size_t)first.count * sizeof *first.moved);
    free(out.data);
    free(whole.data);
}

/* ---------------------------------------------------------------- every filter */

/* The filter with any values of its parameters but files, of which it may want one. */
static satf_filter *any_filter(satf_context *ctx, const filter_info *info)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, info->name, &filter), SATF_OK);
    for (const filter_param *p = info->params; p->name; p++) {
        char text[64];
        if (any_value(p, any, NULL, text, sizeof text)) {
            if (p->kind == PARAM_PLACE) {
                any_place(filter, any, NULL, text, sizeof text);
            }
            assert_int_equal(satf_filter_set(ctx, filter, p->name, text), SATF_OK);
        }
    }
    return filter;
}

static bool filter_wants_file(const filter_info *info)
{
    char text[64];
    return info->needs_value && !any_value(info->params, any, NULL, text, sizeof text);
}

/* Whether a filter of the table takes rows that are pushed, by what it needs. */
static bool can(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    SCOPED_PLAN *plan;
    assert_int_equal(satf_filter_output(ctx, filter, in, &out), SATF_OK);
    assert_int_equal(filter_plan_rows(ctx, filter, 0, 1, NULL, in, NULL, &out, &plan), SATF_OK);
    filter_rows_need need = filter_plan_need(plan);
    return !need.refusal && need.end == 0;
}

TEST(every_filter)
{
    static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    const filter_info *info;
    int filters = 0, refused = 0;
    for (size_t k = 0; (info = filter_info_at(k)); k++) {
        int flows = 0;
        for (int round = 0; round < 48; round++) {
            satf_view in =
                noise(any(NULL, 1, 60), any(NULL, 1, 60), 1 + round % 4, types[round / 4 % 4]);
            in.flags = in.channels % 2 == 0 && round % 3 ? SATF_ALPHA : 0;
            SCOPED_FILTER *filter = any_filter(ctx, info);
            satf_view out;
            satf_rows *rows;
            if (!filter_wants_file(info) && !satf_filter_output(ctx, filter, &in, &out)) {
                satf_status status = satf_rows_open(ctx, filter, &in, &out, &rows);
                assert_int_equal(status, can(ctx, filter, &in) ? SATF_OK : SATF_UNSUPPORTED);
                satf_rows_close(rows);
                if (status) {
                    refused++;
                    assert_null(rows);
                } else {
                    flows++;
                    compare(ctx, filter, &in, SATF_TYPE_AUTO, 1 + round);
                }
            }
            free(in.data);
        }
        filters += flows > 0;
    }
    /* box, variance, stddev, sum, unsharp, sauvola, integral, flip at least; wolf, border wrap */
    assert_true(filters >= 8 && refused >= 48);
}

/* ------------------------------------------------------------------ chains */

/* Wide pictures, of which a ring holds but a few rows. */
TEST(chains)
{
    static const struct {
        const char *spec;
        int64_t width, height;
        int channels;
        satf_type type;
        int out_type;
    } cases[] = {
        {"box=5x9", 40001, 61, 1, SATF_U8, SATF_TYPE_AUTO},
        {"box=3x41,border=mirror variance=7 box=2", 20001, 97, 1, SATF_U8, SATF_TYPE_AUTO},
        {"stddev=9 integral", 9001, 83, 3, SATF_U16, SATF_TYPE_AUTO},
        {"flip=h box=5,border=mirror flip=h integral", 9001, 71, 2, SATF_F32, SATF_TYPE_AUTO},
        {"box=15,border=shrink stddev=5,border=constant:3 box=4x3,border=reflect", 7001, 64, 4,
         SATF_U8, SATF_U16},
        {"box=3 box=3 box=3 box=3 box=3 box=3", 30001, 40, 1, SATF_U8, SATF_F32},
        {"sauvola=15x9 box=3x300", 20001, 77, 3, SATF_U8, SATF_TYPE_AUTO},
        {"guided=9x5,at=2:1,colour,amount=2", 5001, 60, 3, SATF_U8, SATF_TYPE_AUTO},
        {"box=3 guided=4x7,colour,border=shrink", 3001, 50, 4, SATF_F32, SATF_TYPE_AUTO},
        {"box=9x1,border=wrap", 30001, 30, 1, SATF_F64, SATF_TYPE_AUTO},
        {"box=5,border=wrap,at=0:2 integral", 9001, 50, 1, SATF_U8, SATF_U64},
        {"linearize=srgb box=15x9 delinearize=srgb", 9001, 77, 4, SATF_U8, SATF_TYPE_AUTO},
        {"linearize=srgb resize=41% delinearize=srgb", 9001, 77, 3, SATF_U8, SATF_TYPE_AUTO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_view in = noise(cases[i].width, cases[i].height, cases[i].channels, cases[i].type);
        in.flags = in.channels == 2 || in.channels == 4 ? SATF_ALPHA : 0;
        SCOPED_FILTER *filter = parse(ctx, cases[i].spec);
        compare(ctx, filter, &in, cases[i].out_type, 1);
        compare(ctx, filter, &in, cases[i].out_type, 9);
        compare(ctx, filter, &in, cases[i].out_type, 200);
        free(in.data);
    }
}

/* The pixels of a channel of three, and room for four: nothing between them is touched. */
TEST(pixels_apart)
{
    satf_view all = noise(301, 40, 3, SATF_U8), in = all, room = image(301, 40, 4, SATF_U16);
    SCOPED_FILTER *filter = parse(ctx, "box=5 sum=3");
    satf_view whole, out = room;
    size_t bytes = (size_t)(room.stride * room.height);
    satf_rows *rows;
    int64_t pulled = 0, n;
    in.data = (char *)all.data + 1;
    in.channels = out.channels = 1;
    in.pixel_stride = 3;
    out.pixel_stride = 8;
    whole = out;
    whole.data = malloc(bytes);
    memset(whole.data, 7, bytes);
    memset(out.data, 7, bytes);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &whole), SATF_OK);
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
    for (int64_t y = 0; y < 40; y++) {
        assert_int_equal(satf_rows_push(rows, satf_row(&in, y), in.stride, 1, &n), SATF_OK);
        assert_int_equal(satf_rows_pull(rows, satf_row(&out, pulled), out.stride, 40, &n), SATF_OK);
        pulled += n;
    }
    assert_int_equal(pulled, 40);
    assert_memory_equal(out.data, whole.data, bytes);
    satf_rows_close(rows);
    free(whole.data);
    free(room.data);
    free(all.data);
}

/* Whoever does not pull is not waited for; what a ring has no room for is not taken. */
TEST(room_is_bounded)
{
    satf_view in = noise(30001, 900, 1, SATF_U8);
    satf_filter *filter = parse(ctx, "box=3x5 stddev=3");
    satf_view out = room_for(ctx, filter, &in);
    satf_rows *rows;
    int64_t taken, more, count;
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
    satf_filter_destroy(filter);
    /* before any row there is no result */
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 900, &count), SATF_OK);
    assert_int_equal(count, 0);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 900, &taken), SATF_OK);
    assert_in_range(taken, 8, 100); /* of 30 kB, in a ring of three blocks and one of four */
    assert_int_equal(satf_rows_push(rows, satf_row(&in, taken), in.stride, 900 - taken, &more),
                     SATF_OK);
    assert_int_equal(more, 0);
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 900, &count), SATF_OK);
    /* a row more than the windows reach, which is at work */
    assert_int_equal(count, taken - 3 - 1);
    assert_int_equal(satf_rows_push(rows, satf_row(&in, taken), in.stride, 900 - taken, &more),
                     SATF_OK);
    assert_true(more > 0);
    satf_rows_close(rows);
    free(in.data);
    free(out.data);
}
