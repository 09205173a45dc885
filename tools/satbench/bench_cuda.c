/* Images on a CUDA device, and the check of SATs there. */
#include "bench.h"

#include <inttypes.h>
#include <string.h>

#include "../../src/study/gpu.h"
#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/base/view.h"

static size_t device_view_bytes(const satf_view *view)
{
    return (size_t)(view->stride * view->height);
}

satf_status bench_device_upload(bench *b, const void *host, size_t bytes, const char *what,
                                void **device_memory)
{
    int device = b->options.device;
    *device_memory = NULL;
    satf_status status = satf_cuda()->alloc(b->ctx, device, bytes, what, device_memory);
    if (!status && host) {
        status = satf_cuda()->copy_bytes(b->ctx, device, *device_memory, host, bytes);
    }
    if (!status) {
        status = satf_cuda()->wait(b->ctx, device);
    }
    if (status) {
        satf_cuda()->free(b->ctx, *device_memory);
        *device_memory = NULL;
    }
    return status;
}

satf_status bench_device_allocate(bench *b, const satf_view *in, const satf_view *out,
                                  bench_device_image *image)
{
    *image = (bench_device_image){.in = *in, .out = *out};
    image->in.data = image->out.data = NULL;
    image->in.device = image->out.device = b->options.device;
    satf_status status =
        bench_device_upload(b, in->data, device_view_bytes(in), "the image", &image->in.data);
    return status ? status
                  : bench_device_upload(b, NULL, device_view_bytes(out), "the result",
                                        &image->out.data);
}

satf_status bench_device_truth(bench *b, bench_device_image *image)
{
    const satf_view *in = &image->in;
    size_t samples = (size_t)(satf_row_samples(in) * in->height);
    satf_status status =
        bench_device_upload(b, NULL, samples * sizeof(uint64_t), "the right result", &image->truth);
    if (!status) {
        status = machine_cuda()->truth(b->ctx, in, bench_units(in), image->truth);
    }
    return status ? status : satf_cuda()->wait(b->ctx, in->device);
}

void bench_device_release(bench *b, bench_device_image *image)
{
    satf_cuda()->free(b->ctx, image->in.data);
    satf_cuda()->free(b->ctx, image->out.data);
    satf_cuda()->free(b->ctx, image->truth);
    *image = (bench_device_image){0};
}

satf_status bench_device_poison(bench *b, const bench_device_image *image)
{
    return satf_cuda()->set_bytes(b->ctx, image->out.device, image->out.data, 0xa5,
                                  device_view_bytes(&image->out));
}

/* Small results are also held against the host's own reference. */
static satf_status check_on_host(bench *b, const bench_device_image *image, const char **problem)
{
    satf_view in = image->in, out = image->out;
    int device = out.device;
    in.device = out.device = SATF_HOST;
    in.data = satf_alloc(device_view_bytes(&in));
    out.data = satf_alloc(device_view_bytes(&out));
    satf_status status = in.data && out.data
                             ? SATF_OK
                             : satf_fail_memory(b->ctx, device_view_bytes(&out), "a check");
    if (!status) {
        status = satf_cuda()->copy_bytes(b->ctx, device, in.data, image->in.data,
                                         device_view_bytes(&in));
    }
    if (!status) {
        status = satf_cuda()->copy_bytes(b->ctx, device, out.data, image->out.data,
                                         device_view_bytes(&out));
    }
    if (!status) {
        status = satf_cuda()->wait(b->ctx, device);
    }
    if (!status) {
        *problem = bench_check_sat(&in, &out);
    }
    bench_release(&in, &out);
    return status;
}

satf_status bench_device_check(bench *b, const bench_device_image *image, const char **problem)
{
    static char message[128];
    const satf_view *out = &image->out;
    double relative = out->type == SATF_F32 ? 0x1p-21 : 0;
    int64_t first;
    *problem = NULL;
    satf_status status = machine_cuda()->compare(b->ctx, image->truth, out, bench_units(&image->in),
                                                 relative, &first);
    if (status) {
        return status;
    }
    if (first >= 0) {
        int64_t samples = satf_row_samples(out);
        snprintf(message, sizeof message,
                 "wrong result at column %" PRId64 ", row %" PRId64 ", channel %" PRId64,
                 first % samples / out->channels, first / samples, first % out->channels);
        *problem = message;
        return SATF_OK;
    }
    bool small = satf_row_samples(out) * out->height <= INT64_C(1) << 22;
    return small && out->type != SATF_F32 ? check_on_host(b, image, problem) : SATF_OK;
}

/* ------------------------------------------------------------------ arrays */

satf_status bench_arrays_open(bench *b, bench_arrays *a, size_t bytes)
{
    a->bytes = bytes;
    a->right = satf_alloc(bytes);
    return a->right ? bench_device_upload(b, NULL, bytes, "a result", &a->out)
                    : satf_fail_memory(b->ctx, bytes, "a result");
}

void bench_arrays_close(bench *b, bench_arrays *a)
{
    satf_cuda()->free(b->ctx, a->in[0]);
    satf_cuda()->free(b->ctx, a->in[1]);
    satf_cuda()->free(b->ctx, a->out);
    satf_free(a->right);
    *a = (bench_arrays){0};
}

int bench_check_work(bench *b, const bench_arrays *a, bench_work *work, void *user,
                     const char *name, const char *kind)
{
    int device = b->options.device;
    void *got = satf_alloc(a->bytes);
    satf_status status = got ? satf_cuda()->set_bytes(b->ctx, device, a->out, 0xa5, a->bytes)
                             : satf_fail_memory(b->ctx, a->bytes, "a result");
    status = status ? status : work(user);
    status = status ? status : satf_cuda()->copy_bytes(b->ctx, device, got, a->out, a->bytes);
    status = status ? status : satf_cuda()->wait(b->ctx, device);
    bool right = !status && memcmp(got, a->right, a->bytes) == 0;
    satf_free(got);
    return status  ? bench_call_error(b, status, name)
           : right ? 0
                   : bench_error(1, "%s, %s: the result is wrong", name, kind);
}

int bench_measure_work(bench *b, const bench_arrays *a, double bytes, bench_work *work,
                       bench_work *peer, void *user, const char *name, const char *kind,
                       bench_timing *timing)
{
    satf_status status = bench_measure(b, bytes, work, peer, user, timing);
    return status ? bench_call_error(b, status, name)
                  : bench_check_work(b, a, work, user, name, kind);
}

int bench_needs_device(bench *b)
{
    if (b->options.device == SATF_HOST && !b->options.simulate) {
        return bench_error(1,
                           "the table %s is timed on a CUDA device; use --device cuda, or "
                           "--simulate to count without one",
                           b->table->name);
    }
    bench_set_place(b, b->options.device);
    return 0;
}
