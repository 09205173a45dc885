/*
 * Box means of bytes under large windows by the matrix units, with as many products whatever the
 * window's height (src/sums/march/pieces.h). A block marches down a strip of columns, 16 rows a
 * step; a warp keeps the sum of its window's groups of 16 rows in registers, and the row sums of
 * each group in shared memory until it leaves. Rows outside the image are loaded as the border has
 * them; strips at its left and right edges read copies that go on beyond the edges.
 */
#include "../base/check.h"
#include "loader.cuh"
#include "lanes.cuh"

extern "C" {
#include "blocks.h"
#include "../../src/sums/march/gpu.h"
}

enum {
    STEP = BANDS_DOWN_TILE,
    TILE = BANDS_ACROSS_TILE,
    GROUP_BYTES = 2 * STEP * TILE,
    STATIC_BYTES = 256
};

/* The planes that strips read: the image, or the copies of its left and of its right side. */
enum { LEFT, INNER, RIGHT, PLANES };

typedef struct large_task {
    CUtensorMap maps[PLANES];
    loader_image planes[PLANES];
    int first[PLANES]; /* the image's byte that a plane's rows begin with */
    int mapped[PLANES];
    int left, right; /* the first inner strip, and the first of the right side */
    int row_bytes, height, margin, pitch;
    uint8_t *out;
    int64_t out_stride;
    const uint32_t *weights;
    window_pieces pieces;
    int strips, segment;
    uint32_t multiplier; /* pieces_divisor's, and which bytes of two products are the means */
    uint32_t mean_bytes;
    int half;              /* of the area */
    int shift_8, shift_16; /* 2^8 and 2^16, see box_task */
} large_task;

/* The place where a block works. */
struct large_place {
    int plane, strip_x, begin, rows, steps;
};

static __device__ __forceinline__ large_place large_place_of(const large_task &task)
{
    int warps = (int)blockDim.x / 32 - 1;
    large_place at;
    int strip = (int)blockIdx.x % task.strips;
    at.plane = strip < task.left ? LEFT : strip < task.right ? INNER : RIGHT;
    at.strip_x = strip * warps * TILE;
    at.begin = (int)blockIdx.x / task.strips * task.segment;
    at.rows = min(task.height - at.begin, task.segment);
    at.steps = (at.rows + STEP - 1) / STEP + task.pieces.kept;
    return at;
}

/* A lane's words of a quad. */
static __device__ __forceinline__ void load_quad(uint32_t (&words)[4], const large_task &task,
                                                 int quad)
{
    uint4 four = __ldg((const uint4 *)task.weights + quad * 32 + threadIdx.x % 32);
    words[0] = four.x;
    words[1] = four.y;
    words[2] = four.z;
    words[3] = four.w;
}

static __device__ __forceinline__ row_sums load_group(uint32_t at)
{
    row_sums group;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(group.low[0][0]), "=r"(group.low[0][1]), "=r"(group.low[1][0]),
                   "=r"(group.low[1][1])
                 : "r"(at));
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(group.high[0][0]), "=r"(group.high[0][1]), "=r"(group.high[1][0]),
                   "=r"(group.high[1][1])
                 : "r"(at + GROUP_BYTES / 2));
    return group;
}

static __device__ __forceinline__ void store_group(uint32_t at, const row_sums &group)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(group.low[0][0]),
                 "r"(group.low[0][1]), "r"(group.low[1][0]), "r"(group.low[1][1]));
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at + GROUP_BYTES / 2),
                 "r"(group.high[0][0]), "r"(group.high[0][1]), "r"(group.high[1][0]),
                 "r"(group.high[1][1]));
}

/* EVEN: all products read from multiples of 8 bytes on. TRIPLE: three channels, whose chunks have
 * other weights in each half of a tile and begin anywhere. CUT: the group before the newest one is
 * not wholly in all windows. */
template <bool EVEN, bool TRIPLE, bool CUT> struct large_warp {
    const large_task &task;
    const large_place &place;
    loader &source;
    uint32_t left[2][4], right[2][4], whole[TRIPLE ? 2 : 1][4], ends[4], cut[4], turn[4];
    product low[2][2], high[2][2]; /* half of the tile, its row of a product: of all groups kept */
    int g, t;                      /* the lane's row and column of a product */
    uint32_t lane_at[2];           /* within a stage: its rows g and g + 8, its eight columns */
    uint32_t ring, slot;           /* the lane's part of a group: first, the oldest */
    uint32_t slot_bytes;
    int count;   /* bytes of the image from the lane's first column on */
    uint8_t *to; /* its first result of the next step */

    __device__ __forceinline__ large_warp(const large_task &of, const large_place &at, loader &from,
                                          int warp)
        : task(of), place(at), source(from)
    {
        int lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32 - 1;
        int x = place.strip_x + TILE * warp;
        g = lane / 4;
        t = lane % 4;
#pragma unroll
        for (int q = 0; q < 2; q++) {
            load_quad(left[q], task, PIECES_LEFT + q);
            load_quad(right[q], task, PIECES_RIGHT + q);
            if (q == 0 || TRIPLE) {
                load_quad(whole[q], task, PIECES_WHOLE + q);
            }
        }
        load_quad(ends, task, PIECES_ENDS);
        load_quad(cut, task, PIECES_CUT);
        turn[0] = turn[1] = 0xFFFFFFFF;
        turn[2] = turn[3] = 0x01010101;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i / 2][i % 2] = all_of(task.half);
            high[i / 2][i % 2] = all_of(0);
        }
        lane_at[0] = (uint32_t)(g * task.pitch + task.margin + TILE * warp + 8 * t);
        lane_at[1] = lane_at[0] + (uint32_t)(8 * task.pitch);
        slot_bytes = (uint32_t)(warps * GROUP_BYTES);
        ring = source.stages + (uint32_t)(LOADER_STAGES * LOADER_ROWS * task.pitch +
                                          warp * GROUP_BYTES + 16 * lane);
        slot = ring;
        for (int k = 0; k < task.pieces.kept; k++) {
            store_group(ring + (uint32_t)k * slot_bytes, {});
        }
        count = task.row_bytes - x - 8 * t;
        to = task.out + (place.begin + g - task.pieces.kept * STEP) * task.out_stride + x + 8 * t;
    }

    /* The products that move the chunks' ends to the windows'. at[b]: the lane's row of rows 8 b to
     * 8 b + 7. */
    __device__ __forceinline__ void add_ends(const uint32_t (&at)[2], product (&sums)[2][2])
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint32_t l0, l1, r0, r1;
            load_eight<EVEN>(at[b] - (uint32_t)task.pieces.before, &l0, &l1);
            load_eight<EVEN>(at[b] + (uint32_t)task.pieces.end, &r0, &r1);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                sums[b][q] = multiply<SIGNED_WEIGHTS>(left[q], l0, l1, all_of(0));
                sums[b][q] = multiply<SIGNED_WEIGHTS>(right[q], r0, r1, sums[b][q]);
            }
        }
    }

    /* Adds the chunks, whose bytes are loaded one ahead. Their products wait for one another, but
     * not for those of the ends. */
    __device__ __forceinline__ void add_chunks(const uint32_t (&at)[2], product (&sums)[2][2])
    {
        const int chunks = task.pieces.chunks;
        uint32_t from = (uint32_t)(task.pieces.first - task.pieces.before), bytes[2][2];
        product all[2][TRIPLE ? 2 : 1];
#pragma unroll
        for (int b = 0; b < 2; b++) {
            load_eight<!TRIPLE>(at[b] + from, &bytes[b][0], &bytes[b][1]);
            all[b][0] = all[b][TRIPLE] = all_of(0);
        }
#pragma unroll 1
        for (int k = 0; k < chunks; k++) {
            from += (uint32_t)task.pieces.chunk;
#pragma unroll
            for (int b = 0; b < 2; b++) {
                const uint32_t b0 = bytes[b][0], b1 = bytes[b][1];
                load_eight<!TRIPLE>(at[b] + from, &bytes[b][0], &bytes[b][1]);
                all[b][0] = multiply<SIGNED_WEIGHTS>(whole[0], b0, b1, all[b][0]);
                if (TRIPLE) {
                    all[b][TRIPLE] =
                        multiply<SIGNED_WEIGHTS>(whole[TRIPLE], b0, b1, all[b][TRIPLE]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 16; i++) {
            sums[i / 8][i / 4 % 2].at[i % 4] += all[i / 8][TRIPLE ? i / 4 % 2 : 0].at[i % 4];
        }
    }

    /* The sums down a step's windows, of the row sums' low bytes or of the high ones. all: the sum
     * of the groups kept, which becomes the next step's. */
    __device__ __forceinline__ product add_down(uint32_t oldest, uint32_t before, uint32_t newest,
                                                product &all)
    {
        product sum = multiply<SIGNED_WEIGHTS>(ends, oldest, newest, all);
        if (CUT) {
            sum = multiply_half<SIGNED_WEIGHTS>(cut, before, sum);
        }
        all = multiply<SIGNED_WEIGHTS>(turn, oldest, newest, all);
        return sum;
    }

    __device__ __forceinline__ uint32_t two_means(int sum, int next) const
    {
        return __byte_perm(__umulhi((uint32_t)sum, task.multiplier),
                           __umulhi((uint32_t)next, task.multiplier), task.mean_bytes);
    }

    __device__ __forceinline__ mean_rows add_columns(const row_sums &oldest, const row_sums &before,
                                                     const row_sums &newest)
    {
        mean_rows rows;
#pragma unroll
        for (int q = 0; q < 2; q++) {
            uint32_t pair[2][2]; /* of row g or g + 8, two neighbours */
#pragma unroll
            for (int h = 0; h < 2; h++) {
                product sum =
                    add_down(oldest.low[q][h], before.low[q][h], newest.low[q][h], low[q][h]);
                product upper =
                    add_down(oldest.high[q][h], before.high[q][h], newest.high[q][h], high[q][h]);
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    sum.at[i] += upper.at[i] * task.shift_8;
                }
                pair[0][h] = two_means(sum.at[0], sum.at[1]);
                pair[1][h] = two_means(sum.at[2], sum.at[3]);
            }
            rows.word[0][q] = __byte_perm(pair[0][0], pair[0][1], 0x5410);
            rows.word[1][q] = __byte_perm(pair[1][0], pair[1][1], 0x5410);
        }
        return rows;
    }

    /* inside: all 32 columns of the tile are in the image. */
    __device__ __forceinline__ void store(const mean_rows &means, int row, bool inside)
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint8_t *at = to + 8 * b * task.out_stride;
            if (inside && row + STEP <= place.rows) {
                __stcs((uint2 *)at, make_uint2(means.word[b][0], means.word[b][1]));
            } else if (row + g + 8 * b < place.rows) {
                store_eight(at, means.word[b], count);
            }
        }
    }

    __device__ __forceinline__ void march()
    {
        const uint32_t behind = ring + (uint32_t)task.pieces.kept * slot_bytes;
        const bool inside = __all_sync(~0u, count >= 8);
#pragma unroll 1
        for (int step = 0; step < place.steps; step++) {
            const row_sums oldest = load_group(slot);
            const uint32_t stage = source.await();
            const uint32_t at[2] = {stage + lane_at[0], stage + lane_at[1]};
            product sums[2][2];
            add_ends(at, sums);
            add_chunks(at, sums);
            /* made of all samples, never all ones: sums are far below 2^30 */
            source.done((uint32_t)(sums[0][0].at[0] + sums[1][0].at[0]) + 0x40000000);
            const row_sums newest = pack_rows(sums, task.shift_16);
            const uint32_t last = (slot == ring ? behind : slot) - slot_bytes;
            const row_sums before = CUT ? load_group(last) : row_sums();
            store_group(slot, newest);
            slot = slot + slot_bytes == behind ? ring : slot + slot_bytes;
            mean_rows means = add_columns(oldest, before, newest);
            if (step >= task.pieces.kept) {
                store(means, STEP * (step - task.pieces.kept), inside);
            }
            to += STEP * task.out_stride;
        }
    }
};

/* A block's strip of columns and segment of rows: each warp has a tile, and one more warp loads. */
template <bool EVEN, bool TRIPLE, bool CUT>
static __global__ void __launch_bounds__(32 * (BLOCKS_MOST_WARPS + 1), 1)
    large_means(const __grid_constant__ large_task task)
{
    const large_place place = large_place_of(task);
    const int warp = warp_number(), warps = (int)blockDim.x / 32 - 1;
    const int working = min(warps, (task.row_bytes - place.strip_x - 1) / TILE + 1);
    const int bytes = warps * TILE + 2 * task.margin;
    loader source(task.planes[place.plane],
                  task.mapped[place.plane] ? &task.maps[place.plane] : NULL,
                  place.strip_x - task.margin - task.first[place.plane], bytes, task.pitch,
                  place.begin - task.pieces.above - task.pieces.skip, working);
    if (warp == warps) {
        source.send_all(place.steps);
    } else if (warp < working) {
        large_warp<EVEN, TRIPLE, CUT>(task, place, source, warp).march();
    }
}

/* ------------------------------------------------------------------ launches */

typedef void (*large_kernel)(const large_task task);

/* [even][cut]; of three channels [cut] */
static const large_kernel large_kernels[2][2] = {
    {large_means<false, false, false>, large_means<false, false, true>},
    {large_means<true, false, false>, large_means<true, false, true>},
};
static const large_kernel triple_kernels[2] = {large_means<false, true, false>,
                                               large_means<false, true, true>};

static int64_t large_row_bytes_of(const window_gpu_large *large)
{
    return large->in.width * large->in.channels;
}

static large_kernel large_kernel_of(const window_gpu_large *large)
{
    const window_pieces *p = &large->pieces;
    return p->channels == 3 ? triple_kernels[pieces_cut_two(p)]
                            : large_kernels[pieces_even(p)][pieces_cut_two(p)];
}

static int shared_bytes(const window_gpu_large *large, int warps)
{
    return LOADER_STAGES * LOADER_ROWS * loader_pitch(warps * TILE, pieces_margin(&large->pieces)) +
           large->pieces.kept * warps * GROUP_BYTES;
}

/* The most warps whose rows and groups fit `limit` bytes of shared memory; 0: too few. */
static int most_warps(const window_gpu_large *large, int limit)
{
    int warps = BLOCKS_MOST_WARPS;
    while (warps >= BLOCKS_LEAST_WARPS && shared_bytes(large, warps) > limit - STATIC_BYTES) {
        warps--;
    }
    return warps >= BLOCKS_LEAST_WARPS ? warps : 0;
}

/* The copy of a side: `strips` strips from number `from` on. */
static void add_side(large_task *task, int plane, int from, int strips, int strip_bytes,
                     const uint8_t *data)
{
    loader_image *side = &task->planes[plane];
    task->first[plane] = from * strip_bytes - task->margin;
    side->data = data;
    side->row_bytes = strips > 0 ? strips * strip_bytes + 2 * task->margin : 0;
    side->stride = side->row_bytes;
}

static void add_planes(large_task *task, const window_gpu_large *large)
{
    int strip_bytes = large->warps * TILE, margin = task->margin;
    task->strips = (task->row_bytes + strip_bytes - 1) / strip_bytes;
    int touch = (margin + strip_bytes - 1) / strip_bytes;
    task->left = touch < task->strips ? touch : task->strips;
    int inner = task->row_bytes > margin ? (task->row_bytes - margin) / strip_bytes : 0;
    task->right = inner > task->left ? inner : task->left;
    for (loader_image &plane : task->planes) {
        plane.height = task->height;
        plane.border = large->border;
        plane.outside = large->outside;
    }
    loader_image *image = &task->planes[INNER];
    image->data = (const uint8_t *)large->in.data;
    image->stride = large->in.stride;
    image->row_bytes = task->row_bytes;
    add_side(task, LEFT, 0, task->left, strip_bytes, large->sides);
    add_side(task, RIGHT, task->right, task->strips - task->right, strip_bytes,
             large->sides + (int64_t)task->planes[LEFT].row_bytes * task->height);
}

/* Describes the planes that have strips to the copy engine. */
static void map_planes(large_task *task, int device)
{
    for (int k = 0; k < PLANES; k++) {
        bool used = k == INNER ? task->left < task->right : task->planes[k].row_bytes > 0;
        task->mapped[k] =
            used && loader_describe(&task->maps[k], task->planes[k], task->pitch, device);
    }
}

static large_task large_make_task(const window_gpu_large *large)
{
    large_task task = {};
    task.row_bytes = (int)large_row_bytes_of(large);
    task.height = (int)large->in.height;
    task.pieces = large->pieces;
    task.margin = pieces_margin(&task.pieces);
    task.pitch = loader_pitch(large->warps * TILE, task.margin);
    add_planes(&task, large);
    task.out = (uint8_t *)large->out.data;
    task.out_stride = large->out.stride;
    task.weights = large->weights;
    task.segment = large->segment;
    pieces_divisor by = pieces_divide_by(large->area);
    task.multiplier = by.multiplier;
    task.mean_bytes = (uint32_t)(by.byte | (4 + by.byte) << 4);
    task.half = (int)(large->area / 2);
    task.shift_8 = 1 << 8;
    task.shift_16 = 1 << 16;
    return task;
}

extern "C" bool cuda_large_fits(const window_gpu_large *large)
{
    int limit = 0;
    if (cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                               satf_gpu_ordinal(large->in.device)) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return cuda_multiplies(large->in.device) && most_warps(large, limit) > 0;
}

extern "C" satf_status cuda_large_plan(satf_context *ctx, window_gpu_large *large)
{
    int processors = 0, limit = 0, ordinal = satf_gpu_ordinal(large->in.device);
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal));
    CUDA_RETURN(ctx,
                cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    window_blocks blocks = {.row_bytes = large_row_bytes_of(large),
                            .height = large->in.height,
                            .tiles = 1,
                            .ahead = large->pieces.kept,
                            .most_warps = most_warps(large, limit),
                            .enough_warps = BLOCKS_MOST_WARPS,
                            .shared_of_warp =
                                shared_bytes(large, 8) / 8 - shared_bytes(large, 0) / 8,
                            .shared_of_block = shared_bytes(large, 0),
                            .shared = limit};
    if (blocks.most_warps == 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for such a window");
    }
    window_blocks_choose(&blocks, processors);
    large->warps = blocks.warps;
    large->segment = blocks.segment;
    large_task task = large_make_task(large);
    large->sides_bytes =
        (size_t)(task.planes[LEFT].row_bytes + task.planes[RIGHT].row_bytes) * (size_t)task.height;
    /* The limit is the kernel's, whatever other plans it serves. */
    CUDA_RETURN(ctx, cudaFuncSetAttribute(large_kernel_of(large),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          limit - STATIC_BYTES));
    return SATF_OK;
}

static __global__ void make_large_weights(const __grid_constant__ window_pieces pieces,
                                          uint32_t *to)
{
    int index = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    to[index] = pieces_word(&pieces, index);
}

/*
 * The words of 16 bytes of the sides' copies. Those from `inner` to `after` hold bytes of the image
 * alone: a thread copies one of them in some rows. Around them a thread makes four bytes, each of
 * which comes from the same column in all rows.
 */
enum { SIDE_THREADS = 128, SIDE_ROWS = 8 };

struct side_words {
    int inner, after, all;
};

static __device__ __forceinline__ side_words words_of(const large_task &task, int plane)
{
    int first = task.first[plane];
    side_words words;
    words.all = task.planes[plane].row_bytes / 16;
    words.inner = min(max(0, -first) / 16, words.all);
    words.after = min(max(task.row_bytes / 16 - first / 16, words.inner), words.all);
    return words;
}

/* The column of the image that the border shows at `column`, in bytes; -1: the constant. */
static __device__ __forceinline__ int column_seen(const large_task &task, int column)
{
    const int c = task.pieces.channels, width = task.row_bytes / c;
    int pixel = column < 0 ? -((c - 1 - column) / c) : column / c;
    int64_t seen = satf_border_index(task.planes[INNER].border, pixel, width);
    return seen < 0 ? -1 : (int)seen * c + column - pixel * c;
}

static __device__ __forceinline__ void copy_words(const large_task &task, int plane, int word,
                                                  int first_y, int end_y)
{
    const loader_image &image = task.planes[INNER], &side = task.planes[plane];
    const uint8_t *from = image.data + task.first[plane] + 16 * word;
    uint8_t *to = (uint8_t *)(uintptr_t)side.data + 16 * word;
    uint4 bytes[SIDE_ROWS];
#pragma unroll
    for (int k = 0; k < SIDE_ROWS; k++) {
        bytes[k] = *(const uint4 *)(from + min(first_y + k, end_y - 1) * image.stride);
    }
#pragma unroll
    for (int k = 0; k < SIDE_ROWS; k++) {
        if (first_y + k < end_y) {
            *(uint4 *)(to + (first_y + k) * side.stride) = bytes[k];
        }
    }
}

static __device__ __forceinline__ void make_four(const large_task &task, int plane, int at,
                                                 int first_y, int end_y)
{
    const loader_image &image = task.planes[INNER], &side = task.planes[plane];
    uint8_t *to = (uint8_t *)(uintptr_t)side.data + at;
    int from[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        from[i] = column_seen(task, task.first[plane] + at + i);
    }
    uint32_t constant = image.outside[0];
#pragma unroll 4
    for (int y = first_y; y < end_y; y++) {
        const uint8_t *line = image.data + y * image.stride;
        uint32_t four = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            four |= (from[i] < 0 ? constant : line[from[i]]) << (8 * i);
        }
        *(uint32_t *)(to + y * side.stride) = four;
    }
}

/* blockIdx.z: the left side's inner words, its other words by fours, then the right side's. */
static __global__ void __launch_bounds__(SIDE_THREADS)
    make_sides(const __grid_constant__ large_task task)
{
    const int plane = blockIdx.z / 2 ? RIGHT : LEFT;
    const int index = (int)(blockIdx.x * SIDE_THREADS + threadIdx.x);
    const side_words words = words_of(task, plane);
    for (int y = (int)blockIdx.y * SIDE_ROWS; y < task.height; y += (int)gridDim.y * SIDE_ROWS) {
        const int end = min(y + SIDE_ROWS, task.height);
        int word = blockIdx.z % 2 ? index / 4 : words.inner + index;
        if (blockIdx.z % 2 == 0 && word < words.after) {
            copy_words(task, plane, word, y, end);
        } else if (blockIdx.z % 2) {
            word += word < words.inner ? 0 : words.after - words.inner;
            if (word < words.all) {
                make_four(task, plane, 16 * word + 4 * (index % 4), y, end);
            }
        }
    }
}

extern "C" satf_status cuda_large_prepare(satf_context *ctx, const window_gpu_large *large)
{
    enum { THREADS = 128 };
    make_large_weights<<<PIECES_WORDS / THREADS, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(
        large->pieces, large->weights);
    satf_status status = cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
    return status ? status
                  : cuda_set_bytes(ctx, large->in.device, large->outside, large->constant,
                                   WINDOW_GPU_OUTSIDE_BYTES);
}

extern "C" satf_status cuda_large_run(satf_context *ctx, const window_gpu_large *large)
{
    enum { MOST_GRID = 65535 };
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    large_task task = large_make_task(large);
    map_planes(&task, large->in.device);
    int left = task.planes[LEFT].row_bytes, right = task.planes[RIGHT].row_bytes;
    unsigned fours = (unsigned)(left > right ? left : right) / 4; /* more than words */
    unsigned rows = (unsigned)(task.height + SIDE_ROWS - 1) / SIDE_ROWS;
    dim3 grid((fours + SIDE_THREADS - 1) / SIDE_THREADS, rows < MOST_GRID ? rows : MOST_GRID, 4);
    make_sides<<<grid, SIDE_THREADS, 0, stream>>>(task);
    satf_status status = cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
    if (status) {
        return status;
    }
    unsigned segments = (unsigned)((task.height + task.segment - 1) / task.segment);
    large_kernel_of(large)<<<(unsigned)task.strips * segments, 32 * (large->warps + 1),
                             (size_t)shared_bytes(large, large->warps), stream>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
