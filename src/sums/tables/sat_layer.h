/* A summed area table in memory of a plan, as its corners are read. */
#ifndef SATF_SUMS_TABLES_SAT_LAYER_H
#define SATF_SUMS_TABLES_SAT_LAYER_H

#include "../../sat/sat.h"
#include "../../plan/step.h"

typedef struct sat_layer {
    satf_summand summand;
    satf_sum_type type; /* not U16 */
    void *sat;          /* in the step's scratch */
    int64_t stride;
    /* One pixel outside the image under SATF_BORDER_CONSTANT, as summands. */
    struct {
        satf_u128 integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /*
     * Floats that sums must not spread from: what is not finite, and what is so large that
     * differences of sums overflow. NULL unless there are such: see sat_layer_rebuild().
     * Summands that are not finite then count as 0 in sat, the others as their part
     * 1 / scale; masks are SATs (u32) of where +Inf or NaN [0] and -Inf or NaN [1] are:
     * a window's sum gets +Inf for any hit in the first and -Inf for any in the
     * second, which makes NaN of both.
     */
    uint32_t *masks[2];
    int64_t masks_stride;
    double scale;
    void *spare; /* sat_layer_spare_bytes() of the step's scratch */
} sat_layer;

/* Bytes of the table, a multiple of 64; false if they overflow. */
bool sat_layer_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* Bytes that sat_layer_rebuild() needs (on a device: the masks of src/plan/gpu.h), a multiple of
 * 64, 0 for integers; false if they overflow. */
bool sat_layer_spare_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* The job that builds the table, without memory. */
sat_job sat_layer_job(const satf_view *in, const sat_layer *layer);

/* What the layer must know of the border, given what is subtracted from each channel's samples;
 * NULL: nothing. */
void sat_layer_find_outside(const filter_step *step, const double *shifts, sat_layer *layer);

/* Is anything in the image, or in the sum of all of it, not finite? For tables of floats on the
 * host. */
bool sat_layer_is_finite(const satf_view *in, const sat_layer *layer);

/* Builds a table of floats from which no sum over a rectangle comes out infinite or NaN but
 * where the rectangle's own samples make it so. */
satf_status sat_layer_rebuild(satf_context *ctx, const satf_view *in, sat_layer *layer);

#endif
