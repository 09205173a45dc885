/* The pool of threads: a loop's tasks, and who takes them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "memory.h"
#include "share.h"

/* How long a thread without work looks out for some before it sleeps: waking it takes longer, and
 * calls often follow one another. */
#define SPIN_MS 0.05
#define SPINS 32 /* looks between two looks at the clock */

struct satf_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    int workers, most;   /* threads besides the caller, now and at most */
    _Atomic int invited; /* workers that may still join the loop; changes under the lock */
    _Atomic int busy;    /* workers inside the loop; changes under the lock */
    bool quit;
    bool spins;    /* there is a core for each thread */
    pid_t process; /* the one that has the threads */
    /* The loop; the caller changes it while nobody is invited or busy. */
    int64_t tasks;
    _Alignas(64) _Atomic int64_t next; /* not beside what others spin on */
    void (*body)(void *user, int64_t task, int thread);
    void *user;
    const satf_context *ctx; /* of the caller */
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

/* The number of the loop's next task; from pool->tasks on none is left. Whoever takes a task sees
 * what finished tasks have done: body() may reuse what belonged to a task that must have ended. */
static int64_t pool_take(struct satf_pool *pool)
{
    return atomic_fetch_add_explicit(&pool->next, 1, memory_order_acq_rel);
}

static void pool_relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Waits a short while for *number to be zero, or not to be. */
static void spin(const struct satf_pool *pool, const _Atomic int *number, bool zero)
{
    if (!pool->spins) {
        return;
    }
    for (double end = satf_now_ms() + SPIN_MS; satf_now_ms() < end;) {
        for (int i = 0; i < SPINS; i++) {
            if ((atomic_load_explicit(number, memory_order_acquire) == 0) == zero) {
                return;
            }
            pool_relax();
        }
    }
}

/* Joins the next loop that wants more threads; false when the pool ends. */
static bool join_loop(struct satf_pool *pool)
{
    spin(pool, &pool->invited, false);
    pthread_mutex_lock(&pool->lock);
    while (pool->invited == 0 && !pool->quit) {
        pthread_cond_wait(&pool->work, &pool->lock);
    }
    bool joins = !pool->quit;
    if (joins) {
        pool->invited--;
        pool->busy++;
    }
    pthread_mutex_unlock(&pool->lock);
    return joins;
}

static void leave_loop(struct satf_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    if (--pool->busy == 0) {
        pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void *pool_work(void *argument)
{
    struct worker *self = argument;
    struct satf_pool *pool = self->pool;
    while (join_loop(pool)) {
        satf_help(pool->ctx);
        for (int64_t task; (task = pool_take(pool)) < pool->tasks;) {
            pool->body(pool->user, task, self->index);
        }
        publish_stores();
        leave_loop(pool);
    }
    return NULL;
}

int satf_thread_count(const satf_context *ctx)
{
    return ctx->settings.threads;
}

int satf_context_get_threads(const satf_context *ctx)
{
    return ctx ? ctx->settings.threads : 0;
}

int satf_core_count(void)
{
    int cores = 0;
#ifdef __linux__ /* where a process may be held to some of the cores */
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        cores = CPU_COUNT(&set);
    }
#endif
    if (cores < 1) {
        cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    return cores < 1 ? 1 : cores > SATF_MAX_THREADS ? SATF_MAX_THREADS : cores;
}

/* Makes a pool without threads; NULL if there is no memory for it. */
static struct satf_pool *pool_create(int most)
{
    struct satf_pool *pool = satf_alloc_zeroed(sizeof *pool + (size_t)most * sizeof *pool->worker);
    if (!pool) {
        return NULL;
    }
    pool->most = most;
    pool->process = getpid();
    pool->spins = most < satf_core_count();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    return pool;
}

/* Starts threads until there are so many workers, or as many as can be started. */
static void pool_grow(struct satf_pool *pool, int64_t workers)
{
    while (pool->workers < workers && pool->workers < pool->most) {
        struct worker *w = &pool->worker[pool->workers];
        w->pool = pool;
        w->index = pool->workers + 1;
        if (pthread_create(&w->id, NULL, pool_work, w)) {
            break;
        }
        pool->workers++;
    }
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
    pool->invited = pool->workers; /* ends their spinning */
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

/* Sets the pool's loop, and invites up to `helpers` workers to join. */
static void invite(const satf_context *ctx, int64_t tasks, int64_t helpers,
                   void (*body)(void *user, int64_t task, int thread), void *user)
{
    struct satf_pool *pool = ctx->pool;
    pool_grow(pool, helpers);
    helpers = helpers < pool->workers ? helpers : pool->workers;
    pthread_mutex_lock(&pool->lock);
    pool->tasks = tasks;
    pool->body = body;
    pool->user = user;
    pool->ctx = ctx;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->invited = (int)helpers;
    pthread_mutex_unlock(&pool->lock);
    for (int64_t i = 0; i < helpers; i++) {
        pthread_cond_signal(&pool->work);
    }
}

/* With the lock held: waits for the helpers, or a while, after which the callback is due. */
static bool pool_wait_a_while(struct satf_pool *pool, bool asks)
{
    enum { WAIT_NS = 4000000, SECOND_NS = 1000000000 };
    struct timespec until;
    if (!asks) {
        return pthread_cond_wait(&pool->idle, &pool->lock) == 0;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    return pthread_cond_timedwait(&pool->idle, &pool->lock, &until) == 0;
}

/* All tasks are taken: waits for the workers that have one, not for those that have not come yet. A
 * helper may have a long task, and hears by itself that the callback cancels. */
static void await_helpers(satf_context *ctx)
{
    struct satf_pool *pool = ctx->pool;
    bool asks = satf_can_stop(ctx);
    pthread_mutex_lock(&pool->lock);
    pool->invited = 0;
    pthread_mutex_unlock(&pool->lock);
    spin(pool, &pool->busy, true);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) {
        if (!pool_wait_a_while(pool, asks)) {
            pthread_mutex_unlock(&pool->lock);
            satf_ask_callback(ctx);
            pthread_mutex_lock(&pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static _Atomic bool shares_anything;

void satf_share_anything(void)
{
    atomic_store_explicit(&shares_anything, true, memory_order_relaxed);
}

bool satf_is_worth(int64_t work, int64_t least)
{
    return work >= least || atomic_load_explicit(&shares_anything, memory_order_relaxed);
}

int satf_threads_for(const satf_context *ctx, int64_t work, int64_t least)
{
    int64_t threads = atomic_load_explicit(&shares_anything, memory_order_relaxed)
                          ? ctx->settings.threads
                          : work / least;
    return threads < 1 ? 1 : threads < ctx->settings.threads ? (int)threads : ctx->settings.threads;
}

void satf_parallel(satf_context *ctx, int64_t tasks,
                   void (*body)(void *user, int64_t task, int thread), void *user)
{
    satf_parallel_on(ctx, satf_thread_count(ctx), tasks, body, user);
}

/* The context's pool; NULL if it has no memory. */
static struct satf_pool *pool_of(satf_context *ctx)
{
    if (ctx->pool && ctx->pool->process != getpid()) {
        satf_pool_destroy(ctx->pool);
        ctx->pool = NULL;
    }
    if (!ctx->pool) {
        ctx->pool = pool_create(ctx->settings.threads - 1);
    }
    return ctx->pool;
}

void satf_parallel_on(satf_context *ctx, int threads, int64_t tasks,
                      void (*body)(void *user, int64_t task, int thread), void *user)
{
    int wanted = (int64_t)threads < tasks ? threads : (int)tasks;
    int helpers = ctx->works_alone ? 0 : satf_share_acquire(ctx, wanted - 1);
    struct satf_pool *pool = helpers > 0 ? pool_of(ctx) : NULL;
    if (pool) {
        invite(ctx, tasks, helpers, body, user);
    }
    for (int64_t next = 0, task; (task = pool ? pool_take(pool) : next++) < tasks;) {
        body(user, task, 0);
    }
    publish_stores();
    if (pool) {
        await_helpers(ctx);
    }
    satf_share_release(ctx, helpers);
}

typedef struct told_loop {
    satf_context *ctx;
    int64_t tasks;
    void (*body)(void *user, int64_t task, int thread);
    void *user;
    _Atomic int status; /* SATF_CANCELLED, once that is so */
} told_loop;

static void run_told(void *user, int64_t task, int thread)
{
    told_loop *loop = user;
    if (atomic_load_explicit(&loop->status, memory_order_relaxed)) {
        return;
    }
    loop->body(loop->user, task, thread);
    if (thread == 0) {
        double done = (double)(task + 1) / (double)loop->tasks;
        atomic_store(&loop->status, satf_report_progress(loop->ctx, done < 1 ? done : 0));
    }
}

satf_status satf_parallel_told(satf_context *ctx, int threads, int64_t tasks,
                               void (*body)(void *user, int64_t task, int thread), void *user)
{
    told_loop loop = {.ctx = ctx, .tasks = tasks, .body = body, .user = user};
    satf_parallel_on(ctx, threads, tasks, run_told, &loop);
    return (satf_status)atomic_load(&loop.status);
}

satf_status satf_parallel_ticked(satf_context *ctx, int threads, int64_t tasks,
                                 void (*body)(void *user, int64_t task, int thread), void *user)
{
    satf_progress_part whole = satf_progress_enter(ctx, 0, 0);
    satf_status status = satf_parallel_told(ctx, threads, tasks, body, user);
    satf_progress_leave(ctx, whole);
    return status;
}
