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

#include "counts.cuh"
#include "resident.cuh"
#include "samples.cuh"
#include "tile_state.cuh"
#include "tile_sums.cuh"

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

/* The sums of what lies above a column of the block, left of a row of it, and before both. */
template <typename S> struct carries {
    S above, left, corner;
};

/* The sum above and left of a block that has neighbours above and to the left. */
template <typename S>
__device__ __forceinline__ S read_corner(const sat_aux &aux, const tile_place &at)
{
    aux_pointers<S> in = aux_of<S>(aux, at.channel);
    return read_fresh(in.corner + (at.I - 1) * aux.corner_pitch + at.J - 1);
}

/* The carries of column and row t, from the neighbours' inclusive sums. */
template <class C>
__device__ __forceinline__ carries<typename C::S> read_carries(const sat_aux &aux,
                                                               const tile_place &at, int t)
{
    typedef typename C::S S;
    carries<S> carry = {0, 0, 0};
    if (!aux.col) {
        return carry;
    }
    aux_pointers<S> in = aux_of<S>(aux, at.channel);
    if (at.I > 0) {
        carry.above = read_fresh(in.col + (at.I - 1) * aux.col_pitch + tile_x<C>(at) + t);
    }
    if (at.J > 0) {
        carry.left = read_fresh(in.row + (at.J - 1) * aux.row_pitch + tile_y<C>(at) + t);
    }
    if (at.I > 0 && at.J > 0) {
        carry.corner = read_corner<S>(aux, at);
    }
    return carry;
}

/* Writes the block's sums. column, row: the sums of its columns and rows up to t, to which the
 * carries are added: zeros for the sums of the block alone. */
template <class C>
__device__ __forceinline__ void write_sums(const sat_aux &aux, const tile_place &at, int t,
                                           typename C::S column, typename C::S row,
                                           const carries<typename C::S> &carry)
{
    aux_pointers<typename C::S> out = aux_of<typename C::S>(aux, at.channel);
    out.col[at.I * aux.col_pitch + tile_x<C>(at) + t] = carry.above + column;
    out.row[at.J * aux.row_pitch + tile_y<C>(at) + t] = carry.left + row;
    if (t == C::TILE - 1) { /* its row sum is the whole block's */
        out.corner[at.I * aux.corner_pitch + at.J] =
            carry.corner + carry.above + (carry.left + row);
    }
}

/* Hands the carries to all threads, behind the caller's next barrier. */
template <class C>
__device__ __forceinline__ void share_all_carries(tile_shared<C> &s, int t,
                                                  const carries<typename C::S> &carry)
{
    share_carries<C>(s, t, carry.above, carry.left);
    if (t == 0) {
        s.corner = carry.corner;
    }
}

#define LOADER_SHARED(C)                                   \
    extern __shared__ __align__(128) char loader_buffer[]; \
    __shared__ loader_shared loader;                       \
    __shared__ tile_shared<C> s;                           \
    init_loader(&loader)

/*
 * The frame of the kernels whose blocks have fixed numbers, 0 ... count - 1, of 31 bits. A CUDA
 * block takes every gridDim.x-th; while it works on one, the next is on its way. place(k) says
 * where block k is, ahead(k, at) is called before its samples are waited for,
 * scan(v, s) when they are there, finish(at, v, s, loader_buffer) behind that and a barrier.
 */
template <class C, class Place, class Ahead, class Scan, class Finish>
__device__ __forceinline__ void walk_blocks(const loader_map &map, const sat_plane &p,
                                            unsigned count, Place place, Ahead ahead, Scan scan,
                                            Finish finish)
{
    LOADER_SHARED(C);
    typename C::L v[C::ROWS][C::VEC];
    sample_loader<C> samples(map, p, &loader, loader_buffer);
    bool loads = threadIdx.x == LOADER;
    await_stream();
    if (loads && blockIdx.x < count) {
        samples.announce(place(blockIdx.x));
    }
    __syncthreads();
    if (blockIdx.x < count) {
        samples.send();
    }
    for (unsigned k = blockIdx.x; k < count; k += gridDim.x) {
        tile_place at = loader.at, next = at;
        if (loads) { /* here it holds nobody up; beyond the last block it is not used */
            next = place(k + gridDim.x);
        }
        ahead(k, at);
        samples.take(at, v);
        __syncthreads();
        if (loads && k + gridDim.x < count) {
            samples.announce(next);
        }
        scan(v, s);
        __syncthreads();
        if (k + gridDim.x < count) {
            samples.send();
        }
        finish(at, v, s, loader_buffer);
        __syncthreads(); /* s is used again */
    }
}

/* The block in registers, as scan() and finish() of walk_blocks() get it. */
template <class C> using tile_values = typename C::L[C::ROWS][C::VEC];

/* scan() of kernels that store tables. */
template <class C> struct scan_whole {
    __device__ __forceinline__ void operator()(tile_values<C> &v, tile_shared<C> &s) const
    {
        scan_tile<C>(v, s);
    }
};

/* Step 1 of 2R1W. */
template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void sums_kernel(const __grid_constant__ loader_map map,
                                                         sat_plane p, sat_grid g, sat_aux aux,
                                                         unsigned side, unsigned count)
{
    typedef typename C::S S;
    int t = (int)threadIdx.x;
    walk_blocks<C>(
        map, p, count, [&](unsigned k) { return place_in_rows(g, side, k); },
        [](unsigned, const tile_place &) {},
        [](const tile_values<C> &v, tile_shared<C> &s) { sum_tile<C>(v, s); },
        [&](const tile_place &at, const tile_values<C> &, const tile_shared<C> &s, void *) {
            if (t < C::TILE) {
                write_sums<C>(aux, at, t, sum_of_columns<C>(s, t), sum_of_rows<C>(s, t),
                              carries<S>{0, 0, 0});
            }
        });
}

/* Makes the tables of blocks, whose carries are there; HAND_ON: blocks write their sums too. */
template <class C, bool HAND_ON, class Place>
__device__ __forceinline__ void walk_tables(const loader_map &map, const sat_plane &p,
                                            const sat_aux &aux, unsigned count, Place place)
{
    typedef typename C::S S;
    int t = (int)threadIdx.x;
    carries<S> carry = {0, 0, 0};
    walk_blocks<C>(
        map, p, count, place,
        [&](unsigned, const tile_place &at) {
            if (t < C::TILE) {
                carry = read_carries<C>(aux, at, t);
            }
        },
        scan_whole<C>(),
        [&](const tile_place &at, const tile_values<C> &v, tile_shared<C> &s, void *buffer) {
            if (t < C::TILE) {
                share_all_carries<C>(s, t, carry);
                if (HAND_ON) {
                    write_sums<C>(aux, at, t, sum_of_columns<C>(s, t), sum_of_rows<C>(s, t), carry);
                }
            }
            __syncthreads();
            store_tile<C>(p, at, v, s, buffer);
        });
}

/* Step 3 of 2R1W, from the last block to the first: what step 1 read last may still be in L2. */
template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void tables_kernel(const __grid_constant__ loader_map map,
                                                           sat_plane p, sat_grid g, sat_aux aux,
                                                           unsigned side, unsigned count)
{
    walk_tables<C, false>(map, p, aux, count,
                          [&](unsigned k) { return place_in_rows(g, side, count - 1 - k); });
}

/* A stage of 1R1W: an anti-diagonal, from its first block on. */
template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void stage_kernel(const __grid_constant__ loader_map map,
                                                          sat_plane p, sat_grid g, sat_aux aux,
                                                          unsigned first, unsigned count)
{
    walk_tables<C, true>(map, p, aux, count, [&](unsigned k) { return place_tile(g, first + k); });
}

/* The places of one block's words in the ring. */
template <class C> struct ring_place {
    typedef tile_state<typename C::S> W;
    typedef typename W::word word;
    word *col, *row, *corner;
    unsigned state; /* of its words, and not of those of the block that had the place before */
    __device__ __forceinline__ ring_place(const sat_ring &ring, const sat_grid &g,
                                          const tile_place &at)
    {
        int d = at.I + at.J, over = d - (int)g.tiles_x + 1;
        int64_t set = d % sat_ring::ANTI_DIAGONALS * g.channels + at.channel;
        set = set * ring.places + (at.I - (over > 0 ? over : 0));
        col = (word *)ring.words + set * ring_pitch(C::TILE);
        row = col + C::TILE;
        corner = row + C::TILE;
        state = 1 + (unsigned)d / sat_ring::ANTI_DIAGONALS % 2;
    }
};

/* Clears the ring's words, each thread some of them. A barrier of all CUDA blocks must follow. */
template <class C>
__device__ __forceinline__ void clear_ring(const sat_ring &ring, const sat_grid &g)
{
    typedef tile_state<typename C::S> W;
    int64_t count =
        sat_ring::ANTI_DIAGONALS * g.channels * ring.places * (int64_t)ring_pitch(C::TILE);
    int64_t first = (int64_t)blockIdx.x * C::THREADS + threadIdx.x;
    for (int64_t i = first; i < count; i += (int64_t)gridDim.x * C::THREADS) {
        ((typename W::word *)ring.words)[i] = W::make(0, STATE_NONE);
    }
}

/* The carries of column and row t: what the anti-diagonals before `begin` handed on, from aux, all
 * else from the ring, whose words are there or on their way. */
template <class C>
__device__ __forceinline__ carries<typename C::S> read_ring(const sat_ring &ring, const sat_grid &g,
                                                            const sat_aux &aux,
                                                            const tile_place &at, int begin, int t)
{
    typedef typename C::S S;
    typedef tile_state<S> W;
    carries<S> carry = {0, 0, 0};
    int d = at.I + at.J;
    if (d == begin) {
        return read_carries<C>(aux, at, t);
    }
    if (d == begin + 1 && at.I > 0 && at.J > 0) {
        carry.corner = read_corner<S>(aux, at);
    }
    ring_place<C> up(ring, g, {at.I - 1, at.J, at.channel});
    ring_place<C> left(ring, g, {at.I, at.J - 1, at.channel});
    ring_place<C> diagonal(ring, g, {at.I - 1, at.J - 1, at.channel});
    bool has_corner = at.I > 0 && at.J > 0 && d > begin + 1, all;
    do { /* all at once: they do not wait for one another */
        typename W::word above = {}, before = {}, corner = {};
        if (at.I > 0) {
            above = W::read(up.col + t);
        }
        if (at.J > 0) {
            before = W::read(left.row + t);
        }
        if (has_corner) {
            corner = W::read(diagonal.corner);
        }
        all = (at.I == 0 || W::state(above) == up.state) &&
              (at.J == 0 || W::state(before) == left.state) &&
              (!has_corner || W::state(corner) == diagonal.state);
        carry.above = W::value(above);
        carry.left = W::value(before);
        carry.corner = has_corner ? W::value(corner) : carry.corner;
    } while (!all);
    return carry;
}

template <class C>
__device__ __forceinline__ void write_ring(const sat_ring &ring, const sat_grid &g,
                                           const tile_place &at, int t, typename C::S column,
                                           typename C::S row, const carries<typename C::S> &carry)
{
    ring_place<C> own(ring, g, at);
    typedef typename ring_place<C>::W W;
    uint64_t policy = state_policy(true);
    W::write(own.col + t, carry.above + column, own.state, policy);
    W::write(own.row + t, carry.left + row, own.state, policy);
    if (t == C::TILE - 1) {
        W::write(own.corner, carry.corner + carry.above + (carry.left + row), own.state, policy);
    }
}

/*
 * Stages of 1R1W in one kernel, which counts the blocks that have handed on their sums: a block of
 * anti-diagonal d waits until all before d have. Its samples were sent for long before, and it is
 * scanned before it waits, as are those of the next stage; tables are stored while others wait. So
 * little more than reading the neighbours' words and writing the block's own lies between two
 * stages. Blocks are taken in ascending order, hence no deadlock.
 *
 * A block counts when it has read its neighbours' words and sent its own on their way. So when a
 * stage begins, all words that it overwrites have been read, and whoever reads a word too early
 * sees by its state that it must be read again.
 */
enum { STAGES_AT_ONCE = 2 }; /* CUDA blocks for so many of the longest stages */

template <class C>
__global__ __launch_bounds__(C::THREADS, C::BLOCKS) void stages_kernel(
    const __grid_constant__ loader_map map, sat_plane p, sat_grid g, sat_aux aux, sat_ring ring,
    int begin, int end, unsigned first, unsigned count, int stress)
{
    typedef typename C::S S;
    int t = (int)threadIdx.x;
    unsigned awaited = 0; /* blocks of the stages before */
    clear_ring<C>(ring, g);
    start_count(ring.count);
    walk_blocks<C>(
        map, p, count, [&](unsigned k) { return place_tile(g, first + k); },
        [&](unsigned k, const tile_place &at) {
            /* Its stage has as many blocks before it as there are rows above or columns to the
             * right. */
            int right = (int)g.tiles_x - 1 - at.J;
            awaited = k - (unsigned)((at.I < right ? at.I : right) * g.channels + at.channel);
        },
        scan_whole<C>(),
        [&](const tile_place &at, const tile_values<C> &v, tile_shared<C> &s, void *buffer) {
            S column = 0, row = 0;
            if (t < C::TILE) {
                column = sum_of_columns<C>(s, t);
                row = sum_of_rows<C>(s, t);
            }
            if (t == 0) {
                wait_for_count<false>(ring.count, awaited);
            }
            __syncthreads();
            carries<S> carry = {0, 0, 0};
            if (t < C::TILE) {
                carry = read_ring<C>(ring, g, aux, at, begin, t);
                share_all_carries<C>(s, t, carry);
            }
            if (stress != SAT_STRESS_NONE) { /* the count long before the words */
                __syncthreads();
                if (t == 0) {
                    add_to_count<false>(ring.count);
                }
                stress_pause(stress, at.I * g.tiles_x + at.J, 0);
            }
            if (t < C::TILE) {
                write_ring<C>(ring, g, at, t, column, row, carry);
                if (at.I + at.J >= end - 2) { /* for whoever goes on from here */
                    write_sums<C>(aux, at, t, column, row, carry);
                }
            }
            __syncthreads();
            if (t == 0 && stress == SAT_STRESS_NONE) {
                add_to_count<false>(ring.count);
            }
            store_tile<C>(p, at, v, s, buffer);
        });
}

enum { PREFIX_AHEAD = 32, PREFIX_THREADS = 64 };

/* Prefix sums of col and row of the blocks of the anti-diagonals begin ... end - 1: a thread goes
 * down one column of col, or along one row of row. */
template <typename S>
__global__ void prefix_kernel(sat_grid g, sat_aux aux, int tile, int64_t begin, int64_t end)
{
    await_stream();
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
    for (int64_t k = from; k < to; k += PREFIX_AHEAD) {
        S ahead[PREFIX_AHEAD]; /* loads do not wait for one another */
#pragma unroll
        for (int i = 0; i < PREFIX_AHEAD; i++) {
            ahead[i] = k + i < to ? at[(k + i) * pitch] : (S)0;
        }
#pragma unroll
        for (int i = 0; i < PREFIX_AHEAD; i++) {
            sum += ahead[i];
            if (k + i < to) {
                at[(k + i) * pitch] = sum;
            }
        }
    }
}

enum { CORNERS_AHEAD = 4 };

/* The corners of the same blocks: a warp goes down one block column, adding the sums of the blocks
 * to the left, the last of each block's rows; a lane has every 32nd of the blocks. */
template <typename S>
__global__ void corners_kernel(sat_grid g, sat_aux aux, int tile, int64_t begin, int64_t end)
{
    await_stream();
    int64_t J = blockIdx.x;
    int lane = (int)threadIdx.x;
    aux_pointers<S> of = aux_of<S>(aux, (int)blockIdx.y);
    int64_t from = begin > J ? begin - J : 0;
    int64_t to = end - J < g.tiles_y ? end - J : g.tiles_y;
    S sum = from > 0 && from < to ? of.corner[(from - 1) * aux.corner_pitch + J] : (S)0;
    for (int64_t first = from; first < to; first += 32 * CORNERS_AHEAD) {
        S own[CORNERS_AHEAD], before[CORNERS_AHEAD];
#pragma unroll
        for (int i = 0; i < CORNERS_AHEAD; i++) {
            int64_t I = first + 32 * i + lane;
            own[i] = I < to ? of.row[J * aux.row_pitch + (I + 1) * tile - 1] : (S)0;
            before[i] = own[i];
        }
        sum_lanes_before(before);
#pragma unroll
        for (int i = 0; i < CORNERS_AHEAD; i++) {
            int64_t I = first + 32 * i + lane;
            S to_here = sum + (before[i] + own[i]);
            if (I < to) {
                of.corner[I * aux.corner_pitch + J] = to_here;
            }
            sum = __shfl_sync(0xffffffffu, to_here, 31);
        }
    }
}

template <class C> loader_map map_for(const sat_plane &p)
{
    return make_loader_map(p, p.in_bytes, C::ACROSS, C::HIGH, 1);
}

template <class C> struct blocks_launch {
    /* part: which blocks of the image, in the kernel's own terms. */
    template <auto KERNEL>
    static cudaError_t launch(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                              int64_t part, int64_t count, cudaStream_t stream)
    {
        return launch_resident<KERNEL>(C::THREADS, loader_bytes<C>(), count, START_EARLY, stream,
                                       map_for<C>(p), p, g, aux, part, count);
    }

    static cudaError_t sums(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t side,
                            cudaStream_t stream)
    {
        return launch<sums_kernel<C>>(p, g, aux, side, blocks_of_side(g, side), stream);
    }

    static cudaError_t tables(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                              int64_t side, cudaStream_t stream)
    {
        return launch<tables_kernel<C>>(p, g, aux, side, blocks_of_side(g, side), stream);
    }

    static cudaError_t stage(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t d,
                             cudaStream_t stream)
    {
        return launch<stage_kernel<C>>(p, g, aux, blocks_between(g, 0, d),
                                       blocks_between(g, d, d + 1), stream);
    }

    static cudaError_t stages(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                              int64_t begin, int64_t end, const sat_ring &ring, int stress,
                              cudaStream_t stream)
    {
        int64_t middle = (g.tiles_x < g.tiles_y ? g.tiles_x : g.tiles_y) - 1; /* a longest one */
        int64_t d = middle < begin ? begin : middle < end ? middle : end - 1;
        return launch_resident<stages_kernel<C>>(
            C::THREADS, loader_bytes<C>(), STAGES_AT_ONCE * blocks_between(g, d, d + 1),
            START_TOGETHER, stream, map_for<C>(p), p, g, aux, ring, begin, end,
            blocks_between(g, 0, begin), blocks_between(g, begin, end), stress);
    }
};

template <typename S>
cudaError_t launch_prefix(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                          int64_t end, cudaStream_t stream)
{
    int64_t threads = (g.tiles_x + g.tiles_y) * tile;
    dim3 blocks((unsigned)((threads + PREFIX_THREADS - 1) / PREFIX_THREADS), (unsigned)g.channels);
    return launch_blocks(prefix_kernel<S>, blocks, PREFIX_THREADS, 0, START_EARLY, stream, g, aux,
                         tile, begin, end);
}

template <typename S>
cudaError_t launch_corners(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                           int64_t end, cudaStream_t stream)
{
    dim3 blocks((unsigned)g.tiles_x, (unsigned)g.channels);
    return launch_blocks(corners_kernel<S>, blocks, 32, 0, START_EARLY, stream, g, aux, tile, begin,
                         end);
}

#endif
