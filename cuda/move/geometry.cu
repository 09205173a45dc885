/*
 * The symmetries of a rectangle and orders of pixels on a CUDA device. Flips are signs of
 * strides as far as they can be; what is left is transposing, reversing rows, and gathering.
 */
#include <type_traits>

#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/move/move.h"
#include "../../src/move/kernels.h"
}

#include "../base/transpose.cuh"
#include "geometry.cuh"

/* Rows of bytes. */
typedef struct plane {
    unsigned char *data;
    int64_t stride;
} plane;

typedef struct move_task {
    plane in, out;
    int64_t row_bytes, height; /* of the input */
    int64_t across;            /* tiles or segments across it */
} move_task;

enum { AT_ONCE = 8 }; /* words that a thread has on their way, or 4 */

/* ---------------------------------------------------------------- transposing */

/*
 * A tile of SIDE x SIDE pixels in shared memory. Row r of the tile is row
 * r / PIXELS of matrix r % PIXELS, in the diagonal arrangement (dissertation, section 5.3), whose
 * rows are a multiple of the banks long: words along a row of the tile lie in different
 * banks, and so do those that lanes want, the same word of rows PIXELS apart.
 */
template <int E> static __device__ __forceinline__ uint32_t tile_at(int r, int k)
{
    constexpr int N = group<E>::PIXELS;
    return layout_diagonal(group<E>::ROW_WORDS, NULL, r % N * LANES + r / N, k);
}

template <int E>
static __device__ __forceinline__ void load_tile(const move_task &task, uint32_t *tile, int64_t x,
                                                 int64_t y, int rows)
{
    constexpr int SIDE = group<E>::SIDE, ROW_WORDS = group<E>::ROW_WORDS;
    constexpr int WORDS = group<E>::WORDS, ROWS = SIDE / WARPS; /* a row a warp */
    constexpr int DEEP = AT_ONCE / WORDS < ROWS ? AT_ONCE / WORDS : ROWS;
    static_assert(ROWS % DEEP == 0, "as many rows each time");
    const unsigned char *first = task.in.data + y * task.in.stride;
    bool whole = rows == SIDE && (x + SIDE) * E <= task.row_bytes &&
                 (((uintptr_t)task.in.data | (uintptr_t)task.in.stride) & 3) == 0;
    if (whole) {
        int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
        const unsigned char *row = first + warp * task.in.stride + x * E + 4 * lane;
        for (int n = 0; n < ROWS; n += DEEP) {
            uint32_t words[DEEP][WORDS];
#pragma unroll
            for (int i = 0; i < DEEP; i++, row += WARPS * task.in.stride) {
#pragma unroll
                for (int f = 0; f < WORDS; f++) {
                    words[i][f] = ((const unsigned int *)row)[LANES * f];
                }
            }
#pragma unroll
            for (int i = 0; i < DEEP; i++) {
#pragma unroll
                for (int f = 0; f < WORDS; f++) {
                    tile[tile_at<E>((n + i) * WARPS + warp, lane + LANES * f)] = words[i][f];
                }
            }
        }
        return;
    }
    for (int at = (int)threadIdx.x; at < rows * ROW_WORDS; at += THREADS) {
        int r = at / ROW_WORDS, k = at % ROW_WORDS;
        tile[tile_at<E>(r, k)] =
            load_word(first + r * task.in.stride, x * E + 4 * k, task.row_bytes);
    }
}

/* Stores a row of the result, of `rows` pixels: through the stage, unless the lanes' words are
 * neighbours and aligned. */
template <int E>
static __device__ __forceinline__ void store_row(const stage<E> &staged, const group<E> &g,
                                                 unsigned char *to, int rows, int lane)
{
    if (group<E>::WORDS == 1 && rows == group<E>::SIDE && ((uintptr_t)to & 3) == 0) {
        ((unsigned int *)to)[lane] = g.word[0];
        return;
    }
    staged.put(lane, g);
    __syncwarp();
    if (rows == group<E>::SIDE && ((uintptr_t)to & 3) == 0) {
#pragma unroll
        for (int f = 0; f < group<E>::WORDS; f++) {
            ((unsigned int *)to)[lane + LANES * f] = staged.at(lane + LANES * f);
        }
    } else {
        staged.store(to, rows * E, lane);
    }
    __syncwarp();
}

/* A block transposes a tile; its dynamic shared memory has tile_bytes(). */
template <int E> static __global__ void __launch_bounds__(THREADS) transpose_tiles(move_task task)
{
    constexpr int N = group<E>::PIXELS, SIDE = group<E>::SIDE, WORDS = group<E>::WORDS;
    extern __shared__ uint32_t shared[];
    int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    stage<E> staged = {shared + SIDE * group<E>::ROW_WORDS +
                       warp * layout_giles_words(LANES, WORDS)};
    int64_t x = blockIdx.x % task.across * SIDE, y = blockIdx.x / task.across * SIDE;
    int rows = (int)(task.height - y < SIDE ? task.height - y : SIDE);
    int64_t width = task.row_bytes / E;
    int columns = (int)(width - x < SIDE ? width - x : SIDE);

    load_tile<E>(task, shared, x, y, rows);
    __syncthreads();
    for (int j = warp; j * N < columns; j += WARPS) {
        group<E> from[N], to[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int f = 0; f < WORDS; f++) {
                from[i].word[f] = shared[tile_at<E>(lane * N + i, j * WORDS + f)];
            }
        }
        turn_groups<E>(from, to);
#pragma unroll
        for (int b = 0; b < N; b++) {
            int column = j * N + b;
            if (column < columns) {
                store_row<E>(staged, to[b], task.out.data + (x + column) * task.out.stride + y * E,
                             rows, lane);
            }
        }
    }
}

template <int E> static size_t tile_bytes()
{
    return 4 * ((size_t)group<E>::SIDE * group<E>::ROW_WORDS +
                WARPS * layout_giles_words(LANES, group<E>::WORDS));
}

/* -------------------------------------------------------------------- by rows */

/* The place of a warp in the result: a segment of a row. */
struct position {
    int64_t y, segment;

    __device__ __forceinline__ void next(int64_t across)
    {
        if (++segment == across) {
            segment = 0;
            y++;
        }
    }
};

/* Stores the first `bytes` of the segment that the lanes hold. Words that are groups go straight to
 * aligned rows. */
template <int E, bool REVERSED>
static __device__ __forceinline__ void store_segment(const stage<E> &staged, unsigned char *to,
                                                     const uint32_t (&words)[group<E>::WORDS],
                                                     int bytes, int lane)
{
    constexpr int WORDS = group<E>::WORDS, SEGMENT = 4 * group<E>::ROW_WORDS;
    group<E> g = {{words[0]}};
    if (WORDS == 1) { /* the lane's own group: loaded from where it comes from */
        g = REVERSED ? reversed<E>(g) : g;
        if (bytes == SEGMENT && ((uintptr_t)to & 3) == 0) {
            ((unsigned int *)to)[lane] = g.word[0];
            return;
        }
        staged.put(lane, g);
    } else {
#pragma unroll
        for (int f = 0; f < WORDS; f++) {
            staged.at(lane + LANES * f) = words[f];
        }
        if (REVERSED) {
            __syncwarp();
            g = reversed<E>(staged.get(LANES - 1 - lane));
            __syncwarp();
            staged.put(lane, g);
        }
    }
    __syncwarp();
    staged.store(to, bytes, lane);
    __syncwarp();
}

/* A warp moves DEEP segments of rows of the result at a time; reversed segments come from the row's
 * other end. */
template <int E, bool REVERSED>
static __global__ void __launch_bounds__(THREADS) move_segments(move_task task)
{
    constexpr int WORDS = group<E>::WORDS, SEGMENT = 4 * group<E>::ROW_WORDS;
    constexpr int DEEP = WORDS < AT_ONCE ? AT_ONCE / WORDS : 1;
    extern __shared__ uint32_t shared[];
    int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    stage<E> staged = {shared + warp * layout_giles_words(LANES, WORDS)};
    int64_t all = task.across * task.height, step = (int64_t)gridDim.x * WARPS * DEEP;
    for (int64_t s = ((int64_t)blockIdx.x * WARPS + warp) * DEEP; s < all; s += step) {
        const position first = {s / task.across, s % task.across};
        uint32_t words[DEEP][WORDS];
        position at = first;
#pragma unroll
        for (int u = 0; u < DEEP; u++, at.next(task.across)) {
            /* reversed: before the row where little is left */
            int64_t left = task.row_bytes - at.segment * SEGMENT;
            int64_t from = REVERSED ? left - SEGMENT : at.segment * SEGMENT;
            const unsigned char *row = task.in.data + at.y * task.in.stride;
#pragma unroll
            for (int f = 0; f < WORDS; f++) {
                int k = REVERSED && WORDS == 1 ? LANES - 1 - lane : lane + LANES * f;
                words[u][f] = s + u < all ? load_word(row, from + 4 * k, task.row_bytes) : 0;
            }
        }
        at = first;
#pragma unroll
        for (int u = 0; u < DEEP; u++, at.next(task.across)) {
            if (s + u < all) {
                int64_t left = task.row_bytes - at.segment * SEGMENT;
                store_segment<E, REVERSED>(
                    staged, task.out.data + at.y * task.out.stride + at.segment * SEGMENT, words[u],
                    (int)(left < SEGMENT ? left : SEGMENT), lane);
            }
        }
    }
}

/* For rows of aligned chunks: the groups of chunks that a thread has under way at a time. */
template <int E> constexpr int chunks_at_once = chunks<E>::CHUNKS == 1 ? 4 : 1;

template <int E, bool REVERSED>
static __global__ void __launch_bounds__(THREADS) move_chunks(move_task task)
{
    typedef chunks<E> group;
    constexpr int DEEP = chunks_at_once<E>;
    int64_t groups = task.row_bytes / (16 * group::CHUNKS);
    int64_t first = (int64_t)blockIdx.x * (THREADS * DEEP) + threadIdx.x;
    for (int64_t y = blockIdx.y; y < task.height; y += gridDim.y) {
        const uint4 *in = (const uint4 *)(task.in.data + y * task.in.stride);
        uint4 *out = (uint4 *)(task.out.data + y * task.out.stride);
        group here[DEEP];
#pragma unroll
        for (int j = 0; j < DEEP; j++) {
            int64_t i = first + j * THREADS;
#pragma unroll
            for (int c = 0; c < group::CHUNKS && i < groups; c++) {
                uint4 chunk = in[(REVERSED ? groups - 1 - i : i) * group::CHUNKS + c];
                here[j].word[4 * c] = chunk.x;
                here[j].word[4 * c + 1] = chunk.y;
                here[j].word[4 * c + 2] = chunk.z;
                here[j].word[4 * c + 3] = chunk.w;
            }
        }
#pragma unroll
        for (int j = 0; j < DEEP; j++) {
            int64_t i = first + j * THREADS;
            group placed = REVERSED ? reversed<E>(here[j]) : here[j];
#pragma unroll
            for (int c = 0; c < group::CHUNKS && i < groups; c++) {
                out[i * group::CHUNKS + c] =
                    make_uint4(placed.word[4 * c], placed.word[4 * c + 1], placed.word[4 * c + 2],
                               placed.word[4 * c + 3]);
            }
        }
    }
}

/* ------------------------------------------------------------------- gathering */

typedef struct unit_16 {
    alignas(16) uint64_t half[2];
} unit_16;

/* 1, 2, 4, 8 or 16 bytes, to which both are aligned. */
static __device__ inline void copy_unit(unsigned char *to, const unsigned char *from, int bytes)
{
    if (bytes == 16) {
        *(unit_16 *)to = *(const unit_16 *)from;
    } else if (bytes == 8) {
        *(uint64_t *)to = *(const uint64_t *)from;
    } else if (bytes == 4) {
        *(uint32_t *)to = *(const uint32_t *)from;
    } else if (bytes == 2) {
        *(uint16_t *)to = *(const uint16_t *)from;
    } else {
        *to = *from;
    }
}

/* A thread moves a unit of a pixel of the result; a pixel has `units`. */
static __global__ void __launch_bounds__(THREADS)
    gather_units(move_task task, const uint32_t *order, int64_t width, int units, int unit_bytes)
{
    int64_t n = width * units, pixel_bytes = (int64_t)units * unit_bytes;
    bool packed = task.in.stride == width * pixel_bytes;
    for (int64_t y = blockIdx.y; y < task.height; y += gridDim.y) {
#pragma unroll 1
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            uint32_t from = order[y * width + i / units];
            int64_t at = packed ? from * pixel_bytes
                                : from / width * task.in.stride + from % width * pixel_bytes;
            copy_unit(task.out.data + y * task.out.stride + i * unit_bytes,
                      task.in.data + at + i % units * unit_bytes, unit_bytes);
        }
    }
}

/* ------------------------------------------------------------------- launching */

enum { MAX_BLOCKS = 1 << 16, MAX_GRID_ROWS = 65535 };

/* The grid's blocks for n tasks; threads go on to further tasks. */
static unsigned geometry_blocks_for(int64_t n)
{
    return (unsigned)(n < MAX_BLOCKS ? n : MAX_BLOCKS);
}

/* The view's rows, from the last one upwards if `up`. */
static plane plane_of(const satf_view *view, bool up)
{
    plane p = {(unsigned char *)view->data, view->stride};
    if (up) {
        p.data += (view->height - 1) * view->stride;
        p.stride = -view->stride;
    }
    return p;
}

/* Pixels of 1, 2, 4, 8 or 16 bytes; void for others. */
template <int E> struct unit {
    typedef void type;
};
template <> struct unit<1> {
    typedef uint8_t type;
};
template <> struct unit<2> {
    typedef uint16_t type;
};
template <> struct unit<4> {
    typedef uint32_t type;
};
template <> struct unit<8> {
    typedef uint64_t type;
};
template <> struct unit<16> {
    typedef unit_16 type;
};

/* cuda/permute/transpose.cu has these kernels. */
extern template cudaError_t transpose_launch<uint32_t, 4>(transpose_job job, cudaStream_t stream);
extern template cudaError_t transpose_launch<uint64_t, 2>(transpose_job job, cudaStream_t stream);

template <int E>
static satf_status launch_transpose(satf_context *ctx, cudaStream_t stream, move_task task)
{
    typedef typename unit<E>::type pixel;
    int64_t width = task.row_bytes / E;
    if constexpr (!std::is_void<pixel>::value) {
        transpose_matrix in = {(char *)task.in.data, task.in.stride};
        transpose_matrix out = {(char *)task.out.data, task.out.stride};
        if (transpose_by_chunks<pixel>(in, out)) {
            transpose_job job = {in, out, task.height, width, {0}, 0, 0};
            return cuda_check(ctx, transpose_launch<pixel, transpose_chunk_of<pixel>>(job, stream),
                              "cudaLaunchKernel");
        }
    }
    task.across = (width - 1) / group<E>::SIDE + 1;
    int64_t tiles = ((task.height - 1) / group<E>::SIDE + 1) * task.across;
    size_t bytes = tile_bytes<E>();
    if (tiles > INT32_MAX) {
        return satf_fail(ctx, SATF_LIMIT, "the image has too many tiles for one launch");
    }
    CUDA_RETURN(ctx, cudaFuncSetAttribute(transpose_tiles<E>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    transpose_tiles<E><<<(unsigned)tiles, THREADS, bytes, stream>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

template <int E, bool REVERSED>
static satf_status launch_rows(satf_context *ctx, cudaStream_t stream, move_task task)
{
    uintptr_t common = (uintptr_t)task.in.data | (uintptr_t)task.in.stride |
                       (uintptr_t)task.out.data | (uintptr_t)task.out.stride;
    int64_t each = 16 * chunks<E>::CHUNKS;
    if (common % 16 == 0 && task.row_bytes % each == 0) {
        int64_t at_once = THREADS * chunks_at_once<E>;
        dim3 grid((unsigned)((task.row_bytes / each - 1) / at_once + 1),
                  (unsigned)(task.height < MAX_GRID_ROWS ? task.height : MAX_GRID_ROWS));
        move_chunks<E, REVERSED><<<grid, THREADS, 0, stream>>>(task);
        return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
    }
    task.across = (task.row_bytes - 1) / (4 * group<E>::ROW_WORDS) + 1;
    int64_t deep = group<E>::WORDS < AT_ONCE ? AT_ONCE / group<E>::WORDS : 1;
    int64_t blocks = (task.across * task.height - 1) / (WARPS * deep) + 1;
    size_t bytes = 4 * (size_t)WARPS * layout_giles_words(LANES, group<E>::WORDS);
    move_segments<E, REVERSED><<<geometry_blocks_for(blocks), THREADS, bytes, stream>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

/* Gathers pixels by the largest units that divide a pixel and that all rows are aligned to. */
static satf_status gather(satf_context *ctx, cudaStream_t stream, const move_task &task,
                          const uint32_t *order, int64_t width, int64_t bytes)
{
    uintptr_t common = (uintptr_t)task.in.data | (uintptr_t)task.in.stride |
                       (uintptr_t)task.out.data | (uintptr_t)task.out.stride | (uintptr_t)bytes;
    int unit = 16;
    while (common % (unsigned)unit != 0) {
        unit /= 2;
    }
    int units = (int)(bytes / unit);
    dim3 grid(geometry_blocks_for((width * units - 1) / THREADS + 1),
              (unsigned)(task.height < MAX_GRID_ROWS ? task.height : MAX_GRID_ROWS));
    gather_units<<<grid, THREADS, 0, stream>>>(task, order, width, units, unit);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

typedef satf_status launcher(satf_context *ctx, cudaStream_t stream, move_task task);

static const struct {
    int bytes;
    launcher *transpose, *reverse;
} launchers[] = {
#define LAUNCHERS(bytes) {bytes, launch_transpose<bytes>, launch_rows<bytes, true>},
    MOVE_PIXELS(LAUNCHERS)
#undef LAUNCHERS
};

extern "C" satf_status cuda_move(satf_context *ctx, const move_job *job)
{
    const satf_view *in = &job->in, *out = &job->out;
    satf_status status = cuda_open(ctx, in->device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    bool transposes = job->symmetry & MOVE_TRANSPOSE, reverses = job->symmetry & MOVE_FLIP_H;
    int64_t bytes = in->channels * (int64_t)satf_type_bytes(in->type);
    /* Column x of the input is row x of the result: under a transposition left and right are
     * the result's top and bottom. */
    move_task task = {plane_of(in, job->symmetry & MOVE_FLIP_V),
                      plane_of(out, transposes && reverses), in->width * bytes, in->height, 0};
    if (job->order) {
        return gather(ctx, stream, task, job->order, in->width, bytes);
    }
    if (!transposes && !reverses) {
        return launch_rows<4, false>(ctx, stream, task);
    }
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (launchers[i].bytes == bytes) {
            return (transposes ? launchers[i].transpose : launchers[i].reverse)(ctx, stream, task);
        }
    }
    return satf_fail(ctx, SATF_UNSUPPORTED, "no kernel moves pixels of these many bytes");
}
