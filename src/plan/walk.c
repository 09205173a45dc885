/* Plans walks: which steps go down the rows together, and how large their rings are (walk.h). */
#include "walk.h"

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

/* Samples of a walk's steps for each further thread. */
enum { LEAST_SAMPLES = 70000 };

/* Bands per thread, for steps whose rows depend on no other row. */
enum { BANDS_OF_A_THREAD = 8 };

/* The most steps of a walk over images in memory: each is a few calls deeper than the next. */
enum { MOST_STEPS = 32 };

/* Bytes that stay in a core's cache. The least bytes of images between steps for which a walk pays:
 * its rows cost some ten ns each. */
enum { CACHE_BYTES = 1 << 20, LEAST_BYTES = 4 << 20 };

/* The images that a step reads: one that it sums, and the auxiliary inputs of its outputs. */
enum { SOURCES = FILTER_AUX + 3 };

/* ------------------------------------------------------------------ finding walks */

/* Rows that a step asks for around its own: above; below; and those below that it asks for before
 * its row at the latest. */
typedef struct rows_asked {
    int64_t above, below, below_at_least;
} rows_asked;

/* The rows that a step asks for, with the border: a mirror shows above the picture rows that lie as
 * far below. */
static rows_asked rows_of_step(const filter_step *step)
{
    satf_rect window = filter_windows_hull(step);
    if (step->shape->picks) { /* it reads the windows' last rows */
        return (rows_asked){0, window.y + window.h - 1, window.y + window.h - 1};
    }
    int64_t around = least(most(-window.y, window.y + window.h - 1), step->in.height);
    return (rows_asked){around, around, least(window.y + window.h - 1, step->in.height)};
}

static bool is_between(const plan_place *place)
{
    return place->kind == PLACE_EVEN || place->kind == PLACE_ODD;
}

bool walk_same_image(const plan_place *a, const plan_place *b)
{
    bool at_end = a->kind == PLACE_LOADED || a->kind == PLACE_MADE;
    bool same = at_end || is_between(a) || (a->kind == PLACE_PASS && a->at == b->at);
    return a->kind == b->kind && same;
}

/* The step of the walk from `first` on, in front of `step`, that makes the image at the place;
 * below 0: none. */
static int maker_of(const satf_plan *plan, size_t first, size_t step, const plan_place *place)
{
    for (size_t m = step; m-- > first;) {
        if (walk_same_image(&plan->steps[m].out, place) ||
            walk_same_image(&plan->steps[m].twin, place)) {
            return (int)(m - first);
        }
    }
    return -1;
}

/* Finds the source of a step's rows. Behind a filter that trims, the image begins further on. */
static void find_source(const satf_plan *plan, size_t first, size_t step, const plan_place *place,
                        walk_source *from)
{
    *from = (walk_source){.maker = maker_of(plan, first, step, place)};
    from->twin =
        from->maker >= 0 && walk_same_image(&plan->steps[first + (size_t)from->maker].twin, place);
    if (from->maker >= 0 && place->kind != PLACE_PASS) {
        int64_t stride = plan->steps[first + (size_t)from->maker].step.out.stride;
        from->y = (int64_t)place->at / stride;
        from->byte = place->at % (size_t)stride;
    }
}

/* The height of the largest window of a pixel. */
static int64_t rows_of_window(const filter_step *step)
{
    return step->shape->window ? step->shape->window(step).h : step->size.height;
}

/* Whether the step can be in the walk from `first` on, with many walkers. */
static bool walks(const satf_plan *plan, size_t first, size_t index)
{
    const filter_step *step = &plan->steps[index].step;
    bool inner = maker_of(plan, first, index, &plan->steps[index].in) >= 0;
    bool whole = rows_of_window(step) >= step->in.height || step->border.kind == SATF_BORDER_WRAP;
    return step->engine->anywhere && !filter_reduces(step->pass) && !step->pass->shape &&
           !(inner && whole && rows_of_window(step) > 1);
}

static const walk_span unasked = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN};

/* Extends a step's span by the rows that a later step, whose span is `by`, asks it for. */
static void walk_ask(walk_span *of, const walk_span *by, const walk_source *from,
                     const rows_asked *rows)
{
    of->most_ahead = most(of->most_ahead, by->most_ahead + from->y + rows->below);
    of->least_ahead = most(of->least_ahead, by->least_ahead + from->y + rows->below_at_least);
    of->first_row = least(of->first_row, by->least_ahead + from->y - rows->above);
    of->rows_before = most(of->rows_before, by->rows_before - from->y + rows->above);
}

/* The span of a step's rows, or of the walk's input (walk->count), over all steps that read it. */
static walk_span walk_span_of(const satf_plan *plan, const plan_walk *walk, size_t index)
{
    walk_span span = unasked;
    int windows = 0;
    for (size_t c = index < walk->count ? index + 1 : 0; c < walk->count; c++) {
        const plan_step *of = &plan->steps[walk->first + c];
        for (int k = 0; k < SOURCES; k++) {
            const plan_place *place = k ? &of->aux[k - 1] : &of->in;
            bool asks = index < walk->count ? of->from[k].maker == (int)index
                                            : of->from[k].maker < 0 && place->kind == PLACE_INPUT;
            bool beside = k > 0 && !of->step.shape->picks; /* read at the step's own row */
            rows_asked rows = beside ? (rows_asked){0, 0, 0} : rows_of_step(&of->step);
            if (asks) {
                walk_ask(&span, &of->span, &of->from[k], &rows);
                span.most_ahead += k ? 0 : of->step.engine->lookahead_rows;
                span.first_row -= k ? 0 : of->step.engine->lookahead_rows;
                windows += rows.above > 0;
            }
        }
    }
    if (windows > 1) { /* the last of them to begin may ask for rows that the first has passed */
        span.first_row = least(span.first_row, -span.rows_before);
    }
    return span.most_ahead == INT64_MIN ? (walk_span){0, 0, 0, 0} : span; /* no step asks */
}

static int64_t walk_rows_of(const walk_span *span, int64_t height)
{
    return least(span->most_ahead - span->first_row + 2, height);
}

/* The bytes of a row of the step, and of its twin's. */
static double bytes_of_row(const plan_step *of)
{
    const satf_view *out = &of->step.out, *twin = &of->step.twin_out;
    double bytes = (double)satf_row_samples(out) * (double)satf_type_bytes(out->type);
    return of->twin.kind == PLACE_NONE
               ? bytes
               : bytes + (double)satf_row_samples(twin) * (double)satf_type_bytes(twin->type);
}

/* Bytes of a window's height of sums of floats, as the window engine may keep them. */
static double bytes_of_sums(const filter_step *step)
{
    const filter_pass *twin = step->twin ? step->twin : step->pass;
    bool squares = filter_reads(step->pass, FORMULA_SQUARE) || filter_reads(twin, FORMULA_SQUARE);
    double sums = squares ? 2 : 1;
    bool floats = satf_type_is_float(step->in.type);
    return !floats ? 0
                   : sums * (double)sizeof(double) * (double)step->size.height *
                         (double)satf_row_samples(&step->in);
}

/* Whether a walk saves memory: the images between its steps are at least LEAST_BYTES, more than a
 * cache holds anyway; and the memory that walkers go through with each row fits each one's cache,
 * or is in all at most two fifths of these images. Beyond that the walk is slower than images, and
 * may take more memory. */
static bool saves_memory(const satf_plan *plan, const plan_walk *walk)
{
    double works_on = 0, images = 0;
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &plan->steps[walk->first + k];
        works_on += bytes_of_sums(&of->step);
        if (k + 1 < walk->count) {
            int64_t height = of->step.out.height;
            works_on += bytes_of_row(of) * (double)walk_rows_of(&of->span, height);
            images += bytes_of_row(of) * (double)height;
        }
    }
    bool large = satf_is_worth(images < 0x1p62 ? (int64_t)images : INT64_MAX, LEAST_BYTES);
    return large && (works_on <= CACHE_BYTES || works_on * walk->walkers <= images * 2 / 5);
}

/* Whether it pays that each thread walks down a band: at most a quarter more rows are made. */
static bool walk_pays(const satf_plan *plan, const plan_walk *walk)
{
    int64_t more = 0;
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &plan->steps[walk->first + k];
        more += of->span.rows_before + most(of->span.most_ahead, 0) + of->step.size.height / 2;
    }
    return saves_memory(plan, walk) &&
           (walk->walkers == 1 || more * 4 <= walk->band_rows * (int64_t)walk->count);
}

/* Samples for each further thread, of a step that walks alone. */
static int64_t least_samples(const filter_step *step)
{
    const filter_pass *twin = step->twin ? step->twin : step->pass;
    bool slow = satf_type_is_float(step->in.type) || step->weighted ||
                filter_reads(step->pass, FORMULA_SQUARE) || filter_reads(twin, FORMULA_SQUARE);
    int64_t least = step->engine->least_samples / (slow ? 3 : 1);
    return step->least_samples > 0 ? step->least_samples : least;
}

/* Makes a walker a thread. If no row is made twice there are more walkers, so that a thread that
 * wakes up late takes fewer. */
static void share_out(satf_context *ctx, const satf_plan *plan, plan_walk *walk)
{
    const filter_step *last = &plan->steps[walk->first + walk->count - 1].step;
    const satf_view *out = &last->out, *in = &last->in;
    bool alone = walk->count == 1;
    int64_t samples = most(satf_row_samples(in) * in->height, satf_row_samples(out) * out->height) *
                      (int64_t)walk->count;
    int64_t bands = 1;
    walk->threads = 1;
    if (plan->use != FILTER_BY_ROWS) {
        walk->threads = satf_threads_for(ctx, samples, alone ? least_samples(last) : LEAST_SAMPLES);
        bands = walk->threads > 1 && alone && rows_of_window(last) == 1
                    ? walk->threads * BANDS_OF_A_THREAD
                    : walk->threads;
    }
    walk->band_rows = (out->height - 1) / least(bands, out->height) + 1;
    walk->walkers = (int)((out->height - 1) / walk->band_rows + 1);
}

/* Makes steps first ... end - 1 a walk, if that pays. */
static void make_walk(satf_context *ctx, satf_plan *plan, size_t first, size_t end)
{
    plan_walk *walk = &plan->walks[plan->walk_count];
    plan_step *steps = &plan->steps[first];
    *walk = (plan_walk){.first = first, .count = end - first};
    for (size_t k = 0; k < walk->count; k++) {
        find_source(plan, first, first + k, &steps[k].in, &steps[k].from[0]);
        for (int a = 1; a < SOURCES; a++) {
            find_source(plan, first, first + k, &steps[k].aux[a - 1], &steps[k].from[a]);
        }
    }
    share_out(ctx, plan, walk);
    steps[walk->count - 1].span = (walk_span){0, 0, 0, 0};
    for (size_t k = walk->count - 1; k-- > 0;) {
        steps[k].span = walk_span_of(plan, walk, k);
    }
    if (!walk_pays(plan, walk) && plan->use != FILTER_BY_ROWS) {
        for (size_t k = 0; k < walk->count; k++) {
            walk_from_memory(&steps[k]);
        }
        return;
    }
    for (size_t k = 0; k < walk->count; k++) {
        bool inner = k + 1 < walk->count;
        steps[k].step.walked = steps[k].step.by_rows = true;
        steps[k].step.passes_on = inner || plan->use == FILTER_BY_ROWS;
        steps[k].ring_rows = inner ? walk_rows_of(&steps[k].span, steps[k].step.out.height) : 0;
    }
    walk_span input = walk_span_of(plan, walk, walk->count);
    walk->kept = walk_rows_of(&input, plan->in.height);
    plan->walk_count++;
}

/* Makes walks of one step of steps that are in no walk yet and have walkers. */
static void make_single_walks(satf_context *ctx, satf_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        filter_step *step = &plan->steps[i].step;
        const filter_engine *engine = step->engine;
        bool runs = !engine->anywhere || (engine->runs && engine->runs(ctx, step));
        if (!step->walked && !runs) {
            plan_walk *walk = &plan->walks[plan->walk_count++];
            *walk = (plan_walk){.first = i, .count = 1};
            step->walked = true;
            share_out(ctx, plan, walk);
        }
    }
}

/* Lets images between filters alternate again, where some have become rings. */
static void take_turns(satf_plan *plan)
{
    plan_place latest = {PLACE_EVEN, 0};
    for (size_t i = 0; i < plan->count; i++) {
        plan_step *of = &plan->steps[i];
        for (int k = 0; k < SOURCES; k++) {
            plan_place *place = k ? &of->aux[k - 1] : &of->in;
            place->kind = is_between(place) ? latest.kind : place->kind;
        }
        if (is_between(&of->out) && !walk_is_inside(plan, i)) {
            latest.kind = latest.kind == PLACE_EVEN ? PLACE_ODD : PLACE_EVEN;
            of->out.kind = latest.kind;
            of->edged_at.kind = is_between(&of->edged_at) ? latest.kind : of->edged_at.kind;
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
        size_t until = first; /* the end of the last whole filter */
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
    make_single_walks(ctx, plan);
}

void walk_keep(satf_plan *plan)
{
    for (size_t w = 0; w < plan->walk_count; w++) {
        plan_step *steps = &plan->steps[plan->walks[w].first];
        for (size_t k = 1; k < plan->walks[w].count; k++) {
            int maker = steps[k].from[0].maker;
            if (maker >= 0 && steps[maker].step.shape->adapts) {
                const filter_rows_need *need = &steps[k].step.need;
                int64_t height = steps[maker].step.out.height;
                int64_t rows = most(need->kept + 1, steps[maker].ring_rows) + WALK_ROWS_AT_ONCE;
                steps[maker].ring_rows = least(rows, height);
                steps[maker].step.need.end = need->end;
                steps[maker].step.need.start = need->start;
            }
        }
    }
}

/* ----------------------------------------------------------------- what they take */

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

/* The least common multiple; INT64_MAX if it is larger. */
static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t of = a, rest = b, all;
    while (rest > 0) {
        int64_t next = of % rest;
        of = rest;
        rest = next;
    }
    return __builtin_mul_overflow(a / of, b, &all) ? INT64_MAX : all;
}

filter_rows_need filter_plan_need(const satf_plan *plan)
{
    const plan_walk *walk = &plan->walks[0];
    const filter_step *first = &plan->steps[0].step;
    filter_rows_need need = first->need;
    need.columns = 1;
    for (size_t k = 0; k < walk->count && !need.refusal && walk->count > 1; k++) {
        const filter_step *step = &plan->steps[k].step;
        bool wraps = step->border.kind == SATF_BORDER_WRAP && rows_of_window(step) > 1;
        need.refusal = step->need.refusal;
        need.link = plan->steps[k].link;
        need.kept = most(need.kept, most(walk->kept, step->need.kept));
        if (!need.refusal && wraps && plan_reported(plan) > 1) {
            need.refusal = "needs the whole picture for border wrap in several steps";
        }
    }
    for (size_t k = 0; k < walk->count && !need.refusal; k++) {
        const plan_step *of = &plan->steps[k];
        need.columns = common_multiple(need.columns, most(of->step.need.columns, 1));
        need.height |=
            of->step.need.height || of->in.kind == PLACE_PICTURE || of->step.adapter.weighs;
    }
    need.bytes = need.refusal ? 0 : plan->bytes;
    need.steps = need.refusal ? 0 : plan_reported(plan);
    return need;
}
