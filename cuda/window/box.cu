/*
 * Box means of bytes, and other formulas of sums, by the matrix units: sums along rows are products
 * of the samples with a band of ones, sums down columns those of such row sums, of which a byte
 * each is multiplied. Both are exact. A block marches down a strip of columns, 16 rows a step; a
 * warp keeps the row sums of its window in registers, so each row is read once. Borders are weights
 * (src/window/bands.h).
 */
#include "../base/check.h"
#include "../base/engine.h"
#include "feed.cuh"
#include "finish.cuh"
#include "lanes.cuh"
#include "multiply.cuh"

extern "C" {
#include "blocks.h"
#include "../../src/window/bands_words.h"
#include "../../src/window/gpu.h"
}

enum { STEP = BANDS_DOWN_TILE, TILE = BANDS_ACROSS_TILE, MOST_WARPS = BLOCKS_MOST_WARPS };

typedef struct box_task {
    CUtensorMap map; /* of the image, if it is mapped */
    feed_image in;
    int mapped, pitch;
    uint8_t *out;
    int64_t out_stride;
    const uint32_t *across, *down;
    int across_first, across_last, down_first, down_last; /* tiles, as in window_bands */
    int strips, segment;
    finish_task finish;
    /* 2^8 and 2^16. A multiplication runs beside the units that shift and permute, which have the
     * most to do here; of constants the compiler would make shifts. */
    int shift_8, shift_16;
} box_task;

/* ------------------------------------------------------------------ products */

/* at[b]: the lane's row of rows 8 b to 8 b + 7, from the tile's halo on. */
template <int PIECES>
static __device__ __forceinline__ row_sums add_along_rows(const uint32_t (&weights)[2][PIECES][2],
                                                          const uint32_t (&at)[2], int t,
                                                          const box_task &task)
{
    product sums[2][2]; /* rows, half of the tile */
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
        for (int k = 0; k + 1 < PIECES; k += 2) {
            uint32_t low, high;
            load_eight<true>(at[b] + 16 * k + 8 * t, &low, &high);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                sums[b][q] =
                    multiply<PLAIN_WEIGHTS>(weights[q][k], low, high, k ? sums[b][q] : all_of(0));
            }
        }
        if (PIECES % 2) {
            uint32_t four = load_four(at[b] + 16 * (PIECES - 1) + 4 * t);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                sums[b][q] = multiply_half<PLAIN_WEIGHTS>(weights[q][PIECES - 1], four, sums[b][q]);
            }
        }
    }
    return pack_rows(sums, task.shift_16);
}

/* The groups' bytes times their weights; newest: the group that came last. */
template <int GROUPS, class Byte>
static __device__ __forceinline__ product add_down(const uint32_t (&weights)[GROUPS][4], int newest,
                                                   product sum, const Byte &byte)
{
#pragma unroll
    for (int k = 0; k + 1 < GROUPS; k += 2) {
        sum = multiply<PLAIN_WEIGHTS>(weights[(k - newest - 1 + 2 * GROUPS) % GROUPS], byte(k),
                                      byte(k + 1), sum);
    }
    if (GROUPS % 2) {
        int last = GROUPS - 1;
        sum = multiply_half<PLAIN_WEIGHTS>(weights[(last - newest - 1 + 2 * GROUPS) % GROUPS],
                                           byte(last), sum);
    }
    return sum;
}

template <int GROUPS, class Finish>
static __device__ __forceinline__ mean_rows add_columns(const uint32_t (&weights)[GROUPS][4],
                                                        const row_sums *ring, int newest,
                                                        const box_task &task,
                                                        const typename Finish::centres &centres)
{
    mean_rows rows;
#pragma unroll
    for (int q = 0; q < 2; q++) {
        uint32_t pair[2][2]; /* of row g or g + 8, two neighbours */
#pragma unroll
        for (int h = 0; h < 2; h++) {
            product sum = add_down<GROUPS>(weights, newest, all_of(0),
                                           [&](int k) { return ring[k].high[q][h]; });
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum.at[i] = sum.at[i] * task.shift_8 + Finish::START;
            }
            sum = add_down<GROUPS>(weights, newest, sum, [&](int k) { return ring[k].low[q][h]; });
            int at = 4 * q + 2 * h;
            pair[0][h] = Finish::two(task.finish, sum.at[0], sum.at[1], centres, 0, at);
            pair[1][h] = Finish::two(task.finish, sum.at[2], sum.at[3], centres, 1, at);
        }
        rows.word[0][q] = __byte_perm(pair[0][0], pair[0][1], 0x5410);
        rows.word[1][q] = __byte_perm(pair[1][0], pair[1][1], 0x5410);
    }
    return rows;
}

/* ------------------------------------------------------------------- kernel */

/* Which matrix a tile has; one above the image has any, nothing of it is stored. */
static __device__ __forceinline__ int matrix_of(int tile, int first, int last)
{
    return tile < 0 ? 0 : tile < first ? 1 + tile : tile >= last ? 1 + first + tile - last : 0;
}

/* A lane's words of a matrix. */
template <int COUNT>
static __device__ __forceinline__ void load_matrix(uint32_t *weights, const uint32_t *matrices,
                                                   int matrix)
{
    const uint4 *from = (const uint4 *)matrices + (matrix * (COUNT / 4) * 32 + threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < COUNT / 4; i++) {
        uint4 four = __ldg(from + 32 * i);
        weights[4 * i] = four.x;
        weights[4 * i + 1] = four.y;
        weights[4 * i + 2] = four.z;
        weights[4 * i + 3] = four.w;
    }
}

/* Where a block works. */
struct box_place {
    int strip_x, strip_bytes; /* columns */
    int begin, rows;          /* of the result */
    int steps;
};

template <int DOWN, int TILES>
static __device__ __forceinline__ box_place place_of(const box_task &task)
{
    box_place at;
    at.strip_bytes = ((int)blockDim.x / 32 - 1) * (TILE * TILES);
    at.strip_x = (int)blockIdx.x % task.strips * at.strip_bytes;
    at.begin = (int)blockIdx.x / task.strips * task.segment;
    at.rows = min(task.in.height - at.begin, task.segment);
    at.steps = (at.rows + STEP - 1) / STEP + DOWN / 8;
    return at;
}

/*
 * A warp's TILES tiles of a strip. A step takes 16 rows in and gives out 16 that lie AHEAD steps
 * higher. Steps are plain far from the upper and the lower edge, in warps whose columns are in the
 * image: weights stay in registers then, and all that comes out is stored. Other steps
 * load their weights, and tiles that are not alike theirs.
 */
template <int ACROSS, int DOWN, int TILES, class Finish> struct box_warp {
    static constexpr int PIECES = ACROSS / 8 + 2, GROUPS = DOWN / 8 + 1, AHEAD = GROUPS - 1;
    const box_task &task;
    const box_place &place;
    feed &source;
    uint32_t across[2][PIECES][2], down[GROUPS][4];
    row_sums ring[TILES][GROUPS];
    int matrices[TILES];
    bool alike;
    int g, t;               /* the lane's row and column of a product */
    uint32_t lane_at[2];    /* within a stage: its rows g and g + 8, from the warp's halo on */
    int count;              /* bytes of the image from its first column on */
    uint8_t *to;            /* its first result of the next step */
    const uint8_t *samples; /* those there */
    int first_tile;         /* of step 0, down */
    int plain_from, plain_to;

    __device__ __forceinline__ box_warp(const box_task &of, const box_place &at, feed &from, int x)
        : task(of), place(at), source(from), alike(true)
    {
        g = (int)threadIdx.x % 32 / 4;
        t = (int)threadIdx.x % 4;
#pragma unroll
        for (int p = 0; p < TILES; p++) {
            int tile = min(x + TILE * p, task.in.row_bytes - 1) / TILE;
            matrices[p] = matrix_of(tile, task.across_first, task.across_last);
            alike = alike && matrices[p] == matrices[0];
        }
        load_matrix<4 * PIECES>(across[0][0], task.across, matrices[0]);
        load_matrix<4 * GROUPS>(down[0], task.down, 0);
        lane_at[0] = source.place(g, x - ACROSS);
        lane_at[1] = source.place(g + 8, x - ACROSS);
        count = task.in.row_bytes - x - 8 * t;
        to = task.out + (place.begin + g - AHEAD * STEP) * task.out_stride + x + 8 * t;
        samples = task.in.data + (place.begin + g - AHEAD * STEP) * task.in.stride + x + 8 * t;
        first_tile = place.begin / STEP - AHEAD;
        bool whole = __all_sync(~0u, count >= TILE * (TILES - 1) + 8);
        plain_from = whole ? max(AHEAD, task.down_first - first_tile) : place.steps;
        plain_to = min(task.down_last - first_tile, place.rows / STEP + AHEAD);
    }

    template <bool PLAIN>
    __device__ __forceinline__ void store(const mean_rows &means, int row, int tile)
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint8_t *at = to + 8 * b * task.out_stride + TILE * tile;
            if (PLAIN) {
                __stcs((uint2 *)at, make_uint2(means.word[b][0], means.word[b][1]));
            } else if (row >= 0 && row + 8 * b < place.rows) {
                store_eight(at, means.word[b], count - TILE * tile);
            }
        }
    }

    /* newest: the group of the ring that this step replaces. */
    template <bool PLAIN, bool ALIKE> __device__ __forceinline__ void do_step(int newest, int step)
    {
        const uint32_t stage = source.await();
        uint32_t own[GROUPS][4], made = ~0u;
        if (!PLAIN) {
            load_matrix<4 * GROUPS>(own[0], task.down,
                                    matrix_of(first_tile + step, task.down_first, task.down_last));
        }
#pragma unroll
        for (int p = 0; p < TILES; p++) {
            const uint32_t at[2] = {stage + lane_at[0] + TILE * p, stage + lane_at[1] + TILE * p};
            if (!ALIKE && TILES > 1) {
                load_matrix<4 * PIECES>(across[0][0], task.across, matrices[p]);
            }
            ring[p][newest] = add_along_rows<PIECES>(across, at, t, task);
            made &= ring[p][newest].high[0][0]; /* of all samples; sums are below 0x8100 */
        }
        source.done(made);
#pragma unroll
        for (int p = 0; p < TILES && (PLAIN || step >= AHEAD); p++) {
            int row = STEP * (step - AHEAD) + g;
            bool whole = PLAIN || count > TILE * p;
            typename Finish::centres centres = Finish::load(
                samples + TILE * p, task.in.stride, PLAIN || (whole && row < place.rows),
                PLAIN || (whole && row + 8 < place.rows));
            store<PLAIN>(
                add_columns<GROUPS, Finish>(PLAIN ? down : own, ring[p], newest, task, centres),
                row, p);
        }
        to += STEP * task.out_stride;
        samples += STEP * task.in.stride;
    }

    /* Steps until the ring is as it was. */
    template <bool PLAIN, bool ALIKE> __device__ __forceinline__ void do_round(int first)
    {
#pragma unroll
        for (int u = 0; u < GROUPS; u++) {
            if (PLAIN || first + u < place.steps) {
                do_step<PLAIN, ALIKE>(u, first + u);
            }
        }
    }

    __device__ __forceinline__ void march()
    {
#pragma unroll 1
        for (int first = 0; first < place.steps; first += GROUPS) {
            if (first < plain_from || first + GROUPS > plain_to) {
                do_round<false, false>(first);
            } else if (alike || TILES == 1) {
                do_round<true, true>(first);
            } else {
                do_round<true, false>(first);
            }
        }
    }
};

/* A block's strip of columns and segment of rows: a warp TILES tiles of them, and one more that
 * feeds. */
template <int ACROSS, int DOWN, int TILES, class Finish>
static __global__ void __launch_bounds__(32 * (MOST_WARPS + 1), 1)
    box_down(const __grid_constant__ box_task task)
{
    const box_place place = place_of<DOWN, TILES>(task);
    const int warp = warp_number(), warps = (int)blockDim.x / 32 - 1;
    const int working = min(warps, (task.in.row_bytes - place.strip_x - 1) / (TILE * TILES) + 1);
    const int margin = margin_of(ACROSS);
    feed source(task.in, task.mapped ? &task.map : NULL, place.strip_x - margin,
                place.strip_bytes + 2 * margin, task.pitch, place.begin - DOWN, working);
    if (warp == warps) {
        source.send_all(place.steps);
    } else if (warp < working) {
        box_warp<ACROSS, DOWN, TILES, Finish>(task, place, source,
                                              place.strip_x + warp * (TILE * TILES))
            .march();
    }
}

/* ------------------------------------------------------------------ launches */

typedef void (*box_kernel)(const box_task task);

/* That of the formula of that number, of bytes and no squares, if it is often asked for. */
template <int ACROSS, int DOWN, int TILES> static box_kernel kernel_of(int formula)
{
    switch (formula) {
    case FORMULA_NONE:
        return box_down<ACROSS, DOWN, TILES, mean_finish>;
#define FORMULA_ENTRY(name, reads)                                                \
    case FORMULA_##name:                                                          \
        if constexpr (window_gpu_has_formula(reads)) {                            \
            return box_down<ACROSS, DOWN, TILES, formula_finish<FORMULA_##name>>; \
        }                                                                         \
        return NULL;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        return NULL;
    }
}

/* In the order of window_gpu_halos; a warp has two tiles where registers allow it. */
static const struct box_row {
    int across, down, tiles;
    box_kernel (*kernel)(int formula);
} box_rows[] = {
    {8, 8, 2, kernel_of<8, 8, 2>},     {32, 8, 2, kernel_of<32, 8, 2>},
    {16, 16, 2, kernel_of<16, 16, 2>}, {64, 16, 1, kernel_of<64, 16, 1>},
    {32, 32, 1, kernel_of<32, 32, 1>}, {64, 32, 1, kernel_of<64, 32, 1>},
};

static const box_row *row_of(const window_gpu_box *box)
{
    for (const box_row &row : box_rows) {
        if (row.across == box->across.halo && row.down == box->down.halo) {
            return &row;
        }
    }
    return NULL;
}

/* Bytes that blocks of a kernel stage. */
static int shared_of(const box_row *row, int warps)
{
    return FEED_STAGES * FEED_ROWS * feed_pitch(warps * row->tiles * TILE, margin_of(row->across));
}

extern "C" bool window_gpu_multiplies(int device)
{
    enum { AMPERE = 80 };
    return code_capability(device) >= AMPERE;
}

extern "C" satf_status window_gpu_box_plan(satf_context *ctx, window_gpu_box *box)
{
    const box_row *row = row_of(box);
    box_kernel kernel = row ? row->kernel(box->formula.number) : NULL;
    int64_t row_bytes = box->in.width * box->in.channels;
    if (!kernel || row_bytes > INT32_MAX / 2 || box->in.height > INT32_MAX / 2) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for such a window");
    }
    int processors = 0, shared = 0, ordinal = satf_gpu_ordinal(box->in.device);
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal));
    CUDA_RETURN(ctx,
                cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    box->tiles = row->tiles;
    window_blocks blocks = {.row_bytes = row_bytes,
                            .height = box->in.height,
                            .tiles = row->tiles,
                            .ahead = row->down / 8,
                            .most_warps = MOST_WARPS,
                            .enough_warps = 12,
                            .shared_of_warp = FEED_STAGES * FEED_ROWS * row->tiles * TILE,
                            .shared_of_block = shared_of(row, 0),
                            .shared = shared};
    window_blocks_choose(&blocks, processors);
    box->warps = blocks.warps;
    box->segment = blocks.segment;
    box->pitch = feed_pitch(box->warps * row->tiles * TILE, margin_of(row->across));
    box->shared_bytes = shared_of(row, box->warps);
    box->kernel = (void (*)(void))kernel;
    /* The limit is the kernel's, whatever other plans it serves. */
    CUDA_RETURN(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          shared_of(row, MOST_WARPS)));
    return SATF_OK;
}

/* A thread a word of both axes. */
static __global__ void make_weights(const __grid_constant__ window_bands across,
                                    const __grid_constant__ window_bands down, int64_t first_down,
                                    int64_t words, uint32_t *to)
{
    int64_t index = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index < words) {
        to[index] =
            index < first_down ? bands_word(&across, index) : bands_word(&down, index - first_down);
    }
}

extern "C" satf_status window_gpu_box_prepare(satf_context *ctx, const window_gpu_box *box)
{
    enum { THREADS = 128 };
    int64_t across = window_bands_words(&box->across);
    int64_t words = across + window_bands_words(&box->down);
    make_weights<<<(unsigned)((words + THREADS - 1) / THREADS), THREADS, 0,
                   (cudaStream_t)satf_gpu_stream(ctx)>>>(box->across, box->down, across, words,
                                                         box->weights);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

extern "C" satf_status window_gpu_box_run(satf_context *ctx, const window_gpu_box *box)
{
    int row_bytes = (int)(box->in.width * box->in.channels);
    const window_bands *across = &box->across, *down = &box->down;
    box_task task = {};
    task.in.data = (const uint8_t *)box->in.data;
    task.in.stride = box->in.stride;
    task.in.row_bytes = row_bytes;
    task.in.height = (int)box->in.height;
    task.in.border = FEED_NO_BORDER;
    task.pitch = box->pitch;
    task.mapped = feed_describe(&task.map, task.in, box->pitch, box->in.device);
    task.out = (uint8_t *)box->out.data;
    task.out_stride = box->out.stride;
    task.across = box->weights;
    task.down = box->weights + window_bands_words(across);
    task.across_first = (int)across->first;
    task.across_last = (int)across->last;
    task.down_first = (int)down->first;
    task.down_last = (int)down->last;
    int strip_bytes = box->warps * box->tiles * TILE;
    task.strips = (row_bytes + strip_bytes - 1) / strip_bytes;
    task.segment = box->segment;
    task.finish.inverse = 1.0f / (float)box->area;
    task.finish.zero = box->area % 2 ? 8388608.0f : 8388607.5f;
    task.finish.formula = box->formula;
    task.shift_8 = 1 << 8;
    task.shift_16 = 1 << 16;
    unsigned segments = (unsigned)((task.in.height + task.segment - 1) / task.segment);
    box_kernel kernel = (box_kernel)box->kernel;
    kernel<<<(unsigned)task.strips * segments, 32 * (box->warps + 1), (size_t)box->shared_bytes,
             (cudaStream_t)satf_gpu_stream(ctx)>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
