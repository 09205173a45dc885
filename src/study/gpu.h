/*
 * What satbench's tables measure on CUDA devices: cuda/study does it, in a shared object of its
 * own, libsatfilter-study-cuda, which lies beside the backend (base/backend.h). All is enqueued on
 * the stream of the context, whose device must be open (satf_gpu_open()); arrays are in that
 * device's memory. Each kernel has its result computed by the host, beside it: host.c.
 */
#ifndef SATF_STUDY_GPU_H
#define SATF_STUDY_GPU_H

#include "../base/backend.h"
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

/*
 * in, MACHINE_MATRIX elements row by row, is put into shared memory by the layout, transposed
 * into another array `times` times by one block of a thread an element, and that array, row by
 * row again, becomes out. numbers: MACHINE_NUMBERS registers, or NULL where the layout has none.
 */
satf_status machine_cuda_transpose(satf_context *ctx, const machine_transpose *t, const void *in,
                                   void *out, const uint32_t *numbers, int64_t times);

/* ------------------------------------------------------------------------- tiles */

/* Words that the kernel of that index (tile_kernel_at()) reads and writes for that many tiles,
 * a multiple of 128 or fewer; 0 if there is no such kernel. docs/machine.md says how they lie. */
int64_t machine_tiles_in(size_t kernel, int64_t tiles);
int64_t machine_tiles_out(size_t kernel, int64_t tiles);

/* The right result. */
void machine_host_tiles(size_t kernel, int64_t tiles, const float *in, float *out);

/*
 * A block for each tile, which lies in shared memory by that layout, one of TILE_LAYOUTS. A
 * multiprocessor holds most_blocks of them at most, 0: as many as fit. That is brought about by
 * asking for more shared memory than the tile takes, so that a device can be as small as the
 * paper's.
 */
satf_status machine_cuda_tiles(satf_context *ctx, size_t kernel, layout_2d layout, int most_blocks,
                               int64_t tiles, const float *in, float *out);

typedef struct machine_residence {
    int blocks;    /* of the kernel, that a multiprocessor holds at once */
    int threads;   /* that it holds at most, of any kernel */
    int registers; /* of a thread */
    size_t bytes;  /* of a block's shared memory that the tile takes */
} machine_residence;

satf_status machine_cuda_tiles_residence(satf_context *ctx, size_t kernel, layout_2d layout,
                                         int most_blocks, machine_residence *residence);

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

/* out[s] = access_fold() of the fields of struct s, which are 1 ... MACHINE_MOST_FIELDS words;
 * COALESCED: of words t, t + 32, ... of its warp's 32 structs, t = s mod 32. structs is a
 * multiple of 32. */
satf_status machine_cuda_structs(satf_context *ctx, machine_struct way, uint32_t fields,
                                 const uint32_t *in, uint32_t *out, int64_t structs);
void machine_host_structs(machine_struct way, uint32_t fields, const uint32_t *in, uint32_t *out,
                          int64_t structs);

/* ---------------------------------------------------------------------- coalescing */

/* out[offset + i] = in[offset + i] for 0 <= i < n, a thread for each; in and out aligned to
 * 256 bytes. */
satf_status machine_cuda_copy(satf_context *ctx, const float *in, float *out, int64_t n,
                              int64_t offset);

/*
 * x^2 ... x^33 of count numbers, a multiple of 32, in groups of 32; where they go within a
 * group is access_power(). In global memory: to out, ACCESS_POWERS words a number.
 */
satf_status machine_cuda_powers(satf_context *ctx, bool interleaved, const float *in, float *out,
                                int64_t count);

/* Groups that the form in shared memory takes. */
enum { MACHINE_POWER_GROUPS = 8 };

/* The same of MACHINE_POWER_GROUPS groups, to shared memory, `times` times in one block with
 * a warp for each; then to out. */
satf_status machine_cuda_powers_shared(satf_context *ctx, bool interleaved, const float *in,
                                       float *out, int64_t times);
void machine_host_powers(bool interleaved, const float *in, float *out, int64_t count);

/* c = a b, of side x side words, a multiple of ACCESS_PRODUCT_TILE; a and b as `way` has
 * them, c row by row. Products and sums are rounded one by one, in ascending order. */
satf_status machine_cuda_product(satf_context *ctx, access_product way, const float *a,
                                 const float *b, float *c, int64_t side);
void machine_host_product(access_product way, const float *a, const float *b, float *c,
                          int64_t side);

/* ------------------------------------------------------ permutations in shared memory */

/*
 * PATTERN_SMALL elements from one array of shared memory to another, `times` times in
 * one kernel of one block with a thread for each, as in section 4.5; then out =
 * the result. table: PATTERN_SMALL words each of p, q, s and d (section 4.3).
 */
typedef enum permute_way {
    PERMUTE_COPY,
    PERMUTE_TO,            /* b[p[i]] = a[i]: destination-designated */
    PERMUTE_FROM,          /* b[i] = a[q[i]]: source-designated */
    PERMUTE_CONFLICT_FREE, /* b[d[i]] = a[s[i]] */
    PERMUTE_WAYS
} permute_way;

/* in_place: indices are computed; only for patterns that are. PERMUTE_COPY has one form. */
satf_status machine_cuda_permute(const permute_call *call, permute_way way, bool in_place,
                                 pattern which, const void *in, void *out, const uint32_t *table,
                                 int64_t times);

/* ----------------------------------------------------- what tables are held against */

/* The least that every SAT algorithm must do, and the right result for tables too large to check on
 * the host. Views are packed, on one device, their data aligned to 16 bytes. */

/* out[i] = in[i] in out's type, for the type pairs of SATs: each sample is read
 * once and written once, as in any SAT at the speed of memory. */
satf_status machine_cuda_convert(satf_context *ctx, const satf_view *in, const satf_view *out);

/*
 * truth[i] = the SAT of in, in whole units modulo 2^64: samples times `units`,
 * which must be whole numbers. truth: 8 bytes a sample. Columns, then rows, one
 * thread and one warp each: nothing in common with the rows that it judges.
 */
satf_status machine_cuda_truth(satf_context *ctx, const satf_view *in, double units, void *truth);

/*
 * *first = the index of the first sample of out that is not truth[i] / units, or
 * -1. relative: how far floats may be off, as a part of the right value.
 * Waits for the device.
 */
satf_status machine_cuda_compare(satf_context *ctx, const void *truth, const satf_view *out,
                                 double units, double relative, int64_t *first);

/* ------------------------------------------------------------------ the shared object */

typedef struct machine_gpu_calls {
    uint32_t bytes;   /* of this struct */
    char version[32]; /* satf_version() */
    __typeof__(machine_cuda_transpose) *transpose;
    __typeof__(machine_cuda_tiles) *tiles;
    __typeof__(machine_cuda_tiles_residence) *tiles_residence;
    __typeof__(machine_cuda_structs) *structs;
    __typeof__(machine_cuda_copy) *copy;
    __typeof__(machine_cuda_powers) *powers;
    __typeof__(machine_cuda_powers_shared) *powers_shared;
    __typeof__(machine_cuda_product) *product;
    __typeof__(machine_cuda_permute) *permute;
    __typeof__(machine_cuda_convert) *convert;
    __typeof__(machine_cuda_truth) *truth;
    __typeof__(machine_cuda_compare) *compare;
} machine_gpu_calls;

/* Its one symbol; it reaches devices through the backend that it is given. */
#define MACHINE_ENTRY satf_study_backend
#define MACHINE_ENTRY_NAME "satf_study_backend"
#define MACHINE_FILE "libsatfilter-study-cuda.so.0"
typedef const machine_gpu_calls *(*machine_entry)(const satf_backend *backend);

#ifdef __cplusplus
}
#endif
#endif
