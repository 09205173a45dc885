/* Running an algorithm: its plan, its scratch memory and its contract. */
#include "sat.h"

#include <limits.h>

#include "../base/device/gpu.h"
#include "../base/memory.h"

satf_status sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan)
{
    *plan = (sat_plan){.job = *job};
    satf_status status = sat_choose(ctx, job, &plan->algorithm, &plan->job.tuning);
    if (status) {
        return status;
    }
    if (plan->algorithm->scratch_bytes &&
        !plan->algorithm->scratch_bytes(ctx, &plan->job, &plan->bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the scratch memory of algorithm %s would overflow",
                         plan->algorithm->name);
    }
    return SATF_OK;
}

satf_status sat_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    sat_plan plan;
    satf_status status = sat_plan_make(ctx, job, &plan);
    *bytes = status ? 0 : plan.bytes;
    return status;
}

/* Runs the algorithm and holds it to its contract: a message if and only if it fails. */
static satf_status run_algorithm(satf_context *ctx, const sat_algorithm *algorithm,
                                 const sat_job *job, void *scratch)
{
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    satf_status status = algorithm->run(ctx, job, scratch);
    status = status ? status : satf_tick(ctx); /* it may be over when the callback cancels */
    if (!status == (ctx->message[0] != '\0')) {
        return satf_fail(ctx, status ? status : SATF_DEVICE_FAILED, "algorithm %s is defective: %s",
                         algorithm->name,
                         status ? "it failed without saying why" : "it succeeded with an error");
    }
    if (!status) {
        ctx->message[0] = first;
    }
    return status;
}

satf_status sat_plan_run(satf_context *ctx, sat_plan *plan, const void *in, void *out,
                         void *scratch)
{
    sat_job job = plan->job;
    unsigned runs = plan->runs;
    satf_status status = SATF_OK;
    job.in.data = (void *)(uintptr_t)in;
    job.out = out;
    if (plan->algorithm->keeps) {
        job.scratch_runs = runs + 1;
        plan->runs = 0; /* until the run is good */
        if (runs == 0 || runs == UINT_MAX) {
            job.scratch_runs = 1;
            status = satf_cuda()->set_bytes(ctx, job.in.device, scratch, 0, plan->bytes);
        }
    }
    status = status ? status : run_algorithm(ctx, plan->algorithm, &job, scratch);
    plan->runs = status ? 0 : job.scratch_runs;
    return status;
}

/* The facts on which the contents of kept scratch depend. */
static satf_gpu_use scratch_use(const sat_plan *plan)
{
    const sat_job *job = &plan->job;
    const satf_view *in = &job->in;
    const sat_tuning *tuning = &job->tuning;
    return (satf_gpu_use){
        plan->algorithm,
        {in->width, in->height, in->channels, in->type, job->summand, job->sum_type, job->f32_out,
         tuning->tile, tuning->threads},
    };
}

/* Scratch on the stack: allocating so few bytes would take as long as the table. */
enum { SMALL_SCRATCH = 20 << 10 };

static const char scratch_what[] = "a summed area table's scratch";

/* Runs the plan on a device, with scratch that the context keeps or has in the stream's order. */
static satf_status sat_run_on_device(satf_context *ctx, sat_plan *plan, const sat_job *job)
{
    void *memory = NULL;
    int device = job->in.device;
    satf_status status;
    if (plan->algorithm->keeps) {
        satf_gpu_use use = scratch_use(plan);
        unsigned runs = 0;
        status = satf_cuda()->keep(ctx, device, &use, plan->bytes, scratch_what, &memory, &runs);
        if (memory) {
            sat_job again = *job;
            again.scratch_runs = runs;
            status = run_algorithm(ctx, plan->algorithm, &again, memory);
            satf_cuda()->kept(ctx, !status);
        }
        if (status || memory) {
            return status;
        }
    }
    status = satf_gpu_alloc(ctx, device, plan->bytes, scratch_what, &memory);
    if (!status) {
        status = sat_plan_run(ctx, plan, job->in.data, job->out, memory);
        satf_gpu_free(ctx, memory);
    }
    return status;
}

static satf_status run_on_host(satf_context *ctx, sat_plan *plan, const sat_job *job)
{
    if (plan->bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "algorithm %s needs %zu bytes of scratch memory, above the limit of %lld "
                         "bytes (limit: max-memory)",
                         plan->algorithm->name, plan->bytes, (long long)ctx->settings.max_bytes);
    }
    _Alignas(64) char small[SMALL_SCRATCH];
    void *memory = plan->bytes > sizeof small ? satf_alloc(plan->bytes) : NULL;
    if (!memory && plan->bytes > sizeof small) {
        return satf_fail_memory(ctx, plan->bytes, scratch_what);
    }
    satf_status status = sat_plan_run(ctx, plan, job->in.data, job->out, memory ? memory : small);
    satf_free(memory);
    return status;
}

satf_status sat_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    sat_plan plan;
    satf_status status = job->in.device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, job->in.device);
    status = status ? status : sat_plan_make(ctx, job, &plan);
    if (status) {
        return status;
    }
    if (scratch || !plan.bytes) {
        plan.runs = job->scratch_runs ? job->scratch_runs - 1 : 0;
        return sat_plan_run(ctx, &plan, job->in.data, job->out, scratch);
    }
    return job->in.device == SATF_HOST ? run_on_host(ctx, &plan, job)
                                       : sat_run_on_device(ctx, &plan, job);
}
