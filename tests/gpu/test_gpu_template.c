/* Templates on a CUDA device against the CPU's, bit for bit: by rings of sums in shared memory, by
 * tables, with rectangles inside, outside and across the borders, few and as many as there may be.
 */
#include "chain/rects.h"
#include "filter_reference.h"
#include "program.h"

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* Rectangles that begin up to so far from the pixel to both sides, and are as large. */
typedef struct template_shape {
    int64_t across, down;
} template_shape;

/* Some fit a ring, some do not, and some lie mostly outside. */
static const template_shape shapes[] = {{3, 2},   {30, 30}, {2, 60},  {62, 5},       {99, 50},
                                        {15, 80}, {700, 9}, {5, 400}, {60000, 60000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int64_t choose(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(state) % (uint64_t)(most - least + 1));
}

static satf_filter *make_template(const template_shape *shape, size_t count, int border,
                                  uint64_t *state)
{
    satf_filter *filter;
    SCOPED satf_weighted_rect *rects = calloc(count, sizeof *rects);
    assert_non_null(rects);
    for (size_t k = 0; k < count; k++) {
        rects[k].rect.x = choose(state, -shape->across, shape->across);
        rects[k].rect.y = choose(state, -shape->down, shape->down);
        rects[k].rect.w = choose(state, 1, shape->across);
        rects[k].rect.h = choose(state, 1, shape->down);
        rects[k].weight = (double)choose(state, -1000, 1000) / 77;
    }
    double constant = border == SATF_BORDER_CONSTANT ? (double)choose(state, 0, 200) : 0;
    MUST(cpu, satf_filter_create(cpu, "template", &filter));
    MUST(cpu, satf_filter_set_rects(cpu, filter, rects, count));
    MUST(cpu, satf_filter_set_border(cpu, filter, (satf_border)border, constant));
    return filter;
}

/* By the fastest engine, and by tables. Whether the first has rings. */
static bool run_template(const satf_view *in, size_t count, const template_shape *shape,
                         uint64_t seed)
{
    static const int out_types[] = {SATF_F64, SATF_F32, SATF_U8, SATF_U16, SATF_U32, SATF_F32};
    uint64_t state = seed + 1;
    int border = (int)choose(&state, 0, SATF_BORDER_SHRINK);
    SCOPED_FILTER *filter = make_template(shape, count, border, &state);
    gpu_trial t = gpu_trial_of("template", filter, in, seed);
    snprintf(t.more, sizeof t.more, ", %zu rectangles up to %ld x %ld, border %s", count,
             (long)shape->across, (long)shape->down, satf_border_name(border));
    t.out.type = out_types[seed % 6];
    t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type) +
                   (int64_t)(seed % 7 ? seed % 2 * 8 : seed % 5);
    return gpu_compare_engines(&t, true);
}

TEST_ALONE(test_templates)
{
    static const int64_t sizes[][2] = {{1, 1}, {7, 90}, {129, 67}, {1000, 301}, {513, 8}};
    static const size_t counts[] = {1, 2, 4, 37};
    uint64_t seed = 1;
    long rings = 0;
    for (int i = 0; i < 4 * 4 * 5; i++) {
        int channels = i / 5 % 4 + 1;
        if (gpu_small && (i % 5 != 2 || channels % 2 == 0)) {
            continue;
        }
        ON_HOST satf_view image = gpu_image(sizes[i % 5][0], sizes[i % 5][1], channels,
                                            sample_types[i / 20], false, (uint64_t)i, i % 3);
        for (size_t k = 0; k < 2 * SHAPES; k++, seed++) {
            if (!gpu_small || k % 4 == 1) {
                rings +=
                    run_template(&image, counts[(k + (size_t)i) % 4], &shapes[k % SHAPES], seed);
            }
        }
    }
    assert_true(rings > 0);
}

TEST_ALONE(test_many_rectangles)
{
    NOT_SMALL;
    for (uint64_t seed = 0; seed < 12; seed++) {
        ON_HOST satf_view image =
            gpu_image(301, 203, 1, seed % 3 == 2 ? SATF_F32 : SATF_U8, false, seed, 0);
        run_template(&image, seed % 2 ? FILTER_MAX_RECTS : 65, &shapes[seed / 2], seed);
    }
}

GPU_TEST_FILE;
