/*
 * Templates of integers without a table in memory: a block goes down a strip of columns, a step of
 * rows at a time, and keeps the strip's own table in shared memory, as many rows as the rectangles
 * reach. The rows are a ring: the newest replace the oldest. Borders only decide which samples are
 * loaded. Sums wrap at 32 bits, as a table's do, and so have the same bits.
 */
#include "march.h"
#include "rects.cuh"
#include "shared.h"

extern "C" {
#include "../../src/base/border.h"
}

enum {
    RING_COLUMNS = 256, /* of sums, one a thread */
    RING_PITCH = RING_COLUMNS * (int)sizeof(uint32_t),
    RING_WARPS = RING_COLUMNS / 32,
    RING_STEP = 32, /* rows */
    RING_ROWS = 8   /* of results that a thread makes at once, from rows that follow one another */
};
/* So the ring's first rows are stored once more, behind its last one. */
enum { RING_AGAIN = RING_ROWS - 1 };

/* What blocks do. */
typedef struct ring_plan {
    int strip, strips;     /* columns of results, a multiple of 32 */
    int segment, segments; /* rows of results */
    uint32_t ring;         /* bytes of the ring, without the rows stored once more */
    int bytes;             /* of shared memory */
} ring_plan;

typedef void (*ring_kernel)(const filter_gpu_task task, const ring_plan plan);

/* A place up to a round too far, in the ring: below `ring` the difference wraps and is large. */
static __device__ __forceinline__ uint32_t wrapped(uint32_t place, uint32_t ring)
{
    return min(place, place - ring);
}

/* The sum of x over all lanes up to this one. */
static __device__ __forceinline__ uint32_t sum_of_lanes(uint32_t x)
{
    int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffff, x, (unsigned)apart);
        x += lane >= apart ? other : 0;
    }
    return x;
}

static __device__ __forceinline__ void sum_up(uint4 *four)
{
    four->y += four->x;
    four->z += four->y;
    four->w += four->z;
}

static __device__ __forceinline__ void add_to(uint4 *four, uint32_t sum)
{
    four->x += sum;
    four->y += sum;
    four->z += sum;
    four->w += sum;
}

/* A block's work: a channel of its strip and segment. */
template <class T> struct ring_block {
    const filter_gpu_task &task;
    const ring_plan &plan;
    const satf_rect &hull;
    char *memory;
    rect_term *term;
    int64_t x, y; /* of the first result */
    int columns, rows, c;
    int64_t at;       /* bytes from the first sample of a row to the thread's; -1: outside */
    bool aligned;     /* samples, to their size */
    T outside;        /* a sample outside */
    uint32_t sum;     /* of the thread's column so far */
    uint32_t newest;  /* the place of the row that comes next, which holds the oldest */
    bool out_aligned; /* results, to their size */

    /* Whether all rows of a step, the first of which is row `first`, lie in the image. */
    __device__ __forceinline__ bool inside(int64_t first) const
    {
        return first >= 0 && first + RING_STEP <= task.in.height;
    }

    __device__ ring_block(const filter_gpu_task &of, const ring_plan &by, char *ring,
                          rect_term *terms)
        : task(of), plan(by), hull(of.window.rect), memory(ring), term(terms), sum(0), newest(0)
    {
        int64_t block = blockIdx.x / task.in.channels;
        c = (int)(blockIdx.x % task.in.channels);
        x = block % plan.strips * plan.strip;
        y = block / plan.strips * plan.segment;
        columns = (int)min((int64_t)plan.strip, task.in.width - x);
        rows = (int)min((int64_t)plan.segment, task.in.height - y);
        int64_t column =
            satf_border_index(task.border, x + hull.x - 1 + (int)threadIdx.x, task.in.width);
        at = column < 0 ? -1 : (column * task.in.channels + c) * (int64_t)sizeof(T);
        aligned = (((uintptr_t)task.in.data | (uintptr_t)task.in.stride) & (sizeof(T) - 1)) == 0;
        outside = (T)task.layers[0].outside[c].integer;
        out_aligned = is_aligned(&task.out);
    }

    /* A rectangle's term, in bytes from the hull's first row and column: the row above it, its last
     * row, the column before it, its last column. */
    __device__ int load_chunk(int64_t first)
    {
        return load_terms(&task, first, term, [&](const satf_rect *rect, uint32_t *to) {
            to[0] = (uint32_t)(rect->y - hull.y) * RING_PITCH;
            to[1] = to[0] + (uint32_t)rect->h * RING_PITCH;
            to[2] = (uint32_t)(rect->x - hull.x) * (uint32_t)sizeof(uint32_t);
            to[3] = to[2] + (uint32_t)rect->w * (uint32_t)sizeof(uint32_t);
        });
    }

    __device__ __forceinline__ T load(const char *row) const
    {
        T sample = outside;
        if (at >= 0) {
            if (sizeof(T) == 1 || aligned) {
                sample = __ldg((const T *)(row + at));
            } else {
                memcpy(&sample, row + at, sizeof sample);
            }
        }
        return sample;
    }

    /* The column's sums down a step's rows, the first of which is row `first` of the image. */
    template <bool INSIDE> __device__ __forceinline__ void add_down(int64_t first)
    {
        const char *from = (const char *)task.in.data;
        uint32_t place = newest;
        constexpr int AHEAD = INSIDE ? RING_STEP : 1; /* samples loaded at once */
        for (int row = 0; row < RING_STEP; row += AHEAD) {
            T sample[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                int64_t y_of = first + row + i;
                y_of = INSIDE ? y_of : satf_border_index(task.border, y_of, task.in.height);
                sample[i] = y_of < 0 ? outside : load(from + y_of * task.in.stride);
            }
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                sum += sample[i];
                *(uint32_t *)(memory + place + threadIdx.x * sizeof sum) = sum;
                place = wrapped(place + RING_PITCH, plan.ring);
            }
        }
    }

    /* Prefetches the samples of the next step, all inside, while this one's results are made. */
    __device__ __forceinline__ void ask_for(int64_t first) const
    {
        enum { SECTOR = 32 /* bytes; a warp's 32 columns are as many as bytes of a pixel */ };
        int pixel = task.in.channels * (int)sizeof(T);
        int64_t at_first = __shfl_sync(0xffffffff, at, 0); /* of the warp's columns */
        int64_t at_last = __shfl_sync(0xffffffff, at, 31);
        if (at_first < 0 || at_last != at_first + 31 * pixel) {
            return; /* they do not lie side by side */
        }
        const char *from = (const char *)task.in.data +
                           (first + (int)threadIdx.x % RING_STEP) * task.in.stride + at_first;
        for (int sector = 0; sector < pixel; sector++) {
            asm volatile("prefetch.global.L1 [%0];" ::"l"(from + sector * SECTOR));
        }
    }

    /* The step's sums of columns become a table's rows: a warp adds the two halves of a row. */
    __device__ __forceinline__ void add_across()
    {
        int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
#pragma unroll
        for (int row = warp; row < RING_STEP; row += RING_WARPS) {
            uint32_t place = wrapped(newest + (uint32_t)row * RING_PITCH, plan.ring);
            uint4 *to = (uint4 *)(memory + place) + lane;
            uint4 left = to[0], right = to[32];
            sum_up(&left);
            sum_up(&right);
            uint32_t left_sum = sum_of_lanes(left.w), right_sum = sum_of_lanes(right.w);
            uint32_t all_left = __shfl_sync(0xffffffff, left_sum, 31);
            add_to(&left, left_sum - left.w);
            add_to(&right, all_left + right_sum - right.w);
            to[0] = left;
            to[32] = right;
            if (place < RING_AGAIN * RING_PITCH) {
                to = (uint4 *)((char *)to + plan.ring);
                to[0] = left;
                to[32] = right;
            }
        }
    }

    /* total += the rectangle's weight times its sums. place, column: of the hull's first row and of
     * the thread's column, in bytes, for its first result. */
    __device__ __forceinline__ void add_one(uint32_t place, uint32_t column, const rect_term *of,
                                            double (&total)[RING_ROWS]) const
    {
        uint4 corner = *(const uint4 *)of->at;
        const char *low = memory + (wrapped(place + corner.x, plan.ring) + column);
        const char *high = memory + (wrapped(place + corner.y, plan.ring) + column);
        uint32_t rect_sum[RING_ROWS];
        auto at_row = [](const char *from, int i) {
            return *(const uint32_t *)(from + i * RING_PITCH);
        };
#pragma unroll
        for (int i = 0; i < RING_ROWS; i++) {
            rect_sum[i] = at_row(high + corner.w, i) - at_row(low + corner.w, i) -
                          (at_row(high + corner.z, i) - at_row(low + corner.z, i));
        }
#pragma unroll
        for (int i = 0; i < RING_ROWS; i++) {
            total[i] += of->weight * real_sum(rect_sum[i]);
        }
    }

    /* A step's results, from row `done` of the segment on: a warp has RING_ROWS rows of 32 at a
     * time. All threads come here, since they load the rectangles together. */
    __device__ __forceinline__ void give_results(int done)
    {
        int warp = (int)threadIdx.x / 32, groups = plan.strip / 32;
        int items = groups * (RING_STEP / RING_ROWS);
        for (int first_item = 0; first_item < items; first_item += RING_WARPS) {
            int item = first_item + warp, part = item / groups;
            int column = (item - part * groups) * 32 + (int)threadIdx.x % 32;
            int row = done + part * RING_ROWS;
            bool any = item < items && row + RING_ROWS > 0 && row < rows;
            uint32_t place = newest + (uint32_t)(part * RING_ROWS) * RING_PITCH;
            double total[RING_ROWS] = {0};
            for (int64_t first = 0; first < task.rect_count; first += RECT_CHUNK) {
                int count = (int)task.rect_count;
                if (task.rect_count > RECT_CHUNK) { /* else they are there */
                    __syncthreads();
                    count = load_chunk(first);
                    __syncthreads();
                }
#pragma unroll 1
                for (int k = 0; k < (any ? count : 0); k++) {
                    add_one(place, (uint32_t)column * (uint32_t)sizeof(uint32_t), &term[k], total);
                }
            }
            if (any && column < columns) {
                char *to = (char *)task.out.data + (y + row) * task.out.stride +
                           ((x + column) * task.out.channels + c) * sample_bytes(task.out.type);
                store_totals(&task.out, out_aligned, to, -row, rows - row, total);
            }
        }
    }
};

enum { RING_BLOCKS = 4 /* of a multiprocessor, by registers; shared memory may hold fewer */ };

template <class T>
static __global__ void __launch_bounds__(RING_COLUMNS, RING_BLOCKS)
    go_round(const __grid_constant__ filter_gpu_task task, const __grid_constant__ ring_plan plan)
{
    extern __shared__ __align__(16) char memory[];
    __shared__ rect_term term[RECT_CHUNK];
    ring_block<T> block(task, plan, memory, term);
    block.load_chunk(0);
    int reach = (int)block.hull.h;
    for (int done = -reach; done < block.rows; done += RING_STEP) {
        int64_t first = block.y + block.hull.y - 1 + done + reach; /* of the step's rows */
        if (block.inside(first)) {
            block.template add_down<true>(first);
        } else {
            block.template add_down<false>(first);
        }
        __syncthreads();
        block.add_across();
        block.newest = wrapped(block.newest + RING_STEP * RING_PITCH, plan.ring);
        if (block.inside(first + RING_STEP)) {
            block.ask_for(first + RING_STEP);
        }
        __syncthreads();
        if (done + RING_STEP > 0) {
            block.give_results(done);
            __syncthreads();
        }
    }
}

/* ------------------------------------------------------------------------------ plans */

static ring_kernel ring_kernel_of(const filter_gpu_task *task)
{
    return task->known != FILTER_GPU_WEIGHTED_SUM || task->layers[0].type != SATF_SUM_U32 ? NULL
           : task->in.type == SATF_U8  ? go_round<uint8_t>
           : task->in.type == SATF_U16 ? go_round<uint16_t>
                                       : NULL;
}

/* With fewer columns of results a strip is no faster than a table: most of its columns are sums. */
enum { LEAST_STRIP = 64, TERM_BYTES = RECT_CHUNK * (int)sizeof(rect_term) };

/* The plan but for its segments; strip 0: the rectangles reach too far. */
static ring_plan ring_plan_strips(const filter_gpu_task *task, int shared_block)
{
    ring_plan plan = {};
    const satf_rect *hull = &task->window.rect;
    int64_t rows = hull->h + RING_STEP;
    int64_t bytes = (rows + RING_AGAIN) * RING_PITCH;
    if (hull->w > RING_COLUMNS - LEAST_STRIP || bytes + TERM_BYTES > shared_block) {
        return plan;
    }
    plan.strip = (int)(RING_COLUMNS - hull->w) / 32 * 32;
    plan.strips = (int)((task->in.width + plan.strip - 1) / plan.strip);
    plan.ring = (uint32_t)(rows * RING_PITCH);
    plan.bytes = (int)bytes;
    return plan;
}

bool ring_fits(const filter_gpu_task *task)
{
    int shared, shared_block;
    if (!ring_kernel_of(task) || task->in.width >= INT32_MAX / 2 ||
        task->in.height >= INT32_MAX / 2) {
        return false;
    }
    if (find_shared(task->in.device, &shared, &shared_block) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return ring_plan_strips(task, shared_block).strip > 0;
}

/* Segments of whole steps, of the height that gives the busiest multiprocessor the least work: each
 * block first makes the sums that its first results read. A result counts as RESULT sums. */
static void ring_choose_segments(const filter_gpu_task *task, ring_plan *plan, int64_t at_once)
{
    enum { START = 2 * RING_STEP, RESULT = 3 };
    int64_t height = task->in.height, reach = task->window.rect.h, least = INT64_MAX;
    for (int64_t parts = 1; parts <= height && parts <= 4 * at_once; parts++) {
        int64_t own = (height + parts - 1) / parts;
        int64_t read = (own + reach + RING_STEP - 1) / RING_STEP * RING_STEP;
        own = read - reach < height ? read - reach : height;
        int64_t segments = (height + own - 1) / own;
        int64_t blocks = segments * plan->strips * task->in.channels;
        int64_t work = (blocks + at_once - 1) / at_once * (read + RESULT * own + START);
        if (work < least) {
            least = work;
            plan->segment = (int)own;
            plan->segments = (int)segments;
        }
    }
}

satf_status ring_plan_make(satf_context *ctx, filter_gpu_plan *plan)
{
    static_assert(sizeof(ring_plan) <= FILTER_GPU_LAUNCH_BYTES, "it is kept there");
    const filter_gpu_task *task = &plan->task;
    ring_kernel kernel = ring_kernel_of(task);
    int shared, shared_block;
    int64_t at_once;
    CUDA_RETURN(ctx, find_shared(task->in.device, &shared, &shared_block));
    ring_plan ring = ring_plan_strips(task, shared_block);
    if (!kernel || ring.strip == 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for such a template");
    }
    satf_status status = find_blocks(ctx, task->in.device, kernel, RING_COLUMNS, ring.bytes,
                                     shared_block - TERM_BYTES, &at_once);
    if (status) {
        return status;
    }
    ring_choose_segments(task, &ring, at_once);
    plan->kernel = (void (*)(void))kernel;
    memcpy(plan->launch[0].bytes, &ring, sizeof ring);
    return SATF_OK;
}

satf_status ring_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    ring_plan ring;
    memcpy(&ring, plan->launch[0].bytes, sizeof ring);
    ring_kernel kernel = (ring_kernel)plan->kernel;
    int64_t blocks = (int64_t)ring.strips * ring.segments * plan->task.in.channels;
    kernel<<<(unsigned)blocks, RING_COLUMNS, (size_t)ring.bytes, (cudaStream_t)cuda_stream(ctx)>>>(
        plan->task, ring);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
