/*
 * The fast row: one pass over the input, every sum written once.
 *
 * Bands of rows are the tasks; a band advances by tiles from left to right. A
 * tile needs the row above it, which the band above leaves in one row of sums
 * that all bands share (small enough to stay in a cache), and the sums of its
 * rows left of it, which its own band carries along. So the threads move over
 * the image as a wavefront, and every sum is formed in the same order, left to
 * right along the row and then plus the sum above it, whatever their number:
 * this is the order of the reference, hence floats agree with it bit for bit.
 */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#if defined __x86_64__ || defined __i386__
#include <immintrin.h>
#endif

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "kernels.h"
#include "rows.h"

/* A thread's share of a table that makes up for waking it and waiting for it. */
#define SHARE_BYTES (INT64_C(1) << 22)

/* Samples of a tile's row where threads share the rows. */
#define MOST_SHARED_SAMPLES 1024
#define LEAST_SHARED_SAMPLES 512

enum {
    BAND_ROWS = 16,
    LEFT_BYTES = BAND_ROWS * SATF_MAX_CHANNELS * 16,
    SLOT_BYTES = LEFT_BYTES + SAT_WORK_BYTES
};

/* How many bands have finished a column of tiles; a cache line of its own. */
typedef struct turn {
    _Alignas(64) _Atomic int64_t bands;
} turn;

/* How the work is split. */
typedef struct split {
    int threads;
    int64_t tile_pixels;
    int64_t tiles; /* a row of them */
    int64_t bands;
    int64_t slots;                              /* bands at work at the same time, at most */
    size_t above_bytes, turn_bytes, slot_bytes; /* parts of the scratch, in this order */
} split;

static int64_t table_bytes(const sat_job *job)
{
    int64_t sum = job->f32_out ? (int64_t)sizeof(float) : (int64_t)satf_sum_bytes(job->sum_type);
    int64_t bytes;
    bool fits = !__builtin_mul_overflow(satf_row_samples(&job->in) * sum, job->in.height, &bytes);
    return fits ? bytes : INT64_MAX; /* before its memory is there, a job may be of any size */
}

/* The threads work side by side, a column of tiles each, so there must be as many. A row of the
 * longest tiles has fewer of them than a large machine has cores, but short ones take longer. */
static int64_t tile_pixels_for(const sat_job *job, int threads)
{
    int64_t samples = SAT_TILE_SAMPLES;
    if (threads > 1) {
        samples = satf_row_samples(&job->in) / threads;
        samples = samples < MOST_SHARED_SAMPLES ? samples : MOST_SHARED_SAMPLES;
        samples = samples > LEAST_SHARED_SAMPLES ? samples : LEAST_SHARED_SAMPLES;
    }
    return samples / job->in.channels / 32 * 32; /* whole vectors, also of narrow samples */
}

static bool split_work(satf_context *ctx, const sat_job *job, split *p)
{
    p->threads = satf_threads_for(ctx, table_bytes(job), SHARE_BYTES);
    p->tile_pixels = tile_pixels_for(job, p->threads);
    p->tiles = (job->in.width - 1) / p->tile_pixels + 1;
    p->bands = (job->in.height - 1) / BAND_ROWS + 1;
    p->slots = p->threads < p->bands ? p->threads : p->bands;
    if (!satf_mul((size_t)satf_row_samples(&job->in), satf_sum_bytes(job->sum_type),
                  &p->above_bytes) ||
        p->above_bytes > SIZE_MAX - 63) {
        return false;
    }
    p->above_bytes = satf_align64(p->above_bytes);
    return satf_mul((size_t)p->tiles, sizeof(turn), &p->turn_bytes) &&
           satf_mul((size_t)p->slots, SLOT_BYTES, &p->slot_bytes);
}

static bool blocked_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    split p;
    return split_work(ctx, job, &p) && satf_add(p.above_bytes, p.turn_bytes, bytes) &&
           satf_add(*bytes, p.slot_bytes, bytes);
}

typedef struct state {
    satf_context *ctx;
    const sat_job *job;
    const split *split;
    sat_tile_kernel kernel;
    char *above; /* the last finished row of every column of tiles */
    turn *turns;
    char *slots;
    bool stream;
    _Atomic bool cancelled;
} state;

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    _mm_pause();
#endif
}

/* Waits until all bands above have finished this column of tiles. A band waits
 * only for smaller ones, which have started, so somebody always advances; the
 * yield lets him when there are more threads than cores. */
static void wait_for_turn(turn *t, int64_t band)
{
    for (int spins = 0; atomic_load_explicit(&t->bands, memory_order_acquire) != band;) {
        if (spins < 256) {
            spins++;
            relax();
        } else {
            sched_yield();
        }
    }
}

static void run_band(void *user, int64_t band, int thread)
{
    state *s = user;
    const split *p = s->split;
    const satf_view *in = &s->job->in;
    int64_t sum_bytes = (int64_t)satf_sum_bytes(s->job->sum_type);
    int64_t out_bytes = s->job->f32_out ? (int64_t)sizeof(float) : sum_bytes;
    int64_t sample_bytes = (int64_t)satf_type_bytes(in->type);
    int64_t y = band * BAND_ROWS;
    int64_t rows = in->height - y < BAND_ROWS ? in->height - y : BAND_ROWS;
    /* Band b + slots starts when a band has ended, which b does before b + 1. */
    char *slot = s->slots + band % p->slots * SLOT_BYTES;
    memset(slot, 0, LEFT_BYTES);
    if (thread == 0 && satf_report_progress(s->ctx, (double)band / (double)p->bands)) {
        atomic_store_explicit(&s->cancelled, true, memory_order_relaxed);
    }
    for (int64_t t = 0; t < p->tiles; t++) {
        int64_t x = t * p->tile_pixels, sample = x * in->channels;
        wait_for_turn(&s->turns[t], band);
        /* cancelled bands go on taking their turns, for others wait for them */
        if (!atomic_load_explicit(&s->cancelled, memory_order_relaxed)) {
            sat_tile tile = {
                .src = (const char *)satf_row(in, y) + sample * sample_bytes,
                .out = (char *)s->job->out + y * s->job->out_stride + sample * out_bytes,
                .pixels = in->width - x < p->tile_pixels ? in->width - x : p->tile_pixels,
                .rows = (int)rows,
                .above = s->above + sample * sum_bytes,
                .left = slot,
                .work = slot + LEFT_BYTES,
                .top = band == 0,
                .stream = s->stream,
            };
            s->kernel(s->job, &tile);
        }
        atomic_store_explicit(&s->turns[t].bands, band + 1, memory_order_release);
    }
}

static satf_status blocked_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    split p;
    if (!split_work(ctx, job, &p)) {
        return satf_fail(ctx, SATF_LIMIT, "the scratch memory of a summed area table overflows");
    }
    char *memory = scratch;
    state s = {
        .ctx = ctx,
        .job = job,
        .split = &p,
        .kernel = SATF_ISA_CHOOSE(sat_find_kernel)(job),
        .above = memory,
        .turns = (turn *)(void *)(memory + p.above_bytes),
        .slots = memory + p.above_bytes + p.turn_bytes,
        .stream = table_bytes(job) >= satf_stream_bytes(),
    };
    memset(s.above, 0, p.above_bytes);
    for (int64_t t = 0; t < p.tiles; t++) {
        atomic_init(&s.turns[t].bands, 0);
    }
    satf_parallel_on(ctx, p.threads, p.bands, run_band, &s);
    return atomic_load(&s.cancelled) ? SATF_CANCELLED : SATF_OK;
}

const sat_row sat_blocked = {
    .name = "blocked",
    .device_kind = "cpu",
    .help = "one pass, SIMD, all cores: the default on the CPU",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = blocked_scratch,
    .run = blocked_run,
};
