/* The device layer: what src/base/gpu.h promises, by the CUDA runtime. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kept.h"

extern "C" {
#include "../../src/base/memory.h"
#include "../../src/base/view.h"
}

/* Compute capabilities that nvcc was told to compile for, times ten, ascending. */
static const int compiled[] = {__CUDA_ARCH_LIST__};

/* Host memory crosses in pieces of this size through two pinned buffers: the
 * processor fills or empties one while the device copies the other. */
static const size_t staging_bytes = (size_t)8 << 20;

/* Less than this is left to the driver, which copies pageable memory itself. */
static const size_t staging_from_bytes = (size_t)1 << 20;

/* The largest pitch of a 2-D copy (cudaDeviceProp.memPitch on every device). */
static const int64_t max_pitch = INT32_MAX;

enum { BUFFERS = 2 };

/* What a context has on the device it used last. */
struct satf_gpu {
    int device;
    cudaStream_t own; /* NULL as long as the caller's stream does */
    cudaMemPool_t pool;
    cudaEvent_t begin, end; /* NULL until something is timed */
    struct {
        void *memory;     /* pinned; NULL until the first large copy */
        cudaEvent_t done; /* the device's use of it */
    } staging[BUFFERS];
    gpu_keeper *keeper; /* NULL until memory is kept */
};

satf_status cuda_check(satf_context *ctx, cudaError_t error, const char *call)
{
    if (error == cudaSuccess) {
        return SATF_OK;
    }
    cudaGetLastError();
    satf_status status = SATF_DEVICE_FAILED;
    switch (error) {
    case cudaErrorMemoryAllocation:
        status = SATF_NO_MEMORY;
        break;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
        status = SATF_NO_DEVICE;
        break;
    default:
        break;
    }
    /* of an expression such as pair->columns(p, stream) what it calls */
    const char *name = call, *end = call + strcspn(call, "(");
    for (const char *at = call; at < end; at++) {
        name = *at == '.' || *at == '>' ? at + 1 : name;
    }
    const char *what = "kernel launch ";
    if (strncmp(name, "cudaGetLastError(", 17) == 0) {
        end = name;
    } else if (strncmp(name, "cuda", 4) == 0) {
        what = "CUDA call ";
    }
    return satf_fail(ctx, status, "the %s%.*s%s: %s", what, (int)(end - name), name,
                     end > name ? " failed" : "failed", cudaGetErrorString(error));
}

/* ---------------------------------------------------------------- the devices */

/* 1000 * major + 10 * minor; 0 without a driver. */
static int driver_version(void)
{
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return version;
}

int satf_gpu_count(const char **why)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) {
        return count;
    }
    cudaGetLastError();
    if (why) {
        if (driver_version() == 0) {
            *why = "the NVIDIA driver is not installed";
        } else if (error == cudaErrorInsufficientDriver) {
            *why = "the NVIDIA driver is older than this program's CUDA version";
        } else if (error == cudaSuccess || error == cudaErrorNoDevice) {
            *why = "the NVIDIA driver finds none";
        } else {
            *why = cudaGetErrorString(error);
        }
    }
    return 0;
}

/* "580.65.06, CUDA 13.0", or only the latter. */
static void name_driver(char *text, size_t bytes)
{
    char module[32] = "";
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file) {
        if (fscanf(file, "%31s", module) != 1) {
            module[0] = '\0';
        }
        fclose(file);
    }
    int version = driver_version();
    snprintf(text, bytes, "%s%sCUDA %d.%d", module, module[0] ? ", " : "", version / 1000,
             version % 1000 / 10);
}

bool satf_gpu_describe(int device, satf_gpu_info *info)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    static_assert(sizeof info->name == sizeof properties.name, "a name of CUDA's length");
    memcpy(info->name, properties.name, sizeof info->name);
    info->memory_bytes = properties.totalGlobalMem;
    info->major = properties.major;
    info->minor = properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    info->l2_bytes = properties.l2CacheSize;
    name_driver(info->driver, sizeof info->driver);
    /* The build holds machine code and PTX for each, so the driver can compile
     * for everything from the first one on. */
    info->runs_kernels = properties.major * 100 + properties.minor * 10 >= compiled[0];
    return true;
}

/* ---------------------------------------------------------- a context's device */

void satf_gpu_close(satf_context *ctx)
{
    satf_gpu *gpu = ctx->gpu;
    if (!gpu) {
        return;
    }
    cudaSetDevice(gpu->device);
    for (int i = 0; i < BUFFERS; i++) {
        if (gpu->staging[i].done) {
            cudaEventSynchronize(gpu->staging[i].done);
            cudaEventDestroy(gpu->staging[i].done);
        }
        cudaFreeHost(gpu->staging[i].memory);
    }
    free_keeper(gpu->keeper);
    if (gpu->begin) {
        cudaEventDestroy(gpu->begin);
    }
    if (gpu->end) {
        cudaEventDestroy(gpu->end);
    }
    if (gpu->own) {
        cudaStreamSynchronize(gpu->own);
    }
    if (ctx->device_cache) {
        ctx->device_cache_free(ctx->device_cache);
        ctx->device_cache = NULL;
    }
    if (gpu->own) {
        cudaStreamDestroy(gpu->own);
    }
    if (gpu->pool) {
        cudaMemPoolDestroy(gpu->pool); /* once all that came from it is free */
    }
    cudaGetLastError();
    satf_free(gpu);
    ctx->gpu = NULL;
}

/* Memory that is freed stays with the pool, so that the next call need not ask the driver for it
 * again. The device's default pool is left to others as they have set it. */
static satf_status make_pool(satf_context *ctx, satf_gpu *gpu)
{
    uint64_t threshold = UINT64_MAX;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = gpu->device;
    CUDA_RETURN(ctx, cudaMemPoolCreate(&gpu->pool, &properties));
    CUDA_RETURN(ctx,
                cudaMemPoolSetAttribute(gpu->pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    return SATF_OK;
}

satf_status satf_gpu_open(satf_context *ctx, int device)
{
    satf_status status = SATF_OK;
    if (!ctx->gpu || ctx->gpu->device != device) {
        status = satf_gpu_check(ctx, device);
        if (status) {
            return status;
        }
        satf_gpu_close(ctx);
        ctx->gpu = (satf_gpu *)satf_alloc_zeroed(sizeof *ctx->gpu);
        if (!ctx->gpu) {
            return satf_fail_memory(ctx, sizeof *ctx->gpu, "a CUDA device's state");
        }
        ctx->gpu->device = device;
    }
    CUDA_GOTO(fail, status, ctx, cudaSetDevice(device));
    if (!ctx->gpu->pool) {
        status = make_pool(ctx, ctx->gpu);
        if (status) {
            goto fail;
        }
    }
    if (!ctx->stream && !ctx->gpu->own) {
        CUDA_GOTO(fail, status, ctx,
                  cudaStreamCreateWithFlags(&ctx->gpu->own, cudaStreamNonBlocking));
    }
    return SATF_OK;
fail:
    satf_gpu_close(ctx);
    return status;
}

static cudaStream_t stream_of(const satf_context *ctx)
{
    return ctx->stream ? (cudaStream_t)ctx->stream : ctx->gpu->own;
}

void *satf_gpu_stream(satf_context *ctx)
{
    return stream_of(ctx);
}

gpu_keeper **keeper_of(satf_context *ctx)
{
    return &ctx->gpu->keeper;
}

satf_status satf_gpu_wait(satf_context *ctx, int device)
{
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaStreamSynchronize(stream_of(ctx)));
    return SATF_OK;
}

/* --------------------------------------------------------------------- memory */

satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory)
{
    *memory = NULL;
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    cudaError_t error =
        cudaMallocFromPoolAsync(memory, bytes ? bytes : 1, ctx->gpu->pool, stream_of(ctx));
    if (error == cudaErrorMemoryAllocation) {
        /* What is kept goes, and what the pool keeps may lie in pieces that are too small. */
        cudaGetLastError();
        *memory = NULL;
        give_up_kept(ctx);
        CUDA_RETURN(ctx, cudaStreamSynchronize(stream_of(ctx)));
        CUDA_RETURN(ctx, cudaMemPoolTrimTo(ctx->gpu->pool, 0));
        error = cudaMallocFromPoolAsync(memory, bytes ? bytes : 1, ctx->gpu->pool, stream_of(ctx));
    }
    if (error == cudaErrorMemoryAllocation) {
        size_t free_bytes = 0, all_bytes;
        cudaGetLastError();
        *memory = NULL;
        CUDA_RETURN(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
        return satf_fail(ctx, SATF_NO_MEMORY,
                         "out of memory on CUDA device %d: %zu bytes wanted for %s, %zu are free",
                         device, bytes, what, free_bytes);
    }
    return cuda_check(ctx, error, "cudaMallocFromPoolAsync");
}

void satf_gpu_free(satf_context *ctx, void *memory)
{
    if (memory && ctx->gpu && cudaFreeAsync(memory, stream_of(ctx)) != cudaSuccess) {
        cudaGetLastError(); /* of earlier work: the next call that waits reports it */
    }
}

satf_status satf_gpu_set_bytes(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaMemsetAsync(memory, value, bytes, stream_of(ctx)));
    return SATF_OK;
}

satf_status satf_gpu_copy_bytes(satf_context *ctx, int device, void *to, const void *from,
                                size_t bytes)
{
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(ctx)));
    return SATF_OK;
}

/* --------------------------------------------------------------------- copies */

/* Equal pieces of rows, `stride` bytes apart. */
typedef struct piece {
    char *data;
    int64_t stride;
} piece;

static bool pitched(int64_t stride, size_t bytes)
{
    return stride >= (int64_t)bytes && stride <= max_pitch;
}

/* Enqueues the copy of `rows` rows of `bytes` bytes each, with as few calls as the strides allow.
 */
static satf_status copy_rows(satf_context *ctx, piece to, piece from, size_t bytes, int64_t rows,
                             cudaMemcpyKind kind)
{
    cudaStream_t stream = stream_of(ctx);
    if (to.stride < 0 && from.stride < 0) {
        to.data += (rows - 1) * to.stride;
        from.data += (rows - 1) * from.stride;
        to.stride = -to.stride;
        from.stride = -from.stride;
    }
    if (rows == 1 || (to.stride == (int64_t)bytes && from.stride == (int64_t)bytes)) {
        CUDA_RETURN(ctx, cudaMemcpyAsync(to.data, from.data, bytes * (size_t)rows, kind, stream));
        return SATF_OK;
    }
    if (pitched(to.stride, bytes) && pitched(from.stride, bytes)) {
        CUDA_RETURN(ctx, cudaMemcpy2DAsync(to.data, (size_t)to.stride, from.data,
                                           (size_t)from.stride, bytes, (size_t)rows, kind, stream));
        return SATF_OK;
    }
    for (int64_t y = 0; y < rows; y++) {
        CUDA_RETURN(ctx, cudaMemcpyAsync(to.data + y * to.stride, from.data + y * from.stride,
                                         bytes, kind, stream));
    }
    return SATF_OK;
}

static void copy_on_host(piece to, piece from, size_t bytes, int64_t rows)
{
    if (to.stride == (int64_t)bytes && from.stride == (int64_t)bytes) {
        memcpy(to.data, from.data, bytes * (size_t)rows);
        return;
    }
    for (int64_t y = 0; y < rows; y++) {
        memcpy(to.data + y * to.stride, from.data + y * from.stride, bytes);
    }
}

static satf_status create_staging(satf_context *ctx)
{
    for (int i = 0; i < BUFFERS; i++) {
        if (!ctx->gpu->staging[i].done) {
            CUDA_RETURN(
                ctx, cudaEventCreateWithFlags(&ctx->gpu->staging[i].done, cudaEventDisableTiming));
        }
        if (!ctx->gpu->staging[i].memory) {
            CUDA_RETURN(ctx, cudaMallocHost(&ctx->gpu->staging[i].memory, staging_bytes));
        }
    }
    return SATF_OK;
}

/* One load of a staging buffer: rows y ... y + rows - 1, bytes x ... x + bytes - 1 of each. */
typedef struct load {
    int64_t y, rows;
    size_t x, bytes;
} load;

/* The first load, when `rows` is 0, and then the one behind; false behind the last. */
static bool next_load(const satf_view *view, size_t row_bytes, load *at)
{
    if (at->rows && at->x + at->bytes < row_bytes) {
        at->x += at->bytes;
    } else {
        at->x = 0;
        at->y += at->rows;
    }
    if (at->y >= view->height) {
        return false;
    }
    int64_t fit = (int64_t)(staging_bytes / row_bytes), left = view->height - at->y;
    at->rows = fit < 1 ? 1 : fit < left ? fit : left;
    at->bytes = row_bytes - at->x < staging_bytes ? row_bytes - at->x : staging_bytes;
    return true;
}

static piece view_piece(const satf_view *view, const load *at)
{
    piece result = {(char *)satf_row(view, at->y) + at->x, view->stride};
    return result;
}

/* The load in buffer i, its rows packed; last row first where that suits a
 * device view which is stored bottom up. */
static piece staged_piece(const satf_gpu *gpu, int i, const load *at, int64_t device_stride)
{
    char *memory = (char *)gpu->staging[i].memory;
    int64_t stride = (int64_t)at->bytes;
    piece result = {memory, stride};
    if (device_stride < 0) {
        result.data = memory + (at->rows - 1) * stride;
        result.stride = -stride;
    }
    return result;
}

static satf_status upload(satf_context *ctx, const satf_view *from, const satf_view *to,
                          size_t row_bytes)
{
    satf_gpu *gpu = ctx->gpu;
    load at = {0, 0, 0, 0};
    for (int i = 0; next_load(to, row_bytes, &at); i = (i + 1) % BUFFERS) {
        piece staged = staged_piece(gpu, i, &at, to->stride);
        CUDA_RETURN(ctx, cudaEventSynchronize(gpu->staging[i].done));
        copy_on_host(staged, view_piece(from, &at), at.bytes, at.rows);
        satf_status status =
            copy_rows(ctx, view_piece(to, &at), staged, at.bytes, at.rows, cudaMemcpyHostToDevice);
        if (status) {
            return status;
        }
        CUDA_RETURN(ctx, cudaEventRecord(gpu->staging[i].done, stream_of(ctx)));
    }
    return SATF_OK;
}

/* Each round enqueues a load and empties the one before. */
static satf_status download(satf_context *ctx, const satf_view *from, const satf_view *to,
                            size_t row_bytes)
{
    satf_gpu *gpu = ctx->gpu;
    load at = {0, 0, 0, 0}, before = at;
    bool more = next_load(from, row_bytes, &at);
    for (int i = 0; more || before.rows; i = (i + 1) % BUFFERS) {
        if (more) {
            CUDA_RETURN(ctx, cudaEventSynchronize(gpu->staging[i].done));
            satf_status status =
                copy_rows(ctx, staged_piece(gpu, i, &at, from->stride), view_piece(from, &at),
                          at.bytes, at.rows, cudaMemcpyDeviceToHost);
            if (status) {
                return status;
            }
            CUDA_RETURN(ctx, cudaEventRecord(gpu->staging[i].done, stream_of(ctx)));
        }
        if (before.rows) {
            int other = (i + 1) % BUFFERS;
            CUDA_RETURN(ctx, cudaEventSynchronize(gpu->staging[other].done));
            copy_on_host(view_piece(to, &before), staged_piece(gpu, other, &before, from->stride),
                         before.bytes, before.rows);
        }
        before = at;
        before.rows = more ? at.rows : 0;
        more = more && next_load(from, row_bytes, &at);
    }
    return SATF_OK;
}

/* Memory that the device copies at full speed by itself. */
static bool is_pinned(const void *memory)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type != cudaMemoryTypeUnregistered;
}

satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    const satf_view *host = from->device == SATF_HOST ? from : to;
    satf_status status =
        satf_gpu_open(ctx, from->device == SATF_HOST ? (int)to->device : (int)from->device);
    if (status) {
        return status;
    }
    size_t row_bytes = (size_t)satf_row_samples(from) * satf_type_bytes(from->type);
    bool small = (size_t)from->height <= staging_from_bytes / row_bytes;
    if (host->device != SATF_HOST || small || is_pinned(host->data)) {
        load all = {0, from->height, 0, row_bytes};
        return copy_rows(ctx, view_piece(to, &all), view_piece(from, &all), row_bytes, from->height,
                         cudaMemcpyDefault);
    }
    status = create_staging(ctx);
    if (status) {
        return status;
    }
    return host == from ? upload(ctx, from, to, row_bytes) : download(ctx, from, to, row_bytes);
}

/* --------------------------------------------------------------------- timing */

satf_status satf_gpu_time_begin(satf_context *ctx, int device)
{
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    if (!ctx->gpu->begin) {
        CUDA_RETURN(ctx, cudaEventCreate(&ctx->gpu->begin));
    }
    if (!ctx->gpu->end) {
        CUDA_RETURN(ctx, cudaEventCreate(&ctx->gpu->end));
    }
    CUDA_RETURN(ctx, cudaEventRecord(ctx->gpu->begin, stream_of(ctx)));
    return SATF_OK;
}

satf_status satf_gpu_time_end(satf_context *ctx, int device, double *ms)
{
    satf_status status = satf_gpu_open(ctx, device);
    if (status) {
        return status;
    }
    float elapsed;
    CUDA_RETURN(ctx, cudaEventRecord(ctx->gpu->end, stream_of(ctx)));
    CUDA_RETURN(ctx, cudaEventSynchronize(ctx->gpu->end));
    CUDA_RETURN(ctx, cudaEventElapsedTime(&elapsed, ctx->gpu->begin, ctx->gpu->end));
    *ms = (double)elapsed;
    return SATF_OK;
}
