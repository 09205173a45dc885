/* The window engine: filters windows on the CPU by marching; sums become results at once. */
#include <string.h>

#include "../../base/memory.h"
#include "../../base/view.h"
#include "march.h"
#include "../../formula/epilogue.h"
#include "../../plan/step.h"

/* For an image in memory: rows of a call, and pixels between two questions whether to go on. */
enum { ROWS_AT_ONCE = 32, TOLD_PIXELS = 1 << 15 };

/* The plan's state of a step. */
typedef struct window_step {
    window_plan plan;
    epilogue finish, twin; /* twin: of a step with a second output */
} window_step;

/* A walker; behind it is its march's memory. */
typedef struct window_walker {
    const filter_rows *rows;
    epilogue finish, twin;
    epilogue_weights weights;                /* of both */
    int64_t height, pixel_bytes, twin_bytes; /* height: as planned */
    bool reads_aux;
    int64_t pixels; /* made since goes_on() was last called */
    int64_t y;      /* the current row, and where it goes: */
    char *row;      /* NULL: nowhere, and no more input is asked for */
    char *twin_row; /* NULL: there is no twin */
    window_march march;
} window_walker;

/* Finds where row y goes, and the auxiliary samples beside it. */
static void window_engine_begin_row(window_walker *w, int64_t y)
{
    const filter_rows *rows = w->rows;
    if (w->pixels >= TOLD_PIXELS && rows->goes_on) {
        if (!rows->goes_on(rows->user, w->pixels)) {
            w->march.stop = SATF_CANCELLED;
        }
        w->pixels = 0;
    }
    w->y = y;
    w->row = rows->out(rows->user, y);
    if (w->reads_aux) {
        filter_find_aux(rows, 0, y, w->finish.aux);
    }
    if (w->twin_bytes) {
        w->twin_row = rows->twin(rows->user, y);
        filter_find_aux(rows, FILTER_AUX, y, w->twin.aux);
    }
}

static void sink(void *user, const window_segment *segment)
{
    window_walker *w = user;
    if (segment->y != w->y) {
        window_engine_begin_row(w, segment->y);
    }
    w->pixels += segment->n;
    if (w->row) {
        epilogue_segment(&w->finish, segment, w->row + segment->x * w->pixel_bytes);
    }
    if (w->twin_row) {
        epilogue_segment(&w->twin, segment, w->twin_row + segment->x * w->twin_bytes);
    }
}

static const void *source_row(void *user, int64_t y)
{
    const window_walker *w = user;
    return w->row ? w->rows->in(w->rows->user, y) : NULL;
}

static int64_t source_height(void *user)
{
    const window_walker *w = user;
    return filter_rows_height(w->rows, w->height);
}

static const char *window_engine_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return step->pass->reduction != FORMULA_NONE ? "looks at the whole picture before it begins"
           : step->border.kind == SATF_BORDER_WRAP && step->size.height > 1 &&
                   step->size.height >= step->in.height
               ? "needs the whole picture for so high a window with border wrap"
               : NULL;
}

/* Makes the epilogue of one output of the step, for windows of the spec. */
static void init_epilogue(const filter_step *step, const filter_pass *pass, const satf_view *out,
                          const window_spec *spec, epilogue *finish)
{
    epilogue_init(finish, pass, step->options, &step->in, out, step->weighted);
    finish->masked = step->masked;
    filter_set_scale(&step->scale, &finish->constants);
    finish->around_caches = finish->around_caches && !step->passes_on;
    finish->varies = step->varies;
    epilogue_prepare(finish, window_sum_type(spec, false), window_sum_type(spec, true),
                     (uint64_t)(spec->w * spec->h), spec->shifts);
}

static satf_status window_engine_plan(satf_context *ctx, filter_step *step)
{
    const filter_pass *pass = step->pass, *twin = step->twin ? step->twin : pass;
    window_step *state = step->state;
    window_spec spec = {
        .in = step->in,
        .w = step->size.width,
        .h = step->size.height,
        .border = (satf_border)step->border.kind,
        .constant = step->border.constant,
        .weight_outside = step->weight_outside,
        .weighted = step->weighted && !step->masked,
        .at_x = step->at.x,
        .at_y = step->at.y,
        .beyond_x = step->out.width - step->in.width,
        .beyond_y = step->out.height - step->in.height,
        .squares = filter_reads(pass, FORMULA_SQUARE) || filter_reads(twin, FORMULA_SQUARE),
        .centre = filter_has_centre(pass) || filter_has_centre(twin),
    };
    spec.shifts =
        (filter_has_shifts(pass) || filter_has_shifts(twin)) && satf_type_is_float(step->in.type);
    if (step->by_rows) {
        spec.row = source_row; /* a plan that streams has other memory */
        spec.height = source_height;
        step->need.kept = window_rows_kept(&spec);
        window_rows_wrapped(&spec, &step->need.end, &step->need.start);
    }
    init_epilogue(step, pass, &step->out, &spec, &state->finish);
    if (step->twin) {
        init_epilogue(step, twin, &step->twin_out, &spec, &state->twin);
    }
    satf_status status = window_plan_make(ctx, &spec, &state->plan);
    if (!status) {
        bool blocks = state->plan.is_float && !state->plan.few_rows;
        step->need.columns = blocks ? window_block_columns(&state->plan) : 1;
        step->kept_bytes = state->plan.shared_bytes;
        step->walker_bytes = satf_align64(sizeof(window_walker)) + state->plan.march_bytes;
    }
    return status;
}

static satf_status window_engine_prepare(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    const window_step *state = step->state;
    window_prepare(&state->plan, step->kept);
    return SATF_OK;
}

static satf_status window_engine_look(satf_context *ctx, filter_step *step,
                                      satf_status (*walk)(void *walkers), void *walkers)
{
    window_step *state = step->state;
    epilogue_reduction reduction;
    (void)ctx;
    epilogue_begin_reduction(&state->finish, &reduction, &step->reduced);
    satf_status status = walk(walkers);
    epilogue_end_reduction(&state->finish);
    return status;
}

static satf_status window_engine_begin(satf_context *ctx, const filter_step *step,
                                       const filter_rows *rows, int64_t first, int64_t end,
                                       void *walker)
{
    static char any_place; /* not NULL, until begin_row() finds the first row's place */
    const window_step *state = step->state;
    window_walker *w = walker;
    w->rows = rows;
    w->finish = state->finish;
    w->twin = state->twin;
    w->weights.n = 0;
    w->finish.weights = w->twin.weights = &w->weights;
    w->height = step->in.height;
    w->pixel_bytes = satf_pixel_bytes(&step->out);
    w->twin_bytes = step->twin ? satf_pixel_bytes(&step->twin_out) : 0;
    w->reads_aux = filter_reads(step->pass, FORMULA_AUX | FORMULA_AUX_TOO);
    w->pixels = 0;
    w->y = -1;
    w->row = &any_place;
    w->twin_row = NULL;
    memcpy(w->finish.aux, step->aux, sizeof w->finish.aux);
    memcpy(w->twin.aux, step->twin_aux, sizeof step->twin_aux);
    w->march = (window_march){.ctx = ctx,
                              .plan = &state->plan,
                              .source = step->by_rows ? w : step->in.data,
                              .sink = sink,
                              .user = w,
                              .shared = step->kept,
                              .memory = (char *)walker + satf_align64(sizeof *w),
                              .y = first,
                              .end = end};
    return window_march_begin(&w->march);
}

static int64_t window_engine_next(void *walker, satf_status *status)
{
    window_walker *w = walker;
    window_march *m = &w->march;
    int64_t before = m->y, most = w->rows->goes_on ? ROWS_AT_ONCE : 1;
    while (window_next(m) && m->y - before < most) {
    }
    *status = m->stop;
    if (!*status && !w->row) {
        *status = satf_fail(m->ctx, SATF_IO, "a row could not be stored");
    }
    return *status ? 0 : m->y - before;
}

const filter_engine filter_window_engine = {
    .name = "window",
    .does = "sums windows row by row",
    .kind = SATF_ENGINE_WINDOW,
    .makes_twin = true,
    .ns = 4,
    .state_bytes = sizeof(window_step),
    .plan = window_engine_plan,
    .prepare = window_engine_prepare,
    .look = window_engine_look,
    .refuses_rows = window_engine_refuses_rows,
    .begin = window_engine_begin,
    .next = window_engine_next,
    .anywhere = true,
    .least_samples = 200000,
};

/* ------------------------------------------------------------------------ shapes */

static const filter_engine *const window_engines[] = {&filter_window_engine, &filter_table_engine,
                                                      &filter_device_engine,
                                                      &filter_device_window_engine, NULL};

const pass_shape shape_window = {.kind = SATF_FILTER_WINDOW,
                                 .windows = true,
                                 .in_modules = true,
                                 .reach = shape_window_reach,
                                 .engines = window_engines};

static filter_reach mirrored_reach(const chain_link *link, const filter_pass *pass)
{
    filter_reach of = shape_window_reach(link, pass);
    return (filter_reach){of.right, of.bottom, of.left, of.top};
}

const pass_shape shape_mirrored = {.kind = SATF_FILTER_WINDOW,
                                   .windows = true,
                                   .mirrored = true,
                                   .in_modules = true,
                                   .reach = mirrored_reach,
                                   .engines = window_engines};
