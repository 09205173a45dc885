/*
 * The choice of a job's kernels: its pair of sample and sum types, the shape of its blocks, or why
 * there is none; and the tunings that an algorithm can be tried with.
 */
#ifndef CUDA_SAT_CHOOSE_CUH
#define CUDA_SAT_CHOOSE_CUH

#include <string.h>

#include "launch.h"

extern "C" {
#include "../../src/sat/algorithms.h"
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

/* The kernels for the sums of a job that refuses_any() does not refuse. */
static const sat_sums *find_sums(const sat_job *job)
{
    return find_pair(job)->sums;
}

/* The first shape that fits the job and its tuning. */
static const sat_shape *find_shape(const sat_job *job)
{
    for (const sat_shape *shape = find_sums(job)->shapes; shape->tile; shape++) {
        bool one = job->in.channels == 1 && job->summand == SATF_SUMMAND_PLAIN;
        if ((shape->scope != SAT_ONE_CHANNEL || one) &&
            (!job->tuning.tile || job->tuning.tile == shape->tile) &&
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
    p.summand = (int16_t)job->summand;
    p.in_bytes = (int16_t)satf_type_bytes(job->in.type);
    p.in_align = alignment(p.in, p.in_stride);
    p.out_align = alignment(p.out, p.out_stride);
    return p;
}

#define NO_SUCH_BLOCKS "it has no blocks of that side and number of threads for this job"
#define NO_LONG_SUMS "it has no sums of 128 bits; 2r1w has"

static const char *refuses_any(const sat_job *job)
{
    if (!find_pair(job)) {
        return "it has no kernels for these samples and sums";
    }
    if (too_many(job->in.width, job->in.height, job->in.channels, 32)) {
        return "the image has more blocks than a kernel can count";
    }
    return NULL;
}

static const char *refuses_passes(const sat_job *job)
{
    const char *reason = refuses_any(job);
    if (!reason && !find_sums(job)->columns) {
        reason = NO_LONG_SUMS;
    } else if (!reason && (job->tuning.tile || job->tuning.threads)) {
        reason = "it has no blocks to choose";
    }
    return reason;
}

static const char *refuses_blocks(const sat_job *job)
{
    const char *reason = refuses_any(job);
    if (!reason && !find_shape(job)) {
        reason = NO_SUCH_BLOCKS;
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

/* Whether the kernel can do the job on its device. */
static bool can_do(const sat_lookback_shape *shape, const sat_job *job)
{
    bool fits = shape->scope == SAT_ANY_SUMMAND ||
                (job->summand == SATF_SUMMAND_PLAIN && shape->channels == job->in.channels);
    return fits && has_shared(job->in.device, shape->shared_bytes);
}

/* The first shape that can do the job and that its tuning asks for or, if it asks for nothing, that
 * suits the image. */
static const sat_lookback_shape *find_lookback_shape(const sat_job *job)
{
    int tile = job->tuning.tile, threads = job->tuning.threads;
    for (const sat_lookback_shape *shape = find_pair(job)->lookback; shape->across; shape++) {
        bool asked = tile || threads;
        bool suits = asked
                         ? (!tile || tile == shape->high) && (!threads || threads == shape->threads)
                         : job->in.width >= shape->least_width &&
                               job->in.width >= (shape->least_pixels - 1) / job->in.height + 1 &&
                               (!shape->wants_engine || has_engine(job->in.device));
        if (suits && can_do(shape, job)) {
            return shape;
        }
    }
    return NULL;
}

static const char *refuses_chained(const sat_job *job)
{
    const char *reason = refuses_blocks(job);
    if (!reason && !find_shape(job)->stages) {
        reason = find_sums(job)->columns ? NO_SUCH_BLOCKS : NO_LONG_SUMS;
    }
    return reason;
}

static const char *refuses_lookback(const sat_job *job)
{
    const char *reason = refuses_any(job);
    if (!reason && !find_pair(job)->lookback) {
        reason = NO_LONG_SUMS;
    } else if (!reason && !find_lookback_shape(job)) {
        reason = NO_SUCH_BLOCKS;
    }
    return reason;
}

/* Tunings are the shapes that fit and have the kernel, times the ways to wait: one, or all. */
enum { ALL_WAYS = SAT_SYNC_COOP - SAT_SYNC_LAUNCH + 1 };

/* Whether the job with the shape's tile and threads finds that shape, and none with the same ahead
 * of it. */
template <typename Shape, typename Find>
static bool is_askable(const Shape *shape, int tile, const sat_job *job, Find find,
                       sat_tuning *tuning)
{
    sat_job asking = *job;
    memset(tuning, 0, sizeof *tuning);
    asking.tuning.tile = tuning->tile = tile;
    asking.tuning.threads = tuning->threads = shape->threads;
    return find(&asking) == shape;
}

template <auto KERNEL, size_t WAYS = 1>
static bool shape_variant(const sat_job *job, size_t index, sat_tuning *tuning)
{
    size_t at = index / WAYS;
    const sat_shape *shape = find_pair(job) ? find_sums(job)->shapes : NULL;
    for (; shape && shape->tile; shape++) {
        if (is_askable(shape, shape->tile, job, find_shape, tuning) && shape->*KERNEL &&
            at-- == 0) {
            tuning->sync =
                WAYS > 1 ? (sat_sync)(SAT_SYNC_LAUNCH + (int)(index % WAYS)) : SAT_SYNC_AUTO;
            return true;
        }
    }
    return false;
}

static bool lookback_variant(const sat_job *job, size_t index, sat_tuning *tuning)
{
    const sat_lookback_shape *shape = find_pair(job) ? find_pair(job)->lookback : NULL;
    for (; shape && shape->across; shape++) {
        if (is_askable(shape, shape->high, job, find_lookback_shape, tuning) && index-- == 0) {
            return true;
        }
    }
    return false;
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
