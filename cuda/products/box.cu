/* The kernels of means of bytes and of formulas of their sums, and all launches (box.cuh). */
#include "../base/check.h"
#include "../base/engine.h"
#include "box.cuh"

template <int ACROSS, int DOWN, int TILES>
static box_kernel box_either_kernel(const window_gpu_formula &formula, int type)
{
    return formula.number == FORMULA_NONE
               ? box_down<ACROSS, DOWN, TILES, mean_epilogue>
               : box_kernel_of<ACROSS, DOWN, TILES, false>(formula, type);
}

#define ROW(across, down) \
    {across, down, tiles_of(across, down), box_either_kernel<across, down, tiles_of(across, down)>},
static const box_row byte_rows[] = {WINDOW_GPU_HALOS(ROW){0, 0, 0, NULL}};

static const box_row *box_row_of(const window_gpu_box *box)
{
    const box_row *row = box->across.weighs         ? box_tap_rows
                         : box->halo.squares        ? box_moment_rows
                         : box->in.type == SATF_U16 ? box_word_rows
                                                    : byte_rows;
    for (; row->tiles; row++) {
        if (row->across == box->halo.across && row->down == box->halo.down) {
            return row;
        }
    }
    return NULL;
}

/* Bytes of shared memory of a block of so many warps. */
static int shared_of(const window_gpu_box *box, int warps)
{
    return LOADER_STAGES * LOADER_ROWS *
           loader_pitch(warps * box->tiles * TILE, margin_of(box->across.halo));
}

/* The most that any plan of the kernel takes. */
static int most_shared_of(const box_row *row)
{
    int halo = row->across ? row->across : BANDS_MOST_RADIUS * SATF_MAX_CHANNELS;
    return LOADER_STAGES * LOADER_ROWS *
           loader_pitch(MOST_WARPS * row->tiles * TILE, margin_of(halo));
}

extern "C" bool cuda_multiplies(int device)
{
    enum { AMPERE = 80 };
    return code_capability(device) >= AMPERE;
}

extern "C" satf_status cuda_box_plan(satf_context *ctx, window_gpu_box *box)
{
    const box_row *row = box_row_of(box);
    box_kernel kernel = row ? row->kernel(box->formula, box->out.type) : NULL;
    int64_t row_bytes = window_gpu_row_bytes(&box->in);
    if (!kernel || row_bytes > WINDOW_GPU_MOST_ROW_BYTES || box->in.height > INT32_MAX / 2) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for such a window");
    }
    int processors = 0, shared = 0, ordinal = satf_gpu_ordinal(box->in.device);
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, ordinal));
    CUDA_RETURN(ctx,
                cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    box->by = window_gpu_divide_by((uint32_t)box->area);
    box->tiles = row->tiles;
    window_blocks blocks = {.row_bytes = row_bytes,
                            .height = box->in.height,
                            .tiles = row->tiles,
                            .ahead = row->down / 8,
                            .most_warps = MOST_WARPS,
                            .enough_warps = 12,
                            .shared_of_warp = LOADER_STAGES * LOADER_ROWS * row->tiles * TILE,
                            .shared_of_block = shared_of(box, 0),
                            .shared = shared};
    window_blocks_choose(&blocks, processors);
    box->warps = blocks.warps;
    box->segment = blocks.segment;
    box->pitch = loader_pitch(box->warps * row->tiles * TILE, margin_of(box->across.halo));
    box->shared_bytes = shared_of(box, box->warps);
    box->kernel = (void (*)(void))kernel;
    CUDA_RETURN(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          most_shared_of(row)));
    return SATF_OK;
}

/* The words of both axes' weights, a thread each. */
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

extern "C" satf_status cuda_box_prepare(satf_context *ctx, const window_gpu_box *box)
{
    enum { THREADS = 128 };
    int64_t across = window_bands_words(&box->across);
    int64_t words = across + window_bands_words(&box->down);
    make_weights<<<(unsigned)((words + THREADS - 1) / THREADS), THREADS, 0,
                   (cudaStream_t)cuda_stream(ctx)>>>(box->across, box->down, across, words,
                                                     box->weights);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

extern "C" satf_status cuda_box_run(satf_context *ctx, const window_gpu_box *box)
{
    int row_bytes = (int)window_gpu_row_bytes(&box->in);
    const window_bands *across = &box->across, *down = &box->down;
    box_task task = {};
    task.in.data = (const uint8_t *)box->in.data;
    task.in.stride = box->in.stride;
    task.in.row_bytes = row_bytes;
    task.in.height = (int)box->in.height;
    task.in.border = LOADER_NO_BORDER;
    task.pitch = box->pitch;
    task.halo = across->halo;
    task.mapped = loader_describe(&task.map, task.in, box->pitch, box->in.device);
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
    task.finish.by = box->by;
    task.finish.half = (uint32_t)(4 * (box->area / 2));
    task.finish.formula = box->formula;
    task.finish.terms = terms_floats_of(&box->formula.terms);
    task.finish.aligned = window_gpu_is_aligned(&box->out);
    const satf_rect *reduced = &box->formula.reduced;
    int pixel = (int)satf_pixel_bytes(&box->in);
    task.finish.reduced = {(int)reduced->x * pixel, (int)reduced->y,
                           (int)(reduced->x + reduced->w) * pixel, (int)(reduced->y + reduced->h)};
    task.shift[0] = 1 << 8;
    task.shift[1] = 1 << 16;
    unsigned segments = (unsigned)((task.in.height + task.segment - 1) / task.segment);
    box_kernel kernel = (box_kernel)box->kernel;
    kernel<<<(unsigned)task.strips * segments, 32 * (box->warps + 1), (size_t)box->shared_bytes,
             (cudaStream_t)cuda_stream(ctx)>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
