/*
 * Look-back (lookback.cuh) for large images of one channel. A CUDA block has two buffers: before it
 * works on a block of samples it adds up the one that it works on next, and hands on those sums. So
 * whoever looks back can pass over blocks that are still to be worked on, and reads words that were
 * written recently enough to be still in L2. And a warp knows what lies above its rows in the block
 * before it scans them, so none waits for another between the scan and the look-back.
 *
 * A thread looks for one thing, a column or a row. Three threads of the last warp look for the last
 * column, the last row and the corner side by side: the corner's word needs all of them.
 */
#ifndef CUDA_SAT_EARLY_SUMS_CUH
#define CUDA_SAT_EARLY_SUMS_CUH

#include "lookback.cuh"
#include "tile_sums.cuh"
#include "unaligned.cuh"

/* The sums of the blocks in both buffers: `columns`, the last rows of the warps' tables of their
 * own rows, from which sum_columns() makes the sums above the warps; and, of the block that is
 * added up, the last columns of these tables and their last sums. */
template <class C> struct early_sums {
    typename C::L columns[2][C::WARPS][C::ACROSS], right[C::HIGH], last[C::WARPS];
};

/* What lies before a block. */
template <class C> struct early_carries {
    typename C::S above[C::ACROSS], corner;
    typename finish_type<typename C::L, typename C::S>::type left[C::HIGH];
};

/* a = the sums of the block in the buffer, number i. The caller's barrier follows. */
template <class C>
__device__ __forceinline__ void sum_tile(const void *buffer, early_sums<C> &a, int i)
{
    typedef typename C::L L;
    typedef vector_values<typename C::T, C::VEC> values;
    constexpr bool BYTES = sizeof(typename C::T) == 1 && C::VEC == 4;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const values *from = (const values *)buffer + warp * C::ROWS * 32 + lane;
    L columns[C::VEC] = {}, rows[lines_of<C>()] = {};
#pragma unroll
    for (int y = 0; y < C::ROWS; y++) {
        values raw = from[y * 32];
        if constexpr (BYTES) {
            rows[y] = __dp4a((unsigned)raw.word[0], 0x01010101u, 0u);
        }
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            L value = (L)raw.value[k];
            columns[k] += value;
            rows[y] += BYTES ? (L)0 : value;
        }
    }
    L sum = sum_lines<C>(columns, rows, a.columns[i][warp], a.right + warp * C::ROWS);
    if (lane == 31) {
        a.last[warp] = sum;
    }
}

/* The sum of the columns of block i up to `column`; leaves the sums above each warp in `a`. */
template <class C>
__device__ __forceinline__ typename C::S sum_columns(early_sums<C> &a, int i, int column)
{
    typename C::L of_warp[C::WARPS];
    typename C::S sum = 0;
#pragma unroll
    for (int k = 0; k < C::WARPS; k++) {
        of_warp[k] = a.columns[i][k][column];
    }
#pragma unroll
    for (int k = 0; k < C::WARPS; k++) {
        a.columns[i][k][column] = (typename C::L)sum;
        sum += of_warp[k];
    }
    return sum;
}

/* The sum of the rows of the block that was added up, up to `row`. */
template <class C>
__device__ __forceinline__ typename C::S sum_rows(const early_sums<C> &a, int row)
{
    typename C::S sum = a.right[row];
#pragma unroll
    for (int k = 0; k < C::WARPS - 1; k++) {
        if (k < row / C::ROWS) {
            sum += a.last[k];
        }
    }
    return sum;
}

/* Bytes of shared memory through which lanes exchange a row's sums, if early_sums has no room for
 * them. */
template <class C> __host__ __device__ constexpr int exchange_bytes()
{
    return sizeof(typename C::O) > sizeof(typename C::L)
               ? C::WARPS * C::ACROSS * (int)sizeof(typename C::O)
               : 0;
}

/* What a thread looks for, in every block, and where the words of it are. */
template <class C> struct early_line {
    typedef typename C::S S;
    typedef tile_state<S> W;
    typedef typename W::word word;
    enum { COLUMN, ROW, CORNER, NOTHING };
    enum { SCOUTS = C::THREADS - 32 }; /* the first thread of the last warp */
    int scout;                         /* which of those three, or 3, or negative */
    int kind, line;                    /* the column or row of the block */
    word *first;                       /* of block (0, 0) */
    int64_t down, along;               /* words to the block below, and to the right */

    __device__ __forceinline__ early_line(const sat_grid &g, const sat_lookback &b)
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
    /* The sum of the block in buffer i up to the column or row. */
    __device__ __forceinline__ S sum_of(early_sums<C> &a, int i) const
    {
        S sum = 0; /* of the corner, and of the scout's column: it never hands that on */
        if (kind == COLUMN && scout < 0) {
            sum = sum_columns<C>(a, i, line);
        } else if (kind == ROW) {
            sum = sum_rows<C>(a, line);
        }
        return W::add(sum, 0);
    }
};

/* A thread's part of a block that its CUDA block has added up. */
template <class C> struct early_part {
    typename C::S sum; /* see early_line::sum_of() */
    typename early_line<C>::word *word;
    int available; /* blocks to look back for */
};

/* The places of a CUDA block's blocks. The numbers of its blocks grow, so each place is found from
 * the one before, unless so short anti-diagonals lie between them that there are too many. */
struct early_walk {
    enum { SHORT = 16 };
    sat_grid g; /* its columns are groups of 2^group_bits columns of blocks */
    int group_bits;
    int diagonal = 0;
    unsigned before = 0; /* groups on the anti-diagonals before that one */

    __device__ __forceinline__ early_walk(const sat_grid &grid, int bits)
        : g(grid), group_bits(bits)
    {
        g.tiles_x >>= bits;
    }
    __device__ __forceinline__ tile_place go_on(unsigned number)
    {
        int across = (int)g.tiles_x, down = (int)g.tiles_y;
        for (;;) {
            unsigned count = (unsigned)diagonal_count(across, down, diagonal);
            if (number - before < count) {
                break;
            }
            before += count;
            diagonal++;
        }
        tile_place at;
        at.I = max(0, diagonal - across + 1) + (int)(number - before);
        at.J = diagonal - at.I;
        at.channel = 0;
        return at;
    }
    __device__ __forceinline__ tile_place place(unsigned number)
    {
        unsigned group = number >> group_bits;
        tile_place at = min(g.tiles_x, g.tiles_y) < SHORT ? place_tile(g, group) : go_on(group);
        at.J = (at.J << group_bits) + (int)(number & ((1u << group_bits) - 1));
        return at;
    }
};

/* Looks for what lies before the block, stores it in s, and hands on the block's prefix. near: the
 * nearest word, read in advance. */
template <class C>
__device__ __forceinline__ void
look_back_early(const early_line<C> &line, const sat_grid &g, const sat_lookback &b,
                const tile_place &at, const early_part<C> &own, typename early_line<C>::word near,
                early_carries<C> &s)
{
    typedef early_line<C> type;
    typedef typename C::S S;
    typedef typename type::W W;
    if (line.scout < 0) {
        S found = look_back<W>(own.word, line.pitch(), own.available, b.prefix, near);
        if (own.available > 0 && line.asked(g, at)) {
            W::write(own.word, W::add(found, own.sum), b.prefix, state_policy(b.hinted));
        }
        if (line.kind == type::COLUMN) {
            s.above[line.line] = found;
        } else if (line.kind == type::ROW) {
            s.left[line.line] = (typename finish_type<typename C::L, S>::type)found;
        }
    } else if (line.scout < 3) {
        const unsigned three = 7;
        S found = 0;
        bool known = own.available == 0;
        do {
            known = known ||
                    look_once<W>(own.word, line.pitch(), own.available, b.prefix, near, &found);
        } while (__any_sync(three, line.kind != type::CORNER && !known));
        S above = __shfl_sync(three, found, type::COLUMN);
        S to_here = __shfl_sync(three, W::add(found, own.sum), type::ROW),
          step = W::add(above, to_here);
        if (line.kind == type::CORNER) {
            bool asked = line.asked(g, at);
            if (asked && !known) {
                W::write(own.word, step, STATE_BLOCK, state_policy(b.hinted));
            }
            while (!known) {
                known = look_once<W>(own.word, line.pitch(), own.available, b.prefix, near, &found);
            }
            if (asked) {
                W::write(own.word, W::add(found, step), b.prefix, state_policy(b.hinted));
            }
            s.corner = found;
        }
    }
}

/* The two buffers of a CUDA block, and what fills them. UNALIGNED: as of early_kernel(). */
template <class C, bool UNALIGNED> struct early_buffers {
    const loader_map &map;
    const sat_plane &p;
    char *memory;
    loader_shared *loader; /* of each buffer, as the others */
    unsigned *tickets;     /* of the blocks in them */
    early_walk walk;
    unsigned blocks, drawn = 0;
    unsigned phases = 0; /* a bit each */
    bool warps_send;

    __device__ __forceinline__ early_buffers(const loader_map &m, const sat_plane &plane,
                                             const sat_grid &g, int group_bits, char *memory_of,
                                             loader_shared *loader_of, unsigned *tickets_of)
        : map(m), p(plane), memory(memory_of), loader(loader_of), tickets(tickets_of),
          walk(g, group_bits), blocks((unsigned)(g.tiles_x * g.tiles_y)),
          warps_send(UNALIGNED && !m.usable)
    {
    }
    __device__ __forceinline__ char *buffer(int i) const
    {
        return memory + i * (UNALIGNED ? unaligned_bytes<C>() : loader_bytes<C>());
    }
    __device__ __forceinline__ void *block(int i) const
    {
        return warps_send ? (void *)unaligned_block<C>(buffer(i)) : buffer(i);
    }
    /* Called by the thread LOADER: sends the engine, if it is used, for the block. */
    __device__ __forceinline__ void announce(int i)
    {
        tickets[i] = drawn;
        if (drawn < blocks && warps_send) {
            loader[i].at = walk.place(drawn);
        } else if (drawn < blocks) {
            send_for<C>(&loader[i], buffer(i), map, walk.place(drawn));
        }
    }
    /* All, behind a barrier. */
    __device__ __forceinline__ void send(int i) const
    {
        if (warps_send && tickets[i] < blocks) {
            send_for_unaligned<C>(buffer(i), p, loader[i].at);
        }
    }
    /* All threads wait for the block at that place; later: another was sent for since. */
    __device__ __forceinline__ void arrive(int i, const tile_place &at, bool later)
    {
        if (warps_send) {
            unaligned_arrive<C>(buffer(i), p, at, later);
        } else {
            await(&loader[i], phases >> i & 1);
            phases ^= 1u << i;
        }
    }
};

/* Adds up the block in buffer i, once it is there, and hands on its sums. */
template <class C, bool UNALIGNED>
__device__ __forceinline__ early_part<C>
hand_on(early_buffers<C, UNALIGNED> &from, int i, bool later, const early_line<C> &line,
        const sat_grid &g, const sat_lookback &b, early_sums<C> &a, int stress)
{
    typedef typename early_line<C>::W W;
    tile_place at = from.loader[i].at;
    from.arrive(i, at, later);
    sum_tile<C>(from.block(i), a, i);
    __syncthreads();
    early_part<C> part = {line.sum_of(a, i), line.of(at), line.available(at)};
    stress_pause(stress, from.tickets[i], 0);
    if (line.scout < 0 && line.asked(g, at)) {
        W::write(part.word, part.sum, part.available > 0 ? STATE_BLOCK : b.prefix,
                 state_policy(b.hinted));
    }
    return part;
}

/* Stores the table of a block from its rows' scanned samples and what lies before it. exchange:
 * room for rows whose sums change lanes. */
template <class C, bool UNALIGNED>
__device__ __forceinline__ void store_early(const sat_plane &p, const tile_place &at,
                                            typename C::L (&v)[C::ROWS][C::VEC],
                                            const early_carries<C> &before, void *exchange)
{
    typedef typename finish_type<typename C::L, typename C::S>::type F;
    int lane = (int)threadIdx.x % 32;
    F above[C::VEC];
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        above[k] = (F)(before.above[lane * C::VEC + k] + before.corner);
    }
    store_sums<C, UNALIGNED>(p, at, v, above, before.left, UNALIGNED ? exchange : NULL);
}

/* UNALIGNED: rows of the image and of the table may lie anywhere. Warps send for their own rows
 * unless the engine takes the image, and a row's sums change lanes before they are stored. That
 * wants the registers of a third CUDA block. */
template <class C, bool UNALIGNED>
__global__
__launch_bounds__(C::THREADS, UNALIGNED &&C::BLOCKS > 2 ? 2 : C::BLOCKS) void early_kernel(
    const __grid_constant__ loader_map map, sat_plane p, sat_grid g, sat_lookback b, int group_bits,
    int stress)
{
    typedef typename C::L L;
    typedef typename early_line<C>::W W;
    extern __shared__ __align__(128) char buffers[];
    __shared__ loader_shared loader[2];
    __shared__ unsigned tickets[2]; /* of the blocks in the buffers */
    __shared__ early_carries<C> carries[2];
    __shared__ __align__(16) early_sums<C> a;
    static_assert(C::SCOPE == SAT_ONE_CHANNEL, "samples of one channel");
    static_assert(exchange_bytes<C>() > 0 || sizeof(typename C::O) <= sizeof(L),
                  "a row for every warp");
    static_assert(C::THREADS >= C::ACROSS + C::HIGH + 32, "a thread for what is looked for");
    L v[C::ROWS][C::VEC];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    bool loads = threadIdx.x == LOADER;
    early_line<C> line(g, b);
    early_buffers<C, UNALIGNED> both(map, p, g, group_bits, buffers, loader, tickets);
    init_loader(&loader[0]);
    init_loader(&loader[1]);
    await_stream(stress);
    if (loads) {
        for (int i = 0; i < 2; i++) {
            both.drawn = atomicAdd(b.ticket, 1u);
            both.announce(i);
        }
    }
    __syncthreads();
    both.send(0);
    both.send(1);
    early_part<C> next = {};
    if (tickets[0] < both.blocks) {
        next = hand_on(both, 0, tickets[1] < both.blocks, line, g, b, a, stress);
    }
    /* The buffer of the block that is worked on. */
    int x = 0;
    __syncthreads(); /* a is used again */
    while (tickets[x] < both.blocks) {
        tile_place at = loader[x].at;
        unsigned number = tickets[x];
        if (loads) {
            both.drawn = atomicAdd(b.ticket, 1u);
        }
        early_part<C> own = next;
        if (tickets[x ^ 1] < both.blocks) {
            next = hand_on(both, x ^ 1, false, line, g, b, a, stress);
        } else if (both.warps_send) {
            __syncthreads(); /* all know `at` and `number` */
        }
        typename early_line<C>::word near = {};
        if (own.available > 0) { /* after the sums: what is asked for later says more */
            near = W::read(own.word - line.pitch());
        }
        if (both.warps_send && loads) {
            both.announce(x);
        }
        read_buffer<C>(both.block(x), p, v);
        __syncthreads();
        if (!both.warps_send && loads) {
            both.announce(x);
        }
        both.send(x);
        L top[C::VEC];
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            top[k] = a.columns[x][warp][lane * C::VEC + k];
        }
        scan_rows<C>(v, top);
        stress_pause(stress, number, 1);
        early_carries<C> &before = carries[x];
        look_back_early<C>(line, g, b, at, own, near, before);
        stress_pause(stress, number, 2);
        __syncthreads();
        /* What is above a warp's rows is in their table now, so there is room. */
        void *exchange = exchange_bytes<C>() > 0 ? (void *)both.buffer(2) : (void *)a.columns[x];
        store_early<C, UNALIGNED>(p, at, v, before, exchange);
        x ^= 1;
    }
    if (loads && tickets[x ^ 1] == both.blocks + 2 * gridDim.x - 1) {
        *b.ticket = 0; /* every CUDA block has drawn its last two */
    }
}

/* PIXELS, WIDTH: the least image for which it is faster than look-back by square blocks, on devices
 * with a copy engine. */
template <class C, int64_t PIXELS, int64_t WIDTH = 1> struct early_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t blocks = stress == SAT_STRESS_SINGLE ? 1 : g.tiles_x * g.tiles_y;
        int group_bits = g.tiles_x >= WIDE && g.tiles_x % 2 == 0;
        loader_map map = map_for<C>(p);
        bool unaligned = !map.usable || p.out_align < vector_values<typename C::O, C::VEC>::WIDE;
        auto launch = [&](auto is_odd, int bytes) {
            return launch_resident<early_kernel<C, is_odd.value>>(C::THREADS, bytes, blocks,
                                                                  START_EARLY, stream, map, p, g,
                                                                  lookback, group_bits, stress);
        };
        return unaligned ? launch(std::true_type(), UNALIGNED_BYTES)
                         : launch(std::false_type(), 2 * loader_bytes<C>());
    }
    /* Blocks in a row from which on two neighbours have successive numbers: longer rows of memory
     * are used at about the same time. In smaller images more blocks would wait for it. */
    enum { WIDE = 256 };
    enum { UNALIGNED_BYTES = 2 * unaligned_bytes<C>() + exchange_bytes<C>() };
    enum { STATIC_BYTES = 1024 }; /* at most: the loaders, and what the device takes itself */
    static constexpr sat_lookback_shape table = {
        C::SCOPE,
        1,
        C::ACROSS,
        C::HIGH,
        C::ACROSS,
        C::HIGH,
        C::THREADS,
        PIXELS,
        WIDTH,
        true,
        UNALIGNED_BYTES + (int)(2 * sizeof(early_carries<C>) + sizeof(early_sums<C>)) +
            STATIC_BYTES,
        (int)sizeof(typename tile_state<typename C::S>::word),
        lookback};
};

#endif
