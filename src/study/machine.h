/*
 * The simulated memory machines' inside, the first file of this folder to read: the cost of a
 * warp's access, random numbers for the layouts, and the programs of the dissertation's tables as
 * streams of accesses. The machine itself is in simulator.h.
 */
#ifndef SATF_STUDY_MACHINE_H
#define SATF_STUDY_MACHINE_H

#include <stdbool.h>

#include "../base/layout.h"
#include "../satfilter.h"
#include "pattern.h"
#include "simulator.h"

/* The pipeline stages of one warp's access on a machine of that width, up to MACHINE_MAX_WIDTH:
 * the most distinct addresses in a bank, or the distinct address groups of the global memory.
 * Addresses as in satf_machine_access(); threads <= width. */
int64_t machine_stages(int32_t width, bool global, const int64_t *addresses, size_t threads);

/* ---------------------------------------------------------- random numbers */

/* SplitMix64: a seed gives the same numbers everywhere. */
typedef struct machine_random {
    uint64_t state;
} machine_random;

/* Uniform in 0 ... bound - 1; bound >= 1. */
uint32_t machine_random_below(machine_random *random, uint32_t bound);

/* A uniform permutation of 0 ... count - 1. */
void machine_random_permutation(machine_random *random, uint32_t *out, uint32_t count);

/* How many random numbers a layout takes, and fills its registers, of which there
 * must be layout_registers(w, that). w <= MACHINE_MAX_WIDTH. */
uint32_t layout_2d_numbers(layout_2d layout, uint32_t w);
void layout_2d_draw(layout_2d layout, uint32_t w, machine_random *random, uint32_t *r);

/* RAP for a memory that serves `part` threads of a warp at a time from as many banks, a divisor of
 * w (words of 8 bytes: w / 2): of the permutations whose numbers in each `part` consecutive rows
 * differ modulo part, a uniform one. With part = w layout_2d_draw()'s. */
void layout_rap_draw_spread(uint32_t w, uint32_t part, machine_random *random, uint32_t *r);
uint32_t layout_4d_numbers(layout_4d layout, uint32_t w);
void layout_4d_draw(layout_4d layout, uint32_t w, machine_random *random, uint32_t *r);

/* The layout's name, "raw" and so on. Static storage. */
const char *layout_2d_name(layout_2d layout);
const char *layout_4d_name(layout_4d layout);

/* ---------------------------------------------------------------- programs */

/* What tables 5.1 and 6.1 are about: a matrix of n = side^2 words. */
typedef struct machine_case {
    int32_t w;                   /* the machine's, 2 ... MACHINE_MAX_WIDTH */
    int64_t side;                /* a multiple of w, up to 2^15 */
    double r;                    /* of (1+r)R1W, above 0 and below 1 */
    pattern permutation;         /* of the D- and S-designated algorithms: */
    const uint32_t *p, *inverse; /* where word i goes, and which one goes to word i */
} machine_case;

/* What the tables say of a program, without their misprints. Accesses are per word of the
 * matrix, and without what is small against n; docs/machine.md says where this differs. */
typedef struct machine_formula {
    double free_reads, free_writes, casual_reads, casual_writes; /* of the global memory */
    double shared_reads, shared_writes;
    double barriers;
    double time; /* time units: table 5.1's running time; table 6.1's global memory access cost
                  * with what the text says of smaller terms */
} machine_formula;

/* The machine that a program runs on (stream.h). */
typedef struct machine_stream machine_stream;

typedef struct machine_program {
    const char *name, *help;
    const char *text;  /* the formula of time; l is the global memory's latency */
    bool asynchronous; /* table 6.1; else table 5.1 */
    /* Feeds all the program's accesses into the machine. */
    void (*run)(machine_stream *s, const machine_case *c);
    /* With d shared memories of latency 1 and the global one of latency l. */
    machine_formula (*formula)(const machine_case *c, int32_t d, double l);
} machine_program;

/* The programs, NULL behind the last. */
const machine_program *machine_program_at(size_t index);

/* What the program's accesses cost on a machine with d shared memories of latency 1 and a global
 * one of that latency. SATF_INVALID: the side does not fit the width. */
satf_status machine_program_count(satf_context *ctx, const machine_program *program,
                                  const machine_case *c, int32_t d, int32_t latency,
                                  satf_machine_counts *counts);

/* Blocks on a side of the triangles of (1+r)R1W: nearest to sqrt(r) side / w, 1 ... side / w - 1,
 * or 1 if there is a single block. */
int64_t machine_triangle(const machine_case *c);

/* The programs' functions, by table. */
#define MACHINE_RUN(name) void machine_run_##name(machine_stream *s, const machine_case *c)
MACHINE_RUN(d_designated);
MACHINE_RUN(s_designated);
MACHINE_RUN(transpose);
MACHINE_RUN(row_wise);
MACHINE_RUN(column_wise);
MACHINE_RUN(scheduled);
MACHINE_RUN(2r2w);
MACHINE_RUN(4r4w);
MACHINE_RUN(4r1w);
MACHINE_RUN(2r1w);
MACHINE_RUN(1r1w);
MACHINE_RUN(1_r);

#endif
