/* One level for the whole picture, given or found, on a device: the CPU's bits. */
#include "filter_make.h"
#include "filter_reference.h"
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

TEST_ALONE(test_levels)
{
    static const char *const specs[] = {"threshold=otsu", "threshold=otsu,surface,invert",
                                        "threshold=otsu,invert", "threshold=100.5",
                                        "threshold=0,invert"};
    static const int64_t sizes[][2] = {{1, 1}, {33, 1}, {67, 31}, {640, 480}};
    static const int layouts[][2] = {{1, 0}, {2, 1}, {3, 0}, {4, 1}};
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    uint64_t seed = 0;
    for (int k = 0; k < 4 * 4 * 4 * KINDS; k++) {
        const int64_t *size = sizes[gpu_small ? k % 2 : k % 4];
        ref_image image = {
            size[0], size[1], layouts[k / 4 % 4][0], types[k / 16 % 4], layouts[k / 4 % 4][1],
            NULL};
        fill(&image, k / 64, ++seed);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            SCOPED_FILTER *filter = parse_filter(cpu, specs[s]);
            ON_HOST satf_view in = ref_view(&image, (int64_t)((seed * 5 + s) % 3));
            gpu_compare_filter(specs[s], filter, &in, seed * 5 + s);
        }
        free(image.samples);
    }
}

/* Floats of any range, some of which are not finite. */
TEST_ALONE(test_ranges)
{
    enum { W = 211, H = 97 };
    static const double scales[] = {1, 1e300, 0x1p-1060, -3e-9};
    SCOPED double *samples = malloc(W * H * 2 * sizeof *samples);
    uint64_t seed = 5;
    for (int k = 0; k < 16; k++) {
        int channels = 1 + k % 2;
        for (int i = 0; i < W * H * channels; i++) {
            uint64_t random = ref_random(&seed);
            double sample = (double)(random >> 40) * scales[k / 4] + (k & 2 ? 1e6 : 0);
            bool alpha = channels == 2 && i % 2;
            samples[i] = alpha              ? (double)(random % 4) / 3
                         : random % 19 == 0 ? NAN
                         : random % 23 == 0 ? INFINITY
                                            : sample;
        }
        satf_view in = satf_view_packed(samples, W, H, channels, SATF_F64);
        in.flags = channels == 2 ? SATF_ALPHA : 0;
        SCOPED_FILTER *filter =
            parse_filter(cpu, k % 3 ? "threshold=otsu" : "threshold=otsu,surface");
        gpu_compare_filter("otsu of floats", filter, &in, (uint64_t)k);
    }
}

GPU_TEST_FILE;
