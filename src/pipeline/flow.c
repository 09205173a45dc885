/* The threads of a flow, and the rings between them. */
#include "flow.h"

#include <string.h>
#include <time.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/share.h"
#include "../base/view.h"
#include "../chain/region.h"
#include "../plan/plan.h"

/* Bands in a ring beyond the rows that its reader looks back on: one being filled, one being read,
 * and slack. */
enum { BANDS = 3, LAST_BANDS = 4 };

void *flow_row(const flow_ring *r, int64_t y)
{
    return r->data + y % r->capacity * r->view.stride;
}

char *flow_end_row(const flow_ring *r, int64_t y)
{
    int64_t end = r->view.height - r->need.end;
    int64_t i = y < r->need.start ? y : y >= end ? y - end + r->need.start : -1;
    return i < 0 ? NULL : r->ends + i * r->view.stride;
}

/* ----------------------------------------------------------------- tokens and waits */

/* With the lock held: whether another stage may work. The first works with the token of the call,
 * others where nobody else needs the thread. */
static bool may_work(const flow *f)
{
    return f->working == 0 || (f->working < f->allowed && satf_share_acquire(f->ctx, 1) == 1);
}

/* With the lock held: the stage has ended. */
static void leave(flow_stage *t, satf_status status)
{
    flow *f = t->flow;
    t->status = t->status ? t->status : status;
    t->ended = true;
    if (status && f->failed < 0) {
        f->failed = t->number;
        atomic_store(&f->stop.asked, true);
    }
    pthread_cond_broadcast(&f->moved);
}

/* With the lock held: waits for a change. On the thread of the call the callback is asked in
 * between: when it cancels, the flow stops because of the stage. */
static void wait_for_change(flow_stage *t)
{
    enum { PAUSE_NS = 5000000, SECOND_NS = 1000000000 };
    flow *f = t->flow;
    if (t->ctx != f->ctx || !satf_can_stop(f->ctx) || f->failed >= 0) {
        pthread_cond_wait(&f->moved, &f->lock);
        return;
    }
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += end.tv_nsec + PAUSE_NS >= SECOND_NS;
    end.tv_nsec = (end.tv_nsec + PAUSE_NS) % SECOND_NS;
    pthread_cond_timedwait(&f->moved, &f->lock, &end);
    pthread_mutex_unlock(&f->lock);
    satf_status status = satf_tick(f->ctx);
    pthread_mutex_lock(&f->lock);
    if (status) {
        leave(t, status);
    }
}

/* With the lock held: waits for a token to work. */
static void flow_take_turn(flow_stage *t)
{
    flow *f = t->flow;
    while (!may_work(f)) {
        wait_for_change(t);
    }
    f->working++;
}

/* With the lock held. */
static void give_turn(flow *f)
{
    f->working--;
    satf_share_release(f->ctx, f->working > 0 ? 1 : 0);
}

void flow_begin(flow_stage *t)
{
    flow *f = t->flow;
    satf_budget_use(f->budget);
    pthread_mutex_lock(&f->lock);
    flow_take_turn(t);
    pthread_mutex_unlock(&f->lock);
    t->busy_ms = -satf_now_ms();
}

void flow_end(flow_stage *t, satf_status status)
{
    flow *f = t->flow;
    t->busy_ms += satf_now_ms() - t->waited_ms;
    pthread_mutex_lock(&f->lock);
    give_turn(f);
    leave(t, status);
    pthread_mutex_unlock(&f->lock);
}

void flow_stop(flow_stage *t, satf_status status)
{
    flow *f = t->flow;
    pthread_mutex_lock(&f->lock);
    leave(t, status);
    pthread_mutex_unlock(&f->lock);
}

void flow_advance(flow *f, int64_t *counter, int64_t to)
{
    pthread_mutex_lock(&f->lock);
    *counter = to;
    pthread_cond_broadcast(&f->moved);
    pthread_mutex_unlock(&f->lock);
}

/* With the lock held: a filter tells of rows once in a band, and whenever it waits. */
static void flow_tell(flow_stage *t)
{
    if (t->reached > 0) {
        flow_ring *to = &t->flow->rings[t->number];
        to->made = to->made < t->reached ? t->reached : to->made;
    }
}

/* With the lock held: whether what the stage awaits has not come about. */
static bool waits(const flow_stage *t)
{
    return t->awaited && *t->awaited < t->wanted && !(t->most && *t->most < t->wanted);
}

/* Waits until *counter is at least `wanted`, or *most (unless NULL) less; false if a stage has
 * failed. */
static bool await(flow_stage *t, const int64_t *counter, int64_t wanted, const int64_t *most)
{
    flow *f = t->flow;
    pthread_mutex_lock(&f->lock);
    t->wanted = wanted;
    t->awaited = counter;
    t->most = most;
    if (f->failed < 0 && waits(t)) {
        double start_ms = satf_now_ms();
        flow_tell(t);
        give_turn(f);
        pthread_cond_broadcast(&f->moved);
        while (f->failed < 0 && waits(t)) {
            wait_for_change(t);
        }
        flow_take_turn(t);
        t->waited_ms += satf_now_ms() - start_ms;
    }
    t->awaited = NULL;
    bool good = f->failed < 0;
    pthread_mutex_unlock(&f->lock);
    return good;
}

bool flow_await(flow_stage *t, const int64_t *counter, int64_t wanted)
{
    return await(t, counter, wanted, NULL);
}

/* Waits for row y of the ring that the stage reads; false also if there is none. */
static bool await_row(flow_stage *t, const flow_ring *from, int64_t y)
{
    return await(t, &from->made, y + 1, &from->rows) && y < flow_rows(from);
}

bool flow_await_room(flow_stage *t, const flow_ring *r, int64_t end)
{
    return flow_await(t, &r->freed, end - r->capacity) &&
           (!r->passes || flow_await(t, &r->passed, end - r->capacity));
}

/* With the lock held: whether all filters wait for what none of them can bring about. */
static bool at_rest(const flow *f)
{
    bool rest = true;
    for (int i = 1; i <= f->filters; i++) {
        const flow_stage *t = &f->stages[i];
        rest = rest && (t->ended || waits(t));
    }
    return rest;
}

int64_t flow_settle(flow *f, const int64_t *counter, int64_t wanted)
{
    pthread_mutex_lock(&f->lock);
    while (f->failed < 0 && *counter < wanted && !at_rest(f)) {
        wait_for_change(&f->stages[0]);
    }
    int64_t reached = f->failed < 0 ? *counter : -1;
    pthread_mutex_unlock(&f->lock);
    return reached;
}

/* ---------------------------------------------------------------------- filters */

/* The filter asks for row y of its input. Rows of the end are there already; those of the start
 * are kept as they come by. */
static const void *input_row(void *user, int64_t y)
{
    flow_stage *t = user;
    flow_ring *from = &t->flow->rings[t->number - 1];
    const char *kept = flow_end_row(from, y);
    if (kept && y >= from->need.start) {
        return kept;
    }
    if (y > t->highest) {
        /* The writer is told once in a band. */
        int64_t unneeded = from->first_row + y - from->need.kept + 1;
        if (unneeded >= from->freed + from->band_rows) {
            flow_advance(t->flow, &from->freed, unneeded);
        }
        if (!await_row(t, from, from->first_row + y)) {
            return NULL;
        }
        for (int64_t next = t->highest + 1; next <= y && next < from->need.start; next++) {
            memcpy(flow_end_row(from, next), flow_row(from, next), (size_t)from->view.stride);
        }
        t->highest = y;
    }
    return kept ? kept : (char *)flow_row(from, from->first_row + y) + from->first_byte;
}

/* The filter is about to make row y of its output: those above are complete. */
static void *output_row(void *user, int64_t y)
{
    flow_stage *t = user;
    flow_ring *to = &t->flow->rings[t->number];
    t->reached = y;
    if (y % to->band_rows == 0) {
        flow_advance(t->flow, &to->made, y);
        if (!flow_await_room(t, to, least(y + to->band_rows, flow_rows(to)))) {
            return NULL;
        }
    }
    return flow_row(to, y);
}

/* Runs the filter on a picture that has fewer rows than its plan takes to be any picture's. */
static satf_status run_low(flow_stage *t, const filter_rows *rows)
{
    const flow_ring *from = &t->flow->rings[t->number - 1], *to = &t->flow->rings[t->number];
    satf_view in = from->view, out = to->view;
    satf_plan *plan;
    in.height = flow_rows(from);
    out.height = flow_rows(to);
    satf_status status = filter_plan_rows(t->ctx, from->plan->chain, 0, from->plan->chain->count,
                                          NULL, &in, &out, &plan);
    if (!status) {
        status = filter_plan_run_rows(t->ctx, plan, rows);
        satf_plan_destroy(plan);
    }
    return status;
}

static satf_status flow_run_by_rows(flow_stage *t)
{
    flow_ring *from = &t->flow->rings[t->number - 1];
    filter_rows rows = {.in = input_row, .out = output_row, .user = t};
    satf_status status = filter_plan_ready(t->ctx, from->plan);
    if (status || !t->flow->any_height) {
        return status ? status : filter_plan_run_rows(t->ctx, from->plan, &rows);
    }
    rows.height = &from->rows;
    if (await_row(t, from, from->need.kept - 1)) {
        return filter_plan_run_rows(t->ctx, from->plan, &rows);
    }
    bool ended = flow_rows(from) < from->need.kept;
    return ended ? run_low(t, &rows) : satf_fail(t->ctx, SATF_CANCELLED, "stopped on request");
}

void *flow_run_filter(void *stage)
{
    flow_stage *t = stage;
    flow *f = t->flow;
    flow_ring *from = &f->rings[t->number - 1], *to = &f->rings[t->number];
    flow_begin(t);
    satf_status status = flow_run_by_rows(t);
    if (!status) {
        flow_advance(f, &to->made, flow_rows(to));
        flow_advance(f, &from->freed, flow_rows(from));
    }
    flow_end(t, status);
    return NULL;
}

void flow_end_rows(flow *f)
{
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i <= f->filters; i++) {
        __atomic_store_n(&f->rings[i].rows, f->heights[i], __ATOMIC_RELEASE);
    }
    pthread_cond_broadcast(&f->moved);
    pthread_mutex_unlock(&f->lock);
}

void flow_rewind(flow *f)
{
    for (int i = 0; i <= f->filters; i++) {
        f->rings[i].made = f->rings[i].freed = f->rings[i].passed = 0;
        f->rings[i].rows = f->rings[i].view.height;
    }
    for (int i = 0; i < f->filters + 2; i++) {
        satf_context *ctx = f->stages[i].ctx;
        f->stages[i] = (flow_stage){.flow = f, .number = i, .ctx = ctx, .highest = -1};
    }
    f->failed = -1;
    atomic_store(&f->stop.asked, false);
}

satf_status flow_start(flow_stage *t, void *(*body)(void *stage))
{
    satf_context *ctx = t->flow->ctx;
    satf_status status = t->ctx == ctx ? satf_context_create_like(ctx, &t->ctx) : SATF_OK;
    if (status) {
        t->ctx = ctx;
        return satf_fail(ctx, status, "out of memory");
    }
    t->ctx->stop = &t->flow->stop;
    t->started = pthread_create(&t->thread, NULL, body, t) == 0;
    if (!t->started) {
        satf_context_destroy(t->ctx);
        t->ctx = ctx;
        return satf_fail(ctx, SATF_NO_MEMORY, "no thread could be started");
    }
    return SATF_OK;
}

/* With the lock held: whether a stage with a thread of its own is at work. */
static bool any_runs(const flow *f)
{
    bool any = false;
    for (int i = 0; i < f->filters + 2; i++) {
        any = any || (f->stages[i].started && !f->stages[i].ended);
    }
    return any;
}

void flow_join(flow_stage *t)
{
    flow *f = t->flow;
    pthread_mutex_lock(&f->lock);
    while (any_runs(f)) {
        wait_for_change(t);
    }
    pthread_mutex_unlock(&f->lock);
    for (int i = 0; i < f->filters + 2; i++) {
        flow_stage *other = &f->stages[i];
        if (other->started) {
            pthread_join(other->thread, NULL);
            other->started = false;
        }
    }
}

satf_status flow_failure(flow *f)
{
    if (f->failed < 0) {
        return SATF_OK;
    }
    const flow_stage *t = &f->stages[f->failed];
    if (t->status == SATF_CANCELLED) {
        return satf_fail(f->ctx, SATF_CANCELLED, "stopped on request");
    }
    return t->ctx == f->ctx ? t->status : satf_fail(f->ctx, t->status, "%s", satf_message(t->ctx));
}

/* ------------------------------------------------------------------ memory */

/* Whether the filter may be a guest, and whether it may share a stage at all: its rows are those of
 * its input. */
static bool is_guest(const chain_link *link)
{
    return filter_is_simple(link->info) && filter_last(link->info)->kernel == KERNEL_SAMPLE;
}

static bool shares(const chain_link *link)
{
    const filter_border *border = chain_value(link, PARAM_BORDER);
    return !(border && border->kind == SATF_BORDER_WRAP) && !filter_trims(link) &&
           !filter_has_zero_edge(link);
}

/* The end of the links from `first` on that are one stage; *host: the one that is no guest. */
static size_t end_of_stage(const satf_filter *chain, size_t first, size_t *host)
{
    bool hosted = !is_guest(&chain->links[first]);
    size_t end = first + 1;
    *host = first;
    for (; shares(&chain->links[first]) && end < chain->count; end++) {
        const chain_link *link = &chain->links[end];
        if (!shares(link) || (hosted && !is_guest(link))) {
            break;
        }
        if (!is_guest(link)) {
            hosted = true;
            *host = end;
        }
    }
    return end;
}

static int count_stages(const satf_filter *chain)
{
    int count = 0;
    for (size_t first = 0, host; first < chain->count; count++) {
        first = end_of_stage(chain, first, &host);
    }
    return count;
}

/* The filters that read ring i, from link *first of the chain on, and the view of the next. */
static satf_status plan_stage(satf_context *ctx, const satf_filter *chain, const satf_view *out,
                              flow *f, int i, size_t *first)
{
    flow_ring *r = &f->rings[i], *next = &f->rings[i + 1];
    size_t end = end_of_stage(chain, *first, &r->link);
    satf_view from = r->view;
    satf_status status = SATF_OK;
    for (size_t k = *first; k < end && end < chain->count && !status; k++) {
        status = filter_output_at(ctx, chain, k, &from, &next->view);
        from = next->view;
    }
    next->view = end < chain->count ? next->view : *out;
    const satf_plan *before = i > 0 ? f->rings[i - 1].plan : NULL;
    status = status ? status
                    : filter_plan_rows(ctx, chain, *first, end - *first, before, &r->view,
                                       &next->view, &r->plan);
    if (!status) {
        r->plan->timed = end - *first > 1;
        r->need = filter_plan_need(r->plan);
    }
    *first = end;
    return status;
}

/* The bytes of a ring, the rows that it keeps for good included. */
static bool ring_bytes(const flow_ring *r, size_t *bytes)
{
    return satf_mul((size_t)(r->capacity + r->need.start + r->need.end), (size_t)r->view.stride,
                    bytes);
}

static satf_status begin_plan(satf_context *ctx, int filters, const satf_view *in, flow *f)
{
    size_t rings = ((size_t)filters + 1) * sizeof *f->rings;
    *f = (flow){.ctx = ctx, .filters = filters, .rings = satf_alloc_zeroed(rings), .failed = -1};
    if (!f->rings) {
        return satf_fail_memory(ctx, rings, "rows on their way");
    }
    f->rings[0].view = *in;
    return SATF_OK;
}

/* The first filter sees that part of what comes. */
static void crop_first(flow_ring *r, const satf_rect *crop)
{
    r->first_row = r->freed = crop->y;
    r->first_byte = crop->x * satf_pixel_bytes(&r->view);
    r->view.width = crop->w;
    r->view.height = crop->h;
    r->passes = true;
}

/* Room for so many rows and what is needed besides. */
static void size_ring(flow_ring *r, int64_t rows, size_t *bytes)
{
    size_t more;
    r->capacity = (rows + r->band_rows - 1) / r->band_rows * r->band_rows;
    if (!ring_bytes(r, &more) || !satf_add(*bytes, more, bytes) ||
        !satf_add(*bytes, r->need.bytes, bytes)) {
        *bytes = SIZE_MAX; /* and no sum is less from here on */
    }
}

/*
 * Rows that are in the filters: the last stage, a band behind the last of them, has not passed
 * those yet when the first filter wants the next.
 */
static int64_t rows_within(const flow *f)
{
    int64_t rows = f->rings[f->filters].band_rows;
    for (int i = 0; i < f->filters; i++) {
        rows += least(f->rings[i].need.kept, f->rings[i].view.height);
    }
    return rows;
}

satf_status flow_plan(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                      const satf_rect *crop, const satf_view *out, flow *f, size_t *bytes)
{
    satf_status status = begin_plan(ctx, count_stages(chain), in, f);
    size_t link = 0;
    *bytes = 0;
    for (int i = 0; i <= f->filters && !status; i++) {
        flow_ring *r = &f->rings[i];
        r->band_rows = satf_block_rows(&r->view);
        r->rows = r->view.height;
        if (i == 0 && crop) {
            crop_first(r, crop);
        }
        status = i == f->filters ? SATF_OK : plan_stage(ctx, chain, out, f, i, &link);
    }
    for (int i = 0; i <= f->filters && !status; i++) {
        flow_ring *r = &f->rings[i];
        int64_t bands = i == f->filters ? LAST_BANDS : BANDS;
        int64_t within = r->passes ? rows_within(f) : 0;
        size_ring(r, least(r->need.kept, r->rows) + within + bands * r->band_rows, bytes);
    }
    return status;
}

satf_status flow_plan_whole(satf_context *ctx, const satf_view *in, const satf_view *out, flow *f,
                            size_t *bytes)
{
    satf_status status = begin_plan(ctx, 1, in, f);
    *bytes = 0;
    for (int i = 0; i < 2 && !status; i++) {
        f->rings[i].view = i ? *out : *in;
        f->rings[i].rows = f->rings[i].view.height;
        f->rings[i].band_rows = satf_block_rows(&f->rings[i].view);
        size_ring(&f->rings[i], f->rings[i].rows, bytes);
    }
    return status;
}

satf_status flow_make(flow *f, size_t bytes, int allowed)
{
    satf_context *ctx = f->ctx;
    if (bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "streaming it needs %zu bytes for rows of the windows' heights, above "
                         "the limit of %lld bytes (limit: max-memory)",
                         bytes, (long long)ctx->settings.max_bytes);
    }
    for (int i = 0; i <= f->filters; i++) {
        flow_ring *r = &f->rings[i];
        size_t all = 0;
        r->data = ring_bytes(r, &all) ? satf_alloc(all) : NULL; /* fits: flow_plan() */
        if (!r->data) {
            return satf_fail_memory(ctx, all, "rows on their way");
        }
        r->ends = r->data + r->capacity * r->view.stride;
    }
    size_t stages = ((size_t)f->filters + 2) * sizeof *f->stages;
    f->stages = satf_alloc_zeroed(stages);
    f->heights = satf_alloc(((size_t)f->filters + 1) * sizeof *f->heights);
    if (!f->stages || !f->heights) {
        return satf_fail_memory(ctx, stages, "the stages");
    }
    for (int i = 0; i < f->filters + 2; i++) {
        f->stages[i] = (flow_stage){.flow = f, .number = i, .ctx = ctx, .highest = -1};
    }
    f->allowed = allowed;
    f->budget = satf_budget_use(NULL);
    satf_budget_use(f->budget);
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&f->moved, &steady);
    pthread_condattr_destroy(&steady);
    f->begun = true;
    return SATF_OK;
}

void flow_free(flow *f)
{
    for (int i = 0; f->stages && i < f->filters + 2; i++) {
        if (f->stages[i].ctx != f->ctx) {
            satf_context_destroy(f->stages[i].ctx);
        }
    }
    for (int i = 0; f->rings && i <= f->filters; i++) {
        satf_plan_destroy(f->rings[i].plan);
        satf_free(f->rings[i].data);
    }
    if (f->begun) {
        pthread_cond_destroy(&f->moved);
        pthread_mutex_destroy(&f->lock);
    }
    satf_free(f->heights);
    satf_free(f->stages);
    satf_free(f->rings);
}
