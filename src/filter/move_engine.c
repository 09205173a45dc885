/*
 * Filters that move pixels as they are. Where the output's type is another than
 * the input's, pixels are moved first, a band at a time (on a device: all), and
 * then stored as results are, rounded and saturated.
 */
#include <string.h>

#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../move/gpu.h"
#include "gpu.h"
#include "run.h"

enum { BAND_ROWS = 64, PIECE_SAMPLES = 256 };

static move_job make_job(const filter_stage *stage)
{
    const filter_order *order = stage->order;
    return (move_job){
        .in = stage->in,
        .out = stage->out,
        .turn = filter_turn(stage->info->recipe, stage->options),
        .order = order ? order->entries : NULL,
    };
}

static bool converts(const filter_stage *stage)
{
    return stage->in.type != stage->out.type;
}

/* A packed view of that many of the result's rows, in the input's type. */
static satf_view moved_view(const filter_stage *stage, void *data, int64_t rows)
{
    const satf_view *out = &stage->out;
    satf_view view =
        satf_view_packed(data, out->width, rows, out->channels, (satf_type)stage->in.type);
    view.device = stage->in.device;
    return view;
}

/* Bytes of the order in a device's memory. */
static size_t order_bytes(const filter_stage *stage)
{
    const filter_order *order = stage->order;
    return order && stage->in.device != SATF_HOST
               ? satf_align64((size_t)order->count * sizeof *order->entries)
               : 0;
}

satf_status filter_move_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes)
{
    size_t rows = stage->in.device == SATF_HOST ? BAND_ROWS : (size_t)stage->out.height;
    size_t buffers = stage->in.device == SATF_HOST ? (size_t)satf_thread_count(ctx) : 1;
    satf_view row = moved_view(stage, NULL, 1);
    *bytes = 0;
    if (converts(stage) && (!satf_mul((size_t)row.stride, rows, bytes) || *bytes > SIZE_MAX / 2 ||
                            !satf_mul(satf_align64(*bytes), buffers, bytes))) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    if (!satf_add(satf_align64(*bytes), order_bytes(stage), bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the order is too long for the memory of this machine");
    }
    return SATF_OK;
}

/* ------------------------------------------------------------------- converting */

#define LOAD_REALS(type, sample)                          \
    case type:                                            \
        for (int64_t i = 0; i < n; i++) {                 \
            reals[i] = (double)((const sample *)from)[i]; \
        }                                                 \
        break;

static void load_reals(int type, const void *from, int64_t n, double *reals)
{
    switch (type) {
        LOAD_REALS(SATF_U8, uint8_t)
        LOAD_REALS(SATF_U16, uint16_t)
        LOAD_REALS(SATF_U32, uint32_t)
        LOAD_REALS(SATF_F32, float)
        LOAD_REALS(SATF_F64, double)
    default:
        break;
    }
}

/* n samples, `from` aligned to their type. All but those of u64 are exact as doubles. */
static void convert(int type, const void *from, int64_t n, int to_type, char *to)
{
    size_t bytes = satf_type_bytes(type), to_bytes = satf_type_bytes(to_type);
    if (type == SATF_U64) {
        for (int64_t i = 0; i < n; i++) {
            formula_store(to_type, formula_integer(((const uint64_t *)from)[i]),
                          to + (size_t)i * to_bytes);
        }
        return;
    }
    for (int64_t i = 0; i < n; i += PIECE_SAMPLES) {
        double reals[PIECE_SAMPLES];
        const char *piece = (const char *)from + (size_t)i * bytes;
        int64_t m = n - i < PIECE_SAMPLES ? n - i : PIECE_SAMPLES;
        load_reals(type, piece, m, reals);
        finish_reals((satf_type)to_type, reals, m, to + (size_t)i * to_bytes);
    }
}

typedef struct convert_work {
    const filter_stage *stage;
    move_job job;
    char *buffers; /* one a thread */
    size_t buffer_bytes;
    satf_context *ctx;
    int64_t bands;
    _Atomic int status; /* SATF_CANCELLED, once that is so */
} convert_work;

static void convert_band(void *user, int64_t band, int thread)
{
    convert_work *work = user;
    const satf_view *out = &work->stage->out;
    int64_t first = band * BAND_ROWS;
    if (atomic_load_explicit(&work->status, memory_order_relaxed)) {
        return;
    }
    int64_t rows = out->height - first < BAND_ROWS ? out->height - first : BAND_ROWS;
    satf_view moved =
        moved_view(work->stage, work->buffers + (size_t)thread * work->buffer_bytes, rows);
    move_rows(&work->job, first, rows, moved.data, moved.stride);
    for (int64_t y = 0; y < rows; y++) {
        convert(moved.type, satf_row(&moved, y), satf_row_samples(out), out->type,
                satf_row(out, first + y));
    }
    if (thread == 0) { /* the calling one */
        double done = (double)(band + 1) / (double)work->bands;
        atomic_store(&work->status, satf_report_progress(work->ctx, done < 1 ? done : 0));
    }
}

static satf_status run_converting(satf_context *ctx, const filter_stage *stage, void *scratch)
{
    convert_work work = {.stage = stage, .job = make_job(stage), .buffers = scratch, .ctx = ctx};
    work.buffer_bytes = satf_align64((size_t)moved_view(stage, NULL, 1).stride * BAND_ROWS);
    work.bands = (stage->out.height - 1) / BAND_ROWS + 1;
    satf_parallel(ctx, work.bands, convert_band, &work);
    satf_status status = (satf_status)atomic_load(&work.status);
    return status ? status : satf_report_progress(ctx, 1);
}

/* -------------------------------------------------------------------- streaming */

bool filter_move_by_rows(const filter_stage *stage)
{
    move_job job = make_job(stage);
    return !job.order && move_keeps_rows(job.turn);
}

void filter_move_rows_need(const filter_stage *stage, filter_rows_need *need)
{
    size_t row_bytes = (size_t)moved_view(stage, NULL, 1).stride;
    *need = (filter_rows_need){.kept = 1, .bytes = converts(stage) ? row_bytes : 0};
}

static satf_status run_rows(satf_context *ctx, const filter_stage *stage)
{
    const filter_rows *rows = stage->rows;
    move_job job = make_job(stage);
    satf_view moved = moved_view(stage, NULL, 1);
    moved.data = converts(stage) ? satf_alloc((size_t)moved.stride) : NULL;
    if (converts(stage) && !moved.data) {
        return satf_fail_memory(ctx, (size_t)moved.stride, "a row");
    }
    satf_status status = SATF_OK;
    int64_t height = stage->in.height;
    job.in.height = job.out.height = 1;
    for (int64_t y = 0; y < height && !status; y++) {
        job.in.data = (void *)(uintptr_t)rows->in(rows->user, y);
        char *to = job.in.data ? rows->out(rows->user, y) : NULL;
        if (!to) {
            status = satf_fail(ctx, SATF_IO, "row %lld could not be read or stored", (long long)y);
        } else if (converts(stage)) {
            move_rows(&job, 0, 1, moved.data, moved.stride);
            convert(moved.type, moved.data, satf_row_samples(&moved), stage->out.type, to);
        } else {
            move_rows(&job, 0, 1, to, moved.stride);
        }
        if (!status) {
            status = satf_report_progress(ctx, (double)(y + 1) / (double)height);
        }
    }
    satf_free(moved.data);
    return status;
}

/* -------------------------------------------------------------------- the whole */

/* scratch: the order, then the moved image, as far as they are needed. */
static satf_status run_on_device(satf_context *ctx, const filter_stage *stage, char *scratch)
{
    move_job job = make_job(stage);
    satf_status status = SATF_OK;
    if (job.order) {
        const filter_order *order = stage->order;
        status = satf_gpu_copy_bytes(ctx, stage->in.device, scratch, order->entries,
                                     (size_t)order->count * sizeof *order->entries);
        job.order = (const uint32_t *)(const void *)scratch;
    }
    if (converts(stage)) {
        job.out = moved_view(stage, scratch + order_bytes(stage), stage->out.height);
    }
    if (!status) {
        status = move_gpu_run(ctx, &job);
    }
    if (!status && converts(stage)) {
        status = filter_gpu_convert(ctx, &job.out, &stage->out);
    }
    return status;
}

satf_status filter_run_move(satf_context *ctx, const filter_stage *stage, void *scratch)
{
    ctx->report_engine = "move";
    ctx->report_algorithm = NULL;
    if (stage->rows) {
        return run_rows(ctx, stage);
    }
    if (stage->in.device != SATF_HOST) {
        return run_on_device(ctx, stage, scratch);
    }
    if (converts(stage)) {
        return run_converting(ctx, stage, scratch);
    }
    move_job job = make_job(stage);
    return move_run(ctx, &job);
}
