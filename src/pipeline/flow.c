/* The threads of a flow, and the rings between them. */
#include "flow.h"

#include <string.h>
#include <time.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/share.h"
#include "../plan/plan.h"

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

/* With the lock held: whether what the stage awaits has not come about. */
static bool waits(const flow_stage *t)
{
    return t->awaited && *t->awaited < t->wanted && !(t->most && *t->most < t->wanted);
}

/* With the lock held: something has changed. Who can go on wakes up; of those that want a turn, one
 * if there may be one. */
static void wake(flow *f)
{
    bool turn = f->working < f->allowed;
    for (int i = 0; i < f->strips + 2; i++) {
        flow_stage *t = &f->stages[i];
        if (t->sleeps && (t->wants_turn ? turn : f->failed >= 0 || !waits(t))) {
            turn = turn && !t->wants_turn;
            pthread_cond_signal(&t->moved);
        }
    }
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
    wake(f);
}

/* With the lock held: waits until somebody wakes the stage. On the thread of the call the callback
 * is asked in between: when it cancels, the flow stops because of the stage. */
static void wait_for_change(flow_stage *t)
{
    enum { PAUSE_NS = 5000000, SECOND_NS = 1000000000 };
    flow *f = t->flow;
    t->sleeps = true;
    if (t->ctx != f->ctx || !satf_can_stop(f->ctx) || f->failed >= 0) {
        pthread_cond_wait(&t->moved, &f->lock);
        t->sleeps = false;
        return;
    }
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += end.tv_nsec + PAUSE_NS >= SECOND_NS;
    end.tv_nsec = (end.tv_nsec + PAUSE_NS) % SECOND_NS;
    pthread_cond_timedwait(&t->moved, &f->lock, &end);
    t->sleeps = false;
    pthread_mutex_unlock(&f->lock);
    satf_status status = satf_tick(f->ctx);
    pthread_mutex_lock(&f->lock);
    if (status) {
        leave(t, status);
    }
}

/* With the lock held: waits for a token to work. */
static void take_turn(flow_stage *t)
{
    flow *f = t->flow;
    for (t->wants_turn = true; !may_work(f);) {
        wait_for_change(t);
    }
    t->wants_turn = false;
    f->working++;
    wake(f);
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
    take_turn(t);
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
    wake(f);
    pthread_mutex_unlock(&f->lock);
}

/* With the lock held: a strip has made rows, or needs some no more; its rings are as far as all
 * strips beside it are. */
static void note(flow_stage *t, int64_t made, int64_t freed)
{
    flow *f = t->flow;
    flow_ring *from = &f->rings[t->ring], *to = from + 1;
    t->made = most(t->made, made);
    t->freed = most(t->freed, freed);
    made = t->made;
    freed = t->freed;
    for (int i = from->first; i < from->first + from->strips; i++) {
        made = least(made, f->stages[i].made);
        freed = least(freed, f->stages[i].freed);
    }
    if (made > to->made || freed > from->freed) {
        to->made = made;
        from->freed = freed;
        wake(f);
    }
}

static void tell(flow_stage *t, int64_t made, int64_t freed)
{
    pthread_mutex_lock(&t->flow->lock);
    note(t, made, freed);
    pthread_mutex_unlock(&t->flow->lock);
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
        if (t->plan) { /* a strip tells of rows once in a band, and whenever it waits */
            note(t, t->reached, t->freed);
        }
        give_turn(f);
        wake(f);
        while (f->failed < 0 && waits(t)) {
            wait_for_change(t);
        }
        take_turn(t);
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

/* With the lock held: whether all strips wait for what none of them can bring about. */
static bool at_rest(const flow *f)
{
    bool rest = true;
    for (int i = 1; i <= f->strips; i++) {
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

/* ----------------------------------------------------------------------- strips */

/* The strip asks for row y of its input. Rows of the end are there already; those of the start are
 * kept as they come by. */
static const void *input_row(void *user, int64_t y)
{
    flow_stage *t = user;
    flow_ring *from = &t->flow->rings[t->ring];
    const char *kept = flow_end_row(from, y);
    if (kept && y >= from->need.start) {
        return kept;
    }
    if (y > t->highest) {
        int64_t unneeded = from->first_row + y - from->need.kept + 1;
        if (unneeded >= t->freed + from->band_rows) {
            tell(t, t->made, unneeded);
        }
        if (!await_row(t, from, from->first_row + y)) {
            return NULL;
        }
        for (int64_t next = t->highest + 1; next <= y && next < from->need.start; next++) {
            memcpy(flow_end_row(from, next), flow_row(from, next), (size_t)from->view.stride);
        }
        t->highest = y;
    }
    return kept ? kept : (char *)flow_row(from, from->first_row + y) + t->from_byte;
}

/* The strip is about to make row y of its output: those above are complete. */
static void *output_row(void *user, int64_t y)
{
    flow_stage *t = user;
    flow_ring *to = &t->flow->rings[t->ring + 1];
    t->reached = y;
    if (y % to->band_rows == 0) {
        tell(t, y, t->freed);
        if (!flow_await_room(t, to, least(y + to->band_rows, flow_rows(to)))) {
            return NULL;
        }
    }
    return (char *)flow_row(to, y) + t->to_byte;
}

/* Waits for as many rows as the strip's plan, which takes any more, keeps. *low: a plan for a
 * picture that has fewer, the caller's to destroy; NULL: it has as many. */
static satf_status plan_low(flow_stage *t, satf_plan **low)
{
    const flow_ring *from = &t->flow->rings[t->ring], *to = from + 1;
    satf_rect part = t->plan->part;
    satf_view in = t->plan->in, out = t->plan->out;
    if (await_row(t, from, from->need.kept - 1)) {
        return SATF_OK;
    }
    if (flow_rows(from) >= from->need.kept) {
        return satf_fail(t->ctx, SATF_CANCELLED, "stopped on request");
    }
    in.height = flow_rows(from);
    part.h = out.height = flow_rows(to);
    return filter_plan_rows(t->ctx, t->plan->chain, 0, t->plan->chain->count, NULL, &in,
                            t->plan->whole ? NULL : &part, &out, low);
}

void *flow_run_strip(void *stage)
{
    flow_stage *t = stage;
    const flow_ring *from = &t->flow->rings[t->ring], *to = from + 1;
    filter_rows rows = {.in = input_row, .out = output_row, .user = t};
    satf_plan *low = NULL;
    flow_begin(t);
    satf_status status = filter_plan_ready(t->ctx, t->plan);
    if (!status && t->flow->any_height) {
        rows.height = &from->rows;
        status = plan_low(t, &low);
    }
    status = status ? status : filter_plan_run_rows(t->ctx, low ? low : t->plan, &rows);
    satf_plan_destroy(low);
    if (!status) {
        tell(t, flow_rows(to), flow_rows(from));
    }
    flow_end(t, status);
    return NULL;
}

void flow_end_rows(flow *f)
{
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i <= f->segments; i++) {
        __atomic_store_n(&f->rings[i].rows, f->heights[i], __ATOMIC_RELEASE);
    }
    wake(f);
    pthread_mutex_unlock(&f->lock);
}

void flow_rewind(flow *f)
{
    for (int i = 0; i <= f->segments; i++) {
        flow_ring *r = &f->rings[i];
        r->made = r->passed = 0;
        r->freed = r->first_row;
        r->rows = r->passes ? r->rows : r->view.height;
    }
    for (int i = 0; i < f->strips + 2; i++) {
        flow_stage *t = &f->stages[i];
        t->flow = f;
        t->number = i;
        t->started = t->ended = false;
        t->status = SATF_OK;
        t->busy_ms = t->waited_ms = 0;
        t->highest = -1;
        t->reached = t->made = 0;
        t->freed = f->rings[t->ring].first_row;
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
    for (int i = 0; i < f->strips + 2; i++) {
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
    for (int i = 0; i < f->strips + 2; i++) {
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

satf_status flow_make(flow *f, size_t bytes, int allowed)
{
    satf_context *ctx = f->ctx;
    if (bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "streaming it needs %zu bytes for rows of the windows' heights, above "
                         "the limit of %lld bytes (limit: max-memory)",
                         bytes, (long long)ctx->settings.max_bytes);
    }
    for (int i = 0; i <= f->segments; i++) {
        flow_ring *r = &f->rings[i];
        size_t all = 0;
        r->data = flow_ring_bytes(r, &all) ? satf_alloc(all) : NULL; /* fits: flow_plan() */
        if (!r->data) {
            return satf_fail_memory(ctx, all, "rows on their way");
        }
        r->ends = r->data + r->capacity * r->view.stride;
    }
    size_t heights = ((size_t)f->segments + 1) * sizeof *f->heights;
    f->heights = satf_alloc(heights);
    if (!f->heights) {
        return satf_fail_memory(ctx, heights, "the stages");
    }
    flow_rewind(f);
    f->allowed = allowed;
    f->budget = satf_budget_use(NULL);
    satf_budget_use(f->budget);
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    for (int i = 0; i < f->strips + 2; i++) {
        pthread_cond_init(&f->stages[i].moved, &steady);
    }
    pthread_condattr_destroy(&steady);
    f->begun = true;
    return SATF_OK;
}

void flow_free(flow *f)
{
    for (int i = 0; f->stages && i < f->strips + 2; i++) {
        flow_stage *t = &f->stages[i];
        if (t->ctx != f->ctx) {
            satf_context_destroy(t->ctx);
        }
        satf_plan_destroy(t->plan);
        if (f->begun) {
            pthread_cond_destroy(&t->moved);
        }
    }
    for (int i = 0; f->rings && i <= f->segments; i++) {
        satf_free(f->rings[i].data);
    }
    if (f->begun) {
        pthread_mutex_destroy(&f->lock);
    }
    satf_free(f->heights);
    satf_free(f->stages);
    satf_free(f->rings);
}
