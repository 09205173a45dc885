/* The memory machines of GPU papers, simulated. */
#ifndef SATF_STUDY_SIMULATOR_H
#define SATF_STUDY_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Models of a GPU's memories (A. Kasagi's dissertation, chapter 3): they count
 * what a program's accesses cost, given the addresses alone. w threads form a
 * warp and access a memory of w banks at once; equal addresses of a warp merge.
 *   - A shared memory (DMM) takes as many pipeline stages as the bank that most
 *     addresses a of the warp lie in, a mod w, has of them: the congestion.
 *   - The global memory (UMM) takes as many as there are groups a div w.
 * k stages of a memory with latency l take k + l - 1 time units. An HMM has d
 * shared memories, which work at the same time, and the global one. A DMM is an HMM
 * of which only shared memory 0 is used, a UMM one of which only the global is.
 *
 * A program is fed in as rounds, in each of which a thread accesses a memory at
 * most once. On the synchronous machine a round begins when the one before it
 * is complete. On the asynchronous one (section 3.4) a phase ends at a barrier
 * only; until then warps are taken to be so many that they hide the latency,
 * and a phase takes as long as the memory that takes longest. Its global time is
 * the global memory access cost of section 6.1. No data are moved.
 * docs/machine.md has examples.
 */
typedef struct satf_machine satf_machine;

#define SATF_MACHINE_GLOBAL (-1)        /* the global memory, where a shared one has its number */
#define SATF_MACHINE_IDLE (-INT64_C(1)) /* the address of a thread that accesses nothing */

typedef struct satf_machine_params {
    int32_t width;          /* w, 1 ... MACHINE_MAX_WIDTH */
    int32_t shared_count;   /* d >= 1 */
    int32_t shared_latency; /* l >= 1, time units */
    int32_t global_latency; /* L >= 1, time units */
    bool asynchronous;      /* phases end at barriers only */
} satf_machine_params;

#define MACHINE_MAX_WIDTH 1024

/* NULL: there is no memory. */
satf_machine *satf_machine_create(const satf_machine_params *params);

/* NULL is allowed. */
void satf_machine_destroy(satf_machine *machine);

/*
 * Threads 0 ... threads - 1 access words of a memory, a shared one by number or
 * SATF_MACHINE_GLOBAL, in the present round. Thread t belongs to warp t div w and
 * accesses addresses[t] >= 0, or nothing if that is SATF_MACHINE_IDLE; a warp of idle
 * threads costs nothing. A round may consist of several such calls. Returns the pipeline
 * stages that they occupy.
 */
int64_t satf_machine_access(satf_machine *machine, int32_t memory, bool write,
                            const int64_t *addresses, size_t threads);

/* Ends the round, if it had any access. */
void satf_machine_end_round(satf_machine *machine);

/* All threads wait for one another: ends the round and, on the asynchronous machine, the phase. */
void satf_machine_barrier(satf_machine *machine);

typedef struct satf_machine_tally {
    int64_t accesses; /* of threads, before equal addresses merge */
    int64_t rounds;   /* that had such accesses; casual as a whole if one warp's was */
} satf_machine_tally;

typedef struct satf_machine_traffic {
    satf_machine_tally free_reads, free_writes; /* in one stage: conflict-free, coalesced */
    satf_machine_tally casual_reads, casual_writes;
    int64_t stages;
    int64_t congestion; /* the most stages a warp's accesses took */
    int64_t time;       /* time units, the other kind of memory left out */
} satf_machine_traffic;

typedef struct satf_machine_counts {
    satf_machine_traffic shared, global;
    int64_t rounds, barriers;
    int64_t time; /* time units */
} satf_machine_counts;

/* What all accesses so far cost, as if the program ended here. */
satf_machine_counts satf_machine_count(const satf_machine *machine);

#endif
