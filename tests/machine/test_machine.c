/* The memory machines against cases worked out by hand. */
#include "test.h"

#include "study/simulator.h"

static satf_context *ctx;

static void destroy(satf_machine **m)
{
    satf_machine_destroy(*m);
}
#define MACHINE __attribute__((unused, cleanup(destroy))) satf_machine

static satf_machine *make(int32_t w, int32_t d, int32_t l, int32_t global, int32_t asynchronous)
{
    satf_machine_params params = {w, d, l, global, asynchronous};
    satf_machine *machine = NULL;
    MUST(ctx, satf_machine_create(ctx, &params, &machine));
    assert_non_null(machine);
    return machine;
}

static int64_t feed(satf_machine *m, int32_t memory, int write, const int64_t *addresses,
                    size_t threads)
{
    int64_t stages = -1;
    MUST(ctx, satf_machine_access(ctx, m, memory, write, addresses, threads, &stages));
    return stages;
}

static satf_machine_counts count(const satf_machine *m)
{
    satf_machine_counts counts;
    memset(&counts, 0xa5, sizeof counts);
    MUST(ctx, satf_machine_count(ctx, m, &counts));
    return counts;
}

static void end_round(satf_machine *m)
{
    MUST(ctx, satf_machine_end_round(ctx, m));
}

static void barrier(satf_machine *m)
{
    MUST(ctx, satf_machine_barrier(ctx, m));
}

/* Two warps, figure 3.3: 3 stages and 7 time units on the DMM, 5 and 9 on the UMM. */
TEST_ALONE(figure_3_3)
{
    static const int64_t addresses[8] = {7, 5, 15, 0, 10, 11, 12, 9};
    MACHINE *m = make(4, 1, 5, 5, 0);
    assert_int_equal(feed(m, 0, 0, addresses, 4), 2);
    assert_int_equal(feed(m, 0, 0, addresses + 4, 4), 1);
    satf_machine_counts counts = count(m);
    assert_int_equal(counts.time, 7);
    assert_int_equal(counts.shared.stages, 3);
    assert_int_equal(counts.shared.congestion, 2);
    assert_int_equal(counts.shared.free_reads.accesses, 4);
    assert_int_equal(counts.shared.casual_reads.accesses, 4);
    assert_int_equal(counts.shared.casual_reads.rounds, 1);
    assert_int_equal(counts.shared.free_reads.rounds, 0);
    assert_int_equal(counts.rounds, 1);
    assert_int_equal(counts.global.time, 0);

    MUST(ctx, satf_machine_reset(ctx, m));
    assert_int_equal(feed(m, SATF_MACHINE_GLOBAL, 1, addresses, 8), 5);
    counts = count(m);
    assert_int_equal(counts.time, 9);
    assert_int_equal(counts.global.time, 9);
    assert_int_equal(counts.global.congestion, 3);
    assert_int_equal(counts.global.casual_writes.accesses, 8);
    assert_int_equal(counts.shared.stages, 0);
}

/* Equal addresses merge; RAP, figure 2. */
TEST_ALONE(congestion)
{
    static const int64_t distinct[4] = {0, 5, 10, 15}, same_bank[4] = {1, 5, 9, 13},
                         same[4] = {5, 5, 5, 5}, pairs[4] = {1, 5, 1, 5};
    MACHINE *m = make(4, 1, 1, 1, 0);
    assert_int_equal(feed(m, 0, 0, distinct, 4), 1);
    assert_int_equal(feed(m, 0, 0, same_bank, 4), 4);
    assert_int_equal(feed(m, 0, 0, same, 4), 1);
    assert_int_equal(feed(m, 0, 0, pairs, 4), 2);
    assert_int_equal(feed(m, SATF_MACHINE_GLOBAL, 0, distinct, 4), 4);
    assert_int_equal(feed(m, SATF_MACHINE_GLOBAL, 0, same, 4), 1);
    assert_int_equal(feed(m, SATF_MACHINE_GLOBAL, 0, pairs, 4), 2);
    assert_int_equal(count(m).shared.congestion, 4);
}

/* Idle threads ask for nothing; a last warp may be short; no access is no round. */
TEST_ALONE(idle_threads)
{
    static const int64_t addresses[6] = {SATF_MACHINE_IDLE, 8, SATF_MACHINE_IDLE, 4, 3, 7};
    static const int64_t idle[4] = {SATF_MACHINE_IDLE, SATF_MACHINE_IDLE, SATF_MACHINE_IDLE,
                                    SATF_MACHINE_IDLE};
    MACHINE *m = make(4, 1, 9, 9, 0);
    assert_int_equal(feed(m, 0, 0, idle, 4), 0);
    assert_int_equal(feed(m, 0, 0, NULL, 0), 0);
    end_round(m);
    assert_int_equal(count(m).rounds, 0);
    assert_int_equal(count(m).time, 0);
    assert_int_equal(feed(m, 0, 0, addresses, 6), 4);
    end_round(m);
    end_round(m);
    satf_machine_counts counts = count(m);
    assert_int_equal(counts.rounds, 1);
    assert_int_equal(counts.shared.casual_reads.accesses, 4);
    assert_int_equal(counts.time, 4 + 9 - 1);
}

static void contiguous(int64_t *addresses, int64_t first, int64_t step, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        addresses[t] = first + (int64_t)t * step;
    }
}

/* Lemma 5.1.1: n / w + L - 1 and n / w; casual access takes n. */
TEST_ALONE(rounds_of_n_threads)
{
    int64_t addresses[256];
    for (int32_t w = 2; w <= 64; w *= 2) {
        MACHINE *m = make(w, 1, 1, 100, 0);
        contiguous(addresses, 0, 1, 256);
        feed(m, SATF_MACHINE_GLOBAL, 0, addresses, 256);
        end_round(m);
        assert_int_equal(count(m).time, 256 / w + 99);
        feed(m, 0, 1, addresses, 256);
        end_round(m);
        assert_int_equal(count(m).time, 256 / w + 99 + 256 / w);
        contiguous(addresses, 0, w, 256);
        feed(m, SATF_MACHINE_GLOBAL, 1, addresses, 256);
        end_round(m);
        satf_machine_counts counts = count(m);
        assert_int_equal(counts.time, 256 / w + 99 + 256 / w + 256 + 99);
        assert_int_equal(counts.rounds, 3);
        assert_int_equal(counts.global.free_reads.rounds, 1);
        assert_int_equal(counts.global.casual_writes.rounds, 1);
        assert_int_equal(counts.global.casual_writes.accesses, 256);
        assert_int_equal(counts.shared.free_writes.rounds, 1);
    }
}

/* Shared memories work at the same time; the round takes as long as the busiest. */
TEST_ALONE(shared_memories_in_parallel)
{
    int64_t addresses[32];
    MACHINE *m = make(4, 3, 5, 7, 0);
    contiguous(addresses, 0, 1, 32);
    feed(m, 0, 0, addresses, 8);
    feed(m, 1, 0, addresses, 32);
    feed(m, 2, 0, addresses, 4);
    end_round(m);
    satf_machine_counts counts = count(m);
    assert_int_equal(counts.time, 8 + 5 - 1);
    assert_int_equal(counts.shared.stages, 2 + 8 + 1);
    /* One of another kind in the same round takes its own time. */
    feed(m, 0, 1, addresses, 4);
    feed(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
    end_round(m);
    counts = count(m);
    assert_int_equal(counts.time, 12 + 8);
    assert_int_equal(counts.shared.time, 12 + 5);
    assert_int_equal(counts.global.time, 8);
    assert_int_equal(counts.rounds, 2);
}

/* Figure 6.2: two barriers make three phases, n / w + 3 (l - 1); rounds do not count. */
TEST_ALONE(phases_end_at_barriers)
{
    int64_t addresses[64];
    MACHINE *m = make(4, 2, 1, 50, 1);
    contiguous(addresses, 0, 1, 64);
    for (int phase = 0; phase < 3; phase++) {
        if (phase) {
            barrier(m);
        }
        for (int round = 0; round <= phase; round++) {
            feed(m, SATF_MACHINE_GLOBAL, round % 2, addresses, 64);
            end_round(m);
        }
    }
    satf_machine_counts counts = count(m);
    assert_int_equal(counts.global.time, 6 * 16 + 3 * 49);
    assert_int_equal(counts.time, counts.global.time);
    assert_int_equal(counts.barriers, 2);
    assert_int_equal(counts.rounds, 6);
    /* Shared memories overlap with the global one. */
    feed(m, 1, 0, addresses, 32);
    assert_int_equal(count(m).time, counts.time);
    for (int i = 0; i < 40; i++) {
        feed(m, 1, 0, addresses, 64);
    }
    assert_int_equal(count(m).time, 3 * 16 + 2 * 49 + 8 + 640);
    assert_int_equal(count(m).global.time, counts.global.time);
}

/* Counting is no step of the program. */
TEST_ALONE(counting_changes_nothing)
{
    int64_t addresses[8];
    contiguous(addresses, 0, 3, 8);
    for (int32_t asynchronous = 0; asynchronous < 2; asynchronous++) {
        MACHINE *m = make(4, 1, 3, 10, asynchronous);
        feed(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
        satf_machine_counts once = count(m), twice = count(m);
        assert_memory_equal(&once, &twice, sizeof once);
        feed(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
        end_round(m);
        assert_int_equal(count(m).rounds, 1);
        assert_int_equal(count(m).time, 2 * once.global.stages + 9);
        MUST(ctx, satf_machine_reset(ctx, m));
        satf_machine_counts none = {0};
        once = count(m);
        assert_memory_equal(&once, &none, sizeof none);
    }
}

/* The set of a warp's addresses goes through many generations and large numbers. */
TEST_ALONE(large_addresses)
{
    int64_t addresses[1024];
    MACHINE *m = make(1024, 1, 1, 1, 0);
    for (int round = 0; round < 50; round++) {
        contiguous(addresses, INT64_MAX - 1023 * (round + 1), round + 1, 1024);
        int64_t most = 0, banks[1024] = {0};
        for (int t = 0; t < 1024; t++) {
            int64_t inside = ++banks[addresses[t] % 1024];
            most = inside > most ? inside : most;
        }
        assert_int_equal(feed(m, 0, 0, addresses, 1024), most);
    }
}

static void refused(satf_status status, satf_status expected)
{
    assert_int_equal(status, expected);
    assert_true(strlen(satf_message(ctx)) > 10);
}

TEST_ALONE(errors_leave_the_machine)
{
    satf_machine_params good = {32, 1, 1, 1, 0};
    satf_machine *m = (satf_machine *)&good;
    static const satf_machine_params bad[] = {{0, 1, 1, 1, 0},  {1025, 1, 1, 1, 0},
                                              {32, 0, 1, 1, 0}, {32, 65537, 1, 1, 0},
                                              {32, 1, 0, 1, 0}, {32, 1, 1, -1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(satf_machine_create(ctx, &bad[i], &m), SATF_INVALID);
        assert_null(m);
    }
    refused(satf_machine_create(ctx, NULL, &m), SATF_INVALID);
    refused(satf_machine_create(ctx, &good, NULL), SATF_INVALID);
    assert_int_equal(satf_machine_create(NULL, &good, &m), SATF_INVALID);

    m = make(4, 2, 1, 1, 0);
    static const int64_t addresses[4] = {0, 1, 2, 3}, negative[4] = {0, 1, -2, 3};
    int64_t stages = 77;
    feed(m, 0, 0, addresses, 4);
    satf_machine_counts before = count(m), after;
    refused(satf_machine_access(ctx, m, 2, 0, addresses, 4, &stages), SATF_INVALID);
    refused(satf_machine_access(ctx, m, -2, 0, addresses, 4, &stages), SATF_INVALID);
    refused(satf_machine_access(ctx, m, 0, 0, NULL, 4, &stages), SATF_INVALID);
    refused(satf_machine_access(ctx, m, 0, 0, negative, 4, &stages), SATF_INVALID);
    refused(satf_machine_access(ctx, NULL, 0, 0, addresses, 4, &stages), SATF_INVALID);
    refused(satf_machine_end_round(ctx, NULL), SATF_INVALID);
    refused(satf_machine_barrier(ctx, NULL), SATF_INVALID);
    refused(satf_machine_reset(ctx, NULL), SATF_INVALID);
    refused(satf_machine_count(ctx, NULL, &after), SATF_INVALID);
    refused(satf_machine_count(ctx, m, NULL), SATF_INVALID);
    assert_int_equal(satf_machine_count(NULL, m, &after), SATF_INVALID);
    assert_int_equal(stages, 77);
    after = count(m);
    assert_memory_equal(&before, &after, sizeof before);
    MUST(ctx, satf_machine_access(ctx, m, 0, 0, addresses, 4, NULL));
    satf_machine_destroy(m);
    satf_machine_destroy(NULL);
}

TEST_FILE(.context = &ctx)
