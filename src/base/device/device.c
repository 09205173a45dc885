/* The choice of a context's device. */
#include <stdio.h>

#include "gpu.h"
#include "../memory.h"
#include "../view.h"

satf_status satf_context_set_device(satf_context *ctx, int device)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (device < SATF_DEVICE_AUTO) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no device %d: %d (auto), %d (host) and, for CUDA devices, "
                         "numbers from %d are possible",
                         device, SATF_DEVICE_AUTO, SATF_HOST, SATF_CUDA(0));
    }
    if (device > SATF_HOST) {
        satf_status status = satf_gpu_check(ctx, device);
        if (status) {
            return status;
        }
    }
    ctx->settings.device = device;
    ctx->device_failed = false;
    return SATF_OK;
}

/* Rows first ... first + rows - 1. */
static satf_view device_rows_of(const satf_view *view, int64_t first, int64_t rows)
{
    return satf_view_rect(view, (satf_rect){0, first, view->width, rows});
}

satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    enum { PART_BYTES = 32 << 20 }; /* several times what is under way at once */
    int64_t row = satf_row_samples(from) * (int64_t)satf_type_bytes(from->type);
    int64_t most = satf_can_stop(ctx) ? PART_BYTES / row + 1 : from->height, rows;
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < from->height && !status; y += rows) {
        rows = from->height - y < most ? from->height - y : most;
        satf_view part = device_rows_of(from, y, rows), target = device_rows_of(to, y, rows);
        status = satf_cuda()->copy(ctx, &part, &target);
        status = status ? status : satf_tick(ctx);
    }
    return status;
}

int satf_device_count(void)
{
    return satf_gpu_count(NULL);
}

satf_status satf_device_describe(satf_context *ctx, int device, satf_device_info *info,
                                 size_t bytes)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!info || device <= SATF_HOST) {
        return satf_fail(ctx, SATF_INVALID, "only CUDA devices are described, from number %d on",
                         SATF_CUDA(0));
    }
    satf_status status = satf_gpu_check(ctx, device);
    satf_gpu_info gpu;
    if (status) {
        return status;
    }
    if (!satf_cuda()->describe(device, &gpu)) {
        return satf_fail(ctx, SATF_NO_DEVICE, "CUDA device %d does not answer",
                         satf_gpu_ordinal(device));
    }
    satf_device_info known = {.memory_bytes = (int64_t)gpu.memory_bytes};
    snprintf(known.name, sizeof known.name, "%s", gpu.name);
    if (gpu.compiles) {
        snprintf(
            known.note, sizeof known.note,
            "the driver compiles kernels for %.64s when they are first used, which takes up to a "
            "minute, and keeps them; a libsatfilter-cuda built with --with-cuda-arch=%d%d has "
            "them",
            gpu.name, gpu.major, gpu.minor);
    }
    satf_give(info, bytes, &known, sizeof known);
    return SATF_OK;
}
