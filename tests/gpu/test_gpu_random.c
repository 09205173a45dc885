/* Sums of bytes over random windows, which are exact: sizes, places, borders, channels, images. */
#include "../filter_make.h"
#include "../filter_reference.h"
#include "program.h"

enum { SIDE = 300, CASES = 6000 };

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(ref_random(seed) % (uint64_t)n);
}

static void sum_case(uint64_t seed)
{
    static const int64_t sizes[][2] = {{131, 67}, {64, 64}, {300, 200}, {40, 9}};
    static uint8_t pixels[4 * SIDE * SIDE];
    static uint32_t want[4 * SIDE * SIDE], got[4 * SIDE * SIDE];
    uint64_t number = seed;
    const int64_t *size = sizes[below(&seed, 4)];
    int64_t w = 1 + below(&seed, 75), h = 1 + below(&seed, number % 2 ? 9 : 40);
    int channels = 1 + (int)below(&seed, 4);
    satf_border border = (satf_border)below(&seed, SATF_SHRINK + 1);
    char spec[80];
    snprintf(spec, sizeof spec, "sum=%dx%d,border=%s%s,at=%d:%d", (int)w, (int)h,
             satf_border_name((int)border), border == SATF_CONSTANT ? ":7" : "",
             (int)(w / 2 - below(&seed, w)), (int)(h / 2 - below(&seed, h)));
    satf_view in = satf_view_packed(pixels, size[0], size[1], channels, SATF_U8), out;
    for (int64_t i = 0; i < size[0] * size[1] * channels; i++) {
        pixels[i] = (uint8_t)ref_random(&seed);
    }
    satf_filter *filter = parse_filter(cpu, spec);
    gpu_must(cpu, satf_filter_output(cpu, filter, &in, &out));
    assert_int_equal(out.type, SATF_U32);
    out.data = want;
    gpu_must(cpu, gpu_apply_here(filter, &in, &out));
    out.data = got;
    gpu_must(gpu, satf_filter_apply(gpu, filter, &in, &out));
    satf_filter_destroy(filter);
    for (int64_t i = 0; i < size[0] * size[1] * channels; i++) {
        if (want[i] != got[i]) {
            fail_msg("case %lu: %s of %ld x %ld, %d channels: (%ld, %ld) channel %ld is %u, not %u",
                     (unsigned long)number, spec, (long)size[0], (long)size[1], channels,
                     (long)(i / channels % size[0]), (long)(i / channels / size[0]),
                     (long)(i % channels), got[i], want[i]);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (gpu_small ? 20 : CASES); seed++) {
        sum_case(seed);
        gpu_runs++;
    }
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return gpu_test_end("test_gpu_random",
                        cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
