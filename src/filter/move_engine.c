/*
 * Filters that move pixels as they are, on the CPU. Where the output's type is another than the
 * input's, pixels are moved first, a band at a time, and then stored as results are, rounded and
 * saturated.
 */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "epilogue.h"
#include "move_step.h"
#include "pixels.h"

enum { BAND_ROWS = 64 };
enum { LEAST_SAMPLES = 150000 }; /* that are worth another thread: to wake it takes as long */

static const char *refuses_rows(const filter_step *step)
{
    move_job job = filter_move_job(step);
    return job.order || !move_keeps_rows(job.turn)
               ? "moves pixels to other rows and needs the whole picture"
               : NULL;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    size_t row = (size_t)filter_moved_view(step, NULL, 1).stride, bytes;
    if (step->by_rows) {
        step->need.kept = 1;
        step->walker_bytes = satf_align64(sizeof(row_walker)) + satf_align64(row);
        return SATF_OK;
    }
    if (!filter_move_converts(step)) {
        return SATF_OK;
    }
    if (!satf_mul(row, BAND_ROWS, &bytes) || bytes > SIZE_MAX / 2 ||
        !satf_mul(satf_align64(bytes), (size_t)satf_thread_count(ctx), &step->scratch_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    return SATF_OK;
}

/* ------------------------------------------------------------------- converting */

typedef struct convert_work {
    const filter_step *step;
    move_job job;
    char *buffers; /* one a thread */
    size_t buffer_bytes;
} convert_work;

static void convert_band(void *user, int64_t band, int thread)
{
    const convert_work *work = user;
    const satf_view *out = &work->step->out;
    int64_t first = band * BAND_ROWS;
    int64_t rows = out->height - first < BAND_ROWS ? out->height - first : BAND_ROWS;
    satf_view moved =
        filter_moved_view(work->step, work->buffers + (size_t)thread * work->buffer_bytes, rows);
    move_rows(&work->job, first, rows, moved.data, moved.stride);
    for (int64_t y = 0; y < rows; y++) {
        filter_convert(moved.type, satf_row(&moved, y), satf_row_samples(out), out->type,
                       satf_row(out, first + y));
    }
}

static satf_status run_converting(satf_context *ctx, const filter_step *step, void *scratch)
{
    convert_work work = {.step = step, .job = filter_move_job(step), .buffers = scratch};
    work.buffer_bytes = satf_align64((size_t)filter_moved_view(step, NULL, 1).stride * BAND_ROWS);
    int64_t samples = satf_row_samples(&step->out) * step->out.height;
    satf_status status =
        satf_parallel_told(ctx, satf_threads_for(ctx, samples, LEAST_SAMPLES),
                           (step->out.height - 1) / BAND_ROWS + 1, convert_band, &work);
    return status ? status : satf_report_progress(ctx, 1);
}

/* ---------------------------------------------------------------------- running */

static satf_status run(satf_context *ctx, filter_step *step)
{
    if (filter_move_converts(step)) {
        return run_converting(ctx, step, step->scratch);
    }
    move_job job = filter_move_job(step);
    return move_run(ctx, &job);
}

/* Behind the walker is the row that is moved before it is converted. */
static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, void *walker)
{
    *(row_walker *)walker = (row_walker){ctx, step, rows, first};
    return SATF_OK;
}

static bool next(void *walker, satf_status *status)
{
    row_walker *w = walker;
    const filter_step *step = w->step;
    const void *from;
    char *to = filter_next_row(w, &from, status);
    if (!to) {
        return false;
    }
    move_job job = filter_move_job(step);
    satf_view moved = filter_moved_view(step, (char *)walker + satf_align64(sizeof *w), 1);
    job.in.height = job.out.height = 1;
    job.in.data = (void *)(uintptr_t)from;
    if (filter_move_converts(step)) {
        move_rows(&job, 0, 1, moved.data, moved.stride);
        filter_convert(moved.type, moved.data, satf_row_samples(&moved), step->out.type, to);
    } else {
        move_rows(&job, 0, 1, to, moved.stride);
    }
    return true;
}

const filter_engine filter_move_engine = {
    .name = "move",
    .overs = 1U << OVER_ELSEWHERE,
    .ns = 0.3,
    .plan = plan,
    .run = run,
    .refuses_rows = refuses_rows,
    .begin = begin,
    .next = next,
};
