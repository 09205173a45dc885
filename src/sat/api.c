/* The public SAT functions. */
#include <inttypes.h>
#include <string.h>

#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "algorithms.h"
#include "sat.h"

satf_status satf_context_set_algorithm(satf_context *ctx, const char *name)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!name) {
        return satf_fail(ctx, SATF_INVALID, "the name of an algorithm is missing");
    }
    if (!sat_algorithm_known(name) || strlen(name) >= sizeof ctx->settings.algorithm) {
        char cpu[256], cuda[256];
        sat_algorithm_names("cpu", cpu, sizeof cpu);
        sat_algorithm_names("cuda", cuda, sizeof cuda);
        return satf_fail(ctx, SATF_INVALID,
                         "there is no algorithm '%.*s'; on the CPU there are: auto %s%s%s",
                         SATF_MOST(name, 40), cpu, *cuda ? "; on CUDA devices: auto " : "", cuda);
    }
    strcpy(ctx->settings.algorithm, name);
    return SATF_OK;
}

const char *satf_algorithm(size_t index, const char **device_kind, const char **help)
{
    sat_name name;
    if (!sat_name_at(index, &name)) {
        return NULL;
    }
    if (device_kind) {
        *device_kind = name.device_kind;
    }
    if (help) {
        *help = name.help;
    }
    return name.name;
}

static bool is_sample_type(int type)
{
    return type == SATF_U8 || type == SATF_U16 || satf_type_is_float(type);
}

/* Checks the arguments of satf_sat() and satf_sat_scratch(), and makes a job of them. */
static satf_status make_job(satf_context *ctx, const satf_view *in, const satf_view *out,
                            unsigned flags, bool need_data, sat_job *job)
{
    satf_status status = satf_check_view(ctx, in, "input", need_data);
    if (!status) {
        status = satf_check_view(ctx, out, "output", need_data);
    }
    status = status ? status : satf_check_packed(ctx, in, "input");
    status = status ? status : satf_check_packed(ctx, out, "output");
    if (status) {
        return status;
    }
    if (flags & ~SATF_SQUARED) {
        return satf_fail(ctx, SATF_INVALID, "unknown flags 0x%x; only SATF_SQUARED exists", flags);
    }
    if (!is_sample_type(in->type)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "images of %s cannot be summed; u8, u16, f32 and f64 can",
                         satf_type_name(in->type));
    }
    if (in->width != out->width || in->height != out->height || in->channels != out->channels) {
        return satf_fail(
            ctx, SATF_INVALID,
            "the output is %" PRId64 " x %" PRId64 " of %d channels, the input %" PRId64
            " x %" PRId64 " of %d; they must be the same",
            out->width, out->height, (int)out->channels, in->width, in->height, (int)in->channels);
    }
    bool floats = satf_type_is_float(in->type);
    bool fits = floats ? out->type == SATF_F64 || (out->type == SATF_F32 && in->type == SATF_F32)
                       : out->type == SATF_U32 || out->type == SATF_U64;
    if (!fits) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "sums of %s are stored as %s, not as %s",
                         satf_type_name(in->type),
                         !floats                ? "u32 or u64"
                         : in->type == SATF_F32 ? "f32 or f64"
                                                : "f64",
                         satf_type_name(out->type));
    }
    if (in->device != out->device) {
        return satf_fail(ctx, SATF_INVALID,
                         "the input and the output must be on one device, or both on the host");
    }
    if (need_data && satf_views_overlap(in, out)) {
        return satf_fail(ctx, SATF_INVALID, "the output overlaps the input");
    }
    *job = sat_job_of(in, out);
    job->summand = flags & SATF_SQUARED ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    return in->device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, in->device);
}

/* Whether views are in the host's memory, but the context computes on a CUDA device. */
static bool crosses(const satf_context *ctx, const satf_view *in)
{
    return in->device == SATF_HOST && ctx->settings.device > SATF_HOST;
}

/* Does a job that crosses: uploads the image, makes the table on the device, downloads it. */
static satf_status run_across(satf_context *ctx, const satf_view *in, const satf_view *out,
                              const sat_job *host_job)
{
    sat_job job = *host_job;
    job.in.data = job.out = NULL;
    satf_view result;
    satf_progress_begin(ctx);
    satf_status status = satf_report_progress(ctx, 0);
    if (!status) {
        status = satf_gpu_alloc_view(ctx, ctx->settings.device, in,
                                     "the image of a summed area table", &job.in);
    }
    if (!status) {
        status =
            satf_gpu_alloc_view(ctx, ctx->settings.device, out, "a summed area table", &result);
        job.out = result.data;
        job.out_stride = result.stride;
    }
    if (!status) {
        status = satf_gpu_copy(ctx, in, &job.in);
    }
    if (!status) {
        status = satf_report_progress(ctx, 1.0 / 3);
    }
    if (!status) {
        status = sat_run(ctx, &job, NULL);
    }
    if (!status) {
        status =
            satf_cuda()->wait(ctx, ctx->settings.device); /* the output is untouched on failure */
    }
    if (!status) {
        status = satf_report_progress(ctx, 2.0 / 3);
    }
    if (!status) {
        status = satf_gpu_copy(ctx, &result, out);
    }
    if (!status) {
        status = satf_cuda()->wait(ctx, ctx->settings.device);
    }
    if (status && job.in.data) {
        satf_cuda()->wait(ctx, ctx->settings.device); /* the input is the caller's again */
    }
    satf_gpu_free(ctx, job.out);
    satf_gpu_free(ctx, job.in.data);
    return status ? status : satf_report_progress(ctx, 1);
}

/* Algorithms want scratch aligned to 64 bytes; the caller's may lie anywhere. */
enum { SCRATCH_SLACK = 63 };

static satf_status job_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    size_t wanted = 0;
    satf_status status = sat_scratch(ctx, job, &wanted);
    if (status) {
        return status;
    }
    if (wanted && !satf_add(wanted, SCRATCH_SLACK, &wanted)) {
        return satf_fail(ctx, SATF_LIMIT, "the scratch memory of a summed area table overflows");
    }
    *bytes = wanted;
    return SATF_OK;
}

static satf_status sat_table_scratch(satf_context *ctx, const satf_view *in, const satf_view *out,
                                     unsigned flags, size_t *bytes)
{
    if (!bytes) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the number of bytes");
    }
    sat_job job;
    satf_status status = make_job(ctx, in, out, flags, false, &job);
    if (!status && crosses(ctx, in)) {
        *bytes = 0; /* what it takes is the device's */
        return SATF_OK;
    }
    return status ? status : job_scratch(ctx, &job, bytes);
}

satf_status satf_sat_scratch(satf_context *ctx, const satf_view *in, const satf_view *out,
                             unsigned flags, size_t *bytes)
{
    return ctx ? satf_gpu_leave(ctx, sat_table_scratch(ctx, in, out, flags, bytes)) : SATF_INVALID;
}

static satf_status run_job(satf_context *ctx, const sat_job *job, void *scratch)
{
    satf_progress_begin(ctx);
    satf_status status = satf_report_progress(ctx, 0);
    if (!status) {
        status = sat_run(ctx, job, scratch);
    }
    return status ? status : satf_report_progress(ctx, 1);
}

static satf_status sat_make_table(satf_context *ctx, const satf_view *in, const satf_view *out,
                                  unsigned flags)
{
    sat_job job;
    satf_status status = make_job(ctx, in, out, flags, true, &job);
    if (!status && crosses(ctx, in)) {
        return run_across(ctx, in, out, &job);
    }
    if (status || !ctx->scratch) {
        return status ? status : run_job(ctx, &job, NULL);
    }
    size_t wanted = 0;
    status = job_scratch(ctx, &job, &wanted);
    if (status) {
        return status;
    }
    if (wanted > ctx->scratch_bytes) {
        return satf_fail(ctx, SATF_INVALID,
                         "%zu bytes of scratch memory were given and %zu are needed",
                         ctx->scratch_bytes, wanted);
    }
    uintptr_t aligned = ((uintptr_t)ctx->scratch + SCRATCH_SLACK) & ~(uintptr_t)SCRATCH_SLACK;
    return run_job(ctx, &job, (char *)ctx->scratch + (aligned - (uintptr_t)ctx->scratch));
}

satf_status satf_sat(satf_context *ctx, const satf_view *in, const satf_view *out, unsigned flags)
{
    return ctx ? satf_gpu_leave(ctx, sat_make_table(ctx, in, out, flags)) : SATF_INVALID;
}

satf_status satf_sat_type(satf_context *ctx, const satf_view *in, unsigned flags, satf_type *type)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_status status = satf_check_view(ctx, in, "input", false);
    if (status) {
        return status;
    }
    if (flags & ~SATF_SQUARED) {
        return satf_fail(ctx, SATF_INVALID, "unknown flags 0x%x; only SATF_SQUARED exists", flags);
    }
    if (!type) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the type");
    }
    if (!is_sample_type(in->type)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "images of %s cannot be summed; u8, u16, f32 and f64 can",
                         satf_type_name(in->type));
    }
    satf_summand summand = flags & SATF_SQUARED ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    uint64_t area = (uint64_t)in->width * (uint64_t)in->height; /* checked: fits */
    int made =
        satf_sum_samples(satf_sum_type_for((satf_type)in->type, summand, area, SATF_SUM_U32));
    if (made < 0) {
        return satf_fail(ctx, SATF_LIMIT,
                         "sums over %" PRId64 " x %" PRId64 " pixels of %s do not fit 64 bits",
                         in->width, in->height, satf_type_name(in->type));
    }
    *type = (satf_type)made;
    return SATF_OK;
}
