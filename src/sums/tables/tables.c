/* Plans a step's tables: their sum types and their memory. */
#include "tables.h"

#include "../../base/memory.h"
#include "../../base/view.h"

/* The largest rectangle's area, which decides the sum type. */
static uint64_t largest_area(const satf_weighted_rect *rects, size_t count)
{
    uint64_t area = 1;
    for (size_t k = 0; k < count; k++) {
        uint64_t a = (uint64_t)rects[k].rect.w * (uint64_t)rects[k].rect.h;
        area = a > area ? a : area;
    }
    return area;
}

/* Chooses which sums the tables hold, and their types. */
static void choose_sums(const filter_step *step, filter_tables *tables)
{
    const filter_pass *pass = step->pass;
    const filter_rects *rects = step->rects;
    satf_rect windows[FILTER_MAX_WINDOWS];
    int count = filter_windows(step, windows);
    for (int k = 0; k < count; k++) {
        tables->windows[k] = (satf_weighted_rect){windows[k], 1};
    }
    tables->rects = rects ? rects->items : tables->windows;
    tables->rect_count = rects ? rects->count : (size_t)count;
    tables->layers[0].summand = step->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    if (filter_reads(pass, FORMULA_SQUARE)) {
        tables->count = 2;
        tables->layers[1].summand =
            step->weighted ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_SQUARE;
    }
    uint64_t area = largest_area(tables->rects, tables->rect_count);
    for (int k = 0; k < tables->count; k++) {
        sat_layer *layer = &tables->layers[k];
        layer->type =
            satf_sum_type_for((satf_type)step->in.type, layer->summand, area, SATF_SUM_U32);
    }
}

/* Lays out the table of layer k, and its algorithm's words. */
static bool tables_lay_out(const filter_step *step, filter_tables *tables, int k)
{
    const satf_view *in = &step->in;
    size_t bytes;
    tables->sats[k] = tables->bytes;
    if (!sat_layer_bytes(in, &tables->layers[k], &bytes) ||
        !satf_add(tables->bytes, bytes, &tables->bytes)) {
        return false;
    }
    tables->spares[k] = tables->bytes;
    if (!sat_layer_spare_bytes(in, &tables->layers[k], &bytes) ||
        !satf_add(tables->bytes, bytes, &tables->bytes)) {
        return false;
    }
    tables->words[k] = tables->kept_bytes;
    bytes = tables->plans[k].algorithm->keeps ? tables->plans[k].bytes : 0;
    return bytes < SIZE_MAX / 2 &&
           satf_add(tables->kept_bytes, satf_align64(bytes), &tables->kept_bytes);
}

satf_status filter_tables_plan(satf_context *ctx, const filter_step *step, filter_tables *tables)
{
    *tables = (filter_tables){.count = 1};
    satf_status status = SATF_OK;
    choose_sums(step, tables);
    bool fits = true;
    size_t algorithm = 0;
    for (int k = 0; k < tables->count && !status && fits; k++) {
        sat_layer *layer = &tables->layers[k];
        sat_job job = sat_layer_job(&step->in, layer);
        layer->stride = job.out_stride;
        if (step->border.kind == SATF_BORDER_CONSTANT) {
            sat_layer_find_outside(step, NULL, layer);
        }
        status = sat_plan_make(ctx, &job, &tables->plans[k]);
        fits = status || tables_lay_out(step, tables, k);
        if (!status && !tables->plans[k].algorithm->keeps && tables->plans[k].bytes > algorithm) {
            algorithm = tables->plans[k].bytes;
        }
    }
    tables->algorithm = tables->bytes;
    if (!status && (!fits || !satf_add(tables->bytes, algorithm, &tables->bytes) ||
                    tables->bytes > SIZE_MAX / 2)) {
        status = satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
    }
    tables->bytes = status ? 0 : satf_align64(tables->bytes);
    return status;
}

void filter_tables_forget(filter_tables *tables)
{
    for (int k = 0; k < tables->count; k++) {
        tables->plans[k].runs = 0;
    }
}

satf_status filter_tables_build(satf_context *ctx, const filter_step *step, filter_tables *tables,
                                double parts)
{
    satf_status status = SATF_OK;
    for (int k = 0; k < tables->count && !status; k++) {
        sat_layer *layer = &tables->layers[k];
        sat_plan *plan = &tables->plans[k];
        layer->sat = step->scratch + tables->sats[k];
        layer->spare = step->scratch + tables->spares[k];
        layer->masks[0] = layer->masks[1] = NULL;
        char *scratch = plan->algorithm->keeps ? step->kept + tables->words[k]
                                               : step->scratch + tables->algorithm;
        satf_progress_part whole = satf_progress_enter(ctx, k / parts, 1 / parts);
        status = sat_plan_run(ctx, plan, step->in.data, layer->sat, plan->bytes ? scratch : NULL);
        satf_progress_leave(ctx, whole);
    }
    return status;
}

const char *filter_tables_algorithm(const filter_tables *tables)
{
    return tables->plans[0].algorithm->name;
}
