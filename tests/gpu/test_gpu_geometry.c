/* Moved pixels on a CUDA device against the CPU's, bit for bit: every turn and order, any memory.
 */
#include "filter_make.h"
#include "move_reference.h"
#include "program.h"

/* Beside tiles of 32, 64 and 128 pixels, and words. */
static const int64_t sizes[][2] = {{1, 1},     {1, 97},  {97, 1},    {2, 3},
                                   {33, 31},   {64, 64}, {131, 67},  {128, 128},
                                   {129, 257}, {300, 5}, {1030, 515}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Host views, then views on the device, which the seed lays out. out: its type. */
static void run_case(const char *name, const satf_filter *filter, const satf_view *in, int type,
                     uint64_t seed)
{
    gpu_trial t = gpu_trial_of(name, filter, in, seed);
    if (type != SATF_TYPE_AUTO) {
        t.out = satf_view_packed(NULL, t.out.width, t.out.height, t.out.channels, (satf_type)type);
    }
    gpu_compare_views(&t, false);
}

static void run_spec(const char *spec, const satf_view *in, int type, uint64_t seed)
{
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    run_case(spec, filter, in, type, seed);
}

static void for_all_images(void (*call)(const satf_view *in, uint64_t seed))
{
    uint64_t seed = 1;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        for (int channels = 1; channels <= SATF_MAX_CHANNELS; channels++) {
            for (int k = 0; k < SIZES; k++, seed += 13) {
                if (gpu_small && (k % 6 || (type != SATF_U8 && channels % 2 == 0))) {
                    continue;
                }
                ON_HOST satf_view in =
                    ref_noise_view(sizes[k][0], sizes[k][1], channels, type, seed);
                in.flags = channels % 2 ? 0 : SATF_ALPHA;
                call(&in, seed);
            }
        }
    }
}

static void turn_image(const satf_view *in, uint64_t seed)
{
    for (int turn = 0; turn < REF_SYMMETRIES; turn++) {
        run_spec(ref_symmetries[turn].spec, in, SATF_TYPE_AUTO, seed + (uint64_t)turn * 31);
    }
}

TEST_ALONE(test_turns)
{
    for_all_images(turn_image);
}

/* A part at any place: rows of any alignment. */
static void crop_image(const satf_view *in, uint64_t seed)
{
    char spec[96];
    int64_t w = 1 + (int64_t)(seed * 5 % (uint64_t)in->width);
    int64_t h = 1 + (int64_t)(seed * 3 % (uint64_t)in->height);
    snprintf(spec, sizeof spec, "crop=%ldx%ld+%ld+%ld", (long)w, (long)h,
             (long)(seed % (uint64_t)(in->width - w + 1)),
             (long)(seed / 7 % (uint64_t)(in->height - h + 1)));
    run_spec(spec, in, SATF_TYPE_AUTO, seed);
}

TEST_ALONE(test_parts)
{
    for_all_images(crop_image);
}

/* Floats that are numbers, large and negative ones among them: of others the bits are the
 * processor's. */
static void make_numbers(const satf_view *in, uint64_t seed, double step)
{
    for (int64_t i = 0; i < in->width * in->height * in->channels; i++) {
        double value = (double)((i * 7919 + (int64_t)seed) % 100003) * step - 900;
        if (in->type == SATF_F32) {
            ((float *)in->data)[i] = (float)value;
        } else if (in->type == SATF_F64) {
            ((double *)in->data)[i] = value;
        }
    }
}

static void grey_image(const satf_view *in, uint64_t seed)
{
    make_numbers(in, seed, 1.0 / 17);
    run_spec("grey", in, SATF_TYPE_AUTO, seed);
}

TEST_ALONE(test_grey)
{
    for_all_images(grey_image);
}

static void permute_image(const satf_view *in, uint64_t seed)
{
    SCOPED_FILTER *filter;
    int64_t pixels = in->width * in->height;
    SCOPED int64_t *order = malloc((size_t)pixels * sizeof *order);
    ref_shuffle(order, pixels, seed);
    MUST(cpu, satf_filter_create(cpu, "permute", &filter));
    MUST(cpu, satf_filter_set_order(cpu, filter, order, (size_t)pixels));
    run_case("permute", filter, in, SATF_TYPE_AUTO, seed);
}

TEST_ALONE(test_orders)
{
    for_all_images(permute_image);
}

/* Outputs of another type than the input's. */
TEST_ALONE(test_conversions)
{
    for (int from = SATF_U8; from <= SATF_F64; from++) {
        for (int to = SATF_U8; to <= SATF_F64; to++) {
            uint64_t seed = (uint64_t)(from * 6 + to);
            ON_HOST satf_view in = ref_noise_view(67, 150, 3, from, seed);
            make_numbers(&in, seed, 1.75); /* halves too */
            run_spec("rotate=90", &in, to, seed);
        }
    }
}

/* Beside filters of sums, whose integers are exact. */
TEST_ALONE(test_chains)
{
    NOT_SMALL;
    static const char *const specs[] = {"transpose box=15x4 rotate=270",
                                        "flip=v variance=5,border=wrap transpose",
                                        "rotate=90 integral flip=h",
                                        "rotate=180 stddev=3 flip=v",
                                        "crop=150x100+31+20 box=9x7 transpose crop=50x60",
                                        "box=5 grey crop=77x131 variance=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ON_HOST satf_view in = ref_noise_view(203, 131, 3, i % 2 ? SATF_U16 : SATF_U8, i);
        run_spec(specs[i], &in, SATF_TYPE_AUTO, i * 17);
    }
}

/* Many tiles each way, and offsets beyond 31 bits within the image. */
TEST_ALONE(test_large)
{
    NOT_SMALL;
    static const struct {
        int64_t width, height;
        int channels, type;
        const char *spec;
    } images[] = {{70001, 32771, 1, SATF_U8, "transpose"},
                  {8191, 4099, 3, SATF_U8, "rotate=90"},
                  {8192, 4096, 4, SATF_F64, "rotate=270"},
                  {4100000, 9, 3, SATF_U8, "flip=h"},
                  {70001, 32771, 1, SATF_U8, "crop=300x200+69701+32571"}};
    MUST(cpu, satf_context_set_limit(cpu, SATF_LIMIT_PIXELS, (int64_t)1 << 33));
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_PIXELS, (int64_t)1 << 33));
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        ON_HOST satf_view in = ref_noise_view(images[i].width, images[i].height, images[i].channels,
                                              images[i].type, i + 1);
        run_spec(images[i].spec, &in, SATF_TYPE_AUTO, 64 + i);
    }
    MUST(cpu, satf_context_set_limit(cpu, SATF_LIMIT_PIXELS, 0));
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_PIXELS, 0));
}

GPU_TEST_FILE;
