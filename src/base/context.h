/* The context's inside, and the one way to report an error. */
#ifndef SATF_BASE_CONTEXT_H
#define SATF_BASE_CONTEXT_H

#include <stdbool.h>

#include "../satfilter-expert.h"
#include "text.h"

#define SATF_LIMITS (SATF_LIMIT_DEVICE_MEMORY + 1) /* of enum satf_limit */

struct satf_budget;
struct satf_lent;
struct satf_pool;
struct satf_share;
struct satf_stop;
typedef struct satf_gpu satf_gpu;

#define SATF_MESSAGE_BYTES 1024

/* A part of a call's work, on the scale of the whole: from ... from + share of 0 ... 1. */
typedef struct satf_progress_part {
    double from, share;
} satf_progress_part;

/* What a caller chooses: a value, copied and compared as a whole. Work that needs other settings
 * than the context's takes a copy. */
typedef struct satf_settings {
    int device;  /* SATF_DEVICE_AUTO, SATF_HOST or SATF_CUDA(n) */
    int threads; /* settled: what was sized by it must go on fitting */
    satf_engine engine;
    char algorithm[32];
    double r;
    int sync;           /* sat_sync */
    int64_t max_pixels; /* never 0, nor are the other limits */
    int64_t max_bytes;
    int64_t max_device_bytes;                   /* INT64_MAX: as many as there are */
    int64_t max_metadata, max_scans, max_ratio; /* see satf_limit */
    bool no_filter_files;
    unsigned formats; /* that may be read, as src/io numbers them; 0: its default */
    char axes[16];    /* of an array, such as "ZYX"; "": as src/io takes them */
    bool upright;     /* pictures are turned by their orientation as they are read */
} satf_settings;

struct satf_context {
    satf_settings settings;
    void *stream; /* the caller's, if has_stream; NULL is CUDA's default stream */
    bool has_stream;
    void *scratch;
    size_t scratch_bytes;
    satf_alloc_memory alloc; /* of a device; NULL: the library's own */
    satf_free_memory free;
    void *allocator_user;
    struct satf_lent *lent; /* what it has given (device/gpu.c) */
    satf_progress progress;
    void *progress_user;
    satf_progress_part part;    /* what is being worked on */
    double reported;            /* the latest progress of this call; below 0: none yet */
    double asked_ms;            /* when the callback was last called */
    bool cancelled;             /* the callback has asked this call to stop */
    struct satf_stop *stop;     /* of the call that this context works for; NULL: for its own */
    struct satf_pool *pool;     /* created by the first satf_parallel() */
    struct satf_share *share;   /* with contexts beside this one (share.h); NULL: there are none */
    bool shares;                /* it is one of them, not one of a stage of a call */
    bool in_turn;               /* a call on a file runs */
    bool alone;                 /* while no other holds memory */
    int64_t reserved;           /* bytes that this call has asked for */
    struct satf_budget *budget; /* of the memory that its calls take */
    double waited_ms;           /* that it has waited for tokens and memory */
    satf_gpu *gpu;              /* created by the first satf_gpu_open() */
    bool device_failed;         /* SATF_DEVICE_AUTO takes none any more */
    bool entered;               /* this call has made a device the thread's current one */
    void *outer;                /* and this CUDA context (CUcontext) was current before */
    void *device_cache; /* what a CUDA algorithm keeps from run to run, and how to free it */
    void (*device_cache_free)(void *);
    bool works_alone;       /* satf_parallel() takes no thread but the caller's */
    satf_context **helpers; /* of satf_filter_apply_stack(), for a thread each; may be NULL */
    int helper_count;
    struct satf_plan *plan; /* of the latest filter, for the next one, and how to free it */
    void (*forget)(satf_context *ctx);
    satf_image *shown; /* the exact result of the latest satf_filter_render(), for the next one */
    const char *report_engine, *report_algorithm, *report_device; /* of the latest filter run */
    satf_file_steps *file_steps; /* of the latest file; NULL: there was none */
    char message[SATF_MESSAGE_BYTES];
};

/* Whether two settings ask for the same. */
bool satf_settings_equal(const satf_settings *a, const satf_settings *b);

/* The context's settings become these; returns what they were. */
satf_settings satf_context_take_settings(satf_context *ctx, const satf_settings *settings);

/* A context for another thread of the same call, which works with the call's tokens. It has the
 * settings of ctx, but not its scratch, stream and progress, and has touched no device. NULL on
 * failure (SATF_NO_MEMORY). */
satf_status satf_context_create_like(const satf_context *ctx, satf_context **out);

/* Frees the helpers and what they keep. */
void satf_context_drop_helpers(satf_context *ctx);

/* Frees the plan that the context keeps, before what it rests on changes. */
static inline void satf_context_forget(satf_context *ctx)
{
    if (ctx->plan) {
        ctx->forget(ctx);
    }
}

/* Stores the message in ctx (the first error of a call wins only by returning
 * at once) and returns status, so that errors read `return satf_fail(...)`.
 * The message is one sentence without a final stop, without the file's name. */
satf_status satf_fail(satf_context *ctx, satf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SATF_INVALID if the context or one of two arguments is NULL, with a message that names the
 * argument. what, other: the arguments and their verbs, such as "filter is". */
satf_status satf_check_given(satf_context *ctx, const void *first, const char *what,
                             const void *second, const char *other);

/* SATF_NO_MEMORY with the number of bytes wanted and for what. */
satf_status satf_fail_memory(satf_context *ctx, size_t bytes, const char *what);

/*
 * A public call that SATF_LIMIT_MEMORY bounds begins and ends. In between, what satf_alloc() gives
 * to the thread, and to the threads of the call's stages, is counted, beside what the context has
 * kept. satf_memory_begin() returns what to end with. A call within another is a part of the outer
 * one. If memory was refused for the limit, SATF_NO_MEMORY becomes SATF_LIMIT.
 */
struct satf_budget *satf_memory_begin(satf_context *ctx);
satf_status satf_memory_end(satf_context *ctx, struct satf_budget *before, satf_status status);

/* How much memory that the limit counts is kept from call to call: at most `bytes`. */
static inline size_t satf_most_kept(const satf_context *ctx, int64_t bytes)
{
    int64_t most = ctx->settings.max_bytes / 16;
    return (size_t)(bytes < most ? bytes : most);
}

/* A public call that reports progress begins: at 0, and not cancelled. */
void satf_progress_begin(satf_context *ctx);

/* A public call begins that never asks the callback, though functions that it calls might. */
void satf_progress_none(satf_context *ctx);

/* Opens a part of the progress, to which reports then refer. Returns what to leave with. */
satf_progress_part satf_progress_enter(satf_context *ctx, double from, double share);
void satf_progress_leave(satf_context *ctx, satf_progress_part whole);

/* Reports progress of the part, on the calling thread alone; a report that is no advance is a tick.
 * SATF_CANCELLED when the callback asks to stop, or has asked in this call. */
satf_status satf_report_progress(satf_context *ctx, double done);

/* Whether anybody may ask the context's calls to stop. */
static inline bool satf_can_stop(const satf_context *ctx)
{
    return ctx->progress || ctx->stop;
}

/*
 * For work that has no progress to report for more than some milliseconds: to be called every
 * 256 KiB or so. Asks the callback, at most every few milliseconds, with the least advance there
 * is. On the thread of a stage looks whether the call has stopped; on one that helps in a loop of
 * the context's, whether the loop's caller has been asked to. SATF_CANCELLED as above; a helper's
 * has no message.
 */
satf_status satf_ask_callback(satf_context *ctx);
static inline satf_status satf_tick(satf_context *ctx)
{
    return satf_can_stop(ctx) ? satf_ask_callback(ctx) : SATF_OK;
}

/* A thread that goes through samples ticks once in so many samples, which take about as many ns.
 * Samples that take longer count several times. */
enum { SATF_TICK_SAMPLES = 1 << 18 };
satf_status satf_count_work(satf_context *ctx, int64_t samples);
static inline satf_status satf_work(satf_context *ctx, int64_t samples)
{
    return satf_can_stop(ctx) ? satf_count_work(ctx, samples) : SATF_OK;
}

/* Makes this thread work for a loop of the context that another thread has called. */
void satf_help(const satf_context *ctx);

/* SATF_CANCELLED, with its message. */
satf_status satf_fail_cancelled(satf_context *ctx);

/* A row did not come, or could not be stored: SATF_IO, with the message of the row's source or else
 * the row's number; SATF_CANCELLED if the call is cancelled. */
satf_status satf_fail_row(satf_context *ctx, int64_t y);

#endif
