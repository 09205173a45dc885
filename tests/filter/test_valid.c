/* Results of another size. Border valid: of each filter the pixels whose windows lie inside the
 * image, as clamp has them; and integrals behind zeros. */
#include "test.h"

#include "ways.h"

enum { CASES = 3000 };

/* A filter of the chain: as valid, as clamp, and what valid leaves out on each side. */
typedef struct test_link {
    satf_filter *valid, *clamp;
    int64_t left, top, right, bottom;
} test_link;

/* A filter with a window, by its table entry; no reductions, which see the image. */
static const filter_info *pick_filter(uint64_t *random)
{
    const filter_info *info;
    do {
        info = pick_info(random);
    } while (!filter_param_of_kind(info, PARAM_BORDER) ||
             filter_last(info)->reduction != FORMULA_NONE || filter_last(info)->over == OVER_SIDES);
    return info;
}

static test_link make_link(satf_context *ctx, uint64_t *random)
{
    const filter_info *info = pick_filter(random);
    picked_window p = pick_window(random);
    test_link link = {.valid = make_filter_of(ctx, info, SATF_VALID, p.size, p.at, 0, 0),
                      .clamp = make_filter_of(ctx, info, SATF_CLAMP, p.size, p.at, 0, 0)};
    link.left = p.w / 2 - p.x;
    link.top = p.h / 2 - p.y;
    link.right = p.w - 1 - link.left;
    link.bottom = p.h - 1 - link.top;
    if (filter_last(info)->over == OVER_RECTS) { /* {-3, -2, 5, 7}, {0, 0, 2, 2} and the pixel */
        link.left = 3, link.top = 2, link.right = 1, link.bottom = 4;
    }
    int64_t reach = reach_along_lines(link.valid);
    if (reach > 0) {
        link.left = link.top = link.right = link.bottom = reach;
    } else if (!filter_is_simple(info)) {
        /* windows of the pixels of mirrored windows, or windows on all sides */
        link.left = link.right = p.w - 1;
        link.top = link.bottom = p.h - 1;
    }
    return link;
}

/* What the links make of the image one after the other, each of the inner part of what clamp makes
 * of the last; false if a window does not fit, or a filter takes no such samples. */
static bool expected(satf_context *ctx, const test_link *links, int count, const satf_view *in,
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
        use_tables(ctx, l->clamp, at.type, tables);
        view = result_of(ctx, l->clamp, &at);
        free(memory);
        memory = view.data;
        at = satf_view_rect(&view, part);
        assert_int_equal(k ? satf_filter_append(ctx, *chain, l->valid)
                           : satf_filter_parse(ctx, "flip=h flip=h", chain),
                         SATF_OK);
        if (k == 0) { /* a copy of the first, behind what changes nothing */
            MUST(ctx, satf_filter_append(ctx, *chain, l->valid));
        }
    }
    *want = memory ? view_like(&at, 0) : (satf_view){0};
    for (int64_t y = 0; y < at.height && good; y++) {
        memcpy(satf_row(want, y), satf_row(&at, y), (size_t)(at.width * satf_pixel_bytes(&at)));
    }
    free(memory);
    return good;
}

/* Whether a filter of the chain sums floats: the last bits of these depend on the crop. */
static bool sums_floats(satf_context *ctx, const satf_filter *chain, const satf_view *in)
{
    satf_view at = *in, next;
    bool any = false;
    for (size_t i = 0; i < filter_count(chain); i++, at = next) {
        any = any || satf_type_is_float(at.type);
        MUST(ctx, filter_output_at(ctx, chain, i, &at, &next));
    }
    return any;
}

/* As a whole, by rows, and any part of it. */
static void check_chain(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                        const satf_view *want, bool tables, uint64_t *random, int number)
{
    char what[440];
    int used = snprintf(what, sizeof what, "case %d, ", number);
    satf_filter_print(chain, what + used, sizeof what - (size_t)used);
    use_tables(ctx, chain, in->type, tables);
    SCOPED_VIEW got = result_of(ctx, chain, in);
    require_same(what, "whole", &got, want);
    check_rows(ctx, chain, what, in, want);
    satf_rect where = {0, 0, pick(random, 1, want->width), pick(random, 1, want->height)};
    where.x = pick(random, 0, want->width - where.w);
    where.y = pick(random, 0, want->height - where.h);
    if (!sums_floats(ctx, chain, in)) {
        check_part(ctx, chain, what, in, want, where);
    }
}

static void check_case(satf_context *ctx, int number, int *checked)
{
    uint64_t random = (uint64_t)number * 77;
    int count = (int)pick(&random, 1, 3);
    SCOPED_FILTER *chain = NULL;
    test_link links[3];
    SCOPED_VIEW in = pick_image(&random, 40), want = {0};
    satf_context_set_threads(ctx, (int)pick(&random, 1, 3));
    bool tables = number % 3 == 0;
    for (int k = 0; k < count; k++) {
        links[k] = make_link(ctx, &random);
        const filter_info *info = links[k].clamp->links[0].info;
        filter_over over = filter_last(info)->over;
        /* floats of which have none, and lines, beside which no other filter of the chain has them
         */
        tables = tables && over != OVER_LEAST && over != OVER_SIDES && !goes_along_lines(info);
    }
    if (expected(ctx, links, count, &in, tables, &want, &chain)) {
        check_chain(ctx, chain, &in, &want, tables, &random, number);
        ++*checked;
    }
    for (int k = 0; k < count; k++) {
        satf_filter_destroy(links[k].valid);
        satf_filter_destroy(links[k].clamp);
    }
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
static void check_zeros(satf_context *ctx, const satf_view *in, const char *const part[3],
                        uint64_t *random, int number)
{
    char spec[200], plain[100];
    snprintf(plain, sizeof plain, "%s integral%s", part[0], part[1]);
    snprintf(spec, sizeof spec, "%s,zeros %s", plain, part[2]);
    SCOPED_FILTER *chain = parse_filter(ctx, spec);
    SCOPED_FILTER *behind = parse_filter(ctx, *part[2] ? part[2] : "flip=h flip=h");
    SCOPED_VIEW sums = made_by(ctx, plain, in), led = led_by_zeros(&sums);
    satf_view like;
    if (satf_filter_output(ctx, behind, &led, &like) == SATF_OK) {
        SCOPED_VIEW want = result_of(ctx, behind, &led);
        check_chain(ctx, chain, in, &want, false, random, number);
    }
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
        int64_t width = pick(&random, 3, 90), height = pick(&random, 3, 40);
        SCOPED_VIEW in = draw_image(width, height, (int)pick(&random, 1, 4),
                                    ref_types[pick(&random, 0, 3)], 0, number % 6, random);
        satf_context_set_threads(ctx, (int)pick(&random, 1, 3));
        check_zeros(ctx, &in, parts[number % 10], &random, number);
    }
}

TEST(test_refusals)
{
    static uint8_t memory[2][20 * 20];
    satf_view in = satf_view_packed(memory[0], 12, 20, 1, SATF_U8), out = in;
    SCOPED_FILTER *two = parse_filter(ctx, "box=13x4 box=3"), *both, *integral;
    SCOPED_FILTER *box = parse_filter(ctx, "box=5,border=valid");
    satf_rows *rows;
    MUST(ctx, satf_filter_default_border(ctx, two, SATF_VALID, 0));
    expect(ctx, satf_filter_output(ctx, two, &in, &out), SATF_INVALID,
           "box with border valid needs an image of at least 13 x 4");
    out = in, out.data = memory[1];
    expect(ctx, satf_filter_apply(ctx, two, &in, &out), SATF_INVALID, "this one is 12 x 20");
    expect(ctx, satf_rows_open(ctx, two, &in, &out, &rows), SATF_INVALID, "at least 13 x 4");
    in.width = in.stride = 14;
    expect(ctx, satf_filter_output(ctx, two, &in, &out), SATF_INVALID, "this one is 2 x 17");
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_INVALID, "it must be 10 x 16");
    expect(ctx, satf_filter_parse(ctx, "integral,border=valid", &both), SATF_INVALID, "integral");
    MUST(ctx, satf_filter_create(ctx, "integral", &integral));
    expect(ctx, satf_filter_set_border(ctx, integral, SATF_VALID, 0), SATF_INVALID,
           "has no border");
}

/* It prints and is parsed as the others; a window of one pixel leaves nothing out. */
TEST(test_words)
{
    char text[80];
    satf_view in = satf_view_packed(NULL, 12, 20, 1, SATF_U8), out;
    SCOPED_FILTER *filter = parse_filter(ctx, "box=1,border=valid");
    SCOPED_FILTER *chain = parse_filter(ctx, "box=5,border=valid box=3x1,border=valid");
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, "box=1,border=valid");
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    assert_true(out.width == 12 && out.height == 20);
    int64_t left, top, right, bottom; /* of the pixel in the middle of the window */
    MUST(ctx, satf_filter_reach(ctx, chain, &left, &top, &right, &bottom));
    assert_true(left == 3 && top == 2 && right == 3 && bottom == 2);
}
