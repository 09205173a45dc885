/*
 * SATs by what the CUDA toolkit offers: CUB scans along rows, a transpose, scans
 * again and a transpose back, as a user of CUB or Thrust would write it. Scans are
 * by key, the row's number, and where CUB has them segmented, a row a segment. With
 * -DWITH_NPP also nppiIntegral. Prints one JSON record a line, in the form of
 * satbench. Arguments: the sides of the square images.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define SEGMENTED /* CCCL 3.3 and later */
#endif
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#ifdef WITH_NPP
#include <nppi_statistics_functions.h>
#endif

static void check(cudaError_t error, const char *call)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "cub_sat: %s: %s\n", call, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

enum { TILE = 32, ROWS = 8, SAMPLES = 15, THREADS = 256 };

/* The row of a sample: what scans by key start anew with. */
struct row_of {
    uint32_t width;
    __host__ __device__ uint32_t operator()(uint32_t i) const
    {
        return i / width;
    }
};

template <typename Sum> struct widen {
    template <typename In> __host__ __device__ Sum operator()(In value) const
    {
        return (Sum)value;
    }
};

template <typename T> __global__ void transpose(const T *in, T *out, int n)
{
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < n && y + k < n) {
            tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) {
        if (x < n && y + k < n) {
            out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

/* Few ones among zeros: every sum is exact in f32 too. */
template <typename In> __global__ void fill(In *in, size_t n, uint32_t sparse)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        uint32_t h = (uint32_t)i * 2654435761u;
        h ^= h >> 15;
        in[i] = (In)(h * 2246822519u % sparse == 0);
    }
}

/* The second differences of a SAT are the image. `edge`: rows and columns of
 * zeros that the table has before the image's first. */
template <typename In, typename Sum>
__global__ void count_wrong(const In *in, const Sum *sat, int n, int edge, unsigned *wrong)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, pitch = n + edge;
    if (i >= (size_t)n * n) {
        return;
    }
    size_t x = i % n, y = i / n;
    const Sum *at = sat + (y + edge) * pitch + x + edge;
    Sum left = x + edge ? at[-1] : (Sum)0;
    Sum up = y + edge ? *(at - pitch) : (Sum)0;
    Sum corner = x + edge && y + edge ? *(at - pitch - 1) : (Sum)0;
    if ((Sum)(*at - left) - (Sum)(up - corner) != (Sum)in[i]) {
        atomicAdd(wrong, 1u);
    }
}

template <typename In, typename Sum> struct image {
    int n;
    size_t pixels;
    In *in;
    Sum *out, *between;
    void *scratch;
    size_t scratch_bytes;
    unsigned *wrong;
};

/* Sums along rows; called with no scratch it says how much it needs, as CUB's functions do. */
struct by_key {
    static constexpr const char *name = "scans by key";
    static cudaError_t scan(void *scratch, size_t &bytes, int n, auto from, auto to)
    {
        auto keys = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0),
                                                    row_of{(uint32_t)n});
        return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, keys, from, to, (int64_t)n * n);
    }
};

#ifdef SEGMENTED
struct start_of {
    int64_t width;
    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * width;
    }
};

struct segmented {
    static constexpr const char *name = "segmented scans";
    static cudaError_t scan(void *scratch, size_t &bytes, int n, auto from, auto to)
    {
        auto starts =
            thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), start_of{n});
        return cub::DeviceSegmentedScan::InclusiveSegmentedSum(scratch, bytes, from, to, starts,
                                                               starts + 1, n);
    }
};
#endif

template <typename Scan, typename In, typename Sum>
void scan_rows(image<In, Sum> &im, const auto &from, Sum *to)
{
    size_t bytes = 0;
    CHECK(Scan::scan(nullptr, bytes, im.n, from, to));
    if (bytes > im.scratch_bytes) {
        CHECK(cudaFree(im.scratch));
        CHECK(cudaMalloc(&im.scratch, bytes));
        im.scratch_bytes = bytes;
    }
    CHECK(Scan::scan(im.scratch, bytes, im.n, from, to));
}

template <typename Scan, typename In, typename Sum> void cub_sat(image<In, Sum> &im)
{
    dim3 grid((im.n + TILE - 1) / TILE, (im.n + TILE - 1) / TILE), block(TILE, ROWS);
    scan_rows<Scan>(im, thrust::make_transform_iterator((const In *)im.in, widen<Sum>{}), im.out);
    transpose<<<grid, block>>>(im.out, im.between, im.n);
    scan_rows<Scan>(im, (const Sum *)im.between, im.between);
    transpose<<<grid, block>>>(im.between, im.out, im.n);
    CHECK(cudaGetLastError());
}

/* ms of one call: the median and the least of several samples. */
struct timing {
    double ms, ms_min;
};

template <typename Work> timing measure(Work work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<double> all;
    work();
    for (int calls = 1; (int)all.size() < SAMPLES;) {
        float ms;
        CHECK(cudaEventRecord(begin));
        for (int i = 0; i < calls; i++) {
            work();
        }
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (ms < 2 && calls < 1024) {
            calls *= 2;
        } else {
            all.push_back(ms / calls);
        }
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(all.begin(), all.end());
    return {all[all.size() / 2], all[0]};
}

template <typename In, typename Sum, typename Work>
void report(const char *name, const char *types, image<In, Sum> &im, int edge, Work work)
{
    size_t bytes = im.pixels * (sizeof(In) + sizeof(Sum)) / 2;
    timing t = measure(work);
    /* Within the table and the one between, both at least so large. */
    timing copy = measure(
        [&] { CHECK(cudaMemcpyAsync(im.between, im.out, bytes, cudaMemcpyDeviceToDevice)); });
    size_t table = (size_t)(im.n + edge) * (im.n + edge) * sizeof(Sum);
    CHECK(cudaMemset(im.out, 0xa5, table));
    CHECK(cudaMemset(im.wrong, 0, sizeof *im.wrong));
    work();
    count_wrong<<<(unsigned)((im.pixels + THREADS - 1) / THREADS), THREADS>>>(im.in, im.out, im.n,
                                                                              edge, im.wrong);
    unsigned wrong;
    CHECK(cudaMemcpy(&wrong, im.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong) {
        fprintf(stderr, "cub_sat: %s %s %d: %u wrong pixels\n", name, types, im.n, wrong);
        exit(1);
    }
    printf(
        "{\"table\": \"sat\", \"name\": \"%s\", %s, \"width\": %d, \"height\": %d, "
        "\"channels\": 1, \"ms\": %.6g, \"ms_min\": %.6g, \"copy_ms\": %.6g, \"x_copy\": %.6g}\n",
        name, types, im.n, im.n, t.ms, t.ms_min, copy.ms, t.ms / copy.ms);
    fflush(stdout);
}

template <typename In, typename Sum> void free_image(image<In, Sum> &im)
{
    CHECK(cudaFree(im.in));
    CHECK(cudaFree(im.out));
    CHECK(cudaFree(im.between));
    CHECK(cudaFree(im.scratch));
    CHECK(cudaFree(im.wrong));
}

template <typename In, typename Sum> image<In, Sum> make_image(int n)
{
    image<In, Sum> im = {};
    size_t table = (size_t)(n + 1) * (n + 1);
    im.n = n;
    im.pixels = (size_t)n * n;
    CHECK(cudaMalloc(&im.in, im.pixels * sizeof(In)));
    CHECK(cudaMalloc(&im.out, table * sizeof(Sum)));
    CHECK(cudaMalloc(&im.between, table * sizeof(Sum)));
    CHECK(cudaMalloc(&im.wrong, sizeof *im.wrong));
    fill<<<(unsigned)((im.pixels + THREADS - 1) / THREADS), THREADS>>>(
        im.in, im.pixels, (uint32_t)(im.pixels >> 22) + 1);
    CHECK(cudaGetLastError());
    return im;
}

template <typename Scan, typename In, typename Sum> void run_scans(const char *types, int n)
{
    image<In, Sum> im = make_image<In, Sum>(n);
    std::string name = "cub " + std::to_string(CUB_MAJOR_VERSION) + "." +
                       std::to_string(CUB_MINOR_VERSION) + " " + Scan::name;
    report(name.c_str(), types, im, 0, [&] { cub_sat<Scan>(im); });
    free_image(im);
}

template <typename In, typename Sum> void run_cub(const char *types, int n)
{
    run_scans<by_key, In, Sum>(types, n);
#ifdef SEGMENTED
    run_scans<segmented, In, Sum>(types, n);
#endif
}

#ifdef WITH_NPP
static void run_npp(int n)
{
    image<uint8_t, int32_t> im = make_image<uint8_t, int32_t>(n);
    cudaDeviceProp p;
    NppStreamContext context = {};
    CHECK(cudaGetDevice(&context.nCudaDeviceId));
    CHECK(cudaGetDeviceProperties(&p, context.nCudaDeviceId));
    context.nMultiProcessorCount = p.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = p.maxThreadsPerBlock;
    context.nSharedMemPerBlock = p.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = p.major;
    context.nCudaDevAttrComputeCapabilityMinor = p.minor;
    report("nppiIntegral", "\"input\": \"u8\", \"sum\": \"u32\"", im, 1, [&] {
        NppStatus status =
            nppiIntegral_8u32s_C1R_Ctx(im.in, n, im.out, (n + 1) * 4, NppiSize{n, n}, 0, context);
        if (status != NPP_SUCCESS) {
            fprintf(stderr, "cub_sat: nppiIntegral_8u32s_C1R_Ctx: status %d\n", (int)status);
            exit(1);
        }
    });
    free_image(im);
}
#endif

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        if (n < 1 || n > 65535) {
            fprintf(stderr, "cub_sat: '%s' is no side of 1 to 65535\n", argv[i]);
            return 2;
        }
        run_cub<float, float>("\"input\": \"f32\", \"sum\": \"f32\"", n);
        run_cub<double, double>("\"input\": \"f64\", \"sum\": \"f64\"", n);
        run_cub<uint8_t, uint32_t>("\"input\": \"u8\", \"sum\": \"u32\"", n);
#ifdef WITH_NPP
        run_npp(n);
#endif
    }
    return 0;
}
