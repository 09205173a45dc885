/*
 * The sequential algorithms: the specification, and the two programs that section 6.6 of the
 * dissertation times on a CPU. Plain on purpose.
 */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "algorithms.h"

const char *sat_cpu_refuses(const sat_job *job)
{
    if (job->in.device != SATF_HOST) {
        return "it runs on the CPU and the image is in CUDA memory";
    }
    if (satf_type_is_float((int)job->in.type) != (job->sum_type == SATF_SUM_F64)) {
        return "floats are summed in f64, integers in u32 or u64";
    }
    if (job->in.type == SATF_U32 || job->in.type == SATF_U64) {
        return "only u8, u16, f32 and f64 images are summed";
    }
    if (job->sum_type == SATF_SUM_U16) {
        return "16-bit sums are too narrow for a table";
    }
    if (job->f32_out && job->sum_type != SATF_SUM_F64) {
        return "only sums of floats are stored as f32";
    }
    if (job->summand >= SATF_SUMMAND_WEIGHTED && job->in.channels < 2) {
        return "weighted sums need an alpha channel";
    }
    return NULL;
}

int64_t sat_table_bytes(const sat_job *job)
{
    int64_t sum = job->f32_out ? (int64_t)sizeof(float) : (int64_t)satf_sum_bytes(job->sum_type);
    int64_t bytes;
    bool fits = !__builtin_mul_overflow(satf_row_samples(&job->in) * sum, job->in.height, &bytes);
    return fits ? bytes : INT64_MAX;
}

/* The least share of a table that makes up for waking a thread and waiting for it. */
#define SHARE_BYTES (INT64_C(1) << 22)

int sat_cpu_threads(const satf_context *ctx, const sat_job *job)
{
    return satf_threads_for(ctx, sat_table_bytes(job), SHARE_BYTES);
}

bool sat_row_bytes(const sat_job *job, size_t *bytes)
{
    if (!satf_mul((size_t)satf_row_samples(&job->in), satf_sum_bytes(job->sum_type), bytes) ||
        *bytes > SIZE_MAX - 63) {
        return false;
    }
    *bytes = satf_align64(*bytes);
    return true;
}

static void load_terms(const sat_job *job, int64_t y, void *terms)
{
    satf_summands((satf_type)job->in.type, job->in.channels, job->summand, satf_row(&job->in, y),
                  job->in.width, job->sum_type, terms);
}

/* Stores n sums (which may be unaligned) as row y of the output. */
static void scalar_store_row(const sat_job *job, int64_t y, const void *sums)
{
    char *out = (char *)job->out + y * job->out_stride;
    int64_t n = satf_row_samples(&job->in);
    if (!job->f32_out) {
        memcpy(out, sums, (size_t)n * satf_sum_bytes(job->sum_type));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum;
        memcpy(&sum, (const char *)sums + i * (int64_t)sizeof sum, sizeof sum);
        float rounded = (float)sum;
        memcpy(out + i * (int64_t)sizeof rounded, &rounded, sizeof rounded);
    }
}

/* Rows between two looks at the context's progress callback. */
enum { REPORT_ROWS = 64 };

/* Reports progress before row `row` of `passes` passes over the image. */
static satf_status report_row(satf_context *ctx, const sat_job *job, int64_t row, int passes)
{
    enum { SAMPLE_NS = 4 };
    int64_t rows = job->in.height * passes;
    return row % REPORT_ROWS ? satf_work(ctx, satf_row_samples(&job->in) * SAMPLE_NS)
                             : satf_report_progress(ctx, (double)row / (double)rows);
}

/* One function per sum type, chosen by the job's. */
#define RUN_BY_SUM_TYPE(algorithm, ctx, job, scratch)    \
    switch ((job)->sum_type) {                           \
    case SATF_SUM_U32:                                   \
        return algorithm##_uint32_t(ctx, job, scratch);  \
    case SATF_SUM_U64:                                   \
        return algorithm##_uint64_t(ctx, job, scratch);  \
    case SATF_SUM_U128:                                  \
        return algorithm##_satf_u128(ctx, job, scratch); \
    default:                                             \
        return algorithm##_double(ctx, job, scratch);    \
    }

/* ------------------------------------------------------------- the reference */

/* b[i][j] = (a[i][0] + ... + a[i][j]) + b[i-1][j], from left to right. Nothing
 * is subtracted, so an infinity stays one. */
#define REFERENCE(Sum)                                                                       \
    static satf_status reference_##Sum(satf_context *ctx, const sat_job *job, void *scratch) \
    {                                                                                        \
        int64_t n = satf_row_samples(&job->in);                                              \
        int channels = job->in.channels;                                                     \
        Sum *above = scratch;                                                                \
        Sum *terms = (Sum *)((char *)scratch + satf_align64((size_t)n * sizeof(Sum)));       \
        memset(above, 0, (size_t)n * sizeof(Sum));                                           \
        for (int64_t y = 0; y < job->in.height; y++) {                                       \
            satf_status status = report_row(ctx, job, y, 1);                                 \
            if (status) {                                                                    \
                return status;                                                               \
            }                                                                                \
            Sum left[SATF_MAX_CHANNELS] = {0};                                               \
            load_terms(job, y, terms);                                                       \
            for (int64_t i = 0; i < n; i++) {                                                \
                Sum *row = &left[i % channels];                                              \
                *row += terms[i];                                                            \
                above[i] = *row + above[i];                                                  \
            }                                                                                \
            scalar_store_row(job, y, above);                                                 \
        }                                                                                    \
        return SATF_OK;                                                                      \
    }

REFERENCE(uint32_t)
REFERENCE(uint64_t)
REFERENCE(satf_u128)
REFERENCE(double)

static bool reference_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    (void)ctx;
    size_t row;
    return sat_row_bytes(job, &row) && satf_mul(row, 2, bytes);
}

static satf_status reference_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    RUN_BY_SUM_TYPE(reference, ctx, job, scratch)
}

const sat_algorithm sat_reference = {
    .name = "reference",
    .device_kind = "cpu",
    .help = "the scalar definition, for comparison",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = reference_scratch,
    .run = reference_run,
};

/* ------------------------------------- 2R2W(CPU) and 4R1W(CPU), section 6.6 */

/*
 * Both read back what they wrote, so they work on a table of sums: the output itself, or with
 * f32_out one in scratch (behind the row of terms), rounded in the end.
 */
typedef struct table {
    char *data;
    int64_t stride;
} table;

static table working_table(const sat_job *job, void *scratch)
{
    if (!job->f32_out) {
        return (table){job->out, job->out_stride};
    }
    size_t row = satf_align64((size_t)satf_row_samples(&job->in) * sizeof(double));
    return (table){(char *)scratch + row, (int64_t)row};
}

static satf_status finish_table(satf_context *ctx, const sat_job *job, table sums)
{
    satf_status status = SATF_OK;
    for (int64_t y = 0; job->f32_out && y < job->in.height && !status; y++) {
        scalar_store_row(job, y, sums.data + y * sums.stride);
        status = satf_work(ctx, satf_row_samples(&job->in));
    }
    return status;
}

static bool scalar_table_scratch(satf_context *ctx, const sat_job *job, size_t *bytes)
{
    (void)ctx;
    size_t row, rows = job->f32_out ? (size_t)job->in.height + 1 : 1;
    return sat_row_bytes(job, &row) && satf_mul(row, rows, bytes);
}

#define NAME(f) f##_uint32_t
#define SUM uint32_t
#include "scalar_template.h"

#define NAME(f) f##_uint64_t
#define SUM uint64_t
#include "scalar_template.h"

#define NAME(f) f##_satf_u128
#define SUM satf_u128
#include "scalar_template.h"

#define NAME(f) f##_double
#define SUM double
#include "scalar_template.h"

static satf_status two_r_two_w_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    RUN_BY_SUM_TYPE(two_r_two_w, ctx, job, scratch)
}

static satf_status four_r_one_w_run(satf_context *ctx, const sat_job *job, void *scratch)
{
    RUN_BY_SUM_TYPE(four_r_one_w, ctx, job, scratch)
}

const sat_algorithm sat_2r2w = {
    .name = "2r2w",
    .device_kind = "cpu",
    .help = "column sums, then row sums, one thread (2R2W(CPU), section 6.6)",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = scalar_table_scratch,
    .run = two_r_two_w_run,
};

const sat_algorithm sat_4r1w = {
    .name = "4r1w",
    .device_kind = "cpu",
    .help = "formula 6.1 in raster order, one thread (4R1W(CPU), section 6.6)",
    .refuses = sat_cpu_refuses,
    .scratch_bytes = scalar_table_scratch,
    .run = four_r_one_w_run,
};
