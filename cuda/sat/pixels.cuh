/*
 * Look-back (lookback.cuh) for interleaved channels: a block has all channels of its pixels, so
 * that memory is read and written in whole lines. A lane has PIXELS neighbouring pixels: their
 * samples of a channel are PIXELS apart from the next lane's, and each channel is summed up by
 * itself. Each column of samples and each row of each channel has its words, and a thread
 * that looks for it.
 */
#ifndef CUDA_SAT_PIXELS_CUH
#define CUDA_SAT_PIXELS_CUH

#include "lookback.cuh"

/* T samples, L sums within a block, S sums that blocks hand on, O sums as stored, as in tile_shape.
 */
template <typename T_, typename L_, typename S_, typename O_, int CHANNELS_> struct pixel_shape {
    typedef T_ T;
    typedef L_ L;
    typedef S_ S;
    typedef O_ O;
    typedef typename finish_type<L, S>::type F;
    static constexpr int CHANNELS = CHANNELS_, PIXELS = sizeof(L) == 8 ? 1 : 2;
    static constexpr int VEC = PIXELS * CHANNELS, WARPS = 16, THREADS = 32 * WARPS;
    static constexpr int ACROSS = 32 * PIXELS, COLUMNS = 32 * VEC; /* pixels, samples */
    static constexpr int HIGH = 64, ROWS = HIGH / WARPS, LINES = HIGH * CHANNELS;
    static_assert(COLUMNS + LINES <= THREADS, "a thread for every column and row");
};

/* VEC neighbouring values as the widest words whose number is whole. */
template <typename V, int VEC> union pixel_values {
    static constexpr int BYTES = (int)sizeof(V) * VEC, LEAST = BYTES & -BYTES;
    static constexpr int WIDE = LEAST < 16 ? LEAST : 16;
    typedef typename vector_of<WIDE>::type word_type;
    word_type word[BYTES / WIDE];
    V value[VEC];
};

template <class C> struct pixel_shared {
    typename C::T buffer[C::HIGH][C::COLUMNS];
    /* The last rows of the warps' tables, then the sums above them in the block; in the end a
     * row of finished sums a warp. */
    alignas(16) typename C::S before[C::WARPS][C::COLUMNS];
    typename C::S above[C::COLUMNS], corner[C::CHANNELS];
    typename C::F left[C::LINES];
    typename C::L right[C::LINES]; /* the last columns of the warps' tables, [channel][row] */
    loader_shared loader;
    unsigned ticket; /* of this block, then of the next */
};

template <class C>
__device__ __forceinline__ void send_for_pixels(pixel_shared<C> &s, const loader_map &map,
                                                const tile_place &at)
{
    s.loader.at = at;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (map.usable) {
        barrier_expect(&s.loader.arrived, (unsigned)sizeof s.buffer);
        copy_block(s.buffer, map, at.J * C::COLUMNS, at.I * C::HIGH, &s.loader.arrived);
    }
#endif
}

/* v = the block that was sent for. */
template <class C>
__device__ __forceinline__ void
take_pixels(pixel_shared<C> &s, unsigned *phase, const loader_map &map, const sat_plane &p,
            const tile_place &at, typename C::L (&v)[C::ROWS][C::VEC])
{
    typedef typename C::T T;
    if (!has_copy_engine() || !map.usable) {
        int64_t x = (int64_t)at.J * C::COLUMNS, y = (int64_t)at.I * C::HIGH;
        int columns = inside(x, p.width * C::CHANNELS, C::COLUMNS);
        int rows = inside(y, p.height, C::HIGH);
        const char *from = p.in + y * p.in_stride + x * (int64_t)sizeof(T);
        bool aligned = p.in_align >= (int)sizeof(T);
#pragma unroll(8)
        for (int i = (int)threadIdx.x; i < C::HIGH * C::COLUMNS; i += C::THREADS) {
            int row = i / C::COLUMNS, column = i % C::COLUMNS;
            s.buffer[row][column] =
                row < rows && column < columns
                    ? read_value<T>(from + row * p.in_stride + column * (int64_t)sizeof(T), aligned)
                    : (T)0;
        }
        __syncthreads();
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    if (map.usable) {
        barrier_wait(&s.loader.arrived, *phase);
        *phase ^= 1;
    }
#endif
    typedef pixel_values<T, C::VEC> values;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
        const char *from = (const char *)(s.buffer[warp * C::ROWS + i] + lane * C::VEC);
        values raw;
#pragma unroll
        for (int k = 0; k < values::BYTES / values::WIDE; k++) {
            raw.word[k] = ((const typename values::word_type *)from)[k];
        }
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            v[i][k] = (typename C::L)raw.value[k];
        }
    }
}

/* v = each warp's table of its own rows, see scan_tile(). */
template <class C>
__device__ __forceinline__ void scan_pixels(typename C::L (&v)[C::ROWS][C::VEC], pixel_shared<C> &s)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    constexpr int N = C::ROWS / 2; /* rows side by side */
#pragma unroll
    for (int first = 0; first < C::ROWS; first += N) {
        typename C::L sums[N * C::CHANNELS];
#pragma unroll
        for (int r = 0; r < N; r++) {
#pragma unroll
            for (int k = C::CHANNELS; k < C::VEC; k++) {
                v[first + r][k] += v[first + r][k - C::CHANNELS];
            }
#pragma unroll
            for (int c = 0; c < C::CHANNELS; c++) {
                sums[r * C::CHANNELS + c] = v[first + r][C::VEC - C::CHANNELS + c];
            }
        }
        sum_lanes_before(sums);
#pragma unroll
        for (int r = 0; r < N; r++) {
            int i = first + r;
#pragma unroll
            for (int k = 0; k < C::VEC; k++) {
                v[i][k] += sums[r * C::CHANNELS + k % C::CHANNELS];
                if (i > 0) {
                    v[i][k] += v[i - 1][k];
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        s.before[warp][lane * C::VEC + k] = (typename C::S)v[C::ROWS - 1][k];
    }
    if (lane == 31) {
#pragma unroll
        for (int i = 0; i < C::ROWS; i++) {
#pragma unroll
            for (int c = 0; c < C::CHANNELS; c++) {
                s.right[c * C::HIGH + warp * C::ROWS + i] = v[i][C::VEC - C::CHANNELS + c];
            }
        }
    }
}

/* s.before = the sums above each warp's rows; returns the sum over all warps. */
template <class C>
__device__ __forceinline__ typename C::S sum_warps(pixel_shared<C> &s, int column)
{
    typename C::S sum = 0;
#pragma unroll
    for (int k = 0; k < C::WARPS; k++) {
        typename C::S own = s.before[k][column];
        s.before[k][column] = sum;
        sum += own;
    }
    return sum;
}

/* Adds the carries and stores the block; neighbouring lanes write neighbouring words. */
template <class C>
__device__ __forceinline__ void store_pixels(const sat_plane &p, const tile_place &at,
                                             const typename C::L (&v)[C::ROWS][C::VEC],
                                             pixel_shared<C> &s)
{
    typedef typename C::O O;
    typedef typename C::F F;
    typedef pixel_values<O, C::VEC> values;
    enum { WORD = C::COLUMNS * sizeof(O) % 512 == 0 ? 16 : 8 };
    typedef typename vector_of<WORD>::type word_type;
    static_assert(sizeof(O) <= sizeof(typename C::S), "a row of sums fits");
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    F above[C::VEC];
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        int column = lane * C::VEC + k;
        above[k] = (F)(s.above[column] + s.corner[k % C::CHANNELS] + s.before[warp][column]);
    }
    int64_t x = (int64_t)at.J * C::COLUMNS, y = (int64_t)at.I * C::HIGH + warp * C::ROWS;
    int columns = inside(x, p.width * C::CHANNELS, C::COLUMNS), rows = inside(y, p.height, C::ROWS);
    bool whole = columns == C::COLUMNS && p.out_align >= WORD,
         aligned = p.out_align >= (int)sizeof(O);
    O *line = (O *)s.before[warp];
    char *row = p.out + y * p.out_stride + x * (int64_t)sizeof(O);
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
        values sums;
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            F left = s.left[k % C::CHANNELS * C::HIGH + warp * C::ROWS + i];
            sums.value[k] = (O)((F)v[i][k] + left + above[k]);
        }
        __syncwarp(); /* nobody reads the line any more */
#pragma unroll
        for (int k = 0; k < values::BYTES / values::WIDE; k++) {
            ((typename values::word_type *)(line + lane * C::VEC))[k] = sums.word[k];
        }
        __syncwarp();
        if (whole && i < rows) {
#pragma unroll
            for (int k = lane; k < C::COLUMNS * (int)sizeof(O) / WORD; k += 32) {
                ((word_type *)row)[k] = ((const word_type *)line)[k];
            }
        } else if (i < rows) {
            for (int k = lane; k < columns; k += 32) {
                write_value<O>(row + k * (int64_t)sizeof(O), line[k], aligned);
            }
        }
        row += p.out_stride;
    }
}

/* What a thread looks for: a column, or a row of a channel, or nothing; the thread of a channel's
 * last row looks for the last column and the corner too. */
template <class C> struct pixel_search {
    typedef typename C::S S;
    typedef tile_state<S> W;
    typedef typename W::word word;
    bool is_column, is_row, last;
    int line, row, channel, last_column;
    int64_t pitch, diagonal;

    __device__ __forceinline__ pixel_search(const sat_grid &g)
    {
        int t = (int)threadIdx.x;
        is_column = t < C::COLUMNS;
        is_row = !is_column && t < C::COLUMNS + C::LINES;
        line = is_column ? t : t - C::COLUMNS;
        row = line % C::HIGH;
        channel = line / C::HIGH;
        last = is_row && row == C::HIGH - 1;
        last_column = C::COLUMNS - C::CHANNELS + channel;
        pitch = is_column ? g.tiles_x * C::COLUMNS : g.tiles_y * C::LINES;
        diagonal = (g.tiles_x + 1) * C::CHANNELS;
    }
};

/* The look-back of one block: where its words are, and the nearest ones, read in advance. */
template <class C> struct pixel_block {
    typedef typename C::S S;
    typedef tile_state<S> W;
    typedef typename W::word word;
    word *own, *of_column, *corner;
    int available, before;    /* blocks to look back for, and on the diagonal */
    bool right, below, asked; /* others will ask */
    word near = {}, near_column = {}, near_corner = {};

    __device__ __forceinline__ pixel_block(const pixel_search<C> &search, const sat_grid &g,
                                           const sat_lookback &b, const tile_place &at)
    {
        int64_t down = (int64_t)at.I * g.tiles_x + at.J, along = (int64_t)at.J * g.tiles_y + at.I;
        own = search.is_column ? (word *)b.col + down * C::COLUMNS + search.line
                               : (word *)b.row + along * C::LINES + search.line;
        of_column = (word *)b.col + down * C::COLUMNS + search.last_column;
        corner = (word *)b.corner + down * C::CHANNELS + search.channel;
        available = search.is_column ? at.I : search.is_row ? at.J : 0;
        before = at.I < at.J ? at.I : at.J;
        right = at.J + 1 < g.tiles_x;
        below = at.I + 1 < g.tiles_y;
        asked = search.is_column ? below : search.is_row && right;
        if (available > 0) {
            near = W::read(own - search.pitch);
        }
        if (search.last && at.I > 0) {
            near_column = W::read(of_column - g.tiles_x * C::COLUMNS);
        }
        if (search.last && before > 0) {
            near_corner = W::read(corner - search.diagonal);
        }
    }

    /* Hands on the block's own sum, and stores in s what lies before it. Returns both added up. */
    __device__ __forceinline__ S look(const pixel_search<C> &search, const sat_lookback &b, S sum,
                                      unsigned number, int stress, pixel_shared<C> &s)
    {
        /* others may look past this block while it looks itself */
        if (asked && available > 0 && W::state(near) != b.prefix) {
            W::write(own, sum, STATE_BLOCK, state_policy(b.hinted));
        }
        stress_pause(stress, number, 1);
        S found = look_back<W>(own, search.pitch, available, b.prefix, near),
          to_here = W::add(found, sum);
        if (asked) {
            W::write(own, to_here, b.prefix, state_policy(b.hinted));
        }
        if (search.is_column) {
            s.above[search.line] = found;
        } else if (search.is_row) {
            s.left[search.line] = (typename C::F)found;
        }
        return to_here;
    }

    /* Finds the corner; called by the thread of a channel's last row. */
    __device__ __forceinline__ void look_for_corner(const pixel_search<C> &search,
                                                    const sat_grid &g, const sat_lookback &b, int I,
                                                    S to_here, pixel_shared<C> &s)
    {
        /* it may look itself sooner than another warp could tell it */
        S above = look_back<W>(of_column, g.tiles_x * C::COLUMNS, I, b.prefix, near_column);
        S step = W::add(above, to_here);
        if (right && below && before > 0 && W::state(near_corner) != b.prefix) {
            W::write(corner, step, STATE_BLOCK, state_policy(b.hinted));
        }
        S up_left = look_back<W>(corner, search.diagonal, before, b.prefix, near_corner);
        if (right && below) {
            W::write(corner, W::add(up_left, step), b.prefix, state_policy(b.hinted));
        }
        s.corner[search.channel] = up_left;
    }
};

template <class C>
__global__ __launch_bounds__(C::THREADS,
                             2) void pixels_kernel(const __grid_constant__ loader_map map,
                                                   sat_plane p, sat_grid g, sat_lookback b,
                                                   int stress)
{
    typedef typename C::S S;
    extern __shared__ __align__(128) char memory[];
    pixel_shared<C> &s = *(pixel_shared<C> *)memory;
    typename C::L v[C::ROWS][C::VEC];
    unsigned phase = 0, blocks = (unsigned)(g.tiles_x * g.tiles_y), next = 0;
    int t = (int)threadIdx.x;
    const pixel_search<C> search(g);
    init_loader(&s.loader);
    await_stream();
    if (t == LOADER) {
        s.ticket = next = atomicAdd(b.ticket, 1u);
        if (next < blocks) {
            send_for_pixels<C>(s, map, place_tile(g, next));
        }
    }
    __syncthreads();
    for (unsigned number = s.ticket; number < blocks;) {
        tile_place at = s.loader.at;
        take_pixels<C>(s, &phase, map, p, at, v);
        if (t == LOADER) {
            next = atomicAdd(b.ticket, 1u);
        }
        scan_pixels<C>(v, s);
        pixel_block<C> block(search, g, b, at);
        __syncthreads();
        if (t == LOADER) {
            s.ticket = next;
            if (next < blocks) {
                send_for_pixels<C>(s, map, place_tile(g, next));
            }
        }
        stress_pause(stress, number, 0);
        S sum = search.is_column ? sum_warps<C>(s, search.line) : (S)0;
        __syncthreads();
        if (search.is_row) {
            sum = (S)s.right[search.line] + s.before[search.row / C::ROWS][search.last_column];
        }
        S to_here = block.look(search, b, tile_state<S>::add(sum, 0), number, stress, s);
        stress_pause(stress, number, 2);
        if (search.last) {
            block.look_for_corner(search, g, b, at.I, to_here, s);
        }
        __syncthreads();
        store_pixels<C>(p, at, v, s);
        number = s.ticket;
        __syncthreads(); /* s is used again */
    }
    if (t == LOADER && s.ticket == blocks + gridDim.x - 1) {
        *b.ticket = 0; /* every CUDA block has drawn its last */
    }
}

template <class C> struct pixels_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t blocks = stress == SAT_STRESS_SINGLE ? 1 : g.tiles_x * g.tiles_y;
        return launch_resident<pixels_kernel<C>>(
            C::THREADS, (int)sizeof(pixel_shared<C>), blocks, START_EARLY, stream,
            make_loader_map(p, (int)sizeof(typename C::T), C::COLUMNS, C::HIGH, C::CHANNELS), p, g,
            lookback, stress);
    }
    static constexpr sat_lookback_shape table = {
        SAT_CHANNELS,
        C::CHANNELS,
        C::ACROSS,
        C::HIGH,
        C::COLUMNS,
        C::LINES,
        C::THREADS,
        0,
        0,
        false,
        (int)sizeof(pixel_shared<C>),
        (int)sizeof(typename tile_state<typename C::S>::word),
        lookback};
};

#endif
