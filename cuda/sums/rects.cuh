/*
 * Weighted rectangles that lie inside the image, with a row and a column to spare before them: a
 * thread has a few rows of one sample, whose totals stay in registers while it goes through the
 * rectangles in their order. All corners of a rectangle are read before the first is used.
 */
#ifndef CUDA_SUMS_RECTS_CUH
#define CUDA_SUMS_RECTS_CUH

#include "inner.cuh"

/* The formula of KERNEL_WEIGHTED_SUM. */
struct known_weighted_sum {
    static constexpr bool has_sum = true, has_centre = false, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *, const formula_sums *in)
    {
        return formula_real(in->before + in->factor * formula_sum(in));
    }
};

/* A rectangle in shared memory. at: offsets of its corners, made and read by ring.cu or below. */
typedef struct __align__(16) rect_term
{
    uint32_t at[4];
    double weight;
}
rect_term;

enum { RECT_CHUNK = 64 /* rectangles in shared memory */ };

/* By all threads of the block: the terms of rectangles from `first` on; returns how many. */
template <class Make>
static __device__ inline int load_terms(const filter_gpu_task *task, int64_t first, rect_term *term,
                                        Make make)
{
    int64_t rest = task->rect_count - first;
    int count = (int)(rest < RECT_CHUNK ? rest : RECT_CHUNK);
    for (int k = (int)threadIdx.x; k < count; k += (int)blockDim.x) {
        make(&task->rects[first + k].rect, term[k].at);
        term[k].weight = task->rects[first + k].weight;
    }
    return count;
}

/* A sum as a double. One of 32 bits becomes the low bits of 2^52, whose last place is 1, less 2^52:
 * a subtraction instead of a conversion, of which a processor does fewer. */
static __device__ __forceinline__ double real_sum(uint32_t sum)
{
    return __hiloint2double(0x43300000, (int)sum) - 0x1p52;
}

static __device__ __forceinline__ double real_sum(uint64_t sum)
{
    return (double)sum;
}

static __device__ __forceinline__ double real_sum(double sum)
{
    return sum;
}

/* Stores results begin ... end - 1 of N below one another; `to`: where result 0 goes. Nobody reads
 * them soon, so they leave the caches to sums. */
template <int N>
static __device__ __forceinline__ void store_totals(const satf_view *out, bool aligned, char *to,
                                                    int begin, int end, const double (&total)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++, to += out->stride) {
        if (i < begin || i >= end) {
            continue;
        }
        if (!aligned) {
            formula_store(out->type, formula_real(total[i]), to);
        } else if (out->type == SATF_F32) {
            __stcs((float *)to, (float)total[i]);
        } else if (out->type == SATF_F64) {
            __stcs((double *)to, total[i]);
        } else {
            store_aligned(out->type, formula_real(total[i]), to);
        }
    }
}

/* Tiles of so many samples and rows: the rows of a table that those of a multiprocessor read stay
 * in its cache. */
enum { RECT_COLUMNS = FILTER_THREADS, RECT_DOWN = 32 };

/* Rows that a thread does at once: what registers hold. */
template <class Sum> constexpr int rect_rows = sizeof(Sum) > 4 ? 4 : 8;

/* Whether all corners of a tile lie within 4 GiB from the first. */
static inline bool rects_reach(const filter_gpu_task *task)
{
    return task->layers[0].stride < UINT32_MAX / (task->window.rect.h + RECT_DOWN + 1);
}

/* total += the rectangle's weight times its sums. Its corners: low left, low right, high left and
 * high right, as offsets from the low left corner of the hull of all rectangles. */
template <class Sum, int N>
static __device__ __forceinline__ void add_rect(const char *from, const uint32_t (&at)[N],
                                                const rect_term *term, double (&total)[N])
{
    uint4 corner = *(const uint4 *)term->at;
    Sum right[N], left[N];
    auto sum = [&](uint32_t offset) { return *(const Sum *)(from + offset); };
#pragma unroll
    for (int i = 0; i < N; i++) {
        right[i] = sum(at[i] + corner.w) - sum(at[i] + corner.y);
        left[i] = sum(at[i] + corner.z) - sum(at[i] + corner.x);
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        total[i] += term->weight * real_sum((Sum)(right[i] - left[i]));
    }
}

/* All threads of the block. term: RECT_CHUNK, in shared memory. */
template <class Sum>
static __device__ inline void do_rects_tile(const filter_gpu_task *task, const inner_area *area,
                                            int64_t number, rect_term *term)
{
    constexpr int ROWS = rect_rows<Sum>;
    const filter_gpu_layer *layer = &task->layers[0];
    const satf_rect *hull = &task->window.rect;
    int64_t channels = task->in.channels, stride = layer->stride;
    int64_t tile_y = number / area->tiles_x, tile_x = number - tile_y * area->tiles_x;
    int64_t samples = area->columns.count * channels - tile_x * RECT_COLUMNS;
    int64_t rest = area->rows.count - tile_y * RECT_DOWN;
    int64_t sample = area->columns.first * channels + tile_x * RECT_COLUMNS;
    int64_t y = area->rows.first + tile_y * RECT_DOWN;
    int rows = (int)(rest < RECT_DOWN ? rest : RECT_DOWN), column = (int)threadIdx.x;
    bool idle = column >= samples; /* repeats the last column's work, and stores nothing */
    const char *from = (const char *)layer->sat + (y + hull->y - 1) * stride +
                       (sample + (hull->x - 1) * channels) * (int64_t)sizeof(Sum);
    char *to = (char *)task->out.data + y * task->out.stride +
               (sample + column) * sample_bytes(task->out.type);
    auto corners = [&](const satf_rect *rect, uint32_t *at) {
        at[0] = (uint32_t)((rect->y - hull->y) * stride +
                           (rect->x - hull->x) * channels * (int64_t)sizeof(Sum));
        at[1] = at[0] + (uint32_t)(rect->w * channels * (int64_t)sizeof(Sum));
        at[2] = at[0] + (uint32_t)(rect->h * stride);
        at[3] = at[1] + (uint32_t)(rect->h * stride);
    };
    column = idle ? (int)samples - 1 : column;
    for (int row = 0; row < rows; row += ROWS) {
        uint32_t at[ROWS];
        double total[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int own = row + i < rows ? row + i : rows - 1;
            at[i] = (uint32_t)column * (uint32_t)sizeof(Sum) + (uint32_t)own * (uint32_t)stride;
            total[i] = 0;
        }
        for (int64_t first = 0; first < task->rect_count; first += RECT_CHUNK) {
            int count = (int)task->rect_count;
            if (row == 0 || task->rect_count > RECT_CHUNK) { /* else they are there */
                __syncthreads();
                count = load_terms(task, first, term, corners);
                __syncthreads();
            }
#pragma unroll 1
            for (int k = 0; k < count; k++) {
                add_rect<Sum>(from, at, &term[k], total);
            }
        }
        store_totals(&task->out, true, to, 0, idle ? 0 : rows - row, total);
        to += ROWS * task->out.stride;
    }
}

#endif
