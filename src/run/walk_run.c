/* Runs walkers down the picture, and plans by rows. */
#include <stdatomic.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../chain/region.h"
#include "walk_run.h"

/* Samples between two calls of the context's progress callback. */
enum { REPORT_SAMPLES = 1 << 18 };

/* --------------------------------------------------------------------- walkers */

struct walker;

/* A walker's step. */
typedef struct walk_stage {
    struct walker *walker;
    const plan_step *planned;
    filter_step step; /* the plan's, with the data of this run's images in memory */
    filter_rows rows;
    char *own, *ring, *twin_ring;
    int64_t made; /* rows up to this one have been made; the latest are in the ring */
    double ms;    /* the step's own time, if the plan is timed */
} walk_stage;

typedef struct walker {
    walk_run *run;
    satf_status status; /* of the first failure */
    double inner_ms;    /* time of the stages that the one at work has called */
    int thread;
    int64_t told, untold; /* samples: reported by the step at work; not yet reported */
    walk_stage stages[];
} walker;

static size_t walk_row_bytes(const satf_view *view)
{
    return satf_align64((size_t)satf_row_samples(view) * satf_type_bytes(view->type));
}

static bool add_bytes(size_t *total, size_t bytes)
{
    return bytes <= SIZE_MAX / 8 && satf_add(*total, satf_align64(bytes), total);
}

/* Adds a ring of rows of an image; behind it lie rows that an adapter holds for good. */
static bool add_ring(const plan_step *of, const satf_view *view, plan_walk *walk, size_t *at)
{
    size_t bytes;
    int64_t held = of->step.shape->adapts ? of->step.need.start + of->step.need.end : 0;
    *at = walk->bytes;
    return satf_mul(walk_row_bytes(view), (size_t)(of->ring_rows + held), &bytes) &&
           add_bytes(&walk->bytes, bytes);
}

bool walk_lay_out(satf_plan *plan)
{
    bool fits = true;
    for (size_t w = 0; w < plan->walk_count; w++) {
        plan_walk *walk = &plan->walks[w];
        walk->bytes = satf_align64(sizeof(walker) + walk->count * sizeof(walk_stage));
        for (size_t k = walk->first; k < walk->first + walk->count && fits; k++) {
            plan_step *of = &plan->steps[k];
            of->walker_at = walk->bytes;
            fits = add_bytes(&walk->bytes, of->step.walker_bytes) &&
                   add_ring(of, &of->step.out, walk, &of->ring_at) &&
                   (of->twin.kind == PLACE_NONE ||
                    add_ring(of, &of->step.twin_out, walk, &of->twin_at));
        }
    }
    return fits;
}

/* ----------------------------------------------------------------------- walking */

/* Counts samples that are read; false if the walk is to stop. */
static bool walk_goes_on(walker *w, int64_t samples)
{
    w->status = w->status ? w->status : satf_work(w->run->ctx, samples);
    return !w->status;
}

/* Lets the stage make its next row, or several of an image in memory. */
static bool advance(walk_stage *t)
{
    walker *w = t->walker;
    satf_status status = SATF_OK;
    bool timed = w->run->plan->timed;
    double start_ms = timed ? satf_now_ms() : 0, before = w->inner_ms;
    w->inner_ms = 0;
    int64_t made = t->step.engine->next(t->own, &status);
    if (timed) {
        double ms = satf_now_ms() - start_ms;
        t->ms += ms - w->inner_ms;
        w->inner_ms = before + ms;
    }
    t->made += made;
    w->status = w->status ? w->status : status;
    return made > 0;
}

/* Whether an adapter holds row y, made before the others for a border that wraps. */
static bool is_held(const walk_stage *t, int64_t y)
{
    return t->step.shape->adapts && y >= t->step.out.height - t->step.need.end;
}

static size_t slot_of(const walk_stage *t, int64_t y)
{
    int64_t rows = t->planned->ring_rows; /* dividing 32 bits takes a third of the time */
    if (is_held(t, y)) {
        return (size_t)(rows + t->step.out.height - 1 - y);
    }
    return t->step.shape->adapts && y < t->step.need.start ? (size_t)(rows + t->step.need.end + y)
           : y > UINT32_MAX                                ? (size_t)(y % rows)
                                                           : (uint32_t)y % (uint32_t)rows;
}

/* Row y of the stage's, in a ring. */
static char *ring_row(const walk_stage *t, bool twin, int64_t y)
{
    const filter_step *step = &t->step;
    size_t slot = slot_of(t, y);
    return twin ? t->twin_ring + slot * walk_row_bytes(&step->twin_out)
                : t->ring + slot * walk_row_bytes(&step->out);
}

/* Row y of an image in memory, or of rows from outside the plan. */
static const void *outer_row(const walk_stage *t, const plan_place *place, const satf_view *view,
                             int64_t y)
{
    const walk_run *run = t->walker->run;
    return run->rows && place->kind == PLACE_INPUT
               ? run->rows->in(run->rows->user, y)
               : plan_find(run->plan, place, run->images) + y * view->stride;
}

/* How many rows the maker is to have made when row y is asked for. */
static int64_t rows_until(const walk_stage *maker, int64_t y)
{
    bool adapts = maker->step.shape->adapts && !maker->walker->run->rows;
    return least(y + (adapts ? WALK_ROWS_AT_ONCE : 1), maker->step.out.height);
}

/* Row y of an image that the stage reads; NULL after a failure. */
static const void *walk_find_row(walk_stage *t, const walk_source *from, const plan_place *place,
                                 const satf_view *view, int64_t y)
{
    if (from->maker < 0) {
        return outer_row(t, place, view, y);
    }
    walk_stage *maker = &t->walker->stages[from->maker];
    int64_t row = y + from->y;
    bool made = maker->made > row || is_held(maker, row);
    for (int64_t rows = rows_until(maker, row); !made && maker->made < rows;) {
        if (!advance(maker)) {
            return NULL;
        }
    }
    return ring_row(maker, from->twin, row) + from->byte;
}

static const void *stage_in(void *user, int64_t y)
{
    walk_stage *t = user;
    const satf_view *in = &t->step.in;
    return walk_goes_on(t->walker, satf_row_samples(in))
               ? walk_find_row(t, &t->planned->from[0], &t->planned->in, in, y)
               : NULL;
}

/* Row y of an auxiliary input. The twin may read the first output, whose row is just made. */
static const void *stage_aux(void *user, int k, int64_t y)
{
    walk_stage *t = user;
    const plan_place *place = &t->planned->aux[k];
    return place->kind == PLACE_NONE ? NULL
           : k >= FILTER_AUX && walk_same_image(&t->planned->out, place)
               ? ring_row(t, false, y)
               : walk_find_row(t, &t->planned->from[1 + k], place,
                               k < FILTER_AUX ? &t->step.aux[k] : &t->step.twin_aux[k - FILTER_AUX],
                               y);
}

/* Where row y of a result by rows goes. */
static void *result_row(const walk_run *run, int64_t y)
{
    char *row = run->rows->out(run->rows->user, y + (run->edge > 0));
    return row && run->edge > 0 ? (char *)memset(row, 0, run->edge) + run->edge : row;
}

static void *stage_out(void *user, int64_t y)
{
    walk_stage *t = user;
    const walk_run *run = t->walker->run;
    const satf_view *out = &t->step.out;
    return t->planned->ring_rows ? ring_row(t, false, y)
           : run->rows           ? result_row(run, y)
                       : plan_find(run->plan, &t->planned->out, run->images) + y * out->stride;
}

static void *stage_twin(void *user, int64_t y)
{
    walk_stage *t = user;
    return t->planned->ring_rows ? ring_row(t, true, y) : satf_row(&t->step.twin_out, y);
}

/* The view of the walk's result. */
static const satf_view *walk_result_of(const walk_run *run)
{
    return &run->plan->steps[run->walk->first + run->walk->count - 1].step.out;
}

/* The samples that the walk makes for a row of the result. */
static int64_t walk_samples_of(const walk_run *run)
{
    return satf_row_samples(walk_result_of(run)) * (int64_t)run->walk->count;
}

/* Adds the walker's work to the run's, and reports it on the caller's thread. */
static void walk_tell(walker *w)
{
    walk_run *run = w->run;
    int64_t all = walk_samples_of(run) * walk_result_of(run)->height;
    int64_t done = atomic_fetch_add(&run->done, w->untold) + w->untold;
    w->untold = 0;
    satf_status status = w->thread == 0 && done < all
                             ? satf_report_progress(run->ctx, (double)done / (double)all)
                             : SATF_OK;
    if (status) {
        atomic_store(&run->stop, (int)status);
    }
}

/* Counts so many samples more as made; false if all walkers are to stop. */
static bool walk_go_on(walker *w, int64_t samples)
{
    w->untold += samples;
    if (w->untold >= REPORT_SAMPLES) {
        walk_tell(w);
    }
    return !atomic_load_explicit(&w->run->stop, memory_order_relaxed);
}

/* ------------------------------------------------------------------ images in memory */

static const void *image_in(void *user, int64_t y)
{
    const walk_stage *t = user;
    const satf_view *in = &t->step.in;
    return walk_goes_on(t->walker, satf_row_samples(in)) ? satf_row(in, y) : NULL;
}

static const void *image_aux(void *user, int k, int64_t y)
{
    const filter_step *step = &((const walk_stage *)user)->step;
    const satf_view *aux = k < FILTER_AUX ? &step->aux[k] : &step->twin_aux[k - FILTER_AUX];
    return aux->data ? satf_row(aux, y) : NULL;
}

static void *walk_image_out(void *user, int64_t y)
{
    return satf_row(&((const walk_stage *)user)->step.out, y);
}

static void *image_twin(void *user, int64_t y)
{
    return satf_row(&((const walk_stage *)user)->step.twin_out, y);
}

/* Counts pixels of a step that makes many rows at once. */
static bool walk_image_goes_on(void *user, int64_t pixels)
{
    walk_stage *t = user;
    int64_t samples = pixels * t->step.out.channels;
    t->walker->told += samples;
    return walk_go_on(t->walker, samples);
}

filter_step walk_find_images(const satf_plan *plan, const plan_step *of, const plan_images *images)
{
    filter_step step = of->step;
    bool rows = step.by_rows; /* rows come one by one, even from memory */
    for (int k = 0; k < FILTER_AUX + 2; k++) {
        satf_view *aux = k < FILTER_AUX ? &step.aux[k] : &step.twin_aux[k - FILTER_AUX];
        aux->data = rows ? NULL : plan_find(plan, &of->aux[k], images);
    }
    step.in.data = rows ? NULL : plan_find(plan, &of->in, images);
    step.inline_in.data = plan_find(plan, &of->inline_pass, images);
    step.out.data = rows ? NULL : plan_find(plan, &of->out, images);
    step.twin_out.data = of->ring_rows                 ? NULL
                         : of->twin.kind == PLACE_NONE ? images->twin
                                                       : plan_find(plan, &of->twin, images);
    return step;
}

/* -------------------------------------------------------------------------- walkers */

/* Begins a walker at row `first` of the result, which goes to `end`. */
static satf_status walk_begin(walk_run *run, walker *w, int64_t first, int64_t end)
{
    static const filter_rows images = {.in = image_in,
                                       .out = walk_image_out,
                                       .aux = image_aux,
                                       .twin = image_twin,
                                       .goes_on = walk_image_goes_on};
    const plan_walk *walk = run->walk;
    satf_status status = SATF_OK;
    *w = (walker){.run = run};
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &run->plan->steps[walk->first + k];
        walk_stage *t = &w->stages[k];
        *t = (walk_stage){.walker = w,
                          .planned = of,
                          .step = walk_find_images(run->plan, of, run->images),
                          .rows = images,
                          .made = most(first - of->span.rows_before, 0)};
        if (of->step.by_rows) {
            t->rows = (filter_rows){.in = stage_in,
                                    .out = stage_out,
                                    .height = run->rows ? run->rows->height : NULL,
                                    .lost = run->plan->in.height - t->step.in.height,
                                    .aux = stage_aux,
                                    .twin = stage_twin};
        }
        t->rows.user = t;
        t->ring = (char *)w + of->ring_at;
        t->twin_ring = (char *)w + of->twin_at;
    }
    /* A stage may call those in front of it at once. */
    for (size_t k = 0; k < walk->count && !status; k++) {
        walk_stage *t = &w->stages[k];
        int64_t stop = k + 1 < walk->count ? t->step.out.height : end;
        t->own = (char *)w + t->planned->walker_at;
        status = t->step.engine->begin(run->ctx, &t->step, &t->rows, t->made, stop, t->own);
    }
    return w->status ? w->status : status;
}

static walker *walker_at(const walk_run *run, int64_t band)
{
    const satf_plan *plan = run->plan;
    return (walker *)(void *)(plan->memory + plan->walkers_at + (size_t)band * run->walk->bytes);
}

static void walk_band(void *user, int64_t task, int thread)
{
    walk_run *run = user;
    const plan_walk *walk = run->walk;
    walker *w = walker_at(run, task);
    walk_stage *last = &w->stages[walk->count - 1];
    int64_t first = task * walk->band_rows;
    int64_t end = least(first + walk->band_rows, walk_result_of(run)->height);
    int64_t made = first;
    if (atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        return;
    }
    satf_status status = walk_begin(run, w, first, end);
    w->thread = thread;
    while (!status && last->made < end && advance(last) &&
           walk_go_on(w, (last->made - made) * walk_samples_of(run) - w->told)) {
        made = last->made;
        w->told = 0;
    }
    status = status ? status : w->status;
    if (status) {
        atomic_store(&run->stop, (int)status);
    } else if (w->untold > 0 && walk->walkers > walk->threads) {
        walk_tell(w);
    }
}

/* Shares the run's time among the steps, as the first walker spent it. */
static void share_time(walk_run *run, double ms)
{
    const plan_walk *walk = run->walk;
    const walker *w = walker_at(run, 0);
    double all = 0;
    for (size_t k = 0; k < walk->count; k++) {
        all += w->stages[k].ms;
    }
    for (size_t k = 0; k < walk->count && all > 0; k++) {
        run->plan->steps[walk->first + k].ms = ms * w->stages[k].ms / all;
    }
}

satf_status walk_down(walk_run *run)
{
    satf_context *ctx = run->ctx;
    satf_plan *plan = run->plan;
    double start_ms = plan->timed ? satf_now_ms() : 0;
    char first =
        ctx->message[0]; /* restored on success, which keeps the latest failure's message */
    atomic_store(&run->stop, 0);
    atomic_store(&run->done, 0);
    ctx->message[0] = '\0';
    if (run->walk->walkers == 1) {
        walk_band(run, 0, 0);
    } else {
        satf_parallel_on(ctx, run->walk->threads, run->walk->walkers, walk_band, run);
    }
    satf_status status = (satf_status)atomic_load(&run->stop);
    if (!status) {
        ctx->message[0] = first;
    } else if (status == SATF_CANCELLED) {
        satf_fail_cancelled(ctx); /* not that a row did not come */
    }
    if (plan->timed) {
        share_time(run, satf_now_ms() - start_ms);
    }
    return status;
}

/* ------------------------------------------------------------------------- by rows */

satf_status filter_plan_ready(satf_context *ctx, satf_plan *plan)
{
    return plan->memory ? SATF_OK : filter_plan_attach(ctx, plan, NULL);
}

satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    const plan_images none = {NULL, NULL, NULL, NULL};
    satf_status status = filter_plan_ready(ctx, plan);
    if (status) {
        return status;
    }
    walk_run run = {
        .ctx = ctx, .plan = plan, .walk = &plan->walks[0], .images = &none, .rows = rows};
    satf_progress_begin(ctx);
    ctx->report_device = "cpu";
    walk_report(ctx, &plan->steps[plan->count - 1].step);
    if (filter_has_zero_edge(&plan->chain->links[0])) {
        void *first = rows->out(rows->user, 0);
        if (!first) {
            return satf_fail(ctx, SATF_IO, "the first row could not be stored");
        }
        run.edge = (size_t)satf_pixel_bytes(&plan->to);
        memset(first, 0, run.edge * (size_t)plan->to.width);
    }
    status = walk_down(&run);
    return status ? status : satf_report_progress(ctx, 1);
}
