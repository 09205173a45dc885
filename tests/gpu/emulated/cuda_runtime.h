/*
 * CUDA on the host, for tests/gpu/emulated: what the kernels of cuda/ and their launches ask for,
 * of the language and of the runtime. A thread of a block is a fiber (fibers.cpp); memory of the
 * device is the host's (runtime.cpp); what is enqueued on a stream is done at once.
 */
#ifndef EMULATED_CUDA_RUNTIME_H
#define EMULATED_CUDA_RUNTIME_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#define __CUDACC__ 13
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 13000

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __shared__ static
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __noinline__ __attribute__((noinline))

using std::fabs;
using std::floor;
using std::fma;
using std::rint;
using std::sqrt;

/* --------------------------------------------------------------------------- vectors */

struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) double2 {
    double x, y;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};

static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

/* ----------------------------------------------------------------- threads and launches */

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

/* A launch's shared memory of no fixed size; a shared address is an offset from it. */
extern char emulated_shared[];

static inline uint32_t __cvta_generic_to_shared(const void *at)
{
    return (uint32_t)((const char *)at - emulated_shared);
}

static inline char *emulated_at(uint32_t address)
{
    return emulated_shared + (int32_t)address;
}

/* All threads of the block, or the lanes of a warp that are in the mask. */
void __syncthreads();
void __syncwarp(unsigned lanes = ~0u);

/* Every lane's bits, by lane, of those in the mask, until the lane's next exchange. */
const uint64_t *emulated_exchange(unsigned lanes, uint64_t bits);

enum { EMULATED_LANES = 32 };

static inline int emulated_lane()
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) %
                 EMULATED_LANES);
}

template <class T> static inline T emulated_from(unsigned lanes, T value, int lane)
{
    uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits, "a value of a lane");
    memcpy(&bits, &value, sizeof value);
    memcpy(&value, &emulated_exchange(lanes, bits)[lane], sizeof value);
    return value;
}

template <class T> static inline T __shfl_sync(unsigned lanes, T value, int lane)
{
    return emulated_from(lanes, value, lane & (EMULATED_LANES - 1));
}

template <class T> static inline T __shfl_xor_sync(unsigned lanes, T value, int with)
{
    return emulated_from(lanes, value, emulated_lane() ^ with);
}

template <class T> static inline T __shfl_up_sync(unsigned lanes, T value, unsigned up)
{
    int from = emulated_lane() - (int)up;
    return emulated_from(lanes, value, from < 0 ? emulated_lane() : from);
}

static inline bool emulated_counts(unsigned lanes, int lane)
{
    return lanes >> lane & 1;
}

static inline bool __any_sync(unsigned lanes, bool holds)
{
    const uint64_t *all = emulated_exchange(lanes, holds);
    bool any = false;
    for (int lane = 0; lane < EMULATED_LANES; lane++) {
        any |= emulated_counts(lanes, lane) && all[lane];
    }
    return any;
}

static inline bool __all_sync(unsigned lanes, bool holds)
{
    return !__any_sync(lanes, !holds);
}

static inline unsigned __reduce_add_sync(unsigned lanes, unsigned value)
{
    const uint64_t *all = emulated_exchange(lanes, value);
    uint64_t sum = 0;
    for (int lane = 0; lane < EMULATED_LANES; lane++) {
        sum += emulated_counts(lanes, lane) ? all[lane] : 0;
    }
    return (unsigned)sum;
}

template <class T> static inline unsigned __match_all_sync(unsigned lanes, T value, int *alike)
{
    const uint64_t *all = emulated_exchange(lanes, (uint64_t)value);
    *alike = 1;
    for (int lane = 0; lane < EMULATED_LANES; lane++) {
        *alike &= !emulated_counts(lanes, lane) || all[lane] == (uint64_t)value;
    }
    return *alike ? lanes : 0;
}

/* Those that run beside one another: a fiber runs alone. */
static inline unsigned __activemask()
{
    return 1u << emulated_lane();
}

typedef struct emulated_stream *cudaStream_t;

struct emulated_grid {
    dim3 blocks, threads;
    size_t bytes; /* of shared memory */
    emulated_grid(dim3 blocks, dim3 threads, size_t bytes = 0, cudaStream_t = nullptr)
        : blocks(blocks), threads(threads), bytes(bytes)
    {
    }
};

void emulated_run(const emulated_grid &grid, void (*thread)(void *), void *arguments);

/* kernel<<<...>>>(...), as translate.py writes it: `thread` calls the kernel. */
template <class F> static inline void emulated_launch(const emulated_grid &grid, F thread)
{
    emulated_run(
        grid, [](void *of) { (*(F *)of)(); }, &thread);
}

/* ------------------------------------------------------------------------ instructions */

template <class T> static inline T __ldg(const T *from)
{
    return *from;
}

template <class T> static inline T __ldcs(const T *from)
{
    return *from;
}

template <class T> static inline void __stcs(T *to, T value)
{
    *to = value;
}

template <class A, class B> static inline typename std::common_type<A, B>::type min(A a, B b)
{
    typedef typename std::common_type<A, B>::type T;
    return (T)b < (T)a ? (T)b : (T)a;
}

template <class A, class B> static inline typename std::common_type<A, B>::type max(A a, B b)
{
    typedef typename std::common_type<A, B>::type T;
    return (T)a < (T)b ? (T)b : (T)a;
}

static inline double __dadd_rn(double a, double b)
{
    return a + b;
}

static inline double __dsub_rn(double a, double b)
{
    return a - b;
}

static inline double __dmul_rn(double a, double b)
{
    return a * b;
}

static inline double __drcp_rn(double a)
{
    return 1 / a;
}

static inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

static inline float __fadd_rn(float a, float b)
{
    return a + b;
}

static inline float __fsub_rn(float a, float b)
{
    return a - b;
}

static inline float __fmul_rn(float a, float b)
{
    return a * b;
}

static inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}

/* Rounded down: the nearest sum, or the one below. */
static inline float __fadd_rd(float a, float b)
{
    float sum = a + b;
    return (double)sum > (double)a + (double)b ? nextafterf(sum, -INFINITY) : sum;
}

static inline float __uint2float_rn(unsigned a)
{
    return (float)a;
}

template <class To, class From> static inline To emulated_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

static inline float __uint_as_float(unsigned bits)
{
    return emulated_bits<float>(bits);
}

static inline float __int_as_float(int bits)
{
    return emulated_bits<float>(bits);
}

static inline unsigned __float_as_uint(float number)
{
    return emulated_bits<unsigned>(number);
}

static inline double __longlong_as_double(long long bits)
{
    return emulated_bits<double>(bits);
}

static inline long long __double_as_longlong(double number)
{
    return emulated_bits<long long>(number);
}

static inline double __hiloint2double(int high, int low)
{
    return emulated_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low);
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

static inline int __ffs(int a)
{
    return __builtin_ffs(a);
}

static inline int __clzll(long long a)
{
    return a ? __builtin_clzll((unsigned long long)a) : 64;
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned order)
{
    uint64_t both = (uint64_t)b << 32 | a;
    unsigned made = 0;
    for (int i = 0; i < 4; i++) {
        unsigned at = order >> 4 * i & 15, byte = (unsigned)(both >> 8 * (at & 7)) & 255;
        made |= (at & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return made;
}

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; i++) {
        c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    }
    return c;
}

static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}

template <class T, class A> static inline T atomicAdd(T *at, A more)
{
    T before = *at;
    *at = (T)(before + more);
    return before;
}

template <class T, class A> static inline T atomicMax(T *at, A other)
{
    T before = *at;
    *at = before < (T)other ? (T)other : before;
    return before;
}

/* What a device's approximate instructions say, which may be off by this: the other way each time.
 */
static inline float emulated_off(float number, int ulps)
{
    static int turn;
    turn = (turn + 1) % 3;
    return turn == 0
               ? number
               : emulated_bits<float>(emulated_bits<int>(number) + (turn == 1 ? ulps : -ulps));
}

static inline float emulated_root(float number)
{
    return number > 0 ? emulated_off(sqrtf(number), 1) : 0;
}

static inline float emulated_inverse(float number)
{
    return emulated_off(1 / number, 1);
}

/* Words of shared memory. */
static inline void emulated_load(uint32_t from, int words, unsigned *const *to)
{
    for (int i = 0; i < words; i++) {
        memcpy(to[i], emulated_at(from) + 4 * i, 4);
    }
}

static inline void emulated_store(uint32_t to, const void *from, size_t bytes)
{
    memcpy(emulated_at(to), from, bytes);
}

/* Barriers in shared memory: of arrivals that are left, those of a phase, and the phase. */
struct emulated_barrier {
    uint16_t left, all;
    uint32_t phase;
};

static inline void emulated_barrier_make(uint32_t at, unsigned arrivals)
{
    emulated_barrier made = {(uint16_t)arrivals, (uint16_t)arrivals, 0};
    emulated_store(at, &made, sizeof made);
}

static inline void emulated_barrier_arrive(uint32_t at)
{
    emulated_barrier *barrier = (emulated_barrier *)emulated_at(at);
    if (--barrier->left == 0) {
        barrier->left = barrier->all;
        barrier->phase++;
    }
}

/* Whether the phase of that parity is over; others have had a turn. */
int emulated_barrier_test(uint32_t at, int parity);

#include "runtime.h"

#endif
