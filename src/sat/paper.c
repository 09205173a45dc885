/*
 * 2R1W, 1R1W and (1+r)R1W of the dissertation (sections 6.3 to 6.5) on the CPU: blocks are shared
 * among threads, and a stage begins when the one before is over.
 *
 * A block needs the table's row above it and the sums of its rows left of it. Blocks of 1R1W get
 * them from the blocks above and left of them, one anti-diagonal after the other. Blocks of 2R1W
 * are added up on their own first (step 1), which gives the sums of their columns, up to each
 * column, and of their rows. Step 2 makes these the sums of all that lies above and left. Step 3
 * makes their tables. The order of additions depends on the blocks alone.
 */
#include <stdatomic.h>
#include <string.h>

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "kernels.h"
#include "algorithms.h"
#include "stages.h"

enum { BLOCK = SAT_CPU_BLOCK, MOST_SAMPLES = BLOCK * SATF_MAX_CHANNELS };

/* How the image is cut up. Blocks before anti-diagonal `begin` and from `end` on are done by 2R1W,
 * the others by 1R1W. */
typedef struct grid {
    int64_t across, down, begin, end;
    int threads;
    size_t sum_bytes;
    size_t below_pitch, right_pitch;               /* bytes */
    size_t below_bytes, right_bytes, thread_bytes; /* parts of the scratch; the last a thread's */
} grid;

static int64_t diagonals(const grid *g)
{
    return g->across + g->down - 1;
}

static bool by_2r1w(const grid *g, int64_t d)
{
    return d < g->begin || d >= g->end;
}

/* Cuts the job up, as far as that does not depend on the algorithm; false if the sizes overflow. */
static bool paper_cut_up(satf_context *ctx, const sat_job *job, grid *g)
{
    *g = (grid){
        .across = (job->in.width - 1) / BLOCK + 1,
        .down = (job->in.height - 1) / BLOCK + 1,
        .threads = sat_cpu_threads(ctx, job),
        .sum_bytes = satf_sum_bytes(job->sum_type),
        .thread_bytes = MOST_SAMPLES * 16 + SAT_WORK_BYTES,
    };
    size_t pixel_bytes = g->sum_bytes * (size_t)job->in.channels;
    if (!sat_row_bytes(job, &g->below_pitch) ||
        !satf_mul((size_t)job->in.height, pixel_bytes, &g->right_pitch) ||
        g->right_pitch > SIZE_MAX - 63) {
        return false;
    }
    g->right_pitch = satf_align64(g->right_pitch);
    return satf_mul((size_t)g->down + 1, g->below_pitch, &g->below_bytes) &&
           satf_mul((size_t)g->across + 1, g->right_pitch, &g->right_bytes);
}

static bool paper_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    grid g;
    if (!paper_cut_up(ctx, job, &g)) {
        return false;
    }
    size_t threads = g.threads > 1 ? (size_t)satf_thread_count(ctx) : 1;
    return satf_add(g.below_bytes, g.right_bytes, bytes) &&
           satf_add(*bytes, threads * g.thread_bytes, bytes);
}

typedef struct state {
    satf_context *ctx;
    const sat_job *job;
    grid g;
    sat_kernels kernels;
    /* below[I]: the row above the blocks (I, .), right[J]: [y][channel] the sums left of the blocks
     * (., J); after step 1 below[I + 1] and right[J + 1] have those of block (I, J) alone. */
    char *below, *right;
    char *threads;
    int64_t diagonal; /* of the present stage */
    bool stream;
    double done, part; /* of all blocks' work: before this loop, and in it */
    int64_t tasks;     /* of this loop */
    _Atomic bool cancelled;
} state;

static char *below_of(const state *s, int64_t i, int64_t j)
{
    int64_t samples = j * BLOCK * s->job->in.channels;
    return s->below + (size_t)i * s->g.below_pitch + (size_t)samples * s->g.sum_bytes;
}

static char *right_of(const state *s, int64_t i, int64_t j)
{
    int64_t sums = i * BLOCK * s->job->in.channels;
    return s->right + (size_t)j * s->g.right_pitch + (size_t)sums * s->g.sum_bytes;
}

/* Pixels of block k of a side of n. */
static int64_t extent(int64_t k, int64_t n)
{
    return n - k * BLOCK < BLOCK ? n - k * BLOCK : BLOCK;
}

/* Block (i, j) as a tile, from the row above it and the sums left of it, which it changes. */
static sat_tile tile_of(const state *s, int64_t i, int64_t j, void *above, void *left, int thread)
{
    const sat_job *job = s->job;
    int64_t out_bytes = job->f32_out ? (int64_t)sizeof(float) : (int64_t)s->g.sum_bytes;
    int64_t sample = j * BLOCK * job->in.channels;
    return (sat_tile){
        .src = (const char *)satf_row(&job->in, i * BLOCK) +
               sample * (int64_t)satf_type_bytes((int)job->in.type),
        .out = (char *)job->out + i * BLOCK * job->out_stride + sample * out_bytes,
        .pixels = extent(j, job->in.width),
        .rows = (int)extent(i, job->in.height),
        .above = above,
        .left = left,
        .work = s->threads + (size_t)thread * s->g.thread_bytes,
        .apart = true,
        .stream = s->stream,
    };
}

/* Bytes of the sums above a block, and of those left of it. */
static size_t paper_row_bytes(const state *s, int64_t j)
{
    return (size_t)(extent(j, s->job->in.width) * s->job->in.channels) * s->g.sum_bytes;
}

static size_t column_bytes(const state *s, int64_t i)
{
    return (size_t)(extent(i, s->job->in.height) * s->job->in.channels) * s->g.sum_bytes;
}

/* ------------------------------------------------------------------- the stages */

/* False when the work is cancelled, which the calling thread's callback decides. */
static bool paper_goes_on(state *s, int64_t task, int thread)
{
    bool cancelled = atomic_load_explicit(&s->cancelled, memory_order_relaxed);
    if (!cancelled && thread == 0 &&
        satf_report_progress(s->ctx, s->done + s->part * (double)task / (double)s->tasks)) {
        atomic_store_explicit(&s->cancelled, true, memory_order_relaxed);
        return false;
    }
    return !cancelled;
}

/* Step 1: makes the table of the block alone, and keeps its last row and its rows' sums. */
static void paper_add_up(void *user, int64_t task, int thread)
{
    state *s = user;
    int64_t i = task / s->g.across, j = task % s->g.across;
    if (!by_2r1w(&s->g, i + j) || !paper_goes_on(s, task, thread)) {
        return;
    }
    char *above = below_of(s, i + 1, j), *left = right_of(s, i, j + 1);
    memset(above, 0, paper_row_bytes(s, j));
    memset(left, 0, column_bytes(s, i));
    sat_tile tile = tile_of(s, i, j, above, left, thread);
    sat_job alone = *s->job;
    alone.f32_out = false;
    alone.out_stride = 0; /* one row, again and again */
    tile.out = (char *)tile.work + SAT_WORK_BYTES;
    tile.stream = false;
    s->kernels.table(&alone, &tile);
}

/* Step 3: makes the block's table. Nobody else needs the sums that it gets and changes. */
static void paper_make_table(void *user, int64_t task, int thread)
{
    state *s = user;
    int64_t i = task / s->g.across, j = task % s->g.across;
    if (by_2r1w(&s->g, i + j) && paper_goes_on(s, task, thread)) {
        sat_tile tile = tile_of(s, i, j, below_of(s, i, j), right_of(s, i, j), thread);
        s->kernels.table(s->job, &tile);
    }
}

/* A stage of 1R1W: block number `task` from above of its anti-diagonal. */
static void make_stage(void *user, int64_t task, int thread)
{
    state *s = user;
    int64_t i = task + (s->diagonal < s->g.across ? 0 : s->diagonal - s->g.across + 1);
    int64_t j = s->diagonal - i;
    if (paper_goes_on(s, task, thread)) {
        char *above = below_of(s, i + 1, j), *left = right_of(s, i, j + 1);
        memcpy(above, below_of(s, i, j), paper_row_bytes(s, j));
        memcpy(left, right_of(s, i, j), column_bytes(s, i));
        sat_tile tile = tile_of(s, i, j, above, left, thread);
        s->kernels.table(s->job, &tile);
    }
}

/* Step 2 for one block, whose neighbours have had it. The rows' sums come first: those left of a
 * block are the corner that its columns get. */
#define STEP_2(Sum)                                                                 \
    static void along_##Sum(const state *s, int64_t i, int64_t j)                   \
    {                                                                               \
        const Sum *before = (const void *)right_of(s, i, j);                        \
        Sum *sums = (void *)right_of(s, i, j + 1);                                  \
        for (size_t k = 0; k < column_bytes(s, i) / sizeof(Sum); k++) {             \
            sums[k] = before[k] + sums[k];                                          \
        }                                                                           \
    }                                                                               \
                                                                                    \
    static void down_##Sum(const state *s, int64_t i, int64_t j)                    \
    {                                                                               \
        const Sum *left = (const void *)right_of(s, i, j);                          \
        const Sum *above = (const void *)below_of(s, i, j);                         \
        Sum *sums = (void *)below_of(s, i + 1, j), corner[SATF_MAX_CHANNELS] = {0}; \
        size_t channels = (size_t)s->job->in.channels;                              \
        for (size_t k = 0; k < column_bytes(s, i) / sizeof(Sum); k++) {             \
            corner[k % channels] += left[k];                                        \
        }                                                                           \
        for (size_t k = 0; k < paper_row_bytes(s, j) / sizeof(Sum); k++) {          \
            sums[k] = above[k] + (corner[k % channels] + sums[k]);                  \
        }                                                                           \
    }

STEP_2(uint32_t)
STEP_2(uint64_t)
STEP_2(satf_u128)
STEP_2(double)

#define STEP_2_BY_TYPE(step, s, i, j)                                        \
    ((s)->job->sum_type == SATF_SUM_U32    ? step##_uint32_t((s), (i), (j))  \
     : (s)->job->sum_type == SATF_SUM_U64  ? step##_uint64_t((s), (i), (j))  \
     : (s)->job->sum_type == SATF_SUM_U128 ? step##_satf_u128((s), (i), (j)) \
                                           : step##_double((s), (i), (j)))

/* The anti-diagonals that step 2 does, all that 2R1W does on one side of the others. */
typedef struct triangle {
    state *s;
    int64_t begin, end;
} triangle;

static bool has(const triangle *t, int64_t d)
{
    return d >= t->begin && d < t->end;
}

static void add_along(void *user, int64_t i, int thread)
{
    const triangle *t = user;
    (void)thread;
    satf_work(t->s->ctx, t->s->g.across * BLOCK * t->s->job->in.channels);
    for (int64_t j = 0; j < t->s->g.across; j++) {
        if (has(t, i + j)) {
            STEP_2_BY_TYPE(along, t->s, i, j);
        }
    }
}

static void paper_add_down(void *user, int64_t j, int thread)
{
    const triangle *t = user;
    (void)thread;
    satf_work(t->s->ctx, t->s->g.down * BLOCK * t->s->job->in.channels);
    for (int64_t i = 0; i < t->s->g.down; i++) {
        if (has(t, i + j)) {
            STEP_2_BY_TYPE(down, t->s, i, j);
        }
    }
}

static void paper_sum_up(state *s, int64_t begin, int64_t end)
{
    triangle t = {s, begin, end};
    if (begin < end && !atomic_load_explicit(&s->cancelled, memory_order_relaxed)) {
        satf_parallel_on(s->ctx, s->g.threads, s->g.down, add_along, &t);
        satf_parallel_on(s->ctx, s->g.threads, s->g.across, paper_add_down, &t);
    }
}

/* ---------------------------------------------------------------- the algorithms */

/* One loop over blocks, which does `part` of all the work. */
static void loop(state *s, int64_t tasks, double part,
                 void (*body)(void *user, int64_t task, int thread))
{
    s->part = part;
    s->tasks = tasks;
    if (!atomic_load_explicit(&s->cancelled, memory_order_relaxed)) {
        satf_parallel_on(s->ctx, s->g.threads, tasks, body, s);
    }
    s->done += part;
}

/* Blocks of anti-diagonal d. */
static int64_t paper_count(const grid *g, int64_t d)
{
    int64_t shorter = g->across < g->down ? g->across : g->down;
    int64_t n = d + 1 < diagonals(g) - d ? d + 1 : diagonals(g) - d;
    return n < shorter ? n : shorter;
}

/* 2R1W does so many anti-diagonals in each of two corners, 1R1W the others. */
static satf_status paper_run(satf_context *ctx, const sat_job *job, int64_t side, void *scratch)
{
    char *memory = scratch;
    grid cut, *g = &cut;
    if (!paper_cut_up(ctx, job, g)) {
        return satf_fail(ctx, SATF_LIMIT, "the scratch memory of a summed area table overflows");
    }
    g->begin = side < diagonals(g) ? side : diagonals(g);
    g->end = side < diagonals(g) ? diagonals(g) - side : diagonals(g);
    state s = {
        .ctx = ctx,
        .job = job,
        .g = *g,
        .kernels = SATF_ISA_CHOOSE(sat_find_kernels)(job),
        .below = memory,
        .right = memory + g->below_bytes,
        .threads = memory + g->below_bytes + g->right_bytes,
        .stream = sat_table_bytes(job) >= satf_stream_bytes(),
    };
    int64_t blocks = g->across * g->down, apart = blocks;
    for (int64_t d = g->begin; d < g->end; d++) {
        apart -= paper_count(g, d);
    }
    double work = (double)(blocks + apart);
    memset(s.below, 0, g->below_pitch);
    memset(s.right, 0, g->right_pitch);
    if (apart > 0) {
        loop(&s, blocks, (double)apart / work, paper_add_up);
    }
    paper_sum_up(&s, 0, g->begin);
    for (s.diagonal = g->begin; s.diagonal < g->end; s.diagonal++) {
        loop(&s, paper_count(g, s.diagonal), (double)paper_count(g, s.diagonal) / work, make_stage);
    }
    paper_sum_up(&s, g->end, diagonals(g));
    if (apart > 0) {
        loop(&s, blocks, (double)apart / work, paper_make_table);
    }
    return atomic_load(&s.cancelled) ? SATF_CANCELLED : SATF_OK;
}

static satf_status paper_run_2r1w(satf_context *ctx, const sat_job *job, void *scratch)
{
    return paper_run(ctx, job, INT64_MAX, scratch);
}

static satf_status paper_run_1r1w(satf_context *ctx, const sat_job *job, void *scratch)
{
    return paper_run(ctx, job, 0, scratch);
}

static satf_status paper_run_1_plus_r(satf_context *ctx, const sat_job *job, void *scratch)
{
    int64_t across = (job->in.width - 1) / BLOCK + 1, down = (job->in.height - 1) / BLOCK + 1;
    return paper_run(ctx, job, sat_triangle_side(job->tuning.r, across, down), scratch);
}

const sat_algorithm sat_2r1w = {
    .name = "2r1w",
    .device_kind = "cpu",
    .help = "sums of blocks, their tables, the blocks again, all cores (section 6.3)",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = paper_scratch,
    .run = paper_run_2r1w,
};

const sat_algorithm sat_1r1w = {
    .name = "1r1w",
    .device_kind = "cpu",
    .help = "blocks along anti-diagonals, one stage each, all cores (section 6.4)",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = paper_scratch,
    .run = paper_run_1r1w,
};

const sat_algorithm sat_1_plus_r = {
    .name = "1+r",
    .device_kind = "cpu",
    .help = "1r1w between two triangles of 2r1w, all cores (section 6.5)",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = paper_scratch,
    .run = paper_run_1_plus_r,
    .has_r = true,
};
