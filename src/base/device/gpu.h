/*
 * CUDA devices for the layers above, in plain C: satf_cuda()->NAME(...) makes a call of calls.h.
 * The functions, cuda_NAME(), are in the backend, a shared object of its own (backend.h). No driver
 * is touched while a context stays on the CPU. Devices are the interface's, SATF_CUDA(n); calls of
 * CUDA and messages have n.
 */
#ifndef SATF_BASE_DEVICE_GPU_H
#define SATF_BASE_DEVICE_GPU_H

#include "../context.h"

/* The n of SATF_CUDA(n); negative for what is no CUDA device. */
static inline int satf_gpu_ordinal(int device)
{
    return device - SATF_CUDA(0);
}

/* What a report, the tuner's key and a receipt say of a device. */
typedef struct satf_gpu_info {
    char name[256];
    size_t memory_bytes;
    int major, minor; /* compute capability */
    int multiprocessors;
    int l2_bytes;
    char driver[64];   /* its version where the system tells, and the CUDA version it supports */
    bool runs_kernels; /* the backend has machine code for it */
    bool compiles;     /* it has not, but code that the driver can compile for it */
    char code[64];     /* the capabilities that it has machine code for: "8.0, 9.0" */
} satf_gpu_info;

/* The latest use of some memory of a device. The next use, on whatever stream, waits for it. */
typedef struct satf_gpu_order {
    void *done; /* an event; NULL: not used yet */
    unsigned long long stream;
} satf_gpu_order;

/* What memory is kept for: everything that its contents depend on. */
typedef struct satf_gpu_use {
    const void *user;
    int64_t of[9];
} satf_gpu_use;

/* What the calls of the layers above are given (their gpu.h). */
typedef struct cells_gpu cells_gpu;
typedef struct filter_gpu_plan filter_gpu_plan;
typedef struct filter_gpu_task filter_gpu_task;
typedef struct filter_gpu_lines filter_gpu_lines;
typedef struct filter_mix filter_mix;
typedef struct move_job move_job;
typedef struct row_adapter row_adapter;
typedef struct permute_steps permute_steps;
typedef struct sat_algorithm sat_algorithm;
typedef struct window_gpu_box window_gpu_box;
typedef struct window_gpu_large window_gpu_large;

/* The first members are the same in every version. Both sides share the insides of the structs that
 * pass, so their versions must be equal. */
typedef struct satf_backend {
    uint32_t bytes;         /* of this struct */
    uint32_t context_bytes; /* of satf_context */
    char version[32];       /* satf_version() */
#define CALL(result, name, parameters, otherwise) result(*name) parameters;
#include "calls.h"
} satf_backend;

/* The backend, which the first call loads; without one, calls that fail in a sentence. */
const satf_backend *satf_cuda(void);

#ifdef __CUDACC__
#define CALL(result, name, parameters, otherwise) result cuda_##name parameters;
#include "calls.h"
#endif

/* satf_cuda()->count() and open(), whose time counts as the start of the process's devices. */
int satf_gpu_count(const char **why);
satf_status satf_gpu_open(satf_context *ctx, int device);

/* Whether the process has opened a device: what the start takes has been spent. */
bool satf_gpu_has_started(void);

/* The time of that, in ms, from the first question on, without what lay between; 0 before. */
double satf_gpu_start_ms(void);

/* The message where there is no device: given the reason. */
#define SATF_GPU_NONE "no CUDA device: %s; use the device cpu"

/* SATF_OK if this CUDA device can compute, else a sentence that says why not. */
satf_status satf_gpu_check(satf_context *ctx, int device);

/* satf_cuda()->copy() between a device and the host, as a part of a call that reports its progress:
 * the processor fills and empties buffers for it, and the callback is asked in between. */
satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to);

/* A public call ends: leave(), if it has opened a device. Else nothing is loaded. */
satf_status satf_gpu_leave(satf_context *ctx, satf_status status);

/* The calls alloc(), free() and free_behind(), by the context's allocator if it was given one; a
 * graph that is captured has memory of its own. */
satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory);
void satf_gpu_free(satf_context *ctx, void *memory);
void satf_gpu_free_behind(satf_context *ctx, satf_gpu_order *order, void *memory);

/* Gives memory back to the caller's allocator; false if it is not of that. */
bool satf_gpu_give_lent(satf_context *ctx, void *memory);

/* *view = a place for an image like that one in memory from satf_gpu_alloc(), rows
 * aligned to 64 bytes; view->data is NULL on failure. */
satf_status satf_gpu_alloc_view(satf_context *ctx, int device, const satf_view *like,
                                const char *what, satf_view *view);

/* Whoever compares times of the device repeats the work until a sample lasts at least so long:
 * successive first calls of a graph cost up to 0.1 ms once, a larger share of a shorter sample. */
#define SATF_SAMPLE_MS 2.0

#endif
