/*
 * The work on CUDA devices that satbench's tables measure: cuda/study does it, in a shared object
 * of its own, libsatfilter-study-cuda, which lies beside the backend (base/device/backend.h).
 * calls.h has the calls and what they compute; each kernel has its result computed by the host too:
 * host.c.
 */
#ifndef SATF_STUDY_GPU_H
#define SATF_STUDY_GPU_H

#include "../base/device/backend.h"
#include "../base/context.h"
#include "../permute/permute.h"
#include "access.h"
#include "../base/layout.h"
#include "pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MACHINE_BANKS = 32, MACHINE_MATRIX = MACHINE_BANKS * MACHINE_BANKS };

/* -------------------------------------------------- transposes in shared memory */

/* The layouts whose transposes are measured: X(NAME of layout.h). */
#define MACHINE_TRANSPOSE_LAYOUTS(X) X(DIAGONAL) X(RAW) X(RAS) X(RAP)

/* Registers of 32 random numbers. */
enum { MACHINE_NUMBERS = 6 };

typedef struct machine_transpose {
    layout_2d layout;
    access_transpose way;
    int element_bytes; /* 4 or 8 */
    /* Every repetition computes its addresses anew, the random numbers shifted out of
     * their registers as in section VI of RAP; else threads keep their two addresses. */
    bool computed;
} machine_transpose;

/* ------------------------------------------------------------------------- tiles */

/* Words that the kernel of that index (tile_kernel_at()) reads and writes for that many tiles,
 * a multiple of 128 or fewer; 0 if there is no such kernel. docs/machine.md says how they lie. */
int64_t machine_tiles_in(size_t kernel, int64_t tiles);
int64_t machine_tiles_out(size_t kernel, int64_t tiles);

/* The right result. */
void machine_host_tiles(size_t kernel, int64_t tiles, const float *in, float *out);

typedef struct machine_residence {
    int blocks;    /* of the kernel, that a multiprocessor holds at once */
    int threads;   /* that it holds at most, of any kernel */
    int registers; /* of a thread */
    size_t bytes;  /* of a block's shared memory that the tile takes */
} machine_residence;

/* --------------------------------------------------------------- arrays of structs */

/* How threads come by their structs: from shared memory by layout_giles(), or without its
 * padding; each from global memory; or not at all, words being taken as they come. */
#define MACHINE_STRUCTS(X)  \
    X(GILES, "giles")       \
    X(UNPADDED, "unpadded") \
    X(STRIDED, "strided")   \
    X(COALESCED, "coalesced")

typedef enum machine_struct {
#define MACHINE_ENUM(NAME, name) MACHINE_STRUCT_##NAME,
    MACHINE_STRUCTS(MACHINE_ENUM)
#undef MACHINE_ENUM
        MACHINE_STRUCT_COUNT
} machine_struct;

enum { MACHINE_MOST_FIELDS = 128 };

void machine_host_structs(machine_struct way, uint32_t fields, const uint32_t *in, uint32_t *out,
                          int64_t structs);

/* ---------------------------------------------------------------------- coalescing */

/* Groups that the form in shared memory takes. */
enum { MACHINE_POWER_GROUPS = 8 };

void machine_host_powers(bool interleaved, const float *in, float *out, int64_t count);

void machine_host_product(access_product way, const float *a, const float *b, float *c,
                          int64_t side);

/* ------------------------------------------------------ permutations in shared memory */

/* The ways to make an array b out of an array a (section 4.5). */
typedef enum permute_way {
    PERMUTE_COPY,
    PERMUTE_TO,            /* b[p[i]] = a[i]: destination-designated */
    PERMUTE_FROM,          /* b[i] = a[q[i]]: source-designated */
    PERMUTE_CONFLICT_FREE, /* b[d[i]] = a[s[i]] */
    PERMUTE_WAYS
} permute_way;

/* ------------------------------------------------------------------ the shared object */

typedef struct machine_backend {
    uint32_t bytes;   /* of this struct */
    char version[32]; /* satf_version() */
#define CALL(result, name, parameters, otherwise) result(*name) parameters;
#include "calls.h"
} machine_backend;

/* It, loaded by the first call; where there is none, calls that fail in a sentence. */
const machine_backend *machine_cuda(void);

#ifdef __CUDACC__
#define CALL(result, name, parameters, otherwise) result machine_cuda_##name parameters;
#include "calls.h"
#endif

/* Its one symbol; it reaches devices through the backend that it is given. */
#define MACHINE_ENTRY satf_study_backend
#define MACHINE_ENTRY_NAME "satf_study_backend"
#define MACHINE_FILE "libsatfilter-study-cuda.so.0"
typedef const machine_backend *(*machine_entry)(const satf_backend *backend);

#ifdef __cplusplus
}
#endif
#endif
