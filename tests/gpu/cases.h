/*
 * What the tests of the CUDA rows share: a SAT to build, its input on host and
 * device between guard bytes, its result by the scalar reference, and a run of
 * any row with any tuning that is compared with it.
 */
#ifndef TESTS_GPU_CASES_H
#define TESTS_GPU_CASES_H

#include "sat/sat.h"
#include "program.h"

typedef enum gpu_pattern {
    GPU_INTEGERS, /* floats: whole numbers whose sums are exact, even as f32 */
    GPU_RANDOM,
    GPU_MAXIMA,
    GPU_IMPULSE, /* 1 in the middle */
    GPU_NAN,     /* GPU_INTEGERS with one NaN (floats) in the middle */
    GPU_PATTERNS
} gpu_pattern;

typedef struct gpu_case {
    int type;
    satf_summand summand;
    satf_sum_type sum_type;
    bool f32_out;
    int channels;
    int64_t width, height;
    gpu_pattern pattern;
    unsigned seed;
} gpu_case;

/* How rows lie in memory: padding behind each and the start's distance from
 * 256 bytes, both in samples and in bytes; upside down or not. */
typedef struct gpu_layout {
    int padding_samples, padding_bytes, offset_samples, offset_bytes;
    bool negative;
} gpu_layout;

extern const gpu_layout gpu_layouts[];
enum { GPU_LAYOUTS = 11 }; /* a prime: sizes that take turns meet them all */

/* The type pairs of the rows. */
typedef struct gpu_kind {
    int type;
    satf_sum_type sum_type;
    bool f32_out;
} gpu_kind;

extern const gpu_kind gpu_kinds[];
enum { GPU_KINDS = 7 };

/* Rows of samples within a block of bytes, on the host and on the device. */
typedef struct gpu_block {
    unsigned char *host, *device;
    size_t bytes, row_bytes;
    int64_t first, stride, height; /* row 0's place in the block, in bytes */
} gpu_block;

/* A case that was prepared: input on both sides, and what is right. */
typedef struct gpu_data {
    satf_context *ctx;
    gpu_case c;
    gpu_block in, out;
    void *want;         /* packed sums, f64 for floats */
    double *magnitudes; /* packed sums of |summand|, for GPU_RANDOM floats */
    void *scratch;
    size_t scratch_bytes, scratch_room;
    unsigned kept_runs; /* of rows that keep scratch, all together */
} gpu_data;

/* Fills in, uploads it and computes what is right. */
gpu_data gpu_prepare(satf_context *ctx, const gpu_case *c, const gpu_layout *in,
                     const gpu_layout *out);
void gpu_release(gpu_data *d);

sat_job gpu_job(const gpu_data *d, const sat_tuning *tuning);

/* Puts the case's samples into the input on the device, or quite other ones. */
void gpu_set_input(gpu_data *d, bool own);

/* Why the row does not do it, or NULL. */
const char *gpu_refusal(const gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning);

/* Zeros for it to work in, of the size it reports, or NULL; free with gpu_free_at(). */
void *gpu_scratch(const sat_algorithm *row, const sat_job *job);

/* Enqueues the row with exactly the scratch it reports, over guards. */
void gpu_enqueue(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning);

/* Waits, downloads the output and fails at the first wrong pixel or guard. */
void gpu_compare(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning);

/* Both. */
void gpu_check(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning);

/* Row y of the output that was downloaded last. */
const char *gpu_out_row(const gpu_data *d, int64_t y);

/* The CUDA rows, index 0, 1, ... until NULL. */
const sat_algorithm *gpu_row_at(size_t index);

#endif
