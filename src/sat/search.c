#include "search.h"

#include <math.h>

#include "../base/clock.h"
#include "../base/gpu.h"
#include "../base/memory.h"

/* Every tuning is measured once. Those that are about as fast as the fastest are measured again, in
 * turns: a clock that slows down slows all of them. The least time of each counts. */
enum { ROUNDS = 5, MAX_RUNS = 4096 };
static const double near = 1.05;

satf_status sat_memory_get(satf_context *ctx, int device, size_t bytes, void **memory)
{
    static const char what[] = "the tuner";
    if (device != SATF_HOST) {
        return satf_gpu_alloc(ctx, device, bytes, what, memory);
    }
    *memory = satf_alloc(bytes);
    return *memory ? SATF_OK : satf_fail_memory(ctx, bytes, what);
}

void sat_memory_free(satf_context *ctx, int device, void *memory)
{
    if (device == SATF_HOST) {
        satf_free(memory);
    } else {
        satf_gpu_free(ctx, memory);
    }
}

/* Milliseconds of one run, over that many. */
static satf_status sample(satf_context *ctx, sat_plan *plan, void *scratch, int runs, double *ms)
{
    int device = plan->job.in.device;
    double total_ms = satf_now_ms();
    satf_status status = device == SATF_HOST ? SATF_OK : satf_gpu_time_begin(ctx, device);
    for (int i = 0; i < runs && !status; i++) {
        status = sat_plan_run(ctx, plan, plan->job.in.data, plan->job.out, scratch);
    }
    if (device == SATF_HOST) {
        total_ms = satf_now_ms() - total_ms;
    } else if (!status) {
        status = satf_gpu_time_end(ctx, device, &total_ms);
    }
    *ms = total_ms / runs;
    return status;
}

/* *least = the time of the plan, if it is less. The first run warms up; then their number doubles
 * until they can be measured. */
static satf_status measure(satf_context *ctx, sat_plan *plan, double *least)
{
    double ms = INFINITY;
    int runs = (int)fmax(1, fmin(MAX_RUNS, ceil(SATF_SAMPLE_MS / *least)));
    void *scratch = NULL;
    satf_status status = SATF_OK;
    if (plan->bytes) {
        status = sat_memory_get(ctx, plan->job.in.device, plan->bytes, &scratch);
    }
    if (!status) {
        status = sample(ctx, plan, scratch, 1, &ms);
    }
    for (; !status; runs *= 2) {
        status = sample(ctx, plan, scratch, runs, &ms);
        if (ms * runs >= SATF_SAMPLE_MS || runs >= MAX_RUNS) {
            break;
        }
    }
    sat_memory_free(ctx, plan->job.in.device, scratch);
    *least = fmin(*least, ms);
    return status;
}

/* One tuning in one round. What runs on the CPU reports how far one table is, which is nothing of
 * the whole. */
static satf_status take_turn(satf_context *ctx, const sat_job *job, const sat_tuning *tuning,
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
    status = status ? status : measure(ctx, &plan, least);
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
            status = take_turn(ctx, job, &tunings[i], (double)turn / (ROUNDS * count), &ms[i]);
        }
        if (ms[i] < least) {
            least = ms[i];
            *best = i;
        }
    }
    return !status && least == INFINITY ? SATF_UNSUPPORTED : status;
}
