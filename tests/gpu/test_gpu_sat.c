/*
 * Every CUDA row against the reference: tunings x type pairs x summands x
 * channels x sizes x layouts. GPU_CASES=long takes every tuning in every
 * case.
 */
#include "cases.h"

#include "base/view.h"

/* Of (1+r)R1W: the default, one block, the paper's, nearly all. */
static const double rs[] = {0, 0.01, 0.25, 0.5, 0.9};
enum { RS = sizeof rs / sizeof *rs };

static const int64_t sizes[][2] = {
    {1, 1},    {1, 2},    {2, 1},    {31, 33},   {32, 32},   {33, 31},   {63, 65},
    {64, 64},  {65, 63},  {127, 5},  {128, 128}, {129, 127}, {5, 129},   {13, 31},
    {97, 193}, {1, 1031}, {1031, 1}, {517, 389}, {256, 384}, {389, 130},
};
static const int64_t more_sizes[][2] = {
    {3, 2},      {31, 31},   {33, 33},     {63, 63},    {65, 65},    {127, 127},
    {129, 129},  {191, 257}, {1, 4099},    {4099, 1},   {2, 2053},   {2053, 3},
    {1021, 509}, {640, 640}, {1025, 1023}, {2049, 130}, {130, 2049},
};
static const int64_t small_sizes[][2] = {{1, 1}, {33, 31}, {65, 130}, {129, 127}, {200, 150}};

/* The row with every tuning of its own from `first` on, in steps. */
static void check_row(gpu_data *d, const sat_algorithm *row, unsigned turn)
{
    sat_tuning tuning = {0};
    sat_job job = gpu_job(d, &tuning);
    const char *reason = row->refuses(&job);
    if (reason) {
        if (d->c.summand < SATF_SUMMAND_WEIGHTED) {
            fail_msg("row %s refuses %s: %s", row->name, satf_type_name(d->c.type), reason);
        }
        gpu_refused++;
        return;
    }
    gpu_check(d, row, &tuning);
    size_t count = 0;
    while (row->variant && row->variant(&job, count, &tuning)) {
        count++;
    }
    size_t step = gpu_long ? 1 : gpu_small ? count : (count + 1) / 2;
    for (size_t i = count && !gpu_long ? turn % step : 0; i < count; i += step) {
        assert_true(row->variant(&job, i, &tuning));
        tuning.r = strcmp(row->name, "1+r") == 0 ? rs[(turn + i) % RS] : 0;
        if (gpu_refusal(d, row, &tuning)) {
            gpu_refused++;
            continue;
        }
        gpu_check(d, row, &tuning);
    }
}

static void check_case(const sat_case *c, unsigned turn)
{
    gpu_data d =
        gpu_prepare(gpu, c, &sat_layouts[turn % LAYOUTS], &sat_layouts[turn / LAYOUTS % LAYOUTS]);
    for (size_t r = 0; gpu_row_at(r); r++) {
        check_row(&d, gpu_row_at(r), turn + (unsigned)r);
    }
    gpu_release(&d);
}

/* All patterns in turn; NaN for floats only. */
static sat_pattern pattern_of(int type, unsigned turn)
{
    static const sat_pattern order[] = {WHOLE,  RANDOM,  WHOLE,  WHOLE_MAXIMA,
                                        RANDOM, IMPULSE, ONE_NAN};
    sat_pattern pattern = order[turn % (sizeof order / sizeof *order)];
    return pattern == ONE_NAN && !satf_type_is_float(type) ? WHOLE : pattern;
}

static void walk(const int64_t (*walked)[2], size_t count)
{
    static unsigned turn;
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        const sat_kind *kind = &sat_kinds[k];
        for (int summand = 0; summand <= SATF_SUMMAND_WEIGHTED_SQUARE; summand++) {
            int least = summand >= SATF_SUMMAND_WEIGHTED ? 2 : 1;
            int most = gpu_small ? least + 1 : SATF_MAX_CHANNELS;
            for (int channels = least; channels <= most; channels++) {
                for (size_t s = 0; s < count; s++) {
                    turn++;
                    check_case(&(sat_case){kind->type, (satf_summand)summand, kind->sum_type,
                                           kind->f32_out, channels, walked[s][0], walked[s][1],
                                           pattern_of(kind->type, turn), turn, 0},
                               turn);
                }
            }
        }
    }
}

TEST_ALONE(test_rows)
{
    assert_non_null(gpu_row_at(0));
    if (gpu_small) {
        walk(small_sizes, sizeof small_sizes / sizeof *small_sizes);
        return;
    }
    walk(sizes, sizeof sizes / sizeof *sizes);
    if (gpu_long) {
        walk(more_sizes, sizeof more_sizes / sizeof *more_sizes);
    }
}

/* Every tuning of every row on tiles that are full, cut, and many. */
TEST_ALONE(test_tunings)
{
    static const int64_t tiled[][2] = {{512, 256}, {301, 517}};
    bool saved = gpu_long;
    gpu_long = true;
    for (size_t k = 0; k < DEVICE_KINDS && !gpu_small; k++) {
        for (unsigned s = 0; s < 2; s++) {
            for (int channels = 1; channels <= 3; channels += 2) {
                unsigned turn = (unsigned)k + 7 * s + (unsigned)channels;
                check_case(&(sat_case){sat_kinds[k].type, SATF_SUMMAND_PLAIN, sat_kinds[k].sum_type,
                                       sat_kinds[k].f32_out, channels, tiled[s][0], tiled[s][1],
                                       WHOLE, turn, 0},
                           turn);
            }
        }
    }
    gpu_long = saved;
}

/* Samples that are smaller than their sums, of one channel, lying in every way: the engine takes
 * their blocks, or the warps do, or they are loaded one by one. */
TEST_ALONE(test_layouts)
{
    static const int64_t cut[][2] = {{131, 67}, {517, 389}, {384, 256}, {1, 70}, {64, 1}};
    unsigned turn = 0;
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        const sat_kind *kind = &sat_kinds[k];
        if (kind->f32_out || satf_type_bytes(kind->type) == satf_sum_bytes(kind->sum_type)) {
            continue;
        }
        for (unsigned l = 0; l < 2 * LAYOUTS; l++) {
            for (size_t s = 0; s < (gpu_small ? 1 : sizeof cut / sizeof *cut); s++) {
                turn++;
                sat_case c = {kind->type,
                              l % 2 ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN,
                              kind->sum_type,
                              false,
                              1,
                              cut[s][0],
                              cut[s][1],
                              pattern_of(kind->type, turn),
                              turn,
                              0};
                gpu_data d =
                    gpu_prepare(gpu, &c, &sat_layouts[l / 2], &sat_layouts[turn % LAYOUTS]);
                for (size_t r = 0; gpu_row_at(r); r++) {
                    check_row(&d, gpu_row_at(r), turn + (unsigned)r);
                }
                gpu_release(&d);
            }
        }
    }
    assert_true(turn > 0);
}

/* More than 65,535 blocks a side. 4R1W has a stage for every pixel of such a
 * line, so only GPU_CASES=long waits for it. */
TEST_ALONE(test_lines)
{
    static const int64_t lines[][2] = {{1, 2200000}, {2200000, 1}, {1, 8390000}, {8390000, 1}};
    for (unsigned s = 0; s < (gpu_small ? 0 : 4); s++) {
        sat_case c = {SATF_U8,     SATF_SUMMAND_PLAIN, SATF_SUM_U32, false, 1,
                      lines[s][0], lines[s][1],        WHOLE,        s + 1, 0};
        gpu_data d = gpu_prepare(gpu, &c, &sat_layouts[0], &sat_layouts[0]);
        for (size_t r = 0; gpu_row_at(r); r++) {
            if (gpu_long || strcmp(gpu_row_at(r)->name, "4r1w") != 0) {
                gpu_check(&d, gpu_row_at(r), &(sat_tuning){0});
            }
        }
        gpu_release(&d);
    }
}

GPU_TEST_FILE;
