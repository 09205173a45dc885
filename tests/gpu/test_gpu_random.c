/* Sums of bytes over random windows, which are exact: sizes, places, borders, channels, images. */
#include "filter_make.h"
#include "filter_reference.h"
#include "program.h"

enum { CASES = 6000 };

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(ref_random(seed) % (uint64_t)n);
}

static void sum_case(uint64_t seed)
{
    static const int64_t sizes[][2] = {{131, 67}, {64, 64}, {300, 200}, {40, 9}};
    uint64_t number = seed;
    const int64_t *size = sizes[below(&seed, 4)];
    int64_t w = 1 + below(&seed, 75), h = 1 + below(&seed, number % 2 ? 9 : 40);
    int channels = 1 + (int)below(&seed, 4);
    satf_border border = (satf_border)below(&seed, SATF_BORDER_SHRINK + 1);
    char spec[80];
    snprintf(spec, sizeof spec, "sum=%dx%d,border=%s%s,at=%d:%d", (int)w, (int)h,
             satf_border_name((int)border), border == SATF_BORDER_CONSTANT ? ":7" : "",
             (int)(w / 2 - below(&seed, w)), (int)(h / 2 - below(&seed, h)));
    ON_HOST satf_view in = gpu_image(size[0], size[1], channels, SATF_U8, false, seed, 0);
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    gpu_trial t = gpu_trial_of(spec, filter, &in, number);
    assert_int_equal(t.out.type, SATF_U32);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_here(&t, &want);
}

TEST_ALONE(test_sums)
{
    for (uint64_t seed = 0; seed < (gpu_small ? 20 : CASES); seed++) {
        sum_case(seed);
    }
}

GPU_TEST_FILE;
