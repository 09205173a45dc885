/* One filter of a chain on one image, by either engine. */
#ifndef SATF_FILTER_RUN_H
#define SATF_FILTER_RUN_H

#include "chain.h"
#include "finish.h"

/* Checked: types, sizes and the border's constant fit. */
typedef struct filter_stage {
    const filter_info *info;
    const filter_values *values;
    satf_view in, out; /* data may be NULL while only sizes are asked for */
    double constant;   /* the border's, exact in the input's type */
    bool weighted;
    bool by_window;          /* the engine */
    const filter_rows *rows; /* streaming: NULL if the views have their data */
} filter_stage;

/* Scratch of the window engine; it must be aligned to 64 bytes. */
satf_status filter_window_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes);
/* Rows that the window engine looks back on. */
int64_t filter_window_rows_kept(const filter_stage *stage);
/* scratch NULL: allocates what it needs, which streaming must. */
satf_status filter_run_window(satf_context *ctx, const filter_stage *stage, void *scratch);

/* Scratch of the SAT engine; it must be aligned to 64 bytes. */
satf_status filter_sat_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes);
satf_status filter_run_sat(satf_context *ctx, const filter_stage *stage, void *scratch);

#endif
