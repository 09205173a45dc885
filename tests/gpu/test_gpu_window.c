/*
 * Windows without tables: means by matrix units, by every kernel and with every border that it
 * takes, and marches; rows and columns that end anywhere, against the CPU, byte for byte.
 */
#include "filter_make.h"
#include "filter_reference.h"
#include "program.h"

#include "sums/march/gpu.h"
#include "filter_reference.h"

static const int64_t sizes[][2] = {{1, 1},     {3, 2},      {1, 90},   {90, 1},
                                   {16, 16},   {31, 17},    {33, 47},  {517, 131},
                                   {1040, 64}, {1023, 130}, {64, 700}, {2080, 257}};
static const int64_t windows[][2] = {{1, 1},   {2, 2},   {3, 3},   {15, 15}, {17, 17}, {16, 17},
                                     {18, 3},  {33, 33}, {31, 33}, {5, 33},  {65, 17}, {65, 65},
                                     {64, 64}, {3, 65},  {65, 2},  {129, 65}};
static const gpu_place layouts[] = {
    {0, 0, false}, {8, 0, false}, {5, 3, false}, {0, 0, true}, {11, 8, true}};

/* An image, and what is drawn for its windows. */
typedef struct box_case {
    satf_view host;
    uint64_t seed;
} box_case;

/* Of new samples. */
static box_case begin_case(int64_t width, int64_t height, int channels, int type, uint64_t fill,
                           uint64_t seed)
{
    return (box_case){gpu_image(width, height, channels, type, false, fill, 0), seed};
}

static void end_case(box_case *t)
{
    free(t->host.data);
}

/* CASE(t, width, ...) goes with its block. */
#define CASE(t, ...) __attribute__((unused, cleanup(end_case))) box_case t = begin_case(__VA_ARGS__)

/* For a case, as the file goes on. */
static void use_windows(bool use)
{
    MUST(gpu, satf_context_set_engine(gpu, use ? SATF_ENGINE_WINDOW : SATF_ENGINE_AUTO));
}

/* Against the CPU, in a few layouts from `first` on; reals sometimes as f32. */
static void check_spec(const box_case *t, const char *spec, size_t first)
{
    enum { COUNT = sizeof layouts / sizeof *layouts };
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    gpu_trial c = gpu_trial_of(spec, filter, &t->host, t->seed);
    c.near = satf_type_is_float(c.in.type);
    if (c.out.type == SATF_F64 && c.in.type == SATF_U8 && first % 2) {
        c.out = satf_view_packed(NULL, c.out.width, c.out.height, c.out.channels, SATF_F32);
    }
    ON_HOST satf_view want = gpu_right(&c);
    for (size_t k = 0; k < (gpu_small ? 1 : 2); k++) {
        size_t layout = (first + k * 2) % COUNT;
        gpu_compare_placed(&c, layouts[layout], layouts[k ? 0 : (layout + t->seed) % COUNT], false,
                           &want);
    }
}

/* Means have kernels of all reaches, sums 129 x 65, squares 33 x 33: so many of check_window()'s
 * names are of filters that have some. */
static size_t names_of(int64_t w, int64_t h)
{
    return w <= 33 && h <= 33 ? 6 : w <= 129 && h <= 65 ? 3 : 1;
}

static void check_window(box_case *t, int64_t w, int64_t h, const char *border, size_t first)
{
    char spec[96];
    int64_t at_x = (int64_t)(ref_random(&t->seed) % 3) - 1;
    static const char *const names[] = {"box", "unsharp", "sum", "sauvola", "variance", "stddev"};
    const char *name = names[first % 7 % names_of(w, h)];
    if (t->host.channels > 1 && strcmp(name, "sauvola") == 0) {
        name = "variance";
    }
    snprintf(spec, sizeof spec, "%s=%dx%d,at=%d:0,border=%s", name, (int)w, (int)h,
             w < 4 ? 0 : (int)at_x, border);
    check_spec(t, spec, first);
}

TEST_ALONE(test_boxes)
{
    static const char *const borders[] = {"clamp", "mirror", "reflect", "constant:0"};
    use_windows(true);
    size_t turn = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int channels = 1; channels <= 4; channels++) {
            CASE(t, sizes[s][0], sizes[s][1], channels, SATF_U8, s * 4 + (uint64_t)channels, s);
            for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
                for (size_t b = 0; b < 4; b++, turn++) {
                    if (!gpu_small || turn % 37 == 0) {
                        check_window(&t, windows[k][0], windows[k][1], borders[b], turn);
                    }
                }
            }
        }
    }
    use_windows(false);
}

static void fill_words(const satf_view *view, size_t kind)
{
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < satf_row_samples(view); x++) {
            /* all at their largest; halves; bytes that carry; kind 0 is left as it is */
            const uint16_t samples[] = {0, UINT16_MAX, (uint16_t)((x + y) & 1),
                                        (uint16_t)(255 + (x * 7 + y) % 3),
                                        (uint16_t)(UINT16_MAX - (x * 7 + y) % 11 / 10)};
            if (kind) {
                memcpy((char *)satf_row(view, y) + 2 * x, &samples[kind], sizeof samples[kind]);
            }
        }
    }
}

/* Samples of 16 bits: by the same kernels, as bytes of twice as many channels. only: -1, or which
 * of the four borders is taken alone, from window to window another one. */
static void check_words(box_case *t, size_t *turn, int only)
{
    static const char *const borders[] = {"clamp", "mirror", "reflect", "constant:0"};
    for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
        int64_t w = windows[k][0], h = windows[k][1];
        if (w / 2 * 2 * t->host.channels > 64 || h > 65) {
            continue;
        }
        for (size_t b = 0; b < 4; b++, ++*turn) {
            char spec[96];
            snprintf(spec, sizeof spec, "%s=%dx%d,border=%s", *turn % 3 ? "box" : "unsharp", (int)w,
                     (int)h, borders[b]);
            if (gpu_small ? *turn % 37 == 0 : only < 0 || b == (k + (size_t)only) % 4) {
                check_spec(t, spec, *turn);
            }
        }
    }
}

TEST_ALONE(test_words)
{
    use_windows(true);
    size_t turn = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int channels = 1; channels <= 4; channels++) {
            CASE(t, sizes[s][0], sizes[s][1], channels, SATF_U16, s * 4 + (uint64_t)channels, s);
            fill_words(&t.host, (s + (size_t)channels) % 5);
            check_words(&t, &turn, -1);
        }
    }
    /* blocks of many steps */
    CASE(t, 2080, 2500, 1, SATF_U16, 5, 1);
    for (int kind = 0; kind < (gpu_small ? 0 : 5); kind++) {
        fill_words(&t.host, (size_t)kind);
        check_words(&t, &turn, kind);
    }
    use_windows(false);
}

/* Both engines of windows without tables call themselves "window"; only that of the matrix units
 * has memory for an aligned copy of the image. */
static void check_units(const char *spec, satf_view in, bool units)
{
    SCOPED_PLAN *plan;
    satf_plan_info info;
    satf_used used;
    satf_view out;
    SCOPED_FILTER *filter = parse_filter(gpu, spec);
    gpu_must_do(gpu, satf_filter_output(gpu, filter, &in, &out), spec);
    in.device = out.device = GPU_DEVICE;
    gpu_must_do(gpu, satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan), spec);
    satf_plan_describe(plan, &info, sizeof info);
    assert_non_null(satf_plan_step(plan, 0, &used, sizeof used));
    assert_string_equal(used.engine, "window");
    if ((info.memory_bytes >= in.stride * in.height) != units) {
        fail_msg("%s of %ld x %ld x %d samples of %zu bytes went by the %s", spec, (long)in.width,
                 (long)in.height, in.channels, satf_type_bytes(in.type),
                 units ? "march" : "matrix units");
    }
}

TEST_ALONE(test_units)
{
    NOT_SMALL;
    static const struct {
        const char *spec;
        int channels;
        satf_type type;
        bool units;
    } cases[] = {
        {"box=15", 1, SATF_U16, true},
        {"box=15", 4, SATF_U16, true},
        {"box=65", 1, SATF_U16, true},
        {"box=64x2,border=reflect", 1, SATF_U16, true},
        {"unsharp=15,border=mirror", 1, SATF_U16, true},
        {"unsharp=15,border=constant:0", 3, SATF_U16, true},
        {"box=67", 1, SATF_U16, false},
        {"box=3x67", 1, SATF_U16, false},
        {"box=35", 2, SATF_U16, false},
        {"box=15,border=constant:1", 1, SATF_U16, false},
        {"unsharp=15,border=wrap", 1, SATF_U16, false},
        {"variance=15", 1, SATF_U16, false},
        {"sum=15", 1, SATF_U16, false},
        {"sauvola=15", 1, SATF_U16, false},
        {"box=15", 1, SATF_U8, true},
        {"sum=15", 1, SATF_U8, true},
        {"sauvola=15", 1, SATF_U8, true},
        {"variance=15", 1, SATF_U8, true},
        {"variance=35", 1, SATF_U8, false},
        {"box=15", 1, SATF_F32, false},
    };
    bool there = satf_cuda()->multiplies(GPU_DEVICE);
    use_windows(true);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        satf_view in = satf_view_packed(NULL, 500, 300, cases[k].channels, cases[k].type);
        check_units(cases[k].spec, in, there && cases[k].units);
    }
    /* rows that are wide in pixels of one byte are no wider than others in bytes */
    check_units("box=15", satf_view_packed(NULL, INT32_MAX / 16 + 9, 1, 1, SATF_U8), there);
    use_windows(false);
}

/* Windows beyond those kernels' reach: ends anywhere in chunks and groups, groups cut in two or
 * not, images smaller than they are; rows of all residues. */
TEST_ALONE(test_large)
{
    static const int64_t shapes[][2] = {{40, 20},   {11, 90},    {64, 64},
                                        {333, 257}, {1040, 300}, {2080, 140}};
    static const int64_t sides[][2] = {{67, 67},   {127, 127}, {101, 70}, {129, 66},
                                       {257, 300}, {130, 3},   {1, 200},  {96, 128},
                                       {255, 255}, {95, 96},   {7, 500},  {256, 129}};
    static const char *const borders[] = {"clamp", "mirror",     "reflect",
                                          "wrap",  "constant:0", "constant:200"};
    use_windows(true);
    size_t turn = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int channels = 1; channels <= 4; channels++) {
            for (int64_t more = 0; more < 16; more += gpu_small ? 5 : s < 3 ? 1 : 3) {
                CASE(t, shapes[s][0] + more, shapes[s][1], channels, SATF_U8,
                     s * 4 + (uint64_t)channels, s + (uint64_t)more);
                for (size_t k = turn++ % 3; k < sizeof sides / sizeof *sides; k += 3) {
                    const int64_t *side = sides[k];
                    const char *border = borders[(turn + k / 3) % 6];
                    if (shapes[s][0] * channels >= 32 && (!gpu_small || turn % 9 == k / 3)) {
                        check_window(&t, side[0], side[1], border, turn);
                    }
                }
            }
        }
    }
    use_windows(false);
}

/* Blocks of many steps, most of them far from all edges, by each kernel: each shape has one channel
 * for the one half of the kernels, three for the other. */
TEST_ALONE(test_long)
{
    NOT_SMALL;
    static const int64_t shapes[][2] = {{16400, 600}, {64, 40000}, {2080, 5000}};
    static const int64_t reaches[][2] = {{17, 17},   {65, 17},   {33, 33},  {129, 33},
                                         {65, 65},   {129, 65},  {128, 64}, {127, 127},
                                         {255, 255}, {101, 100}, {257, 300}};
    use_windows(true);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int channels = 1; channels <= 3; channels += 2) {
            CASE(t, shapes[s][0] / channels, shapes[s][1], channels, SATF_U8, 70 + s, s);
            for (size_t k = 0; k < sizeof reaches / sizeof *reaches; k++) {
                int64_t w = (reaches[k][0] - 1) / channels + 1, h = reaches[k][1];
                size_t names = names_of(w, h);
                for (size_t name = (s + k + (size_t)channels / 2) % 2; name < names; name += 2) {
                    check_window(&t, w, h, k % 2 ? "clamp" : "mirror", name);
                }
            }
        }
    }
    use_windows(false);
}

/* Images of many strips and segments, under windows of no group, of one and of many. */
TEST_ALONE(test_marches)
{
    NOT_SMALL;
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const char *const names[] = {"box", "variance", "stddev", "sauvola", "sum", "unsharp"};
    static const char *const borders[] = {"clamp", "mirror",     "reflect",
                                          "wrap",  "constant:3", "shrink"};
    static const int64_t shapes[][2] = {{2107, 333}, {301, 2051}};
    static const int64_t sides[][2] = {{3, 3},     {8, 9},    {9, 8},   {17, 1},
                                       {1, 18},    {66, 67},  {31, 25}, {127, 40},
                                       {255, 255}, {500, 33}, {900, 3}, {3, 1100}};
    size_t turn = 0;
    for (size_t s = 0; s < 2 * (sizeof types / sizeof *types); s++) {
        for (int channels = 1; channels <= 3; channels += 2) {
            const int64_t *shape = shapes[s % 2];
            CASE(t, shape[0] / channels, shape[1], channels, types[s / 2], 40 + s, s);
            for (size_t k = 0; k < sizeof sides / sizeof *sides; k++, turn++) {
                /* the largest do not fit shared memory with all types and channels */
                use_windows(sides[k][0] <= 200 && sides[k][1] <= 255);
                for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                    char spec[96];
                    snprintf(spec, sizeof spec, "%s=%dx%d,border=%s", names[n], (int)sides[k][0],
                             (int)sides[k][1], borders[(turn + n) % 6]);
                    if (channels == 1 || strcmp(names[n], "sauvola") != 0) {
                        check_spec(&t, spec, turn);
                    }
                }
            }
        }
    }
    use_windows(false);
}

/* Plans of one kernel, one of large blocks and one of small ones, in turns. */
TEST_ALONE(test_turns)
{
    NOT_SMALL;
    enum { PLANS = 2, TURNS = 3 };
    static const int64_t sides[PLANS] = {8192, 512};
    satf_plan *plans[PLANS];
    satf_view in[PLANS], out[PLANS];
    void *memory[PLANS][2];
    unsigned char sample = 0;
    SCOPED_FILTER *filter = parse_filter(gpu, "box=15");
    for (int i = 0; i < PLANS; i++) {
        satf_view like = satf_view_packed(NULL, sides[i], sides[i], 1, SATF_U8);
        in[i] = gpu_view(gpu, &like, 0, 0, false, &memory[i][0]);
        out[i] = gpu_view(gpu, &like, 0, 0, false, &memory[i][1]);
        MUST(gpu, satf_plan_create(gpu, filter, &in[i], 1, &out[i], 1, &plans[i]));
    }
    for (int k = 0; k < TURNS * PLANS; k++) {
        int i = k % PLANS, level = 11 + k / PLANS;
        size_t bytes = (size_t)(sides[i] * sides[i]);
        gpu_set(memory[i][0], level, bytes);
        gpu_set(memory[i][1], 0, bytes);
        MUST(gpu, satf_plan_run(plans[i], &in[i], 1, &out[i], 1));
        gpu_download(&sample, (char *)memory[i][1] + bytes - 1, 1);
        assert_int_equal(sample, level);
        gpu_runs++;
    }
    for (int i = 0; i < PLANS; i++) {
        satf_plan_destroy(plans[i]);
        satf_cuda()->free(gpu, memory[i][0]);
        satf_cuda()->free(gpu, memory[i][1]);
    }
}

/* Windows of all that means round: sums that are exact halves, all samples at their largest. */
TEST_ALONE(test_halves)
{
    NOT_SMALL;
    use_windows(true);
    for (int kind = 0; kind < 4; kind++) {
        CASE(t, 1200, 300, 1, SATF_U8, 5, 1);
        unsigned char *bytes = t.host.data;
        for (int64_t i = 0; i < t.host.stride * t.host.height; i++) {
            bytes[i] = (unsigned char)(kind == 0   ? 255
                                       : kind == 1 ? i & 1
                                                   : 254 + (i * 7 % 11 < kind));
        }
        for (int64_t side = 1; side <= 129; side++) {
            check_window(&t, side, 66 - (side - 1) / 2, "reflect", (size_t)side);
        }
        check_window(&t, 129, 65, "mirror", 0);
        check_window(&t, 128, 64, "clamp", 0);
        for (int64_t side = 67; side <= 257; side += 10) {
            check_window(&t, side, side - kind, "reflect", (size_t)side);
        }
        check_window(&t, 257, 700, "constant:255", 0);
    }
    use_windows(false);
}

/* Pixels that lie exactly on the threshold, or on the mean: in flat surroundings, and in the middle
 * of a slope. */
TEST_ALONE(test_thresholds)
{
    NOT_SMALL;
    static const char *const specs[] = {
        "sauvola=3,k=0",  "sauvola=3,k=0.34",
        "sauvola=5,k=0",  "sauvola=7x3,k=0",
        "sauvola=9,k=0",  "sauvola=15,k=0",
        "sauvola=31,k=0", "sauvola=3,k=10,r=0.000001",
        "sauvola=63,k=0", "sauvola=3,k=-10,r=1000000",
    };
    for (int kind = 0; kind < 3; kind++) {
        CASE(t, 1024, 1024, 1, SATF_U8, 5, 1);
        for (int64_t y = 0; y < t.host.height; y++) {
            unsigned char *row = satf_row(&t.host, y);
            for (int64_t x = 0; x < t.host.width; x++) {
                int64_t flat = x / 64 + y / 64 * 16;
                row[x] = (unsigned char)(kind == 0 ? flat : kind == 1 ? (x + y) & 255 : 0);
            }
        }
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            check_spec(&t, specs[k], k);
        }
    }
}

/* The moments of the window around (x, y), which is in the image. */
static void find_moments(const satf_view *image, int64_t x, int64_t y, int64_t side, double *mean,
                         double *deviation)
{
    double sum = 0, squares = 0, count = (double)(side * side);
    for (int64_t j = 0; j < side; j++) {
        const unsigned char *row = satf_row(image, y + j - side / 2);
        for (int64_t i = 0; i < side; i++) {
            double sample = row[x + i - side / 2];
            sum += sample;
            squares += sample * sample;
        }
    }
    *mean = sum / count;
    *deviation = sqrt(squares / count - *mean * *mean);
}

/* The amount, in steps, that brings a result nearest to a half. */
static int find_amount(double sample, double mean)
{
    double least = 1;
    int best = 0;
    for (int steps = 1; steps <= 30000; steps++) {
        double sharp = sample + steps * 1e-4 * (sample - mean);
        double away = fabs(sharp - floor(sharp) - 0.5);
        if (away < least && sharp > 0 && sharp < 255) {
            least = away;
            best = steps;
        }
    }
    return best;
}

/* Patterns of few levels, which come again every 8 pixels: options so that at one place in 64 a
 * result is next to where rounding decides, which floats alone do wrongly. */
TEST_ALONE(test_near)
{
    NOT_SMALL;
    enum { PERIOD = 8 };
    static const int64_t sides[] = {3, 15, 31, 45};
    CASE(t, 1024, 320, 1, SATF_U8, 5, 1);
    for (size_t k = 0; k < 4 * (gpu_small ? 1 : 6); k++) {
        unsigned char levels[PERIOD * PERIOD];
        for (int i = 0; i < PERIOD * PERIOD; i++) {
            uint64_t random = ref_random(&t.seed);
            levels[i] = (unsigned char)(random % 3 == 0 ? 0 : random % 3 == 1 ? 255 : random >> 56);
        }
        for (int64_t y = 0; y < t.host.height; y++) {
            unsigned char *row = satf_row(&t.host, y);
            for (int64_t x = 0; x < t.host.width; x++) {
                row[x] = levels[y % PERIOD * PERIOD + x % PERIOD];
            }
        }
        int64_t side = sides[k % 4], x = 100 + (int64_t)k, y = 100 + (int64_t)k / 3;
        double mean, deviation, sample = ((unsigned char *)satf_row(&t.host, y))[x];
        find_moments(&t.host, x, y, side, &mean, &deviation);
        char spec[96];
        double factor = (sample / mean - 1) / (deviation / 128 - 1);
        if (fabs(factor) <= 10) {
            snprintf(spec, sizeof spec, "sauvola=%d,k=%.17g", (int)side, factor);
            check_spec(&t, spec, k);
        }
        snprintf(spec, sizeof spec, "unsharp=%d,amount=%.4f", (int)side,
                 find_amount(sample, mean) * 1e-4);
        check_spec(&t, spec, k);
    }
}

GPU_TEST_FILE;
