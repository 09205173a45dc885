/* SATF_DEVICE_AUTO: chooses between the CPU and a CUDA device for images on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/device/backend.h"
#include "../base/device/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../sat/cache.h"
#include "../chain/modules.h"
#include "step.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/*
 * The constants of the choice, in round figures: its estimates may be several times off
 * (docs/design.md). The time of a sample is that of the engines (filter_ns()). A device's kernels
 * take little of the time of the copies, which pass through pinned memory at the rate at which one
 * thread fills and empties it. The start is that of the CUDA runtime, paid once a process; --tune
 * measures it.
 */
static const double usual_start_ms = 300, copy_bytes_per_ms = 8e6;
/* Images that flow through a device are whole ones, whose pages are touched for the first time. */
static const double fresh_bytes_per_ms = 2.5e6;
/* The plan, launches and waits of a call, roughly: its own, and those of each filter. */
static const double call_ms = 0.1, filter_ms = 0.05;
/* Files that a device works on at a time: the slots of src/base/share.h. */
enum { SLOTS = 2 };

/* The time that a file takes, in ms of one thread, but for an encoder that uses all of them. */
typedef struct work {
    const filter_job *job;
    double decode_ms, encode_ms;
    double filters_ms; /* all filters */
    double threads;
    bool side_by_side; /* other files keep all threads busy meanwhile */
} work;

static work work_of(const satf_context *ctx, const satf_filter *chain, double samples,
                    const filter_job *job)
{
    work w = {.job = job,
              .threads = satf_thread_count(ctx),
              .side_by_side = job->files > 1 && ctx->share,
              .decode_ms = samples * job->decode_ns / 1e6,
              .encode_ms = samples * job->encode_ns / 1e6};
    w.encode_ms /= job->encodes_on_all && !w.side_by_side ? w.threads : 1;
    for (size_t i = 0; i < chain->count; i++) {
        w.filters_ms += samples * filter_ns(ctx, &chain->links[i], false) / 1e6;
    }
    return w;
}

/* Decoder, filters and encoder take the time of the slowest if rows flow, else the sum. */
static double with_codecs(const work *w, bool flows, double more_ms, double filters_ms)
{
    double decode_ms = w->decode_ms + more_ms;
    double longest = decode_ms > w->encode_ms ? decode_ms : w->encode_ms;
    longest = longest > filters_ms ? longest : filters_ms;
    return flows ? longest : decode_ms + filters_ms + w->encode_ms;
}

static double cpu_ms(const work *w)
{
    double shared_ms = w->filters_ms / w->threads;
    return w->side_by_side ? (w->decode_ms + w->encode_ms) / w->threads + shared_ms
                           : with_codecs(w, w->job->flows_on_host, 0, shared_ms);
}

/* Whether a CUDA device would be done first. */
static bool device_is_faster(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                             const satf_view *out, const filter_job *job)
{
    double samples = (double)satf_row_samples(in) * (double)in->height;
    double in_bytes = samples * (double)satf_type_bytes(in->type);
    double out_bytes = samples * (double)satf_type_bytes(out->type);
    double start_ms = sat_cache_start_ms(), kernels_ns = 0;
    work w = work_of(ctx, chain, samples, job);
    start_ms = start_ms > 0 ? start_ms : usual_start_ms;
    double files = job->files > 1 ? (double)job->files : 1;
    double first_ms = satf_gpu_has_started() ? 0 : start_ms / files;
    for (size_t i = 0; i < chain->count; i++) {
        kernels_ns += filter_ns(ctx, &chain->links[i], true);
    }
    double copy_ms =
        (in_bytes + out_bytes) / copy_bytes_per_ms + call_ms + filter_ms * (double)chain->count;
    double there_ms = copy_ms + samples * kernels_ns / 1e6;
    double host_ms = (w.decode_ms + w.encode_ms + copy_ms) / w.threads, slot_ms = there_ms / SLOTS;
    double cuda_ms = w.side_by_side ? first_ms + (host_ms > slot_ms ? host_ms : slot_ms)
                     : job->flows_on_device
                         ? with_codecs(&w, true, in_bytes / fresh_bytes_per_ms,
                                       first_ms + there_ms + out_bytes / fresh_bytes_per_ms)
                         : with_codecs(&w, false, 0, first_ms + there_ms);
    if (cuda_ms >= cpu_ms(&w)) {
        return false;
    }
    /* a missing device is reported if the work is long */
    return !satf_cuda_missing() || w.filters_ms > start_ms;
}

/* Whether devices of a kind have the context's algorithm. */
static bool device_has_algorithm(const satf_context *ctx, const char *wanted)
{
    const char *name, *kind;
    bool found = strcmp(ctx->settings.algorithm, "auto") == 0;
    for (size_t i = 0; !found && (name = satf_algorithm(i, &kind, NULL)); i++) {
        found = strcmp(name, ctx->settings.algorithm) == 0 && strcmp(kind, wanted) == 0;
    }
    return found;
}

/* Whether there is anything to choose: even a build without CUDA may be given a backend. */
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
    return !ctx->settings.sync && device_has_algorithm(ctx, "cpu");
}

int filter_choose_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                         const satf_view *out, const filter_job *job, char why[FILTER_WHY_BYTES])
{
    bool cpu = filter_suits_cpu(ctx), cuda = device_has_algorithm(ctx, "cuda");
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
