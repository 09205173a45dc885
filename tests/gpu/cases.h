/*
 * What the tests of the CUDA rows share: a SAT to build, its input on host and
 * device between guard bytes, its result by the scalar reference, and a run of
 * any row with any tuning that is compared with it.
 */
#ifndef TESTS_GPU_CASES_H
#define TESTS_GPU_CASES_H

#include "sat_case.h"
#include "program.h"

/* A case that was prepared: input on both sides, and what is right. */
typedef struct gpu_data {
    satf_context *ctx;
    sat_case c;
    buffer in, out;                   /* on the host */
    unsigned char *there, *out_there; /* the same on the device */
    void *want;                       /* packed sums, f64 for floats */
    double *magnitudes;               /* packed sums of |summand|, for GPU_RANDOM floats */
    void *scratch;
    size_t scratch_bytes, scratch_room;
    unsigned kept_runs; /* of rows that keep scratch, all together */
} gpu_data;

/* Fills in, uploads it and computes what is right. */
gpu_data gpu_prepare(satf_context *ctx, const sat_case *c, const sat_layout *in,
                     const sat_layout *out);
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

/* The CUDA rows, index 0, 1, ... until NULL. */
const sat_algorithm *gpu_row_at(size_t index);

#endif
