/* Filters on a CUDA device against the CPU's, bit for bit; copies, memory, the command.
 * GPU_CASES=small: none that fails on purpose. */
#include "filter_any.h"
#include "filter_make.h"
#include "filter_reference.h"
#include "chain/pass.h"
#include "program.h"

enum { ALL_BORDERS = SATF_BORDER_SHRINK + 1 };

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
static const struct {
    int channels, alpha;
} layouts[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {3, 1}, {4, 1}};
/* Beside blocks of 64 columns and 4 rows. */
static const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {5, 3}, {63, 5}, {65, 33}, {131, 67}};
static const int64_t windows[][2] = {{1, 1}, {3, 3}, {4, 2}, {15, 15}, {70, 5}, {300, 200}};

/* ------------------------------------------------------------------ all filters */

static gpu_trial trial_of(const char *name, const satf_filter *filter, const satf_view *in,
                          uint64_t seed)
{
    gpu_trial t = gpu_trial_of(name, filter, in, seed);
    t.near = true;
    return t;
}

static void run_case(const gpu_trial *t)
{
    gpu_compare_engines(t, t->seed / 2 % 2);
}

static int64_t choose(void *user, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(user) % (uint64_t)(most - least + 1));
}

/* With that border and window, where it has any, and anything else of it at random. */
static satf_filter *make_filter(const char *name, int border, double constant, int64_t w, int64_t h)
{
    satf_filter *filter;
    gpu_must_do(cpu, satf_filter_create(cpu, name, &filter), name);
    const satf_weighted_rect rects[] = {
        {{-(w / 2), -(h / 2), w, h}, 0.75}, {{1, -3, w, 2}, -1.5}, {{-40, 5, 3, h}, 1e-3}};
    uint64_t state = (uint64_t)(w * 1000 + h * 10 + border);
    for (const filter_param *p = filter_info_find(name)->params; p->name; p++) {
        char text[64];
        if (p->kind == PARAM_BORDER) {
            gpu_must_do(cpu, satf_filter_set_border(cpu, filter, (satf_border)border, constant),
                        name);
        } else if (p->kind == PARAM_TEMPLATE) {
            gpu_must_do(cpu, satf_filter_set_rects(cpu, filter, rects, 3), name);
        } else if (any_value(p, choose, &state, text, sizeof text)) {
            if (p->kind == PARAM_SIZE) {
                int most = (int)p->max;
                snprintf(text, sizeof text, "%dx%d", w < most ? (int)w : most,
                         h < most ? (int)h : most);
            } else if (p->kind == PARAM_PLACE) {
                any_place(filter, choose, &state, text, sizeof text);
            }
            gpu_must_do(cpu, satf_filter_set(cpu, filter, p->name, text), name);
        }
    }
    return filter;
}

/* Grey wants one colour or three; of float colours the sums are not exact, and so not the same, nor
 * are those of what lies between the steps of a filter of floats. */
static bool takes(const char *name, const satf_view *image)
{
    const filter_info *info = filter_info_find(name);
    const filter_pass *pass = filter_last(info);
    int colours = image->channels - (image->flags & SATF_ALPHA ? 1 : 0);
    bool integers = satf_type_max(image->type) > 0;
    return info->ways[0].count > 1 ? integers
                                   : !pass->grey || colours == 1 || (colours == 3 && integers);
}

/* The view that the filter makes. False: it looks at luma, of neither grey nor RGB. */
static bool makes(const char *name, const satf_filter *filter, const satf_view *in, satf_view *out)
{
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    satf_status status = satf_filter_output(cpu, filter, in, out);
    if (status == SATF_UNSUPPORTED && colours % 2 == 0) {
        return false;
    }
    gpu_must_do(cpu, status, name);
    return true;
}

static void filter_image(const char *name, const satf_view *in, uint64_t seed)
{
    enum { WINDOWS = sizeof windows / sizeof *windows };
    for (int i = 0; i < ALL_BORDERS * WINDOWS && takes(name, in); i++, seed++) {
        int border = i / WINDOWS;
        int64_t w = windows[i % WINDOWS][0], h = windows[i % WINDOWS][1];
        double constant = border == SATF_BORDER_CONSTANT ? (double)(seed % 200) : 0;
        SCOPED_FILTER *filter = make_filter(name, border, constant, w, h);
        give_image(cpu, filter, filter_info_find(name), in->width, in->height);
        gpu_trial t = {.spec = name, .filter = filter, .in = *in, .seed = seed, .near = true};
        snprintf(t.more, sizeof t.more, ", window %ld x %ld, border %s", (long)w, (long)h,
                 satf_border_name(border));
        if (!makes(name, filter, in, &t.out)) {
            continue;
        }
        if (seed % 2) { /* every other time another type than the exact one */
            t.out.type = (int32_t)(seed / 2 % (SATF_F64 + 1));
            t.out.full = 0; /* that of 16 bits does not fit bytes */
        }
        t.out.stride =
            satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type) + (int64_t)(seed % 5);
        run_case(&t);
    }
}

static void for_all_images(void (*call)(const char *name, const satf_view *image, uint64_t seed),
                           const char *name)
{
    uint64_t seed = 1;
    for (size_t t = 0; t < sizeof sample_types / sizeof *sample_types; t++) {
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, seed += 7) {
                if (gpu_small && (l % 6 || s != 5)) { /* one channel, and all four with alpha */
                    continue;
                }
                ON_HOST satf_view image =
                    gpu_image(sizes[s][0], sizes[s][1], layouts[l].channels, sample_types[t],
                              layouts[l].alpha, seed, (int64_t)(seed % 3));
                call(name, &image, seed);
            }
        }
    }
}

/* Every filter of sums; those that move pixels have test_gpu_geometry.c. */
static void for_all_filters(void (*call)(const char *name, const satf_view *image, uint64_t seed))
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (filter_last(info)->over != OVER_ELSEWHERE) {
            for_all_images(call, info->name);
        }
    }
}

TEST_ALONE(test_filters)
{
    for_all_filters(filter_image);
}

TEST_ALONE(test_chain)
{
    NOT_SMALL;
    ON_HOST satf_view in = gpu_image(131, 67, 4, SATF_U16, true, 99, 0);
    SCOPED_FILTER *chain = parse_filter(cpu, "box=5 stddev=9,border=wrap box=3x8,border=shrink");
    gpu_trial t = trial_of("chain", chain, &in, 5);
    t.out.type = SATF_U8; /* the last bits of the floats between are the algorithm's own */
    run_case(&t);
}

/* More rows than a grid of blocks has: where a row of blocks is a row of the picture. */
TEST_ALONE(test_tall)
{
    NOT_SMALL;
    static const struct {
        const char *spec;
        int type; /* of the result; below 0: its own */
    } cases[] = {
        {"real", -1},           {"grey threshold=120,surface", -1}, {"guided=3,colour", -1},
        {"integral", SATF_F32}, {"integral,zeros", SATF_U16},       {"rotate=180", SATF_F32}};
    ON_HOST satf_view in = gpu_image(3, 70001, 3, SATF_U8, false, 70001, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SCOPED_FILTER *filter = parse_filter(cpu, cases[k].spec);
        gpu_trial t = trial_of(cases[k].spec, filter, &in, 2);
        if (cases[k].type >= 0) {
            t.out.type = cases[k].type;
            t.out.full = 0;
            t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type);
        }
        run_case(&t);
    }
}

/* Windows that hold the edges thousands of times, of whole numbers in doubles: the same bits. */
TEST_ALONE(test_beyond)
{
    static const char *const specs[] = {"guided=20001", "guided=20001,border=mirror"};
    ON_HOST satf_view in = gpu_image(220, 150, 1, SATF_U16, false, 3, 0);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        SCOPED_FILTER *filter = parse_filter(cpu, specs[k]);
        gpu_trial t = trial_of(specs[k], filter, &in, 2);
        t.out.type = SATF_F64;
        t.out.full = 0;
        t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type);
        run_case(&t);
    }
}

/* Results half way between two whole numbers, in a type that no formula has of itself: an image of
 * period 5 x 5, of sum 5 n, whose every 25th sample is 1; its flat value is exactly 1 / 2. */
TEST_ALONE(test_ties)
{
    ON_HOST satf_view in = gpu_image(65, 33, 1, SATF_U8, false, 3, 0);
    uint8_t *samples = in.data;
    for (int n = 791; n < 819; n += 3) {
        for (int64_t y = 0; y < 33; y++) {
            for (int64_t x = 0; x < 65; x++) {
                int phase = (int)(y % 5 * 5 + x % 5), rest = 5 * n - 1;
                samples[y * in.stride + x] =
                    (uint8_t)(phase == 0 ? 1 : rest / 24 + (phase <= rest % 24));
            }
        }
        char spec[48];
        snprintf(spec, sizeof spec, "flatten=5,target=%d.%d", n / 10, n % 10);
        SCOPED_FILTER *filter = parse_filter(cpu, spec);
        gpu_trial t = trial_of(spec, filter, &in, 2);
        t.out.type = SATF_U32;
        t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type);
        run_case(&t);
    }
}

/* Floats by alpha in lines that memory, not shared memory, keeps the ends of. */
TEST_ALONE(test_wide_windows)
{
    static const char *const specs[] = {"box=801x3", "variance=300x20", "stddev=200x40"};
    ON_HOST satf_view in = gpu_image(2100, 40, 2, SATF_F32, true, 5, 0);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        SCOPED_FILTER *filter = parse_filter(cpu, specs[k]);
        gpu_trial t = trial_of(specs[k], filter, &in, 2);
        run_case(&t);
    }
}

/* Squares of 16-bit colour weighted by 16-bit alpha, in sums of 128 bits. */
TEST_ALONE(test_wide_sums)
{
    ON_HOST satf_view in = gpu_image(300, 290, 4, SATF_U16, true, 7, 0);
    uint16_t *samples = in.data;
    for (int64_t i = 0; i < 300 * 290 * 4; i++) {
        samples[i] = (uint16_t)(65535 - (samples[i] & 3));
    }
    SCOPED_FILTER *filter = make_filter("variance", SATF_BORDER_REFLECT, 0, 900, 700);
    gpu_trial t = trial_of("variance", filter, &in, 11);
    run_case(&t);
}

/* What is not finite stays in the windows that contain it. */
static void poison(const char *name, const satf_view *image, uint64_t seed)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    if (satf_type_max(image->type) || !takes(name, image) ||
        filter_last(filter_info_find(name))->over == OVER_ALL) { /* there it spreads */
        return;
    }
    size_t bytes = satf_type_bytes(image->type);
    for (int i = 0; i < 3; i++) {
        uint64_t at = ref_random(&seed) % (uint64_t)(satf_row_samples(image) * image->height);
        int64_t n = satf_row_samples(image), x = (int64_t)at % n;
        float f32 = (float)values[i];
        memcpy((char *)satf_row(image, (int64_t)at / n) + (size_t)x * bytes,
               image->type == SATF_F32 ? (const void *)&f32 : &values[i], bytes);
    }
    for (int border = 0; border < ALL_BORDERS; border++) {
        SCOPED_FILTER *filter = make_filter(name, border, 0, 7, 4);
        give_image(cpu, filter, filter_info_find(name), image->width, image->height);
        gpu_trial t = {.spec = name,
                       .filter = filter,
                       .in = *image,
                       .seed = seed + (uint64_t)border,
                       .near = true};
        snprintf(t.more, sizeof t.more, ", window 7 x 4, border %s", satf_border_name(border));
        if (makes(name, filter, image, &t.out)) {
            run_case(&t);
            t.out.type = SATF_U8;
            t.out.stride = satf_row_samples(&t.out);
            run_case(&t);
        }
    }
}

TEST_ALONE(test_not_finite)
{
    for_all_filters(poison);
}

/* Sums of the whole image overflow, those of windows do not; once with a sample that is NaN. All
 * sums of so few bits are exact, scaled or not. */
TEST_ALONE(test_overflow)
{
    static const char *const names[] = {"box", "template"};
    ON_HOST satf_view in = gpu_image(517, 389, 2, SATF_F64, false, 9, 0);
    uint64_t seed = 10;
    for (int64_t i = 0; i < 517 * 389 * 2; i++) {
        ((double *)in.data)[i] = ldexp((double)(ref_random(&seed) % 1024), 1000);
    }
    for (int i = 0; i < 2 * 2 * ALL_BORDERS; i++) {
        if (i == 2 * ALL_BORDERS) {
            ((double *)satf_row(&in, 200))[301] = NAN;
        }
        SCOPED_FILTER *filter = make_filter(names[i % 2], i / 2 % ALL_BORDERS, 0, 7, 4);
        gpu_trial t = trial_of(names[i % 2], filter, &in, (uint64_t)i);
        run_case(&t);
    }
}

/* ----------------------------------------------------------- the device layer */

/* Rows of every kind of stride, below and above what goes through pinned memory,
 * and longer than a buffer of it. */
TEST_ALONE(test_copies)
{
    NOT_SMALL;
    static const int64_t shapes[][2] = {{3, 1}, {1000, 777}, {4099, 5003}, {20000003, 2}};
    for (int k = 0; k < 4 * 8; k++) {
        int64_t width = shapes[k / 8][0], height = shapes[k / 8][1], pad = k & 1 ? 13 : 0;
        size_t bytes = (size_t)((width + pad) * height);
        void *memory;
        satf_view like = satf_view_packed(NULL, width, height, 1, SATF_U8), up = like;
        satf_view there = gpu_view(gpu, &like, pad, 1, k & 2, &memory);
        ON_HOST satf_view down = gpu_host_view(&like);
        SCOPED unsigned char *random = malloc(bytes);
        uint64_t seed = (uint64_t)k % 8;
        for (size_t i = 0; i < bytes; i++) {
            random[i] = (unsigned char)(ref_random(&seed) >> 9);
        }
        up.stride = k & 4 ? -width - pad : width + pad;
        up.data = random + (k & 4 ? (height - 1) * (width + pad) : 0);
        MUST(gpu, satf_cuda()->copy(gpu, &up, &there));
        MUST(gpu, satf_cuda()->copy(gpu, &there, &down));
        MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        for (int64_t y = 0; y < height; y++) {
            assert_memory_equal(satf_row(&up, y), satf_row(&down, y), (size_t)width);
        }
        satf_cuda()->free(gpu, memory);
    }
}

TEST_ALONE(test_misuse)
{
    NOT_SMALL;
    ON_HOST satf_view host = gpu_image(8, 8, 1, SATF_U8, false, 1, 0);
    ON_HOST satf_view out = gpu_host_view(&host);
    ON_DEVICE void *memory;
    satf_view there = gpu_view(gpu, &host, 0, 0, false, &memory);
    SCOPED_FILTER *filter = make_filter("box", SATF_BORDER_CLAMP, 0, 3, 3);
    SCOPED_FILTER *high = make_filter("box", SATF_BORDER_CLAMP, 0, 3, 5000);
    assert_int_equal(satf_filter_apply(gpu, filter, &there, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(gpu), "one device"));
    MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_WINDOW));
    assert_int_equal(satf_filter_apply(gpu, high, &host, &out), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(gpu), "shared memory"));
    MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO));
    MUST(gpu, satf_filter_apply(gpu, filter, &host, &out));
}

/* ------------------------------------------------------------------- the command */

TEST_ALONE(test_command)
{
    NOT_SMALL;
    const char *top = getenv("top_builddir");
    char command[4096];
    snprintf(command, sizeof command,
             "set -e; b=$(cd '%s' && pwd); d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; cd \"$d\"; "
             "printf 'P5 317 211 255\\n' >in.pgm; seq 20000 | head -c 66887 >>in.pgm; "
             "for f in '--box 15' '--stddev 4 --border wrap' '--integral' '--box 3 --variance 9'; "
             "do \"$b/satfilter\" --device cpu --engine sat $f in.pgm cpu.npy; "
             "\"$b/satfilter\" --device cuda --engine sat --json $f in.pgm gpu.npy >json; "
             "cmp cpu.npy gpu.npy; grep -q '\"device\": \"cuda\"' json; "
             "grep -q '\"engine\": \"sat\"' json; done; "
             "\"$b/satfilter\" -v --device cuda:0 --box 3 in.pgm gpu.png 2>err; "
             "grep -q 'window engine, cuda' err",
             top ? top : ".");
    assert_int_equal(system(command), 0);
}

GPU_TEST_FILE;
