/*
 * Sums of blocks, the blocks' tables, and the staged form of the latter: what 2R1W
 * (section 6.3), 1R1W (6.4) and (1+r)R1W (6.5) are made of.
 *
 * The paper keeps the sums of columns and of rows, adds them to a block's first row and
 * column and then scans it. Here they are kept as prefix sums over the block, which
 * the prefix sums of step 2 leave such; so a block is scanned on its own, before
 * its neighbours' sums are looked at, and each element gets two additions.
 */
#ifndef CUDA_SAT_BLOCKS_CUH
#define CUDA_SAT_BLOCKS_CUH

#include "resident.cuh"
#include "tile.cuh"

template <typename S> struct aux_pointers {
    S *col, *row, *corner; /* of the block's channel: [I], [J], [I][J] */
};

template <typename S>
__device__ __forceinline__ aux_pointers<S> aux_of(const sat_aux &aux, int channel)
{
    aux_pointers<S> of;
    of.col = (S *)aux.col + channel * aux.col_plane;
    of.row = (S *)aux.row + channel * aux.row_plane;
    of.corner = (S *)aux.corner + channel * aux.corner_plane;
    return of;
}

/* Reads what another block may have written in this kernel: from L2, never from L1. */
template <typename S> __device__ __forceinline__ S read_fresh(const S *from)
{
    return __ldcg(from);
}

template <> __device__ __forceinline__ u128 read_fresh<u128>(const u128 *from)
{
    ulonglong2 v = __ldcg(reinterpret_cast<const ulonglong2 *>(from));
    return (u128)v.y << 64 | v.x;
}

/* The sums above, left and before the block from its neighbours' inclusive ones. */
template <class C>
__device__ __forceinline__ void read_carries(const sat_aux &aux, const tile_place &at, int t,
                                             typename C::S *above, typename C::S *left,
                                             typename C::S *corner)
{
    typedef typename C::S S;
    *above = *left = *corner = 0;
    if (!aux.col) {
        return;
    }
    aux_pointers<S> in = aux_of<S>(aux, at.channel);
    if (at.I > 0) {
        *above = read_fresh(in.col + (at.I - 1) * aux.col_pitch + at.x + t);
    }
    if (at.J > 0) {
        *left = read_fresh(in.row + (at.J - 1) * aux.row_pitch + at.y + t);
    }
    if (at.I > 0 && at.J > 0) {
        *corner = read_fresh(in.corner + (at.I - 1) * aux.corner_pitch + at.J - 1);
    }
}

/* The block's inclusive sums for its neighbours. */
template <class C>
__device__ __forceinline__ void write_carries(const sat_aux &aux, const tile_place &at, int t,
                                              typename C::S column, typename C::S row,
                                              typename C::S above, typename C::S left,
                                              typename C::S corner)
{
    typedef typename C::S S;
    aux_pointers<S> out = aux_of<S>(aux, at.channel);
    out.col[at.I * aux.col_pitch + at.x + t] = above + column;
    out.row[at.J * aux.row_pitch + at.y + t] = left + row;
    if (t == C::TILE - 1) { /* its column sum is the whole block's */
        out.corner[at.I * aux.corner_pitch + at.J] = corner + above + (left + row);
    }
}

/* Step 1 of 2R1W. */
template <class C>
__global__ __launch_bounds__(C::THREADS) void sums_kernel(sat_plane p, sat_grid g, sat_aux aux,
                                                          int64_t first)
{
    typedef typename C::S S;
    __shared__ tile_shared<C> s;
    typename C::L v[C::ROWS][C::VEC];
    tile_place at = place_tile<C>(g, first + blockIdx.x);
    load_tile<C>(p, at, v);
    scan_tile<C>(v, s);
    __syncthreads();
    int t = (int)threadIdx.x;
    if (t < C::TILE) {
        S column, row;
        block_sums<C>(s, t, &column, &row);
        aux_pointers<S> out = aux_of<S>(aux, at.channel);
        out.col[at.I * aux.col_pitch + at.x + t] = column;
        out.row[at.J * aux.row_pitch + at.y + t] = row;
        if (t == C::TILE - 1) {
            out.corner[at.I * aux.corner_pitch + at.J] = column;
        }
    }
}

/* Step 3 of 2R1W; with HAND_ON a stage of 1R1W. */
template <class C, bool HAND_ON>
__global__ __launch_bounds__(C::THREADS) void blocks_kernel(sat_plane p, sat_grid g, sat_aux aux,
                                                            int64_t first)
{
    typedef typename C::S S;
    __shared__ tile_shared<C> s;
    typename C::L v[C::ROWS][C::VEC];
    tile_place at = place_tile<C>(g, first + blockIdx.x);
    int t = (int)threadIdx.x;
    S above = 0, left = 0, corner = 0;
    if (t < C::TILE) {
        read_carries<C>(aux, at, t, &above, &left, &corner);
    }
    load_tile<C>(p, at, v);
    scan_tile<C>(v, s);
    __syncthreads();
    if (t < C::TILE) {
        share_carries<C>(s, t, above, left, corner);
        if (HAND_ON) {
            S column, row;
            block_sums<C>(s, t, &column, &row);
            write_carries<C>(aux, at, t, column, row, above, left, corner);
        }
    }
    __syncthreads();
    store_tile<C>(p, at, v, s);
}

/* A barrier of the whole grid in two halves. What the block wrote before it
 * arrives is seen by every block that waits; begin counts from 1. */
__device__ __forceinline__ void grid_arrive(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
    }
}

__device__ __forceinline__ void grid_wait(const unsigned *arrived, unsigned barrier)
{
    if (threadIdx.x == 0) {
        unsigned wanted = barrier * gridDim.x, now; /* modulo 2^32: the distance counts */
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        } while ((int)(now - wanted) < 0);
    }
    __syncthreads();
}

/*
 * Stages of 1R1W in one kernel. Between two barriers lie only the reading of the
 * neighbours' sums and the writing of the block's own: its samples are loaded and
 * scanned before the first, and its table is stored behind the second.
 */
template <class C>
__global__ __launch_bounds__(C::THREADS) void stages_kernel(sat_plane p, sat_grid g, sat_aux aux,
                                                            int64_t begin, int64_t end,
                                                            unsigned *arrived)
{
    typedef typename C::S S;
    __shared__ tile_shared<C> s;
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    for (int64_t d = begin; d < end; d++) {
        int64_t first = diagonals_before(g, d) * g.channels;
        int64_t count = diagonal_count(g, d) * g.channels;
        int64_t last = count - 1 - (count - 1 - (int64_t)blockIdx.x) % gridDim.x;
        bool any = (int64_t)blockIdx.x < count;
        for (int64_t k = blockIdx.x; k < count || k == blockIdx.x; k += gridDim.x) {
            tile_place at;
            if (any) {
                at = place_tile<C>(g, first + k);
                load_tile<C>(p, at, v);
                scan_tile<C>(v, s);
            }
            if (k == blockIdx.x && d > begin) {
                grid_wait(arrived, (unsigned)(d - begin));
            } else {
                __syncthreads();
            }
            if (any && t < C::TILE) {
                S above, left, corner, column, row;
                read_carries<C>(aux, at, t, &above, &left, &corner);
                share_carries<C>(s, t, above, left, corner);
                block_sums<C>(s, t, &column, &row);
                write_carries<C>(aux, at, t, column, row, above, left, corner);
            }
            if (!any || k == last) {
                grid_arrive(arrived);
            } else {
                __syncthreads();
            }
            if (any) {
                store_tile<C>(p, at, v, s);
                __syncthreads(); /* s is used again */
            }
        }
    }
}

/* Prefix sums of what the blocks of the anti-diagonals begin ... end - 1 hand on:
 * a thread goes down one column of col, or along one row of row. */
template <typename S>
__global__ void prefix_kernel(sat_grid g, sat_aux aux, int tile, int64_t begin, int64_t end)
{
    int64_t columns = g.tiles_x * tile, rows = g.tiles_y * tile;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    bool down = i < columns;
    if (!down) {
        i -= columns;
    }
    if (!down && i >= rows) {
        return;
    }
    aux_pointers<S> of = aux_of<S>(aux, (int)blockIdx.y);
    S *at = down ? of.col + i : of.row + i;
    int64_t pitch = down ? aux.col_pitch : aux.row_pitch;
    int64_t other = i / tile, most = down ? g.tiles_y : g.tiles_x;
    int64_t from = begin > other ? begin - other : 0;
    int64_t to = end - other < most ? end - other : most;
    S sum = from > 0 && from < to ? at[(from - 1) * pitch] : (S)0;
#pragma unroll 8
    for (int64_t k = from; k < to; k++) {
        sum += at[k * pitch];
        at[k * pitch] = sum;
    }
}

/* corner of the same blocks: a thread goes down one block column, adding the sums
 * of the blocks to the left, the last of each block's rows. */
template <typename S>
__global__ void corners_kernel(sat_grid g, sat_aux aux, int tile, int64_t begin, int64_t end)
{
    int64_t J = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (J >= g.tiles_x) {
        return;
    }
    aux_pointers<S> of = aux_of<S>(aux, (int)blockIdx.y);
    int64_t from = begin > J ? begin - J : 0;
    int64_t to = end - J < g.tiles_y ? end - J : g.tiles_y;
    S sum = from > 0 && from < to ? of.corner[(from - 1) * aux.corner_pitch + J] : (S)0;
#pragma unroll 8
    for (int64_t I = from; I < to; I++) {
        sum += of.row[J * aux.row_pitch + (I + 1) * tile - 1];
        of.corner[I * aux.corner_pitch + J] = sum;
    }
}

template <class C> struct blocks_launch {
    static cudaError_t sums(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                            int64_t first, int64_t count, cudaStream_t stream)
    {
        sums_kernel<C><<<(unsigned)count, C::THREADS, 0, stream>>>(p, g, aux, first);
        return cudaGetLastError();
    }

    static cudaError_t blocks(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                              int64_t first, int64_t count, bool hand_on, cudaStream_t stream)
    {
        if (hand_on) {
            blocks_kernel<C, true><<<(unsigned)count, C::THREADS, 0, stream>>>(p, g, aux, first);
        } else {
            blocks_kernel<C, false><<<(unsigned)count, C::THREADS, 0, stream>>>(p, g, aux, first);
        }
        return cudaGetLastError();
    }

    static cudaError_t stages(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                              int64_t begin, int64_t end, unsigned *arrived, cudaStream_t stream)
    {
        int64_t most = 0;
        for (int64_t d = begin; d < end; d++) {
            int64_t count = diagonal_count(g, d) * g.channels;
            most = count > most ? count : most;
        }
        return launch_resident(stages_kernel<C>, C::THREADS, most, stream, p, g, aux, begin, end,
                               arrived);
    }
};

template <typename S>
cudaError_t launch_prefix(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                          int64_t end, cudaStream_t stream)
{
    int64_t threads = (g.tiles_x + g.tiles_y) * tile;
    dim3 blocks((unsigned)((threads + 127) / 128), (unsigned)g.channels);
    prefix_kernel<S><<<blocks, 128, 0, stream>>>(g, aux, tile, begin, end);
    return cudaGetLastError();
}

template <typename S>
cudaError_t launch_corners(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                           int64_t end, cudaStream_t stream)
{
    dim3 blocks((unsigned)((g.tiles_x + 31) / 32), (unsigned)g.channels);
    corners_kernel<S><<<blocks, 32, 0, stream>>>(g, aux, tile, begin, end);
    return cudaGetLastError();
}

#endif
