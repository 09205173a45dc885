#include "sat.h"

#include <string.h>

#include "../base/gpu.h"
#include "../base/memory.h"
#include "rows.h"
#include "tuner.h"

/* What "auto" means on the CPU. */
static const sat_row *const fastest = &sat_blocked;

satf_status sat_choose(satf_context *ctx, const sat_job *job, const sat_row **row)
{
    if (job->in.device != SATF_HOST) {
        sat_tuning tuning;
        return sat_tune(ctx, job, row, &tuning);
    }
    const sat_row *chosen = fastest;
    if (strcmp(ctx->algorithm, "auto") != 0) {
        chosen = sat_row_find(ctx->algorithm, "cpu");
    }
    if (!chosen) {
        char names[256];
        sat_algorithm_names("cpu", names, sizeof names);
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "algorithm %s needs a CUDA device; on the CPU there are: auto %s",
                         ctx->algorithm, names);
    }
    if (ctx->sync) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "sync %s cannot be honoured: only CUDA devices have such barriers",
                         sat_sync_name((sat_sync)ctx->sync));
    }
    const char *reason = chosen->refuses(job);
    if (reason) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "algorithm %s cannot be used: %s", chosen->name,
                         reason);
    }
    *row = chosen;
    return SATF_OK;
}

static satf_status row_scratch(satf_context *ctx, const sat_job *job, const sat_row *row,
                               size_t *bytes)
{
    *bytes = 0;
    if (row->scratch_bytes && !row->scratch_bytes(ctx, job, bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the scratch memory of algorithm %s would overflow",
                         row->name);
    }
    return SATF_OK;
}

/* Chooses the row, and with it on a CUDA device the tuning. */
static satf_status plan(satf_context *ctx, sat_job *job, const sat_row **row)
{
    return job->in.device == SATF_HOST ? sat_choose(ctx, job, row)
                                       : sat_tune(ctx, job, row, &job->tuning);
}

satf_status sat_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    const sat_row *row;
    sat_job planned = *job;
    satf_status status = plan(ctx, &planned, &row);
    return status ? status : row_scratch(ctx, &planned, row, bytes);
}

/* Runs the row and holds it to its contract: a message if and only if it fails. */
static satf_status run_row(satf_context *ctx, const sat_job *job, const sat_row *row, void *scratch,
                           size_t bytes)
{
    sat_job zeroed;
    if (row->keeps && job->scratch_runs == 0) {
        satf_status status = satf_gpu_set_bytes(ctx, job->in.device, scratch, 0, bytes);
        if (status) {
            return status;
        }
        zeroed = *job;
        zeroed.scratch_runs = 1;
        job = &zeroed;
    }
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    satf_status status = row->run(ctx, job, scratch);
    if (!status == (ctx->message[0] != '\0')) {
        return satf_fail(ctx, status ? status : SATF_DEVICE_FAILED, "algorithm %s is defective: %s",
                         row->name,
                         status ? "it failed without saying why" : "it succeeded with an error");
    }
    if (!status) {
        ctx->message[0] = first;
    }
    return status;
}

/* What scratch that is kept depends on. */
static satf_gpu_use scratch_use(const sat_job *job, const sat_row *row)
{
    const satf_view *in = &job->in;
    const sat_tuning *tuning = &job->tuning;
    return (satf_gpu_use){
        row,
        {in->width, in->height, in->channels, in->type, job->summand, job->sum_type, job->f32_out,
         tuning->tile, tuning->threads},
    };
}

/* Scratch of the row's own: on a device in the order of the stream. */
static satf_status run_allocated(satf_context *ctx, const sat_job *job, const sat_row *row,
                                 size_t bytes)
{
    static const char what[] = "a summed area table's scratch";
    void *memory = NULL;
    satf_status status = SATF_OK;
    if (row->keeps) { /* of a device */
        sat_job again = *job;
        satf_gpu_use use = scratch_use(job, row);
        status =
            satf_gpu_keep(ctx, job->in.device, &use, bytes, what, &memory, &again.scratch_runs);
        if (memory) {
            status = run_row(ctx, &again, row, memory, bytes);
            satf_gpu_kept(ctx, !status);
        }
        if (status || memory) {
            return status;
        }
    }
    if (job->in.device != SATF_HOST) {
        status = satf_gpu_alloc(ctx, job->in.device, bytes, what, &memory);
        if (!status) {
            status = run_row(ctx, job, row, memory, bytes);
            satf_gpu_free(ctx, memory);
        }
        return status;
    }
    if (bytes > (uint64_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "algorithm %s needs %zu bytes of scratch memory, above the limit of %lld "
                         "bytes (limit: max-memory)",
                         row->name, bytes, (long long)ctx->max_bytes);
    }
    memory = satf_alloc(bytes);
    if (!memory) {
        return satf_fail_memory(ctx, bytes, what);
    }
    status = run_row(ctx, job, row, memory, bytes);
    satf_free(memory);
    return status;
}

satf_status sat_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    const sat_row *row;
    sat_job planned = *job;
    size_t bytes = 0;
    satf_status status = plan(ctx, &planned, &row);
    if (!status && job->in.device != SATF_HOST) {
        status = satf_gpu_open(ctx, job->in.device);
    }
    if (!status) {
        status = row_scratch(ctx, &planned, row, &bytes);
    }
    if (status) {
        return status;
    }
    return scratch || !bytes ? run_row(ctx, &planned, row, scratch, bytes)
                             : run_allocated(ctx, &planned, row, bytes);
}
