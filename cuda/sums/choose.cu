/* Each pixel's choice among its windows: the mean of the one with the least key. */
#include "any.cuh"

enum { THREADS = 128, EACH = 4, MAX_GRID_ROWS = 65535 };

/* Keys of integers (src/sums/choice/keys.h): those of a pixel's channels are added up. */
template <class Key> struct integer_keys {
    typedef Key sample;
    typedef uint64_t key;

    static __device__ __forceinline__ key at(const Key *row, int64_t pixel, int channels)
    {
        const Key *from = row + pixel * channels;
        uint64_t sum = __ldg(from);
        for (int c = 1; c < channels; c++) {
            sum += __ldg(from + c);
        }
        return sum;
    }

    static __device__ __forceinline__ bool less(key a, key b)
    {
        return a < b;
    }
};

/* Keys of floats: bounds of how much the window varies (src/sums/choice/varied.h). */
struct real_keys {
    typedef double2 sample, key;

    static __device__ __forceinline__ key at(const double2 *row, int64_t pixel, int)
    {
        return __ldg(row + pixel);
    }

    static __device__ __forceinline__ bool less(key a, key b)
    {
        return a.y < b.x;
    }
};

/* A thread has EACH pixels of a row, THREADS apart. T: samples. */
template <class T, class Keys>
static __global__ void __launch_bounds__(THREADS)
    choose_least(const __grid_constant__ filter_gpu_task task,
                 const __grid_constant__ satf_view out)
{
    int64_t x = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    int channels = out.channels, apart = THREADS * channels;
    int64_t rest = (out.width - x + THREADS - 1) / THREADS; /* pixels of the thread */
    for (int64_t y = blockIdx.y; y < out.height; y += gridDim.y) {
        typename Keys::key least[EACH];
        const T *mean[EACH];
        for (int k = 0; k < task.choices; k++) {
            const satf_rect *w = &task.choice[k];
            int64_t row = y + w->y + w->h - 1, pixel = x + w->x + w->w - 1;
            const char *keys = (const char *)task.keys.data + row * task.keys.stride;
            const T *means =
                (const T *)((const char *)task.out.data + row * task.out.stride) + pixel * channels;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                if (i < rest) {
                    typename Keys::key key = Keys::at((const typename Keys::sample *)keys,
                                                      pixel + i * THREADS, channels);
                    bool less = k == 0 || Keys::less(key, least[i]);
                    least[i] = less ? key : least[i];
                    mean[i] = less ? means + i * apart : mean[i];
                }
            }
        }
        char *to = (char *)out.data + y * out.stride + x * channels * (int64_t)sizeof(T);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            for (int c = 0; c < channels && i < rest; c++) {
                memcpy(to + (i * apart + c) * (int)sizeof(T), mean[i] + c, sizeof(T));
            }
        }
    }
}

template <class T> static void run(const filter_gpu_task *task, const satf_view *out, void *stream)
{
    auto kernel = task->keys.type == SATF_U32   ? choose_least<T, integer_keys<uint32_t>>
                  : task->keys.type == SATF_U64 ? choose_least<T, integer_keys<uint64_t>>
                                                : choose_least<T, real_keys>;
    dim3 grid((unsigned)((out->width - 1) / (THREADS * EACH) + 1),
              (unsigned)(out->height < MAX_GRID_ROWS ? out->height : MAX_GRID_ROWS));
    kernel<<<grid, THREADS, 0, (cudaStream_t)stream>>>(*task, *out);
}

extern "C" satf_status cuda_choose(satf_context *ctx, const filter_gpu_task *task,
                                   const satf_view *out)
{
    satf_status status = cuda_open(ctx, out->device);
    if (status) {
        return status;
    }
    void *stream = cuda_stream(ctx);
    switch (sample_bytes(out->type)) {
    case 1:
        run<uint8_t>(task, out, stream);
        break;
    case 2:
        run<uint16_t>(task, out, stream);
        break;
    case 4:
        run<uint32_t>(task, out, stream);
        break;
    default:
        run<uint64_t>(task, out, stream);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
