/* Window filters by the window engine: finished straight into the output's rows. */
#include "../base/view.h"
#include "run.h"

typedef struct sink_state {
    finisher finish;
    satf_view out;
    int64_t pixel_bytes;
    /* streaming */
    const filter_rows *rows;
    char *row; /* where the current row goes; NULL: nowhere, and no more input */
} sink_state;

static void sink(void *user, int thread, const window_segment *segment)
{
    (void)thread;
    const sink_state *state = user;
    char *row = satf_row(&state->out, segment->y);
    finish_segment(&state->finish, segment, row + segment->x * state->pixel_bytes);
}

/* The same, one row after the other, on one thread. */
static void stream_sink(void *user, int thread, const window_segment *segment)
{
    (void)thread;
    sink_state *state = user;
    if (segment->x == 0) {
        state->row = state->rows->out(state->rows->user, segment->y);
    }
    if (state->row) {
        finish_segment(&state->finish, segment, state->row + segment->x * state->pixel_bytes);
    }
}

static const void *stream_row(void *user, int64_t y)
{
    const sink_state *state = user;
    return state->row ? state->rows->in(state->rows->user, y) : NULL;
}

static window_spec make_spec(const filter_stage *stage)
{
    return (window_spec){
        .in = stage->in,
        .w = stage->size.width,
        .h = stage->size.height,
        .border = (satf_border)stage->border.kind,
        .constant = stage->border.constant,
        .weighted = stage->weighted,
        .at_x = stage->at.x,
        .at_y = stage->at.y,
        .squares = filter_reads(stage->info->recipe, FORMULA_SQUARE),
        .centre = filter_reads(stage->info->recipe, FORMULA_CENTRE),
    };
}

static satf_status window_memory(satf_context *ctx, const window_spec *spec, size_t *bytes)
{
    if (!window_bytes(ctx, spec, bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the window is too large for the memory of this machine");
    }
    return SATF_OK;
}

satf_status filter_window_rows_need(satf_context *ctx, const filter_stage *stage,
                                    filter_rows_need *need)
{
    window_spec spec = make_spec(stage);
    spec.row = stream_row; /* streaming takes other memory */
    need->kept = window_rows_kept(&spec);
    window_rows_wrapped(&spec, &need->end, &need->start);
    return window_memory(ctx, &spec, &need->bytes);
}

satf_status filter_window_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes)
{
    window_spec spec = make_spec(stage);
    return window_memory(ctx, &spec, bytes);
}

/* The survey first, if the filter wants one. */
static satf_status run_whole(satf_context *ctx, const filter_stage *stage, const window_spec *spec,
                             void *scratch, sink_state *state)
{
    if (stage->info->recipe->survey == FORMULA_NONE) {
        return window_run(ctx, spec, scratch, sink, state);
    }
    finish_survey survey;
    satf_progress_part whole = satf_progress_enter(ctx, 0, 0.5);
    finisher_begin_survey(&state->finish, &survey);
    satf_status status = window_run(ctx, spec, scratch, sink, state);
    finisher_end_survey(&state->finish);
    satf_progress_leave(ctx, whole);
    whole = satf_progress_enter(ctx, 0.5, 0.5);
    if (!status) {
        status = window_run(ctx, spec, scratch, sink, state);
    }
    satf_progress_leave(ctx, whole);
    return status;
}

satf_status filter_run_window(satf_context *ctx, const filter_stage *stage, void *scratch)
{
    window_spec spec = make_spec(stage);
    sink_state state = {.out = stage->out};
    state.pixel_bytes = stage->out.channels * (int64_t)satf_type_bytes(stage->out.type);
    finisher_init(&state.finish, stage->info->recipe, stage->options, &stage->in, &stage->out,
                  stage->weighted);
    if (stage->rows) {
        char first; /* any place but NULL, until the first row has one */
        state.rows = stage->rows;
        state.row = &first;
        spec.in.data = NULL;
        spec.row = stream_row;
        spec.row_user = &state;
    }
    ctx->report_engine = "window";
    ctx->report_algorithm = NULL;
    if (!stage->rows) {
        return run_whole(ctx, stage, &spec, scratch, &state);
    }
    satf_status status = window_run(ctx, &spec, NULL, stream_sink, &state);
    if (!status && !state.row) {
        status = satf_fail(ctx, SATF_IO, "the last row could not be stored");
    }
    return status;
}
