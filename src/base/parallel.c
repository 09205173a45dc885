#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "memory.h"

struct satf_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    int workers;        /* threads besides the caller */
    int busy;           /* workers still inside the current loop */
    unsigned long loop; /* number of the current loop, guarded by lock */
    pid_t process;      /* the one that has the threads */
    bool quit;
    int64_t tasks;
    _Atomic int64_t next;
    void (*body)(void *user, int64_t task, int thread);
    void *user;
    struct worker {
        pthread_t id;
        struct satf_pool *pool;
        int index;
    } worker[];
};

/* Stores around the caches (stores.h) are ordered by a fence alone; one at the
 * end of a thread's share costs nothing, one a row costs what they gain. */
static void publish_stores(void)
{
#if defined __SSE2__
    __builtin_ia32_sfence();
#endif
}

static void drain(struct satf_pool *pool, int thread)
{
    for (;;) {
        /* Whoever takes a task sees what those have done that are over: body() may use
         * again what belonged to a task that must have ended. */
        int64_t task = atomic_fetch_add_explicit(&pool->next, 1, memory_order_acq_rel);
        if (task >= pool->tasks) {
            publish_stores();
            return;
        }
        pool->body(pool->user, task, thread);
    }
}

static void *work(void *argument)
{
    struct worker *self = argument;
    struct satf_pool *pool = self->pool;
    unsigned long done = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->loop == done && !pool->quit) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        done = pool->loop;
        pthread_mutex_unlock(&pool->lock);
        drain(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->idle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int satf_thread_count(const satf_context *ctx)
{
    return ctx->threads;
}

int satf_core_count(void)
{
    cpu_set_t set;
    int cores = 0;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        cores = CPU_COUNT(&set);
    }
    if (cores < 1) {
        cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    return cores < 1 ? 1 : cores > SATF_MAX_THREADS ? SATF_MAX_THREADS : cores;
}

/* NULL when not even the pool's memory can be had. */
static struct satf_pool *create(int workers)
{
    struct satf_pool *pool =
        satf_alloc_zeroed(sizeof *pool + (size_t)workers * sizeof *pool->worker);
    if (!pool) {
        return NULL;
    }
    pool->process = getpid();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    for (int i = 0; i < workers; i++) {
        struct worker *w = &pool->worker[i];
        w->pool = pool;
        w->index = i + 1;
        if (pthread_create(&w->id, NULL, work, w)) {
            break;
        }
        pool->workers++;
    }
    return pool;
}

void satf_pool_destroy(struct satf_pool *pool)
{
    if (!pool) {
        return;
    }
    if (pool->process != getpid()) {
        /* fork() copied the pool without its threads: lock and conditions may wait for them. */
        satf_free(pool);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->workers; i++) {
        pthread_join(pool->worker[i].id, NULL);
    }
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    satf_free(pool);
}

void satf_parallel(satf_context *ctx, int64_t tasks,
                   void (*body)(void *user, int64_t task, int thread), void *user)
{
    int threads = satf_thread_count(ctx);
    if (ctx->pool && ctx->pool->process != getpid()) {
        satf_pool_destroy(ctx->pool);
        ctx->pool = NULL;
    }
    if (threads > 1 && tasks > 1 && !ctx->pool) {
        ctx->pool = create(threads - 1);
    }
    struct satf_pool *pool = ctx->pool;
    if (!pool || pool->workers == 0 || tasks < 2) {
        for (int64_t task = 0; task < tasks; task++) {
            body(user, task, 0);
        }
        publish_stores();
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->tasks = tasks;
    pool->body = body;
    pool->user = user;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->workers;
    pool->loop++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    drain(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->idle, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}
