/*
 * Structure-aware: the bytes choose a picture, a filter and its parameters. What
 * must agree does: engines and algorithms (integers), numbers of threads, the whole
 * picture and the streamed one, a caller's scratch and the library's own memory, and either
 * content of memory that nobody has written.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "fuzz.h"

#include "../filter_any.h"

typedef struct choices {
    const uint8_t *at, *end;
} choices;

static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* A number of least ... most, from one or two bytes; least when they run out. */
static int64_t choose(choices *c, int64_t least, int64_t most)
{
    int64_t value = 0;
    for (int i = 0; i < (most - least > UINT8_MAX ? 2 : 1) && c->at < c->end; i++) {
        value = value << 8 | *c->at++;
    }
    return least + value % (most - least + 1);
}

static int64_t choose_any(void *user, int64_t least, int64_t most)
{
    return choose(user, least, most);
}

static satf_status give_rects(satf_context *ctx, choices *c, satf_filter *filter)
{
    satf_weighted_rect rects[3];
    for (size_t i = 0; i < 3; i++) {
        rects[i] = (satf_weighted_rect){
            {choose(c, -99, 99), choose(c, -99, 99), choose(c, 1, 99), choose(c, 1, 99)},
            (double)choose(c, -8, 8)};
    }
    return satf_filter_set_rects(ctx, filter, rects, 3);
}

/* Any filter of the table, with any parameters but an order and an image, see give_order() and
 * give_image(). */
static satf_filter *make_filter(satf_context *ctx, choices *c)
{
    size_t count = 0;
    while (satf_filter_name(count, NULL, 0)) {
        count++;
    }
    const filter_info *info = filter_info_at((size_t)choose(c, 0, (int64_t)count - 1));
    satf_filter *filter;
    FUZZ_REQUIRE(satf_filter_create(ctx, info->name, &filter) == SATF_OK);
    for (const filter_param *p = info->params; p->name; p++) {
        char text[64];
        if (any_value(p, choose_any, c, text, sizeof text)) {
            if (p->kind == PARAM_PLACE) {
                any_place(filter, choose_any, c, text, sizeof text);
            }
            FUZZ_REQUIRE(satf_filter_set(ctx, filter, p->name, text) == SATF_OK);
        } else if (p->kind == PARAM_TEMPLATE) {
            FUZZ_REQUIRE(give_rects(ctx, c, filter) == SATF_OK);
        }
    }
    return filter;
}

/* An order of `count` pixels, if the filter wants one: steps that meet them all. */
static void give_order(satf_context *ctx, choices *c, satf_filter *filter, int64_t count)
{
    if (!filter_param_of_kind(filter_at(filter, 0), PARAM_ORDER)) {
        return;
    }
    int64_t *order = satf_alloc((size_t)count * sizeof *order);
    FUZZ_REQUIRE(order);
    int64_t at = choose(c, 0, 2499), step = choose(c, 0, 1) ? 1 : count - 1;
    for (int64_t i = 0; i < count; i++) {
        order[i] = (at + i * step) % count;
    }
    FUZZ_REQUIRE(satf_filter_set_order(ctx, filter, order, (size_t)count) == SATF_OK);
    satf_free(order);
}

static void fill(choices *c, const satf_view *view)
{
    int64_t samples = view->height * satf_row_samples(view);
    uint32_t state = 1;
    for (int64_t i = 0; i < samples; i++) {
        /* Bytes of the input first, then noise: flat and random parts are both met. */
        uint32_t raw = c->at < c->end ? *c->at++ * 0x01010101u : (state = state * 69069 + 12345);
        switch (view->type) {
        case SATF_U8:
            ((uint8_t *)view->data)[i] = (uint8_t)(raw >> 24);
            break;
        case SATF_U16:
            ((uint16_t *)view->data)[i] = (uint16_t)(raw >> 16);
            break;
        case SATF_F32:
            memcpy((float *)view->data + i, &raw, 4); /* NaN and infinities too */
            break;
        default:
            ((double *)view->data)[i] = ((double)raw - 0x1p31) * (raw % 7 ? 1 : 1e200);
            break;
        }
    }
}

/* An auxiliary input, if the filter has to have one: of any type and layout. */
static void give_image(satf_context *ctx, choices *c, satf_filter *filter, const satf_view *in)
{
    if (filter_at(filter, 0)->params->kind != PARAM_IMAGE) {
        return;
    }
    satf_view image = *in;
    image.type = (int32_t)types[choose(c, 0, 3)];
    image.channels = choose(c, 0, 1) ? in->channels : 1;
    image.flags = image.channels == in->channels ? in->flags : 0;
    image.stride = satf_row_samples(&image) * (int64_t)satf_type_bytes(image.type);
    image.data = satf_alloc((size_t)(image.stride * image.height));
    FUZZ_REQUIRE(image.data);
    fill(c, &image);
    FUZZ_REQUIRE(satf_filter_set_image(ctx, filter, &image) == SATF_OK);
    satf_free(image.data);
}

static unsigned char *apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            satf_view *out)
{
    out->data = satf_alloc((size_t)(out->stride * out->height));
    FUZZ_REQUIRE(out->data);
    satf_status status = satf_filter_apply(ctx, filter, in, out);
    fuzz_check_status(ctx, status);
    FUZZ_REQUIRE(status == SATF_OK || status == SATF_LIMIT);
    if (status) {
        satf_free(out->data);
        out->data = NULL;
        ctx->message[0] = '\0';
    }
    return out->data;
}

/* Like apply(), in memory of exactly the size that was asked for. */
static unsigned char *apply_in_scratch(satf_context *ctx, const satf_filter *filter,
                                       const satf_view *in, satf_view *out)
{
    size_t bytes;
    if (satf_filter_scratch(ctx, filter, in, out, &bytes) || bytes > 1 << 25) {
        ctx->message[0] = '\0';
        return NULL;
    }
    void *scratch = bytes ? malloc(bytes) : NULL;
    satf_context_set_scratch(ctx, scratch, scratch ? bytes : 0);
    unsigned char *result = apply(ctx, filter, in, out);
    satf_context_set_scratch(ctx, NULL, 0);
    free(scratch);
    return result;
}

/* Like apply(), from rows that lie apart, between bytes of what new memory holds. */
static unsigned char *apply_apart(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                  satf_view *out, int fill)
{
    satf_fill_allocations(fill);
    satf_view apart = *in;
    apart.stride += 64;
    apart.data = satf_alloc((size_t)(apart.stride * apart.height));
    FUZZ_REQUIRE(apart.data);
    for (int64_t y = 0; y < in->height; y++) {
        memcpy(satf_row(&apart, y), satf_row(in, y), (size_t)in->stride);
    }
    unsigned char *result = apply(ctx, filter, &apart, out);
    satf_free(apart.data);
    satf_fill_allocations(FUZZ_FILL);
    return result;
}

/* The streamed picture: rows of the input in a ring of no more rows than promised, but for
 * those that are kept for good. */
typedef struct streamed {
    const satf_view *in, *out;
    unsigned char *ring;
    filter_rows_need need;
    int64_t newest, written;
} streamed;

static const void *in_row(void *user, int64_t y)
{
    streamed *s = user;
    FUZZ_REQUIRE(y >= 0 && y < s->in->height);
    if (y >= s->in->height - s->need.end || (y < s->need.start && y <= s->newest)) {
        return satf_row(s->in, y);
    }
    FUZZ_REQUIRE(y > s->newest - s->need.kept);
    for (; s->newest < y; s->newest++) {
        int64_t next = s->newest + 1;
        memcpy(s->ring + next % s->need.kept * s->in->stride, satf_row(s->in, next),
               (size_t)s->in->stride);
    }
    return s->ring + y % s->need.kept * s->in->stride;
}

static void *out_row(void *user, int64_t y)
{
    streamed *s = user;
    FUZZ_REQUIRE(y == s->written++);
    return satf_row(s->out, y);
}

static unsigned char *apply_rows(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                 satf_view *out)
{
    streamed s = {.in = in, .out = out, .newest = -1};
    satf_plan *plan;
    if (filter_plan_rows(ctx, filter, 0, 1, NULL, in, NULL, out, &plan)) {
        ctx->message[0] = '\0';
        return NULL;
    }
    s.need = filter_plan_need(plan);
    if (s.need.refusal || s.need.kept * in->stride > 1 << 25) {
        satf_plan_destroy(plan);
        return NULL;
    }
    s.ring = satf_alloc((size_t)(s.need.kept * in->stride));
    out->data = satf_alloc((size_t)(out->stride * out->height));
    FUZZ_REQUIRE(s.ring && out->data);
    filter_rows rows = {.in = in_row, .out = out_row, .user = &s};
    satf_status status = filter_plan_run_rows(ctx, plan, &rows);
    satf_plan_destroy(plan);
    fuzz_check_status(ctx, status);
    satf_free(s.ring);
    if (status) {
        FUZZ_REQUIRE(status == SATF_LIMIT);
        satf_free(out->data);
        ctx->message[0] = '\0';
        return NULL;
    }
    FUZZ_REQUIRE(s.written == out->height);
    return out->data;
}

/* The same bits, but for which NaN it is: of two operands' NaNs the compiler chooses. */
static bool is_same(int type, const unsigned char *a, const unsigned char *b)
{
    double x[2] = {0};
    float y[2] = {0};
    if (type == SATF_F32) {
        memcpy(&y[0], a, sizeof *y);
        memcpy(&y[1], b, sizeof *y);
    } else if (type == SATF_F64) {
        memcpy(&x[0], a, sizeof *x);
        memcpy(&x[1], b, sizeof *x);
    }
    return memcmp(a, b, satf_type_bytes(type)) == 0 || (isnan(x[0]) && isnan(x[1])) ||
           (isnan(y[0]) && isnan(y[1]));
}

static void compare(const satf_view *out, const unsigned char *want, unsigned char *got,
                    const char *what)
{
    size_t bytes = satf_type_bytes(out->type), samples = 0;
    if (want && got) {
        samples = (size_t)(out->stride * out->height) / bytes; /* packed */
    }
    for (size_t i = 0; i < samples; i++) {
        if (!is_same(out->type, want + i * bytes, got + i * bytes)) {
            fprintf(stderr, "%s gives another result\n", what);
            abort();
        }
    }
    satf_free(got);
}

static void compare_all(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                        satf_view *out, int threads)
{
    bool integers = in->type == SATF_U8 || in->type == SATF_U16;
    satf_context_set_threads(ctx, 1);
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    satf_context_set_algorithm(ctx, "auto");
    unsigned char *apart = apply_apart(ctx, filter, in, out, FUZZ_FILL);
    compare(out, apart, apply_apart(ctx, filter, in, out, FUZZ_OTHER_FILL), "other memory");
    unsigned char *want = apply(ctx, filter, in, out);
    compare(out, want, apply_rows(ctx, filter, in, out), "streaming");
    compare(out, want, apply_in_scratch(ctx, filter, in, out), "a caller's scratch");
    satf_share_anything();
    satf_context_set_threads(ctx, threads);
    compare(out, want, apply(ctx, filter, in, out), "another number of threads");
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    bool tables = integers && satf_filter_check_engine(ctx, filter) == SATF_OK;
    ctx->message[0] = '\0';
    const char *algorithm, *device;
    for (size_t i = 0; tables && (algorithm = satf_algorithm(i, &device, NULL)); i++) {
        if (strcmp(device, "cpu") == 0) {
            FUZZ_REQUIRE(satf_context_set_algorithm(ctx, algorithm) == SATF_OK);
            compare(out, want, apply(ctx, filter, in, out), algorithm);
        }
    }
    if (integers) {
        compare(out, want, apart, "rows that lie apart");
    } else {
        satf_free(apart);
    }
    satf_free(want);
}

FUZZ_TARGET(engines)
{
    satf_context *ctx = fuzz_context();
    choices c = {data, data + size};
    satf_filter *filter = make_filter(ctx, &c);
    int64_t width = choose(&c, 1, 50), height = choose(&c, 1, 50);
    int channels = (int)choose(&c, 1, SATF_MAX_CHANNELS);
    satf_view in = satf_view_packed(NULL, width, height, channels, types[choose(&c, 0, 3)]);
    in.flags = channels % 2 == 0 && choose(&c, 0, 1) ? SATF_ALPHA : 0;
    int threads = (int)choose(&c, 2, 4);
    in.data = satf_alloc((size_t)(in.stride * in.height));
    FUZZ_REQUIRE(in.data);
    give_order(ctx, &c, filter, width * height);
    give_image(ctx, &c, filter, &in);
    fill(&c, &in);
    satf_view out;
    satf_status status = satf_filter_output(ctx, filter, &in, &out);
    fuzz_check_status(ctx, status);
    ctx->message[0] = '\0';
    if (!status) {
        compare_all(ctx, filter, &in, &out, threads);
    }
    satf_free(in.data);
    satf_filter_destroy(filter);
    return 0;
}
