/* Counts through which blocks wait for one another, and the pauses of the stress test. */
#ifndef CUDA_SAT_COUNTS_CUH
#define CUDA_SAT_COUNTS_CUH

#include <cooperative_groups.h>
#include <stdint.h>

#include "resident.cuh"
#include "stress.h"

/*
 * A count of what the CUDA blocks of a kernel have done, in place of a barrier: whoever has
 * nothing to do in a stage neither counts nor waits. All of them are resident (a cooperative
 * launch). All threads call this before they wait or count, and what any of them wrote before it
 * all see behind it; the memory may hold anything.
 */
__device__ __forceinline__ void start_count(unsigned *count)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *count = 0;
    }
    cooperative_groups::this_grid().sync();
}

/* Adds one. ORDERED: whoever has waited for it sees what the block wrote before (and a barrier).
 * Else nothing is ordered, for words that tell themselves whether they are there (tile_state.cuh):
 * so nobody waits for tables that are still on their way to memory. */
template <bool ORDERED> __device__ __forceinline__ void add_to_count(unsigned *count)
{
    if (ORDERED) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    } else {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    }
}

/* Waits until the count has come to `enough`, both modulo 2^32 and less than 2^31 apart. Called by
 * one thread; behind the barrier that must follow all of its block see what is ordered before. */
template <bool ORDERED>
__device__ __forceinline__ void wait_for_count(const unsigned *count, unsigned enough)
{
    unsigned value;
    do {
        if (ORDERED) {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(count)
                         : "memory");
        } else {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(count)
                         : "memory");
        }
    } while ((int)(value - enough) < 0);
}

/* await_stream() of a kernel that can be told to let the next one start. */
__device__ __forceinline__ void await_stream(int stress)
{
    await_stream();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (stress == SAT_STRESS_EARLY) {
        cudaTriggerProgrammaticLaunchCompletion();
        for (int us = 0; us < 100; us++) {
            __nanosleep(1000);
        }
    }
#endif
}

/* Pauses in a part of a kernel where another block could overtake this one. */
__device__ __forceinline__ void stress_pause(int stress, int64_t block, int step)
{
    if (stress == SAT_STRESS_NONE || stress == SAT_STRESS_SINGLE || stress == SAT_STRESS_EARLY) {
        return;
    }
    uint64_t h = ((uint64_t)block * 16 + (uint64_t)step + 1) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    unsigned ns = stress == SAT_STRESS_RANDOM ? (unsigned)(h % 20000)
                  : stress == SAT_STRESS_HALF ? (unsigned)(block % 2) * 20000
                                              : (unsigned)(63 - block % 64) * 500;
    for (unsigned slept = 0; slept < ns; slept += 1000) {
        __nanosleep(1000);
    }
}

#endif
