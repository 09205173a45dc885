/* Computes a result tile by tile, where a device's memory does not hold the work at once. */
#include "tiles.h"

#include <inttypes.h>
#include <string.h>

#include "../base/device/gpu.h"
#include "../base/share.h"
#include "../base/view.h"
#include "../chain/region.h"

/*
 * The least memory of a device that tiles are made for: that share of what all at once takes, and
 * so many bytes. With less there would be many tiles, most of each for the sake of its neighbours.
 */
enum { LEAST_SHARE = 256, LEAST_BYTES = 1 << 16 };

/* A tile of the result: `where` it is in the chain's result; `crop`: the pixels of the input that
 * it depends on; `part`: where it is in the chain's result from the crop. */
typedef struct tile {
    satf_rect where, crop, part;
} tile;

/* Finds the tile at `of` in the plan's output, which may itself be a part of the chain's result. */
static satf_status find_tile(satf_context *ctx, const satf_plan *plan, const satf_rect *of,
                             tile *found)
{
    found->where = (satf_rect){plan->part.x + of->x, plan->part.y + of->y, of->w, of->h};
    return filter_find_region(ctx, plan->chain, &plan->in, &found->where, &found->crop,
                              &found->part);
}

/* Makes a plan for the tile alone; in and out are the plan's, with data or without. */
static satf_status plan_tile(satf_context *ctx, const satf_plan *plan, const tile *t,
                             const satf_view *in, const satf_view *out, satf_plan **made)
{
    satf_view from = satf_view_rect(in, t->crop);
    filter_call call = filter_whole_call(ctx, plan->chain, &from, out);
    call.whole = false;
    call.part = t->part;
    return filter_plan_make(ctx, &call, plan->device, FILTER_CALL, made);
}

/* ------------------------------------------------------------------- their size */

/* Finds a tile with the sides of the largest crop: in the middle and at the edges tiles depend on
 * more or less. */
static satf_status largest_crop(satf_context *ctx, const satf_plan *plan, int64_t w, int64_t h,
                                tile *largest)
{
    int64_t width = plan->part.w, height = plan->part.h;
    satf_status status = SATF_OK;
    *largest = (tile){.crop = {0, 0, 0, 0}};
    for (int64_t x = 0, y = 0; (x < width || y < height) && !status; x += w, y += h) {
        satf_rect of = {least(x, width - w), least(y, height - h), w, h};
        tile t;
        status = find_tile(ctx, plan, &of, &t);
        if (!status) {
            satf_rect most = largest->crop;
            *largest = t;
            largest->crop.w = t.crop.w > most.w ? t.crop.w : most.w;
            largest->crop.h = t.crop.h > most.h ? t.crop.h : most.h;
        }
    }
    largest->crop.x = largest->crop.y = largest->part.x = largest->part.y = 0;
    return status;
}

/* The most bytes of a device that a tile of w x h takes. */
static satf_status tiles_tile_bytes(satf_context *ctx, const satf_plan *plan, int64_t w, int64_t h,
                                    satf_rect *crop, size_t *bytes)
{
    tile largest;
    satf_plan *made;
    satf_view out = plan->out;
    out.width = w;
    out.height = h;
    satf_status status = largest_crop(ctx, plan, w, h, &largest);
    status = status ? status : plan_tile(ctx, plan, &largest, &plan->in, &out, &made);
    if (!status) {
        *crop = largest.crop;
        /* a smaller crop may take another algorithm, whose words are less than that more */
        *bytes = made->bytes + made->bytes / 32;
        filter_plan_free(ctx, made);
    }
    return status;
}

static int64_t half(int64_t side)
{
    return (side + 1) / 2;
}

/*
 * Halves the tile's longer side until it fits; the other side if halving the longer one spares
 * nothing, as where a border wraps; both if neither spares. *w and *h become 0 if no tile fits.
 */
static satf_status find_tiles(satf_context *ctx, const satf_plan *plan, size_t limit, int64_t *w,
                              int64_t *h, size_t *bytes)
{
    satf_rect before, crop;
    *w = plan->part.w;
    *h = plan->part.h;
    satf_status status = tiles_tile_bytes(ctx, plan, *w, *h, &before, bytes);
    while (!status && *bytes > limit) {
        int64_t was_w = *w, was_h = *h;
        unsigned longer = was_w >= was_h ? 1 : 2;
        if (was_w == 1 && was_h == 1) {
            *w = *h = 0;
            return SATF_OK;
        }
        const unsigned sides[3] = {longer, 3 - longer, 3}; /* bits: w, h */
        bool spares = false;
        for (int k = 0; k < 3 && !spares && !status; k++) {
            *w = sides[k] & 1 ? half(was_w) : was_w;
            *h = sides[k] & 2 ? half(was_h) : was_h;
            status = tiles_tile_bytes(ctx, plan, *w, *h, &crop, bytes);
            spares = !status && (crop.w < before.w || crop.h < before.h);
        }
        before = crop;
    }
    return status;
}

/* Makes tiles for at most `limit` bytes; *fits: whether there are any. */
static satf_status tiles_cut(satf_context *ctx, satf_plan *plan, size_t limit, bool *fits)
{
    int64_t w, h;
    size_t bytes;
    *fits = false;
    if (plan->aux.width > 0) { /* a second input's parts are not found */
        return SATF_OK;
    }
    satf_status status = find_tiles(ctx, plan, limit, &w, &h, &bytes);
    if (!status && w > 0) {
        filter_plan_detach(ctx, plan);
        plan->tile_w = w;
        plan->tile_h = h;
        plan->bytes = bytes;
        for (size_t i = 0; i < plan->count; i++) {
            plan->steps[i].ms = -1; /* times of tiles are not told apart by steps */
        }
        *fits = true;
    }
    return status;
}

satf_status filter_tiles_make(satf_context *ctx, const filter_call *call, int device,
                              filter_use use, satf_plan **made)
{
    satf_status status = filter_plan_make(ctx, call, device, use, made);
    satf_plan *plan = *made;
    uint64_t limit = (uint64_t)ctx->settings.max_device_bytes;
    if (status || device == SATF_HOST || plan->bytes <= limit) {
        return status;
    }
    bool fits = false;
    size_t bytes = plan->bytes;
    if (plan_crosses(plan)) {
        status = tiles_cut(ctx, plan, limit, &fits);
    }
    if (!status && !fits) {
        status = satf_fail(ctx, SATF_LIMIT,
                           "filtering needs %zu bytes of the device's memory at once, above the "
                           "limit of %" PRId64 " bytes (limit: max-device-memory)",
                           bytes, ctx->settings.max_device_bytes);
    }
    if (status) {
        filter_plan_free(ctx, plan);
        *made = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------------- running */

/* Makes tiles, or smaller ones, for a plan that has found too little memory; but not if others may
 * have it, since sums of floats round as their tile's. The message stays the failure's. */
static bool tiles_shrink(satf_context *ctx, satf_plan *plan, size_t whole_bytes)
{
    char message[sizeof ctx->message];
    size_t limit = plan->bytes / 2;
    bool fits = false;
    if (!plan_crosses(plan) || limit < LEAST_BYTES || limit < whole_bytes / LEAST_SHARE ||
        satf_share_crowds(ctx)) {
        return false;
    }
    memcpy(message, ctx->message, sizeof message);
    bool shrunk = !tiles_cut(ctx, plan, limit, &fits) && fits;
    memcpy(ctx->message, message, sizeof message);
    return shrunk;
}

/* Tries whether there is memory for a tile now. */
static satf_status try_tile(satf_context *ctx, const satf_plan *plan)
{
    void *memory;
    satf_status status = satf_gpu_alloc(ctx, plan->device, plan->bytes, "a tile", &memory);
    if (!status) {
        satf_gpu_free(ctx, memory);
    }
    return status;
}

satf_status filter_tiles_attach(satf_context *ctx, satf_plan *plan)
{
    size_t whole_bytes = plan->bytes;
    satf_status status = plan_is_tiled(plan) ? SATF_OK : filter_plan_attach(ctx, plan, NULL);
    while (status == SATF_NO_MEMORY && tiles_shrink(ctx, plan, whole_bytes)) {
        status = try_tile(ctx, plan);
    }
    return status;
}

static satf_status run_tile(satf_context *ctx, satf_plan *plan, const plan_images *images,
                            const satf_rect *of)
{
    satf_view in = plan->in, all = plan->out;
    in.data = (void *)(uintptr_t)images->in;
    all.data = images->out;
    satf_view out = satf_view_rect(&all, *of);
    plan_images here = {.out = out.data};
    tile t;
    satf_plan *made;
    satf_status status = find_tile(ctx, plan, of, &t);
    status = status ? status : plan_tile(ctx, plan, &t, &in, &out, &made);
    if (!status) {
        here.in = satf_view_rect(&in, t.crop).data;
        status = filter_plan_attach(ctx, made, NULL);
        status = status ? status : filter_plan_run(ctx, made, &here);
        filter_plan_free(ctx, made);
    }
    return status;
}

static satf_status tiles_run_all(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    int64_t w = plan->tile_w, h = plan->tile_h;
    int64_t across = (plan->part.w - 1) / w + 1, down = (plan->part.h - 1) / h + 1;
    double share = 1 / ((double)across * (double)down);
    satf_status status = SATF_OK;
    for (int64_t i = 0; i < across * down && !status; i++) {
        int64_t x = i % across * w, y = i / across * h;
        satf_rect of = {x, y, least(w, plan->part.w - x), least(h, plan->part.h - y)};
        satf_progress_part whole = satf_progress_enter(ctx, (double)i * share, share);
        status = run_tile(ctx, plan, images, &of);
        satf_progress_leave(ctx, whole);
    }
    return status;
}

satf_status filter_tiles_run(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    size_t whole_bytes = plan->bytes;
    satf_status status = SATF_NO_MEMORY;
    if (!plan_is_tiled(plan)) {
        status = filter_plan_run(ctx, plan, images);
    }
    if (status != SATF_NO_MEMORY || !plan_crosses(plan)) {
        return status;
    }
    satf_settings now =
        satf_context_take_settings(ctx, &plan->settings); /* the tiles' plans need them */
    bool more = plan_is_tiled(plan) || tiles_shrink(ctx, plan, whole_bytes);
    while (more) {
        status = tiles_run_all(ctx, plan, images);
        more = status == SATF_NO_MEMORY && tiles_shrink(ctx, plan, whole_bytes);
    }
    satf_context_take_settings(ctx, &now);
    return status;
}
