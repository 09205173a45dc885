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
#include "model.h"
#include "sums/march/march.h"

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
            put_at(&p.view, y, i, random_sample((int)type, seed));
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
    window_march march = {.ctx = all->ctx,
                          .plan = plan,
                          .source = spec->in.data,
                          .sink = all->sink,
                          .user = all->user,
                          .shared = all->memory,
                          .memory =
                              all->memory + plan->shared_bytes + (size_t)task * plan->march_bytes,
                          .y = task * height / all->count,
                          .end = (task + 1) * height / all->count};
    (void)thread;
    satf_status status = window_march_begin(&march);
    while (!status && window_next(&march)) {
    }
    if (march.stop) {
        atomic_store(&all->status, (int)march.stop);
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
    all.memory = satf_alloc(plan.shared_bytes + (size_t)all.count * plan.march_bytes);
    assert_non_null(all.memory);
    window_prepare(&plan, all.memory);
    satf_parallel(ctx, all.count, march_down, &all);
    satf_free(all.memory);
    return (satf_status)atomic_load(&all.status);
}

/* ------------------------------------------------------------------- reference */

/* Floats are multiples of FLOAT_STEP, and their sums here in units of the third power of that. */
#define FLOAT_STEP 0x1p-12
#define FLOAT_UNITS 0x1p36

/* The sums of all windows; or those of the summands' magnitudes. */
static model_sums sums_of(const window_spec *spec, bool magnitudes)
{
    const satf_view *in = &spec->in;
    bool real = satf_type_is_float((int)in->type);
    double step = real ? FLOAT_STEP : 1;
    int64_t n = satf_row_samples(in), last = in->channels - 1;
    ref_image image = {in->width, in->height, in->channels, in->type, spec->weighted, NULL};
    image.samples = malloc((size_t)ref_count(&image) * sizeof *image.samples);
    for (int64_t i = 0; i < ref_count(&image); i++) {
        int64_t sample = (int64_t)(sample_at(in, i / n, i % n) / step);
        image.samples[i] = magnitudes ? llabs(sample) : sample;
    }
    model_sums sums = model_sum(&image, (int)spec->border, (int64_t)(spec->constant / step),
                                (satf_rect){-(spec->w / 2), -(spec->h / 2), spec->w, spec->h});
    for (int64_t i = 0; i < ref_count(&image) && real; i++) {
        bool weighted = spec->weighted && i % in->channels != last;
        bool squared = !spec->weighted || weighted;
        sums.sums[i] *= (ref_wide)1 << (weighted ? 12 : 24);
        sums.squares[i] *= (ref_wide)1 << (weighted ? 0 : squared ? 12 : 24);
    }
    free(image.samples);
    return sums;
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
    return plan.shared_bytes + plan.march_bytes;
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
        spec.in.data = &s; /* the march's source */
        spec.row = source_row;
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
        for (int64_t x = 0; x < t->width && t->border != SATF_BORDER_SHRINK; x++) {
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
