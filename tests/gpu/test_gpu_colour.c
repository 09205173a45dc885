/* guided by colour on a device: the CPU's bits of integers. */
#include "../filter_make.h"
#include "../filter_reference.h"
#include "program.h"

static void check(const char *spec, const ref_image *image, const satf_view *guide, uint64_t seed)
{
    satf_filter *filter = parse_filter(cpu, spec);
    satf_view in = ref_view(image, (int64_t)(seed % 3));
    if (guide) {
        gpu_must(cpu, satf_filter_set_image(cpu, filter, guide));
    }
    gpu_compare_filter(spec, filter, &in, seed);
    satf_filter_destroy(filter);
    free(in.data);
}

/* Guides have channels and a depth of their own, of floats too; RGB and RGBA guide themselves. */
static void test_colour(void **state)
{
    static const char *const specs[] = {"guided=9,colour,border=mirror",
                                        "guided=7x4,at=1:0,colour,border=constant:9,amount=2",
                                        "guided=31,colour,border=shrink,eps=0.000001"};
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32};
    (void)state;
    for (int k = 0; k < 2 * 3 * 4 * 3; k++) {
        int channels = k / 6 % 4 + 1;
        ref_image image = {131, 67, channels, types[k % 2], channels % 2 == 0, NULL};
        ref_image other = {131, 67, 4, types[k / 2 % 3], 1, NULL};
        ref_fill(&image, (uint64_t)k);
        ref_fill(&other, (uint64_t)k + 99);
        satf_view guide = ref_view(&other, 0);
        check(specs[k / 24], &image, &guide, (uint64_t)k);
        check(specs[k / 24], &image, NULL, (uint64_t)k);
        free(guide.data);
        free(other.samples);
        free(image.samples);
    }
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_colour)};
    return gpu_test_end("test_gpu_colour",
                        cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
