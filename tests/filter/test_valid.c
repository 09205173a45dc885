/* Results of another size. Border valid: of each filter the pixels whose windows lie inside the
 * image, as clamp has them; and integrals behind zeros. */
#include "test.h"

#include "sample.h"
#include "ways.h"

enum { CASES = 4000 };

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

/* What clamp has inside the image, of w x h pixels; none if no window lies inside. */
static satf_rect inside(const satf_filter *filter, const picked_window *p, int64_t w, int64_t h)
{
    const filter_info *info = filter->links[0].info;
    int64_t left = p->w / 2 - p->x, top = p->h / 2 - p->y, reach = reach_along_lines(filter);
    int64_t across = p->w - 1, down = p->h - 1;  /* what is left out */
    if (filter_last(info)->over == OVER_RECTS) { /* {-3, -2, 5, 7}, {0, 0, 2, 2} and the pixel */
        left = 3, top = 2, across = 4, down = 6;
    } else if (reach > 0) {
        left = top = reach;
        across = down = 2 * reach;
    } else if (!filter_is_simple(info)) {
        /* windows of the pixels of mirrored windows, or windows on all sides */
        filter_over over = filter_last(info)->over;
        if (over != OVER_MIRRORED && over != OVER_LEAST) {
            fail_msg("filters/%s.h: passes of a new kind; say in inside() of "
                     "tests/filter/test_valid.c what border valid leaves out",
                     info->name);
        }
        left = across, top = down;
        across *= 2, down *= 2;
    }
    return (satf_rect){left, top, w - across, h - down};
}

static void check_case(satf_context *ctx, int number, int *checked)
{
    uint64_t random = (uint64_t)number * 77;
    const filter_info *info = pick_filter(&random);
    picked_window p = pick_window(&random);
    SCOPED_VIEW in = pick_image(&random, 40);
    SCOPED_FILTER *clamp = make_filter_of(ctx, info, SATF_BORDER_CLAMP, p.size, p.at, 0, 0);
    SCOPED_FILTER *valid = make_filter_of(ctx, info, SATF_BORDER_VALID, p.size, p.at, 0, 0);
    SCOPED_FILTER *chain = parse_filter(ctx, "flip=h flip=h"); /* which changes nothing */
    satf_rect part = inside(valid, &p, in.width, in.height);
    satf_view out;
    bool good = part.w > 0 && part.h > 0 && !satf_filter_output(ctx, clamp, &in, &out);
    assert_int_equal(!satf_filter_output(ctx, valid, &in, &out), good);
    if (good) {
        satf_context_set_threads(ctx, (int)pick(&random, 1, 3));
        use_tables(ctx, clamp, in.type, number % 3 == 0);
        SCOPED_VIEW all = result_of(ctx, clamp, &in);
        satf_view want = satf_view_rect(&all, part);
        MUST(ctx, satf_filter_append(ctx, chain, valid));
        check_number(ctx, number % 2 ? chain : valid, &in, &want, &random, number);
        ++*checked;
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
static satf_view with_zero_edge(const satf_view *v)
{
    satf_view edged =
        satf_view_packed(NULL, v->width + 1, v->height + 1, v->channels, (satf_type)v->type);
    edged.data = calloc((size_t)edged.height, (size_t)edged.stride);
    for (int64_t y = 0; y < v->height; y++) {
        memcpy((char *)satf_row(&edged, y + 1) + satf_pixel_bytes(v), satf_row(v, y),
               (size_t)(v->width * satf_pixel_bytes(v)));
    }
    return edged;
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
    SCOPED_VIEW sums = made_by(ctx, plain, in), edged = with_zero_edge(&sums);
    satf_view like;
    if (satf_filter_output(ctx, behind, &edged, &like) == SATF_OK) {
        SCOPED_VIEW want = result_of(ctx, behind, &edged);
        check_number(ctx, chain, in, &want, random, number);
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

/* What a filter looks for in the whole picture it finds in windows inside, and at their pixels. */
TEST(test_extremes)
{
    const double k = 0.35;
    SCOPED_VIEW in = draw_image(60, 50, 1, SATF_U8, 0, 1, 5);
    for (int64_t y = 0; y < in.height; y++) {
        for (int64_t x = 0; x < in.width; x++) {
            uint8_t *sample = (uint8_t *)satf_row(&in, y) + x;
            *sample = x == 0 ? (y % 2 ? 255 : 0) : (uint8_t)(100 + *sample % 50);
        }
    }
    SCOPED_FILTER *mean = parse_filter(ctx, "real box=9,border=valid");
    SCOPED_FILTER *deviation = parse_filter(ctx, "stddev=9,border=valid");
    SCOPED_FILTER *wolf = parse_filter(ctx, "wolf=9,border=valid,surface");
    SCOPED_VIEW means = result_of(ctx, mean, &in), deviations = result_of(ctx, deviation, &in);
    SCOPED_VIEW levels = result_of(ctx, wolf, &in);
    double most = 0, least = 255;
    for (int64_t y = 0; y < levels.height; y++) {
        for (int64_t x = 0; x < levels.width; x++) {
            most = fmax(most, sample_at(&deviations, y, x));
            least = fmin(least, sample_at(&in, y + 4, x + 4));
        }
    }
    for (int64_t y = 0; y < levels.height; y++) {
        for (int64_t x = 0; x < levels.width; x++) {
            double m = sample_at(&means, y, x), s = sample_at(&deviations, y, x);
            double want = m - k * (1 - s / most) * (m - least);
            assert_true(fabs(sample_at(&levels, y, x) - want) < 1e-3);
        }
    }
}

TEST(test_refusals)
{
    static uint8_t memory[2][20 * 20];
    satf_view in = satf_view_packed(memory[0], 12, 20, 1, SATF_U8), out = in;
    SCOPED_FILTER *two = parse_filter(ctx, "box=13x4 box=3"), *both, *integral;
    SCOPED_FILTER *box = parse_filter(ctx, "box=5,border=valid");
    satf_rows *rows;
    MUST(ctx, satf_filter_set_default_border(ctx, two, SATF_BORDER_VALID, 0));
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
    expect(ctx, satf_filter_set_border(ctx, integral, SATF_BORDER_VALID, 0), SATF_INVALID,
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
