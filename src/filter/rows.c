/*
 * Streaming: one filter of a chain, row by row. Window filters march on the window engine;
 * an integral is the sums of the row above and those of the row so far; a flip moves each row.
 */
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "run.h"

/* The filter as a chain of its own, which shares its parameters. */
static satf_filter alone(const satf_filter *chain, size_t index)
{
    return (satf_filter){.count = 1, .links = &chain->links[index]};
}

satf_status filter_output_at(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, satf_view *out)
{
    satf_filter one = alone(chain, index);
    return satf_filter_output(ctx, &one, in, out);
}

/* filter_rows_need.refusal */
static const char *refusal(const satf_context *ctx, const filter_stage *stage)
{
    switch (stage->info->recipe->region) {
    case REGION_WINDOW:
        return stage->info->recipe->survey != FORMULA_NONE
                   ? "surveys the whole picture before it begins"
               : stage->way != BY_WINDOW ? "needs the whole picture on the SAT engine"
               : stage->border.kind == SATF_WRAP && stage->size.height >= stage->in.height
                   ? "needs the whole picture for so high a window with border wrap"
                   : NULL;
    case REGION_PREFIX:
        /* What the rows' sums are added in is the order of these two. */
        return strcmp(ctx->algorithm, "auto") == 0 || strcmp(ctx->algorithm, "reference") == 0
                   ? NULL
                   : "needs the whole picture for that algorithm";
    case REGION_PIXEL:
        return filter_move_by_rows(stage) ? NULL
                                          : "moves pixels to other rows and needs the whole "
                                            "picture";
    default:
        return "needs the whole picture";
    }
}

/* ----------------------------------------------------------------- integrals */

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

/* The table's sum type, and the bytes of a row of it. */
static satf_status plan_integral(satf_context *ctx, const filter_stage *stage,
                                 satf_sum_type *sum_type, size_t *row_bytes)
{
    satf_type type;
    satf_status status = satf_sat_type(ctx, &stage->in, stage->squared ? SATF_SQUARED : 0, &type);
    if (status) {
        return status;
    }
    *sum_type = type == SATF_U32 ? SATF_SUM_U32 : type == SATF_U64 ? SATF_SUM_U64 : SATF_SUM_F64;
    if (!satf_mul((size_t)satf_row_samples(&stage->in), satf_sum_bytes(*sum_type), row_bytes) ||
        *row_bytes > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "a row of the summed area table is too large");
    }
    *row_bytes = satf_align64(*row_bytes);
    return SATF_OK;
}

/* terms and above: a row of sums each. */
static satf_status march_integral(satf_context *ctx, const filter_stage *stage,
                                  satf_sum_type sum_type, void *terms, void *above)
{
    const satf_view *in = &stage->in;
    satf_summand summand = stage->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    void (*add_row)(int, int64_t, const void *, void *) =
        sum_type == SATF_SUM_U32   ? add_row_uint32_t
        : sum_type == SATF_SUM_U64 ? add_row_uint64_t
                                   : add_row_double;
    size_t row_bytes = (size_t)satf_row_samples(in) * satf_sum_bytes(sum_type);
    bool as_it_is = stage->out.type == (sum_type == SATF_SUM_U32   ? SATF_U32
                                        : sum_type == SATF_SUM_U64 ? SATF_U64
                                                                   : SATF_F64);
    finisher finish;
    finisher_init(&finish, stage->info->recipe, stage->options, in, &stage->out, false);
    window_segment segment = {.n = in->width, .sum_type = sum_type, .sums = above, .area = 1};
    for (segment.y = 0; segment.y < in->height; segment.y++) {
        const void *row = stage->rows->in(stage->rows->user, segment.y);
        if (row) {
            satf_summands((satf_type)in->type, in->channels, summand, row, in->width, sum_type,
                          terms);
            add_row(in->channels, satf_row_samples(in), terms, above);
        }
        void *to = row ? stage->rows->out(stage->rows->user, segment.y) : NULL;
        if (!to) {
            return satf_fail(ctx, SATF_IO, "row %lld could not be had or stored; see its source",
                             (long long)segment.y);
        }
        if (as_it_is) {
            memcpy(to, above, row_bytes);
        } else {
            finish_segment(&finish, &segment, to);
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

static satf_status run_integral(satf_context *ctx, const filter_stage *stage)
{
    satf_sum_type sum_type;
    size_t row_bytes = 0;
    satf_status status = plan_integral(ctx, stage, &sum_type, &row_bytes);
    if (status) {
        return status;
    }
    char *memory = satf_alloc(2 * row_bytes);
    if (!memory) {
        return satf_fail_memory(ctx, 2 * row_bytes, "two rows of a summed area table");
    }
    memset(memory, 0, row_bytes);
    ctx->report_engine = "sat";
    ctx->report_algorithm = "reference";
    status = march_integral(ctx, stage, sum_type, memory + row_bytes, memory);
    satf_free(memory);
    return status;
}

/* ------------------------------------------------------------------ any kind */

/* The rows of grey are kept beside those of colour. */
static satf_status add_grey_rows(satf_context *ctx, const satf_view *in, filter_rows_need *need)
{
    size_t bytes = filter_grey_rows_bytes(in, need);
    if (!bytes || !satf_add(need->bytes, bytes, &need->bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the rows of grey are too large for any memory");
    }
    return SATF_OK;
}

/* A window filter of grey, out of rows of colour. */
static satf_status run_grey_window(satf_context *ctx, filter_stage *stage, const filter_rows *rows)
{
    filter_rows_need need = {0};
    satf_status status = filter_window_rows_need(ctx, stage, &need);
    if (status) {
        return status;
    }
    size_t bytes = filter_grey_rows_bytes(&stage->source, &need);
    void *memory = bytes ? satf_alloc(bytes) : NULL;
    if (!memory) {
        return satf_fail_memory(ctx, bytes, "rows of grey");
    }
    filter_grey_rows grey;
    filter_grey_rows_init(&grey, rows, &stage->source, &need, memory);
    filter_rows grey_rows = {filter_grey_rows_in, filter_grey_rows_out, &grey};
    stage->rows = &grey_rows;
    status = filter_run_window(ctx, stage, NULL);
    satf_free(memory);
    return status;
}

satf_status filter_rows_plan(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, const satf_view *out, filter_rows_need *need)
{
    filter_stage stage;
    satf_status status = filter_plan_stage(ctx, &chain->links[index], in, out, &stage);
    if (status) {
        return status;
    }
    *need = (filter_rows_need){.refusal = refusal(ctx, &stage)};
    if (need->refusal) {
        return SATF_OK;
    }
    if (stage.way == BY_WINDOW) {
        status = filter_window_rows_need(ctx, &stage, need);
        if (!status && stage.grey) {
            status = add_grey_rows(ctx, in, need);
        }
        return status;
    }
    if (stage.way == BY_MOVING) {
        filter_move_rows_need(&stage, need);
        return SATF_OK;
    }
    satf_sum_type sum_type;
    size_t row_bytes = 0;
    status = plan_integral(ctx, &stage, &sum_type, &row_bytes);
    *need = (filter_rows_need){.kept = 1, .bytes = status ? 0 : 2 * row_bytes};
    return status;
}

satf_status filter_run_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                            const satf_view *in, const satf_view *out, const filter_rows *rows)
{
    const chain_link *link = &chain->links[index];
    filter_stage stage;
    satf_status status = filter_plan_stage(ctx, link, in, out, &stage);
    if (status) {
        return status;
    }
    stage.rows = rows;
    ctx->report_device = "cpu";
    satf_progress_begin(ctx);
    status = stage.grey               ? run_grey_window(ctx, &stage, rows)
             : stage.way == BY_WINDOW ? filter_run_window(ctx, &stage, NULL)
             : stage.way == BY_MOVING ? filter_run_move(ctx, &stage, NULL)
                                      : run_integral(ctx, &stage);
    return status ? status : satf_report_progress(ctx, 1);
}
