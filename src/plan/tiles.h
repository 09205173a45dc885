/* Plans of images on the host whose work does not fit into a device's memory: the device computes
 * the result tile by tile, from the pixels that a tile depends on (src/chain/region.h). */
#ifndef SATF_PLAN_TILES_H
#define SATF_PLAN_TILES_H

#include "plan.h"

/*
 * filter_plan_make() within the context's limit of a device's memory. Images on the host get tiles
 * if the whole takes more; SATF_LIMIT if no tile fits, since it depends on too much of the image,
 * and for images on a device.
 */
satf_status filter_tiles_make(satf_context *ctx, const filter_call *call, int device,
                              filter_use use, satf_plan **plan);

/* filter_plan_attach() with memory of its own. If the device has too little left, the plan gets
 * tiles, or smaller ones, whose memory is taken and freed in every run. */
satf_status filter_tiles_attach(satf_context *ctx, satf_plan *plan);

/* filter_plan_run(); takes smaller tiles if memory is short. After a failure some tiles may be in
 * the output. */
satf_status filter_tiles_run(satf_context *ctx, satf_plan *plan, const plan_images *images);

#endif
