/* A pool of threads that runs one loop at a time. */
#ifndef SATF_BASE_PARALLEL_H
#define SATF_BASE_PARALLEL_H

#include "context.h"

#define SATF_MAX_THREADS 1024

struct satf_pool;

/* Threads that satf_parallel() uses, at least 1: as many as satf_context_set_threads() asked
 * for. It stays the same until that is called again, so scratch may be sized by it. */
int satf_thread_count(const satf_context *ctx);

/* Cores that this process may run on now, 1 ... SATF_MAX_THREADS. */
int satf_core_count(void);

/* Threads among which to share that much work, in any unit, of which each is to have `least` or
 * more; at least 1, at most satf_thread_count(). */
int satf_threads_for(const satf_context *ctx, int64_t work, int64_t least);

/* Whether so much work, in any unit, is worth what takes a while to begin. */
bool satf_is_worth(int64_t work, int64_t least);

/* Makes any work worth all threads, in every context. Tests use it, whose images are small. */
void satf_share_anything(void);

/*
 * Calls body(user, task, thread) for every task in 0 ... tasks - 1, on up to `threads` threads,
 * and returns when all are done. thread < satf_thread_count(), whatever `threads` is; the caller
 * is thread 0. Tasks start in ascending order, so a task may wait for one of a smaller number.
 * The caller waits for tasks that others have taken, never for a thread to wake up. Not
 * reentrant. If threads cannot be created it runs on fewer: there is no failure. After fork()
 * the child gets a pool of its own.
 */
void satf_parallel_on(satf_context *ctx, int threads, int64_t tasks,
                      void (*body)(void *user, int64_t task, int thread), void *user);

/* Runs the loop of a call that reports its progress, but for its end: the caller's thread tells how
 * far the tasks are, and once the callback cancels, no more begin. */
satf_status satf_parallel_told(satf_context *ctx, int threads, int64_t tasks,
                               void (*body)(void *user, int64_t task, int thread), void *user);

/* Runs a loop that is a small part of the work: it ticks, and its end is not the end of the
 * work. */
satf_status satf_parallel_ticked(satf_context *ctx, int threads, int64_t tasks,
                                 void (*body)(void *user, int64_t task, int thread), void *user);

/* satf_parallel_on() with up to satf_thread_count() threads. */
void satf_parallel(satf_context *ctx, int64_t tasks,
                   void (*body)(void *user, int64_t task, int thread), void *user);

void satf_pool_destroy(struct satf_pool *pool); /* NULL is allowed */

#endif
