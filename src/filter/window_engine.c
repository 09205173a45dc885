/* Window filters on the CPU by marching: finished straight into the output's rows. */
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "../window/march.h"
#include "epilogue.h"
#include "step.h"

/* What a plan keeps of a step. */
typedef struct window_step {
    window_plan plan;
    epilogue finish, second; /* the latter of a step with a second output */
} window_step;

typedef struct sink_state {
    const epilogue *finish, *second; /* NULL: no second output */
    satf_view out, second_out;
    int64_t pixel_bytes, second_bytes;
    /* by rows */
    const filter_rows *rows;
    char *row; /* where the current row goes; NULL: nowhere, and no more input */
    char *second_row;
} sink_state;

/* A walker; behind it is its march's memory. */
typedef struct window_walker {
    sink_state to;
    epilogue finish, second;
    window_march march;
} window_walker;

static void sink(void *user, int thread, const window_segment *segment)
{
    (void)thread;
    const sink_state *state = user;
    char *row = satf_row(&state->out, segment->y);
    epilogue_segment(state->finish, segment, row + segment->x * state->pixel_bytes);
    if (state->second) {
        row = satf_row(&state->second_out, segment->y);
        epilogue_segment(state->second, segment, row + segment->x * state->second_bytes);
    }
}

/* Where the row goes, and what is beside it. */
static void begin_row(window_walker *w, int64_t y)
{
    const filter_rows *rows = w->to.rows;
    w->to.row = rows->out(rows->user, y);
    filter_find_aux(rows, 0, y, w->finish.aux);
    if (w->to.second) {
        w->to.second_row = rows->second(rows->user, y);
        filter_find_aux(rows, FILTER_AUX, y, w->second.aux);
    }
}

/* The same, one row after the other. */
static void row_sink(void *user, int thread, const window_segment *segment)
{
    window_walker *w = user;
    const sink_state *to = &w->to;
    if (segment->x == 0) {
        begin_row(w, segment->y);
    }
    if (to->row) {
        epilogue_segment(to->finish, segment, to->row + segment->x * to->pixel_bytes);
    }
    if (to->second) {
        epilogue_segment(to->second, segment, to->second_row + segment->x * to->second_bytes);
    }
    (void)thread;
}

static const void *source_row(void *user, int64_t y)
{
    const sink_state *to = user;
    return to->row ? to->rows->in(to->rows->user, y) : NULL;
}

static int64_t source_height(void *user)
{
    const sink_state *to = user;
    return filter_rows_height(to->rows, to->out.height);
}

static const char *refuses_rows(const filter_step *step)
{
    return step->pass->reduction != FORMULA_NONE ? "looks at the whole picture before it begins"
           : step->border.kind == SATF_WRAP && step->size.height > 1 &&
                   step->size.height >= step->in.height
               ? "needs the whole picture for so high a window with border wrap"
               : NULL;
}

/* For one output of the step. */
static void init_epilogue(const filter_step *step, const filter_pass *pass, const satf_view *out,
                          epilogue *finish)
{
    epilogue_init(finish, pass, step->options, &step->in, out, step->weighted);
    filter_set_scale(&step->scale, &finish->constants);
    finish->around_caches = finish->around_caches && !step->passes_on;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    const filter_pass *pass = step->pass, *second = step->second ? step->second : pass;
    window_step *state = step->state;
    window_spec spec = {
        .in = step->in,
        .w = step->size.width,
        .h = step->size.height,
        .border = (satf_border)step->border.kind,
        .constant = step->border.constant,
        .weighted = step->weighted,
        .at_x = step->at.x,
        .at_y = step->at.y,
        .squares = filter_reads(pass, FORMULA_SQUARE) || filter_reads(second, FORMULA_SQUARE),
        .centre = filter_has_centre(pass) || filter_has_centre(second),
    };
    spec.shifts =
        (filter_has_shifts(pass) || filter_has_shifts(second)) && satf_type_is_float(step->in.type);
    if (step->by_rows) {
        spec.row = source_row; /* which takes other memory */
        spec.height = source_height;
    }
    if (step->by_rows) {
        step->need.kept = window_rows_kept(&spec);
        window_rows_wrapped(&spec, &step->need.end, &step->need.start);
    }
    init_epilogue(step, pass, &step->out, &state->finish);
    if (step->second) {
        init_epilogue(step, second, &step->second_out, &state->second);
    }
    satf_status status = window_plan_make(ctx, &spec, &state->plan);
    if (!status) {
        step->kept_bytes = step->by_rows ? state->plan.shared_bytes : state->plan.bytes;
        step->walker_bytes = satf_align64(sizeof(window_walker)) + state->plan.band_bytes;
    }
    return status;
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    const window_step *state = step->state;
    window_prepare(&state->plan, step->kept);
    return SATF_OK;
}

static sink_state sink_of(const filter_step *step)
{
    window_step *state = step->state;
    return (sink_state){.finish = &state->finish,
                        .second = step->second ? &state->second : NULL,
                        .out = step->out,
                        .second_out = step->second_out,
                        .pixel_bytes = satf_pixel_bytes(&step->out),
                        .second_bytes = satf_pixel_bytes(&step->second_out)};
}

/* The reduction first, if the filter wants one. */
static satf_status run(satf_context *ctx, filter_step *step)
{
    window_step *state = step->state;
    sink_state to = sink_of(step);
    memcpy(state->finish.aux, step->aux, sizeof state->finish.aux);
    memcpy(state->second.aux, step->second_aux, sizeof step->second_aux);
    if (step->pass->reduction == FORMULA_NONE) {
        return window_run(ctx, &state->plan, step->in.data, step->kept, sink, &to);
    }
    epilogue_reduction reduction;
    satf_progress_part whole = satf_progress_enter(ctx, 0, 0.5);
    epilogue_begin_reduction(&state->finish, &reduction, &step->reduced);
    satf_status status = window_run(ctx, &state->plan, step->in.data, step->kept, sink, &to);
    epilogue_end_reduction(&state->finish);
    satf_progress_leave(ctx, whole);
    whole = satf_progress_enter(ctx, 0.5, 0.5);
    if (!status) {
        status = window_run(ctx, &state->plan, step->in.data, step->kept, sink, &to);
    }
    satf_progress_leave(ctx, whole);
    return status;
}

static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, void *walker)
{
    static char any_place; /* but NULL, until the first row has one */
    const window_step *state = step->state;
    window_walker *w = walker;
    *w = (window_walker){.to = sink_of(step), .finish = state->finish, .second = state->second};
    memcpy(w->finish.aux, step->aux, sizeof w->finish.aux);
    memcpy(w->second.aux, step->second_aux, sizeof step->second_aux);
    w->to.finish = &w->finish;
    w->to.second = step->second ? &w->second : NULL;
    w->to.rows = rows;
    w->to.row = &any_place;
    return window_march_begin(ctx, &state->plan, &w->to, step->kept,
                              (char *)walker + satf_align64(sizeof *w), first, row_sink, w,
                              &w->march);
}

static bool next(void *walker, satf_status *status)
{
    window_walker *w = walker;
    bool made = window_next(&w->march.band);
    *status = (satf_status)atomic_load_explicit(&w->march.state.stop, memory_order_relaxed);
    if (!*status && !w->to.row) {
        *status = satf_fail(w->march.state.ctx, SATF_IO, "a row could not be stored");
    }
    return made && !*status;
}

const filter_engine filter_window_engine = {
    .name = "window",
    .kind = SATF_ENGINE_WINDOW,
    .overs = FILTER_WINDOWS,
    .pairs = true,
    .ns = 1,
    .state_bytes = sizeof(window_step),
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .refuses_rows = refuses_rows,
    .begin = begin,
    .next = next,
    .anywhere = true,
};
