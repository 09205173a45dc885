/* The simulator of the memory machines: dissertation, chapter 3. */
#include "machine.h"

#include <string.h>

#include "../base/memory.h"

/* What a round has done to a kind of memory. */
typedef struct round_traffic {
    int64_t accesses[2]; /* reads, writes */
    bool casual[2];
} round_traffic;

struct satf_machine {
    satf_machine_params params;
    satf_machine_counts ended;                /* of what rounds and phases have ended */
    round_traffic round_shared, round_global; /* the present round */
    int64_t phase_global;                     /* stages of the present phase */
    int64_t *phase_shared;                    /* of each shared memory */
};

/* ----------------------------------------------------------- one warp's cost */

/* A set of numbers: open addressing, at most half full. */
typedef struct number_set {
    int64_t number[2 * MACHINE_MAX_WIDTH]; /* of which `slots` are used */
    uint32_t slots, shift;                 /* a power of two; 64 - log2 of it */
} number_set;

static void clear_set(number_set *set, int32_t width)
{
    for (set->slots = 2, set->shift = 63; set->slots < 2 * (uint32_t)width; set->slots *= 2) {
        set->shift--;
    }
    for (uint32_t slot = 0; slot < set->slots; slot++) {
        set->number[slot] = SATF_MACHINE_IDLE;
    }
}

/* True if number was not in the set yet. */
static bool machine_insert(number_set *set, int64_t number)
{
    uint32_t slot = (uint32_t)((uint64_t)number * 0x9e3779b97f4a7c15u >> set->shift);
    for (; set->number[slot] != SATF_MACHINE_IDLE; slot = (slot + 1) & (set->slots - 1)) {
        if (set->number[slot] == number) {
            return false;
        }
    }
    set->number[slot] = number;
    return true;
}

int64_t machine_stages(int32_t width, bool global, const int64_t *addresses, size_t threads)
{
    uint32_t in_bank[MACHINE_MAX_WIDTH], most = 0, groups = 0;
    number_set seen;
    clear_set(&seen, width);
    memset(in_bank, 0, (size_t)width * sizeof *in_bank);
    for (size_t t = 0; t < threads; t++) {
        int64_t address = addresses[t];
        if (address != SATF_MACHINE_IDLE &&
            machine_insert(&seen, global ? address / width : address)) {
            uint32_t count = ++in_bank[address % width];
            most = count > most ? count : most;
            groups++;
        }
    }
    return global ? groups : most;
}

/* ------------------------------------------------------- rounds and phases */

static satf_machine_tally *tally_of(satf_machine_traffic *traffic, bool write, bool casual)
{
    return write    ? casual ? &traffic->casual_writes : &traffic->free_writes
           : casual ? &traffic->casual_reads
                    : &traffic->free_reads;
}

static bool round_is_open(const round_traffic *round)
{
    return round->accesses[0] || round->accesses[1];
}

static void end_round_of(round_traffic *round, satf_machine_traffic *traffic)
{
    for (int write = 0; write < 2; write++) {
        if (round->accesses[write]) {
            tally_of(traffic, write, round->casual[write])->rounds++;
        }
    }
    memset(round, 0, sizeof *round);
}

static int64_t pipeline_time(int64_t stages, int64_t latency)
{
    return stages ? stages + latency - 1 : 0;
}

/* Adds the present phase to counts. */
static void add_phase(const satf_machine *m, satf_machine_counts *counts)
{
    int64_t global = pipeline_time(m->phase_global, m->params.global_latency), shared = 0;
    for (int32_t d = 0; d < m->params.shared_count; d++) {
        int64_t time = pipeline_time(m->phase_shared[d], m->params.shared_latency);
        shared = time > shared ? time : shared;
    }
    counts->global.time += global;
    counts->shared.time += shared;
    counts->time += global > shared ? global : shared;
}

static void end_phase(satf_machine *m)
{
    add_phase(m, &m->ended);
    m->phase_global = 0;
    memset(m->phase_shared, 0, (size_t)m->params.shared_count * sizeof *m->phase_shared);
}

void satf_machine_end_round(satf_machine *m)
{
    if (round_is_open(&m->round_shared) || round_is_open(&m->round_global)) {
        m->ended.rounds++;
        end_round_of(&m->round_shared, &m->ended.shared);
        end_round_of(&m->round_global, &m->ended.global);
        if (!m->params.asynchronous) {
            end_phase(m);
        }
    }
}

/* ------------------------------------------------------------------ programs */

satf_machine *satf_machine_create(const satf_machine_params *params)
{
    satf_machine *m = satf_alloc_zeroed(sizeof *m);
    if (m) {
        m->params = *params;
        m->phase_shared = satf_alloc_zeroed((size_t)params->shared_count * sizeof *m->phase_shared);
    }
    if (m && !m->phase_shared) {
        satf_machine_destroy(m);
        m = NULL;
    }
    return m;
}

void satf_machine_destroy(satf_machine *machine)
{
    if (machine) {
        satf_free(machine->phase_shared);
        satf_free(machine);
    }
}

int64_t satf_machine_access(satf_machine *machine, int32_t memory, bool write,
                            const int64_t *addresses, size_t threads)
{
    bool global = memory == SATF_MACHINE_GLOBAL;
    round_traffic *round = global ? &machine->round_global : &machine->round_shared;
    satf_machine_traffic *traffic = global ? &machine->ended.global : &machine->ended.shared;
    size_t w = (size_t)machine->params.width;
    int64_t sum = 0;
    for (size_t from = 0; from < threads; from += w) {
        size_t count = threads - from < w ? threads - from : w;
        int64_t accesses = 0;
        for (size_t t = from; t < from + count; t++) {
            accesses += addresses[t] != SATF_MACHINE_IDLE;
        }
        int64_t cost = machine_stages(machine->params.width, global, addresses + from, count);
        tally_of(traffic, write, cost > 1)->accesses += accesses;
        traffic->congestion = cost > traffic->congestion ? cost : traffic->congestion;
        round->accesses[write] += accesses;
        round->casual[write] |= cost > 1;
        sum += cost;
    }
    traffic->stages += sum;
    *(global ? &machine->phase_global : &machine->phase_shared[memory]) += sum;
    return sum;
}

void satf_machine_barrier(satf_machine *machine)
{
    satf_machine_end_round(machine);
    end_phase(machine);
    machine->ended.barriers++;
}

satf_machine_counts satf_machine_count(const satf_machine *machine)
{
    round_traffic shared = machine->round_shared, global = machine->round_global;
    satf_machine_counts counts = machine->ended;
    counts.rounds += round_is_open(&shared) || round_is_open(&global);
    end_round_of(&shared, &counts.shared);
    end_round_of(&global, &counts.global);
    add_phase(machine, &counts);
    return counts;
}
