/*
 * Blocks of threads on the host: a fiber a thread, which runs until it waits for others. One block
 * after the other, so kernels whose blocks wait for one another do not run here. With
 * EMULATED_SEED=n a block's threads take turns in other orders, so that a barrier that is missing
 * is seen, and blocks run last to first.
 */
#include "cuda_runtime.h"

#include <csetjmp>
#include <mutex>
#include <ucontext.h>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

enum {
    STACK_BYTES = 128 << 10,
    MOST_THREADS = 1024,
    MOST_MASKS = 8,
    GUARD_BYTES = 256,
    FILL = 0xa5
};

alignas(1024) char emulated_shared[EMULATED_SHARED + GUARD_BYTES];

/* Threads that wait for one another; those of a warp, by their mask, with a word each, which stays
 * until the next round but one. */
struct meeting {
    unsigned lanes, round;
    int waiting;
    uint64_t bits[2][EMULATED_LANES];
};

struct warp {
    unsigned alive;
    meeting of[MOST_MASKS];
};

struct fiber {
    char *stack;
    jmp_buf at;
    bool begun, ended;
    uint3 index;
};

static fiber fibers[MOST_THREADS];
static warp warps[MOST_THREADS / EMULATED_LANES];
static meeting block;
static int count, alive, current;
static uint64_t vain; /* turns of threads that still wait */
static jmp_buf scheduler;
static void (*kernel)(void *);
static void *kernel_arguments;

static void stop(const char *why)
{
    fprintf(stderr, "emulated device: %s\n", why);
    abort();
}

static void yield()
{
    if (setjmp(fibers[current].at) == 0) {
        longjmp(scheduler, 1);
    }
}

static void run_fiber()
{
    for (;;) {
        kernel(kernel_arguments);
        fibers[current].ended = true;
        yield();
    }
}

static void end_round(meeting &at)
{
    at.waiting = 0;
    at.round++;
}

static void meet(meeting &at, int needed)
{
    unsigned round = at.round;
    if (++at.waiting >= needed) {
        end_round(at);
        return;
    }
    for (yield(); at.round == round; yield()) {
        vain++;
    }
}

void __syncthreads()
{
    meet(block, alive);
}

static warp &own_warp()
{
    return warps[current / EMULATED_LANES];
}

static int lanes_of(const warp &of, unsigned lanes)
{
    return __builtin_popcount(lanes & of.alive);
}

static meeting &meeting_of(unsigned lanes)
{
    for (meeting &at : own_warp().of) {
        if (at.lanes == lanes || at.lanes == 0) {
            at.lanes = lanes;
            return at;
        }
    }
    stop("a warp has too many masks");
    return block;
}

void __syncwarp(unsigned lanes)
{
    meet(meeting_of(lanes), lanes_of(own_warp(), lanes));
}

const uint64_t *emulated_exchange(unsigned lanes, uint64_t bits)
{
    static uint64_t alone[EMULATED_LANES];
    if (lanes == 1u << emulated_lane()) {
        alone[emulated_lane()] = bits;
        return alone;
    }
    meeting &at = meeting_of(lanes);
    uint64_t *all = at.bits[at.round % 2];
    all[emulated_lane()] = bits;
    meet(at, lanes_of(own_warp(), lanes));
    return all;
}

int emulated_barrier_test(uint32_t at, int parity)
{
    yield();
    bool over = ((emulated_barrier *)emulated_at(at))->phase % 2 != (unsigned)parity;
    vain += !over;
    return over;
}

/* Who waits need not wait for a thread that has ended. */
static void leave(int thread)
{
    warp &of = warps[thread / EMULATED_LANES];
    of.alive &= ~(1u << thread % EMULATED_LANES);
    alive--;
    if (block.waiting > 0 && block.waiting >= alive) {
        end_round(block);
    }
    for (meeting &at : of.of) {
        if (at.waiting > 0 && at.waiting >= lanes_of(of, at.lanes)) {
            end_round(at);
        }
    }
}

static void begin(fiber &of)
{
    static ucontext_t context;
    of.begun = true;
    of.stack = (char *)malloc(STACK_BYTES);
    if (!of.stack || getcontext(&context)) {
        stop("no memory for a thread");
    }
    context.uc_stack.ss_sp = of.stack;
    context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&context, run_fiber, 0);
    setcontext(&context);
}

static void take_turn(int thread)
{
    current = thread;
    threadIdx = fibers[thread].index;
    if (setjmp(scheduler) == 0) {
        if (fibers[thread].begun) {
            longjmp(fibers[thread].at, 1);
        }
        begin(fibers[thread]);
    }
    if (fibers[current].ended) {
        leave(current);
    }
}

static const char *seed()
{
    static const char *given = getenv("EMULATED_SEED");
    return given;
}

static unsigned random_below(unsigned below)
{
    static uint64_t state = seed() ? strtoull(seed(), NULL, 10) : 0;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void prepare(const emulated_grid &grid)
{
    memset(emulated_shared, FILL, grid.bytes + GUARD_BYTES);
    memset(warps, 0, sizeof warps);
    memset(&block, 0, sizeof block);
    alive = count;
    for (int i = 0; i < count; i++) {
        unsigned n = (unsigned)i, x = grid.threads.x, y = grid.threads.y;
        fibers[i].ended = false;
        fibers[i].index = {n % x, n / x % y, n / x / y};
        warps[i / EMULATED_LANES].alive |= 1u << i % EMULATED_LANES;
    }
}

/* The steps are primes, so each order has all threads. */
static void run_block(const emulated_grid &grid)
{
    static const unsigned steps[] = {1, 1031, 1033, 1039};
    prepare(grid);
    while (alive > 0) {
        unsigned first = seed() ? random_below((unsigned)count) : 0,
                 step = seed() ? steps[random_below(4)] : 1;
        uint64_t before = vain;
        unsigned turns = 0;
        for (unsigned i = 0; i < (unsigned)count; i++) {
            int thread = (int)((first + i * step) % (unsigned)count);
            if (!fibers[thread].ended) {
                take_turn(thread);
                turns++;
            }
        }
        if (turns > 0 && vain - before == turns) {
            stop("all threads of a block wait");
        }
    }
    for (int i = 0; i < GUARD_BYTES; i++) {
        if (emulated_shared[grid.bytes + (size_t)i] != (char)FILL) {
            stop("a block writes behind its shared memory");
        }
    }
}

void emulated_run(const emulated_grid &grid, void (*run)(void *), void *arguments)
{
    static std::mutex lock;
    std::lock_guard<std::mutex> held(lock);
    uint64_t blocks = (uint64_t)grid.blocks.x * grid.blocks.y * grid.blocks.z;
    kernel = run;
    kernel_arguments = arguments;
    blockDim = grid.threads;
    gridDim = grid.blocks;
    count = (int)(grid.threads.x * grid.threads.y * grid.threads.z);
    if (count < 1 || count > MOST_THREADS || blocks < 1 || grid.bytes > EMULATED_SHARED) {
        stop("a launch that no device takes");
    }
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t n = seed() ? blocks - 1 - i : i, row = n / grid.blocks.x;
        blockIdx = {(unsigned)(n % grid.blocks.x), (unsigned)(row % grid.blocks.y),
                    (unsigned)(row / grid.blocks.y)};
        run_block(grid);
    }
}
