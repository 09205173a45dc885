/* Passes along lines on a device have the bits of the CPU's, of any type, border and number of
 * channels. */
#include "filter_make.h"
#include "filter_reference.h"
#include "program.h"

static const int64_t sizes[][2] = {{1, 1}, {1, 70}, {300, 1}, {131, 67}, {64, 200}};
static const char *const sigmas[] = {"0.3",          "1,down=5", "2.6",         "6,down=0",
                                     "6.5,passes=3", "9,down=2", "120,passes=5"};
static const char *const borders[] = {"clamp", "mirror", "reflect", "wrap", "constant:1", "shrink"};
static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SIGMAS = sizeof sigmas / sizeof *sigmas,
    BORDERS = sizeof borders / sizeof *borders,
    TYPES = sizeof types / sizeof *types
};

static void fill(const satf_view *view, uint64_t seed)
{
    for (int64_t i = 0; i < satf_row_samples(view) * view->height; i++) {
        uint64_t r = ref_random(&seed) >> 20;
        if (view->type == SATF_F64) {
            ((double *)view->data)[i] = (double)(r % 100000) / 100000;
        } else if (view->type == SATF_F32) {
            ((float *)view->data)[i] = (float)(r % 1000) / 1000;
        } else {
            size_t bytes = satf_type_bytes(view->type);
            memcpy((char *)view->data + (size_t)i * bytes, &r, bytes);
        }
    }
}

static void check(int number, int to)
{
    const int64_t *size = sizes[number % SIZES];
    satf_type type = types[number / SIZES % TYPES];
    int channels = 1 + number / (SIZES * TYPES) % 4;
    char spec[80];
    snprintf(spec, sizeof spec, "gauss=%s,border=%s", sigmas[number % 7 % SIGMAS],
             borders[number % 11 % BORDERS]);
    satf_view in = satf_view_packed(NULL, size[0], size[1], channels, type);
    in.flags = channels > 1 && number % 3 ? SATF_ALPHA : 0;
    in.data = malloc((size_t)(in.stride * in.height));
    fill(&in, (uint64_t)number);
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    gpu_trial t = gpu_trial_of(spec, filter, &in, (uint64_t)number);
    t.out.type = to == SATF_TYPE_AUTO ? t.out.type : to;
    t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_here(&t, &want);
    free(in.data);
}

TEST_ALONE(test_lines)
{
    for (int number = 0; number < (gpu_small ? 40 : 1200); number++) {
        check(number, number % 5 ? SATF_TYPE_AUTO : SATF_F64);
    }
}

/* Bytes by weights, which the matrix units take, wherever rows begin: bytes anywhere, and none but
 * the largest, whose sums are the largest. */
static void check_bytes(int number)
{
    static const int64_t shapes[][2] = {{1, 1},    {1, 70},    {300, 1},   {131, 67},
                                        {64, 200}, {1031, 49}, {517, 700}, {2000, 33}};
    static const char *const widths[] = {"0",        "0.1",        "0.3",      "1",       "2",
                                         "2.1",      "3,down=0.5", "4",        "4.1",     "6",
                                         "1,down=6", "0.5,down=3", "6,down=0", "0,down=2"};
    static const char *const edges[] = {"clamp",        "mirror",     "reflect",
                                        "wrap",         "constant:0", "constant:1",
                                        "constant:255", "valid",      "shrink"};
    enum {
        SHAPES = sizeof shapes / sizeof *shapes,
        WIDTHS = sizeof widths / sizeof *widths,
        EDGES = sizeof edges / sizeof *edges
    };
    const int64_t *shape = shapes[number % SHAPES];
    char spec[80];
    snprintf(spec, sizeof spec, "gauss=%s,border=%s", widths[number / SHAPES % WIDTHS],
             edges[(number + number / (SHAPES * WIDTHS)) % EDGES]);
    int channels = 1 + (number + number / SHAPES + number / (SHAPES * WIDTHS)) % 4;
    satf_view in = satf_view_packed(NULL, shape[0], shape[1], channels, SATF_U8);
    SCOPED char *bytes = malloc((size_t)(in.stride * in.height));
    assert_non_null(bytes);
    in.data = bytes;
    fill(&in, (uint64_t)number);
    if (number % 7 == 0) {
        memset(bytes, 255, (size_t)(in.stride * in.height));
    }
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    satf_view out;
    if (satf_filter_output(cpu, filter, &in, &out)) {
        return; /* it holds no whole window */
    }
    gpu_trial t = gpu_trial_of(spec, filter, &in, (uint64_t)number * 2654435761u >> 8);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_there(&t, number % 3 == 0, &want);
    if (number % 5 == 0) {
        gpu_compare_here(&t, &want);
    }
}

TEST_ALONE(test_bytes)
{
    enum { ALL = 8 * 14 * 9 * 4 }; /* shapes, widths, edges and channels */
    for (int number = 0; number < ALL; number += gpu_small ? 101 : 1) {
        check_bytes(number);
    }
}

/* Whole numbers in several stretches of a line, by weights and by boxes of 2, 17, 54, 88 and more
 * pixels, wherever rows begin. */
static void check_stretches(int number)
{
    static const int64_t shapes[][2] = {{1700, 37}, {41, 1237}, {533, 9}, {7, 2111}};
    static const char *const widths[] = {
        "2",        "6,down=1",           "6.01",        "10", "30,passes=3", "50", "84,passes=4",
        "8,down=0", "0,down=77,passes=5", "300,down=6.5"};
    enum { SHAPES = sizeof shapes / sizeof *shapes, WIDTHS = sizeof widths / sizeof *widths };
    const int64_t *shape = shapes[number % SHAPES];
    char spec[80];
    snprintf(spec, sizeof spec, "gauss=%s,border=%s", widths[number / SHAPES % WIDTHS],
             borders[(number + number / SHAPES) % BORDERS]);
    int channels = 1 + number / 3 % 4;
    satf_view in = satf_view_packed(NULL, shape[0], shape[1], channels, types[number % 5 == 0]);
    in.flags = channels > 1 && number % 7 == 0 ? SATF_ALPHA : 0;
    SCOPED char *bytes = malloc((size_t)(in.stride * in.height));
    assert_non_null(bytes);
    in.data = bytes;
    fill(&in, (uint64_t)number);
    if (number % 7 == 1) {
        memset(bytes, 255, (size_t)(in.stride * in.height));
    }
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    gpu_trial t = gpu_trial_of(spec, filter, &in, (uint64_t)number * 2654435761u >> 8);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_there(&t, number % 3 == 0, &want);
}

TEST_ALONE(test_stretches)
{
    for (int number = 0; number < 240; number += gpu_small ? 37 : 1) {
        check_stretches(number);
    }
}

GPU_TEST_FILE;
