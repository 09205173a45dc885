/* Measuring tunings against one another. */
#include "tuner.h"

#include <math.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "cache.h"
#include "stages.h"

/* Every tuning is measured once. Those about as fast as the fastest are measured again, in turns:
 * so a clock that slows down slows all of them. The least time of each counts. */
enum { ROUNDS = 5, MAX_RUNS = 4096 };
static const double near = 1.05;

/* Memory of the device, or of the host. */
static satf_status get_memory(satf_context *ctx, int device, size_t bytes, void **memory)
{
    static const char what[] = "the tuner";
    if (device != SATF_HOST) {
        return satf_gpu_alloc(ctx, device, bytes, what, memory);
    }
    *memory = satf_alloc(bytes);
    return *memory ? SATF_OK : satf_fail_memory(ctx, bytes, what);
}

static void free_memory(satf_context *ctx, int device, void *memory)
{
    if (device == SATF_HOST) {
        satf_free(memory);
    } else {
        satf_gpu_free(ctx, memory);
    }
}

/* *ms = the milliseconds of a run, as the mean of `runs` runs. */
static satf_status tuner_sample(satf_context *ctx, sat_plan *plan, void *scratch, int runs,
                                double *ms)
{
    int device = plan->job.in.device;
    double total_ms = satf_now_ms();
    satf_status status = device == SATF_HOST ? SATF_OK : satf_cuda()->time_begin(ctx, device);
    for (int i = 0; i < runs && !status; i++) {
        status = sat_plan_run(ctx, plan, plan->job.in.data, plan->job.out, scratch);
    }
    if (device == SATF_HOST) {
        total_ms = satf_now_ms() - total_ms;
    } else if (!status) {
        status = satf_cuda()->time_end(ctx, device, &total_ms);
    }
    *ms = total_ms / runs;
    return status;
}

/* *least = the time of the plan, if it is less. The first run warms up; then their number doubles
 * until they can be measured. */
static satf_status tuner_measure(satf_context *ctx, sat_plan *plan, double *least)
{
    double ms = INFINITY;
    int runs = (int)fmax(1, fmin(MAX_RUNS, ceil(SATF_SAMPLE_MS / *least)));
    void *scratch = NULL;
    satf_status status = SATF_OK;
    if (plan->bytes) {
        status = get_memory(ctx, plan->job.in.device, plan->bytes, &scratch);
    }
    if (!status) {
        status = tuner_sample(ctx, plan, scratch, 1, &ms);
    }
    for (; !status; runs *= 2) {
        status = tuner_sample(ctx, plan, scratch, runs, &ms);
        if (ms * runs >= SATF_SAMPLE_MS || runs >= MAX_RUNS) {
            break;
        }
    }
    free_memory(ctx, plan->job.in.device, scratch);
    *least = fmin(*least, ms);
    return status;
}

/* Measures one tuning in one round. A run on the CPU reports the progress of one table, which does
 * not count for the whole. */
static satf_status tuner_take_turn(satf_context *ctx, const sat_job *job, const sat_tuning *tuning,
                                   double done, double *least)
{
    sat_job tuned = *job;
    sat_plan plan;
    tuned.tuning = *tuning;
    satf_status status = satf_report_progress(ctx, done);
    if (!status) {
        status = sat_plan_make(ctx, &tuned, &plan);
        if (status == SATF_UNSUPPORTED) {
            return SATF_OK;
        }
    }
    satf_progress_part whole = satf_progress_enter(ctx, done, 0);
    status = status ? status : tuner_measure(ctx, &plan, least);
    satf_progress_leave(ctx, whole);
    return status;
}

satf_status sat_fastest(satf_context *ctx, const sat_job *job, const sat_tuning *tunings, int count,
                        int *best)
{
    double ms[SAT_MOST_TUNINGS], least = INFINITY;
    satf_status status = SATF_OK;
    for (int turn = 0; turn < ROUNDS * count && !status; turn++) {
        int i = turn % count;
        ms[i] = turn < count ? INFINITY : ms[i];
        if (turn < count || ms[i] <= near * least) {
            status =
                tuner_take_turn(ctx, job, &tunings[i], (double)turn / (ROUNDS * count), &ms[i]);
        }
        if (ms[i] < least) {
            least = ms[i];
            *best = i;
        }
    }
    return !status && least == INFINITY ? SATF_UNSUPPORTED : status;
}

/* ----------------------------------------------------------------- what is remembered */

static const double cap_ms = 90e3; /* no further image is begun after this */

/* Finds the r of one image, whose memory is there, by a sweep. */
static satf_status sweep(satf_context *ctx, const sat_job *job, double *best_r)
{
    double r[SAT_SWEEP];
    sat_tuning tunings[SAT_SWEEP] = {{0}};
    const sat_algorithm *algorithm =
        sat_algorithm_find("1+r", job->in.device == SATF_HOST ? "cpu" : "cuda");
    int tile = algorithm ? sat_block_side(algorithm, job) : 0, best = 0;
    int64_t tiles = tile ? (job->in.width - 1) / tile + 1 : 1;
    int count = sat_sweep_r(tiles, tiles, r);
    for (int i = 0; i < count; i++) {
        tunings[i].r = r[i];
    }
    satf_status status = count ? sat_fastest(ctx, job, tunings, count, &best) : SATF_OK;
    *best_r = count && !status ? r[best] : 0;
    return status;
}

/* Measures one image; one that there is no memory for is left out. */
static satf_status tune_image(satf_context *ctx, sat_job job, double *r)
{
    enum { BYTE = 0x3f }; /* samples of these bytes are above 0, floats below 1 */
    int device = job.in.device;
    size_t in_bytes = (size_t)(job.in.stride * job.in.height);
    size_t out_bytes = (size_t)(job.out_stride * job.in.height);
    if (device == SATF_HOST && in_bytes + out_bytes > (uint64_t)ctx->settings.max_bytes) {
        return SATF_OK;
    }
    satf_status status = get_memory(ctx, device, in_bytes, &job.in.data);
    status = status ? status : get_memory(ctx, device, out_bytes, &job.out);
    if (!status && device == SATF_HOST) {
        memset(job.in.data, BYTE, in_bytes);
    } else if (!status) {
        status = satf_cuda()->set_bytes(ctx, device, job.in.data, BYTE, in_bytes);
    }
    status = status ? status : sweep(ctx, &job, r);
    free_memory(ctx, device, job.in.data);
    free_memory(ctx, device, job.out);
    return status == SATF_NO_MEMORY ? SATF_OK : status;
}

/* Measures all images. Progress counts images, or time where the cap will end the measuring. */
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

static satf_status tuner_tune(satf_context *ctx, int device)
{
    sat_cache cache = {0};
    satf_status status = device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, device);
    if (!status) { /* before minutes are spent on it */
        status = sat_cache_save(ctx, device, &cache, true);
    }
    status = status ? status : tune_all(ctx, device, &cache);
    if (!status) {
        double start_ms = device == SATF_HOST ? 0 : satf_gpu_start_ms();
        cache.start_ms = (int)fmin(999999, start_ms);
        status = sat_cache_save(ctx, device, &cache, false);
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
    return satf_gpu_leave(ctx, tuner_tune(ctx, device));
}
