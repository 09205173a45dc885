/* Pixels from the host to a device, back, and within it. */
#include <string.h>

#include "state.h"

extern "C" {
#include "../../src/base/view.h"
}

/* Host memory crosses in pieces of this size through two pinned buffers: the
 * processor fills or empties one while the device copies the other. */
static const size_t staging_bytes = (size_t)8 << 20;

/* Copies of less than this are left to the driver, which copies pageable memory itself. */
static const size_t staging_from_bytes = (size_t)1 << 20;

/* The largest pitch of a 2-D copy (cudaDeviceProp.memPitch on every device). */
static const int64_t max_pitch = INT32_MAX;

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

/* The load in buffer i, its rows packed; the last row comes first for a device view that is stored
 * bottom up. */
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

static satf_status copies_upload(satf_context *ctx, const satf_view *from, const satf_view *to,
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

/* Each round enqueues a load and empties the buffer of the load before. */
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

/* Whether the device copies this memory at full speed by itself. */
static bool is_pinned(const void *memory)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type != cudaMemoryTypeUnregistered;
}

satf_status cuda_copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    const satf_view *host = from->device == SATF_HOST ? from : to;
    satf_status status =
        cuda_open(ctx, from->device == SATF_HOST ? (int)to->device : (int)from->device);
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
    return host == from ? copies_upload(ctx, from, to, row_bytes)
                        : download(ctx, from, to, row_bytes);
}
