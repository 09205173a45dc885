/* guided by colour on a device: the CPU's bits of integers. */
#include "filter_make.h"
#include "program.h"

/* Guides have channels and a depth of their own, of floats too; RGB and RGBA guide themselves. */
TEST_ALONE(test_colour)
{
    static const char *const specs[] = {"guided=9,colour,border=mirror",
                                        "guided=7x4,at=1:0,colour,border=constant:9,amount=2",
                                        "guided=31,colour,border=shrink,eps=0.000001"};
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32};
    for (int k = 0; k < 2 * 3 * 4 * 3; k++) {
        int channels = k / 6 % 4 + 1;
        uint64_t seed = (uint64_t)k;
        ON_HOST satf_view in =
            gpu_image(131, 67, channels, types[k % 2], channels % 2 == 0, seed, k % 3);
        ON_HOST satf_view guide = gpu_image(131, 67, 4, types[k / 2 % 3], true, seed + 99, 0);
        for (int own = 0; own < 2; own++) {
            SCOPED_FILTER *filter = parse_filter(cpu, specs[k / 24]);
            if (!own) {
                MUST(cpu, satf_filter_set_image(cpu, filter, &guide));
            }
            gpu_compare_filter(specs[k / 24], filter, &in, seed);
        }
    }
}

GPU_TEST_FILE;
