/* Flags through which blocks wait for one another, and the pauses of the stress test. */
#ifndef CUDA_SAT_FLAGS_CUH
#define CUDA_SAT_FLAGS_CUH

#include <stdint.h>

#include "stress.h"

/* What the block wrote before (and a barrier) is seen by whoever sees the flag. */
__device__ __forceinline__ void raise_flag(unsigned *flag, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ __forceinline__ unsigned see_flag(const unsigned *flag)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

/* Part of a kernel where another block could overtake this one. */
__device__ __forceinline__ void stress_pause(int stress, int64_t block, int step)
{
    if (stress == SAT_STRESS_NONE || stress == SAT_STRESS_SINGLE) {
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
