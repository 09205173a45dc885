/* Measuring what the tuner remembers. */
#include <math.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "search.h"
#include "tuner.h"

#define TOTAL_CAP_MS 90e3   /* no further image is begun after this */
#define ROW_CAP_MS 250.0    /* nor a candidate of a row */
#define ROW_R_CAP_MS 1000.0 /* (1+r)R1W, which has an r for every block a side */

/* Size classes that are measured; the others take their nearest. */
static const int classes[] = {20, 22, 24, 26};

enum { CLASSES = sizeof classes / sizeof *classes, IMAGES = CLASSES * SAT_TUNED_PAIRS };

/* One image on the device, and what its table must be. */
typedef struct tuning_image {
    satf_context *ctx;
    int device;
    sat_job job;
    size_t out_bytes;
    void *want, *got; /* host */
    int index;        /* of IMAGES */
    double start_ms;
} tuning_image;

/* Whole numbers whose sums are exact in every type: all rows give the same bits.
 * One float in `sparse` is 1, the others 0, so that sums stay below 2^24. */
static void fill(const satf_view *in, uint32_t sparse)
{
    uint32_t state = 2463534242u;
    size_t samples = (size_t)(in->width * in->height);
    for (size_t i = 0; i < samples; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        bool one = state % sparse == 0;
        switch (in->type) {
        case SATF_U8:
            ((uint8_t *)in->data)[i] = (uint8_t)(state >> 8);
            break;
        case SATF_U16:
            ((uint16_t *)in->data)[i] = (uint16_t)(state >> 8);
            break;
        case SATF_F32:
            ((float *)in->data)[i] = one;
            break;
        default:
            ((double *)in->data)[i] = one;
        }
    }
}

/* The image's part of the whole, by time where the cap will end it. */
static double done_before(const tuning_image *t)
{
    double by_time = (satf_now_ms() - t->start_ms) / TOTAL_CAP_MS;
    double by_count = (double)t->index / IMAGES;
    double done = fmax(by_time, by_count);
    return done < 1 ? done : 1;
}

/* Fills the host's input and computes its table with the reference. */
static satf_status make_want(tuning_image *t, satf_view *in)
{
    satf_context *ctx = t->ctx;
    size_t in_bytes = (size_t)(in->stride * in->height), scratch_bytes = 0;
    const sat_row *reference = sat_row_find("reference", "cpu");
    sat_job job = t->job;
    in->data = satf_alloc(in_bytes);
    t->want = satf_alloc(t->out_bytes);
    t->got = satf_alloc(t->out_bytes);
    job.in = *in;
    job.out = t->want;
    bool known = reference && reference->scratch_bytes(ctx, &job, &scratch_bytes);
    void *scratch = known ? satf_alloc(scratch_bytes) : NULL;
    satf_status status = SATF_OK;
    /* The reference reports how far one table is, which is nothing of the whole. */
    satf_progress_part whole = satf_progress_enter(ctx, done_before(t), 0);
    if (!in->data || !t->want || !t->got || !scratch) {
        status = satf_fail_memory(ctx, in_bytes + 2 * t->out_bytes, "the tuner");
    } else {
        uint32_t sparse = (uint32_t)(in->width * in->height >> 22);
        fill(in, sparse ? sparse : 1);
        status = reference->run(ctx, &job, scratch);
    }
    satf_progress_leave(ctx, whole);
    satf_free(scratch);
    return status;
}

static void release(tuning_image *t)
{
    satf_cuda()->free(t->ctx, t->job.in.data);
    satf_cuda()->free(t->ctx, t->job.out);
    satf_free(t->want);
    satf_free(t->got);
}

/* release() it after failure too. */
static satf_status make_image(tuning_image *t)
{
    int64_t side = INT64_C(1) << (classes[t->index / SAT_TUNED_PAIRS] / 2);
    t->job = sat_tuned_job(t->index % SAT_TUNED_PAIRS, side);
    satf_view in = t->job.in;
    size_t in_bytes = (size_t)(in.stride * side);
    t->out_bytes = (size_t)(t->job.out_stride * side);
    satf_status status = make_want(t, &in);
    t->job.in.device = t->device;
    if (!status) {
        status = satf_cuda()->alloc(t->ctx, t->device, in_bytes, "the tuner", &t->job.in.data);
    }
    if (!status) {
        status = satf_cuda()->alloc(t->ctx, t->device, t->out_bytes, "the tuner", &t->job.out);
    }
    if (!status) {
        status = satf_cuda()->copy_bytes(t->ctx, t->device, t->job.in.data, in.data, in_bytes);
    }
    if (!status) {
        status = satf_cuda()->wait(t->ctx, t->device);
    }
    satf_free(in.data);
    return status;
}

static satf_status check(void *user, const sat_tuning *candidate, bool *right)
{
    (void)candidate;
    tuning_image *t = user;
    satf_status status =
        satf_cuda()->copy_bytes(t->ctx, t->device, t->got, t->job.out, t->out_bytes);
    if (!status) {
        status = satf_cuda()->wait(t->ctx, t->device);
    }
    *right = !status && memcmp(t->got, t->want, t->out_bytes) == 0;
    return status;
}

static satf_status step(void *user)
{
    const tuning_image *t = user;
    return satf_report_progress(t->ctx, done_before(t));
}

static void remember(sat_cache *cache, const tuning_image *t, bool of_all, const char *row,
                     const sat_tuning *tuning)
{
    if (cache->count == SAT_CACHE_CHOICES) {
        return;
    }
    sat_choice *choice = &cache->choice[cache->count++];
    *choice = (sat_choice){.in_type = t->job.in.type,
                           .sum_type = t->job.sum_type,
                           .f32_out = t->job.f32_out,
                           .size_class = sat_size_class(t->job.in.width, t->job.in.height),
                           .of_all = of_all,
                           .tuning = *tuning};
    strncpy(choice->row, row, sizeof choice->row - 1);
}

/* The fastest row with its tuning, and that of (1+r)R1W by itself. */
static satf_status tune_image(tuning_image *t, sat_cache *cache)
{
    const sat_row *best_row = NULL;
    sat_tuning tuning, best = {0};
    double ms, best_ms = INFINITY;
    satf_status status = SATF_OK;
    for (size_t r = 0; sat_row_at(r) && !status; r++) {
        const sat_row *row = sat_row_at(r);
        if (strcmp(row->device_kind, "cuda") != 0) {
            continue;
        }
        sat_search search = {.cap_ms = row->has_r ? ROW_R_CAP_MS : ROW_CAP_MS,
                             .check = check,
                             .step = step,
                             .user = t};
        status = sat_search_tuning(t->ctx, row, &t->job, &search, &tuning, &ms);
        if (status == SATF_UNSUPPORTED || status == SATF_NO_MEMORY) { /* others can */
            status = SATF_OK;
            continue;
        }
        if (!status && row->has_r) {
            remember(cache, t, false, row->name, &tuning);
        }
        if (!status && ms < best_ms) {
            best_row = row;
            best = tuning;
            best_ms = ms;
        }
    }
    if (!status && best_row) {
        remember(cache, t, true, best_row->name, &best);
    }
    return status;
}

/* An image that the device has no room for ends nothing but itself. */
static satf_status tune_all(satf_context *ctx, int device, sat_cache *cache)
{
    double start_ms = satf_now_ms();
    satf_status status = SATF_OK;
    for (int i = 0; i < IMAGES && !status && satf_now_ms() - start_ms < TOTAL_CAP_MS; i++) {
        tuning_image image = {.ctx = ctx, .device = device, .index = i, .start_ms = start_ms};
        status = make_image(&image);
        if (!status) {
            status = tune_image(&image, cache);
        }
        release(&image);
        status = status == SATF_NO_MEMORY ? SATF_OK : status;
    }
    return status;
}

static satf_status tune(satf_context *ctx)
{
    satf_progress_begin(ctx);
    const char *why = "the context is on the CPU";
    if (ctx->settings.device == SATF_HOST || satf_gpu_count(&why) == 0) {
        return satf_fail(ctx, SATF_NO_DEVICE, "there is no CUDA device to tune for: %s", why);
    }
    int device = ctx->settings.device > SATF_HOST ? ctx->settings.device : SATF_CUDA(0);
    char path[4096];
    sat_cache_key key;
    if (!sat_cache_path(device, path, sizeof path)) {
        return satf_fail(ctx, SATF_IO,
                         "there is no place for the cache: set XDG_CACHE_HOME or HOME");
    }
    if (!sat_tuner_key(device, &key)) {
        return satf_fail(ctx, SATF_NO_DEVICE, "CUDA device %d does not answer",
                         satf_gpu_ordinal(device));
    }
    satf_status status = sat_cache_try(ctx, path); /* before minutes are spent on it */
    if (status) {
        return status;
    }
    sat_cache *cache = satf_alloc_zeroed(sizeof *cache);
    if (!cache) {
        return satf_fail_memory(ctx, sizeof *cache, "the tuner's cache");
    }
    status = tune_all(ctx, device, cache);
    if (!status) {
        sat_tuner_remember(device, cache);
        satf_context_forget(ctx);
        status = sat_cache_save(ctx, path, &key, cache);
    }
    status = status ? status : sat_cache_save_start(ctx, satf_gpu_start_ms());
    satf_free(cache);
    return status;
}

satf_status satf_context_tune(satf_context *ctx)
{
    return ctx ? satf_gpu_leave(ctx, tune(ctx)) : SATF_INVALID;
}
