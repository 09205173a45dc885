/*
 * Whole pictures on a device, band by band: bands above go back and are encoded while rows below
 * are still decoded. A band is the work of satf_filter_apply_rect().
 */
#ifndef SATF_PIPELINE_BANDS_H
#define SATF_PIPELINE_BANDS_H

#include "job.h"

/* The rows of a band of the result; 0 where bands do not pay: a small picture, or one of which each
 * row of the result depends on most rows. */
int64_t pipeline_band_rows(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan);

/* The input rows that rows y ... y + rows - 1 of the result depend on are those above *end. */
satf_status pipeline_band_needs(satf_context *ctx, const pipeline_job *job,
                                const pipeline_plan *plan, int64_t y, int64_t rows, int64_t *end);

/* Makes them of the whole input, of whose rows those are there. Where the device was chosen and
 * fails the CPU makes them, and the bands behind. */
satf_status pipeline_band_make(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                               const satf_view *in, const satf_view *out, int64_t y, int64_t rows,
                               satf_file_report *result);

#endif
