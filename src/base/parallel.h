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

/*
 * Calls body(user, task, thread) for every task in 0 ... tasks - 1, on up to
 * satf_thread_count() threads (thread < that count; the caller is thread 0),
 * and returns when all are done. Tasks start in ascending order, so a task may
 * wait for one of a smaller number. Not reentrant. If threads cannot be
 * created it runs on fewer: there is no failure. After fork() the child gets a
 * pool of its own.
 */
void satf_parallel(satf_context *ctx, int64_t tasks,
                   void (*body)(void *user, int64_t task, int thread), void *user);

void satf_pool_destroy(struct satf_pool *pool); /* NULL is allowed */

#endif
