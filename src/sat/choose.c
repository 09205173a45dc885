/* The choice of an algorithm and its tuning. */
#include <string.h>

#include "../base/device/gpu.h"
#include "cache.h"
#include "algorithms.h"
#include "stages.h"

const char *sat_sync_name(sat_sync sync)
{
    static const char *const names[] = {"auto", "launch", "graph", "coop", NULL};
    return names[sync <= SAT_SYNC_COOP ? (size_t)sync : SAT_SYNC_COOP + 1];
}

bool sat_sync_parse(const char *name, sat_sync *sync)
{
    const char *found;
    for (int i = 0; (found = sat_sync_name((sat_sync)i)); i++) {
        if (strcmp(name, found) == 0) {
            *sync = (sat_sync)i;
            return true;
        }
    }
    return false;
}

satf_status satf_context_set_sync(satf_context *ctx, const char *name)
{
    sat_sync sync;
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!name || !sat_sync_parse(name, &sync)) {
        return satf_fail(ctx, SATF_INVALID, "sync '%.*s' is none of auto, launch, graph and coop",
                         SATF_MOST(name ? name : "", 40));
    }
    ctx->settings.sync = (int)sync;
    return SATF_OK;
}

bool sat_algorithm_has_sync(const sat_algorithm *algorithm, const sat_job *job, sat_sync sync)
{
    sat_tuning tuning;
    for (size_t i = 0; algorithm->variant && algorithm->variant(job, i, &tuning); i++) {
        if (tuning.sync == sync) {
            return true;
        }
    }
    return false;
}

int sat_block_side(const sat_algorithm *algorithm, const sat_job *job)
{
    sat_tuning first = job->tuning;
    if (job->in.device == SATF_HOST) {
        return SAT_CPU_BLOCK;
    }
    return first.tile || (algorithm->variant && algorithm->variant(job, 0, &first)) ? first.tile
                                                                                    : 0;
}

/* Fills in an r that nobody has given, and how the stages on a device wait for one another, so that
 * the reckoned time is least. The CPU has one way to wait. */
static void reckon(const sat_algorithm *algorithm, const sat_job *job, sat_tuning *tuning)
{
    sat_job tuned = *job;
    tuned.tuning = *tuning;
    int tile = sat_block_side(algorithm, &tuned);
    if (job->in.device == SATF_HOST || !tile || (tuning->r > 0 && tuning->sync)) {
        return;
    }
    sat_stage_device device = {0};
    satf_cuda()->speed(job->in.device, &device.clock_khz, &device.bytes_per_second);
    int64_t across = (job->in.width - 1) / tile + 1, down = (job->in.height - 1) / tile + 1;
    size_t sum = job->f32_out ? sizeof(float) : satf_sum_bytes(job->sum_type);
    size_t sample = satf_type_bytes(job->in.type);
    sat_stage_costs costs =
        sat_stage_costs_of(&device, (double)tile * tile * (double)(sum + sample));
    if (tuning->r == 0) {
        int64_t side = sat_best_side(&costs, across, down, job->in.channels, &tuning->sync);
        tuning->r = sat_triangle_r(side, across, down);
    } else if (tuning->sync == SAT_SYNC_AUTO) {
        int64_t side = sat_triangle_side(tuning->r, across, down);
        tuning->sync = sat_best_sync(&costs, across + down - 1 - 2 * side);
    }
}

static const char *sat_kind_of(const sat_job *job)
{
    return job->in.device == SATF_HOST ? "cpu" : "cuda";
}

static const char *sat_refusal(const sat_algorithm *algorithm, const sat_job *job,
                               const sat_tuning *tuning)
{
    sat_job tuned = *job;
    tuned.tuning = *tuning;
    return algorithm->refuses(&tuned);
}

/* The default algorithm: on the CPU sat_blocked; on a device look-back, one kernel that reads each
 * sample once, or, if it refuses the job, the first that does not. */
static const sat_algorithm *default_algorithm(const sat_job *job)
{
    const char *kind = sat_kind_of(job);
    if (job->in.device == SATF_HOST) {
        return &sat_blocked;
    }
    const sat_algorithm *usual = sat_algorithm_find("lookback", kind), *algorithm;
    for (size_t i = 0;
         (algorithm = sat_algorithm_at(i)) && (!usual || sat_refusal(usual, job, &(sat_tuning){0}));
         i++) {
        usual = strcmp(algorithm->device_kind, kind) == 0 ? algorithm : usual;
    }
    return usual;
}

/* The algorithm that the context names. */
static satf_status sat_find_algorithm(satf_context *ctx, const sat_job *job,
                                      const sat_algorithm **algorithm)
{
    bool host = job->in.device == SATF_HOST, any = strcmp(ctx->settings.algorithm, "auto") == 0;
    *algorithm = any ? default_algorithm(job)
                     : sat_algorithm_find(ctx->settings.algorithm, sat_kind_of(job));
    if (*algorithm) {
        return SATF_OK;
    }
    if (any) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "this build has no algorithm for images in CUDA memory");
    }
    char names[256];
    sat_algorithm_names(sat_kind_of(job), names, sizeof names);
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     host ? "algorithm %s needs a CUDA device; on the CPU there are: auto %s"
                          : "algorithm %s cannot be used: it runs on the CPU and the image is in "
                            "CUDA memory; there, there are: auto %s",
                     ctx->settings.algorithm, names);
}

/* Fails, and names the reason, if what is forced is not possible. */
static satf_status honour(satf_context *ctx, const sat_job *job, const sat_algorithm *algorithm,
                          const sat_tuning *forced)
{
    if (forced->r > 0 && !algorithm->has_r) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "r = %g cannot be honoured: algorithm %s has none, 1+r has", forced->r,
                         algorithm->name);
    }
    if (forced->sync && !sat_algorithm_has_sync(algorithm, job, forced->sync)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "sync %s cannot be honoured: algorithm %s has no such barriers for this "
                         "image",
                         sat_sync_name(forced->sync), algorithm->name);
    }
    const char *reason = sat_refusal(algorithm, job, forced);
    if (reason) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "algorithm %s cannot be used: %s", algorithm->name,
                         reason);
    }
    return SATF_OK;
}

satf_status sat_choose(satf_context *ctx, const sat_job *job, const sat_algorithm **algorithm,
                       sat_tuning *tuning)
{
    sat_tuning chosen = job->tuning;
    chosen.sync = chosen.sync ? chosen.sync : (sat_sync)ctx->settings.sync;
    chosen.r = chosen.r > 0 ? chosen.r : ctx->settings.r;
    satf_status status = sat_find_algorithm(ctx, job, algorithm);
    if (!status) {
        status = honour(ctx, job, *algorithm, &chosen);
    }
    if (!status && (*algorithm)->has_r && chosen.r == 0) {
        status = sat_cache_find(ctx, job, &chosen.r);
    }
    if (!status && (*algorithm)->has_r) {
        reckon(*algorithm, job, &chosen);
    }
    if (!status) {
        *tuning = chosen;
    }
    return status;
}
