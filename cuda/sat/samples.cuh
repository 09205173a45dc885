/*
 * Blocks of samples of any type, as the summands that they are, for the kernels of one type of
 * sums: samples come as they are and are widened in registers. One buffer, which the copy engine
 * fills, or in kernels for one channel the warps (unaligned.cuh), if samples are smaller than the
 * sums and do not suit the engine. All others are loaded when they are wanted.
 */
#ifndef CUDA_SAT_SAMPLES_CUH
#define CUDA_SAT_SAMPLES_CUH

#include "unaligned.cuh"

/* Blocks of the shape C, of samples of another type. */
template <class C, typename T_> struct shape_of_samples : C {
    typedef T_ T;
    static constexpr bool NARROW = sizeof(T_) < sizeof(typename C::T);
};

/* Calls with(D()), where D is the shape C with the type of the image's samples. */
template <class C, typename With>
__device__ __forceinline__ void with_shape(const sat_plane &p, With with)
{
    with_samples<typename C::T>(
        p, [&](auto sample) { with(shape_of_samples<C, decltype(sample)>()); });
}

template <class C> struct sample_loader {
    /* Kernels for all summands and channels have no registers for it. */
    static constexpr bool SENDS = C::PLAIN;
    const loader_map &map;
    const sat_plane &p;
    loader_shared *loader;
    char *buffer;
    unsigned phase = 0;
    bool uses_engine, warps_send;

    __device__ __forceinline__ sample_loader(const loader_map &m, const sat_plane &plane,
                                             loader_shared *shared, char *memory)
        : map(m), p(plane), loader(shared), buffer(memory),
          uses_engine(has_copy_engine() && m.usable),
          warps_send(SENDS && !uses_engine && plane.channels == 1 &&
                     plane.in_bytes < (int)sizeof(typename C::T))
    {
    }

    /* Called by the thread LOADER, behind a barrier after the buffer was read. */
    __device__ __forceinline__ void announce(const tile_place &at) const
    {
        send_for<C>(loader, buffer, map, at, (unsigned)(C::ACROSS * C::HIGH * p.in_bytes));
    }

    /* Called by all threads, behind a barrier after announce(). */
    __device__ __forceinline__ void send() const
    {
        if (warps_send) {
            with_shape<C>(p, [&](auto shape) {
                typedef decltype(shape) D;
                if constexpr (SENDS && D::NARROW) {
                    static_assert(unaligned_bytes<D>() <= loader_bytes<C>(), "they fit");
                    send_for_unaligned<D>(buffer, p, loader->at);
                }
            });
        }
    }

    /* v = the block that was sent for, at. All threads, behind a barrier after the buffer was
     * read. */
    __device__ __forceinline__ void take(const tile_place &at, typename C::L (&v)[C::ROWS][C::VEC])
    {
        if (!uses_engine && !warps_send) {
            fill(at);
            __syncthreads();
            read_buffer<C, false>(buffer, v);
            return;
        }
        if (uses_engine) {
            await(loader, phase);
            phase ^= 1;
        }
        with_shape<C>(p, [&](auto shape) {
            typedef decltype(shape) D;
            const void *block = buffer;
            if constexpr (SENDS && D::NARROW) {
                if (warps_send) {
                    unaligned_arrive<D>(buffer, p, at, false);
                    block = unaligned_block<D>(buffer);
                }
            }
            read_buffer<D>(block, p, v);
        });
    }

    /* The buffer = the block's summands, of the type of C's samples. */
    __device__ __forceinline__ void fill(const tile_place &at) const
    {
        typedef typename C::T T;
        if (C::PLAIN) { /* of one channel: those that are narrow have been sent for */
            fill_tile<C, T, true>(p, at, (T *)buffer);
        } else if (p.summand == SATF_SUMMAND_PLAIN) {
            with_shape<C>(
                p, [&](auto shape) { fill_tile<decltype(shape), T, true>(p, at, (T *)buffer); });
        } else {
            with_shape<C>(
                p, [&](auto shape) { fill_tile<decltype(shape), T, false>(p, at, (T *)buffer); });
        }
    }
};

#endif
