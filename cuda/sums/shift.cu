/* Images of floats less their channels' shifts, as doubles: what tables of moments are made of. */
#include "any.cuh"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/sat/shift.h"
}

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };
enum { SHIFT_SAMPLES = SATF_SHIFT_PLACES * SATF_SHIFT_PLACES };

/* Shared memory of a search. */
typedef struct shift_room {
    double sample[SHIFT_SAMPLES], low, median, high;
} shift_room;

/* A channel's sample at a pixel; NaN if it does not count. */
static __device__ inline double shift_sample(const satf_view *in, bool weighted, int64_t x,
                                             int64_t y, int c)
{
    int bytes = sample_bytes(in->type);
    const char *pixel = (const char *)in->data + y * in->stride + x * in->channels * bytes;
    double sample = load_sample(in->type, pixel + c * bytes);
    bool counts = fabs(sample) <= SATF_SHIFT_MOST &&
                  (!weighted || load_sample(in->type, pixel + (in->channels - 1) * bytes) > 0);
    return counts ? sample : NAN;
}

/* By all threads of the block: the shift of a channel, from SATF_SHIFT_PLACES columns in as many
 * rows, the image's edges among them. */
static __device__ inline double find_shift(const satf_view *in, bool weighted, int c,
                                           shift_room *room)
{
    int i = (int)threadIdx.x, counted = 0, rank = 0;
    if (weighted && c == in->channels - 1) {
        return 0;
    }
    double own = NAN;
    if (i < SHIFT_SAMPLES) {
        own = shift_sample(in, weighted, satf_shift_place(i % SATF_SHIFT_PLACES, in->width),
                           satf_shift_place(i / SATF_SHIFT_PLACES, in->height), c);
        room->sample[i] = own;
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < SHIFT_SAMPLES; k++) {
        double other = room->sample[k];
        counted += other == other;
        rank += other < own || (other == own && k < i);
    }
    if (own == own) { /* of equal samples each has a rank of its own */
        int quarter = counted / 4;
        if (rank == quarter) {
            room->low = own;
        }
        if (rank == (counted - 1) / 2) {
            room->median = own;
        }
        if (rank == counted - 1 - quarter) {
            room->high = own;
        }
    }
    __syncthreads();
    return counted ? satf_shift_choose(room->low, room->median, room->high) : 0;
}

/* One block. */
static __global__ void __launch_bounds__(THREADS)
    find_image_shifts(satf_view in, bool weighted, double *shifts)
{
    __shared__ shift_room room;
    for (int c = 0; c < in.channels; c++) {
        double shift = find_shift(&in, weighted, c, &room);
        if (threadIdx.x == 0) {
            shifts[c] = shift;
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    shift_samples(satf_view from, const double *shifts, satf_view to)
{
    int64_t samples = from.width * from.channels, bytes = sample_bytes(from.type);
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        double *shifted = (double *)((char *)to.data + y * to.stride);
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples;
             i += (int64_t)gridDim.x * THREADS) {
            shifted[i] = (load_sample(from.type, row + i * bytes) - shifts[i % from.channels]) + 0;
        }
    }
}

extern "C" satf_status cuda_shift(satf_context *ctx, const satf_view *from, bool weighted,
                                  double *shifts, const satf_view *to)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    int64_t columns = (satf_row_samples(from) - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    find_image_shifts<<<1, THREADS, 0, stream>>>(*from, weighted, shifts);
    shift_samples<<<grid, THREADS, 0, stream>>>(*from, shifts, *to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
