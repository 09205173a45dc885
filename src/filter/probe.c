#include "probe.h"

#include <pthread.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "plan.h"
#include "region.h"

/* The image is several windows high, so that a window's first sums are a small part of the work. */
enum {
    SAMPLES = 1 << 18,
    LEAST_ROWS = 64,
    MOST_ROWS = 4096,
    WINDOWS = 3,
    LEAST_ROW = 256,
    MOST_ROW = 4096,
    RUNS = 2
};

/* What has been found out lately. */
enum { KNOWN = 32 };
typedef struct known {
    const filter_info *info;
    unsigned char options[FILTER_OPTIONS_BYTES];
    int engine, type, channels;
    double ns;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static known found[KNOWN];
static int found_count;

static bool same(const known *a, const known *b)
{
    return a->info == b->info && a->engine == b->engine && a->type == b->type &&
           a->channels == b->channels && memcmp(a->options, b->options, sizeof a->options) == 0;
}

/* Rows of the input that one of the result depends on. */
static int64_t window_rows(satf_context *ctx, const satf_filter *one, const satf_view *in)
{
    satf_view out;
    satf_rect where, crop, part;
    if (satf_filter_output(ctx, one, in, &out)) {
        return 1;
    }
    where = (satf_rect){0, out.height / 2, out.width, 1};
    return filter_find_region(ctx, one, in, &where, &crop, &part) ? 1 : crop.h;
}

static satf_view shape(satf_context *ctx, const satf_filter *one, const satf_view *in)
{
    int64_t rows = window_rows(ctx, one, in) * WINDOWS;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    int64_t row = SAMPLES / rows;
    row = row < LEAST_ROW ? LEAST_ROW : row > MOST_ROW ? MOST_ROW : row;
    satf_view view =
        satf_view_packed(NULL, row / in->channels + 1, rows, in->channels, (satf_type)in->type);
    view.flags = in->flags;
    return view;
}

static void fill(const satf_view *view, void *memory)
{
    size_t bytes = (size_t)(view->stride * view->height);
    uint32_t random = 1;
    if (satf_type_is_float((int)view->type)) { /* any bits might be no number */
        float *to = memory;
        double *wide = memory;
        for (size_t i = 0; i < bytes / satf_type_bytes(view->type); i++) {
            random = random * 1664525 + 1013904223;
            float value = (float)(random >> 8) / (1 << 24);
            if (view->type == SATF_F64) {
                wide[i] = value;
            } else {
                to[i] = value;
            }
        }
        return;
    }
    unsigned char *to = memory;
    for (size_t i = 0; i < bytes; i++) {
        random = random * 1664525 + 1013904223;
        to[i] = (unsigned char)(random >> 24);
    }
}

/* The least time of the plan's runs, in ms; below 0 on failure. */
static double time_runs(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    double least = -1;
    satf_status status = filter_plan_attach(ctx, plan, NULL);
    for (int run = 0; run < RUNS && !status; run++) {
        double start_ms = satf_now_ms();
        status = filter_plan_run(ctx, plan, images);
        double ms = satf_now_ms() - start_ms;
        least = least < 0 || ms < least ? ms : least;
    }
    return status ? -1 : least;
}

/* By a context of one thread. */
static double measure(satf_context *ctx, const satf_filter *one, const satf_view *like)
{
    satf_view in = shape(ctx, one, like), out;
    satf_plan *plan;
    double ms = -1;
    if (satf_filter_output(ctx, one, &in, &out)) {
        return -1;
    }
    filter_call call = filter_whole_call(ctx, one, &in, &out);
    void *from = satf_alloc((size_t)(in.stride * in.height));
    void *to = satf_alloc((size_t)(out.stride * out.height));
    if (from && to && !filter_plan_make(ctx, &call, SATF_HOST, FILTER_CALL, &plan)) {
        fill(&in, from);
        ms = time_runs(ctx, plan, &(plan_images){from, NULL, to});
        filter_plan_free(ctx, plan);
    }
    satf_free(from);
    satf_free(to);
    return ms * 1e6 / ((double)satf_row_samples(&in) * (double)in.height);
}

static double run_probe(const satf_context *ctx, const chain_link *link, const satf_view *in)
{
    satf_filter one = {.count = 1, .links = (chain_link *)(uintptr_t)link};
    satf_context *alone;
    if (satf_context_create_like(ctx, &alone)) {
        return -1;
    }
    satf_context_set_threads(alone, 1);
    alone->settings.device = SATF_HOST;
    double ns = measure(alone, &one, in);
    satf_context_destroy(alone);
    return ns;
}

/* The probe runs with the lock held: others that want to know the same wait for it. */
double filter_probe_ns(const satf_context *ctx, const chain_link *link, const satf_view *in)
{
    known wanted = {.info = link->info,
                    .engine = (int)ctx->settings.engine,
                    .type = in->type,
                    .channels = (int)in->channels};
    memcpy(wanted.options, link->options, sizeof wanted.options);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KNOWN && i < found_count; i++) {
        if (same(&found[i], &wanted)) {
            double ns = found[i].ns;
            pthread_mutex_unlock(&lock);
            return ns;
        }
    }
    wanted.ns = run_probe(ctx, link, in);
    found[found_count % KNOWN] = wanted;
    found_count++;
    pthread_mutex_unlock(&lock);
    return wanted.ns;
}
