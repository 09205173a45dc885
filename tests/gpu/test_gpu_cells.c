/* Means over the cells of coarser grids on a CUDA device: the CPU's bits. */
#include "filter_make.h"
#include "program.h"

/* Small cells and large ones, whole and shared pixels, the last cells smaller. */
static const struct {
    int64_t width, height;
    const char *spec;
} grids[] = {
    {301, 67, "resize=50%"},       {300, 68, "resize=150x34!"},  {301, 66, "resize=100x22!"},
    {199, 101, "resize=198x100!"}, {640, 9, "resize=427x6!"},    {512, 3, "resize=512x1!"},
    {127, 140, "resize=3x2!"},     {1500, 50, "resize=4x7!"},    {31, 700, "resize=30x3!"},
    {800, 330, "resize=1x1!"},     {3000, 5, "resize=2999x5!"},  {5000, 3, "resize=31x3!"},
    {301, 67, "pixelate=3"},       {300, 68, "pixelate=15x4"},   {301, 66, "pixelate=255"},
    {1, 3000, "pixelate=2x1000"},  {900, 90, "pixelate=200x40"}, {40, 41, "pixelate=1x2"},
    {5000, 2, "pixelate=4000x2"},  {16, 2200, "resize=16x11!"},  {2500, 2100, "resize=2x2!"},
};

TEST_ALONE(test_grids)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        for (int k = 0; k < (gpu_small ? 2 : 28); k++) {
            static const int channels[] = {1, 2, 3, 4, 2, 3, 4};
            if (grids[i].width * grids[i].height > 1000000 && k > 4) {
                break;
            }
            uint64_t seed = i * 28 + (uint64_t)k;
            ON_HOST satf_view in = gpu_image(grids[i].width, grids[i].height, channels[k / 4],
                                             types[k % 4], k / 4 > 3, seed, 0);
            SCOPED_FILTER *filter = parse_filter(cpu, grids[i].spec);
            gpu_compare_filter(grids[i].spec, filter, &in, seed);
        }
    }
}

GPU_TEST_FILE;
