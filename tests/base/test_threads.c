/* base: the pool of threads, the CPU's levels and caches, and what other threads do meanwhile. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "test.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "base/cpu.h"
#include "base/parallel.h"

struct tally {
    int threads;
    int64_t tasks;
    _Atomic int *runs;
    _Atomic int strays;      /* tasks or threads out of range */
    _Atomic int64_t highest; /* the highest task begun */
};

static void count_task(void *user, int64_t task, int thread)
{
    struct tally *tally = user;
    if (task < 0 || task >= tally->tasks || thread < 0 || thread >= tally->threads) {
        atomic_fetch_add(&tally->strays, 1);
        return;
    }
    atomic_fetch_add(&tally->runs[task], 1);
}

/* A task may wait for the one before it, because tasks start in order. */
static void wait_for_previous(void *user, int64_t task, int thread)
{
    (void)thread;
    struct tally *tally = user;
    while (task > 0 && atomic_load(&tally->runs[task - 1]) == 0) {
    }
    atomic_store(&tally->runs[task], 1);
}

TEST(parallel)
{
    static const int thread_counts[] = {1, 2, 3, 7, 16, 0};
    static const int64_t task_counts[] = {0, 1, 2, 3, 16, 1000};
    static _Atomic int runs[1000];
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        assert_int_equal(satf_context_set_threads(ctx, thread_counts[t]), SATF_OK);
        for (size_t k = 0; k < sizeof task_counts / sizeof *task_counts; k++) {
            for (int round = 0; round < 20; round++) {
                struct tally tally = {satf_thread_count(ctx), task_counts[k], runs, 0, 0};
                memset(runs, 0, sizeof runs);
                satf_parallel(ctx, tally.tasks, count_task, &tally);
                assert_int_equal(tally.strays, 0);
                for (int64_t i = 0; i < 1000; i++) {
                    if (runs[i] != (i < tally.tasks)) {
                        fail_msg("%d threads, %d tasks, round %d: task %d ran %d times",
                                 tally.threads, (int)tally.tasks, round, (int)i, runs[i]);
                    }
                }
            }
        }
        struct tally tally = {satf_thread_count(ctx), 1000, runs, 0, 0};
        memset(runs, 0, sizeof runs);
        satf_parallel(ctx, tally.tasks, wait_for_previous, &tally);
        assert_int_equal(runs[999], 1);
    }
}

struct crowd {
    _Atomic int inside, most, strays;
};

static void count_inside(void *user, int64_t task, int thread)
{
    struct crowd *crowd = user;
    int inside = atomic_fetch_add(&crowd->inside, 1) + 1, most = atomic_load(&crowd->most);
    while (inside > most && !atomic_compare_exchange_weak(&crowd->most, &most, inside)) {
    }
    atomic_fetch_add(&crowd->strays, thread < 0 || thread > 6);
    for (volatile int64_t i = 0; i < 1000 + task; i++) {
    }
    atomic_fetch_sub(&crowd->inside, 1);
}

/* A loop may be for fewer threads than there are; whoever was invited to the one before and
 * comes late is no more of it. */
TEST(few_of_many)
{
    assert_int_equal(satf_context_set_threads(ctx, 7), SATF_OK);
    for (int round = 0; round < 2000; round++) {
        struct crowd crowd = {0, 0, 0};
        int threads = 1 + round % 8;
        satf_parallel_on(ctx, threads, round % 40, count_inside, &crowd);
        assert_int_equal(crowd.inside, 0);
        assert_int_equal(crowd.strays, 0);
        assert_true(crowd.most <= threads);
    }
}

TEST(work_for_threads)
{
    assert_int_equal(satf_context_set_threads(ctx, 4), SATF_OK);
    static const struct {
        int64_t work, least;
        int threads;
    } cases[] = {{0, 10, 1},  {9, 10, 1},  {19, 10, 1},       {20, 10, 2},
                 {39, 10, 3}, {40, 10, 4}, {INT64_MAX, 1, 4}, {1, INT64_MAX, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(satf_threads_for(ctx, cases[i].work, cases[i].least), cases[i].threads);
    }
}

/* Scratch is sized by the count of threads: it must not follow the process's cores. */
TEST(cores_come_and_go)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    SCOPED_CONTEXT *own;
    assert_int_equal(satf_context_create(&own), SATF_OK);
    int before = satf_thread_count(own);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    static _Atomic int runs[1000];
    struct tally tally = {satf_thread_count(own), 1000, runs, 0, 0};
    satf_parallel(own, tally.tasks, count_task, &tally);
    assert_int_equal(before, 1);
    assert_int_equal(tally.threads, 1);
    assert_int_equal(tally.strays, 0);
    assert_int_equal(satf_context_set_threads(own, 0), SATF_OK);
    assert_int_equal(satf_thread_count(own), CPU_COUNT(&all));
}

/* The child has none of its parent's threads. */
TEST(forked)
{
    static _Atomic int runs[1000];
    assert_int_equal(satf_context_set_threads(ctx, 4), SATF_OK);
    struct tally tally = {4, 1000, runs, 0, 0};
    satf_parallel(ctx, tally.tasks, count_task, &tally);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20);
        satf_parallel(ctx, tally.tasks, wait_for_previous, &tally);
        satf_context_destroy(ctx);
        _exit(tally.strays == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    satf_parallel(ctx, tally.tasks, count_task, &tally);
    assert_int_equal(runs[999], 2);
}

TEST(cpu_levels)
{
    satf_isa best = satf_cpu_isa();
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        assert_int_equal(satf_cpu_isa(), isa < (int)best ? isa : (int)best);
    }
    satf_cpu_limit(SATF_ISA_COUNT);
    assert_int_equal(satf_cpu_isa(), best);
}

TEST(caches)
{
    const int64_t mib = 1 << 20;
    assert_int_equal(satf_stream_bytes_for(0), 8 * mib);
    assert_int_equal(satf_stream_bytes_for(1), 4 * mib);
    assert_int_equal(satf_stream_bytes_for(32 * mib), 8 * mib);
    assert_int_equal(satf_stream_bytes_for(INT64_MAX), 32 * mib);
    assert_in_range(satf_stream_bytes(), 4 * mib, 32 * mib);
    assert_int_equal(satf_stream_bytes(), satf_stream_bytes());
}

/* Grows the environment, whose memory moves with each step. */
static void *change_environment(void *done)
{
    for (int i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof name, "SATFILTER_TEST_%d", i);
        setenv(name, "1", 1);
    }
    atomic_store((_Atomic int *)done, 1);
    return NULL;
}

/* Calls of the library do not read the environment: another thread may be writing it. In a
 * process of its own, which may crash. */
TEST(environment_of_others)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static _Atomic int done;
        pthread_t thread;
        alarm(20);
        if (pthread_create(&thread, NULL, change_environment, &done)) {
            _exit(1);
        }
        while (!atomic_load(&done)) {
            satf_cpu_isa();
        }
        pthread_join(thread, NULL);
        satf_isa before = satf_cpu_isa();
        setenv("SATFILTER_CPU", "base", 1);
        _exit(satf_cpu_isa() == before ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
