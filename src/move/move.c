/* Moving pixels on the CPU, in blocks that threads share. */
#include "move.h"

#include <stdatomic.h>

#include "../base/cpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "kernels.h"

enum {
    BLOCK_TILES = 4,      /* tiles along a side of a task's block */
    BAND_BYTES = 1 << 16, /* rows of a task that works by rows */
    SHARE_BYTES = 1 << 21 /* of less of the result no thread is woken; half of it where pixels leave
                             their rows */
};

static int64_t pixel_bytes(const satf_view *view)
{
    return view->channels * (int64_t)satf_type_bytes(view->type);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where the result goes, whether around the caches, and the kernels. */
typedef struct target {
    char *data;
    int64_t stride;
    bool stream;
    const move_kernels *kernels;
} target;

/* ---------------------------------------------------------------- by columns */

/*
 * The input's columns x ... x + width - 1 of its rows y ... y + height - 1, under a
 * transposition, counted along the flipped input, so that column x is row x of the
 * result; to->data is the result's row `first`. Flips are signs of strides.
 */
static void transpose_part(const move_job *job, const target *to, int64_t first, int64_t x,
                           int64_t width, int64_t y, int64_t height)
{
    const satf_view *in = &job->in;
    int64_t bytes = pixel_bytes(in);
    move_part part = {
        .in = satf_row(in, y),
        .in_stride = in->stride,
        .out = to->data + (x - first) * to->stride + y * bytes,
        .out_stride = to->stride,
        .width = width,
        .height = height,
        .stream = to->stream,
    };
    if (job->symmetry & MOVE_FLIP_V) {
        part.in = satf_row(in, in->height - 1 - y);
        part.in_stride = -in->stride;
    }
    if (job->symmetry & MOVE_FLIP_H) { /* from the last of the columns to the first */
        part.in += (in->width - x - width) * bytes;
        part.out += (width - 1) * to->stride;
        part.out_stride = -to->stride;
    } else {
        part.in += x * bytes;
    }
    to->kernels->transpose[bytes](&part);
}

/* ------------------------------------------------------------------- by rows */

static void gather_row(const move_job *job, const target *to, char *row, int64_t y)
{
    const satf_view *in = &job->in;
    to->kernels->gather[pixel_bytes(in)](in->data, in->stride, in->width,
                                         job->order + y * job->out.width, row, job->out.width,
                                         to->stream);
}

static void move_row(const move_job *job, const target *to, char *row, int64_t y)
{
    const satf_view *in = &job->in;
    const char *from = satf_row(in, job->symmetry & MOVE_FLIP_V ? in->height - 1 - y : y);
    int64_t bytes = pixel_bytes(in);
    if (job->symmetry & MOVE_FLIP_H) {
        to->kernels->reverse[bytes](from, row, in->width, to->stream);
    } else {
        to->kernels->copy(from, row, in->width * bytes, to->stream);
    }
}

/* Makes rows of the result from `first` on, at to->data, in the order of the input's memory. */
static void rows_to(const move_job *job, const target *to, int64_t first, int64_t rows)
{
    bool up = job->symmetry & MOVE_FLIP_V;
    for (int64_t i = 0; i < rows; i++) {
        int64_t k = up ? rows - 1 - i : i;
        char *row = to->data + k * to->stride;
        if (job->order) {
            gather_row(job, to, row, first + k);
        } else {
            move_row(job, to, row, first + k);
        }
    }
}

void move_rows(const move_job *job, int64_t first, int64_t rows, void *dst, int64_t stride)
{
    target to = {dst, stride, false, SATF_ISA_CHOOSE(&move_kernels)};
    if (job->symmetry & MOVE_TRANSPOSE) {
        transpose_part(job, &to, first, first, rows, 0, job->in.height);
    } else {
        rows_to(job, &to, first, rows);
    }
}

/* ------------------------------------------------------------------ the whole */

typedef struct move_work {
    const move_job *job;
    target to;
    int64_t block_width, block_height; /* pixels of the input, under a transposition */
    int64_t blocks_down;
    int64_t band_rows; /* of the result, else */
    int64_t tasks;
} move_work;

static void run_block(const move_work *work, int64_t task)
{
    const satf_view *in = &work->job->in;
    int64_t x = task / work->blocks_down * work->block_width;
    int64_t y = task % work->blocks_down * work->block_height;
    transpose_part(work->job, &work->to, 0, x, least(work->block_width, in->width - x), y,
                   least(work->block_height, in->height - y));
}

static void move_run_band(const move_work *work, int64_t task)
{
    int64_t height = work->job->out.height;
    int64_t y = task * work->band_rows, rows = least(work->band_rows, height - y);
    y = work->job->symmetry & MOVE_FLIP_V ? height - y - rows : y;
    target to = work->to;
    to.data += y * to.stride;
    rows_to(work->job, &to, y, rows);
}

static void run_task(void *user, int64_t task, int thread)
{
    (void)thread;
    const move_work *work = user;
    if (work->job->symmetry & MOVE_TRANSPOSE) {
        run_block(work, task);
    } else {
        move_run_band(work, task);
    }
}

/* Whether the result is written around the caches: if it is large, and by tiles only if all rows
 * begin at lines of the cache: half a line costs as much as several whole ones. */
static bool streams(const move_job *job)
{
    const satf_view *out = &job->out;
    int64_t bytes = satf_row_samples(out) * (int64_t)satf_type_bytes(out->type);
    bool aligned = (((uintptr_t)out->data | (uintptr_t)out->stride) & 63) == 0;
    return (aligned || !(job->symmetry & MOVE_TRANSPOSE)) &&
           bytes >= satf_stream_bytes() / out->height;
}

satf_status move_run(satf_context *ctx, const move_job *job)
{
    const satf_view *in = &job->in, *out = &job->out;
    move_work work = {.job = job,
                      .to = {out->data, out->stride, streams(job), SATF_ISA_CHOOSE(&move_kernels)}};
    int64_t bytes = pixel_bytes(in);
    if (job->symmetry & MOVE_TRANSPOSE) {
        work.block_width = work.block_height = MOVE_TILE(bytes) * BLOCK_TILES;
        work.blocks_down = (in->height - 1) / work.block_height + 1;
        work.tasks = ((in->width - 1) / work.block_width + 1) * work.blocks_down;
    } else {
        int64_t row_bytes = out->width * bytes;
        work.band_rows = row_bytes < BAND_BYTES ? BAND_BYTES / row_bytes : 1;
        work.tasks = (out->height - 1) / work.band_rows + 1;
    }
    bool transposes = job->symmetry & MOVE_TRANSPOSE || job->order;
    int threads = satf_threads_for(ctx, out->height * out->width * bytes,
                                   transposes ? SHARE_BYTES / 2 : SHARE_BYTES);
    return satf_parallel_told(ctx, threads, work.tasks, run_task, &work);
}
