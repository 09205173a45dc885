#include "probe.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "plan.h"
#include "../chain/region.h"

/*
 * Two images, one twice as high as the other: what the second takes more is that of its rows,
 * without the first sums of a window, which may be higher than either. Both are several windows
 * wide.
 */
enum { ROWS = 64, LEAST_ROW = 4096, WINDOWS = 3, RUNS = 2 };

/* What has been found out lately. */
enum { KNOWN = 64, MOST_WAIT_S = 2 };
typedef struct known {
    const filter_info *info;
    unsigned char options[FILTER_OPTIONS_BYTES];
    int engine, type, channels;
    uint32_t flags;
    double ns;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static known found[KNOWN];
static int found_count;

static bool same(const known *a, const known *b)
{
    return a->info == b->info && a->engine == b->engine && a->type == b->type &&
           a->channels == b->channels && a->flags == b->flags &&
           memcmp(a->options, b->options, sizeof a->options) == 0;
}

/* Columns of the input that one of the result depends on. */
static int64_t window_columns(satf_context *ctx, const satf_filter *one, const satf_view *in)
{
    satf_view out;
    satf_rect where, crop, part;
    if (satf_filter_output(ctx, one, in, &out)) {
        return 1;
    }
    where = (satf_rect){out.width / 2, 0, 1, out.height};
    return filter_find_region(ctx, one, in, &where, &crop, &part) ? 1 : crop.w;
}

static satf_view shape(satf_context *ctx, const satf_filter *one, const satf_view *in, int64_t rows)
{
    int64_t least = LEAST_ROW / in->channels, width = window_columns(ctx, one, in) * WINDOWS;
    width = width > least ? width : least;
    width = width < in->width ? width : in->width;
    satf_view view = satf_view_packed(NULL, width, rows, in->channels, (satf_type)in->type);
    view.flags = in->flags;
    view.full = in->full;
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

/* In ms, by a context of one thread; below 0 on failure. */
static double measure(satf_context *ctx, const satf_filter *one, const satf_view *shape)
{
    satf_view in = *shape, out;
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
        ms = time_runs(ctx, plan, &(plan_images){.in = from, .out = to});
        filter_plan_free(ctx, plan);
    }
    satf_free(from);
    satf_free(to);
    return ms;
}

/* Border valid takes as long as clamp, and the images may be lower than the window. */
static void keep_size(chain_link *link)
{
    const filter_param *param = filter_param_of_kind(link->info, PARAM_BORDER);
    filter_border *border = param ? param_value(param, link->options) : NULL;
    if (border && border->kind == SATF_VALID) {
        border->kind = SATF_CLAMP;
    }
}

static double run_probe(const satf_context *ctx, const chain_link *link, const satf_view *in)
{
    chain_link alike = *link;
    satf_filter one = {.count = 1, .links = &alike};
    keep_size(&alike);
    satf_context *alone;
    if (satf_context_create_like(ctx, &alone)) {
        return -1;
    }
    satf_context_set_threads(alone, 1);
    alone->settings.device = SATF_HOST;
    satf_view low = shape(alone, &one, in, ROWS), high = shape(alone, &one, in, 2 * (int64_t)ROWS);
    double low_ms = measure(alone, &one, &low), high_ms = measure(alone, &one, &high);
    satf_context_destroy(alone);
    double samples = (double)satf_row_samples(&low) * ROWS;
    double ms = high_ms > low_ms ? high_ms - low_ms : high_ms / 2;
    return low_ms < 0 || high_ms < 0 ? -1 : ms * 1e6 / samples;
}

/* With the lock held. */
static double find_ns(const satf_context *ctx, const chain_link *link, const satf_view *in,
                      known *wanted)
{
    for (int i = 0; i < KNOWN && i < found_count; i++) {
        if (same(&found[i], wanted)) {
            return found[i].ns;
        }
    }
    wanted->ns = run_probe(ctx, link, in);
    if (wanted->ns >= 0) {
        found[found_count % KNOWN] = *wanted;
        found_count++;
    }
    return wanted->ns;
}

/* The probe runs with the lock held: others that want to know the same wait for it, but not for
 * ever, for the one who holds it may be of the process before a fork(). */
double filter_probe_ns(const satf_context *ctx, const chain_link *link, const satf_view *in)
{
    known wanted = {.info = link->info,
                    .engine = (int)filter_wanted_engine(ctx),
                    .type = in->type,
                    .channels = (int)in->channels,
                    .flags = in->flags};
    struct timespec until;
    memcpy(wanted.options, link->options, sizeof wanted.options);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOST_WAIT_S;
    if (pthread_mutex_timedlock(&lock, &until)) {
        return -1;
    }
    double ns = find_ns(ctx, link, in, &wanted);
    pthread_mutex_unlock(&lock);
    return ns;
}
