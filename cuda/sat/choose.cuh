/*
 * Which kernels do a job: its pair of sample and sum types, the shape of its blocks, or why there
 * is none; and the tunings that a row can be tried with.
 */
#ifndef CUDA_SAT_CHOOSE_CUH
#define CUDA_SAT_CHOOSE_CUH

#include <string.h>

#include "launch.h"

extern "C" {
#include "../../src/sat/rows.h"
}

static const sat_pair *const pairs[] = {&sat_pair_u8_u32,  &sat_pair_u8_u64,   &sat_pair_u16_u32,
                                        &sat_pair_u16_u64, &sat_pair_u16_u128, &sat_pair_f32_f32,
                                        &sat_pair_f32_f64, &sat_pair_f64_f64};

static const sat_pair *find_pair(const sat_job *job)
{
    for (const sat_pair *pair : pairs) {
        if (pair->in == job->in.type && pair->sum == (int)job->sum_type &&
            pair->f32_out == job->f32_out) {
            return pair;
        }
    }
    return NULL;
}

static bool fits(const sat_shape *shape, const sat_job *job)
{
    return shape->scope == SAT_ANY_SUMMAND ||
           (job->summand == SATF_SUMMAND_PLAIN &&
            (shape->scope == SAT_CHANNELS) == (job->in.channels > 1));
}

/* The first shape that fits the job and its tuning. */
static const sat_shape *find_shape(const sat_pair *pair, const sat_job *job)
{
    for (const sat_shape *shape = pair->shapes; shape->tile; shape++) {
        if (fits(shape, job) && (!job->tuning.tile || job->tuning.tile == shape->tile) &&
            (!job->tuning.threads || job->tuning.threads == shape->threads)) {
            return shape;
        }
    }
    return NULL;
}

static sat_grid make_grid(int64_t width, int64_t height, int channels, int tile)
{
    sat_grid g = {(width - 1) / tile + 1, (height - 1) / tile + 1, channels};
    return g;
}

/* Kernels number blocks and threads of passes in 31 bits. */
static bool too_many(int64_t width, int64_t height, int channels, int tile)
{
    sat_grid g = make_grid(width, height, channels, tile);
    return width > INT64_C(1) << 31 || height > INT64_C(1) << 31 ||
           g.tiles_x * g.tiles_y * channels > INT32_MAX;
}

static int alignment(const void *data, int64_t stride)
{
    uint64_t bits = (uint64_t)(uintptr_t)data | (uint64_t)stride | 16;
    return (int)(bits & -bits);
}

static sat_plane make_plane(const sat_job *job)
{
    sat_plane p;
    p.in = (const char *)job->in.data;
    p.out = (char *)job->out;
    p.in_stride = job->in.stride;
    p.out_stride = job->out_stride;
    p.width = job->in.width;
    p.height = job->in.height;
    p.channels = job->in.channels;
    p.summand = (int)job->summand;
    p.in_align = alignment(p.in, p.in_stride);
    p.out_align = alignment(p.out, p.out_stride);
    return p;
}

static const char *refuses_any(const sat_job *job, const sat_pair **pair)
{
    *pair = find_pair(job);
    if (!*pair) {
        return "it has no kernels for these samples and sums";
    }
    if (too_many(job->in.width, job->in.height, job->in.channels, 32)) {
        return "the image has more blocks than a kernel can count";
    }
    return NULL;
}

static const char *refuses_passes(const sat_job *job)
{
    const sat_pair *pair;
    const char *reason = refuses_any(job, &pair);
    if (!reason && !pair->columns) {
        reason = "it has no sums of 128 bits; 2r1w has";
    } else if (!reason && (job->tuning.tile || job->tuning.threads)) {
        reason = "it has no blocks to choose";
    }
    return reason;
}

static const char *refuses_blocks(const sat_job *job)
{
    const sat_pair *pair;
    const char *reason = refuses_any(job, &pair);
    if (!reason && !find_shape(pair, job)) {
        reason = "it has no blocks of that side and number of threads for this job";
    }
    return reason;
}

/* Whether a CUDA block may have that much shared memory; of a device that is not there, yes. */
static bool has_shared(int device, int bytes)
{
    int most = 0;
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               satf_gpu_ordinal(device)) != cudaSuccess) {
        cudaGetLastError();
        return true;
    }
    return bytes <= most;
}

/* The shape that look-back alone has for such a job, NULL if there is none. */
static const sat_lookback_shape *own_lookback_shape(const sat_job *job)
{
    const sat_pair *pair = find_pair(job);
    if (!pair || !pair->lookback || job->summand != SATF_SUMMAND_PLAIN) {
        return NULL;
    }
    const sat_lookback_shape *shape = &pair->lookback[job->in.channels - 1];
    return has_shared(job->in.device, shape->shared_bytes) ? shape : NULL;
}

/* That shape if the job's tuning asks for it, or for nothing and the image suits it. */
static const sat_lookback_shape *find_lookback_shape(const sat_job *job)
{
    const sat_lookback_shape *shape = own_lookback_shape(job);
    int tile = job->tuning.tile, threads = job->tuning.threads;
    if (!shape) {
        return NULL;
    }
    if (tile || threads) {
        return tile == shape->high && threads == shape->threads ? shape : NULL;
    }
    bool large = job->in.width >= (shape->least_pixels - 1) / job->in.height + 1 &&
                 job->in.width >= shape->least_width;
    return large && (!shape->wants_engine || has_engine(job->in.device)) ? shape : NULL;
}

static const char *refuses_chained(const sat_job *job)
{
    const char *reason = refuses_blocks(job);
    if (!reason && !find_shape(find_pair(job), job)->stages) {
        reason = "it has no sums of 128 bits; 2r1w has";
    }
    return reason;
}

static const char *refuses_lookback(const sat_job *job)
{
    if (find_lookback_shape(job)) {
        const sat_pair *pair;
        return refuses_any(job, &pair);
    }
    const char *reason = refuses_chained(job);
    if (!reason && !find_shape(find_pair(job), job)->lookback) {
        reason = own_lookback_shape(job)
                     ? "it has blocks of one shape only for several channels"
                     : "its blocks of several channels need more shared memory than the device has";
    }
    return reason;
}

/* Tunings: shapes that fit and have that kernel, times the ways to wait for it: one, or all. */
enum { ALL_WAYS = SAT_SYNC_COOP - SAT_SYNC_LAUNCH + 1 };

/* Whether its tile and threads ask for this shape, and not for one of the same ahead of it. */
static bool is_askable(const sat_pair *pair, const sat_shape *shape, const sat_job *job)
{
    sat_job asking = *job;
    asking.tuning.tile = shape->tile;
    asking.tuning.threads = shape->threads;
    return find_shape(pair, &asking) == shape;
}

template <auto KERNEL, size_t WAYS = 1>
static bool shape_variant(const sat_job *job, size_t index, sat_tuning *tuning)
{
    const sat_pair *pair = find_pair(job);
    size_t at = index / WAYS;
    for (const sat_shape *shape = pair ? pair->shapes : NULL; shape && shape->tile; shape++) {
        if (is_askable(pair, shape, job) && shape->*KERNEL && at-- == 0) {
            memset(tuning, 0, sizeof *tuning);
            tuning->tile = shape->tile;
            tuning->threads = shape->threads;
            tuning->sync =
                WAYS > 1 ? (sat_sync)(SAT_SYNC_LAUNCH + (int)(index % WAYS)) : SAT_SYNC_AUTO;
            return true;
        }
    }
    return false;
}

static bool lookback_variant(const sat_job *job, size_t index, sat_tuning *tuning)
{
    const sat_lookback_shape *own = own_lookback_shape(job);
    if (own && index == 0) {
        memset(tuning, 0, sizeof *tuning);
        tuning->tile = own->high;
        tuning->threads = own->threads;
        return true;
    }
    return shape_variant<&sat_shape::lookback>(job, own ? index - 1 : index, tuning);
}

static bool sync_variant(const sat_job *job, size_t index, sat_tuning *tuning)
{
    (void)job;
    memset(tuning, 0, sizeof *tuning);
    tuning->sync = (sat_sync)(SAT_SYNC_LAUNCH + (int)index);
    return index < ALL_WAYS;
}

static sat_sync sync_of(const sat_job *job)
{
    return job->tuning.sync == SAT_SYNC_AUTO ? SAT_SYNC_COOP : job->tuning.sync;
}

#endif
