/*
 * The tuner on a device: whatever r of (1+r)R1W is remembered, tables are right, and what is
 * measured is kept.
 */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/base/memory.h"
#include "../../src/sat/cache.h"
#include "../../src/sat/stages.h"
#include "../../src/sat/tuner.h"

enum { SIDE = 608 };

static satf_context *ctx;

/* Of all variants of a row and of a sweep of r the fastest, whichever it is, is right. */
static void test_fastest(void **unused)
{
    (void)unused;
    gpu_case c = {SATF_F64, SATF_SUMMAND_PLAIN, SATF_SUM_F64, false, 1, SIDE, SIDE, GPU_INTEGERS,
                  1};
    gpu_data d = gpu_prepare(ctx, &c, &gpu_layouts[0], &gpu_layouts[0]);
    for (size_t i = 0; gpu_row_at(i); i++) {
        const sat_algorithm *row = gpu_row_at(i);
        sat_tuning tunings[64] = {{0}};
        sat_job job = gpu_job(&d, &tunings[0]);
        double r[SAT_SWEEP];
        int values = row->has_r ? sat_sweep_r(SIDE / 64, SIDE / 64, r) : 0, count = 0, best = -1;
        while (count < 32 && row->variant && row->variant(&job, (size_t)count, &tunings[count])) {
            tunings[count].r = values ? r[count % values] : 0;
            count++;
        }
        count += !count;
        gpu_must(ctx, satf_context_set_algorithm(ctx, row->name));
        gpu_must(ctx, sat_fastest(ctx, &job, tunings, count, &best));
        assert_true(best >= 0 && best < count);
        gpu_check(&d, row, &tunings[best]);
        tunings[0].tile = 7; /* no row has such blocks */
        assert_int_equal(sat_fastest(ctx, &job, tunings, 1, &best), SATF_UNSUPPORTED);
        assert_non_null(strstr(satf_message(ctx), row->name));
        gpu_runs++;
    }
    gpu_must(ctx, satf_context_set_algorithm(ctx, "1+r"));
    gpu_release(&d);
}

static uint8_t image[SIDE * SIDE];

/* table[y][x] of image, through the public call, in new memory of the host: with scratch that was
 * asked for before the image lay anywhere. offset: samples from a multiple of 16 bytes on. */
static uint32_t *table_of(int offset, bool upside_down)
{
    enum { PIXELS = SIDE * SIDE, ROOM = 64 };
    uint32_t *table = satf_alloc(PIXELS * sizeof *table);
    void *memory, *scratch;
    size_t bytes = 0;
    assert_non_null(table);
    satf_view in = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8);
    satf_view out = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U32);
    in.device = out.device = GPU_DEVICE;
    gpu_must(ctx, satf_sat_scratch(ctx, &in, &out, 0, &bytes));
    gpu_must(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, bytes, "a test", &scratch));
    gpu_must(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, PIXELS + ROOM, "a test", &memory));
    gpu_must(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, PIXELS * 4, "a test", &out.data));
    in.data = (uint8_t *)memory + offset;
    gpu_must(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, in.data, image, PIXELS));
    gpu_must(ctx, satf_cuda()->set_bytes(ctx, GPU_DEVICE, out.data, GPU_GUARD, PIXELS * 4));
    if (upside_down) {
        in.data = (uint8_t *)in.data + (SIDE - 1) * SIDE;
        in.stride = -SIDE;
    }
    gpu_must(ctx, satf_context_set_scratch(ctx, bytes ? scratch : NULL, bytes));
    gpu_must(ctx, satf_sat(ctx, &in, &out, 0));
    assert_int_equal(satf_context_set_scratch(ctx, NULL, 0), SATF_OK);
    gpu_must(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, table, out.data, PIXELS * 4));
    gpu_must(ctx, satf_cuda()->wait(ctx, GPU_DEVICE));
    satf_cuda()->free(ctx, memory);
    satf_cuda()->free(ctx, out.data);
    satf_cuda()->free(ctx, scratch);
    gpu_runs++;
    return table;
}

static void check_table(int offset, bool upside_down)
{
    uint32_t *table = table_of(offset, upside_down);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int from = upside_down ? (SIDE - 1 - i / SIDE) * SIDE + i % SIDE : i;
        uint32_t left = i % SIDE ? table[i - 1] : 0, up = i >= SIDE ? table[i - SIDE] : 0;
        uint32_t corner = i % SIDE && i >= SIDE ? table[i - SIDE - 1] : 0;
        assert_int_equal(table[i], image[from] + left + up - corner);
    }
    satf_free(table);
}

/* The tuner's file, and the folder that has nothing else. */
static void remove_file(void)
{
    char path[4096];
    assert_true(sat_cache_path(GPU_DEVICE, path, sizeof path));
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

/* What is remembered is right for images wherever they lie, upside down, too, in scratch that was
 * asked for before there was one. */
static void test_remembered(void **unused)
{
    (void)unused;
    static const double rs[] = {0, 0.01, 0.25, 0.6, 0.99};
    for (size_t k = 0; k < sizeof rs / sizeof *rs; k += gpu_small ? 2 : 1) {
        sat_cache cache = {0};
        for (int i = 0; i < SAT_TUNED; i++) {
            cache.r[i] = rs[k];
        }
        gpu_must(ctx, sat_cache_save(ctx, GPU_DEVICE, &cache, false));
        satf_view in = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8);
        satf_view out = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U32);
        in.device = out.device = GPU_DEVICE;
        sat_job job = sat_job_of(&in, &out);
        const sat_algorithm *row;
        sat_tuning tuning;
        gpu_must(ctx, sat_choose(ctx, &job, &row, &tuning));
        assert_true(rs[k] > 0 ? tuning.r == rs[k] : tuning.r > 0);
        for (int offset = 0; offset < 2; offset++) {
            check_table(offset, false);
            check_table(offset, true);
        }
    }
    remove_file();
}

static int stop_at_once(void *user, double done)
{
    (void)user;
    (void)done;
    return 1;
}

static int go_on(void *user, double done)
{
    double *last = user;
    if (done < *last || done > 1) {
        return 1;
    }
    *last = done;
    return 0;
}

/* Stopped, it leaves no file; done, one with an r for every image that this process goes by. */
static void test_tunes(void **unused)
{
    (void)unused;
    char path[4096];
    double last = 0;
    assert_true(sat_cache_path(GPU_DEVICE, path, sizeof path));
    assert_int_equal(satf_context_set_progress(ctx, stop_at_once, NULL), SATF_OK);
    assert_int_equal(satf_context_tune(ctx), SATF_CANCELLED);
    assert_int_not_equal(access(path, F_OK), 0);
    if (gpu_long) {
        assert_int_equal(satf_context_set_progress(ctx, go_on, &last), SATF_OK);
        gpu_must(ctx, satf_context_tune(ctx));
        assert_true(last > 0);
        for (int i = 0; i < 7 * SAT_TUNED_PAIRS; i++) {
            sat_job job = sat_tuned_job(i);
            double r;
            job.in.device = GPU_DEVICE;
            gpu_must(ctx, sat_cache_find(ctx, &job, &r));
            assert_true(r > 0 && r < 1);
        }
        assert_true(sat_cache_start_ms() > 0);
        remove_file();
    }
    assert_int_equal(satf_context_set_progress(ctx, NULL, NULL), SATF_OK);
    check_table(0, false);
}

static char folder[] = "/tmp/satfilter-tune-XXXXXX";

static int set_up(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder)) {
        return 1;
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("SATFILTER_TUNE");
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        image[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    ctx = gpu_new_context();
    return satf_context_set_algorithm(ctx, "1+r");
}

static int tear_down(void **unused)
{
    (void)unused;
    satf_context_destroy(ctx);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_remembered),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_remembered),
        cmocka_unit_test(test_tunes),
    };
    return gpu_test_end("test_gpu_tune", gpu_small
                                             ? cmocka_run_group_tests(small, set_up, tear_down)
                                             : cmocka_run_group_tests(tests, set_up, tear_down));
}
