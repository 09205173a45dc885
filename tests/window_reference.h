/*
 * What tests of the window engine compare with: pictures between guard pages, a sink that
 * collects segments, and window sums in exact arithmetic.
 */
#ifndef TESTS_WINDOW_REFERENCE_H
#define TESTS_WINDOW_REFERENCE_H

#include "test.h"
#include <stdatomic.h>

#include "base/border.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "guarded.h"
#include "window/march.h"

/* ------------------------------------------------------------------ pictures */

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33 ^ random_state >> 11;
}

enum layout { PACKED, PADDED, UPSIDE_DOWN, LAYOUTS };

/* A picture between two pages that must not be touched. */
typedef ref_guarded picture;

static void put_sample(void *at, int type, double value)
{
    switch (type) {
    case SATF_U8:
        memcpy(at, &(uint8_t){(uint8_t)value}, 1);
        break;
    case SATF_U16:
        memcpy(at, &(uint16_t){(uint16_t)value}, 2);
        break;
    case SATF_F32:
        memcpy(at, &(float){(float)value}, 4);
        break;
    default:
        memcpy(at, &value, 8);
    }
}

static double random_sample(int type, unsigned seed)
{
    uint64_t r = next_random();
    switch (type) {
    case SATF_U8:
        return seed % 4 == 0 ? 255 : (double)(r % 256);
    case SATF_U16:
        return seed % 4 == 0 ? 65535 : (double)(r % 65536);
    default:
        /* Multiples of 2^-12 below 2^8, some much smaller than others. */
        return (double)(((int64_t)(r % 2000001) - 1000000) >> (r >> 22 & 1 ? 10 : 0)) / 4096;
    }
}

static picture picture_create(int64_t width, int64_t height, int channels, satf_type type,
                              enum layout layout, unsigned seed)
{
    picture p = ref_guarded_view(width, height, channels, type, layout == PACKED ? 0 : 13,
                                 layout == UPSIDE_DOWN, seed % 2 == 0, 0);
    random_state = seed * 977u + 5;
    for (int64_t y = 0; y < height; y++) {
        for (int64_t i = 0; i < width * channels; i++) {
            put_sample((char *)satf_row(&p.view, y) + (size_t)i * satf_type_bytes((int)type),
                       (int)type, random_sample((int)type, seed));
        }
    }
    return p;
}

static void picture_destroy(picture *p)
{
    ref_guarded_free(p);
}

/* A source that keeps no row longer than the contract asks for. */
typedef struct source {
    const satf_view *view;
    char **rows; /* exact copies, NULL when dropped or not yet read */
    int64_t newest, kept, end, start;
    int defects;
    int64_t fails_at;
} source;

static const void *source_row(void *user, int64_t y)
{
    source *s = user;
    if (y == s->fails_at) {
        return NULL;
    }
    bool at_end = y >= s->view->height - s->end && y < s->view->height;
    if (at_end || (y >= 0 && y < s->start && y <= s->newest)) {
        return satf_row(s->view, y);
    }
    if (y < 0 || y >= s->view->height || y <= s->newest - s->kept) {
        s->defects++;
        return NULL;
    }
    size_t bytes = (size_t)satf_row_samples(s->view) * satf_type_bytes(s->view->type);
    for (; s->newest < y; s->newest++) {
        int64_t drop = s->newest + 1 - s->kept;
        if (drop >= 0) {
            free(s->rows[drop]);
            s->rows[drop] = NULL;
        }
        s->rows[s->newest + 1] = malloc(bytes);
        memcpy(s->rows[s->newest + 1], satf_row(s->view, s->newest + 1), bytes);
    }
    return s->rows[y];
}

/* -------------------------------------------------------------------- results */

__extension__ typedef __int128 exact;

/* Exact sums of summands and of their magnitudes: of integers as they are, of
 * floats in units of 2^-36, which the pictures' summands are multiples of. */
#define FLOAT_UNITS 0x1p36

typedef struct value {
    exact sum, magnitude;
} value;

typedef struct results {
    int64_t width, height;
    int channels;
    bool streaming;
    satf_u128 *integers[2]; /* plain, squares: of a row-major picture */
    double *reals[2];
    double *shifts; /* of each sample */
    uint64_t *areas;
    int64_t *next_x; /* a row: the x that must come next */
    int64_t last_y;  /* streaming */
    int defects;
} results;

static satf_u128 read_integer(const char *at, satf_sum_type type)
{
    uint16_t narrow;
    uint32_t word;
    uint64_t wide;
    satf_u128 widest;
    switch (type) {
    case SATF_SUM_U16:
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    case SATF_SUM_U32:
        memcpy(&word, at, sizeof word);
        return word;
    case SATF_SUM_U64:
        memcpy(&wide, at, sizeof wide);
        return wide;
    default:
        memcpy(&widest, at, sizeof widest);
        return widest;
    }
}

static void collect(void *user, const window_segment *s)
{
    results *r = user;
    bool ok = s->n >= 1 && s->n * r->channels <= 4096 && s->y >= 0 && s->y < r->height &&
              s->x == r->next_x[s->y] && s->x + s->n <= r->width &&
              (!r->streaming || s->y == r->last_y || (s->y == r->last_y + 1 && s->x == 0)) &&
              (uintptr_t)s->sums % 64 == 0 && (uintptr_t)s->squares % 64 == 0 &&
              (uintptr_t)s->areas % 64 == 0;
    if (!ok) {
        __atomic_add_fetch(&r->defects, 1, __ATOMIC_RELAXED);
        return;
    }
    r->next_x[s->y] = s->x + s->n;
    if (r->streaming) {
        r->last_y = s->y;
    }
    for (int plane = 0; plane < 2; plane++) {
        const char *sums = plane ? s->squares : s->sums;
        if (!sums) {
            continue;
        }
        satf_sum_type type = plane ? s->square_type : s->sum_type;
        size_t bytes = satf_sum_bytes(type), samples = (size_t)(s->n * r->channels);
        size_t first = (size_t)((s->y * r->width + s->x) * r->channels);
        volatile char last = sums[samples * bytes + 63]; /* the promised room */
        (void)last;
        for (size_t i = 0; i < samples; i++) {
            satf_u128 integer = 0;
            if (type == SATF_SUM_F64) {
                memcpy(&r->reals[plane][first + i], sums + i * bytes, bytes);
            } else {
                integer = read_integer(sums + i * bytes, type);
                r->integers[plane][first + i] = integer;
            }
        }
    }
    double most = 0;
    for (int64_t i = 0; i < s->n * r->channels; i++) {
        r->shifts[(s->y * r->width + s->x) * r->channels + i] = s->shifts ? s->shifts[i] : 0;
        double area = s->areas ? s->areas[i] : (double)s->area;
        bool first = i % r->channels == 0;
        uint64_t *to = &r->areas[s->y * r->width + s->x + i / r->channels];
        ok = ok && (first || *to == (uint64_t)area);
        *to = (uint64_t)area;
        most = area > most ? area : most;
    }
    if (!ok || most != (double)s->area) {
        __atomic_add_fetch(&r->defects, 1, __ATOMIC_RELAXED);
    }
}

static void results_create(results *r, const satf_view *in)
{
    memset(r, 0, sizeof *r);
    r->width = in->width;
    r->height = in->height;
    r->channels = in->channels;
    size_t pixels = (size_t)(in->width * in->height), samples = pixels * (size_t)in->channels;
    for (int plane = 0; plane < 2; plane++) {
        r->integers[plane] = calloc(samples, sizeof **r->integers);
        r->reals[plane] = calloc(samples, sizeof **r->reals);
    }
    r->shifts = calloc(samples, sizeof *r->shifts);
    r->areas = calloc(pixels, sizeof *r->areas);
    r->next_x = calloc((size_t)in->height, sizeof *r->next_x);
}

static void results_destroy(results *r)
{
    for (int plane = 0; plane < 2; plane++) {
        free(r->integers[plane]);
        free(r->reals[plane]);
    }
    free(r->shifts);
    free(r->areas);
    free(r->next_x);
}

/* Marches side by side, a band of rows each. */
typedef struct bands {
    satf_context *ctx;
    const window_plan *plan;
    char *memory;
    int64_t count;
    window_sink sink;
    void *user;
    atomic_int status;
} bands;

static void march_down(void *user, int64_t task, int thread)
{
    bands *all = user;
    const window_plan *plan = all->plan;
    const window_spec *spec = &plan->spec;
    int64_t height = spec->in.height;
    window_source from = {spec->row ? spec->row_user : spec->in.data, task * height / all->count,
                          (task + 1) * height / all->count};
    char *own = all->memory + plan->shared_bytes + (size_t)task * plan->band_bytes;
    window_march march;
    (void)thread;
    satf_status status =
        window_march_begin(all->ctx, plan, &from, all->memory, own, all->sink, all->user, &march);
    while (!status && window_next(&march.band)) {
    }
    if (march.state.stop) {
        atomic_store(&all->status, (int)march.state.stop);
    }
}

/* Plans, prepares and goes down once: on all threads, or streaming. */
static satf_status run_once(satf_context *ctx, const window_spec *spec, window_sink sink,
                            void *user)
{
    window_plan plan;
    satf_status status = window_plan_make(ctx, spec, &plan);
    if (status) {
        return status;
    }
    bands all = {.ctx = ctx, .plan = &plan, .sink = sink, .user = user};
    all.count = spec->row ? 1 : satf_thread_count(ctx);
    all.count = all.count < spec->in.height ? all.count : spec->in.height;
    all.memory = satf_alloc(plan.shared_bytes + (size_t)all.count * plan.band_bytes);
    assert_non_null(all.memory);
    window_prepare(&plan, all.memory);
    satf_parallel(ctx, all.count, march_down, &all);
    satf_free(all.memory);
    return (satf_status)atomic_load(&all.status);
}

/* ------------------------------------------------------------------- reference */

static void add_value(value *to, const value *from)
{
    to->sum += from->sum;
    to->magnitude += from->magnitude;
}

/* Window sums along n values (stride apart), by prefix sums over the border's positions. */
static void slide(const value *in, value *out, int64_t n, size_t stride, int64_t window, int border,
                  const value *outside)
{
    SCOPED value *prefix = calloc((size_t)(n + window), sizeof *prefix);
    for (int64_t i = 0; i < n + window - 1; i++) {
        int64_t from = satf_border_index(border, i - window / 2, n);
        prefix[i + 1] = prefix[i];
        add_value(&prefix[i + 1], from < 0 ? outside : &in[(size_t)from * stride]);
    }
    for (int64_t i = 0; i < n; i++) {
        const value *a = &prefix[i], *b = &prefix[i + window];
        out[(size_t)i * stride] = (value){b->sum - a->sum, b->magnitude - a->magnitude};
    }
}

static void value_of(value *to, satf_type type, int channels, satf_summand summand,
                     const void *pixel)
{
    if (satf_type_is_float((int)type)) {
        double sums[SATF_MAX_CHANNELS];
        satf_summands(type, channels, summand, pixel, 1, SATF_SUM_F64, sums);
        for (int k = 0; k < channels; k++) {
            to[k].sum = (exact)(sums[k] * FLOAT_UNITS);
            to[k].magnitude = (exact)(fabs(sums[k]) * FLOAT_UNITS);
        }
        return;
    }
    satf_u128 sums[SATF_MAX_CHANNELS];
    satf_summands(type, channels, summand, pixel, 1, SATF_SUM_U128, sums);
    for (int k = 0; k < channels; k++) {
        to[k].sum = to[k].magnitude = (exact)sums[k];
    }
}

static value *reference(const window_spec *spec, bool squares)
{
    const satf_view *in = &spec->in;
    satf_summand summand = (satf_summand)((spec->weighted ? SATF_SUMMAND_WEIGHTED : 0) + squares);
    size_t channels = (size_t)in->channels, samples = (size_t)(in->width * in->height) * channels;
    size_t pixel_bytes = channels * satf_type_bytes(in->type);
    value *values = calloc(samples, sizeof *values), *rows = calloc(samples, sizeof *values);
    char constant[SATF_MAX_CHANNELS * sizeof(double)];
    for (size_t k = 0; k < channels; k++) {
        put_sample(constant + k * satf_type_bytes(in->type), in->type,
                   spec->border == SATF_CONSTANT ? spec->constant : 0);
    }
    value outside[SATF_MAX_CHANNELS], outside_row[SATF_MAX_CHANNELS];
    value_of(outside, (satf_type)in->type, in->channels, summand, constant);
    for (int64_t y = 0; y < in->height; y++) {
        for (int64_t x = 0; x < in->width; x++) {
            value_of(&values[(size_t)(y * in->width + x) * channels], (satf_type)in->type,
                     in->channels, summand, (char *)satf_row(in, y) + (size_t)x * pixel_bytes);
        }
    }
    for (size_t k = 0; k < channels; k++) {
        outside_row[k] = (value){outside[k].sum * spec->w, outside[k].magnitude * spec->w};
        for (int64_t y = 0; y < in->height; y++) {
            size_t first = (size_t)(y * in->width) * channels + k;
            slide(values + first, rows + first, in->width, channels, spec->w, (int)spec->border,
                  &outside[k]);
        }
        for (int64_t x = 0; x < in->width; x++) {
            size_t first = (size_t)x * channels + k;
            slide(rows + first, values + first, in->height, (size_t)in->width * channels, spec->h,
                  (int)spec->border, &outside_row[k]);
        }
    }
    free(rows);
    return values;
}

static int64_t inside(int64_t at, int64_t n, int64_t window)
{
    int64_t count = 0;
    for (int64_t i = at - window / 2; i < at - window / 2 + window; i++) {
        count += i >= 0 && i < n;
    }
    return count;
}

/* ------------------------------------------------------------------- one case */

typedef struct test_case {
    satf_type type;
    int channels;
    int64_t width, height, w, h;
    satf_border border;
    bool weighted, squares;
    unsigned seed;
    bool shifts; /* sums are of what lies above a sample of the window */
} test_case;

typedef struct variant {
    int threads;
    satf_isa isa;
    enum layout layout;
    bool streaming;
} variant;

static inline void fail_case(const test_case *t, const variant *v, const char *what, int64_t sample)
{
    int64_t pixel = sample / t->channels;
    fail_msg("%s: %s, %lld x %lld pixels of %d channels, window %lld x %lld, border %s, weighted "
             "%d, squares %d, seed %u, %d threads, %s, layout %d, streaming %d: first at x %lld y "
             "%lld channel %d",
             what, satf_type_name((int)t->type), (long long)t->width, (long long)t->height,
             t->channels, (long long)t->w, (long long)t->h, satf_border_name((int)t->border),
             t->weighted, t->squares, t->seed, v->threads, satf_isa_name(v->isa), (int)v->layout,
             v->streaming, (long long)(pixel % t->width), (long long)(pixel / t->width),
             (int)(sample % t->channels));
}

static inline satf_context *context_of(const variant *v)
{
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(satf_context_set_threads(ctx, v->threads), SATF_OK);
    satf_cpu_limit(v->isa);
    return ctx;
}

static inline window_spec spec_of(const test_case *t, const satf_view *view)
{
    return (window_spec){.in = *view,
                         .w = t->w,
                         .h = t->h,
                         .border = t->border,
                         .constant = t->seed % 3 == 0 && t->type == SATF_U8 ? 255 : 37,
                         .weighted = t->weighted,
                         .squares = t->squares,
                         .shifts = t->shifts};
}

static inline size_t bytes_of(satf_context *ctx, const window_spec *spec)
{
    window_plan plan;
    assert_int_equal(window_plan_make(ctx, spec, &plan), SATF_OK);
    return plan.shared_bytes + plan.band_bytes;
}

/* Runs the case and checks what can be checked without the sums' values. */
static inline void run_variant(const test_case *t, const variant *v, const picture *p, results *r)
{
    window_spec spec = spec_of(t, &p->view);
    satf_context *ctx = context_of(v);
    source s = {.view = &p->view, .newest = -1, .kept = window_rows_kept(&spec), .fails_at = -1};
    window_rows_wrapped(&spec, &s.end, &s.start);
    if (v->streaming) {
        s.rows = calloc((size_t)t->height, sizeof *s.rows);
        spec.in.data = NULL;
        spec.row = source_row;
        spec.row_user = &s;
    }
    results_create(r, &p->view);
    r->streaming = v->streaming;
    satf_status status = run_once(ctx, &spec, collect, r);
    if (status) {
        fail_case(t, v, satf_message(ctx), 0);
    }
    for (int64_t y = 0; y < t->height; y++) {
        if (r->next_x[y] != t->width) {
            fail_case(t, v, "a row is incomplete", y * t->width * t->channels);
        }
        for (int64_t x = 0; x < t->width && t->border != SATF_SHRINK; x++) {
            if (r->areas[y * t->width + x] != (uint64_t)(t->w * t->h)) {
                fail_case(t, v, "a wrong area", (y * t->width + x) * t->channels);
            }
        }
    }
    if (r->defects || s.defects) {
        fail_case(t, v, r->defects ? "a segment breaks the contract" : "a row asked for too late",
                  0);
    }
    if (v->streaming) {
        for (int64_t y = 0; y < t->height; y++) {
            free(s.rows[y]);
        }
        free(s.rows);
    }
    satf_context_destroy(ctx);
}

static inline void check_same(const test_case *t, const variant *v, const results *a,
                              const results *b)
{
    int64_t samples = t->width * t->height * t->channels;
    for (int plane = 0; plane < 2; plane++) {
        for (int64_t i = 0; i < samples; i++) {
            if (memcmp(&a->reals[plane][i], &b->reals[plane][i], sizeof(double)) != 0 ||
                a->integers[plane][i] != b->integers[plane][i] || a->shifts[i] != b->shifts[i]) {
                fail_case(t, v, "differs from one thread's base kernels", i);
            }
        }
    }
}

#endif
