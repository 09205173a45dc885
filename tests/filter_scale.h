/*
 * The law of scale, on the CPU and on devices: a picture times k, whose full scale is times k,
 * gives the result times k, that of a variance times k^2, and the same black and white.
 */
#ifndef TESTS_FILTER_SCALE_H
#define TESTS_FILTER_SCALE_H

#include "test.h"

#include "ways.h"

enum { SCALE_W = 37, SCALE_H = 23, SCALE_SAMPLES = SCALE_W * SCALE_H * 4 };

static const struct {
    int channels;
    unsigned flags;
} scale_layouts[] = {{1, 0}, {2, SATF_ALPHA}, {3, 0}, {4, SATF_ALPHA}};

/* One comparison. */
typedef struct scale_case {
    const filter_info *info;
    const char *by;   /* what computes */
    int maxval, k;    /* the picture's, and what it is taken times */
    int guide, times; /* the full scale of the auxiliary input, and what that is taken times; 0:
                       * there is none */
    int border, layout;
    const char *size, *at;
    const char *flag; /* that is set, or a number that is 0 otherwise; NULL: none */
    uint64_t seed;
} scale_case;

/* A picture in its own memory, and what a filter makes of it. */
typedef struct scale_picture {
    satf_view view;
    _Alignas(8) char memory[SCALE_SAMPLES * sizeof(double)];
} scale_picture;

/* Flat parts, edges and noise; alpha is 0 and full now and then. */
static void scale_draw(scale_picture *p, int layout, int maxval, int times, uint64_t seed)
{
    int channels = scale_layouts[layout].channels;
    bool wide = maxval * times > UINT8_MAX;
    p->view = satf_view_packed(p->memory, SCALE_W, SCALE_H, channels, wide ? SATF_U16 : SATF_U8);
    p->view.flags = scale_layouts[layout].flags;
    p->view.full = maxval * times;
    for (int i = 0; i < SCALE_W * SCALE_H * channels; i++) {
        uint64_t r = ref_random(&seed);
        int sample =
            i / channels % SCALE_W < 9 ? maxval / 3 : (int)((r >> 32) % (uint64_t)(maxval + 1));
        sample = times * (r % 7 == 0 ? maxval : r % 7 == 1 ? 0 : sample);
        put_at(&p->view, 0, i, sample);
    }
}

/* With what the case says, samples among the parameters times `times`. */
static satf_filter *scale_filter(satf_context *ctx, const scale_case *c, int times)
{
    satf_filter *filter =
        make_filter_of(ctx, c->info, SATF_BORDER_CLAMP, c->size, c->at, SCALE_W, SCALE_H);
    if (filter_param_of_kind(c->info, PARAM_BORDER)) {
        double constant = c->border == SATF_BORDER_CONSTANT ? c->maxval / 2 * times : 0;
        MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)c->border, constant));
    }
    if (c->flag) {
        bool on = filter_param_find(c->info, c->flag)->kind == PARAM_FLAG;
        MUST(ctx, satf_filter_set(ctx, filter, c->flag, on ? "on" : "2"));
    }
    return filter;
}

/* False: what computes does not take such pictures. */
static bool scale_apply(satf_context *ctx, const scale_case *c, int times, int guide_times,
                        scale_picture *out)
{
    static scale_picture in, guide;
    SCOPED_FILTER *filter = scale_filter(ctx, c, times);
    scale_draw(&in, c->layout, c->maxval, times, c->seed);
    if (c->guide) {
        bool radii = filter_last(c->info)->over == OVER_SIDES; /* which stay */
        scale_draw(&guide, c->layout, c->guide, radii ? 1 : guide_times, c->seed + 1);
        MUST(ctx, satf_filter_set_image(ctx, filter, &guide.view));
    }
    satf_status status = satf_filter_output(ctx, filter, &in.view, &out->view);
    out->view.data = out->memory;
    status = status ? status : satf_filter_apply(ctx, filter, &in.view, &out->view);
    if (status && status != SATF_UNSUPPORTED) {
        fail_msg("%s by %s: %s", c->info->name, c->by, satf_message(ctx));
    }
    return !status;
}

/* How many times as large the result is of a picture that is twice as large: 2 or 4, and 1 of black
 * and white and of what the scale does not change. */
static double scale_growth(satf_context *ctx, const scale_case *c)
{
    static const filter_extent coarse = {SCALE_W, SCALE_H, 1. / 255};
    static const filter_extent fine = {SCALE_W, SCALE_H, 2. / 255};
    const filter_pass *pass = filter_last(c->info);
    SCOPED_FILTER *filter = scale_filter(ctx, c, 1);
    const void *options = filter_options(filter, 0);
    double growth = 2;
    if (filter_type(pass, options) == TYPE_BILEVEL) {
        growth = 1;
    } else if (c->info->range) {
        growth = c->info->range((filter_range){true, 0, 2}, options, &fine).hi /
                 c->info->range((filter_range){true, 0, 1}, options, &coarse).hi;
    }
    return growth;
}

/* How far results that grow by `ratio` may be apart: those that are rounded by half a step of
 * either and what rounds guided's slopes and offsets; sums and moved samples not at all. Reals may
 * be what is left of samples up to `most`; of bytes along lines, of two 32ths of a step. */
static double scale_room(const filter_info *info, int type, double ratio, double result,
                         double most)
{
    const filter_pass *pass = filter_last(info);
    bool rounded =
        (pass->type == TYPE_OF_INPUT && pass->over != OVER_ELSEWHERE) || pass->type == TYPE_SCALED;
    bool lines = goes_along_lines(info);
    return type == SATF_F64 ? 1e-12 * fabs(result) + 1e-15 * most + (lines ? (ratio + 1) / 16 : 0)
           : rounded        ? ratio / 2 + 0.5 + ratio / 64
                            : 0;
}

/* Whether the pixel is at its threshold, so that the last place of doubles decides. */
static bool scale_is_tie(satf_context *ctx, const scale_case *c, int i)
{
    static scale_picture in, surface;
    scale_case with = *c;
    with.flag = "surface";
    if (!filter_param_find(c->info, with.flag) || !scale_apply(ctx, &with, 1, 1, &surface)) {
        return false;
    }
    scale_draw(&in, c->layout, c->maxval, 1, c->seed);
    double sample = sample_at(&in.view, 0, i * in.view.channels);
    return fabs(sample - sample_at(&surface.view, 0, i)) <= 1e-12 * c->maxval;
}

static void scale_compare(satf_context *ctx, const scale_case *c, const scale_picture *coarse,
                          const scale_picture *fine)
{
    const filter_pass *pass = filter_last(c->info);
    const satf_view *v = &coarse->view;
    double growth = scale_growth(ctx, c);
    double colour = growth == 1 ? 1 : growth == 2 ? c->k : (double)c->k * c->k;
    bool alpha = (v->flags & SATF_ALPHA) && filter_weighs(pass);
    assert_int_equal(v->channels, fine->view.channels);
    for (int i = 0; i < v->width * v->height * v->channels; i++) {
        double ratio = alpha && i % v->channels == v->channels - 1 ? c->k : colour;
        double a = sample_at(v, 0, i), b = sample_at(&fine->view, 0, i);
        double room = scale_room(c->info, v->type, ratio, b, c->maxval * c->k);
        bool tie = growth == 1 && v->type == SATF_U8 && a != b && scale_is_tie(ctx, c, i);
        if (!(fabs(a * ratio - b) <= room) && !tie) {
            fail_msg(
                "%s by %s, %s, %d channels, border %d, window %s at %s, maxval %d x %d, guide %d x "
                "%d: sample %d is %.17g and %.17g",
                c->info->name, c->by, c->flag ? c->flag : "no flag", v->channels, c->border,
                c->size, c->at, c->maxval, c->k, c->guide, c->times, i, a, b);
        }
        if (pass->type == TYPE_OF_INPUT) {
            assert_true(a <= c->maxval && b <= c->maxval * c->k);
        }
    }
}

/* The number of comparisons: 0 where what computes does not take such pictures. */
static int scale_check(satf_context *ctx, scale_case *c)
{
    static scale_picture coarse, fine;
    /* Wider samples become those of other types, in bytes of a white that is rounded. */
    if (c->maxval * c->k > UINT8_MAX && filter_last(c->info)->type == TYPE_SCALED) {
        return 0;
    }
    /* Colour that becomes grey is rounded, which may be all the difference to a threshold. */
    if ((filter_last(c->info)->grey && scale_layouts[c->layout].channels >= 3) ||
        !scale_apply(ctx, c, 1, 1, &coarse) ||
        !scale_apply(ctx, c, c->k, 1, &fine)) { /* whose samples are wider */
        return 0;
    }
    scale_compare(ctx, c, &coarse, &fine);
    if (c->guide) { /* which alone is times k, then: the same result */
        assert_true(scale_apply(ctx, c, 1, c->times, &fine));
        int k = c->k;
        c->k = 1;
        scale_compare(ctx, c, &coarse, &fine);
        c->k = k;
    }
    return 1;
}

/* One filter at all full scales, under all borders. */
static int scale_check_filter(satf_context *ctx, const filter_info *info, const char *by)
{
    static const int maxvals[] = {1, 15, 1000, 4095, 4369}, factors[] = {3, 15, 257};
    static const char *const sizes[] = {"3", "8x5", "15", "1", "40x3"};
    static const char *const places[] = {"0:0", "1:-1", "-2:2", "0:0", "4:1"};
    bool guided = filter_param_of_kind(info, PARAM_IMAGE) != NULL;
    int done = 0;
    for (int i = 0; i < 5 * 3 * 6; i++) {
        scale_case c = {.info = info,
                        .by = by,
                        .maxval = maxvals[i % 5],
                        .k = factors[i / 5 % 3],
                        .border = i / 15,
                        .layout = (i + i / 15) % 4,
                        .size = sizes[(i + i / 5) % 5],
                        .at = places[(i + i / 5) % 5],
                        .seed = 77 * (uint64_t)i};
        if (c.maxval * c.k > UINT16_MAX) {
            continue;
        }
        done += scale_check(ctx, &c);
        for (const filter_param *p = info->params; p->name; p++) {
            bool is_number = p->kind == PARAM_REAL || p->kind == PARAM_DISTANCE;
            bool is_0 = is_number && strcmp(p->default_text, "0") == 0;
            c.flag = p->kind == PARAM_FLAG || is_0 ? p->name : NULL;
            done += c.flag ? scale_check(ctx, &c) : 0;
        }
        /* of the same width, with another full scale */
        c.guide = c.maxval * c.k > UINT8_MAX ? 300 : 60;
        c.times = c.maxval * c.k > UINT8_MAX ? 200 : 4;
        bool fits = (c.maxval > UINT8_MAX) == (c.maxval * c.k > UINT8_MAX);
        done += guided && fits ? scale_check(ctx, &c) : 0;
    }
    return done;
}

/* Every filter of the table; the number of comparisons. */
static int scale_check_all(satf_context *ctx, const char *by, bool every)
{
    const filter_info *info;
    int done = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        int more = scale_check_filter(ctx, info, by);
        if (every) {
            assert_true(more > 0);
        }
        done += more;
    }
    return done;
}

#endif
