/*
 * Look-back (lookback.cuh) for large images of one channel. A CUDA block has two buffers: before it
 * works on a block of samples it adds up the one that it works on next, and hands on those sums. So
 * whoever looks back can pass over blocks whose turn is still to come, and finds words that were
 * written a while ago, so likely in L2, where those of the run before mostly are no more.
 *
 * A thread looks for one thing, a column or a row. Of the last warp, three threads look for the
 * last column, the last row and the corner side by side: the corner's word needs all of them.
 */
#ifndef CUDA_SAT_AHEAD_CUH
#define CUDA_SAT_AHEAD_CUH

#include "lookback.cuh"

/* Of the warps' rows alone: the last rows and the last columns of their tables. */
template <class C> struct ahead_sums {
    typename C::L bottom[C::WARPS][C::ACROSS], right[C::HIGH];
};

/* value[0] = the sum over all lanes of value[lane / (32 / N)], as D goes from 16 to 32 / N: each
 * step halves what a lane has, and gives away the other half. */
template <int D, int N, typename L, int M>
__device__ __forceinline__ void sum_over_lanes(L (&value)[M])
{
    if constexpr (N > 1) {
        bool upper = threadIdx.x & D;
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            L give = upper ? value[i] : value[i + N / 2],
              keep = upper ? value[i + N / 2] : value[i];
            value[i] = keep + __shfl_xor_sync(0xffffffffu, give, D);
        }
        sum_over_lanes<D / 2, N / 2>(value);
    } else if constexpr (D > 0) {
        value[0] += __shfl_xor_sync(0xffffffffu, value[0], D);
        sum_over_lanes<D / 2, N>(value);
    }
}

/* a = the sums of the block in the buffer. The caller's barrier follows. */
template <class C> __device__ __forceinline__ void sum_tile(const void *buffer, ahead_sums<C> &a)
{
    typedef typename C::L L;
    typedef vector_values<typename C::T, C::VEC> values;
    constexpr int N = C::ROWS > 16 ? 32 : C::ROWS > 8 ? 16 : 8; /* rows, and some of nothing */
    constexpr int LANES = 32 / N;                               /* that a row's sum ends up in */
    constexpr bool BYTES = sizeof(typename C::T) == 1 && C::VEC == 4;
    static_assert(C::ROWS <= N, "a warp has at most 32 rows");
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const values *from = (const values *)buffer + warp * C::ROWS * 32 + lane;
    L columns[C::VEC] = {}, rows[N] = {};
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
        values raw = from[i * 32];
        if constexpr (BYTES) {
            rows[i] = __dp4a((unsigned)raw.word[0], 0x01010101u, 0u);
        }
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            L value = (L)raw.value[k];
            columns[k] += value;
            rows[i] += BYTES ? (L)0 : value;
        }
    }
    sum_over_lanes<16, N>(rows);
    L down = rows[0];
#pragma unroll
    for (int distance = LANES; distance < 32; distance *= 2) {
        L other = lane_below(down, distance);
        down += lane >= distance ? other : (L)0;
    }
    if (lane % LANES == 0 && lane / LANES < C::ROWS) {
        a.right[warp * C::ROWS + lane / LANES] = down;
    }
#pragma unroll
    for (int k = 1; k < C::VEC; k++) {
        columns[k] += columns[k - 1];
    }
    L before[1] = {columns[C::VEC - 1]};
    sum_lanes_before(before);
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        a.bottom[warp][lane * C::VEC + k] = columns[k] + before[0];
    }
}

/* What a thread looks for, in every block, and where the words of it are. */
template <class C> struct ahead_line {
    typedef typename C::S S;
    typedef sum_word<S> W;
    typedef typename W::word word;
    enum { COLUMN, ROW, CORNER, NOTHING };
    enum { SCOUTS = C::THREADS - 32 }; /* the first thread of the last warp */
    int scout;                         /* which of those three, or 3, or negative */
    int kind, line;                    /* the column or row of the block */
    word *first;                       /* of block (0, 0) */
    int64_t down, along;               /* words to the block below, and to the right */

    __device__ __forceinline__ ahead_line(const sat_grid &g, const sat_lookback &b)
    {
        int t = (int)threadIdx.x;
        scout = t < SCOUTS ? -1 : t - SCOUTS < 3 ? t - SCOUTS : 3;
        kind = scout >= 0                ? scout
               : t < C::ACROSS           ? COLUMN
               : t < C::ACROSS + C::HIGH ? ROW
                                         : NOTHING;
        line = kind == COLUMN ? (scout < 0 ? t : C::ACROSS - 1)
               : kind == ROW  ? (scout < 0 ? t - C::ACROSS : C::HIGH - 1)
                              : 0;
        first = (word *)(kind == COLUMN ? b.col : kind == ROW ? b.row : b.corner) + line;
        down = kind == COLUMN ? g.tiles_x * C::ACROSS : kind == ROW ? C::HIGH : g.tiles_x;
        along = kind == COLUMN ? C::ACROSS : kind == ROW ? g.tiles_y * C::HIGH : 1;
    }
    __device__ __forceinline__ word *of(const tile_place &at) const
    {
        return first + at.I * down + at.J * along;
    }
    /* Words back to the block that is looked at first. */
    __device__ __forceinline__ int64_t pitch() const
    {
        return (kind == ROW ? 0 : down) + (kind == COLUMN ? 0 : along);
    }
    /* How many blocks there are to look back for. */
    __device__ __forceinline__ int available(const tile_place &at) const
    {
        return kind == COLUMN ? at.I : kind == ROW ? at.J : kind == CORNER ? min(at.I, at.J) : 0;
    }
    /* Whether others will ask for what this thread writes. */
    __device__ __forceinline__ bool asked(const sat_grid &g, const tile_place &at) const
    {
        bool below = at.I + 1 < g.tiles_y, right = at.J + 1 < g.tiles_x;
        return scout < 0 ? (kind == COLUMN && below) || (kind == ROW && right)
                         : kind == CORNER && below && right;
    }
    /* The block's own sum up to the column or row. */
    __device__ __forceinline__ S own(const ahead_sums<C> &a) const
    {
        S sum = kind == COLUMN ? sum_of_columns<C>(a, line)
                : kind == ROW  ? sum_of_rows<C>(a, line)
                               : (S)0;
        return W::add(sum, 0);
    }
};

/* Looks for what is before the block, which s gets to know, and tells the others; mine: own() of
 * it, near: the nearest word, read in advance. */
template <class C>
__device__ __forceinline__ void look_ahead(const ahead_line<C> &line, const sat_grid &g,
                                           const sat_lookback &b, const tile_place &at,
                                           typename C::S mine, typename ahead_line<C>::word near,
                                           tile_shared<C> &s)
{
    typedef ahead_line<C> type;
    typedef typename C::S S;
    typedef typename type::W W;
    typename type::word *own = line.of(at);
    int available = line.available(at);
    if (line.scout < 0) {
        S found = look_back<W>(own, line.pitch(), available, b.prefix, near);
        if (available > 0 && line.asked(g, at)) {
            W::write(own, W::add(found, mine), b.prefix, word_policy(b.hinted));
        }
        if (line.kind == type::COLUMN) {
            s.above[line.line] = found;
        } else if (line.kind == type::ROW) {
            s.left[line.line] = (typename finish_type<typename C::L, S>::type)found;
        }
    } else if (line.scout < 3) {
        const unsigned three = 7;
        S found = 0;
        bool known = available == 0;
        do {
            known = known || look_once<W>(own, line.pitch(), available, b.prefix, near, &found);
        } while (__any_sync(three, line.kind != type::CORNER && !known));
        S above = __shfl_sync(three, found, type::COLUMN);
        S to_here = __shfl_sync(three, W::add(found, mine), type::ROW),
          step = W::add(above, to_here);
        if (line.kind == type::CORNER) {
            bool asked = line.asked(g, at);
            if (asked && !known) {
                W::write(own, step, WORD_BLOCK, word_policy(b.hinted));
            }
            while (!known) {
                known = look_once<W>(own, line.pitch(), available, b.prefix, near, &found);
            }
            if (asked) {
                W::write(own, W::add(found, step), b.prefix, word_policy(b.hinted));
            }
            s.corner = found;
        }
    }
}

template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void ahead_kernel(const __grid_constant__ feed_map map,
                                                          sat_plane p, sat_grid g, sat_lookback b,
                                                          int stress)
{
    typedef typename C::S S;
    typedef typename ahead_line<C>::W W;
    extern __shared__ __align__(128) char buffers[];
    __shared__ feed_shared feed[2];
    __shared__ unsigned tickets[2]; /* of the blocks in the buffers */
    __shared__ tile_shared<C> s;
    __shared__ ahead_sums<C> a;
    static_assert(C::SCOPE == SAT_ONE_CHANNEL, "samples of one channel");
    static_assert(C::THREADS >= C::ACROSS + C::HIGH + 32, "a thread for what is looked for");
    typename C::L v[C::ROWS][C::VEC];
    unsigned blocks = (unsigned)(g.tiles_x * g.tiles_y), drawn = 0;
    unsigned phases = 0; /* a bit for each buffer */
    bool loads = threadIdx.x == LOADER;
    ahead_line<C> line(g, b);
    auto buffer = [&](int i) { return buffers + i * feed_bytes<C>(); };
    auto send = [&](int i) {
        tickets[i] = drawn;
        if (drawn < blocks) {
            send_for<C>(&feed[i], buffer(i), map, place_tile(g, drawn));
        }
    };
    /* The own sums of the block that was sent for, which it hands on. */
    auto hand_on = [&](int i) {
        tile_place at = feed[i].at;
        arrive<C>(&feed[i], buffer(i), phases >> i & 1, map, p, at);
        phases ^= 1u << i;
        sum_tile<C>(buffer(i), a);
        __syncthreads();
        S mine = line.own(a);
        stress_pause(stress, tickets[i], 0);
        if (line.scout < 0 && line.asked(g, at)) {
            W::write(line.of(at), mine, line.available(at) > 0 ? WORD_BLOCK : b.prefix,
                     word_policy(b.hinted));
        }
        return mine;
    };
    init_feed(&feed[0]);
    init_feed(&feed[1]);
    if (loads) {
        for (int i = 0; i < 2; i++) {
            drawn = atomicAdd(b.ticket, 1u);
            send(i);
        }
    }
    __syncthreads();
    S mine = tickets[0] < blocks ? hand_on(0) : (S)0;
    /* The buffer of the block that is worked on. */
    int x = 0;
    __syncthreads(); /* a is used again */
    while (tickets[x] < blocks) {
        tile_place at = feed[x].at;
        unsigned number = tickets[x];
        if (loads) {
            drawn = atomicAdd(b.ticket, 1u);
        }
        S next = tickets[x ^ 1] < blocks ? hand_on(x ^ 1) : (S)0;
        typename ahead_line<C>::word near = {};
        if (line.available(at) > 0) { /* after the sums: what is asked for later says more */
            near = W::read(line.of(at) - line.pitch());
        }
        read_buffer<C>(buffer(x), p, v);
        scan_tile<C>(v, s);
        __syncthreads();
        if (loads) {
            send(x);
        }
        stress_pause(stress, number, 1);
        look_ahead<C>(line, g, b, at, mine, near, s);
        stress_pause(stress, number, 2);
        __syncthreads();
        store_tile<C>(p, at, v, s, NULL);
        mine = next;
        x ^= 1;
        __syncthreads(); /* s and a are used again */
    }
    if (loads && tickets[x ^ 1] == blocks + 2 * gridDim.x - 1) {
        *b.ticket = 0; /* every CUDA block has drawn its last two */
    }
}

/* LEAST: samples from which on it is ahead of look-back by square blocks. */
template <class C, int64_t LEAST> struct ahead_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t blocks = stress == SAT_STRESS_SINGLE ? 1 : g.tiles_x * g.tiles_y;
        return launch_resident<ahead_kernel<C>>(C::THREADS, 2 * feed_bytes<C>(), blocks, false,
                                                stream, map_for<C>(p), p, g, lookback, stress);
    }
    enum { STATIC_BYTES = 1024 }; /* at most: the feeds, and what the device takes itself */
    static constexpr sat_lookback_shape table = {
        C::ACROSS,
        C::HIGH,
        C::ACROSS,
        C::HIGH,
        C::THREADS,
        LEAST,
        2 * feed_bytes<C>() + (int)(sizeof(tile_shared<C>) + sizeof(ahead_sums<C>)) + STATIC_BYTES,
        (int)sizeof(typename sum_word<typename C::S>::word),
        lookback};
};

#endif
