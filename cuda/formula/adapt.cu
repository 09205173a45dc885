/* Adapters of pixels on a CUDA device: a thread for each pixel. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/adapt.h"

/* As many blocks as a large device has room for; each goes on with further rows. */
enum { THREADS = 256, MOST_BLOCKS = 2048 };

/* For types named by FROM and TO the compiler makes straight code; below 0: any type. */
template <int FROM, int TO>
static __global__ void __launch_bounds__(THREADS)
    adapt_pixels(row_adapter given, satf_view in, satf_view beside, satf_view out)
{
    row_adapter a = given;
    a.from = FROM < 0 ? a.from : FROM;
    a.to = TO < 0 ? a.to : TO;
    int64_t bytes = in.pixel_stride, to_bytes = out.pixel_stride;
    int64_t beside_bytes = beside.channels * (int64_t)adapt_bytes(beside.type);
    for (int64_t y = blockIdx.y; y < in.height; y += gridDim.y) {
        const char *from = (const char *)in.data + y * in.stride;
        const char *by = (const char *)beside.data + y * beside.stride;
        char *to = (char *)out.data + y * out.stride;
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < in.width;
             x += (int64_t)gridDim.x * THREADS) {
            if (a.stores) {
                adapt_store_pixel(&a, from + x * bytes, by + x * beside_bytes, beside.type,
                                  to + x * to_bytes);
            } else {
                adapt_load_pixel(&a, from + x * bytes, by + x * beside_bytes, to + x * to_bytes);
            }
        }
    }
}

/* The samples of a row that a thread converts, as one word where the row is aligned to it. */
enum { NEIGHBOURS = 4 };

template <class T> struct alignas(NEIGHBOURS * sizeof(T)) samples_of {
    T each[NEIGHBOURS];

    __device__ void load(const T *from, int count, bool at_once)
    {
        if (at_once) {
            *this = *(const samples_of *)(const void *)from;
            return;
        }
#pragma unroll
        for (int k = 0; k < NEIGHBOURS; k++) {
            each[k] = k < count ? from[k] : from[0];
        }
    }

    __device__ void store(T *to, int count, bool at_once) const
    {
        if (at_once) {
            *(samples_of *)(void *)to = *this;
            return;
        }
#pragma unroll
        for (int k = 0; k < NEIGHBOURS; k++) {
            if (k < count) {
                to[k] = each[k];
            }
        }
    }
};

/* Aligned samples that all count: each becomes one other, whatever pixel it is of. A thread has
 * samples of several rows under way at a time. */
template <int FROM, class From, int TO, class To>
static __global__ void __launch_bounds__(THREADS)
    adapt_samples(row_adapter a, satf_view in, satf_view, satf_view out)
{
    enum { ROWS = 4 };
    int64_t n = in.width * in.channels;
    bool aligned = ((uintptr_t)in.data | in.stride) % sizeof(samples_of<From>) == 0 &&
                   ((uintptr_t)out.data | out.stride) % sizeof(samples_of<To>) == 0;
    a.from = FROM;
    a.to = TO;
    a.aligned = true;
    for (int64_t y = (int64_t)blockIdx.y * ROWS; y < in.height; y += (int64_t)gridDim.y * ROWS) {
        int rows = in.height - y < ROWS ? (int)(in.height - y) : ROWS;
        for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * NEIGHBOURS; i < n;
             i += (int64_t)gridDim.x * THREADS * NEIGHBOURS) {
            int count = n - i < NEIGHBOURS ? (int)(n - i) : NEIGHBOURS;
            bool at_once = aligned && count == NEIGHBOURS;
            samples_of<From> samples[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                int64_t row = y + (r < rows ? r : 0);
                samples[r].load((const From *)((const char *)in.data + row * in.stride) + i, count,
                                at_once);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                samples_of<To> made;
#pragma unroll
                for (int k = 0; k < NEIGHBOURS; k++) {
                    double value = adapt_load_at(FROM, (const char *)&samples[r].each[k], true);
                    char *to = (char *)&made.each[k];
                    if (a.stores) {
                        adapt_store_value(&a, value, to);
                    } else {
                        adapt_put_at(TO, a.zero != 0 ? value + a.zero : value, to, true);
                    }
                }
                if (r < rows) {
                    made.store((To *)((char *)out.data + (y + r) * out.stride) + i, count, at_once);
                }
            }
        }
    }
}

typedef void (*adapt_kernel)(row_adapter, satf_view, satf_view, satf_view);

/* Whether pixels lie side by side, and all count. */
static bool is_plain(const row_adapter *a, const satf_view *in, const satf_view *out)
{
    bool side_by_side = in->pixel_stride == satf_pixel_bytes(in) &&
                        out->pixel_stride == satf_pixel_bytes(out) && in->channels == out->channels;
    bool all = a->rule == ADAPT_ALL && !a->alpha && !a->omits_nan && a->nodata != a->nodata &&
               !a->weighs && !a->divides && !a->grey && a->lanes == a->channels;
    return a->aligned && side_by_side && all;
}

/* The kernel of samples for the adapter's types; NULL: there is none. */
static adapt_kernel plain_kernel_of(const row_adapter *a)
{
#define PAIR(one, One, other, Other)                                \
    if (a->from == SATF_##one && a->to == SATF_##other) {           \
        return adapt_samples<SATF_##one, One, SATF_##other, Other>; \
    }
    PAIR(I8, int8_t, U8, uint8_t)
    PAIR(U8, uint8_t, I8, int8_t)
    PAIR(I16, int16_t, U16, uint16_t)
    PAIR(U16, uint16_t, I16, int16_t)
    PAIR(F16, uint16_t, F32, float)
    PAIR(F64, double, F16, uint16_t)
#undef PAIR
    return NULL;
}

static adapt_kernel kernel_of(const row_adapter *a)
{
#define PAIR(one, other)                                  \
    if (a->from == SATF_##one && a->to == SATF_##other) { \
        return adapt_pixels<SATF_##one, SATF_##other>;    \
    }
    PAIR(U8, U8)
    PAIR(U16, U16)
    PAIR(F32, F32)
    PAIR(F64, F64)
#undef PAIR
    return adapt_pixels<-1, -1>;
}

static bool is_aligned(const satf_view *view)
{
    int64_t bytes = (int64_t)satf_type_bytes(view->type), steps = view->stride | view->pixel_stride;
    return !view->data || ((int64_t)(uintptr_t)view->data | steps) % bytes == 0;
}

extern "C" satf_status cuda_adapt(satf_context *ctx, const row_adapter *adapter,
                                  const satf_view *in, const satf_view *beside,
                                  const satf_view *out)
{
    satf_status status = cuda_open(ctx, in->device);
    if (status) {
        return status;
    }
    row_adapter a = *adapter;
    satf_view from = *in, to = *out;
    from.pixel_stride = satf_pixel_stride(in);
    to.pixel_stride = satf_pixel_stride(out);
    a.aligned = is_aligned(&from) && is_aligned(beside) && is_aligned(&to);
    adapt_kernel plain = is_plain(&a, &from, &to) ? plain_kernel_of(&a) : NULL;
    adapt_kernel kernel = plain ? plain : kernel_of(&a);
    int64_t each = plain ? THREADS * NEIGHBOURS / in->channels : THREADS;
    int64_t columns = (in->width - 1) / each + 1, rows = MOST_BLOCKS / columns + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(in->height < rows ? in->height : rows));
    kernel<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(a, from, *beside, to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
