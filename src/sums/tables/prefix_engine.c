/* Summed area tables that are built in the output itself, on the CPU or on a CUDA device. */
#include "../../sat/sat.h"
#include "../../plan/step.h"

/* The table as the output holds it; false if the output's type holds none. */
static bool table_of(const filter_step *step, sat_job *job)
{
    int out = step->out.type;
    satf_sum_type sum = filter_prefix_sum(step);
    bool integers = sum != SATF_SUM_F64;
    *job = (sat_job){
        .in = step->in,
        .summand = step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN,
        .sum_type = !integers         ? SATF_SUM_F64
                    : out == SATF_U64 ? SATF_SUM_U64
                                      : SATF_SUM_U32,
        .f32_out = out == SATF_F32,
        .out_stride = step->out.stride,
    };
    return integers ? out == SATF_U64 || (out == SATF_U32 && sum == SATF_SUM_U32)
                    : out == SATF_F64 || (out == SATF_F32 && step->in.type == SATF_F32);
}

static bool suits(const satf_context *ctx, const filter_step *step)
{
    sat_job job;
    (void)ctx;
    return !step->by_rows && table_of(step, &job);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    sat_plan *state = step->state;
    sat_job job;
    table_of(step, &job);
    satf_status status = sat_plan_make(ctx, &job, state);
    if (!status) {
        *(state->algorithm->keeps ? &step->kept_bytes : &step->scratch_bytes) = state->bytes;
    }
    return status;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    sat_plan *state = step->state;
    char *scratch = state->algorithm->keeps ? step->kept : step->scratch;
    return sat_plan_run(ctx, state, step->in.data, step->out.data, state->bytes ? scratch : NULL);
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    sat_plan *state = step->state;
    (void)ctx;
    state->runs = 0;
    return SATF_OK;
}

static const char *algorithm(const filter_step *step)
{
    const sat_plan *state = step->state;
    return state->algorithm->name;
}

const filter_engine filter_prefix_engine = {
    .name = "sat",
    .does = "is a summed area table",
    .kind = SATF_ENGINE_SAT,
    .overs = 1U << OVER_ALL,
    .ns = 4,
    .ns_there = 0.005,
    .state_bytes = sizeof(sat_plan),
    .suits = suits,
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .algorithm = algorithm,
};
