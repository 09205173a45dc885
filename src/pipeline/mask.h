/* A job's mask: how much of the filters' result each pixel takes. */
#ifndef SATF_PIPELINE_MASK_H
#define SATF_PIPELINE_MASK_H

#include "../base/context.h"
#include "../chain/chain.h"

/* SATF_OK if the view can be a mask: grey or RGB of the host, with alpha or without, and no u32 or
 * u64. */
satf_status pipeline_mask_check(satf_context *ctx, const satf_view *mask);

/* Blends `pixels` pixels like those of out: `to`, the input's, become `made` where the mask, from
 * (x, y) on, is full, and stay where it is 0. Between, a pixel that does not count is not blended:
 * from half on it becomes `made`. */
void pipeline_mask_blend(const satf_view *mask, const chain_counting *counting, int64_t x,
                         int64_t y, const satf_view *out, int64_t pixels, const char *made,
                         char *to);

#endif
