/*
 * Blocks of samples on their way from global memory while the one before is worked
 * on: a shared buffer that the copy engine fills, zeros where the block leaves the image,
 * and a barrier that counts its bytes. The engine takes images whose rows are aligned to 16
 * bytes, with all channels or the only one; blocks of others are loaded when they are wanted, or
 * sent for by warps (unaligned.cuh).
 */
#ifndef CUDA_SAT_LOADER_CUH
#define CUDA_SAT_LOADER_CUH

#include <cuda.h>

#include "tile.cuh"

/* Dynamic shared memory of a kernel with a loader. */
template <class C> __host__ __device__ constexpr int loader_bytes()
{
    return C::ACROSS * C::HIGH * (int)sizeof(typename C::T);
}

/* The image as the copy engine knows it; a parameter of the kernel. */
struct loader_map {
    CUtensorMap image;
    bool usable;
};

/* Describes an image of that many channels for blocks of columns x rows samples. */
loader_map make_loader_map(const sat_plane &p, int in_bytes, int columns, int rows, int channels);

/* The block that was sent for last, in shared memory. */
struct loader_shared {
    uint64_t arrived; /* an mbarrier */
    tile_place at;
};

/* Whether the device has the copy engine, decided where the kernel is compiled. */
__device__ __forceinline__ constexpr bool has_copy_engine()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return true;
#else
    return false;
#endif
}

__device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ __forceinline__ void barrier_init(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.proxy.async.shared::cta;" ::"r"(shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

__device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned phase)
{
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(phase)
                     : "memory");
    }
}

/* The block of the image at (x, y), as much as the buffer holds. */
__device__ __forceinline__ void copy_block(void *to, const loader_map &map, int x, int y,
                                           uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(&map.image), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}
#endif

/* The thread that sends for blocks: not of the first warp, which has other things to do. */
enum { LOADER = 32 };

/* Called before the first send_for(); a barrier must follow. */
__device__ __forceinline__ void init_loader(loader_shared *loader)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (threadIdx.x == LOADER) {
        barrier_init(&loader->arrived);
    }
#endif
}

/* Sends for a block; the thread LOADER calls it, behind a barrier after the buffer was read.
 * buffer: loader_bytes(), aligned to 128; bytes: of the block. */
template <class C>
__device__ __forceinline__ void send_for(loader_shared *loader, void *buffer, const loader_map &map,
                                         const tile_place &at, unsigned bytes = loader_bytes<C>())
{
    loader->at = at;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (map.usable) {
        barrier_expect(&loader->arrived, bytes);
        copy_block(buffer, map, at.J * C::ACROSS, at.I * C::HIGH, &loader->arrived);
    }
#endif
}

/* Waits until the engine has filled the buffer; phase: 0 at first, then 1, 0 ... */
__device__ __forceinline__ void await(loader_shared *loader, unsigned phase)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    barrier_wait(&loader->arrived, phase);
#endif
}

/* v = the block's samples, or their squares, from the buffer. */
template <class C, bool SQUARE>
__device__ __forceinline__ void read_buffer(const void *buffer, typename C::L (&v)[C::ROWS][C::VEC])
{
    typedef vector_values<typename C::T, C::VEC> values;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const values *from = (const values *)buffer + warp * C::ROWS * 32 + lane;
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
        values raw = from[i * 32];
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            typename C::L a = (typename C::L)raw.value[k];
            v[i][k] = SQUARE ? a * a : a;
        }
    }
}

/* v = the block's summands, of one channel, from the buffer. */
template <class C>
__device__ __forceinline__ void read_buffer(const void *buffer, const sat_plane &p,
                                            typename C::L (&v)[C::ROWS][C::VEC])
{
    if (!C::PLAIN && p.summand == SATF_SUMMAND_SQUARE) {
        read_buffer<C, true>(buffer, v);
    } else {
        read_buffer<C, false>(buffer, v);
    }
}

/* v = the block that was sent for, at, when it is in the buffer; *phase: 0 at first. All threads,
 * behind a barrier after the buffer was read. */
template <class C>
__device__ __forceinline__ void take(loader_shared *loader, void *buffer, unsigned *phase,
                                     const loader_map &map, const sat_plane &p,
                                     const tile_place &at, typename C::L (&v)[C::ROWS][C::VEC])
{
    if (!C::PLAIN && (!has_copy_engine() || !map.usable)) {
        load_tile<C>(p, at, v);
        return;
    }
    if (has_copy_engine() && map.usable) {
        await(loader, *phase);
        *phase ^= 1;
    } else {
        fill_tile<C, typename C::T, true>(p, at, (typename C::T *)buffer);
        __syncthreads();
    }
    read_buffer<C>(buffer, p, v);
}

#endif
