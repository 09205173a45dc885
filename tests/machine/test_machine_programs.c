/* Tables 5.1 and 6.1 of the dissertation: what the programs' accesses cost on the machine,
 * against the closed formulas. */
#include "test.h"

#include "study/machine.h"

enum { LATENCY = 100 };

static const int32_t widths[] = {4, 8, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };
static satf_context *ctx;

static satf_machine_counts run(const machine_program *p, const machine_case *c, int32_t d)
{
    satf_machine_counts counts;
    MUST(ctx, machine_program_count(ctx, p, c, d, LATENCY, &counts));
    return counts;
}

static const machine_program *program(const char *name)
{
    const machine_program *p = NULL;
    for (size_t i = 0; (p = machine_program_at(i)) != NULL; i++) {
        if (strcmp(p->name, name) == 0) {
            break;
        }
    }
    assert_non_null(p);
    return p;
}

static void is_exactly(int64_t counted, double expected)
{
    assert_int_equal(counted, (int64_t)llround(expected));
    assert_true(fabs((double)counted - expected) < 1e-3);
}

/* The rounds of table 5.1, its running times exactly, on one shared memory and on several. */
static void check_rounds(const machine_program *p, const machine_case *c)
{
    double n = (double)c->side * (double)c->side;
    for (int32_t d = 1; d <= 4; d *= 2) { /* as many blocks for each */
        machine_formula f = p->formula(c, d, LATENCY);
        satf_machine_counts k = run(p, c, d);
        is_exactly(k.time, f.time);
        is_exactly(k.global.free_reads.rounds, f.free_reads);
        is_exactly(k.global.free_writes.rounds, f.free_writes);
        is_exactly(k.global.casual_reads.rounds, f.casual_reads);
        is_exactly(k.global.casual_writes.rounds, f.casual_writes);
        is_exactly(k.shared.free_reads.rounds, f.shared_reads);
        is_exactly(k.shared.free_writes.rounds, f.shared_writes);
        assert_int_equal(k.shared.casual_reads.accesses + k.shared.casual_writes.accesses, 0);
        is_exactly(k.global.free_reads.accesses + k.global.casual_reads.accesses,
                   (f.free_reads + f.casual_reads) * n);
        is_exactly(k.global.free_writes.accesses + k.global.casual_writes.accesses,
                   (f.free_writes + f.casual_writes) * n);
        is_exactly(k.rounds, f.free_reads + f.free_writes + f.casual_reads + f.casual_writes +
                                 f.shared_reads + f.shared_writes);
    }
}

enum { SIDE = 128 };
static uint32_t places[SIDE * SIDE], sources[SIDE * SIDE];

static machine_case permutation(pattern which, int32_t w)
{
    assert_true(pattern_fill(which, SIDE, SIDE, 1, places));
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        sources[places[i]] = i;
    }
    return (machine_case){
        .w = w, .side = SIDE, .permutation = which, .p = places, .inverse = sources};
}

TEST_ALONE(table_5_1)
{
    const machine_program *p;
    for (int w = 0; w < WIDTHS; w++) {
        for (int which = 0; which < PATTERN_COUNT; which++) {
            machine_case c = permutation((pattern)which, widths[w]);
            for (size_t i = 0; (p = machine_program_at(i)) != NULL && which != PATTERN_RANDOM;
                 i++) {
                if (!p->asynchronous) {
                    check_rounds(p, &c);
                }
            }
        }
    }
}

/* A random permutation's distribution is near its mean, and both algorithms' differ. */
TEST_ALONE(random_permutations)
{
    for (int w = 0; w < WIDTHS; w++) {
        machine_case c = permutation(PATTERN_RANDOM, widths[w]);
        for (int i = 0; i < 2; i++) {
            const machine_program *p = machine_program_at((size_t)i);
            machine_formula f = p->formula(&c, 1, LATENCY);
            satf_machine_counts k = run(p, &c, 1);
            assert_true(fabs((double)k.time - f.time) < 0.005 * f.time);
            is_exactly(k.global.casual_reads.rounds, f.casual_reads);
            is_exactly(k.global.casual_writes.rounds, f.casual_writes);
        }
    }
}

/* 2R2W, 4R4W and 4R1W: the formulas but for rows and columns that are read or written once
 * less, at most 8 side accesses; barriers exactly. */
TEST_ALONE(table_6_1_by_rows)
{
    static const char *const names[] = {"2r2w", "4r4w", "4r1w"};
    for (int w = 0; w < WIDTHS; w++) {
        for (int i = 0; i < 3; i++) {
            const machine_program *p = program(names[i]);
            machine_case c = {.w = widths[w], .side = 128};
            double n = 128 * 128, side = 128;
            machine_formula f = p->formula(&c, 1, LATENCY);
            satf_machine_counts k = run(p, &c, 1);
            is_exactly(k.barriers, f.barriers);
            assert_true((double)k.global.time <= f.time);
            assert_true((double)k.global.time > f.time - 8 * side);
            const struct {
                const satf_machine_tally *counted;
                double expected;
            } tallies[] = {{&k.global.free_reads, f.free_reads},
                           {&k.global.free_writes, f.free_writes},
                           {&k.global.casual_reads, f.casual_reads},
                           {&k.global.casual_writes, f.casual_writes},
                           {&k.shared.free_reads, f.shared_reads},
                           {&k.shared.free_writes, f.shared_writes}};
            for (size_t t = 0; t < sizeof tallies / sizeof *tallies; t++) {
                assert_true(fabs((double)tallies[t].counted->accesses - tallies[t].expected * n) <=
                            8 * side);
            }
        }
    }
}

/*
 * 2R1W, 1R1W and (1+r)R1W on 4 x 4 blocks, so that recursion is not needed: all that they
 * access beside the matrix costs a number of stages that depends on the number of blocks
 * alone, so what doubling w adds are the leading terms exactly.
 */
TEST_ALONE(table_6_1_by_blocks)
{
    static const char *const names[] = {"2r1w", "1r1w", "1+r"};
    for (int i = 0; i < 3; i++) {
        const machine_program *p = program(names[i]);
        satf_machine_counts before = {0};
        for (int w = 0; w < WIDTHS; w++) {
            machine_case c = {.w = widths[w], .side = 4 * widths[w], .r = 0.25};
            machine_formula f = p->formula(&c, 1, LATENCY);
            satf_machine_counts k = run(p, &c, 1);
            double n = 16.0 * c.w * c.w, triangles = 0;
            if (i == 2) { /* two of 2 (2 + 1) / 2 blocks each are more than r = 4 / 16 of them */
                triangles = 6.0 / 16 - c.r;
                assert_int_equal(machine_triangle(&c), 2);
            }
            is_exactly(k.barriers, f.barriers);
            assert_int_equal(k.global.congestion, 1);
            assert_int_equal(k.shared.congestion, 1);
            is_exactly(k.shared.free_reads.accesses, (f.shared_reads + 2 * triangles) * n);
            is_exactly(k.shared.free_writes.accesses, (f.shared_writes + triangles) * n);
            if (w) { /* stages of n / w more, w / 2 of them new */
                double leading = (f.free_reads + f.free_writes + triangles) * 16 * (c.w / 2);
                is_exactly(k.global.time - before.global.time, leading);
            }
            before = k;
        }
    }
}

/* Large matrices: within the smaller terms of the text, with recursion. Single words, which
 * the text counts as 1 / w of a stage, take one each: 2 n / w^2 more. */
TEST_ALONE(table_6_1_smaller_terms)
{
    static const char *const names[] = {"2r1w", "1r1w", "1+r"};
    for (int w = 0; w < WIDTHS; w++) {
        for (int i = 0; i < 3; i++) {
            const machine_program *p = program(names[i]);
            machine_case c = {.w = widths[w], .side = 512, .r = 0.25};
            machine_formula f = p->formula(&c, 1, LATENCY);
            satf_machine_counts k = run(p, &c, 1);
            double n = 512 * 512, blocks = n / c.w / c.w;
            is_exactly(k.barriers, f.barriers);
            assert_true((double)k.global.time > f.time - 0.02 * n / c.w);
            assert_true((double)k.global.time <
                        f.time + 2.5 * blocks + 20 * blocks / c.w + (i == 2 ? 512 * 2 : 0));
        }
    }
}

/* Barriers of (1+r)R1W for other triangles, and of recursions. */
TEST_ALONE(barriers)
{
    machine_case c = {.w = 4, .side = 64, .r = 9.0 / 256};
    for (int t = 1; t < 16; t++) {
        c.r = (double)t * t / 256;
        assert_int_equal(machine_triangle(&c), t);
        int depth = t - 2 > 4; /* sums of more than 4 x 4 blocks fit no shared memory */
        assert_int_equal(run(program("1+r"), &c, 1).barriers, 2 * (16 - t) + 4 + 4 * depth);
    }
    c.side = 4 * 5; /* sums of 4 x 4 blocks: none; of 5 x 5: one */
    assert_int_equal(run(program("2r1w"), &c, 1).barriers, 2);
    c.side = 4 * 6;
    assert_int_equal(run(program("2r1w"), &c, 1).barriers, 4);
    c.side = 4; /* a single block */
    assert_int_equal(run(program("2r1w"), &c, 1).barriers, 2);
    assert_int_equal(run(program("1r1w"), &c, 1).barriers, 0);
    assert_int_equal(run(program("1r1w"), &c, 1).global.stages, 8);
}

TEST_ALONE(refuses_what_does_not_fit)
{
    static const machine_case cases[] = {
        {.w = 8, .side = 60}, {.w = 8, .side = 0}, {.w = 8, .side = 1 << 16}};
    satf_machine_counts counts;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(
            machine_program_count(ctx, program("2r2w"), &cases[k], 1, LATENCY, &counts),
            SATF_INVALID);
    }
}

TEST_FILE(.context = &ctx)
