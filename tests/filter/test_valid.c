/* Results of another size. Border valid: of each filter the pixels whose windows lie inside the
 * image, as clamp has them; and integrals behind zeros. */
#include "test.h"

#include "base/view.h"
#include "filter/pass.h"
#include "filter_make.h"
#include "filter_reference.h"

enum { CASES = 3000, ROWS_AT_ONCE = 3 };

static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* A filter of the chain: as valid, as clamp, and what valid leaves out on each side. */
typedef struct test_link {
    satf_filter *valid, *clamp;
    int64_t left, top, right, bottom;
} test_link;

static int64_t pick(uint64_t *random, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(random) % (uint64_t)(most - least + 1));
}

/* A filter with a window of up to w x h, by its table entry; no reductions, which see the image. */
static const filter_info *pick_filter(uint64_t *random)
{
    const filter_info *info;
    do {
        size_t i = (size_t)pick(random, 0, 99), count = 0;
        while (filter_info_at(count)) {
            count++;
        }
        info = filter_info_at(i % count);
    } while (!filter_param_of_kind(info, PARAM_BORDER) ||
             filter_last(info)->reduction != FORMULA_NONE || filter_last(info)->over == OVER_SIDES);
    return info;
}

static test_link make_link(satf_context *ctx, uint64_t *random)
{
    const filter_info *info = pick_filter(random);
    int64_t w = pick(random, 1, 9), h = pick(random, 1, 9);
    int64_t x = pick(random, w / 2 - w + 1, w / 2), y = pick(random, h / 2 - h + 1, h / 2);
    char size[40], at[40];
    snprintf(size, sizeof size, "%ldx%ld", (long)w, (long)h);
    snprintf(at, sizeof at, "%ld:%ld", (long)x, (long)y);
    test_link link = {.valid = make_filter_of(ctx, info, SATF_VALID, size, at, 0, 0),
                      .clamp = make_filter_of(ctx, info, SATF_CLAMP, size, at, 0, 0)};
    link.left = w / 2 - x;
    link.top = h / 2 - y;
    link.right = w - 1 - link.left;
    link.bottom = h - 1 - link.top;
    if (filter_last(info)->over == OVER_RECTS) { /* {-3, -2, 5, 7}, {0, 0, 2, 2} and the pixel */
        link.left = 3, link.top = 2, link.right = 1, link.bottom = 4;
    }
    int64_t reach = reach_along_lines(link.valid);
    if (reach > 0) {
        link.left = link.top = link.right = link.bottom = reach;
    } else if (!filter_is_simple(info)) {
        /* windows of the pixels of mirrored windows, or windows on all sides */
        link.left = link.right = w - 1;
        link.top = link.bottom = h - 1;
    }
    return link;
}

static satf_view result_of(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           bool tables)
{
    satf_view out;
    use_tables(ctx, filter, in->type, tables);
    if (satf_filter_output(ctx, filter, in, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    out.stride += 7;
    out.data = malloc((size_t)(out.stride * out.height));
    if (satf_filter_apply(ctx, filter, in, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    return out;
}

/* What the links make of the image one after the other, each of the inner part of what clamp makes
 * of the last; false if a window does not fit, or a filter takes no such samples. */
static bool expect(satf_context *ctx, const test_link *links, int count, const satf_view *in,
                   bool tables, satf_view *want, satf_filter **chain)
{
    satf_view at = *in, view;
    bool good = true;
    void *memory = NULL;
    for (int k = 0; k < count && good; k++) {
        const test_link *l = &links[k];
        satf_rect part = {l->left, l->top, at.width - l->left - l->right,
                          at.height - l->top - l->bottom};
        good = part.w > 0 && part.h > 0 && !satf_filter_output(ctx, l->clamp, &at, &view);
        assert_int_equal(!satf_filter_output(ctx, l->valid, &at, &view), good);
        if (!good) {
            break;
        }
        view = result_of(ctx, l->clamp, &at, tables);
        free(memory);
        memory = view.data;
        at = satf_view_rect(&view, part);
        assert_int_equal(k ? satf_filter_append(ctx, *chain, l->valid)
                           : satf_filter_parse(ctx, "flip=h flip=h", chain),
                         SATF_OK);
        if (k == 0) { /* a copy of the first, behind what changes nothing */
            assert_int_equal(satf_filter_append(ctx, *chain, l->valid), SATF_OK);
        }
    }
    *want = at;
    want->data = memory ? malloc((size_t)(at.stride * at.height)) : NULL;
    for (int64_t y = 0; y < at.height && good; y++) {
        memcpy(satf_row(want, y), satf_row(&at, y), (size_t)(at.width * satf_pixel_bytes(&at)));
    }
    free(memory);
    return good;
}

static void compare(const satf_view *got, const satf_view *want, const satf_filter *chain,
                    const char *way, int number)
{
    char text[400];
    satf_filter_print(chain, text, sizeof text);
    assert_true(got->width == want->width && got->height == want->height);
    for (int64_t y = 0; y < got->height; y++) {
        if (memcmp(satf_row(got, y), satf_row(want, y),
                   (size_t)(got->width * satf_pixel_bytes(got))) != 0) {
            fail_msg("case %d, %s of %s, %s: row %ld of %ld x %ld differs", number, text,
                     satf_type_name(got->type), way, (long)y, (long)got->width, (long)got->height);
        }
    }
}

/* The rows pushed and pulled; nothing where a filter needs the whole picture. */
static void check_rows(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                       const satf_view *want, int number)
{
    satf_rows *rows;
    satf_view got = *want;
    int64_t pushed = 0, pulled = 0, n;
    satf_status status = satf_rows_open(ctx, chain, in, &got, &rows);
    if (status == SATF_UNSUPPORTED) {
        return;
    }
    assert_int_equal(status, SATF_OK);
    got.data = malloc((size_t)(got.stride * got.height));
    while (pulled < got.height) {
        int64_t left = in->height - pushed, some = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        assert_int_equal(satf_rows_push(rows, satf_row(in, pushed), in->stride, some, &n), SATF_OK);
        pushed += n;
        assert_int_equal(satf_rows_pull(rows, satf_row(&got, pulled), got.stride, ROWS_AT_ONCE, &n),
                         SATF_OK);
        pulled += n;
    }
    compare(&got, want, chain, "by rows", number);
    satf_rows_close(rows);
    free(got.data);
}

/* Any part is that of the whole. */
static void check_part(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                       const satf_view *want, uint64_t *random, int number)
{
    satf_rect where = {0};
    where.w = pick(random, 1, want->width);
    where.h = pick(random, 1, want->height);
    where.x = pick(random, 0, want->width - where.w);
    where.y = pick(random, 0, want->height - where.h);
    satf_view part = satf_view_rect(want, where), got = part;
    got.data = malloc((size_t)(got.stride * got.height));
    if (satf_filter_apply_rect(ctx, chain, in, &where, &got)) {
        fail_msg("%s", satf_message(ctx));
    }
    compare(&got, &part, chain, "a part", number);
    free(got.data);
}

/* Whether a filter of the chain sums floats: the last bits of these depend on the crop. */
static bool sums_floats(satf_context *ctx, const satf_filter *chain, const satf_view *in)
{
    satf_view at = *in, next;
    bool any = false;
    for (size_t i = 0; i < filter_count(chain); i++, at = next) {
        any = any || satf_type_is_float(at.type);
        assert_int_equal(filter_output_at(ctx, chain, i, &at, &next), SATF_OK);
    }
    return any;
}

static void check_case(satf_context *ctx, int number, int *checked)
{
    uint64_t random = (uint64_t)number * 77;
    int type = types[pick(&random, 0, 3)], channels = (int)pick(&random, 1, 4);
    int count = (int)pick(&random, 1, 3);
    ref_image image = {pick(&random, 1, 40),
                       pick(&random, 1, 40),
                       channels,
                       type,
                       channels % 2 == 0 && pick(&random, 0, 1),
                       NULL};
    SCOPED_FILTER *chain = NULL;
    test_link links[3];
    ref_fill(&image, random);
    satf_view in = ref_view(&image, pick(&random, 0, 5)), want;
    satf_context_set_threads(ctx, (int)pick(&random, 1, 3));
    bool tables = number % 3 == 0;
    for (int k = 0; k < count; k++) {
        links[k] = make_link(ctx, &random);
        filter_over over = filter_last(links[k].clamp->links[0].info)->over;
        /* floats of which have none, and lines, beside which no other filter of the chain has them
         */
        tables = tables && over != OVER_LEAST && over != OVER_SIDES && over != OVER_LINES;
    }
    if (expect(ctx, links, count, &in, tables, &want, &chain)) {
        satf_view got = result_of(ctx, chain, &in, tables);
        compare(&got, &want, chain, "whole", number);
        check_rows(ctx, chain, &in, &want, number);
        if (!sums_floats(ctx, chain, &in)) {
            check_part(ctx, chain, &in, &want, &random, number);
        }
        free(got.data);
        ++*checked;
    }
    for (int k = 0; k < count; k++) {
        satf_filter_destroy(links[k].valid);
        satf_filter_destroy(links[k].clamp);
    }
    free(want.data);
    free(in.data);
    free(image.samples);
}

TEST(test_random)
{
    int checked = 0;
    for (int number = 0; number < CASES; number++) {
        check_case(ctx, number, &checked);
    }
    assert_true(checked > CASES / 3);
}

/* Behind a row and a column of zeros. */
static satf_view led_by_zeros(const satf_view *v)
{
    satf_view led =
        satf_view_packed(NULL, v->width + 1, v->height + 1, v->channels, (satf_type)v->type);
    led.data = calloc((size_t)led.height, (size_t)led.stride);
    for (int64_t y = 0; y < v->height; y++) {
        memcpy((char *)satf_row(&led, y + 1) + satf_pixel_bytes(v), satf_row(v, y),
               (size_t)(v->width * satf_pixel_bytes(v)));
    }
    return led;
}

/* integral,zeros is integral behind zeros, for what comes before and behind it. */
static void check_zeros(satf_context *ctx, const ref_image *image, const char *const part[3],
                        uint64_t *random, int number)
{
    char spec[200], plain[100];
    satf_view in = ref_view(image, number % 6), want;
    snprintf(plain, sizeof plain, "%s integral%s", part[0], part[1]);
    snprintf(spec, sizeof spec, "%s,zeros %s", plain, part[2]);
    SCOPED_FILTER *before = parse_filter(ctx, plain), *chain = parse_filter(ctx, spec);
    SCOPED_FILTER *behind = *part[2] ? parse_filter(ctx, part[2]) : NULL;
    satf_view sums = result_of(ctx, before, &in, false), led = led_by_zeros(&sums);
    if (!behind || satf_filter_output(ctx, behind, &led, &want) == SATF_OK) {
        want = behind ? result_of(ctx, behind, &led, false) : led;
        satf_view got = result_of(ctx, chain, &in, false);
        compare(&got, &want, chain, "whole", number);
        check_rows(ctx, chain, &in, &want, number);
        if (!sums_floats(ctx, chain, &in)) {
            check_part(ctx, chain, &in, &want, random, number);
        }
        free(got.data);
        free(behind ? want.data : NULL);
    }
    free(led.data);
    free(sums.data);
    free(in.data);
}

TEST(test_zeros)
{
    static const char *const parts[][3] = {
        {"", "", ""},
        {"", ",squared", ""},
        {"box=3", "", ""},
        {"", "", "flip=h"},
        {"rotate=90", "", ""},
        {"", "", "rotate=270"},
        {"", "", "box=3x2"},
        {"", "", "integral"},
        {"box=3,border=valid", "", ""},
        {"", "", "flip=h flip=v"},
    };
    for (int number = 0; number < 600; number++) {
        uint64_t random = (uint64_t)number * 79;
        int channels = (int)pick(&random, 1, 4);
        ref_image image = {pick(&random, 3, 90),
                           pick(&random, 3, 40),
                           channels,
                           types[pick(&random, 0, 3)],
                           0,
                           NULL};
        ref_fill(&image, random);
        satf_context_set_threads(ctx, (int)pick(&random, 1, 3));
        check_zeros(ctx, &image, parts[number % 10], &random, number);
        free(image.samples);
    }
}

static void expect_failure(satf_context *ctx, satf_status got, const char *part)
{
    assert_int_equal(got, SATF_INVALID);
    if (!strstr(satf_message(ctx), part)) {
        fail_msg("'%s' lacks '%s'", satf_message(ctx), part);
    }
}

TEST(test_refusals)
{
    static uint8_t memory[2][20 * 20];
    satf_view in = satf_view_packed(memory[0], 12, 20, 1, SATF_U8), out = in;
    satf_filter *filter = parse_filter(ctx, "box=13x4 box=3"), *both;
    satf_rows *rows;
    out.data = memory[1];
    assert_int_equal(satf_filter_default_border(ctx, filter, SATF_VALID, 0), SATF_OK);
    expect_failure(ctx, satf_filter_output(ctx, filter, &in, &out),
                   "box with border valid needs an image of at least 13 x 4");
    out = in, out.data = memory[1];
    expect_failure(ctx, satf_filter_apply(ctx, filter, &in, &out), "this one is 12 x 20");
    expect_failure(ctx, satf_rows_open(ctx, filter, &in, &out, &rows), "at least 13 x 4");
    in.width = in.stride = 14;
    expect_failure(ctx, satf_filter_output(ctx, filter, &in, &out), "this one is 2 x 17");
    satf_filter_destroy(filter);
    filter = parse_filter(ctx, "box=5,border=valid");
    expect_failure(ctx, satf_filter_apply(ctx, filter, &in, &out), "it must be 10 x 16");
    assert_int_equal(satf_filter_parse(ctx, "integral,border=valid", &both), SATF_INVALID);
    satf_filter_destroy(filter);
    assert_int_equal(satf_filter_create(ctx, "integral", &filter), SATF_OK);
    expect_failure(ctx, satf_filter_set_border(ctx, filter, SATF_VALID, 0), "has no border");
    satf_filter_destroy(filter);
}

/* It prints and is parsed as the others; a window of one pixel leaves nothing out. */
TEST(test_words)
{
    char text[80];
    satf_view in = satf_view_packed(NULL, 12, 20, 1, SATF_U8), out;
    satf_filter *filter = parse_filter(ctx, "box=1,border=valid");
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, "box=1,border=valid");
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    assert_true(out.width == 12 && out.height == 20);
    satf_filter_destroy(filter);
    int64_t left, top, right, bottom; /* of the pixel in the middle of the window */
    filter = parse_filter(ctx, "box=5,border=valid box=3x1,border=valid");
    assert_int_equal(satf_filter_reach(ctx, filter, &left, &top, &right, &bottom), SATF_OK);
    assert_true(left == 3 && top == 2 && right == 3 && bottom == 2);
    satf_filter_destroy(filter);
}
