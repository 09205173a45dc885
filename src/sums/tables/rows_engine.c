/* Integrals on the CPU by rows, the picture never whole: the sums of the row above and those of the
 * row so far. */
#include <string.h>

#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../formula/epilogue.h"
#include "../../plan/step.h"

/* What a plan keeps of a step. */
typedef struct rows_step {
    epilogue finish;
    satf_sum_type sum_type;
    size_t row_bytes; /* of sums */
} rows_step;

/* A row of the table: above becomes above plus the sums of the row's terms up to each. That is
 * the order of the reference, hence of all that equals it bit for bit. */
#define ADD_ROW(Sum)                                                                            \
    static void add_row_##Sum(int channels, int64_t samples, const void *row_terms, void *sums) \
    {                                                                                           \
        const Sum *terms = row_terms;                                                           \
        Sum *above = sums;                                                                      \
        for (int c = 0; c < channels; c++) {                                                    \
            Sum left = 0;                                                                       \
            for (int64_t i = c; i < samples; i += channels) {                                   \
                left += terms[i];                                                               \
                above[i] = left + above[i];                                                     \
            }                                                                                   \
        }                                                                                       \
    }

ADD_ROW(uint32_t)
ADD_ROW(uint64_t)
ADD_ROW(double)

/* What the rows' sums are added in is the order of these two algorithms, which have no r and no
 * barriers. */
static bool suits(const satf_context *ctx, const filter_step *step)
{
    const satf_settings *settings = &ctx->settings;
    bool other = strcmp(settings->algorithm, "auto") && strcmp(settings->algorithm, "reference");
    return step->by_rows && !other && settings->r == 0 && !settings->sync;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    rows_step *state = step->state;
    state->sum_type = filter_prefix_sum(step);
    size_t samples = (size_t)satf_row_samples(&step->in);
    if (!satf_mul(samples, satf_sum_bytes(state->sum_type), &state->row_bytes) ||
        state->row_bytes > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "a row of the summed area table is too large");
    }
    state->row_bytes = satf_align64(state->row_bytes);
    epilogue_init(&state->finish, step->pass, step->options, &step->in, &step->out, false);
    state->finish.around_caches = false;
    epilogue_prepare(&state->finish, state->sum_type, state->sum_type, 1, false);
    step->walker_bytes = satf_align64(sizeof(row_walker)) + 2 * state->row_bytes;
    step->need.kept = 1;
    return SATF_OK;
}

/* Behind the walker are the row above and the terms of its own, a row of sums each. */
static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker)
{
    const rows_step *state = step->state;
    (void)end;
    *(row_walker *)walker = (row_walker){ctx, step, rows, first, 0};
    memset((char *)walker + satf_align64(sizeof(row_walker)), 0, state->row_bytes);
    return SATF_OK;
}

/* The sums of the row above become those of this row. */
static void add_row(const row_walker *w, const void *row, void *terms, void *above)
{
    const filter_step *step = w->step;
    const rows_step *state = step->state;
    const satf_view *in = &step->in;
    satf_summand summand = step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    satf_summands((satf_type)in->type, in->channels, summand, row, in->width, state->sum_type,
                  terms);
    (state->sum_type == SATF_SUM_U32 ? add_row_uint32_t
     : state->sum_type == SATF_SUM_U64
         ? add_row_uint64_t
         : add_row_double)(in->channels, satf_row_samples(in), terms, above);
}

static void finish_row(const row_walker *w, int64_t y, const void *sums, void *to)
{
    const rows_step *state = w->step->state;
    const satf_view *in = &w->step->in;
    satf_sum_type sum_type = state->sum_type;
    bool as_it_is = w->step->out.type == (sum_type == SATF_SUM_U32   ? SATF_U32
                                          : sum_type == SATF_SUM_U64 ? SATF_U64
                                                                     : SATF_F64);
    window_segment segment = {
        .y = y, .n = in->width, .sum_type = sum_type, .sums = sums, .area = 1};
    if (as_it_is) {
        memcpy(to, sums, (size_t)satf_row_samples(in) * satf_sum_bytes(sum_type));
    } else {
        epilogue_segment(&state->finish, &segment, to);
    }
}

static int64_t next(void *walker, satf_status *status)
{
    row_walker *w = walker;
    const rows_step *state = w->step->state;
    char *above = (char *)walker + satf_align64(sizeof *w);
    int64_t y = w->y;
    const void *from;
    void *to = filter_next_row(w, &from, status);
    if (to) {
        add_row(w, from, above + state->row_bytes, above);
        finish_row(w, y, above, to);
    }
    return to != NULL;
}

static const char *algorithm(const filter_step *step)
{
    (void)step;
    return "reference";
}

const filter_engine filter_rows_engine = {
    .name = "sat",
    .does = "is a summed area table",
    .kind = SATF_ENGINE_SAT,
    .overs = 1U << OVER_ALL,
    .ns = 3,
    .state_bytes = sizeof(rows_step),
    .suits = suits,
    .plan = plan,
    .begin = begin,
    .next = next,
    .algorithm = algorithm,
};
