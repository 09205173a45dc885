#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/backend.h"
#include "../../src/base/view.h"
#include "../../src/sat/gpu.h"
#include "../filter_make.h"

bool gpu_small, gpu_long;
unsigned long long gpu_runs, gpu_refused;
satf_context *gpu, *cpu;

void gpu_test_begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        gpu_small = gpu_small || strcmp(argv[i], "--small") == 0;
        gpu_long = gpu_long || strcmp(argv[i], "--long") == 0;
    }
    const char *why = NULL;
    satf_gpu_info info;
    if (satf_gpu_count(&why) == 0) {
        fprintf(stderr, "skipped: no CUDA device: %s\n", why);
        exit(77);
    }
    if (!satf_cuda()->describe(GPU_DEVICE, &info) || (!info.runs_kernels && !info.compiles)) {
        fprintf(stderr, "skipped: CUDA device %d cannot run this build's kernels\n",
                satf_gpu_ordinal(GPU_DEVICE));
        exit(77);
    }
    printf("device: %s\ndriver: %s\n", info.name, info.driver);
}

void gpu_stress(int mode)
{
    satf_cuda()->stress(mode);
}

int gpu_test_end(const char *program, int failed)
{
    printf("%s: %llu runs compared, %llu refused\n", program, gpu_runs, gpu_refused);
    return failed != 0;
}

void gpu_must(satf_context *ctx, satf_status status)
{
    if (status) {
        fail_msg("%s: %s", satf_status_name(status), satf_message(ctx));
    }
}

void gpu_must_do(satf_context *ctx, satf_status status, const char *what)
{
    if (status) {
        fail_msg("%s: %s: %s", what, satf_status_name(status), satf_message(ctx));
    }
}

satf_context *gpu_new_context(void)
{
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    gpu_must(ctx, satf_context_set_device(ctx, GPU_DEVICE));
    return ctx;
}

int gpu_set_up(void **unused)
{
    (void)unused;
    gpu = gpu_new_context();
    return satf_context_create(&cpu) || satf_context_set_device(cpu, SATF_HOST) ||
           satf_context_set_engine(cpu, SATF_ENGINE_SAT);
}

satf_status gpu_apply_here(const satf_filter *filter, const satf_view *in, const satf_view *out)
{
    use_tables(cpu, filter, in->type, true);
    return satf_filter_apply(cpu, filter, in, out);
}

int gpu_tear_down(void **unused)
{
    (void)unused;
    satf_context_destroy(cpu);
    satf_context_destroy(gpu);
    return 0;
}

satf_view gpu_view(satf_context *ctx, const satf_view *like, int64_t pad, int64_t shift, bool flip,
                   void **memory)
{
    satf_view view = *like;
    int64_t row = satf_row_samples(like) * (int64_t)satf_type_bytes(like->type) + pad;
    size_t bytes = (size_t)(row * like->height + shift);
    gpu_must(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, bytes, "a test", memory));
    gpu_must(ctx, satf_cuda()->set_bytes(ctx, GPU_DEVICE, *memory, GPU_GUARD, bytes));
    view.device = GPU_DEVICE;
    view.stride = flip ? -row : row;
    view.data = (char *)*memory + shift + (flip ? row * (like->height - 1) : 0);
    return view;
}

void gpu_check_guards(satf_context *ctx, const satf_view *view, const void *memory, int64_t shift)
{
    int64_t row = view->stride < 0 ? -view->stride : view->stride;
    int64_t used = satf_row_samples(view) * (int64_t)satf_type_bytes(view->type);
    size_t bytes = (size_t)(row * view->height + shift);
    unsigned char *here = malloc(bytes);
    assert_non_null(here);
    gpu_must(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, here, memory, bytes));
    gpu_must(ctx, satf_cuda()->wait(ctx, GPU_DEVICE));
    for (int64_t i = 0; i < shift; i++) {
        assert_int_equal(here[i], GPU_GUARD);
    }
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t i = used; i < row; i++) {
            assert_int_equal(here[shift + y * row + i], GPU_GUARD);
        }
    }
    free(here);
}

void gpu_run_there(const char *spec, const satf_filter *filter, const satf_view *in,
                   const satf_view *got, uint64_t seed, bool planned)
{
    void *memory[2];
    int64_t pad = (int64_t)(seed % 4), shift = (int64_t)(seed / 4 % 4);
    satf_view from = gpu_view(gpu, in, pad, shift, seed & 16, &memory[0]);
    satf_view to = gpu_view(gpu, got, shift, pad, seed & 32, &memory[1]);
    gpu_must_do(gpu, satf_cuda()->copy(gpu, in, &from), "upload");
    if (planned) {
        satf_plan *plan;
        gpu_must_do(gpu, satf_plan_create(gpu, filter, &from, 1, &to, 1, &plan), spec);
        gpu_must_do(gpu, satf_plan_run(plan, &from, 1, &to, 1), spec);
        gpu_must_do(gpu, satf_plan_run(plan, &from, 1, &to, 1), spec);
        satf_plan_destroy(plan);
    } else {
        gpu_must_do(gpu, satf_filter_apply(gpu, filter, &from, &to), spec);
    }
    gpu_must_do(gpu, satf_cuda()->copy(gpu, &to, got), "download");
    gpu_must_do(gpu, satf_cuda()->wait(gpu, GPU_DEVICE), spec);
    gpu_check_guards(gpu, &to, memory[1], pad);
    satf_cuda()->free(gpu, memory[0]);
    satf_cuda()->free(gpu, memory[1]);
}

void gpu_compare_filter(const char *spec, const satf_filter *filter, const satf_view *in,
                        uint64_t seed)
{
    satf_view want, got;
    gpu_must_do(cpu, satf_filter_output(cpu, filter, in, &want), spec);
    size_t bytes = (size_t)(want.stride * want.height);
    got = want;
    want.data = calloc(1, bytes);
    got.data = calloc(1, bytes);
    gpu_must_do(cpu, gpu_apply_here(filter, in, &want), spec);
    gpu_run_there(spec, filter, in, &got, seed, false);
    if (memcmp(got.data, want.data, bytes) != 0) {
        fail_msg("%s of %s, %d channels%s, %ld x %ld, seed %lu", spec, satf_type_name(in->type),
                 in->channels, in->flags & SATF_ALPHA ? " with alpha" : "", (long)in->width,
                 (long)in->height, (unsigned long)seed);
    }
    gpu_runs++;
    free(want.data);
    free(got.data);
}
