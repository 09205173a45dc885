/* Filters on rows that a program pushes and pulls. */
#include <inttypes.h>
#include <unistd.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../formula/pixels.h"
#include "../plan/plan.h"
#include "../plan/views.h"
#include "flow.h"

/* The caller fills the first ring and empties the last, and is no stage that runs. What stops the
 * flow on the caller's behalf is put down to stage 0. */
struct satf_rows {
    flow flow;
    satf_view in, out; /* of the caller's, but for data, stride and height */
    double reported;   /* the latest progress */
    pid_t process;     /* the one that has the threads */
};

/* Why the filter that reads the ring takes no rows, a clause; NULL: it does. */
static const char *rows_refusal(const filter_rows_need *need, bool any_height)
{
    return need->refusal   ? need->refusal
           : need->end > 0 ? "needs the last rows of the picture first, for border wrap"
           : need->start > 0 && any_height ? "needs to know the picture's height, for border wrap"
           : need->height && any_height    ? "needs to know the picture's height"
                                           : NULL;
}

/* Notes what runs, as for a filter that is applied. */
static void note_engine(satf_context *ctx, const satf_plan *last)
{
    satf_used used;
    satf_plan_info all;
    satf_plan_describe(last, &all, sizeof all);
    satf_plan_step(last, all.steps - 1, &used, sizeof used);
    ctx->report_engine = used.engine;
    ctx->report_algorithm = used.algorithm;
    ctx->report_device = used.device;
}

/* The strips, until all have their memory and want rows. */
static satf_status rows_start(flow *f)
{
    satf_status status = SATF_OK;
    for (int i = 1; i <= f->strips && !status; i++) {
        status = flow_start(&f->stages[i], flow_run_strip);
        if (status) {
            flow_stop(&f->stages[0], status);
        }
    }
    return !status && flow_settle(f, &f->rings[0].freed, INT64_MAX) < 0 ? flow_failure(f) : status;
}

static satf_status open_rows(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *out, bool any_height, satf_rows *rows)
{
    flow *f = &rows->flow;
    rows->in = *in;
    rows->out = *out;
    satf_view from = satf_view_packed(NULL, in->width, in->height, in->channels, in->type);
    satf_view to = satf_view_packed(NULL, out->width, out->height, out->channels, out->type);
    from.flags = in->flags;
    from.full = in->full;
    to.flags = out->flags;
    to.full = out->full;
    size_t bytes;
    satf_status status = flow_plan(ctx, filter, &from, NULL, &to, f, &bytes);
    for (int i = 0; i < f->segments && !status; i++) {
        const char *why = rows_refusal(&f->rings[i].need, any_height);
        if (why) {
            return satf_fail(ctx, SATF_UNSUPPORTED, "cannot go by rows: %s %s",
                             filter_at(filter, f->rings[i].link + f->rings[i].need.link)->name,
                             why);
        }
    }
    status = status ? status : flow_make(f, bytes, satf_thread_count(ctx));
    f->any_height = any_height;
    status = status ? status : rows_start(f);
    if (!status) {
        note_engine(ctx, f->stages[f->strips].plan);
    }
    return status;
}

static satf_status make_rows(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *out, bool any_height, satf_rows **rows)
{
    if (rows) {
        *rows = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!rows) {
        return satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    satf_status status = filter_check_views(ctx, filter, in, out, false);
    status = status ? status : satf_filter_check_engine(ctx, filter);
    if (!status && in->device != SATF_HOST) {
        status = satf_fail(ctx, SATF_INVALID, "rows are pushed and pulled in memory of the host");
    }
    if (status) {
        return status;
    }
    satf_rows *made = satf_alloc_zeroed(sizeof *made);
    if (!made) {
        return satf_fail_memory(ctx, sizeof *made, "rows");
    }
    made->process = getpid();
    made->reported = -1;
    satf_progress_begin(ctx); /* the call before may have been cancelled */
    status = open_rows(ctx, filter, in, out, any_height, made);
    if (status) {
        satf_rows_close(made);
        return status;
    }
    *rows = made;
    return SATF_OK;
}

satf_status satf_rows_open(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, satf_rows **rows)
{
    return make_rows(ctx, filter, in, out, false, rows);
}

satf_status satf_rows_open_any_height(satf_context *ctx, const satf_filter *filter,
                                      const satf_view *in, const satf_view *out, satf_rows **rows)
{
    return make_rows(ctx, filter, in, out, true, rows);
}

/* Whether this process may go on with them. */
static satf_status check_process(satf_rows *rows)
{
    return rows->process == getpid()
               ? SATF_OK
               : satf_fail(rows->flow.ctx, SATF_INVALID,
                           "the rows were opened by the process before fork()");
}

static void stop(flow *f)
{
    flow_stop(&f->stages[0], SATF_CANCELLED);
    flow_join(&f->stages[0]);
}

satf_status satf_rows_reset(satf_rows *rows)
{
    if (!rows) {
        return SATF_INVALID;
    }
    satf_status status = check_process(rows);
    if (!status) {
        stop(&rows->flow);
        flow_rewind(&rows->flow);
        rows->reported = -1;
        satf_progress_begin(rows->flow.ctx);
        status = rows_start(&rows->flow);
    }
    return status;
}

void satf_rows_close(satf_rows *rows)
{
    if (!rows) {
        return;
    }
    flow *f = &rows->flow;
    if (rows->process != getpid()) {
        f->begun = false; /* fork() copied a lock that may be held, and no thread to wait for */
    } else if (f->begun) {
        stop(f);
    }
    flow_free(f);
    satf_free(rows);
}

/* ------------------------------------------------------------------ pushing, pulling */

/* Whether a call can move up to view->height rows between that view and the flow. */
static satf_status rows_check(satf_rows *rows, const satf_view *view, const char *what,
                              int64_t *moved)
{
    satf_context *ctx = rows->flow.ctx;
    if (!moved) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the number of rows");
    }
    *moved = 0;
    satf_status status = check_process(rows);
    return status || view->height == 0 ? status : satf_check_view(ctx, view, what, true);
}

/* A view of `count` rows of the view, from y on. */
static satf_view rows_ready(const satf_view *view, int64_t y, int64_t count)
{
    satf_view part = *view;
    part.data = satf_row(view, y);
    part.height = count;
    return part;
}

/* Rows of the ring from y on that lie in one piece, at most a band. */
static satf_view rows_in(const flow_ring *r, int64_t y, int64_t most)
{
    satf_view part = r->view;
    part.data = flow_row(r, y);
    part.height = least(least(most, r->band_rows), r->capacity - y % r->capacity);
    return part;
}

/* Goes on with the progress, for other calls may have been in between. */
static void rows_begin(satf_rows *rows)
{
    satf_progress_begin(rows->flow.ctx);
    rows->flow.ctx->reported = rows->reported;
}

/* Reports how far all is, unless the call has failed. */
static satf_status end(satf_rows *rows, satf_status status)
{
    flow *f = &rows->flow;
    const flow_ring *first = &f->rings[0], *last = &f->rings[f->segments];
    double pushed = (double)first->made / (double)first->rows;
    double pulled = (double)last->freed / (double)last->rows;
    status = status ? status : satf_report_progress(f->ctx, (pushed + pulled) / 2);
    rows->reported = f->ctx->reported;
    if (status == SATF_CANCELLED) {
        flow_stop(&f->stages[0], status);
    }
    return status;
}

satf_status satf_rows_push(satf_rows *rows, const void *data, int64_t stride, int64_t count,
                           int64_t *taken)
{
    if (!rows) {
        return SATF_INVALID;
    }
    flow *f = &rows->flow;
    flow_ring *to = &f->rings[0];
    satf_view from = rows->in;
    from.data = (void *)(uintptr_t)data;
    from.stride = stride;
    from.height = count;
    satf_status status = rows_check(rows, &from, "pushed", taken);
    rows_begin(rows);
    int64_t left = to->rows - to->made;
    if (!status && count > left) {
        status = satf_fail(f->ctx, SATF_INVALID,
                           "%" PRId64 " rows are pushed; %" PRId64 " of the picture are left",
                           count, left);
    }
    int64_t done = 0;
    for (int64_t n = 1; done < count && n > 0 && !status; done += n) {
        int64_t freed = flow_settle(f, &to->freed, to->made + 1 - to->capacity);
        if (freed < 0) {
            return flow_failure(f);
        }
        n = least(freed + to->capacity - to->made, count - done);
        if (n > 0) {
            satf_view part = rows_in(to, to->made, n), those = rows_ready(&from, done, part.height);
            n = part.height;
            status = filter_copy_pixels(f->ctx, &those, &part);
            flow_advance(f, &to->made, to->made + n);
            status = status ? status : satf_tick(f->ctx);
        }
    }
    status = end(rows, status);
    if (!status) {
        *taken = done;
    }
    return status;
}

satf_status satf_rows_pull(satf_rows *rows, void *data, int64_t stride, int64_t count,
                           int64_t *given)
{
    if (!rows) {
        return SATF_INVALID;
    }
    flow *f = &rows->flow;
    flow_ring *from = &f->rings[f->segments];
    satf_view to = rows->out;
    to.data = data;
    to.stride = stride;
    to.height = least(count, from->rows - from->freed);
    satf_status status = rows_check(rows, &to, "pulled", given);
    rows_begin(rows);
    int64_t done = 0;
    for (int64_t n = 1; done < to.height && n > 0 && !status; done += n) {
        satf_view part = rows_in(from, from->freed, to.height - done);
        int64_t made = flow_settle(f, &from->made, from->freed + part.height);
        if (made < 0) {
            return flow_failure(f);
        }
        n = part.height = least(part.height, made - from->freed);
        if (n > 0) {
            satf_view those = rows_ready(&to, done, n);
            status = filter_copy_pixels(f->ctx, &part, &those);
            flow_advance(f, &from->freed, from->freed + n);
            status = status ? status : satf_tick(f->ctx);
        }
    }
    status = end(rows, status);
    if (!status) {
        *given = done;
    }
    return status;
}

/* ------------------------------------------------------------------------ the end */

/* Rows of each ring, of a picture of rows[0]. */
static satf_status rows_of_all(const flow *f, int64_t *rows)
{
    satf_status status = SATF_OK;
    for (int i = 0; i < f->segments && !status; i++) {
        satf_view in = f->rings[i].view, out;
        in.height = rows[i];
        status = satf_filter_output(f->ctx, f->stages[f->rings[i].first].plan->chain, &in, &out);
        rows[i + 1] = status ? 0 : out.height;
    }
    return status;
}

static satf_status rows_finish(flow *f, int64_t *height)
{
    const flow_ring *first = &f->rings[0];
    int64_t *rows = f->heights;
    if (first->made == 0 || (!f->any_height && first->made < first->rows)) {
        return satf_fail(f->ctx, SATF_INVALID,
                         "the picture cannot end: %" PRId64 " rows of it have been pushed",
                         first->made);
    }
    rows[0] = first->made;
    satf_status status = rows_of_all(f, rows);
    if (!status) {
        flow_end_rows(f);
        *height = rows[f->segments];
    }
    return status;
}

satf_status satf_rows_finish(satf_rows *rows, int64_t *height)
{
    int64_t result = 0;
    if (height) {
        *height = 0;
    }
    if (!rows) {
        return SATF_INVALID;
    }
    flow *f = &rows->flow;
    satf_status status = check_process(rows);
    rows_begin(rows);
    if (!status && flow_settle(f, &f->rings[0].made, 0) < 0) {
        return flow_failure(f);
    }
    status = end(rows, status ? status : rows_finish(f, &result));
    if (height && !status) {
        *height = result;
    }
    return status;
}
