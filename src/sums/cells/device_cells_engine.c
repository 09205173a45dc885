/* The engine of a CUDA device for cells of a coarser grid. */
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../formula/epilogue.h"
#include "../../plan/step.h"
#include "gpu.h"

/* Larger cells are added up in bands: a thread adds up to so many columns of a small cell. In a
 * block, units are counted in 32 bits. */
enum { SMALL_ROWS = 32, SMALL_COLUMNS = 128, MOST_UNITS = 1 << 30 };

/* The least rows of a band; more, where bands would make more than BAND_BLOCKS blocks. */
enum { BAND_ROWS = 32, BAND_BLOCKS = 4096 };

/* The plan's state of a step. The sums of bands come first in its scratch memory. */
typedef struct device_cells_step {
    cells_gpu job;
    size_t sum_bytes;
} device_cells_step;

static void find_grid(const filter_step *step, cells_gpu *job)
{
    const satf_view *in = &step->in, *out = &step->out;
    if (step->pass->shape) {
        job->across = cells_axis_of(in->width, out->width);
        job->down = cells_axis_of(in->height, out->height);
    } else {
        job->width = step->size.width;
        job->height = step->size.height;
        job->across = cells_axis_under(in->width, job->width);
        job->down = cells_axis_under(in->height, job->height);
    }
    job->columns = cells_needed(&job->across, in->width);
    job->rows = cells_needed(&job->down, in->height);
}

/* Chooses the words of sums, and how means are divided; false if no words are wide enough. */
static bool find_words(const filter_step *step, cells_gpu *job)
{
    satf_type type = (satf_type)step->in.type;
    satf_summand summand = step->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    uint64_t height = (uint64_t)job->down.from, area;
    if (__builtin_mul_overflow(height, (uint64_t)job->across.from, &area) || area >> 62) {
        return false;
    }
    satf_sum_type column = satf_sum_type_for(type, summand, height, SATF_SUM_U32);
    satf_sum_type cell = satf_sum_type_for(type, summand, area, SATF_SUM_U32);
    job->wide = !satf_type_is_float(type) && (column != SATF_SUM_U32 || cell == SATF_SUM_U128);
    if (satf_type_is_float(type) || satf_type_is_float((satf_type)step->out.type) ||
        !epilogue_magic_find(32, satf_type_max(type), area, &job->magic)) {
        job->magic.multiplier = 0;
    }
    return column != SATF_SUM_U128;
}

/* Chooses how many cells a block makes, or bands. */
static void find_blocks(cells_gpu *job)
{
    const cells_axis *across = &job->across, *down = &job->down;
    int channels = job->in.channels, bytes = (int)satf_type_bytes((satf_type)job->in.type);
    int each = cells_gpu_samples(bytes, channels, job->weighted);
    int64_t pixels = (CELLS_GPU_THREADS * each - each + 1) / channels;
    int64_t samples = job->in.width * channels, rows = (down->from - 1) / down->to + 1;
    job->bands = 1;
    if (rows <= SMALL_ROWS && across->from / across->to < SMALL_COLUMNS &&
        across->from <= MOST_UNITS / 2) { /* a block counts units in 32 bits */
        int64_t fit = ((pixels - 1) * across->to + 1) / across->from;
        int64_t most = MOST_UNITS / across->from - 1;
        job->cells = fit < most ? fit : most;
        return;
    }
    job->pitch = (samples - 1) / each * each + each;
    job->band_rows = rows + 1;
    if (!satf_type_is_float(
            (satf_type)job->in.type)) { /* a column of floats is added up in order, in one band */
        int64_t blocks = ((samples - 1) / (CELLS_GPU_BAND_THREADS * each) + 1) * job->rows;
        int64_t least = blocks < BAND_BLOCKS ? rows * blocks / BAND_BLOCKS : rows + 1;
        job->band_rows = least < BAND_ROWS ? BAND_ROWS : least;
        job->bands = rows / job->band_rows + 1;
    }
}

/* The scratch memory; false if it is too much. */
static bool find_memory(filter_step *step, device_cells_step *state)
{
    cells_gpu *job = &state->job;
    size_t sum = job->wide || satf_type_is_float((satf_type)job->in.type) ? 8 : 4, bands, row;
    size_t mean_row = (size_t)job->columns * (size_t)satf_pixel_bytes(&job->out), means = 0;
    job->means = job->out;
    if (job->width > 0) {
        job->means.width = job->columns;
        job->means.height = job->rows;
        job->means.stride = (int64_t)satf_align64(mean_row);
        means =
            (size_t)job->means.stride * (size_t)job->rows; /* no more than the result, aligned */
    }
    bool fits = satf_mul((size_t)job->bands, (size_t)job->rows, &bands) &&
                satf_mul((size_t)job->pitch, sum, &row) && satf_mul(bands, row, &state->sum_bytes);
    state->sum_bytes = fits ? satf_align64(state->sum_bytes) : 0;
    step->scratch_bytes = state->sum_bytes + means;
    return fits && state->sum_bytes < SIZE_MAX / 4 && means < SIZE_MAX / 4;
}

static satf_status device_cells_plan(satf_context *ctx, filter_step *step)
{
    device_cells_step *state = step->state;
    cells_gpu *job = &state->job;
    *job = (cells_gpu){.in = step->in, .out = step->out, .weighted = step->weighted};
    find_grid(step, job);
    bool fits = find_words(step, job);
    find_blocks(job);
    return fits && find_memory(step, state)
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT, "the sums of the cells are too large for any memory");
}

static satf_status device_cells_run(satf_context *ctx, filter_step *step)
{
    device_cells_step *state = step->state;
    cells_gpu *job = &state->job;
    job->in.data = step->in.data;
    job->out.data = step->out.data;
    job->sums = step->scratch;
    job->means.data = job->width > 0 ? step->scratch + state->sum_bytes : step->out.data;
    return satf_cuda()->cells(ctx, job);
}

const filter_engine filter_device_cells_engine = {
    .name = "cells",
    .does = "sums cells, not windows",
    .sums_others = true,
    .device_ns = 0.005,
    .state_bytes = sizeof(device_cells_step),
    .plan = device_cells_plan,
    .run = device_cells_run,
};
