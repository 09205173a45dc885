/* Contexts: their creation, settings and errors. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/gpu.h"
#include "memory.h"
#include "parallel.h"
#include "share.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "0.0.0"
#endif

const char *satf_version(void)
{
    return PACKAGE_VERSION;
}

/* No limit is above what addresses can hold, of 32 bits too. */
static int64_t addressable(int64_t bytes)
{
    return bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX;
}

static int64_t default_max_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages < 1 || page_bytes < 1) {
        return addressable((int64_t)3 << 30);
    }
    return addressable((int64_t)pages / 4 * 3 * page_bytes);
}

/* The limit that the environment sets, for tests of whole programs, if it is a number. */
static int64_t default_max_device_bytes(void)
{
    const char *text = secure_getenv("SATFILTER_MAX_DEVICE_MEMORY");
    long long bytes = text ? strtoll(text, NULL, 10) : 0;
    return bytes > 0 ? bytes : INT64_MAX;
}

static const int64_t default_max_pixels = (int64_t)1 << 31;
/* Metadata: far above any real profile; encoders make about ten scans; deflate's most is 1032. */
static const int64_t default_max_metadata = (int64_t)64 << 20;
static const int64_t default_max_scans = 500, default_max_ratio = 1100;

satf_status satf_context_create(satf_context **out)
{
    if (!out) {
        return SATF_INVALID;
    }
    *out = NULL;
    satf_context *ctx = satf_alloc_zeroed(sizeof *ctx);
    if (!ctx) {
        return SATF_NO_MEMORY;
    }
    ctx->settings.device = SATF_HOST;
    ctx->settings.threads = satf_core_count();
    ctx->settings.max_pixels = default_max_pixels;
    ctx->settings.max_bytes = default_max_bytes();
    ctx->settings.max_device_bytes = default_max_device_bytes();
    ctx->settings.max_metadata = default_max_metadata;
    ctx->settings.max_scans = default_max_scans;
    ctx->settings.max_ratio = default_max_ratio;
    strcpy(ctx->settings.algorithm, "auto");
    satf_progress_begin(ctx);
    ctx->budget = satf_budget_create();
    if (!ctx->budget) {
        satf_free(ctx);
        return SATF_NO_MEMORY;
    }
    *out = ctx;
    return SATF_OK;
}

satf_status satf_context_create_like(const satf_context *ctx, satf_context **out)
{
    satf_status status = satf_context_create(out);
    if (!status) {
        (*out)->settings = ctx->settings;
        (*out)->share = ctx->share;
    }
    return status;
}

satf_status satf_context_share(satf_context *ctx, satf_context **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!out) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the context");
    }
    satf_context *made;
    satf_status status = satf_context_create_like(ctx, &made);
    if (status || !satf_share_join(ctx, made)) {
        satf_context_destroy(made);
        return satf_fail_memory(ctx, sizeof *made, "another context");
    }
    *out = made;
    return SATF_OK;
}

bool satf_settings_equal(const satf_settings *a, const satf_settings *b)
{
    return a->device == b->device && a->threads == b->threads && a->engine == b->engine &&
           strcmp(a->algorithm, b->algorithm) == 0 && a->r == b->r && a->sync == b->sync &&
           a->max_pixels == b->max_pixels && a->max_bytes == b->max_bytes &&
           a->max_device_bytes == b->max_device_bytes && a->max_metadata == b->max_metadata &&
           a->max_scans == b->max_scans && a->max_ratio == b->max_ratio &&
           a->no_filter_files == b->no_filter_files && a->formats == b->formats &&
           strcmp(a->axes, b->axes) == 0 && a->upright == b->upright;
}

void satf_context_drop_helpers(satf_context *ctx)
{
    for (int i = 0; i < ctx->helper_count; i++) {
        satf_context_destroy(ctx->helpers[i]);
    }
    satf_free(ctx->helpers);
    ctx->helpers = NULL;
    ctx->helper_count = 0;
}

void satf_context_destroy(satf_context *ctx)
{
    if (ctx) {
        satf_context_drop_helpers(ctx);
        satf_context_forget(ctx);
        if (ctx->gpu) { /* else nothing is loaded */
            satf_cuda()->close(ctx);
        }
        satf_share_leave(ctx);
        satf_gpu_leave(ctx, SATF_OK);
        satf_pool_destroy(ctx->pool);
        satf_free(ctx->file_steps);
        satf_image_destroy(ctx->shown);
        satf_budget_leave(ctx->budget);
        satf_free(ctx);
    }
}

const char *satf_message(const satf_context *ctx)
{
    return ctx ? ctx->message : "the context is missing";
}

satf_status satf_context_set_threads(satf_context *ctx, int threads)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (threads < 0 || threads > SATF_MAX_THREADS) {
        return satf_fail(ctx, SATF_INVALID, "%d threads: 0 (one per core) to %d are possible",
                         threads, SATF_MAX_THREADS);
    }
    int count = threads > 0 ? threads : satf_core_count();
    if (count != ctx->settings.threads) {
        satf_pool_destroy(ctx->pool);
        ctx->pool = NULL;
        ctx->settings.threads = count;
    }
    return SATF_OK;
}

satf_settings satf_context_take_settings(satf_context *ctx, const satf_settings *settings)
{
    satf_settings before = ctx->settings;
    satf_context_set_threads(ctx, settings->threads);
    ctx->settings = *settings;
    return before;
}

satf_status satf_context_set_stream(satf_context *ctx, void *stream)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    ctx->stream = stream;
    ctx->has_stream = true;
    return SATF_OK;
}

satf_status satf_context_use_own_stream(satf_context *ctx)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    ctx->stream = NULL;
    ctx->has_stream = false;
    return SATF_OK;
}

satf_status satf_context_get_stream(satf_context *ctx, int device, void **stream)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!stream) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the stream");
    }
    if (device <= SATF_HOST) {
        return satf_fail(ctx, SATF_INVALID, "device %d has no stream; CUDA devices, from %d, have",
                         device, SATF_CUDA(0));
    }
    *stream = NULL;
    satf_status status = satf_gpu_open(ctx, device);
    if (!status) {
        *stream = satf_cuda()->stream(ctx);
    }
    return satf_gpu_leave(ctx, status);
}

satf_status satf_context_synchronize(satf_context *ctx)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    return ctx->gpu ? satf_gpu_leave(ctx, satf_cuda()->synchronize(ctx)) : SATF_OK;
}

satf_status satf_context_set_engine(satf_context *ctx, satf_engine engine)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (engine != SATF_ENGINE_AUTO && engine != SATF_ENGINE_SAT && engine != SATF_ENGINE_WINDOW) {
        return satf_fail(ctx, SATF_INVALID, "there is no engine number %d", (int)engine);
    }
    ctx->settings.engine = engine;
    return SATF_OK;
}

satf_status satf_context_set_r(satf_context *ctx, double r)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!(r >= 0 && r < 1)) {
        return satf_fail(ctx, SATF_INVALID, "r = %g: it must be above 0 and below 1", r);
    }
    ctx->settings.r = r;
    return SATF_OK;
}

/* Gives up what the context keeps if the new limit is lower: it was allowed by the old one. */
static satf_status set_max_bytes(satf_context *ctx, int64_t bytes)
{
    if (bytes < ctx->settings.max_bytes) {
        satf_context_forget(ctx);
        satf_context_drop_helpers(ctx);
        satf_image_destroy(ctx->shown);
        ctx->shown = NULL;
    }
    ctx->settings.max_bytes = addressable(bytes);
    return satf_gpu_leave(ctx, SATF_OK);
}

satf_status satf_context_set_limit(satf_context *ctx, satf_limit limit, int64_t value)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (value < 0) {
        return satf_fail(ctx, SATF_INVALID, "a limit cannot be negative");
    }
    switch (limit) {
    case SATF_LIMIT_PIXELS:
        ctx->settings.max_pixels = value ? value : default_max_pixels;
        return SATF_OK;
    case SATF_LIMIT_MEMORY:
        return set_max_bytes(ctx, value ? value : default_max_bytes());
    case SATF_LIMIT_METADATA:
        ctx->settings.max_metadata = value ? value : default_max_metadata;
        return SATF_OK;
    case SATF_LIMIT_SCANS:
        ctx->settings.max_scans = value ? value : default_max_scans;
        return SATF_OK;
    case SATF_LIMIT_RATIO:
        ctx->settings.max_ratio = value ? value : default_max_ratio;
        return SATF_OK;
    case SATF_LIMIT_DEVICE_MEMORY:
        ctx->settings.max_device_bytes = value ? value : default_max_device_bytes();
        return SATF_OK;
    }
    return satf_fail(ctx, SATF_INVALID, "there is no limit number %d", (int)limit);
}

satf_status satf_context_set_scratch(satf_context *ctx, void *memory, size_t bytes)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!memory != !bytes) {
        return satf_fail(ctx, SATF_INVALID, "scratch memory and its size must go together");
    }
    ctx->scratch = memory;
    ctx->scratch_bytes = bytes;
    return SATF_OK;
}

satf_status satf_context_set_progress(satf_context *ctx, satf_progress call, void *user)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    ctx->progress = call;
    ctx->progress_user = user;
    satf_progress_begin(ctx);
    return SATF_OK;
}
