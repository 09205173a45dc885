/*
 * CUDA devices for the layers above, in plain C. cuda/base does the work, in a shared object of its
 * own (backend.h); gpu.c leads these calls there, and finds no device where that is missing.
 * Nothing here is called, and no driver touched, while a context stays on the CPU.
 * Devices are the interface's, SATF_CUDA(n); what speaks to CUDA or to people takes their n.
 */
#ifndef SATF_BASE_GPU_H
#define SATF_BASE_GPU_H

#include "context.h"

/* The n of SATF_CUDA(n); negative for what is no CUDA device. */
static inline int satf_gpu_ordinal(int device)
{
    return device - SATF_CUDA(0);
}

/* How many devices there are. If none, and why is not NULL, *why becomes a
 * clause that says the reason (static storage). */
int satf_gpu_count(const char **why);

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

/* false, and *info untouched, if the device does not answer. */
bool satf_gpu_describe(int device, satf_gpu_info *info);

/* What plans reckon with: the clock of its multiprocessors, and what its memory is built to move.
 * Quick; false, and both untouched, if the device does not tell. */
bool satf_gpu_speed(int device, double *clock_khz, double *bytes_per_second);

/* SATF_OK if this CUDA device can compute, else a sentence that says why not (gpu_check.c). */
satf_status satf_gpu_check(satf_context *ctx, int device);

/* Whether the process has opened a device: what that takes once is paid. */
bool satf_gpu_has_started(void);

/* What that has taken, in ms: from the first question on, without what lay between. 0 before. */
double satf_gpu_start_ms(void);

/* A call since then was a part of it; open: a device is. */
void satf_gpu_spend(double since_ms, bool open);

/*
 * Makes device current for the calling thread and creates what the context needs
 * there (its own stream, if it was given none), once. Every call below opens
 * the device that the context's memory or view is on, so callers need not.
 * SATF_NO_DEVICE with a sentence if it cannot be used.
 */
satf_status satf_gpu_open(satf_context *ctx, int device);

/*
 * A public call ends: the CUDA context that was the thread's current one before the call opened a
 * device is that again. Returns status. Nothing happens, and no driver is touched, if it opened
 * none.
 */
satf_status satf_gpu_leave(satf_context *ctx, satf_status status);

/* Frees that; from satf_context_destroy(). Waits for the context's own work. */
void satf_gpu_close(satf_context *ctx);

/* The stream that the context enqueues on (a cudaStream_t), of the open device. */
void *satf_gpu_stream(satf_context *ctx);

/* Device memory in the stream's order, aligned to 256 bytes. SATF_NO_MEMORY names the bytes wanted,
 * for what, and the bytes free, and leaves the context usable. */
satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory);
void satf_gpu_free(satf_context *ctx, void *memory); /* NULL is allowed */

/* Whether the context's stream is being captured into a graph. (order.cu) */
bool satf_gpu_captures(satf_context *ctx, int device);

/* The latest use of some memory of a device, which the next one, on whatever stream, waits for. */
typedef struct satf_gpu_order {
    void *done; /* an event; NULL: not used yet */
    unsigned long long stream;
} satf_gpu_order;

/*
 * A use begins, on the context's stream. *captured is set where that is captured into a graph,
 * which will use the memory whenever it is launched: its uses are the business of who launches it.
 */
satf_status satf_gpu_order_begin(satf_context *ctx, int device, satf_gpu_order *order,
                                 bool *captured);

/* It is enqueued. */
void satf_gpu_order_end(satf_context *ctx, satf_gpu_order *order);

/* Frees memory behind its latest use, at once, also while the stream is captured. */
void satf_gpu_free_behind(satf_gpu_order *order, void *memory);

/* Waits for the latest use. */
void satf_gpu_order_wait(satf_gpu_order *order);
void satf_gpu_order_free(satf_gpu_order *order);

/* What memory is kept for: everything that its contents depend on. */
typedef struct satf_gpu_use {
    const void *user;
    int64_t of[9];
} satf_gpu_use;

/*
 * Device memory of that many bytes that the context keeps from one run to the next: zeros if *runs
 * is 1, else as *runs - 1 runs of the same use have left it. Whoever was given it says with
 * satf_gpu_kept() that his work is enqueued, or that it failed and the memory is worth nothing.
 * Runs on different streams wait for one another. The context keeps a few, gives up those that were
 * used least recently, and all that are not in use before it runs out of memory. *memory is NULL,
 * with SATF_OK, where none can be kept: while the stream is captured into a graph. (kept.cu)
 */
satf_status satf_gpu_keep(satf_context *ctx, int device, const satf_gpu_use *use, size_t bytes,
                          const char *what, void **memory, unsigned *runs);
void satf_gpu_kept(satf_context *ctx, bool good);

/* *view = a place for an image like that one in memory from satf_gpu_alloc(), rows
 * aligned to 64 bytes; view->data is NULL on failure. (gpu_view.c) */
satf_status satf_gpu_alloc_view(satf_context *ctx, int device, const satf_view *like,
                                const char *what, satf_view *view);

/* Copies pixels between checked views of equal size and type, one on the host
 * and one on a device, or both on one device, in the stream's order. The host's
 * memory may be used again, or read, after satf_gpu_wait() only. */
satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to);

/* Likewise bytes. device: the one that is not the host's. */
satf_status satf_gpu_copy_bytes(satf_context *ctx, int device, void *to, const void *from,
                                size_t bytes);
satf_status satf_gpu_set_bytes(satf_context *ctx, int device, void *memory, int value,
                               size_t bytes);

/* Waits for the stream; errors of what was enqueued before turn up here. */
satf_status satf_gpu_wait(satf_context *ctx, int device);

/* Likewise for the device that is open, if one is. */
satf_status satf_gpu_synchronize(satf_context *ctx);

/*
 * Time on the device: between begin and end, in ms of CUDA events. end waits. What is compared by
 * it is called so often that a sample lasts SATF_SAMPLE_MS at least: the first calls of a graph
 * behind one another cost up to 0.1 ms, once, and are a larger share of a shorter one.
 */
#define SATF_SAMPLE_MS 2.0
satf_status satf_gpu_time_begin(satf_context *ctx, int device);
satf_status satf_gpu_time_end(satf_context *ctx, int device, double *ms);

/* Where the calls above lead; satf_gpu_check() and satf_gpu_alloc_view() are made of others. */
typedef struct satf_gpu_calls {
    __typeof__(satf_gpu_count) *count;
    __typeof__(satf_gpu_describe) *describe;
    __typeof__(satf_gpu_speed) *speed;
    __typeof__(satf_gpu_open) *open;
    __typeof__(satf_gpu_leave) *leave;
    __typeof__(satf_gpu_close) *close;
    __typeof__(satf_gpu_stream) *stream;
    __typeof__(satf_gpu_alloc) *alloc;
    __typeof__(satf_gpu_free) *free;
    __typeof__(satf_gpu_captures) *captures;
    __typeof__(satf_gpu_order_begin) *order_begin;
    __typeof__(satf_gpu_order_end) *order_end;
    __typeof__(satf_gpu_order_wait) *order_wait;
    __typeof__(satf_gpu_order_free) *order_free;
    __typeof__(satf_gpu_free_behind) *free_behind;
    __typeof__(satf_gpu_keep) *keep;
    __typeof__(satf_gpu_kept) *kept;
    __typeof__(satf_gpu_copy) *copy;
    __typeof__(satf_gpu_copy_bytes) *copy_bytes;
    __typeof__(satf_gpu_set_bytes) *set_bytes;
    __typeof__(satf_gpu_wait) *wait;
    __typeof__(satf_gpu_synchronize) *synchronize;
    __typeof__(satf_gpu_time_begin) *time_begin;
    __typeof__(satf_gpu_time_end) *time_end;
} satf_gpu_calls;

#endif
