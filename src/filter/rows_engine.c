/* Integrals on the CPU by rows, the picture never whole: the sums of the row above and those of the
 * row so far. */
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "epilogue.h"
#include "step.h"

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

/* Rows between two looks at the context's progress callback. */
enum { REPORT_ROWS = 64 };

/* What the rows' sums are added in is the order of these two algorithms. */
static bool suits(const satf_context *ctx, const filter_step *step)
{
    return step->by_rows && (strcmp(ctx->settings.algorithm, "auto") == 0 ||
                             strcmp(ctx->settings.algorithm, "reference") == 0);
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
    epilogue_init(&state->finish, step->recipe, step->options, &step->in, &step->out, false);
    state->finish.around_caches = false;
    step->scratch_bytes = 2 * state->row_bytes;
    step->need.kept = 1;
    return SATF_OK;
}

/* terms and above: a row of sums each. */
static satf_status march_integral(satf_context *ctx, const filter_step *step,
                                  const filter_rows *rows, void *terms, void *above)
{
    const rows_step *state = step->state;
    satf_sum_type sum_type = state->sum_type;
    const satf_view *in = &step->in;
    satf_summand summand = step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    void (*add_row)(int, int64_t, const void *, void *) =
        sum_type == SATF_SUM_U32   ? add_row_uint32_t
        : sum_type == SATF_SUM_U64 ? add_row_uint64_t
                                   : add_row_double;
    size_t row_bytes = (size_t)satf_row_samples(in) * satf_sum_bytes(sum_type);
    bool as_it_is = step->out.type == (sum_type == SATF_SUM_U32   ? SATF_U32
                                       : sum_type == SATF_SUM_U64 ? SATF_U64
                                                                  : SATF_F64);
    window_segment segment = {.n = in->width, .sum_type = sum_type, .sums = above, .area = 1};
    for (segment.y = 0; segment.y < in->height; segment.y++) {
        const void *row = rows->in(rows->user, segment.y);
        if (segment.y >= filter_rows_height(rows, in->height)) {
            break;
        }
        if (row) {
            satf_summands((satf_type)in->type, in->channels, summand, row, in->width, sum_type,
                          terms);
            add_row(in->channels, satf_row_samples(in), terms, above);
        }
        void *to = row ? rows->out(rows->user, segment.y) : NULL;
        if (!to) {
            return satf_fail(ctx, SATF_IO, "row %lld could not be had or stored; see its source",
                             (long long)segment.y);
        }
        if (as_it_is) {
            memcpy(to, above, row_bytes);
        } else {
            epilogue_segment(&state->finish, &segment, to);
        }
        satf_status status =
            segment.y % REPORT_ROWS
                ? SATF_OK
                : satf_report_progress(ctx, (double)segment.y / (double)in->height);
        if (status) {
            return status;
        }
    }
    return SATF_OK;
}

static satf_status run_rows(satf_context *ctx, filter_step *step, const filter_rows *rows)
{
    const rows_step *state = step->state;
    memset(step->scratch, 0, state->row_bytes);
    return march_integral(ctx, step, rows, step->scratch + state->row_bytes, step->scratch);
}

static const char *algorithm(const filter_step *step)
{
    (void)step;
    return "reference";
}

const filter_engine filter_rows_engine = {
    .name = "sat",
    .kind = SATF_ENGINE_SAT,
    .regions = 1U << REGION_PREFIX,
    .ns = 1,
    .state_bytes = sizeof(rows_step),
    .suits = suits,
    .plan = plan,
    .run_rows = run_rows,
    .algorithm = algorithm,
};
