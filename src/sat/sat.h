/*
 * SAT algorithms: a table of algorithms, one algorithm on one kind of device each. Read this file
 * first, then sat.c, and scalar.c for the specification. Everybody who needs a summed area table
 * goes through sat_plan_run().
 */
#ifndef SATF_SAT_H
#define SATF_SAT_H

#include "../base/context.h"
#include "sums.h"

/* How the stages of a staged CUDA algorithm wait for one another. */
typedef enum sat_sync {
    SAT_SYNC_AUTO,
    SAT_SYNC_LAUNCH, /* one kernel a stage, as in the paper */
    SAT_SYNC_GRAPH,  /* those kernels captured once and replayed */
    SAT_SYNC_COOP    /* one kernel, whose blocks wait for the stages before */
} sat_sync;

#define SAT_PAPER_R 0.25 /* of (1+r)R1W: the paper's 1.25R1W */

/* The parameters of an algorithm; algorithms of the CPU read r alone. 0 in a member: the
 * algorithm's own default. */
typedef struct sat_tuning {
    int tile;    /* w, the side of a block in samples; its height where it is no square */
    int threads; /* of a CUDA block */
    sat_sync sync;
    double r; /* of (1+r)R1W; 0: the paper's */
} sat_tuning;

/*
 * One SAT to build: out[y][x] = sum of summand(in) over y' <= y, x' <= x, per channel.
 * out is an array of rows of width * channels sums, out_stride bytes apart (no
 * alignment, may be negative). sum_type U32, U64, U128 (algorithms that support it) or
 * F64; integer sums wrap. If f32_out, sums are F64 and stored rounded to float.
 * in.device says where in and out lie: on the host, and algorithms of the CPU do the
 * job, or on a CUDA device, and its algorithms enqueue it on the context's stream.
 */
typedef struct sat_job {
    satf_view in; /* data may be NULL while only applicability or scratch is asked for */
    satf_summand summand;
    satf_sum_type sum_type;
    bool f32_out;
    void *out;
    int64_t out_stride;
    sat_tuning tuning;
    /* For algorithms with .keeps. 0: the scratch holds anything. n > 0: it held zeros, and then n -
     * 1 runs for jobs that differ in memory and strides only have succeeded with it. */
    unsigned scratch_runs;
} sat_job;

/* The job of these images, which fit one another: the sums of the samples of `in` at `out`. */
sat_job sat_job_of(const satf_view *in, const satf_view *out);

/* The type of the job's table, which has sums of at most 64 bits. */
satf_type sat_table_type(const sat_job *job);

typedef struct sat_algorithm {
    const char *name;        /* as in --algorithm */
    const char *device_kind; /* "cpu" or "cuda" */
    const char *help;        /* one line, with the paper's section */
    /* NULL if the algorithm can do the job, else the reason (static storage),
     * one clause that completes "algorithm NAME cannot be used: ". */
    const char *(*refuses)(const sat_job *job);
    /* Scratch for the job; NULL means none. false: the size overflows. */
    bool (*scratch_bytes)(satf_context *ctx, const sat_job *job, size_t *bytes);
    /* Does the job with that scratch (64-byte aligned; on the job's device, where
     * a SAT is complete in the order of the stream). */
    satf_status (*run)(satf_context *ctx, const sat_job *job, void *scratch);
    /* Tunings that the algorithm has for the job, index 0, 1, ... until false; r is
     * left 0. NULL: there is nothing to choose. */
    bool (*variant)(const sat_job *job, size_t index, sat_tuning *tuning);
    /* The scratch must be zeros at first; a later run for such a job can use it as the run before
     * has left it. */
    bool keeps;
    /* It has triangles of sat_tuning.r. */
    bool has_r;
} sat_algorithm;

/* The algorithms in the order of table 6.2, CPU algorithms first; NULL behind the last. Those of
 * CUDA devices are in the backend, and missing without it. */
const sat_algorithm *sat_algorithm_at(size_t index);

/* The algorithm of that name and device kind; NULL if there is none. */
const sat_algorithm *sat_algorithm_find(const char *name, const char *device_kind);

/* "auto", "launch", "graph" or "coop". Static storage. */
const char *sat_sync_name(sat_sync sync);

/* false, and *sync untouched, if name is none of those. */
bool sat_sync_parse(const char *name, sat_sync *sync);

/* Whether the algorithm has a variant with these barriers. */
bool sat_algorithm_has_sync(const sat_algorithm *algorithm, const sat_job *job, sat_sync sync);

/*
 * The algorithm for a job where its image lies, and its tuning: what the job's tuning and the
 * context (algorithm, r, sync) force, then the r that is remembered (tuner.h) or reckoned, then the
 * algorithm's own defaults (0). "auto" is the fastest algorithm. SATF_UNSUPPORTED names what cannot
 * be honoured, and why.
 */
satf_status sat_choose(satf_context *ctx, const sat_job *job, const sat_algorithm **algorithm,
                       sat_tuning *tuning);

/* The side of the algorithm's blocks for the job, by its tuning; 0: it has none. */
int sat_block_side(const sat_algorithm *algorithm, const sat_job *job);

/* A job whose algorithm and tuning are chosen, for any memory. */
typedef struct sat_plan {
    sat_job job; /* its memory is not looked at */
    const sat_algorithm *algorithm;
    size_t bytes; /* of scratch, aligned to 64; 0: none */
    /* How many runs scratch that is kept for this plan alone has served since it was zeros; 0: it
     * holds anything. Whoever lets others use the scratch sets this to 0. */
    unsigned runs;
} sat_plan;

/* Chooses algorithm and tuning; the device of the job, if it is on one, is open. */
satf_status sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan);

/* Builds the table of the image at `in` at `out`; scratch: the plan's. An algorithm that fails
 * without a message, or succeeds while leaving one, is reported as a defect here (the one seam). */
satf_status sat_plan_run(satf_context *ctx, sat_plan *plan, const void *in, void *out,
                         void *scratch);

/* Scratch that sat_run() wants for the job, 0 if none. */
satf_status sat_scratch(satf_context *ctx, const sat_job *job, size_t *bytes);

/* Plans and runs once. scratch: at least sat_scratch() bytes, aligned to 64, or NULL to allocate
 * it; on a device the context keeps it for such jobs. */
satf_status sat_run(satf_context *ctx, const sat_job *job, void *scratch);

#endif
