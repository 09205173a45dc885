/* SATF_DEVICE_AUTO: the choice between the CPU and a CUDA device for images on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/device/backend.h"
#include "../base/device/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../sat/cache.h"
#include "../chain/modules.h"
#include "probe.h"
#include "step.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/*
 * What the choice rests on. What the CPU takes is measured (probe.h) unless even by a rough
 * estimate it is far below what the start of a device takes. Of the device these are estimates,
 * round figures: its kernels take a small part of what the copies do, which pass through pinned
 * memory at the rate at which one thread fills and empties it. The start is that of the CUDA
 * runtime, paid once a process.
 */
static const double usual_start_ms = 300, copy_bytes_per_ms = 8e6;
/* What flows through a device flows through whole images, whose pages are touched the first time.
 */
static const double fresh_bytes_per_ms = 2.5e6;
/* And a call's plan, launches and waits, by and large: of its own and of each filter. */
static const double call_ms = 0.1, filter_ms = 0.05;
enum { FAR_BELOW = 8, LANES = 2 };

/* Of a chain on the CPU, the ns of one thread a sample: of all filters, and of the slowest. */
typedef struct cpu_cost {
    double sum_ns, most_ns;
} cpu_cost;

static cpu_cost rough_cost(const satf_context *ctx, const satf_filter *chain)
{
    cpu_cost cost = {0};
    for (size_t i = 0; i < chain->count; i++) {
        double ns = filter_ns(ctx, &chain->links[i], false);
        cost.sum_ns += ns;
        cost.most_ns = ns > cost.most_ns ? ns : cost.most_ns;
    }
    return cost;
}

static cpu_cost measured_cost(satf_context *scratch, const satf_context *ctx,
                              const satf_filter *chain, const satf_view *in)
{
    cpu_cost cost = {0};
    satf_view view = *in, made;
    for (size_t i = 0; i < chain->count; i++) {
        double ns = filter_probe_ns(ctx, &chain->links[i], &view);
        ns = ns < 0 ? filter_ns(ctx, &chain->links[i], false) : ns;
        cost.sum_ns += ns;
        cost.most_ns = ns > cost.most_ns ? ns : cost.most_ns;
        if (!filter_output_at(scratch, chain, i, &view, &made)) {
            view = made;
        }
    }
    return cost;
}

/* What a device competes with, and what it takes itself, in ms a file. */
typedef struct race {
    const filter_job *job;
    double samples, threads, files;
    double start_ms, copy_ms, kernel_ms;
    double fresh_in_ms, fresh_out_ms;
    bool side_by_side; /* files are */
    size_t filters;
} race;

/* The ms of a file whose filters take so long, and its decoder more_ms more than others. */
static double with_codecs(const race *r, bool flows, double more_ms, double filters_ms)
{
    const filter_job *job = r->job;
    double decode_ms = r->samples * job->decode_ns / 1e6 + more_ms;
    double encode_ms = r->samples * job->encode_ns / 1e6 / (job->encodes_on_all ? r->threads : 1);
    double longest = decode_ms > encode_ms ? decode_ms : encode_ms;
    longest = longest > filters_ms ? longest : filters_ms;
    return flows ? longest : decode_ms + filters_ms + encode_ms;
}

/* Files side by side keep all threads busy. */
static double shared_ms(const race *r, double host_ms)
{
    return (r->samples * (r->job->decode_ns + r->job->encode_ns) / 1e6 + host_ms) / r->threads;
}

static double cpu_ms(const race *r, cpu_cost cost)
{
    bool staged = r->job->flows_here && r->threads > (double)r->filters;
    return r->side_by_side
               ? shared_ms(r, r->samples * cost.sum_ns / 1e6)
               : with_codecs(r, r->job->flows_here, 0,
                             r->samples * (staged ? cost.most_ns : cost.sum_ns / r->threads) / 1e6);
}

static double cuda_ms(const race *r)
{
    double work_ms = r->copy_ms + r->kernel_ms, first_ms = r->start_ms / r->files;
    if (r->side_by_side) {
        double host_ms = shared_ms(r, r->copy_ms), lane_ms = work_ms / LANES;
        return first_ms + (host_ms > lane_ms ? host_ms : lane_ms);
    }
    return r->job->flows_there
               ? with_codecs(r, true, r->fresh_in_ms, first_ms + work_ms + r->fresh_out_ms)
               : with_codecs(r, false, 0, first_ms + work_ms);
}

/* Would a CUDA device be done first? */
static bool device_is_faster(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                             const satf_view *out, const filter_job *job)
{
    double samples = (double)satf_row_samples(in) * (double)in->height;
    double sample_bytes = (double)(satf_type_bytes(in->type) + satf_type_bytes(out->type));
    double kernel_ns = 0, start_ms = sat_cache_start_ms();
    start_ms = start_ms > 0 ? start_ms : usual_start_ms;
    for (size_t i = 0; i < chain->count; i++) {
        kernel_ns += filter_ns(ctx, &chain->links[i], true);
    }
    race r = {.job = job,
              .samples = samples,
              .threads = satf_thread_count(ctx),
              .files = job->files > 1 ? (double)job->files : 1,
              .start_ms = satf_gpu_has_started() ? 0 : start_ms,
              .copy_ms = samples * sample_bytes / copy_bytes_per_ms + call_ms +
                         filter_ms * (double)chain->count,
              .fresh_in_ms = samples * (double)satf_type_bytes(in->type) / fresh_bytes_per_ms,
              .fresh_out_ms = samples * (double)satf_type_bytes(out->type) / fresh_bytes_per_ms,
              .kernel_ms = samples * kernel_ns / 1e6,
              .side_by_side = job->files > 1 && ctx->share,
              .filters = chain->count};
    cpu_cost cost = rough_cost(ctx, chain);
    if (samples * cost.sum_ns / 1e6 / r.threads * FAR_BELOW < r.start_ms / r.files) {
        return false;
    }
    if (satf_cuda_missing()) {
        return samples * cost.sum_ns / 1e6 > start_ms; /* then it is said that there is none */
    }
    satf_context *scratch; /* for messages that nobody reads */
    if (satf_context_create_like(ctx, &scratch)) {
        return false;
    }
    cost = measured_cost(scratch, ctx, chain, in);
    satf_context_destroy(scratch);
    return cuda_ms(&r) < cpu_ms(&r, cost);
}

/* Whether a kind of device has the context's algorithm. */
static bool has_algorithm(const satf_context *ctx, const char *wanted)
{
    const char *name, *kind;
    bool found = strcmp(ctx->settings.algorithm, "auto") == 0;
    for (size_t i = 0; !found && (name = satf_algorithm(i, &kind, NULL)); i++) {
        found = strcmp(name, ctx->settings.algorithm) == 0 && strcmp(kind, wanted) == 0;
    }
    return found;
}

/* Whether there is anything to choose: a build without CUDA may be given a backend. */
static bool may_have_devices(void)
{
#ifdef SATF_HAVE_CUDA
    return true;
#else
    return getenv("SATFILTER_CUDA") || !satf_cuda_missing();
#endif
}

bool filter_suits_cpu(const satf_context *ctx)
{
    return !ctx->settings.sync && has_algorithm(ctx, "cpu");
}

int filter_choose_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                         const satf_view *out, const filter_job *job, char why[FILTER_WHY_BYTES])
{
    bool cpu = filter_suits_cpu(ctx), cuda = has_algorithm(ctx, "cuda");
    why[0] = '\0';
    for (size_t i = 0; i < chain->count; i++) {
        if (pass_is_foreign(filter_last(chain->links[i].info))) {
            satf_text(why, FILTER_WHY_BYTES, "%.64s is a module's filter: computed on the CPU",
                      chain->links[i].info->name);
            return SATF_HOST;
        }
    }
    if (ctx->settings.engine == SATF_ENGINE_WINDOW) {
        satf_text(why, FILTER_WHY_BYTES, "the window engine is the CPU's unless a device is named");
        return SATF_HOST;
    }
    if (cpu && ctx->device_failed) {
        satf_text(why, FILTER_WHY_BYTES, "CUDA device 0 has failed before: computed on the CPU");
        return SATF_HOST;
    }
    if (cpu && !may_have_devices()) {
        satf_text(why, FILTER_WHY_BYTES, "a build without CUDA: computed on the CPU");
        return SATF_HOST;
    }
    if (cpu && (!cuda || !device_is_faster(ctx, chain, in, out, job))) {
        satf_text(why, FILTER_WHY_BYTES, "the CPU will finish first");
        return SATF_HOST;
    }
    const char *none, *then = cpu ? ": computed on the CPU" : "";
    satf_gpu_info info;
    if (satf_gpu_count(&none) == 0) {
        satf_text(why, FILTER_WHY_BYTES, "no CUDA device (%s)%s", none, then);
    } else if (!satf_cuda()->describe(SATF_CUDA(0), &info)) {
        satf_text(why, FILTER_WHY_BYTES, "CUDA device 0 does not answer%s", then);
    } else if (!info.runs_kernels) {
        satf_text(why, FILTER_WHY_BYTES,
                  "libsatfilter-cuda has no kernels for CUDA device 0: build it with "
                  "--with-cuda-arch=%d%d%s",
                  info.major, info.minor, then);
    } else if (cuda) {
        return SATF_CUDA(0);
    }
    return SATF_HOST;
}

bool filter_leaves_device(satf_context *ctx, satf_status status)
{
    bool leaves =
        filter_suits_cpu(ctx) && (status == SATF_NO_MEMORY || status == SATF_LIMIT ||
                                  status == SATF_NO_DEVICE || status == SATF_DEVICE_FAILED);
    ctx->device_failed |= leaves && status == SATF_DEVICE_FAILED;
    return leaves;
}
