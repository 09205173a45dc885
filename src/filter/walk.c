#include "walk.h"

#include <stdatomic.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

/* Samples of a step that are worth a thread. */
enum { LEAST_SAMPLES = 70000 };

/* Steps of a walk of images in memory, at most: each is a few calls deeper than the one behind it.
 */
enum { MOST_STEPS = 32 };

/* What stays in a core's cache; and images that a walk is worth, whose rows cost some ten ns each.
 */
enum { CACHE_BYTES = 1 << 20, LEAST_BYTES = 4 << 20 };

/* What a step sums, and the auxiliary inputs of its outputs. */
enum { SOURCES = 5 };

/* Samples between two looks at the context's progress callback. */
enum { REPORT_SAMPLES = 1 << 18 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------ finding walks */

/* The window's rows above and below its pixel, as far as the border shows them: a mirror shows
 * above the picture what is as far below. */
static int64_t rows_around(const filter_step *step)
{
    satf_rect window = filter_window_rect(step);
    return least(most(-window.y, window.y + window.h - 1), step->in.height);
}

static int64_t rows_below(const filter_step *step)
{
    satf_rect window = filter_window_rect(step);
    return least(window.y + window.h - 1, step->in.height);
}

static bool is_between(const plan_place *place)
{
    return place->kind == PLACE_EVEN || place->kind == PLACE_ODD;
}

static bool same_image(const plan_place *a, const plan_place *b)
{
    return a->kind == b->kind && (is_between(a) || (a->kind == PLACE_PASS && a->at == b->at));
}

/* The step of the walk from `first` on, in front of `step`, that makes the image there; below 0:
 * none. */
static int maker_of(const satf_plan *plan, size_t first, size_t step, const plan_place *place)
{
    for (size_t m = step; m-- > first;) {
        if (same_image(&plan->steps[m].out, place) || same_image(&plan->steps[m].second, place)) {
            return (int)(m - first);
        }
    }
    return -1;
}

/* Where a step has its rows from. Behind a filter that trims, an image begins further on. */
static void find_source(const satf_plan *plan, size_t first, size_t step, const plan_place *place,
                        walk_source *from)
{
    *from = (walk_source){.maker = maker_of(plan, first, step, place)};
    from->second =
        from->maker >= 0 && same_image(&plan->steps[first + (size_t)from->maker].second, place);
    if (from->maker >= 0 && place->kind != PLACE_PASS) {
        int64_t stride = plan->steps[first + (size_t)from->maker].step.out.stride;
        from->y = (int64_t)place->at / stride;
        from->byte = place->at % (size_t)stride;
    }
}

/* Whether the step can be one of the walk from `first` on, of which many go side by side. The march
 * under a window as high as the picture has sums that all walkers share (axis_has_fixed()). */
static bool walks(const satf_plan *plan, size_t first, size_t index)
{
    const filter_step *step = &plan->steps[index].step;
    bool inner = maker_of(plan, first, index, &plan->steps[index].in) >= 0;
    bool whole = step->size.height >= step->in.height || (inner && step->border.kind == SATF_WRAP);
    return step->engine->anywhere && !filter_reduces(step->pass) &&
           !(whole && step->size.height > 1);
}

static const walk_span unasked = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN};

/* A step that is `by` asks for rows of another. */
static void ask(walk_span *of, const walk_span *by, const walk_source *from, int64_t around,
                int64_t below)
{
    of->ahead = most(of->ahead, by->ahead + from->y + around);
    of->sure = most(of->sure, by->sure + from->y + below);
    of->oldest = least(of->oldest, by->sure + from->y - around);
    of->before = most(of->before, by->before - from->y + around);
}

/* What is asked of the step's image, or of the walk's input (walk->count). */
static walk_span span_of(const satf_plan *plan, const plan_walk *walk, size_t index)
{
    walk_span span = unasked;
    int windows = 0;
    for (size_t c = index < walk->count ? index + 1 : 0; c < walk->count; c++) {
        const plan_step *of = &plan->steps[walk->first + c];
        const plan_place *places[] = {&of->in, &of->aux[0], &of->aux[1], &of->aux[2], &of->aux[3]};
        for (int k = 0; k < SOURCES; k++) {
            bool asks = index < walk->count
                            ? of->from[k].maker == (int)index
                            : of->from[k].maker < 0 && places[k]->kind == PLACE_INPUT;
            int64_t around = k ? 0 : rows_around(&of->step), below = k ? 0 : rows_below(&of->step);
            if (asks) {
                ask(&span, &of->span, &of->from[k], around, below);
                windows += around > 0;
            }
        }
    }
    if (windows > 1) { /* the last to begin may ask for all that the first has passed */
        span.oldest = least(span.oldest, -span.before);
    }
    return span.ahead == INT64_MIN ? (walk_span){0, 0, 0, 0} : span; /* nobody asks */
}

static int64_t rows_of(const walk_span *span, int64_t height)
{
    return least(span->ahead - span->oldest + 2, height);
}

/* Of a row of what the step makes. */
static double bytes_of_row(const plan_step *of)
{
    const filter_step *step = &of->step;
    int images = of->second.kind == PLACE_NONE ? 1 : 2;
    return (double)satf_row_samples(&step->out) * (double)satf_type_bytes(step->out.type) * images;
}

/* A window's height of sums of floats, as the window engine may keep them. */
static double bytes_of_sums(const filter_step *step)
{
    const filter_pass *second = step->second ? step->second : step->pass;
    bool squares = filter_reads(step->pass, FORMULA_SQUARE) || filter_reads(second, FORMULA_SQUARE);
    double sums = squares ? 2 : 1;
    bool floats = satf_type_is_float(step->in.type);
    return !floats ? 0
                   : sums * (double)sizeof(double) * (double)step->size.height *
                         (double)satf_row_samples(&step->in);
}

/* Whether the images between the steps are more than a cache has anyway; and whether what walkers
 * go through with each row is in a cache each, or in all at most two fifths of these images. Beyond
 * that the walk is slower than they are, and may take more memory. */
static bool saves_memory(const satf_plan *plan, const plan_walk *walk)
{
    double works_on = 0, images = 0;
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &plan->steps[walk->first + k];
        works_on += bytes_of_sums(&of->step);
        if (k + 1 < walk->count) {
            int64_t height = of->step.out.height;
            works_on += bytes_of_row(of) * (double)rows_of(&of->span, height);
            images += bytes_of_row(of) * (double)height;
        }
    }
    bool large = satf_is_worth(images < 0x1p62 ? (int64_t)images : INT64_MAX, LEAST_BYTES);
    return large && (works_on <= CACHE_BYTES || works_on * walk->walkers <= images * 2 / 5);
}

/* Whether it pays that each of so many threads walks down a band: a quarter more rows at most. */
static bool pays(const satf_plan *plan, const plan_walk *walk)
{
    int64_t more = 0;
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &plan->steps[walk->first + k];
        more += of->span.before + most(of->span.ahead, 0) + of->step.size.height / 2;
    }
    return saves_memory(plan, walk) &&
           (walk->walkers == 1 || more * 4 <= walk->band_rows * (int64_t)walk->count);
}

/* Whether walkers that begin below the top have what their shifts of floats are found in: rows of
 * an image in memory. */
static bool finds_shifts(const plan_step *of)
{
    const filter_step *step = &of->step;
    return of->from[0].maker < 0 || !satf_type_is_float(step->in.type) ||
           !(filter_has_shifts(step->pass) || (step->second && filter_has_shifts(step->second)));
}

static void share_out(satf_context *ctx, const satf_plan *plan, plan_walk *walk)
{
    const satf_view *out = &plan->steps[walk->first + walk->count - 1].step.out;
    int64_t samples = satf_row_samples(out) * out->height * (int64_t)walk->count;
    int64_t walkers = plan->use == FILTER_BY_ROWS
                          ? 1
                          : least(satf_threads_for(ctx, samples, LEAST_SAMPLES), out->height);
    walk->band_rows = (out->height + walkers - 1) / walkers;
    walk->walkers = (int)((out->height + walk->band_rows - 1) / walk->band_rows);
}

/* Steps first ... end - 1 become a walk, if that pays. */
static void make_walk(satf_context *ctx, satf_plan *plan, size_t first, size_t end)
{
    plan_walk *walk = &plan->walks[plan->walk_count];
    plan_step *steps = &plan->steps[first];
    bool shifts = true;
    *walk = (plan_walk){.first = first, .count = end - first};
    for (size_t k = 0; k < walk->count; k++) {
        find_source(plan, first, first + k, &steps[k].in, &steps[k].from[0]);
        for (int a = 1; a < SOURCES; a++) {
            find_source(plan, first, first + k, &steps[k].aux[a - 1], &steps[k].from[a]);
        }
        shifts = shifts && finds_shifts(&steps[k]);
    }
    share_out(ctx, plan, walk);
    steps[walk->count - 1].span = (walk_span){0, 0, 0, 0};
    for (size_t k = walk->count - 1; k-- > 0;) {
        steps[k].span = span_of(plan, walk, k);
    }
    bool whole = !pays(plan, walk) || (walk->walkers > 1 && !shifts);
    if (whole && plan->use != FILTER_BY_ROWS) {
        return;
    }
    for (size_t k = 0; k < walk->count; k++) {
        bool inner = k + 1 < walk->count;
        steps[k].step.by_rows = true;
        steps[k].step.passes_on = inner || plan->use == FILTER_BY_ROWS;
        steps[k].ring_rows = inner ? rows_of(&steps[k].span, steps[k].step.out.height) : 0;
    }
    walk_span input = span_of(plan, walk, walk->count);
    walk->kept = rows_of(&input, plan->in.height);
    plan->walk_count++;
}

/* Images between filters take turns again, where some have become rings. */
static void take_turns(satf_plan *plan)
{
    plan_place latest = {PLACE_EVEN, 0};
    for (size_t i = 0; i < plan->count; i++) {
        plan_step *of = &plan->steps[i];
        plan_place *places[] = {&of->in, &of->aux[0], &of->aux[1], &of->aux[2], &of->aux[3]};
        for (int k = 0; k < SOURCES; k++) {
            places[k]->kind = is_between(places[k]) ? latest.kind : places[k]->kind;
        }
        if (is_between(&of->out) && !walk_is_inside(plan, i)) {
            latest.kind = latest.kind == PLACE_EVEN ? PLACE_ODD : PLACE_EVEN;
            of->out.kind = latest.kind;
            of->led_at.kind = is_between(&of->led_at) ? latest.kind : of->led_at.kind;
        }
    }
}

void walk_find(satf_context *ctx, satf_plan *plan)
{
    if (plan->device != SATF_HOST) {
        return;
    }
    if (plan->use == FILTER_BY_ROWS) {
        make_walk(ctx, plan, 0, plan->count);
        return;
    }
    for (size_t first = 0, end; first < plan->count; first = end) {
        size_t until = first; /* steps of whole filters */
        for (end = first; end < plan->count && end - first < MOST_STEPS && walks(plan, first, end);
             end++) {
            until = end + 1 == plan->count || plan->steps[end + 1].link != plan->steps[end].link
                        ? end + 1
                        : until;
        }
        if (until > first + 1) {
            make_walk(ctx, plan, first, until);
        }
        end = until > first ? until : first + 1;
        while (end < plan->count && plan->steps[end].link == plan->steps[end - 1].link) {
            end++;
        }
    }
    take_turns(plan);
}

/* ------------------------------------------------------------------------ memory */

struct walker;

/* A step on its way down. */
typedef struct walk_stage {
    struct walker *walker;
    const plan_step *planned;
    filter_step step; /* the plan's, with the data of this run's second output */
    filter_rows rows;
    char *memory, *ring, *second_ring;
    int64_t made; /* its rows above this one, of those that the walker makes, are in the ring */
    double ms;    /* of it alone, if the plan is timed */
} walk_stage;

typedef struct walk_run {
    satf_context *ctx;
    satf_plan *plan;
    const plan_walk *walk;
    const plan_images *images;
    const filter_rows *rows;
    atomic_int stop;      /* a satf_status */
    _Atomic int64_t done; /* rows of the result */
} walk_run;

typedef struct walker {
    walk_run *run;
    satf_status status; /* of the first failure */
    double inner_ms;    /* of the stages that the one at work has asked */
    walk_stage stages[];
} walker;

static size_t row_bytes(const satf_view *view)
{
    return satf_align64((size_t)satf_row_samples(view) * satf_type_bytes(view->type));
}

static bool add_bytes(size_t *total, size_t bytes)
{
    return bytes <= SIZE_MAX / 8 && satf_add(*total, satf_align64(bytes), total);
}

/* A ring of rows of such an image. */
static bool add_ring(const plan_step *of, const satf_view *view, plan_walk *walk, size_t *at)
{
    size_t bytes;
    *at = walk->bytes;
    return satf_mul(row_bytes(view), (size_t)of->ring_rows, &bytes) &&
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
                   (of->second.kind == PLACE_NONE ||
                    add_ring(of, &of->step.second_out, walk, &of->second_at));
        }
    }
    return fits;
}

bool walk_is_inside(const satf_plan *plan, size_t index)
{
    bool inside = false;
    for (size_t w = 0; w < plan->walk_count; w++) {
        const plan_walk *walk = &plan->walks[w];
        inside = inside || (index >= walk->first && index + 1 < walk->first + walk->count);
    }
    return inside;
}

plan_walk *walk_at(satf_plan *plan, size_t index)
{
    for (size_t w = 0; w < plan->walk_count; w++) {
        if (plan->walks[w].first == index) {
            return &plan->walks[w];
        }
    }
    return NULL;
}

filter_rows_need walk_need(const satf_plan *plan)
{
    const plan_walk *walk = &plan->walks[0];
    const filter_step *first = &plan->steps[0].step;
    filter_rows_need need = first->need;
    for (size_t k = 0; k < walk->count && !need.refusal && walk->count > 1; k++) {
        const filter_step *step = &plan->steps[k].step;
        bool wraps = step->border.kind == SATF_WRAP && step->size.height > 1;
        need = (filter_rows_need){.refusal = step->need.refusal, .kept = walk->kept};
        if (!need.refusal && wraps) {
            need.refusal = "needs the whole picture for border wrap in several steps";
        }
    }
    for (size_t k = 0; k < walk->count && !need.refusal; k++) {
        need.height |= plan->steps[k].in.kind == PLACE_PICTURE;
    }
    need.bytes = need.refusal ? 0 : plan->bytes;
    need.steps = need.refusal ? 0 : walk->count;
    return need;
}

/* ----------------------------------------------------------------------- walking */

/* The stage makes its next row. */
static bool advance(walk_stage *t)
{
    walker *w = t->walker;
    satf_status status = SATF_OK;
    bool timed = w->run->plan->timed;
    double start_ms = timed ? satf_now_ms() : 0, before = w->inner_ms;
    w->inner_ms = 0;
    bool made = t->step.engine->next(t->memory + t->step.grey_bytes, &status);
    if (timed) {
        double ms = satf_now_ms() - start_ms;
        t->ms += ms - w->inner_ms;
        w->inner_ms = before + ms;
    }
    t->made += made;
    w->status = w->status ? w->status : status;
    return made;
}

/* Row y that the stage has made, in a ring. */
static char *ring_row(const walk_stage *t, bool second, int64_t y)
{
    const filter_step *step = &t->step;
    int64_t rows = t->planned->ring_rows; /* a division of 32 bits takes a third of the time */
    size_t slot = y > UINT32_MAX ? (size_t)(y % rows) : (uint32_t)y % (uint32_t)rows;
    return second ? t->second_ring + slot * row_bytes(&step->second_out)
                  : t->ring + slot * row_bytes(&step->out);
}

/* The same of an image in memory, or of rows from outside. */
static const void *outer_row(const walk_stage *t, const plan_place *place, const satf_view *view,
                             int64_t y)
{
    const walk_run *run = t->walker->run;
    return run->rows && place->kind == PLACE_INPUT
               ? run->rows->in(run->rows->user, y)
               : plan_find(run->plan, place, run->images) + y * view->stride;
}

/* Row y of what the stage reads. */
static const void *find_row(walk_stage *t, const walk_source *from, const plan_place *place,
                            const satf_view *view, int64_t y)
{
    if (from->maker < 0) {
        return outer_row(t, place, view, y);
    }
    walk_stage *maker = &t->walker->stages[from->maker];
    while (maker->made <= y + from->y) {
        if (!advance(maker)) {
            return NULL;
        }
    }
    return ring_row(maker, from->second, y + from->y) + from->byte;
}

static const void *stage_in(void *user, int64_t y)
{
    walk_stage *t = user;
    return find_row(t, &t->planned->from[0], &t->planned->in,
                    t->step.grey ? &t->step.source : &t->step.in, y);
}

/* What the second output reads may be the first, whose row is being made. */
static const void *stage_aux(void *user, int k, int64_t y)
{
    walk_stage *t = user;
    const plan_place *place = &t->planned->aux[k];
    return place->kind == PLACE_NONE ? NULL
           : same_image(&t->planned->out, place)
               ? ring_row(t, false, y)
               : find_row(t, &t->planned->from[1 + k], place,
                          k < 2 ? &t->step.aux[k] : &t->step.second_aux[k - 2], y);
}

static void *stage_out(void *user, int64_t y)
{
    walk_stage *t = user;
    const walk_run *run = t->walker->run;
    const satf_view *out = &t->step.out;
    return t->planned->ring_rows ? ring_row(t, false, y)
           : run->rows           ? run->rows->out(run->rows->user, y)
                       : plan_find(run->plan, &t->planned->out, run->images) + y * out->stride;
}

static void *stage_second(void *user, int64_t y)
{
    walk_stage *t = user;
    return t->planned->ring_rows ? ring_row(t, true, y) : satf_row(&t->step.second_out, y);
}

/* The walker at row `first` of the result. */
static satf_status begin(walk_run *run, walker *w, int64_t first)
{
    const plan_walk *walk = run->walk;
    satf_status status = SATF_OK;
    *w = (walker){.run = run};
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &run->plan->steps[walk->first + k];
        walk_stage *t = &w->stages[k];
        *t = (walk_stage){
            .walker = w, .planned = of, .step = of->step, .made = most(first - of->span.before, 0)};
        t->step.second_out.data = run->images->second;
        t->rows = (filter_rows){.in = stage_in,
                                .out = stage_out,
                                .user = t,
                                .height = run->rows ? run->rows->height : NULL,
                                .aux = stage_aux,
                                .second = stage_second};
        t->memory = (char *)w + of->walker_at;
        t->ring = (char *)w + of->ring_at;
        t->second_ring = (char *)w + of->second_at;
    }
    /* A stage may ask those in front of it at once. */
    for (size_t k = 0; k < walk->count && !status; k++) {
        walk_stage *t = &w->stages[k];
        status = filter_step_begin(run->ctx, &t->step, &t->rows, t->made, t->memory);
    }
    return w->status ? w->status : status;
}

/* Tells that a row more is made, on the caller's thread; false if all should stop. */
static bool go_on(walk_run *run, int thread, int64_t samples, int64_t *unreported)
{
    const satf_view *out = &run->plan->steps[run->walk->first + run->walk->count - 1].step.out;
    *unreported += samples;
    int64_t done = atomic_fetch_add(&run->done, 1) + 1;
    if (thread == 0 && *unreported >= REPORT_SAMPLES && done < out->height) {
        *unreported = 0;
        satf_status status = satf_report_progress(run->ctx, (double)done / (double)out->height);
        if (status) {
            atomic_store(&run->stop, (int)status);
        }
    }
    return !atomic_load_explicit(&run->stop, memory_order_relaxed);
}

static void walk_band(void *user, int64_t task, int thread)
{
    walk_run *run = user;
    const plan_walk *walk = run->walk;
    walker *w = (walker *)(void *)(run->plan->memory + walk->at + (size_t)task * walk->bytes);
    walk_stage *last = &w->stages[walk->count - 1];
    const satf_view *out = &run->plan->steps[walk->first + walk->count - 1].step.out;
    int64_t first = task * walk->band_rows, end = least(first + walk->band_rows, out->height);
    int64_t samples = satf_row_samples(out) * (int64_t)walk->count, unreported = 0;
    satf_status status = begin(run, w, first);
    while (!status && last->made < end && advance(last) &&
           go_on(run, thread, samples, &unreported)) {
    }
    status = status ? status : w->status;
    if (status) {
        atomic_store(&run->stop, (int)status);
    }
}

/* Each step's part of the time of all, as the first walker has it. */
static void share_time(walk_run *run, double ms)
{
    const plan_walk *walk = run->walk;
    walker *w = (walker *)(void *)(run->plan->memory + walk->at);
    double all = 0;
    for (size_t k = 0; k < walk->count; k++) {
        all += w->stages[k].ms;
    }
    for (size_t k = 0; k < walk->count && all > 0; k++) {
        run->plan->steps[walk->first + k].ms = ms * w->stages[k].ms / all;
    }
}

satf_status walk_down(satf_context *ctx, satf_plan *plan, plan_walk *walk,
                      const plan_images *images, const filter_rows *rows)
{
    walk_run run = {.ctx = ctx, .plan = plan, .walk = walk, .images = images, .rows = rows};
    double start_ms = plan->timed ? satf_now_ms() : 0;
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    if (walk->walkers == 1) {
        walk_band(&run, 0, 0);
    } else {
        satf_parallel(ctx, walk->walkers, walk_band, &run);
    }
    satf_status status = (satf_status)atomic_load(&run.stop);
    if (!status) {
        ctx->message[0] = first;
    }
    if (plan->timed) {
        share_time(&run, satf_now_ms() - start_ms);
    }
    return status;
}
