/* The memory machines against cases worked out by hand. */
#include "test.h"

#include "study/simulator.h"

static void destroy(satf_machine **m)
{
    satf_machine_destroy(*m);
}
#define MACHINE __attribute__((unused, cleanup(destroy))) satf_machine

static satf_machine *make(int32_t w, int32_t d, int32_t l, int32_t global, bool asynchronous)
{
    satf_machine_params params = {w, d, l, global, asynchronous};
    satf_machine *machine = satf_machine_create(&params);
    assert_non_null(machine);
    return machine;
}

/* Two warps, figure 3.3: 3 stages and 7 time units on the DMM, 5 and 9 on the UMM. */
TEST_ALONE(figure_3_3)
{
    static const int64_t addresses[8] = {7, 5, 15, 0, 10, 11, 12, 9};
    MACHINE *m = make(4, 1, 5, 5, 0);
    assert_int_equal(satf_machine_access(m, 0, 0, addresses, 4), 2);
    assert_int_equal(satf_machine_access(m, 0, 0, addresses + 4, 4), 1);
    satf_machine_counts counts = satf_machine_count(m);
    assert_int_equal(counts.time, 7);
    assert_int_equal(counts.shared.stages, 3);
    assert_int_equal(counts.shared.congestion, 2);
    assert_int_equal(counts.shared.free_reads.accesses, 4);
    assert_int_equal(counts.shared.casual_reads.accesses, 4);
    assert_int_equal(counts.shared.casual_reads.rounds, 1);
    assert_int_equal(counts.shared.free_reads.rounds, 0);
    assert_int_equal(counts.rounds, 1);
    assert_int_equal(counts.global.time, 0);

    MACHINE *umm = make(4, 1, 5, 5, 0);
    assert_int_equal(satf_machine_access(umm, SATF_MACHINE_GLOBAL, 1, addresses, 8), 5);
    counts = satf_machine_count(umm);
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
    assert_int_equal(satf_machine_access(m, 0, 0, distinct, 4), 1);
    assert_int_equal(satf_machine_access(m, 0, 0, same_bank, 4), 4);
    assert_int_equal(satf_machine_access(m, 0, 0, same, 4), 1);
    assert_int_equal(satf_machine_access(m, 0, 0, pairs, 4), 2);
    assert_int_equal(satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, distinct, 4), 4);
    assert_int_equal(satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, same, 4), 1);
    assert_int_equal(satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, pairs, 4), 2);
    assert_int_equal(satf_machine_count(m).shared.congestion, 4);
}

/* Idle threads ask for nothing; a last warp may be short; no access is no round. */
TEST_ALONE(idle_threads)
{
    static const int64_t addresses[6] = {SATF_MACHINE_IDLE, 8, SATF_MACHINE_IDLE, 4, 3, 7};
    static const int64_t idle[4] = {SATF_MACHINE_IDLE, SATF_MACHINE_IDLE, SATF_MACHINE_IDLE,
                                    SATF_MACHINE_IDLE};
    MACHINE *m = make(4, 1, 9, 9, 0);
    assert_int_equal(satf_machine_access(m, 0, 0, idle, 4), 0);
    assert_int_equal(satf_machine_access(m, 0, 0, NULL, 0), 0);
    satf_machine_end_round(m);
    assert_int_equal(satf_machine_count(m).rounds, 0);
    assert_int_equal(satf_machine_count(m).time, 0);
    assert_int_equal(satf_machine_access(m, 0, 0, addresses, 6), 4);
    satf_machine_end_round(m);
    satf_machine_end_round(m);
    satf_machine_counts counts = satf_machine_count(m);
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
        satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, addresses, 256);
        satf_machine_end_round(m);
        assert_int_equal(satf_machine_count(m).time, 256 / w + 99);
        satf_machine_access(m, 0, 1, addresses, 256);
        satf_machine_end_round(m);
        assert_int_equal(satf_machine_count(m).time, 256 / w + 99 + 256 / w);
        contiguous(addresses, 0, w, 256);
        satf_machine_access(m, SATF_MACHINE_GLOBAL, 1, addresses, 256);
        satf_machine_end_round(m);
        satf_machine_counts counts = satf_machine_count(m);
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
    satf_machine_access(m, 0, 0, addresses, 8);
    satf_machine_access(m, 1, 0, addresses, 32);
    satf_machine_access(m, 2, 0, addresses, 4);
    satf_machine_end_round(m);
    satf_machine_counts counts = satf_machine_count(m);
    assert_int_equal(counts.time, 8 + 5 - 1);
    assert_int_equal(counts.shared.stages, 2 + 8 + 1);
    /* One of another kind in the same round takes its own time. */
    satf_machine_access(m, 0, 1, addresses, 4);
    satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
    satf_machine_end_round(m);
    counts = satf_machine_count(m);
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
            satf_machine_barrier(m);
        }
        for (int round = 0; round <= phase; round++) {
            satf_machine_access(m, SATF_MACHINE_GLOBAL, round % 2, addresses, 64);
            satf_machine_end_round(m);
        }
    }
    satf_machine_counts counts = satf_machine_count(m);
    assert_int_equal(counts.global.time, 6 * 16 + 3 * 49);
    assert_int_equal(counts.time, counts.global.time);
    assert_int_equal(counts.barriers, 2);
    assert_int_equal(counts.rounds, 6);
    /* Shared memories overlap with the global one. */
    satf_machine_access(m, 1, 0, addresses, 32);
    assert_int_equal(satf_machine_count(m).time, counts.time);
    for (int i = 0; i < 40; i++) {
        satf_machine_access(m, 1, 0, addresses, 64);
    }
    assert_int_equal(satf_machine_count(m).time, 3 * 16 + 2 * 49 + 8 + 640);
    assert_int_equal(satf_machine_count(m).global.time, counts.global.time);
}

/* Counting is no step of the program. */
TEST_ALONE(counting_changes_nothing)
{
    int64_t addresses[8];
    contiguous(addresses, 0, 3, 8);
    for (int32_t asynchronous = 0; asynchronous < 2; asynchronous++) {
        MACHINE *m = make(4, 1, 3, 10, asynchronous);
        satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
        satf_machine_counts once = satf_machine_count(m), twice = satf_machine_count(m);
        assert_memory_equal(&once, &twice, sizeof once);
        satf_machine_access(m, SATF_MACHINE_GLOBAL, 0, addresses, 8);
        satf_machine_end_round(m);
        assert_int_equal(satf_machine_count(m).rounds, 1);
        assert_int_equal(satf_machine_count(m).time, 2 * once.global.stages + 9);
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
        assert_int_equal(satf_machine_access(m, 0, 0, addresses, 1024), most);
    }
}

TEST_FILE()
