/* Measuring what the cache remembers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/gpu.h"
#include "cache.h"
#include "search.h"
#include "stages.h"

static const double cap_ms = 90e3; /* no further image is begun after this */

/* Finds the r of one image, whose memory is there, by a sweep. */
static satf_status sweep(satf_context *ctx, const sat_job *job, double *best_r)
{
    double r[SAT_SWEEP];
    sat_tuning tunings[SAT_SWEEP] = {{0}};
    const sat_row *row = sat_row_find("1+r", job->in.device == SATF_HOST ? "cpu" : "cuda");
    int tile = row ? sat_block_side(row, job) : 0, best = 0;
    int64_t tiles = tile ? (job->in.width - 1) / tile + 1 : 1;
    int count = sat_sweep_r(tiles, tiles, r);
    for (int i = 0; i < count; i++) {
        tunings[i].r = r[i];
    }
    satf_status status = count ? sat_fastest(ctx, job, tunings, count, &best) : SATF_OK;
    *best_r = count && !status ? r[best] : 0;
    return status;
}

/* An image that there is no room for ends nothing but itself. */
static satf_status tune_image(satf_context *ctx, sat_job job, double *r)
{
    enum { BYTE = 0x3f }; /* samples of these bytes are above 0, floats below 1 */
    int device = job.in.device;
    size_t in_bytes = (size_t)(job.in.stride * job.in.height);
    size_t out_bytes = (size_t)(job.out_stride * job.in.height);
    if (device == SATF_HOST && in_bytes + out_bytes > (uint64_t)ctx->settings.max_bytes) {
        return SATF_OK;
    }
    satf_status status = sat_memory_get(ctx, device, in_bytes, &job.in.data);
    status = status ? status : sat_memory_get(ctx, device, out_bytes, &job.out);
    if (!status && device == SATF_HOST) {
        memset(job.in.data, BYTE, in_bytes);
    } else if (!status) {
        status = satf_gpu_set_bytes(ctx, device, job.in.data, BYTE, in_bytes);
    }
    status = status ? status : sweep(ctx, &job, r);
    sat_memory_free(ctx, device, job.in.data);
    sat_memory_free(ctx, device, job.out);
    return status == SATF_NO_MEMORY ? SATF_OK : status;
}

/* Progress is by number, or by time where the cap will end it. */
static satf_status tune_all(satf_context *ctx, int device, sat_cache *cache)
{
    double start_ms = satf_now_ms(), by_time = 0;
    satf_settings own = ctx->settings;
    strcpy(own.algorithm, "1+r");
    own.r = own.sync = 0;
    own = satf_context_take_settings(ctx, &own);
    satf_status status = SATF_OK;
    for (int i = 0; i < SAT_TUNED && !status && by_time < 1; i++) {
        double done = fmax(by_time, (double)i / SAT_TUNED);
        sat_job job = sat_tuned_job(i);
        job.in.device = device;
        satf_progress_part whole = satf_progress_enter(ctx, done, 1.0 / SAT_TUNED);
        status = tune_image(ctx, job, &cache->r[i]);
        satf_progress_leave(ctx, whole);
        by_time = (satf_now_ms() - start_ms) / cap_ms;
    }
    satf_context_take_settings(ctx, &own);
    return status;
}

static satf_status tune(satf_context *ctx, int device)
{
    sat_cache cache = {{0}};
    satf_status status = device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, device);
    status =
        status ? status : sat_cache_save(ctx, device, NULL); /* before minutes are spent on it */
    status = status ? status : tune_all(ctx, device, &cache);
    status = status ? status : sat_cache_save(ctx, device, &cache);
    if (!status && device != SATF_HOST) {
        status = sat_cache_save_start(ctx, satf_gpu_start_ms());
    }
    satf_context_forget(ctx);
    return status;
}

satf_status satf_context_tune(satf_context *ctx)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    int device = ctx->settings.device;
    if (device == SATF_DEVICE_AUTO) {
        device = satf_gpu_count(NULL) > 0 ? SATF_CUDA(0) : SATF_HOST;
    }
    satf_progress_begin(ctx);
    return satf_gpu_leave(ctx, tune(ctx, device));
}
