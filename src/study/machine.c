/* The simulator of the memory machines: dissertation, chapter 3. */
#include "machine.h"

#include <inttypes.h>
#include <string.h>

#include "../base/context.h"
#include "../base/memory.h"

enum { MAX_SHARED = 65536 };

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

const satf_machine_params *machine_params(const satf_machine *machine)
{
    return &machine->params;
}

/* ------------------------------------------------------- rounds and phases */

static satf_machine_tally *tally_of(satf_machine_traffic *traffic, int write, bool casual)
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

static void end_round(satf_machine *m)
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

/* -------------------------------------------------------------- public calls */

static satf_status check_machine(satf_context *ctx, const satf_machine *machine)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    return machine ? SATF_OK : satf_fail(ctx, SATF_INVALID, "the machine is missing");
}

static satf_status check_params(satf_context *ctx, const satf_machine_params *p)
{
    if (!p) {
        return satf_fail(ctx, SATF_INVALID, "the machine's parameters are missing");
    }
    if (p->width < 1 || p->width > MACHINE_MAX_WIDTH) {
        return satf_fail(ctx, SATF_INVALID, "a machine's width must be 1 ... %d, not %" PRId32,
                         MACHINE_MAX_WIDTH, p->width);
    }
    if (p->shared_count < 1 || p->shared_count > MAX_SHARED) {
        return satf_fail(ctx, SATF_INVALID,
                         "a machine must have 1 ... %d shared memories, not %" PRId32, MAX_SHARED,
                         p->shared_count);
    }
    if (p->shared_latency < 1 || p->global_latency < 1) {
        return satf_fail(ctx, SATF_INVALID, "a memory's latency must be at least 1 time unit");
    }
    return SATF_OK;
}

satf_status satf_machine_create(satf_context *ctx, const satf_machine_params *params,
                                satf_machine **out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!out) {
        return satf_fail(ctx, SATF_INVALID, "the place for the machine is missing");
    }
    *out = NULL;
    satf_status status = check_params(ctx, params);
    if (status) {
        return status;
    }
    satf_machine *m = satf_alloc_zeroed(sizeof *m);
    if (m) {
        m->params = *params;
        m->phase_shared = satf_alloc_zeroed((size_t)params->shared_count * sizeof *m->phase_shared);
    }
    if (!m || !m->phase_shared) {
        satf_machine_destroy(m);
        return satf_fail(ctx, SATF_NO_MEMORY, "out of memory for a machine of %" PRId32 " memories",
                         params->shared_count);
    }
    *out = m;
    return SATF_OK;
}

void satf_machine_destroy(satf_machine *machine)
{
    if (machine) {
        satf_free(machine->phase_shared);
        satf_free(machine);
    }
}

static satf_status check_access(satf_context *ctx, const satf_machine *m, int32_t memory,
                                const int64_t *addresses, size_t threads)
{
    if (memory != SATF_MACHINE_GLOBAL && (memory < 0 || memory >= m->params.shared_count)) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no shared memory %" PRId32 "; the machine has %" PRId32, memory,
                         m->params.shared_count);
    }
    if (!addresses && threads) {
        return satf_fail(ctx, SATF_INVALID, "the addresses are missing");
    }
    for (size_t t = 0; t < threads; t++) {
        if (addresses[t] < 0 && addresses[t] != SATF_MACHINE_IDLE) {
            return satf_fail(ctx, SATF_INVALID, "thread %zu has the negative address %" PRId64, t,
                             addresses[t]);
        }
    }
    return SATF_OK;
}

satf_status satf_machine_access(satf_context *ctx, satf_machine *machine, int32_t memory, int write,
                                const int64_t *addresses, size_t threads, int64_t *stages)
{
    satf_status status = check_machine(ctx, machine);
    if (!status) {
        status = check_access(ctx, machine, memory, addresses, threads);
    }
    if (status) {
        return status;
    }
    bool global = memory == SATF_MACHINE_GLOBAL;
    round_traffic *round = global ? &machine->round_global : &machine->round_shared;
    satf_machine_traffic *traffic = global ? &machine->ended.global : &machine->ended.shared;
    size_t w = (size_t)machine->params.width;
    int64_t sum = 0;
    write = write != 0;
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
    if (stages) {
        *stages = sum;
    }
    return SATF_OK;
}

satf_status satf_machine_end_round(satf_context *ctx, satf_machine *machine)
{
    satf_status status = check_machine(ctx, machine);
    if (!status) {
        end_round(machine);
    }
    return status;
}

satf_status satf_machine_barrier(satf_context *ctx, satf_machine *machine)
{
    satf_status status = check_machine(ctx, machine);
    if (!status) {
        end_round(machine);
        end_phase(machine);
        machine->ended.barriers++;
    }
    return status;
}

satf_status satf_machine_count(satf_context *ctx, const satf_machine *machine,
                               satf_machine_counts *counts)
{
    satf_status status = check_machine(ctx, machine);
    if (!status && !counts) {
        status = satf_fail(ctx, SATF_INVALID, "the place for the counts is missing");
    }
    if (!status) {
        round_traffic shared = machine->round_shared, global = machine->round_global;
        *counts = machine->ended;
        counts->rounds += round_is_open(&shared) || round_is_open(&global);
        end_round_of(&shared, &counts->shared);
        end_round_of(&global, &counts->global);
        add_phase(machine, counts);
    }
    return status;
}

satf_status satf_machine_reset(satf_context *ctx, satf_machine *machine)
{
    satf_status status = check_machine(ctx, machine);
    if (!status) {
        end_round(machine);
        end_phase(machine);
        memset(&machine->ended, 0, sizeof machine->ended);
    }
    return status;
}
