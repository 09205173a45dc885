/*
 * CUDA rows beyond single results: equal bits run after run, several jobs and contexts at once, and
 * blocks that are held up.
 */
#include "cases.h"

#include "cuda/sat/stress.h"
#include "base/memory.h"

static const sat_tuning defaults;

static sat_case usual_case(sat_kind kind, int64_t width, int64_t height, sat_pattern pattern,
                           unsigned seed)
{
    return (sat_case){
        kind.type, SATF_SUMMAND_PLAIN, kind.sum_type, kind.f32_out, 1, width, height, pattern, seed,
        0};
}

/* ----------------------------------------------------------- equal bits, order */

/* Whether its blocks wait for one another within a kernel, other than 4R1W's for whole stages. */
static bool is_chained(const sat_algorithm *row)
{
    static const char *const names[] = {"1r1w", "1+r", "skss", "lookback"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strcmp(row->name, names[i]) == 0;
    }
    return found;
}

/* How many tunings of the row are tried. Look-back of one channel has blocks for large images,
 * which small ones do not get by themselves: its first variant. */
static int ways_of(const sat_algorithm *row, const sat_case *c)
{
    return strcmp(row->name, "lookback") == 0 && c->channels == 1 ? 2 : 1;
}

static sat_tuning way_of(const sat_algorithm *row, const gpu_data *d, int way)
{
    sat_tuning tuning = defaults;
    sat_job job = gpu_job(d, &tuning);
    if (way > 0) {
        assert_true(row->variant(&job, (size_t)way - 1, &tuning));
    }
    return tuning;
}

static void check_repeats(const sat_algorithm *row, gpu_data *d, const sat_tuning *tuning, int runs)
{
    unsigned char *first = NULL;
    for (int i = 0; i < runs; i++) {
        gpu_check(d, row, tuning);
        if (!first) {
            first = satf_alloc(d->out.bytes);
            assert_non_null(first);
            memcpy(first, d->out.memory, d->out.bytes);
        }
        if (memcmp(first, d->out.memory, d->out.bytes) != 0) {
            fail_msg("row %s: run %d of the same job has other bits", row->name, i);
        }
    }
    satf_free(first);
}

/* Floats whose sums depend on the order of summation: all runs use the same. */
TEST_ALONE(test_repeats)
{
    NOT_SMALL;
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        if (sat_kinds[k].sum_type != SATF_SUM_F64) {
            continue;
        }
        for (int channels = 1; channels <= 4; channels++) {
            sat_case c = usual_case(sat_kinds[k], 1536 / channels, 1279, RANDOM, 7);
            c.channels = channels;
            gpu_data d = gpu_prepare(gpu, &c, &sat_layouts[0], &sat_layouts[0]);
            for (size_t r = 0; gpu_row_at(r); r++) {
                const sat_algorithm *row = gpu_row_at(r);
                for (int way = 0; way < ways_of(row, &c); way++) {
                    sat_tuning tuning = way_of(row, &d, way);
                    check_repeats(row, &d, &tuning, is_chained(row) ? 100 : 3);
                }
            }
            gpu_release(&d);
        }
    }
}

/* Layouts of image and table: rows that are aligned to 16 bytes, or not, if the width is. */
typedef struct lying {
    int in, out;
} lying;

static const lying aligned = {0, 1}, apart[] = {{0, 1}, {2, 1}, {0, 2}, {2, 2}, {4, 1}};
enum { APART = sizeof apart / sizeof *apart };

/* The same bits in those modes as when nothing is held up. */
static void check_modes(const sat_algorithm *row, const sat_case *c, lying lie, int way, int first,
                        int last, int runs)
{
    gpu_data d = gpu_prepare(gpu, c, &sat_layouts[lie.in], &sat_layouts[lie.out]);
    sat_tuning tuning = way_of(row, &d, way);
    gpu_check(&d, row, &tuning);
    unsigned char *calm = satf_alloc(d.out.bytes);
    assert_non_null(calm);
    memcpy(calm, d.out.memory, d.out.bytes);
    for (int mode = first; mode <= last; mode++) {
        for (int i = 0; i < runs; i++) {
            gpu_stress(mode);
            gpu_check(&d, row, &tuning);
            gpu_stress(SAT_STRESS_NONE);
            if (memcmp(calm, d.out.memory, d.out.bytes) != 0) {
                fail_msg("row %s, %d channels: stress %d changes bits", row->name, c->channels,
                         mode);
            }
        }
    }
    satf_free(calm);
    gpu_release(&d);
}

static void check_stress(const sat_algorithm *row, const sat_case *c, lying lie, int way)
{
    check_modes(row, c, lie, way, SAT_STRESS_NONE + 1, SAT_STRESS_MODES - 1, gpu_long ? 20 : 3);
}

/* Blocks that start late, or one at a time: nobody may wait for a block that
 * has not begun, and the bits stay the same. */
TEST_ALONE(test_stress)
{
    NOT_SMALL;
    /* rows of the last but one suit the copy engine */
    static const int64_t sizes[][2] = {{1, 1}, {65, 4000}, {4000, 65}, {1040, 615}, {1031, 1033}};
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int channels = 1; channels <= 4; channels++) {
                sat_case c = usual_case(sat_kinds[k], (sizes[s][0] - 1) / channels + 1, sizes[s][1],
                                        RANDOM, 3);
                c.channels = channels;
                for (size_t r = 0; gpu_row_at(r); r++) {
                    const sat_algorithm *row = gpu_row_at(r);
                    for (int way = 0; is_chained(row) && way < ways_of(row, &c); way++) {
                        check_stress(row, &c, aligned, way);
                    }
                }
            }
        }
    }
}

static const sat_algorithm *lookback_row(void)
{
    const sat_algorithm *row = sat_algorithm_find("lookback", "cuda");
    assert_non_null(row);
    return row;
}

/* Look-back's blocks for large images in the orders that small ones do not see: more than 15 in
 * every row and column of blocks, of rows that the copy engine takes and of others, and 256 or more
 * in a row, an even number of them and an odd one, in few rows of blocks and, by one CUDA block and
 * by all, in more than 15.
 */
TEST_ALONE(test_orders)
{
    NOT_SMALL;
    static const int64_t sizes[][2] = {{2112, 1808}, {32768, 120}, {32896, 120}, {16448, 120}};
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            sat_case c = usual_case(sat_kinds[k], sizes[s][0], sizes[s][1], RANDOM, 5);
            for (int i = 0; i < (s == 0 ? APART : 1); i++) {
                check_stress(lookback_row(), &c, apart[i], 1);
            }
        }
        /* lanes have four columns of 128 where a sum takes 4 bytes, else two of 64 */
        bool narrow = sat_kinds[k].f32_out || sat_kinds[k].sum_type == SATF_SUM_U32;
        sat_case c = usual_case(sat_kinds[k], narrow ? 32768 : 16384, 1808, RANDOM, 6);
        check_modes(lookback_row(), &c, aligned, 1, SAT_STRESS_SINGLE, SAT_STRESS_SINGLE, 1);
    }
}

/* One CUDA block, which uses its memory again for each of at least twelve blocks of samples; all
 * warps have rows to the last, so that the image ends within 16 bytes that are sent for. */
TEST_ALONE(test_single)
{
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        sat_case c = usual_case(sat_kinds[k], 384, 336, RANDOM, 8);
        for (int i = 0; i < APART; i++) {
            check_modes(lookback_row(), &c, apart[i], 1, SAT_STRESS_SINGLE, SAT_STRESS_SINGLE, 1);
        }
    }
}

/* ---------------------------------------------------------- several at a time */

enum { AT_ONCE = 2 };

/* Two contexts, each with a stream of its own, from one thread. */
TEST_ALONE(test_two_streams)
{
    NOT_SMALL;
    satf_context *contexts[AT_ONCE];
    gpu_data d[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++) {
        contexts[i] = gpu_new_context();
        sat_case c = usual_case(sat_kinds[i ? 0 : 6], 1201 + 300 * i, 907, WHOLE, i + 1);
        c.channels = i ? 3 : 1;
        d[i] = gpu_prepare(contexts[i], &c, &sat_layouts[0], &sat_layouts[0]);
    }
    assert_ptr_not_equal(satf_cuda()->stream(contexts[0]), satf_cuda()->stream(contexts[1]));
    for (size_t r = 0; gpu_row_at(r); r++) {
        for (int turn = 0; turn < 10; turn++) {
            for (unsigned i = 0; i < AT_ONCE; i++) {
                gpu_enqueue(&d[i], gpu_row_at(r), &defaults);
            }
        }
        for (unsigned i = 0; i < AT_ONCE; i++) {
            gpu_compare(&d[i], gpu_row_at(r), &defaults);
        }
    }
    for (unsigned i = 0; i < AT_ONCE; i++) {
        gpu_release(&d[i]);
        satf_context_destroy(contexts[i]);
    }
}

/* Runs the row with the context's own scratch, on other samples a few times before. */
static void run_kept(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning,
                     unsigned before)
{
    sat_job job = gpu_job(d, tuning);
    for (unsigned run = 0; run <= before; run++) {
        gpu_set(d->out_there, GPU_GUARD, d->out.bytes);
        gpu_set_input(d, run == before);
        MUST(gpu, sat_run(gpu, &job, NULL));
    }
    gpu_compare(d, row, tuning);
}

/* Other blocks than by default: look-back's first variant, the second of others that have one. */
static sat_tuning other_blocks(const sat_algorithm *row, const gpu_data *d)
{
    sat_tuning tuning = defaults;
    sat_job job = gpu_job(d, &tuning);
    return row->variant(&job, strcmp(row->name, "lookback") == 0 ? 0 : 1, &tuning) ? tuning
                                                                                   : defaults;
}

/* What a context keeps is of the right job, or zeros: jobs that differ in one thing each, in turns,
 * at first as many as it keeps memory for, then more, on two streams. */
static void check_kept(const sat_algorithm *row)
{
    enum { JOBS = 12, FEW = 8, TURNS = 6, MOST_BEFORE = 3 };
    static gpu_data d[JOBS];
    sat_tuning tunings[JOBS];
    satf_context *other = gpu_new_context();
    MUST(other, satf_gpu_open(other, GPU_DEVICE));
    MUST(gpu, satf_context_set_algorithm(gpu, row->name));
    for (unsigned i = 0; i < JOBS; i++) {
        sat_case c = usual_case(sat_kinds[i % DEVICE_KINDS], 384, i == 9 ? 385 : 384, WHOLE, i);
        c.channels = i == 10 ? 3 : 1;
        c.summand = i == 7 ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
        d[i] = gpu_prepare(gpu, &c, &sat_layouts[0], &sat_layouts[0]);
        tunings[i] = i == 8 || i == 11 ? other_blocks(row, &d[i]) : defaults;
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        unsigned jobs = turn < TURNS / 2 ? FEW : JOBS;
        for (unsigned i = 0; i < jobs; i++) {
            unsigned job = turn % 2 ? jobs - 1 - i : i;
            /* the context's own stream, another's, CUDA's default one */
            void *stream = (i + turn) % 3 == 0 ? satf_cuda()->stream(other) : NULL;
            MUST(gpu, (i + turn) % 3 == 1 ? satf_context_use_own_stream(gpu)
                                          : satf_context_set_stream(gpu, stream));
            run_kept(&d[job], row, &tunings[job], (job + turn) % MOST_BEFORE);
        }
    }
    assert_int_equal(satf_context_use_own_stream(gpu), SATF_OK);
    for (unsigned i = 0; i < JOBS; i++) {
        gpu_release(&d[i]);
    }
    satf_context_destroy(other);
    MUST(gpu, satf_context_set_algorithm(gpu, "auto"));
}

/* Large images in turns whose rows lie otherwise, with the words of one another: what the copy
 * engine takes, other strides and starts, and upside down. */
TEST_ALONE(test_kept_layouts)
{
    NOT_SMALL;
    enum { IMAGES = 3, TURNS = 4, W = 2560, H = 2112 };
    static const int layouts[IMAGES] = {0, 2, 5};
    const sat_algorithm *row = lookback_row();
    gpu_data d[IMAGES];
    for (size_t k = 0; k < DEVICE_KINDS; k++) {
        size_t bytes[IMAGES];
        MUST(gpu, satf_context_set_algorithm(gpu, row->name));
        for (unsigned i = 0; i < IMAGES; i++) {
            sat_case c = usual_case(sat_kinds[k], W, H, WHOLE, 11 + i);
            d[i] = gpu_prepare(gpu, &c, &sat_layouts[layouts[i]], &sat_layouts[layouts[i]]);
            sat_job job = gpu_job(&d[i], &defaults);
            MUST(gpu, sat_scratch(gpu, &job, &bytes[i]));
            assert_int_equal(bytes[i], bytes[0]);
            gpu_check(&d[i], row, &defaults);
        }
        for (unsigned turn = 0; turn < TURNS * IMAGES; turn++) {
            run_kept(&d[turn % IMAGES], row, &defaults, 0);
        }
        MUST(gpu, satf_context_set_algorithm(gpu, "auto"));
        for (unsigned i = 0; i < IMAGES; i++) {
            gpu_release(&d[i]);
        }
    }
}

TEST_ALONE(test_kept)
{
    NOT_SMALL;
    unsigned rows = 0;
    for (size_t r = 0; gpu_row_at(r); r++) {
        if (gpu_row_at(r)->keeps) {
            check_kept(gpu_row_at(r));
            rows++;
        }
    }
    assert_true(rows > 0);
}

GPU_TEST_FILE;
