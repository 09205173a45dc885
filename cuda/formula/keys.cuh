/* Raising the keys of a reduction (src/formula/reduction.h). */
#ifndef CUDA_FORMULA_KEYS_CUH
#define CUDA_FORMULA_KEYS_CUH

#include "../../src/formula/clear.h"

/* Raises *to to the greatest key of the warp's lanes. */
static __device__ inline void raise_key(uint64_t *to, unsigned long long key)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        unsigned long long other = __shfl_xor_sync(0xffffffff, key, lanes);
        key = other > key ? other : key;
    }
    if (threadIdx.x % 32 == 0 && key != 0) {
        atomicMax((unsigned long long *)to, key);
    }
}

/* The key of the value of the formula of that number, one of those that grow (FORMULA_GROWS). */
template <class Task>
static __device__ __noinline__ uint64_t find_key(int number, const Task *task,
                                                 const formula_sums *in)
{
    switch (number) {
#define FORMULA_ENTRY(name, reads)                                                                 \
    case FORMULA_##name:                                                                           \
        if constexpr (((reads)&FORMULA_GROWS) != 0) {                                              \
            return reduction_key(formula_number_of(FORMULA_APPLY(name, in, task->options.bytes))); \
        }                                                                                          \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
    return 0;
}

#endif
