/* One level for the whole picture, given or found, on a device: the CPU's bits. */
#include <stdio.h>

#include "../../src/base/view.h"
#include "../filter_make.h"
#include "../filter_reference.h"
#include "program.h"

enum { ANY, TWINS, ALIKE, KINDS };

/* Of the kinds that histograms may be: any; the same on both sides of the middle, so that two
 * levels are as good; of one level. */
static void fill(ref_image *image, int kind, uint64_t seed)
{
    int64_t max = (int64_t)satf_type_max(image->type);
    ref_fill(image, seed);
    for (int64_t i = 0; i < ref_count(image); i++) {
        int64_t *sample = &image->samples[i];
        bool alpha = image->alpha && i % image->channels == image->channels - 1;
        if (!alpha && kind == TWINS && i % 2) {
            *sample = max - image->samples[i - 1];
        } else if (!alpha && kind == ALIKE) {
            *sample = 77;
        }
    }
}

static void check(const char *spec, const ref_image *image, uint64_t seed)
{
    void *memory[2];
    int64_t pad = (int64_t)(seed % 4), shift = (int64_t)(seed / 4 % 4);
    satf_filter *filter = parse_filter(cpu, spec);
    satf_view in = ref_view(image, (int64_t)(seed % 3)), want, got;
    gpu_must(cpu, satf_filter_output(cpu, filter, &in, &want));
    size_t bytes = (size_t)(want.stride * want.height);
    got = want;
    want.data = calloc(1, bytes);
    got.data = calloc(1, bytes);
    gpu_must(cpu, satf_filter_apply(cpu, filter, &in, &want));
    satf_view there = gpu_view(gpu, &in, pad, shift, seed & 16, &memory[0]);
    satf_view out =
        gpu_view(gpu, &got, seed & 32 ? 0 : shift, seed & 32 ? 0 : pad, seed & 64, &memory[1]);
    gpu_must(gpu, satf_cuda()->copy(gpu, &in, &there));
    gpu_must(gpu, satf_filter_apply(gpu, filter, &there, &out));
    gpu_must(gpu, satf_cuda()->copy(gpu, &out, &got));
    gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    gpu_check_guards(gpu, &out, memory[1], seed & 32 ? 0 : pad);
    if (memcmp(got.data, want.data, bytes) != 0) {
        fail_msg("%s of %s, %d channels%s, %ld x %ld, seed %lu", spec, satf_type_name(image->type),
                 image->channels, image->alpha ? " with alpha" : "", (long)image->width,
                 (long)image->height, (unsigned long)seed);
    }
    gpu_runs++;
    satf_cuda()->free(gpu, memory[0]);
    satf_cuda()->free(gpu, memory[1]);
    satf_filter_destroy(filter);
    free(in.data);
    free(want.data);
    free(got.data);
}

static void test_levels(void **state)
{
    static const char *const specs[] = {"threshold=otsu", "threshold=otsu,surface,invert",
                                        "threshold=otsu,invert", "threshold=100.5",
                                        "threshold=0,invert"};
    static const int64_t sizes[][2] = {{1, 1}, {33, 1}, {67, 31}, {640, 480}};
    static const int layouts[][2] = {{1, 0}, {2, 1}, {3, 0}, {4, 1}};
    uint64_t seed = 0;
    (void)state;
    for (int k = 0; k < 4 * 4 * KINDS * 2; k++) {
        const int64_t *size = sizes[gpu_small ? k % 2 : k % 4];
        ref_image image = {size[0],
                           size[1],
                           layouts[k / 4 % 4][0],
                           k / 16 % 2 ? SATF_U16 : SATF_U8,
                           layouts[k / 4 % 4][1],
                           NULL};
        fill(&image, k / 32, ++seed);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            check(specs[s], &image, seed * 5 + s);
        }
        free(image.samples);
    }
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};
    return gpu_test_end("test_gpu_threshold",
                        cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
