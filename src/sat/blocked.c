/*
 * The fast algorithm: one pass over the input, every sum written once.
 *
 * Bands of rows are the tasks; a band advances by tiles from left to right. A
 * tile needs the row above it, which the band above leaves in one row of sums
 * that all bands share (small enough to stay in a cache), and the sums of its
 * rows left of it, which its own band carries along. So the threads move over
 * the image as a wavefront. Many threads would mostly wait in it. So they add up a tile's own rows
 * before they wait for the row above, and store the tile after they have passed its last row on:
 * what others wait for takes a few additions. Every sum is formed in the same order, left to
 * right along the row and then plus the sum above it, whatever their number: this is the order of
 * the reference, hence floats agree with it bit for bit.
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
#include "algorithms.h"

/* The fewest samples of a tile's row where several threads share the image. */
#define LEAST_SHARED_SAMPLES 512

enum { BAND_ROWS = 16, LEFT_BYTES = BAND_ROWS * SATF_MAX_CHANNELS * 16 };

/* From so many threads on, tiles are made in parts. Fewer threads lose more by that than by
 * waiting: bytes are read twice, from the cache, and for floats a tile's sums too. */
#define MANY_THREADS 4

/* How many bands have finished a column of tiles, or used a slot; a cache line of its own. */
typedef struct turn {
    _Alignas(64) _Atomic int64_t bands;
} turn;

/* How the work is split. */
typedef struct split {
    int threads;
    int64_t tile_pixels;
    int64_t tiles; /* a row of them */
    int64_t bands;
    int64_t slots;     /* bands at work at the same time, at most */
    size_t own_bytes;  /* a band's copy of the row above a tile; 0: it works on the row itself */
    size_t slot_bytes; /* of the sums left of a tile; and work, or that copy and the rows' sums */
    size_t above_bytes, turn_bytes, slots_bytes; /* parts of the scratch, in this order */
} split;

/* The pixels of a tile's row. The fewer, the shorter the waits and the slower the work. Tiles that
 * are made at once are worked on side by side, so there must be one for each thread. */
static int64_t tile_pixels_for(const sat_job *job, int threads)
{
    int64_t samples = threads > 1 ? SAT_SHARED_SAMPLES : SAT_TILE_SAMPLES;
    if (threads > 1 && threads < MANY_THREADS) {
        samples = satf_row_samples(&job->in) / threads;
        samples = samples < SAT_SHARED_SAMPLES ? samples : SAT_SHARED_SAMPLES;
        samples = samples > LEAST_SHARED_SAMPLES ? samples : LEAST_SHARED_SAMPLES;
    }
    return samples / job->in.channels / 32 * 32; /* whole vectors, also of narrow samples */
}

static bool split_work(satf_context *ctx, const sat_job *job, split *p)
{
    p->threads = sat_cpu_threads(ctx, job);
    p->tile_pixels = tile_pixels_for(job, p->threads);
    p->tiles = (job->in.width - 1) / p->tile_pixels + 1;
    p->bands = (job->in.height - 1) / BAND_ROWS + 1;
    p->slots = p->threads < p->bands ? p->threads : p->bands;
    if (!sat_row_bytes(job, &p->above_bytes)) {
        return false;
    }
    p->own_bytes =
        p->threads >= MANY_THREADS ? SAT_SHARED_SAMPLES * satf_sum_bytes(job->sum_type) : 0;
    int64_t pixels = p->tile_pixels < job->in.width ? p->tile_pixels : job->in.width;
    size_t work = satf_align64(sat_work_bytes(job, pixels * job->in.channels));
    p->slot_bytes = LEFT_BYTES + (p->own_bytes ? (1 + BAND_ROWS) * p->own_bytes : work);
    return satf_mul((size_t)(p->tiles + p->slots), sizeof(turn), &p->turn_bytes) &&
           satf_mul((size_t)p->slots, p->slot_bytes, &p->slots_bytes);
}

static bool blocked_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    split p;
    return split_work(ctx, job, &p) && satf_add(p.above_bytes, p.turn_bytes, bytes) &&
           satf_add(*bytes, p.slots_bytes, bytes);
}

typedef struct state {
    satf_context *ctx;
    const sat_job *job;
    const split *split;
    sat_kernels kernels;
    char *above; /* the last finished row of every column of tiles */
    turn *turns; /* of columns of tiles, then of slots */
    char *slots;
    bool stream;
    _Atomic bool cancelled;
} state;

static void blocked_relax(void)
{
#if defined __x86_64__ || defined __i386__
    _mm_pause();
#endif
}

/* Waits until so many bands have had their turn: for a column of tiles all bands above. A band
 * waits only for earlier ones, which have started, so one always advances; the yield lets it when
 * there are more threads than cores. */
static void wait_for_turn(turn *t, int64_t bands)
{
    for (int spins = 0; atomic_load_explicit(&t->bands, memory_order_acquire) != bands;) {
        if (spins < 256) {
            spins++;
            blocked_relax();
        } else {
            sched_yield();
        }
    }
}

/* Makes the tile when it is this band's turn. */
static void make_at_once(state *s, turn *t, int64_t band, sat_tile *tile)
{
    wait_for_turn(t, band);
    /* cancelled bands go on taking their turns, for others wait for them */
    if (!atomic_load_explicit(&s->cancelled, memory_order_relaxed)) {
        s->kernels.table(s->job, tile);
    }
    atomic_store_explicit(&t->bands, band + 1, memory_order_release);
}

/* Makes a tile in parts: its turn is over when the row above the next band's tile is there. */
static void make_in_parts(state *s, turn *t, int64_t band, sat_tile *tile)
{
    bool works = !atomic_load_explicit(&s->cancelled, memory_order_relaxed);
    if (works) {
        s->kernels.prefix(s->job, tile);
    }
    wait_for_turn(t, band);
    if (works) {
        int64_t samples = tile->pixels * s->job->in.channels;
        memcpy(tile->work, tile->above, (size_t)samples * satf_sum_bytes(s->job->sum_type));
        sat_tile passing = *tile;
        passing.rows = s->kernels.one_row ? 1 : tile->rows;
        s->kernels.pass(s->job, &passing);
    }
    atomic_store_explicit(&t->bands, band + 1, memory_order_release);
    if (works) {
        tile->above = tile->work;
        s->kernels.finish(s->job, tile);
    }
}

static void blocked_run_band(void *user, int64_t band, int thread)
{
    state *s = user;
    const split *p = s->split;
    const satf_view *in = &s->job->in;
    int64_t sum_bytes = (int64_t)satf_sum_bytes(s->job->sum_type);
    int64_t out_bytes = s->job->f32_out ? (int64_t)sizeof(float) : sum_bytes;
    int64_t sample_bytes = (int64_t)satf_type_bytes(in->type);
    int64_t y = band * BAND_ROWS;
    int64_t rows = in->height - y < BAND_ROWS ? in->height - y : BAND_ROWS;
    turn *used = &s->turns[p->tiles + band % p->slots];
    char *slot = s->slots + (size_t)(band % p->slots) * p->slot_bytes;
    wait_for_turn(used, band / p->slots);
    memset(slot, 0, LEFT_BYTES);
    if (thread == 0 && satf_report_progress(s->ctx, (double)band / (double)p->bands)) {
        atomic_store_explicit(&s->cancelled, true, memory_order_relaxed);
    }
    for (int64_t t = 0; t < p->tiles; t++) {
        int64_t x = t * p->tile_pixels, sample = x * in->channels;
        sat_tile tile = {
            .src = (const char *)satf_row(in, y) + sample * sample_bytes,
            .out = (char *)s->job->out + y * s->job->out_stride + sample * out_bytes,
            .pixels = in->width - x < p->tile_pixels ? in->width - x : p->tile_pixels,
            .rows = (int)rows,
            .above = s->above + sample * sum_bytes,
            .left = slot,
            .sums = slot + LEFT_BYTES + p->own_bytes,
            .work = slot + LEFT_BYTES,
            .apart = band == 0 || p->own_bytes > 0,
            .stream = s->stream,
        };
        (p->own_bytes > 0 ? make_in_parts : make_at_once)(s, &s->turns[t], band, &tile);
    }
    atomic_store_explicit(&used->bands, band / p->slots + 1, memory_order_release);
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
        .kernels = SATF_ISA_CHOOSE(sat_find_kernels)(job),
        .above = memory,
        .turns = (turn *)(void *)(memory + p.above_bytes),
        .slots = memory + p.above_bytes + p.turn_bytes,
        .stream = sat_table_bytes(job) >= satf_stream_bytes(),
    };
    memset(s.above, 0, p.above_bytes);
    for (int64_t t = 0; t < p.tiles + p.slots; t++) {
        atomic_init(&s.turns[t].bands, 0);
    }
    satf_parallel_on(ctx, p.threads, p.bands, blocked_run_band, &s);
    return atomic_load(&s.cancelled) ? SATF_CANCELLED : SATF_OK;
}

const sat_algorithm sat_blocked = {
    .name = "blocked",
    .device_kind = "cpu",
    .help = "one pass, SIMD, all cores: the default on the CPU",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = blocked_scratch,
    .run = blocked_run,
};
