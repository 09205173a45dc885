/* A summed area table in a plan's memory, with all that reading its corners takes. */
#ifndef SATF_SUMS_TABLES_SAT_LAYER_H
#define SATF_SUMS_TABLES_SAT_LAYER_H

#include "../../sat/sat.h"
#include "../../plan/step.h"

typedef struct sat_layer {
    satf_summand summand;
    satf_sum_type type; /* not U16 */
    void *sat;          /* in the step's scratch */
    int64_t stride;
    /* A pixel outside the image under SATF_BORDER_CONSTANT, as summands. */
    struct {
        satf_u128 integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /*
     * Floats that sums must not spread from: samples that are not finite, and samples so large that
     * differences of sums overflow. NULL unless there are any: see sat_layer_rebuild(). Then
     * summands that are not finite count as 0 in sat, the others as 1 / scale of themselves. masks
     * are tables (u32) of how many +Inf or NaN [0] and -Inf or NaN [1] there are: a window's sum
     * gets +Inf if it has any of the first and -Inf if any of the second; both make NaN.
     */
    uint32_t *masks[2];
    int64_t masks_stride;
    double scale;
    void *spare; /* sat_layer_spare_bytes() of the step's scratch */
} sat_layer;

/* Bytes of the table, a multiple of 64; false if they overflow. */
bool sat_layer_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* Bytes that sat_layer_rebuild() works in (on a device: the masks of src/plan/gpu.h), a multiple of
 * 64, 0 for integers; false if they overflow. */
bool sat_layer_spare_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* The job that builds the table, without memory. */
sat_job sat_layer_job(const satf_view *in, const sat_layer *layer);

/* Sets layer->outside from the step's border. shifts: what is subtracted from each channel's
 * samples; NULL: nothing. */
void sat_layer_find_outside(const filter_step *step, const double *shifts, sat_layer *layer);

/* Whether all samples of an image on the host are finite, and the sum of all; of floats. */
bool sat_layer_is_finite(const satf_view *in, const sat_layer *layer);

/* Builds the table of floats anew, so that a sum over a rectangle is infinite or NaN only if the
 * rectangle's own samples make it so. */
satf_status sat_layer_rebuild(satf_context *ctx, const satf_view *in, sat_layer *layer);

#endif
