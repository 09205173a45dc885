/*
 * A block of samples in the registers of one CUDA block, its own summed area
 * table, and what lies above and left of it: the work that the block-wise
 * algorithms (2R1W, 1R1W, (1+r)R1W, SKSS, look-back) have in common.
 *
 * Warp k holds the rows k * ROWS ... of the block, a lane VEC neighbouring columns.
 *
 * Of f32 a summand passes through at most 3 additions in its lane's columns, 6 across lanes, 31
 * down its warp's rows and 4 with sums of other blocks, which are f64: a table is off by at most
 * 44 2^-24, below 2^-18, times the sum of the magnitudes.
 */
#ifndef CUDA_SAT_TILE_CUH
#define CUDA_SAT_TILE_CUH

#include <type_traits>

#include "plane.cuh"

/*
 * T samples, L sums within a block, S sums that blocks hand on, O sums as stored.
 * L must hold the largest sum of a block (32 bits: 128^2 samples of u16, or squares
 * of u8); L = float goes with O = float, else O and S are of one kind.
 * VEC: 1, 2, 4. WARPS: a power of two, at least VEC, at most 32. ROWS: of a warp; blocks are
 * square without it, and must be for all but look-back.
 */
template <typename T_, typename L_, typename S_, typename O_, sat_scope SCOPE_, int VEC_,
          int WARPS_, int ROWS_ = 32 * VEC_ / WARPS_>
struct tile_shape {
    typedef T_ T;
    typedef L_ L;
    typedef S_ S;
    typedef O_ O;
    static constexpr sat_scope SCOPE = SCOPE_;
    static constexpr bool PLAIN = SCOPE != SAT_ANY_SUMMAND; /* summands are the samples */
    static constexpr int VEC = VEC_, WARPS = WARPS_;
    static constexpr int THREADS = 32 * WARPS, ROWS = ROWS_;
    static constexpr int ACROSS = 32 * VEC, HIGH = ROWS * WARPS;
    static constexpr int TILE = ACROSS == HIGH ? ACROSS : 0; /* its side if it is square */
    /* Sums along a row fit 16 bits: two rows can share a word. */
    static constexpr bool PAIRED = PLAIN && sizeof(T_) == 1 && sizeof(L_) == 4 && ROWS % 2 == 0;
    static_assert(THREADS >= ACROSS && THREADS >= HIGH,
                  "a thread for every row and column of the block");
    /* Blocks that a multiprocessor should hold at once: what its 65,536 registers allow
     * when a thread has 56 beside its share of the block. */
    static constexpr int REGISTERS = ROWS * VEC * (int)sizeof(L_) / 4 + 56;
    static constexpr int BLOCKS = 65536 / (THREADS * REGISTERS);
};

/* The type in which finished sums are added up: S, but float for floats. */
template <typename L, typename S> struct finish_type {
    typedef S type;
};
template <typename S> struct finish_type<float, S> {
    typedef float type;
};

template <class C> struct tile_shared {
    typename C::S bottom[C::WARPS][C::ACROSS]; /* the last rows of the warps' tables */
    typename C::S right[C::HIGH];              /* the last columns */
    typename C::S above[C::ACROSS],
        corner; /* sums above the block, and before its rows and columns */
    typename finish_type<typename C::L, typename C::S>::type left[C::HIGH];
};

/* A block: its row and column of blocks, and its channel. */
struct tile_place {
    int I, J, channel;
};

template <class C> __device__ __forceinline__ int64_t tile_x(const tile_place &at)
{
    return (int64_t)at.J * C::ACROSS;
}

template <class C> __device__ __forceinline__ int64_t tile_y(const tile_place &at)
{
    return (int64_t)at.I * C::HIGH;
}

/* The row of block k of a triangle whose rows have 1, 2, ... blocks: the largest e
 * with e (e + 1) / 2 <= k. */
__device__ __forceinline__ unsigned triangle_row(unsigned k)
{
    unsigned e = (unsigned)((sqrtf(8.0f * (float)k + 1) - 1) / 2);
    e += (e + 1) * (e + 2) / 2 <= k;
    e -= e * (e + 1) / 2 > k; /* the root is off by less than one */
    return e;
}

/* The block of that number, see sat_grid: numbers have 31 bits. */
__device__ __forceinline__ tile_place place_tile(const sat_grid &g, int64_t number)
{
    unsigned n = (unsigned)number, tiles_x = (unsigned)g.tiles_x, tiles_y = (unsigned)g.tiles_y;
    unsigned tile = g.channels == 1 ? n : n / (unsigned)g.channels;
    unsigned shorter = tiles_x < tiles_y ? tiles_x : tiles_y;
    unsigned longer = tiles_x + tiles_y - shorter;
    unsigned head = shorter * (shorter - 1) / 2, all = tiles_x * tiles_y;
    unsigned d, before; /* the anti-diagonal, and the blocks on it before this one */
    if (tile < head || tile >= all - head) {
        unsigned k = tile < head ? tile : all - 1 - tile; /* counted from the corner */
        unsigned e = triangle_row(k);
        before = k - e * (e + 1) / 2;
        d = tile < head ? e : shorter + longer - 2 - e;
        before = tile < head ? before : e - before;
    } else {
        unsigned whole = (tile - head) / shorter;
        d = shorter - 1 + whole;
        before = tile - head - whole * shorter;
    }
    tile_place at;
    at.I = (int)((d < tiles_x ? 0 : d - tiles_x + 1) + before);
    at.J = (int)d - at.I;
    at.channel = (int)(n - tile * (unsigned)g.channels);
    return at;
}

/* Block `number` of those that sat_shape.sums takes: all row by row or, with a side, the first
 * triangle and then the last, each counted from its row of one block. */
__device__ __forceinline__ tile_place place_in_rows(const sat_grid &g, unsigned side,
                                                    unsigned number)
{
    unsigned tiles_x = (unsigned)g.tiles_x, tiles_y = (unsigned)g.tiles_y;
    unsigned tile = g.channels == 1 ? number : number / (unsigned)g.channels, I, J;
    if (side == 0) {
        I = tile / tiles_x;
        J = tile - I * tiles_x;
    } else {
        unsigned half = side * (side + 1) / 2;
        bool first = tile < half;
        unsigned k = first ? half - 1 - tile : tile - half;
        unsigned e = triangle_row(k), before = k - e * (e + 1) / 2;
        I = first ? side - 1 - e : tiles_y - side + e;
        J = first ? e - before : tiles_x - 1 - e + before;
    }
    tile_place at;
    at.I = (int)I;
    at.J = (int)J;
    at.channel = (int)(number - tile * (unsigned)g.channels);
    return at;
}

/* VEC neighbouring values as the widest accesses that their alignment allows. Hints to the
 * caches (streaming, evict first, no L1) cost 2 to 3 % of the copy's speed. */
template <int BYTES> struct vector_of;
template <> struct vector_of<1> {
    typedef unsigned char type;
};
template <> struct vector_of<2> {
    typedef unsigned short type;
};
template <> struct vector_of<4> {
    typedef unsigned type;
};
template <> struct vector_of<8> {
    typedef uint2 type;
};
template <> struct vector_of<16> {
    typedef uint4 type;
};

template <typename T, int VEC> union vector_values {
    static constexpr int BYTES = (int)sizeof(T) * VEC;
    static constexpr int WIDE = BYTES < 16 ? BYTES : 16;
    typename vector_of<WIDE>::type word[BYTES / WIDE];
    T value[VEC];
};

template <typename T, int VEC>
__device__ __forceinline__ void write_vector(char *to, const vector_values<T, VEC> &v)
{
    typedef typename vector_of<vector_values<T, VEC>::WIDE>::type word;
#pragma unroll
    for (int i = 0; i < (int)(sizeof v / sizeof(word)); i++) {
        reinterpret_cast<word *>(to)[i] = v.word[i];
    }
}

/* How many of n rows or columns from `first` on lie inside the image. */
__device__ __forceinline__ int inside(int64_t first, int64_t size, int n)
{
    return size - first < n ? (int)(size - first) : n;
}

/* v = the block's summands, one by one, 0 outside the image. */
template <class C>
__device__ __forceinline__ void load_tile(const sat_plane &p, const tile_place &at,
                                          typename C::L (&v)[C::ROWS][C::VEC])
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int64_t x = tile_x<C>(at) + lane * C::VEC, y = tile_y<C>(at) + warp * C::ROWS;
    int rows = inside(y, p.height, C::ROWS), columns = inside(x, p.width, C::VEC);
    const char *row = p.in + y * p.in_stride;
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            v[i][k] = 0;
            if (i < rows && k < columns) {
                v[i][k] =
                    read_summand<typename C::T, typename C::L, C::PLAIN>(p, row, x + k, at.channel);
            }
        }
        row += p.in_stride;
    }
}

/* The block's samples, or with PLAIN false its summands, to shared memory as V, row by row, 0
 * outside the image; the caller's barrier follows. */
template <class C, typename V, bool PLAIN>
__device__ __forceinline__ void fill_tile(const sat_plane &p, const tile_place &at, V *buffer)
{
    int rows = inside(tile_y<C>(at), p.height, C::HIGH);
    int columns = inside(tile_x<C>(at), p.width, C::ACROSS);
    int column = (int)threadIdx.x % C::ACROSS;
    const char *row = p.in + tile_y<C>(at) * p.in_stride;
    /* Loads on their way at once: nothing else hides their latency. As many as registers allow. */
    constexpr bool FEW = sizeof(typename C::T) < sizeof(V) || sizeof(V) > 4;
    constexpr int AHEAD = !PLAIN ? 2 : FEW ? 16 : 32;
#pragma unroll(AHEAD)
    for (int i = (int)threadIdx.x / C::ACROSS; i < C::HIGH; i += C::THREADS / C::ACROSS) {
        bool is_inside = i < rows && column < columns;
        buffer[i * C::ACROSS + column] =
            is_inside ? read_summand<typename C::T, V, PLAIN>(p, row + i * p.in_stride,
                                                              tile_x<C>(at) + column, at.channel)
                      : (V)0;
    }
}

template <typename V> __device__ __forceinline__ V lane_below(V value, int distance)
{
    return __shfl_up_sync(0xffffffffu, value, distance);
}

__device__ __forceinline__ u128 lane_below(u128 value, int distance)
{
    uint64_t low = __shfl_up_sync(0xffffffffu, (uint64_t)value, distance);
    uint64_t high = __shfl_up_sync(0xffffffffu, (uint64_t)(value >> 64), distance);
    return (u128)high << 64 | low;
}

/* How many rows are scanned side by side: their shuffles do not wait for one another. */
enum { SIDE_BY_SIDE = 8 };

/* value[r] = the sum of the lanes before this one, for n independent values. */
template <int N, typename V> __device__ __forceinline__ void sum_lanes_before(V (&value)[N])
{
    int lane = (int)threadIdx.x % 32;
    V other[N];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
#pragma unroll
        for (int r = 0; r < N; r++) {
            other[r] = lane_below(value[r], distance);
        }
#pragma unroll
        for (int r = 0; r < N; r++) {
            if (lane >= distance) {
                value[r] += other[r];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < N; r++) {
        other[r] = lane_below(value[r], 1);
    }
#pragma unroll
    for (int r = 0; r < N; r++) {
        value[r] = lane == 0 ? (V)0 : other[r];
    }
}

/* v = the table of the warp's rows: prefix sums along each, then down, from `top` on: sums above
 * the rows, VEC of them, or NULL for zeros. */
template <class C>
__device__ __forceinline__ void scan_rows(typename C::L (&v)[C::ROWS][C::VEC],
                                          const typename C::L *top, std::false_type)
{
    constexpr int N = C::ROWS < SIDE_BY_SIDE ? C::ROWS : SIDE_BY_SIDE;
#pragma unroll
    for (int first = 0; first < C::ROWS; first += N) {
        typename C::L before[N] = {};
#pragma unroll
        for (int r = 0; r < N && first + r < C::ROWS; r++) {
#pragma unroll
            for (int k = 1; k < C::VEC; k++) {
                v[first + r][k] += v[first + r][k - 1];
            }
            before[r] = v[first + r][C::VEC - 1];
        }
        sum_lanes_before(before);
#pragma unroll
        for (int r = 0; r < N && first + r < C::ROWS; r++) {
            int i = first + r;
#pragma unroll
            for (int k = 0; k < C::VEC; k++) {
                v[i][k] += before[r];
                if (i > 0) {
                    v[i][k] += v[i - 1][k];
                } else if (top) {
                    v[i][k] += top[k];
                }
            }
        }
    }
}

/* The same for two rows at a time, in halves of 16 bits, which hold a row's sums. The dot product
 * with (1, 0) or (1, 1) takes them apart and adds in one instruction. */
template <class C>
__device__ __forceinline__ void scan_rows(typename C::L (&v)[C::ROWS][C::VEC],
                                          const typename C::L *top, std::true_type)
{
    constexpr int N = C::ROWS / 2 < SIDE_BY_SIDE ? C::ROWS / 2 : SIDE_BY_SIDE;
    static_assert(C::ROWS % (2 * N) == 0, "whole groups of pairs of rows");
#pragma unroll
    for (int first = 0; first < C::ROWS; first += 2 * N) {
        uint32_t two[N][C::VEC], before[N];
#pragma unroll
        for (int r = 0; r < N; r++) {
#pragma unroll
            for (int k = 0; k < C::VEC; k++) {
                two[r][k] = __byte_perm(v[first + 2 * r][k], v[first + 2 * r + 1][k], 0x5410) +
                            (k ? two[r][k - 1] : 0);
            }
            before[r] = two[r][C::VEC - 1];
        }
        sum_lanes_before(before);
#pragma unroll
        for (int r = 0; r < N; r++) {
            int i = first + 2 * r;
#pragma unroll
            for (int k = 0; k < C::VEC; k++) {
                uint32_t above = i ? v[i - 1][k] : top ? top[k] : 0;
                v[i][k] = __dp2a_lo(two[r][k] + before[r], 0x0001u, above);
                v[i + 1][k] = __dp2a_lo(two[r][k] + before[r], 0x0101u, above);
            }
        }
    }
}

template <class C>
__device__ __forceinline__ void scan_rows(typename C::L (&v)[C::ROWS][C::VEC],
                                          const typename C::L *top)
{
    scan_rows<C>(v, top, std::integral_constant<bool, C::PAIRED>());
}

/* v = each warp's table of its own rows; s = what other warps need of it. The caller's barrier
 * follows. */
template <class C>
__device__ __forceinline__ void scan_tile(typename C::L (&v)[C::ROWS][C::VEC], tile_shared<C> &s)
{
    typedef typename C::S S;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    scan_rows<C>(v, NULL);
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        s.bottom[warp][lane * C::VEC + k] = (S)v[C::ROWS - 1][k];
    }
    if (lane == 31) {
#pragma unroll
        for (int i = 0; i < C::ROWS; i++) {
            s.right[warp * C::ROWS + i] = (S)v[i][C::VEC - 1];
        }
    }
}

/* The sum of the block's columns up to t; t < ACROSS. */
template <class C>
__device__ __forceinline__ typename C::S sum_of_columns(const tile_shared<C> &s, int t)
{
    typename C::S down = 0;
#pragma unroll
    for (int k = 0; k < C::WARPS; k++) {
        down += s.bottom[k][t];
    }
    return down;
}

/* The sum of the block's rows up to t; t < HIGH. */
template <class C>
__device__ __forceinline__ typename C::S sum_of_rows(const tile_shared<C> &s, int t)
{
    typename C::S right = 0;
#pragma unroll
    for (int k = 0; k < C::WARPS; k++) {
        if (k == t / C::ROWS) {
            right += s.right[t];
        } else if (k < t / C::ROWS) {
            right += s.bottom[k][C::ACROSS - 1];
        }
    }
    return right;
}

/* Hands column t's sum above the block and row t's left of it to all threads; t < TILE. The caller
 * sets the corner, and its barrier follows. */
template <class C>
__device__ __forceinline__ void share_carries(tile_shared<C> &s, int t, typename C::S above,
                                              typename C::S left)
{
    s.above[t] = above;
    s.left[t] = (typename finish_type<typename C::L, typename C::S>::type)left;
}

/*
 * Stores a row of one channel, of which each lane has VEC sums that it cannot store at once. As
 * they are, neighbouring lanes would write VEC pixels apart; through the warp's part of the buffer
 * they get neighbouring pixels, so they write fewer sectors of memory at a time.
 */
template <class C>
__device__ __forceinline__ void
store_channel_row(const sat_plane &p, char *row, int columns, bool aligned,
                  const vector_values<typename C::O, C::VEC> &sums, void *buffer)
{
    typedef typename C::O O;
    static_assert(C::WARPS * sizeof(O) <= C::HIGH * sizeof(typename C::T), "a row for every warp");
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    O *line = (O *)buffer + warp * C::ACROSS;
    int64_t step = p.channels * (int64_t)sizeof(O);
    ((vector_values<O, C::VEC> *)line)[lane] = sums;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        int column = k * 32 + lane;
        if (column < columns) {
            write_value<O>(row + column * step, line[column], aligned);
        }
    }
    __syncwarp();
}

/* Adds to each sum what lies above its column, and left of its row, and stores the block. left: of
 * all rows of the block. buffer: the loader's, where nothing is on its way to it if there are
 * several channels. TURNS: it has room for a row of sums of each warp, by way of which neighbouring
 * lanes write neighbours where a lane cannot write its own at once. */
template <class C, bool TURNS = false, typename F>
__device__ __forceinline__ void store_sums(const sat_plane &p, const tile_place &at,
                                           const typename C::L (&v)[C::ROWS][C::VEC],
                                           const F (&above)[C::VEC], const F *left, void *buffer)
{
    typedef typename C::O O;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int64_t x = tile_x<C>(at) + lane * C::VEC, y = tile_y<C>(at) + warp * C::ROWS;
    auto row_of = [&](int i) {
        F before = left[warp * C::ROWS + i];
        vector_values<O, C::VEC> sums;
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            sums.value[k] = (O)((F)v[i][k] + before + above[k]);
        }
        return sums;
    };
    int rows = inside(y, p.height, C::ROWS);
    bool aligned = p.out_align >= (int)sizeof(O);
    bool turned = TURNS && p.out_align < vector_values<O, C::VEC>::WIDE;
    if ((C::SCOPE != SAT_ONE_CHANNEL && p.channels > 1) || turned) {
        int columns = inside(tile_x<C>(at), p.width, C::ACROSS);
        char *row = sum_at<O>(p, y, tile_x<C>(at), at.channel);
#pragma unroll
        for (int i = 0; i < C::ROWS; i++) {
            if (i < rows) { /* the same for the whole warp */
                store_channel_row<C>(p, row, columns, aligned, row_of(i), buffer);
            }
            row += p.out_stride;
        }
        return;
    }
    int columns = inside(x, p.width, C::VEC);
    bool whole = columns == C::VEC && p.out_align >= vector_values<O, C::VEC>::WIDE;
    char *row = sum_at<O>(p, y, x, at.channel);
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
        vector_values<O, C::VEC> sums = row_of(i);
        if (whole && i < rows) {
            write_vector<O, C::VEC>(row, sums);
        } else if (i < rows) {
#pragma unroll
            for (int k = 0; k < C::VEC; k++) {
                if (k < columns) {
                    write_value<O>(row + k * (int)sizeof(O), sums.value[k], aligned);
                }
            }
        }
        row += p.out_stride;
    }
}

/* Stores a block whose warps have tables of their own rows only. */
template <class C>
__device__ __forceinline__ void store_tile(const sat_plane &p, const tile_place &at,
                                           const typename C::L (&v)[C::ROWS][C::VEC],
                                           const tile_shared<C> &s, void *buffer)
{
    typedef typename C::S S;
    typedef typename finish_type<typename C::L, S>::type F;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    F above[C::VEC];
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        S sum = s.above[lane * C::VEC + k] + s.corner;
#pragma unroll
        for (int u = 0; u < C::WARPS - 1; u++) {
            if (u < warp) {
                sum += s.bottom[u][lane * C::VEC + k];
            }
        }
        above[k] = (F)sum;
    }
    store_sums<C>(p, at, v, above, s.left, buffer);
}

#endif
