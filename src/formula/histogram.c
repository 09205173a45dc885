/* Counting an image's samples, by threads, and Otsu's level of the counts. */
#include "histogram.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

enum { BAND_ROWS = 32 };
enum { LEAST_SAMPLES = 150000, LEAST_PER_LEVEL = 16 }; /* that are worth another thread */

/* Neighbours are often alike: in tables of their own they need not wait for one another's count. */
enum { LANES = 8 };

typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;

/* A thread's counts; behind it are those of all lanes. */
typedef struct counter {
    _Alignas(64) bool used;   /* else they are not set yet */
    uint64_t least, greatest; /* keys of floats that count (reduction.h), the former's negative */
} counter;

typedef struct count_work {
    satf_context *ctx;
    histogram_task *task;
    char *memory;
    size_t counter_bytes;
} count_work;

int64_t histogram_levels(int type)
{
    return satf_type_is_float(type) ? OTSU_BINS : (int64_t)satf_type_max(type) + 1;
}

static int lanes_of(int type)
{
    return type == SATF_U8 ? LANES : 1;
}

static size_t counter_bytes(int type)
{
    return sizeof(counter) +
           (size_t)lanes_of(type) * (size_t)histogram_levels(type) * sizeof(uint64_t);
}

bool histogram_bytes(const satf_context *ctx, int type, size_t *bytes)
{
    return satf_mul(counter_bytes(type), (size_t)satf_thread_count(ctx), bytes);
}

static counter *counter_of(const count_work *work, int thread)
{
    return (counter *)(void *)(work->memory + (size_t)thread * work->counter_bytes);
}

static uint64_t *counts_of(counter *c)
{
    return (uint64_t *)(void *)(c + 1);
}

/* ------------------------------------------------------------------------ counting */

static void count_bytes(int64_t n, const uint8_t *from, uint64_t *restrict counts)
{
    enum { LEVELS = UINT8_MAX + 1 };
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        uint64_t samples;
        memcpy(&samples, from + i, sizeof samples);
        for (int k = 0; k < LANES; k++) {
            counts[(samples >> (8 * k) & UINT8_MAX) + (size_t)k * LEVELS]++;
        }
    }
    for (; i < n; i++) {
        counts[from[i]]++;
    }
}

static void count_words(int64_t n, const any_u16 *from, uint64_t *restrict counts)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t samples;
        memcpy(&samples, from + i, sizeof samples);
        if (samples == (samples >> 16 | samples << 48)) { /* all are alike */
            counts[from[i]] += 4;
            continue;
        }
        for (int k = 0; k < 4; k++) {
            counts[samples >> (16 * k) & UINT16_MAX]++;
        }
    }
    for (; i < n; i++) {
        counts[from[i]]++;
    }
}

/* Pixels of a sample and its alpha. */
#define COUNT_WEIGHTED(Sample)                    \
    for (int64_t i = 0; i < n; i++) {             \
        const Sample *pixel = from;               \
        counts[pixel[2 * i]] += pixel[2 * i + 1]; \
    }

static void histogram_count_weighted(int type, int64_t n, const void *from,
                                     uint64_t *restrict counts)
{
    if (type == SATF_U8) {
        COUNT_WEIGHTED(uint8_t)
    } else {
        COUNT_WEIGHTED(any_u16)
    }
}

static double real_at(const satf_view *in, const char *from)
{
    float narrow;
    double wide;
    if (in->type == SATF_F64) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

/* Sample x of a row of floats, and how often it counts. */
static double weighted_real(const histogram_task *task, const char *row, int64_t x, uint64_t *times)
{
    const char *at = row + x * satf_pixel_bytes(task->in);
    double sample = real_at(task->in, at), alpha = task->full;
    if (task->weighted) {
        alpha = real_at(task->in, at + satf_type_bytes(task->in->type));
    }
    *times = otsu_weight(sample, alpha, task->full);
    return sample;
}

static void count_reals(const histogram_task *task, const char *row, uint64_t *restrict counts)
{
    uint64_t times;
    for (int64_t x = 0; x < task->in->width; x++) {
        double sample = weighted_real(task, row, x, &times);
        if (times > 0) {
            counts[otsu_bin(&task->range, sample)] += times;
        }
    }
}

static void count_row(const histogram_task *task, int64_t y, uint64_t *counts)
{
    const satf_view *in = task->in;
    const void *from = satf_row(in, y);
    if (satf_type_is_float(in->type)) {
        count_reals(task, from, counts);
    } else if (task->weighted) {
        histogram_count_weighted(in->type, in->width, from, counts);
    } else if (in->type == SATF_U8) {
        count_bytes(in->width, from, counts);
    } else {
        count_words(in->width, from, counts);
    }
}

static void count_band(void *user, int64_t band, int thread)
{
    count_work *work = user;
    counter *c = counter_of(work, thread);
    int64_t first = band * BAND_ROWS, rows = work->task->in->height - first;
    if (!c->used) {
        c->used = true;
        memset(counts_of(c), 0, work->counter_bytes - sizeof *c);
    }
    for (int64_t y = 0; y < rows && y < BAND_ROWS; y++) {
        count_row(work->task, first + y, counts_of(c));
    }
}

/* The extremes of floats. */
static void find_band(void *user, int64_t band, int thread)
{
    const count_work *work = user;
    const satf_view *in = work->task->in;
    counter *c = counter_of(work, thread);
    uint64_t times, least = c->least, greatest = c->greatest;
    int64_t first = band * BAND_ROWS, rows = in->height - first;
    for (int64_t y = 0; y < rows && y < BAND_ROWS; y++) {
        for (int64_t x = 0; x < in->width; x++) {
            double sample = weighted_real(work->task, satf_row(in, first + y), x, &times);
            uint64_t key = times > 0 ? reduction_key(sample) : 0;
            uint64_t below = times > 0 ? reduction_key(-sample) : 0;
            greatest = key > greatest ? key : greatest;
            least = below > least ? below : least;
        }
    }
    c->least = least;
    c->greatest = greatest;
}

/* The counts of all threads and lanes, in those of the caller's first lane. */
static const uint64_t *histogram_add_up(const count_work *work)
{
    int threads = satf_thread_count(work->ctx), lanes = lanes_of(work->task->in->type);
    int64_t levels = histogram_levels(work->task->in->type);
    counter *all = counter_of(work, 0);
    uint64_t *restrict sums = counts_of(all);
    if (!all->used) {
        memset(sums, 0, work->counter_bytes - sizeof *all);
    }
    for (int thread = 0; thread < threads; thread++) {
        counter *c = counter_of(work, thread);
        for (int lane = thread == 0; c->used && lane < lanes; lane++) {
            const uint64_t *counts = counts_of(c) + lane * levels;
            for (int64_t level = 0; level < levels; level++) {
                sums[level] += counts[level];
            }
        }
    }
    return sums;
}

/* Walks the bands on as many threads as are worth it. */
static satf_status walk_bands(count_work *work, void (*body)(void *user, int64_t band, int thread))
{
    const satf_view *in = work->task->in;
    int64_t levels = histogram_levels(in->type) * LEAST_PER_LEVEL;
    int64_t least = levels > LEAST_SAMPLES ? levels : LEAST_SAMPLES;
    return satf_parallel_told(work->ctx, satf_threads_for(work->ctx, in->width * in->height, least),
                              (in->height - 1) / BAND_ROWS + 1, body, work);
}

static satf_status histogram_find_range(count_work *work)
{
    satf_progress_part whole = satf_progress_enter(work->ctx, 0, 0.5);
    satf_status status = walk_bands(work, find_band);
    satf_progress_leave(work->ctx, whole);
    counter *all = counter_of(work, 0);
    for (int thread = 1; thread < satf_thread_count(work->ctx); thread++) {
        const counter *c = counter_of(work, thread);
        all->least = c->least > all->least ? c->least : all->least;
        all->greatest = c->greatest > all->greatest ? c->greatest : all->greatest;
    }
    work->task->range = otsu_range_of(all->least, all->greatest);
    return status;
}

satf_status histogram_count(satf_context *ctx, histogram_task *task, void *memory,
                            const uint64_t **counts)
{
    count_work work = {
        .ctx = ctx, .task = task, .memory = memory, .counter_bytes = counter_bytes(task->in->type)};
    for (int thread = 0; thread < satf_thread_count(ctx); thread++) {
        *counter_of(&work, thread) = (counter){.used = false};
    }
    bool real = satf_type_is_float(task->in->type);
    satf_status status = real ? histogram_find_range(&work) : SATF_OK;
    satf_progress_part whole = satf_progress_enter(ctx, real ? 0.5 : 0, real ? 0.5 : 1);
    status = status ? status : walk_bands(&work, count_band);
    satf_progress_leave(ctx, whole);
    *counts = histogram_add_up(&work);
    return status;
}
