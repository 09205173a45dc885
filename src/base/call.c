/* What all parts of a call share: its memory, its progress, its end on request. */
#include <errno.h>
#include <math.h>

#include "clock.h"
#include "context.h"
#include "memory.h"
#include "stop.h"

/* Memory beyond the limit, for buffers of files and codecs and for the context's state: these are
 * small, and are not to fail a picture that just fits. */
static const size_t small_bytes = (size_t)4 << 20;

struct satf_budget *satf_memory_begin(satf_context *ctx)
{
    satf_budget *before = satf_budget_use(ctx->budget);
    if (before != ctx->budget) {
        satf_budget_set(ctx->budget, (size_t)ctx->settings.max_bytes + small_bytes);
    }
    return before;
}

satf_status satf_memory_end(satf_context *ctx, struct satf_budget *before, satf_status status)
{
    satf_budget_use(before);
    bool refused = before != ctx->budget && satf_budget_refused(ctx->budget);
    if (status == SATF_NO_MEMORY && refused) {
        return satf_fail(ctx, SATF_LIMIT,
                         "the call needs more memory than the limit of %lld bytes (limit: "
                         "max-memory)",
                         (long long)ctx->settings.max_bytes);
    }
    return status;
}

void satf_progress_begin(satf_context *ctx)
{
    ctx->part = (satf_progress_part){0, 1};
    ctx->reported = -1;
    ctx->asked_ms = 0;
    ctx->cancelled = false;
}

void satf_progress_none(satf_context *ctx)
{
    satf_progress_begin(ctx);
    ctx->reported = 1; /* the end, after which nobody is asked */
}

satf_progress_part satf_progress_enter(satf_context *ctx, double from, double share)
{
    satf_progress_part whole = ctx->part;
    ctx->part.from = whole.from + whole.share * from;
    ctx->part.share = whole.share * share;
    return whole;
}

void satf_progress_leave(satf_context *ctx, satf_progress_part whole)
{
    ctx->part = whole;
}

static void call_back(satf_context *ctx, double all)
{
    satf_budget *used = satf_budget_use(NULL); /* what the callback does is its own */
    int error = errno;
    ctx->reported = all;
    if (ctx->progress(ctx->progress_user, all < 1 ? all : 1) != 0) {
        __atomic_store_n(&ctx->cancelled, true, __ATOMIC_RELAXED); /* helpers look at it */
    }
    satf_budget_use(used);
    errno = error;
    ctx->asked_ms = satf_now_ms();
}

satf_status satf_fail_cancelled(satf_context *ctx)
{
    return satf_fail(ctx, SATF_CANCELLED, "stopped on request");
}

/* Whether the call is to stop, asked on any thread. */
static bool is_cancelled(const satf_context *ctx)
{
    return __atomic_load_n(&ctx->cancelled, __ATOMIC_RELAXED);
}

satf_status satf_fail_row(satf_context *ctx, int64_t y)
{
    if (is_cancelled(ctx)) {
        return SATF_CANCELLED;
    }
    return ctx->message[0]
               ? SATF_IO
               : satf_fail(ctx, SATF_IO, "row %lld could not be had or stored; see its source",
                           (long long)y);
}

static satf_status cancelled(satf_context *ctx)
{
    if (ctx->stop && atomic_load(&ctx->stop->asked)) {
        __atomic_store_n(&ctx->cancelled, true, __ATOMIC_RELAXED);
    }
    return ctx->cancelled ? satf_fail_cancelled(ctx) : SATF_OK;
}

satf_status satf_report_progress(satf_context *ctx, double done)
{
    double all = ctx->part.from + ctx->part.share * done;
    if (!(all > ctx->reported)) {
        return satf_can_stop(ctx) ? satf_ask_callback(ctx) : cancelled(ctx);
    }
    if (ctx->progress && !ctx->cancelled) {
        call_back(ctx, all);
    }
    return cancelled(ctx);
}

static _Thread_local const satf_context *helped;

void satf_help(const satf_context *ctx)
{
    helped = ctx;
}

satf_status satf_ask_callback(satf_context *ctx)
{
    enum { PAUSE_MS = 4 };
    if (helped == ctx) {
        return is_cancelled(ctx) ? SATF_CANCELLED : SATF_OK;
    }
    bool open = ctx->progress && !ctx->cancelled && ctx->reported < 1;
    if (open && satf_now_ms() - ctx->asked_ms >= PAUSE_MS) {
        int error = errno; /* which says later that a codec got no memory; just above 0 is ERANGE */
        double next = nextafter(ctx->reported, 1);
        errno = error;
        call_back(ctx, next > ctx->part.from ? next : ctx->part.from);
    }
    return cancelled(ctx);
}

satf_status satf_count_work(satf_context *ctx, int64_t samples)
{
    static _Thread_local int64_t
        counted; /* for whichever context: it is only a fraction of a tick */
    counted += samples;
    if (counted < SATF_TICK_SAMPLES) {
        return SATF_OK;
    }
    counted = 0;
    return satf_ask_callback(ctx);
}
