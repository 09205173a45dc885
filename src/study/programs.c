/* The table of programs, and what the dissertation's tables 5.1 and 6.1 say of them. */
#include <inttypes.h>
#include <math.h>

#include "../base/context.h"
#include "stream.h"

enum { MAX_SIDE = 1 << 15 };

static double words(const machine_case *c)
{
    return (double)c->side * (double)c->side;
}

static double warps(const machine_case *c)
{
    return words(c) / c->w;
}

/* ----------------------------------------------- table 5.1, rounds of n words */

/* global rounds of coalesced and shared rounds of conflict-free access; no barriers. */
static machine_formula rounds(const machine_case *c, int32_t d, double l, double reads,
                              double writes, double shared)
{
    double global = reads + writes;
    return (machine_formula){.free_reads = reads,
                             .free_writes = writes,
                             .shared_reads = shared,
                             .shared_writes = shared,
                             .time = global * (warps(c) + l - 1) + 2 * shared * warps(c) / d};
}

/* The mean distribution of a random permutation: a warp's w words lie in n/w groups, and
 * a group is missed with the probability that all w lie in the n - w other words. */
static double random_distribution(const machine_case *c)
{
    double n = words(c), missed = 1;
    for (int32_t t = 0; t < c->w; t++) {
        missed *= (n - c->w - t) / (n - t);
    }
    return warps(c) * warps(c) * (1 - missed);
}

/* D_w(P), section 5.2; that of the inverse is the same for all of them. */
static double program_distribution(const machine_case *c)
{
    double n = words(c);
    switch (c->permutation) {
    case PATTERN_IDENTICAL:
        return warps(c);
    case PATTERN_SHUFFLE:
        return 2 * warps(c);
    case PATTERN_RANDOM:
        return random_distribution(c);
    default:
        return n;
    }
}

static machine_formula designated(const machine_case *c, double l, bool casual_write)
{
    machine_formula f = {.free_reads = casual_write ? 2 : 1, .free_writes = casual_write ? 0 : 1};
    *(c->permutation == PATTERN_IDENTICAL ? casual_write ? &f.free_writes : &f.free_reads
      : casual_write                      ? &f.casual_writes
                                          : &f.casual_reads) += 1;
    f.time = program_distribution(c) + 2 * warps(c) + 3 * (l - 1);
    return f;
}

static machine_formula d_designated(const machine_case *c, int32_t d, double l)
{
    (void)d;
    return designated(c, l, true);
}

static machine_formula s_designated(const machine_case *c, int32_t d, double l)
{
    (void)d;
    return designated(c, l, false);
}

static machine_formula program_transpose(const machine_case *c, int32_t d, double l)
{
    return rounds(c, d, l, 1, 1, 1);
}

static machine_formula row_wise(const machine_case *c, int32_t d, double l)
{
    return rounds(c, d, l, 3, 1, 2);
}

static machine_formula column_wise(const machine_case *c, int32_t d, double l)
{
    return rounds(c, d, l, 5, 3, 4);
}

static machine_formula scheduled(const machine_case *c, int32_t d, double l)
{
    return rounds(c, d, l, 11, 5, 8);
}

/* ----------------------- table 6.1, the global memory access cost (section 6.1) */

/* f.time comes with what is small against n / w. */
static machine_formula cost(const machine_case *c, double l, machine_formula f)
{
    f.time += (f.free_reads + f.free_writes) * warps(c) +
              (f.casual_reads + f.casual_writes) * words(c) + (f.barriers + 1) * (l - 1);
    return f;
}

static machine_formula sat_2r2w(const machine_case *c, int32_t d, double l)
{
    (void)d;
    return cost(c, l, (machine_formula){1, 1, 1, 1, 0, 0, 1, 0});
}

static machine_formula sat_4r4w(const machine_case *c, int32_t d, double l)
{
    (void)d;
    return cost(c, l, (machine_formula){4, 4, 0, 0, 2, 2, 3, 0});
}

static machine_formula sat_4r1w(const machine_case *c, int32_t d, double l)
{
    (void)d;
    double barriers = 2 * (double)c->side - 2;
    return cost(c, l, (machine_formula){0, 0, 4, 1, 0, 0, barriers, 0});
}

/* How often S is summed by 2R1W itself, from a side of that many blocks of sums on:
 * the sums of a square leave one of them less each time, those of a triangle two. */
static double depth(int64_t side, int64_t w, int64_t less)
{
    int depth = 0;
    for (; side > w; depth++) {
        side = (side + w - 1) / w - less;
    }
    return depth;
}

/* What 2R1W accesses beside the matrix (lemma 6.3.1). */
static double sums_2r1w(const machine_case *c)
{
    return 8 * warps(c) / c->w;
}

/* What 1R1W does: 2 w + 1 words a block each way (section 6.4). */
static double borders_1r1w(const machine_case *c)
{
    return (4 * c->w + 2) * warps(c) / ((double)c->w * c->w);
}

static machine_formula sat_2r1w(const machine_case *c, int32_t d, double l)
{
    (void)d;
    double barriers = 2 * depth(c->side / c->w - 1, c->w, 1) + 2;
    return cost(c, l, (machine_formula){2, 1, 0, 0, 4, 3, barriers, sums_2r1w(c)});
}

static machine_formula sat_1r1w(const machine_case *c, int32_t d, double l)
{
    (void)d;
    double barriers = 2 * ((double)c->side / c->w) - 2;
    return cost(c, l, (machine_formula){1, 1, 0, 0, 2, 2, barriers, borders_1r1w(c)});
}

static machine_formula sat_1_r(const machine_case *c, int32_t d, double l)
{
    (void)d;
    double r = c->r, blocks = (double)c->side / c->w;
    double barriers = 2 * (1 - sqrt(r)) * blocks + 4 + 4 * depth(machine_triangle(c) - 2, c->w, 2);
    double small = r * sums_2r1w(c) + (1 - r) * borders_1r1w(c);
    return cost(c, l, (machine_formula){1 + r, 1, 0, 0, 2 + 2 * r, 2 + r, barriers, small});
}

static const machine_program programs[] = {
    {"d-designated", "b[P(i)] = a[i]", "D(P) + 2 n/w + 3 (l-1)", false, machine_run_d_designated,
     d_designated},
    {"s-designated", "b[i] = a[P^-1(i)]", "D(P) + 2 n/w + 3 (l-1)", false, machine_run_s_designated,
     s_designated},
    {"transpose", "by blocks, in the diagonal arrangement", "4 n/w + 2 (l-1)", false,
     machine_run_transpose, program_transpose},
    {"row-wise", "within rows, conflict-free", "8 n/w + 4 (l-1)", false, machine_run_row_wise,
     row_wise},
    {"column-wise", "transposed, row-wise, transposed", "16 n/w + 8 (l-1)", false,
     machine_run_column_wise, column_wise},
    {"scheduled", "row-wise, column-wise, row-wise", "32 n/w + 16 (l-1)", false,
     machine_run_scheduled, scheduled},
    {"2r2w", "sums down columns, then along rows", "2 n + 2 n/w + 2 (l-1)", true, machine_run_2r2w,
     sat_2r2w},
    {"4r4w", "sums down columns, twice, with transpositions", "8 n/w + 4 (l-1)", true,
     machine_run_4r4w, sat_4r4w},
    {"4r1w", "formula (6.1) along anti-diagonals", "5 n + (2 side - 1) (l-1)", true,
     machine_run_4r1w, sat_4r1w},
    {"2r1w", "sums of blocks first", "3 n/w + 8 n/w^2 + (2 d + 3) (l-1)", true, machine_run_2r1w,
     sat_2r1w},
    {"1r1w", "anti-diagonals of blocks", "2 n/w + (4 w + 2) n/w^3 + (2 side/w - 1) (l-1)", true,
     machine_run_1r1w, sat_1r1w},
    {"1+r", "2r1w in two corners, 1r1w between",
     "(2+r) n/w + r 8 n/w^2 + (1-r) (4 w + 2) n/w^3 + (2 (1-sqrt r) side/w + 5 + 4 d) (l-1)", true,
     machine_run_1_r, sat_1_r},
};

const machine_program *machine_program_at(size_t index)
{
    return index < sizeof programs / sizeof *programs ? &programs[index] : NULL;
}

satf_status machine_program_count(satf_context *ctx, const machine_program *program,
                                  const machine_case *c, int32_t d, int32_t latency,
                                  satf_machine_counts *counts)
{
    satf_machine_params params = {c->w, d, 1, latency, program->asynchronous};
    if (c->side < c->w || c->side > MAX_SIDE || c->side % c->w) {
        return satf_fail(ctx, SATF_INVALID,
                         "a matrix's side must be a multiple of the width %" PRId32
                         " up to %d, not %" PRId64,
                         c->w, MAX_SIDE, c->side);
    }
    machine_stream s = {.machine = satf_machine_create(&params), .w = c->w, .shared_count = d};
    if (!s.machine) {
        return satf_fail(ctx, SATF_NO_MEMORY, "out of memory for a machine");
    }
    program->run(&s, c);
    *counts = satf_machine_count(s.machine);
    satf_machine_destroy(s.machine);
    return SATF_OK;
}
