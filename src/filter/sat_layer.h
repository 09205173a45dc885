/* A summed area table in scratch, as the SAT engine reads it. */
#ifndef SATF_FILTER_SAT_LAYER_H
#define SATF_FILTER_SAT_LAYER_H

#include "run.h"

typedef struct sat_layer {
    satf_summand summand;
    satf_sum_type type; /* not U16 */
    void *sat;          /* in the caller's scratch */
    int64_t stride;
    /* One pixel outside the image under SATF_CONSTANT, as summands. */
    struct {
        satf_u128 integer;
        double real;
    } outside[SATF_MAX_CHANNELS];
    /*
     * Floats that sums must not spread from: what is not finite, and what is so large that
     * differences of sums overflow. NULL unless there are such: see sat_layer_rebuild().
     * Summands that are not finite then count as 0 in sat, the others as their part
     * 1 / scale; hits are SATs (u32) of where +Inf or NaN [0] and -Inf or NaN [1] are:
     * a window's sum gets +Inf for any hit in the first and -Inf for any in the
     * second, which makes NaN of both.
     */
    uint32_t *hits[2];
    int64_t hits_stride;
    double scale;
    void *spare; /* sat_layer_spare_bytes() of the caller's scratch */
} sat_layer;

/* Bytes of the table, a multiple of 64; false if they overflow. */
bool sat_layer_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* Bytes that sat_layer_rebuild() needs (on a device: the hits of gpu.h), a multiple of 64, 0 for
 * integers; false if they overflow. */
bool sat_layer_spare_bytes(const satf_view *in, const sat_layer *layer, size_t *bytes);

/* The job that builds the table. */
sat_job sat_layer_job(const satf_view *in, const sat_layer *layer);

/* Builds it in layer->sat with the algorithm's scratch (NULL: none wanted).
 * local: what is not finite must stay in the windows that contain it. */
satf_status sat_layer_build(satf_context *ctx, const filter_stage *stage, bool local, void *scratch,
                            sat_layer *layer);

/* The last step where the image is on a CUDA device (device_engine.c). layers: built. rects:
 * the stage's own, on the host; there: the device's memory for them, device_rects_bytes(), and for
 * the keys of a survey, which filters that want one have. */
size_t device_rects_bytes(const filter_stage *stage);
satf_status device_read_corners(satf_context *ctx, const filter_stage *stage,
                                const sat_layer *layers, int layer_count,
                                const satf_weighted_rect *rects, void *there, void *survey);

/* Builds a table of floats from which no sum over a rectangle comes out infinite or NaN but
 * where the rectangle's own samples make it so. */
void sat_layer_rebuild(const satf_view *in, sat_layer *layer);

#endif
