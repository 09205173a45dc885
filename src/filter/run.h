/* One filter of a chain on one image, by either engine. */
#ifndef SATF_FILTER_RUN_H
#define SATF_FILTER_RUN_H

#include "chain.h"
#include "finish.h"
#include "gpu.h"

typedef enum filter_way { BY_WINDOW, BY_SAT, BY_MOVING } filter_way;

/* Checked: types, sizes and the border's constant fit. */
typedef struct filter_stage {
    const filter_info *info;
    const void *options; /* the filter's own, and what engines look at of them: */
    filter_size size;
    filter_place at;
    filter_border border; /* the constant is exact in the input's type */
    const filter_rects *rects;
    const filter_order *order;
    bool squared;      /* REGION_PREFIX: squares are summed */
    satf_view in, out; /* data may be NULL while only sizes are asked for */
    bool grey;         /* in is the grey of source, still without data */
    satf_view source;
    bool weighted;
    filter_way way;
    const filter_rows *rows; /* streaming: NULL if the views have their data */
} filter_stage;

/* One filter from in to out, whose data may be NULL: checks it and chooses the engine. */
satf_status filter_plan_stage(satf_context *ctx, const chain_link *link, const satf_view *in,
                              const satf_view *out, filter_stage *stage);

/* Whether the filter wants such an image as grey, and the packed view of that. (grey.c) */
bool filter_needs_grey(const filter_recipe *recipe, const satf_view *in);
satf_view filter_grey_view(const satf_view *in, void *data);
/* out: filter_grey_view() with data. */
satf_status filter_run_grey(satf_context *ctx, const satf_view *in, const satf_view *out);

/* Rows of grey for a filter that streams: made when they are first asked for, and held for when
 * they are asked for again. */
typedef struct filter_grey_rows {
    const filter_rows *rows; /* of colour */
    const satf_view *in;
    filter_rows_need need; /* which rows may be asked for */
    int64_t stride;
    char *memory;
    int64_t *held; /* which row is in each slot */
} filter_grey_rows;

/* Memory for it; 0 if that overflows. */
size_t filter_grey_rows_bytes(const satf_view *in, const filter_rows_need *need);
void filter_grey_rows_init(filter_grey_rows *g, const filter_rows *rows, const satf_view *in,
                           const filter_rows_need *need, void *memory);
/* filter_rows.in and out, the user being g. */
const void *filter_grey_rows_in(void *user, int64_t y);
void *filter_grey_rows_out(void *user, int64_t y);

/* Scratch of the window engine; it must be aligned to 64 bytes. */
satf_status filter_window_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes);
/* What the window engine needs when it streams. */
satf_status filter_window_rows_need(satf_context *ctx, const filter_stage *stage,
                                    filter_rows_need *need);
/* scratch NULL: allocates what it needs, which streaming must. */
satf_status filter_run_window(satf_context *ctx, const filter_stage *stage, void *scratch);

/* Scratch of the SAT engine; it must be aligned to 64 bytes. */
satf_status filter_sat_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes);
satf_status filter_run_sat(satf_context *ctx, const filter_stage *stage, void *scratch);

/* Scratch of filters that move pixels; it must be aligned to 64 bytes. */
satf_status filter_move_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes);
/* True if a row of the result is made of that row of the input alone. */
bool filter_move_by_rows(const filter_stage *stage);
void filter_move_rows_need(const filter_stage *stage, filter_rows_need *need);
satf_status filter_run_move(satf_context *ctx, const filter_stage *stage, void *scratch);

#endif
