/*
 * A sum and how far it reaches, in one word that is read and written at once: whoever
 * sees the state sees the sum, with no order between accesses to keep.
 */
#ifndef CUDA_SAT_TILE_STATE_CUH
#define CUDA_SAT_TILE_STATE_CUH

#include "plane.cuh"

/*
 * States. Words start as zeros, so STATE_NONE is 0. After a run of look-back or SKSS every word
 * holds a prefix. To tell old prefixes from new ones, runs mark them with STATE_PREFIX and
 * STATE_PREFIX + 1 in turn (sat_lookback.prefix), and take any other mark for STATE_NONE. A ring
 * has its own states: ring_place.state.
 */
enum { STATE_NONE, STATE_BLOCK /* of one block */, STATE_PREFIX /* of all up to it */ };

__device__ __forceinline__ uint64_t read_state(const uint64_t *from)
{
    uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from));
    return word;
}

/* The policy that tells L2 to keep words, since others will ask for them; else the samples and sums
 * that pass through push them out before they are read. !hinted: no preference. */
__device__ __forceinline__ uint64_t state_policy(bool hinted)
{
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    uint64_t like_all;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(like_all));
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    policy = hinted ? policy : like_all;
#endif
    return policy;
}

__device__ __forceinline__ void write_state(uint64_t *to, uint64_t word, uint64_t policy)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("st.relaxed.gpu.global.L2::cache_hint.u64 [%0], %1, %2;" ::"l"(to), "l"(word),
                 "l"(policy));
#else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word));
#endif
}

/* 128 bits, with the atomicity that PTX gives to the type b128. */
__device__ __forceinline__ ulonglong2 read_state(const ulonglong2 *from)
{
    ulonglong2 word;
    asm volatile("{\n\t.reg .b128 w;\n\t"
                 "ld.relaxed.gpu.global.b128 w, [%2];\n\t"
                 "mov.b128 {%0, %1}, w;\n\t}"
                 : "=l"(word.x), "=l"(word.y)
                 : "l"(from));
    return word;
}

__device__ __forceinline__ void write_state(ulonglong2 *to, ulonglong2 word, uint64_t policy)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n\t.reg .b128 w;\n\t"
                 "mov.b128 w, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.L2::cache_hint.b128 [%0], w, %3;\n\t}" ::"l"(to),
                 "l"(word.x), "l"(word.y), "l"(policy));
#else
    asm volatile("{\n\t.reg .b128 w;\n\t"
                 "mov.b128 w, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], w;\n\t}" ::"l"(to),
                 "l"(word.x), "l"(word.y));
#endif
}

/* Sums of 64 bits: the state has the other half. */
template <typename S_> struct tile_state {
    typedef S_ S;
    typedef ulonglong2 word;
    static_assert(sizeof(S) == 8, "sums of 64 bits");
    static __device__ __forceinline__ word make(S value, unsigned state)
    {
        return make_ulonglong2(value, state);
    }
    static __device__ __forceinline__ S value(word w)
    {
        return w.x;
    }
    static __device__ __forceinline__ S add(S a, S b)
    {
        return a + b;
    }
    static __device__ __forceinline__ unsigned state(word w)
    {
        return (unsigned)w.y;
    }
    static __device__ __forceinline__ word read(const word *from)
    {
        return read_state(from);
    }
    static __device__ __forceinline__ void write(word *to, S value, unsigned state, uint64_t policy)
    {
        write_state(to, make(value, state), policy);
    }
};

template <> struct tile_state<uint32_t> {
    typedef uint32_t S;
    typedef uint64_t word;
    static __device__ __forceinline__ word make(S value, unsigned state)
    {
        return (uint64_t)state << 32 | value;
    }
    static __device__ __forceinline__ S value(word w)
    {
        return (uint32_t)w;
    }
    static __device__ __forceinline__ S add(S a, S b)
    {
        return a + b;
    }
    static __device__ __forceinline__ unsigned state(word w)
    {
        return (unsigned)(w >> 32);
    }
    static __device__ __forceinline__ word read(const word *from)
    {
        return read_state(from);
    }
    static __device__ __forceinline__ void write(word *to, S value, unsigned state, uint64_t policy)
    {
        write_state(to, make(value, state), policy);
    }
};

/* A double's last two bits are the state, which halves the size of a word. Look-back cuts every sum
 * to what a word holds, since it depends on the run which sums went through a word; integers below
 * 2^51 keep all their bits. */
template <> struct tile_state<double> {
    typedef double S;
    typedef uint64_t word;
    static __device__ __forceinline__ word make(S value, unsigned state)
    {
        return ((uint64_t)__double_as_longlong(value) & ~(uint64_t)3) | state;
    }
    static __device__ __forceinline__ S value(word w)
    {
        return __longlong_as_double((long long)(w & ~(uint64_t)3));
    }
    static __device__ __forceinline__ S add(S a, S b)
    {
        return value(make(a + b, 0));
    }
    static __device__ __forceinline__ unsigned state(word w)
    {
        return (unsigned)w & 3;
    }
    static __device__ __forceinline__ word read(const word *from)
    {
        return read_state(from);
    }
    static __device__ __forceinline__ void write(word *to, S value, unsigned state, uint64_t policy)
    {
        write_state(to, make(value, state), policy);
    }
};

#endif
