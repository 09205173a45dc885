#include "plan.h"

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

/* Of a segment's sums: they are to stay in the first level of cache. */
#define SEGMENT_BYTES 4096

/* Work too small to share between threads. */
#define MIN_BAND_SAMPLES 32768

static const window_kernels *choose_kernels(void)
{
#ifdef SATF_HAVE_X86_ISA
    switch (satf_cpu_isa()) {
    case SATF_ISA_AVX512:
        return &window_kernels_avx512;
    case SATF_ISA_AVX2:
        return &window_kernels_avx2;
    default:
        break;
    }
#endif
    return &window_kernels_base;
}

/* Reserves a * b + slack bytes at a multiple of 64 of an area of *total bytes. */
static bool reserve(size_t a, size_t b, size_t *total, size_t *offset)
{
    size_t bytes;
    if (!satf_mul(a, b, &bytes) || !satf_add(bytes, *total, &bytes) || bytes > SIZE_MAX / 2) {
        return false;
    }
    *offset = *total;
    *total = satf_align64(bytes) + 64;
    return true;
}

static satf_summand summand_of(const window_spec *spec, bool squares)
{
    if (spec->weighted) {
        return squares ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_WEIGHTED;
    }
    return squares ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
}

satf_sum_type window_sum_type(const window_spec *spec, bool squares)
{
    return satf_sum_type_for((satf_type)spec->in.type, summand_of(spec, squares),
                             (uint64_t)spec->w * (uint64_t)spec->h, SATF_SUM_U16);
}

static int64_t choose_bands(satf_context *ctx, const window_plan *plan)
{
    int64_t rows = plan->down.n;
    if (plan->spec->row) {
        return 1;
    }
    int64_t bands = satf_thread_count(ctx);
    int64_t most = rows * plan->samples / MIN_BAND_SAMPLES;
    bands = bands < most ? bands : most;
    bands = bands < rows ? bands : rows;
    return bands < 1 ? 1 : bands;
}

bool window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan)
{
    *plan = (window_plan){.spec = spec};
    plan->across = axis_of(spec->border, spec->in.width, spec->w);
    plan->down = axis_of(spec->border, spec->in.height, spec->h);
    plan->samples = satf_row_samples(&spec->in);
    plan->columns = plan->across.n + plan->across.lo + plan->across.hi;
    plan->is_float = satf_type_is_float(spec->in.type);
    plan->planes = spec->squares ? 2 : 1;
    const window_kernels *kernels = choose_kernels();
    size_t channels = (size_t)spec->in.channels, samples = (size_t)plan->samples;
    size_t columns = (size_t)plan->columns;
    if (!satf_mul(columns, channels, &columns) ||
        !reserve(samples, satf_type_bytes(spec->in.type), &plan->shared_bytes, &plan->outside) ||
        !reserve((size_t)(plan->across.lo + plan->across.hi), sizeof(int64_t), &plan->shared_bytes,
                 &plan->border_table)) {
        return false;
    }
    size_t widest = 1;
    for (int i = 0; i < plan->planes; i++) {
        window_plane *plane = &plan->plane[i];
        plane->summand = summand_of(spec, i == 1);
        plane->sum_type = window_sum_type(spec, i == 1);
        plane->col_type = satf_sum_type_for((satf_type)spec->in.type, plane->summand,
                                            (uint64_t)spec->h, SATF_SUM_U16);
        plane->vertical = &kernels->vertical[spec->in.type][plane->col_type];
        plane->horizontal = &kernels->horizontal[plane->col_type][plane->sum_type];
        size_t col_bytes = satf_sum_bytes(plane->col_type);
        size_t sum_bytes = satf_sum_bytes(plane->sum_type);
        widest = sum_bytes > widest ? sum_bytes : widest;
        /* Floats keep a block of suffix sums and one row of prefix sums. */
        size_t spare = HORIZONTAL_LEVELS * HORIZONTAL_LEVEL_SAMPLES;
        spare += plan->is_float ? 4 * columns + 4 * HORIZONTAL_CARRY_SAMPLES : 0;
        size_t kept = plan->is_float ? (size_t)(plan->down.lo + plan->down.hi) + 2 : 0;
        if (!satf_mul(samples, col_bytes, &plane->row_bytes) ||
            !reserve(columns + HORIZONTAL_CARRY_SAMPLES, col_bytes, &plan->band_bytes,
                     &plane->columns) ||
            !reserve(spare, sum_bytes, &plan->band_bytes, &plane->spare) ||
            !reserve(HORIZONTAL_SEGMENT + 2 * HORIZONTAL_CARRY_SAMPLES, sum_bytes,
                     &plan->band_bytes, &plane->sums) ||
            !reserve(HORIZONTAL_SEGMENT, sum_bytes, &plan->band_bytes, &plane->edge) ||
            !reserve(kept, plane->row_bytes, &plan->band_bytes, &plane->suffixes) ||
            !reserve(samples, col_bytes, &plan->shared_bytes, &plane->fixed_rows)) {
            return false;
        }
    }
    plan->segment = SEGMENT_BYTES / (int64_t)widest / spec->in.channels / 64 * 64;
    plan->bands = choose_bands(ctx, plan);
    plan->band_rows = (plan->down.n + plan->bands - 1) / plan->bands;
    plan->bands = (plan->down.n + plan->band_rows - 1) / plan->band_rows;
    return satf_mul((size_t)plan->bands, plan->band_bytes, &plan->bytes) &&
           satf_add(plan->bytes, plan->shared_bytes, &plan->bytes);
}

bool window_bytes(satf_context *ctx, const window_spec *spec, size_t *bytes)
{
    window_plan plan;
    if (!window_plan_make(ctx, spec, &plan)) {
        return false;
    }
    *bytes = plan.bytes;
    return true;
}

int64_t window_rows_kept(const window_spec *spec)
{
    int64_t rows = spec->in.height;
    return spec->h < rows ? spec->h + 1 : rows;
}
