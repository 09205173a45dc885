/*
 * The tuner on a device: searches find a right tuning, any row and variant that
 * SATFILTER_TUNE=random takes gives the same table, and what is measured is kept.
 */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../src/base/memory.h"
#include "../../src/sat/search.h"
#include "../../src/sat/tuner.h"

enum { SIDE = 608 };

static satf_context *ctx;

static satf_status says_right(void *user, const sat_tuning *candidate, bool *right)
{
    (void)candidate;
    ++*(int *)user;
    *right = true;
    return SATF_OK;
}

static satf_status says_wrong(void *user, const sat_tuning *candidate, bool *right)
{
    (void)candidate;
    ++*(int *)user;
    *right = false;
    return SATF_OK;
}

static bool same_tuning(const sat_tuning *a, const sat_tuning *b)
{
    return a->tile == b->tile && a->threads == b->threads && a->sync == b->sync && a->r == b->r;
}

static satf_status says_only(void *user, const sat_tuning *candidate, bool *right)
{
    *right = same_tuning(candidate, user);
    return SATF_OK;
}

/* Whichever variant it is that is right, and however fast the others are, it is found. */
static void search_for_each(const sat_row *row, const sat_job *job)
{
    sat_tuning variant, best;
    for (size_t i = 0; row->variant && row->variant(job, i, &variant); i++) {
        double ms = 0;
        variant.r = strcmp(row->name, "1+r") == 0 ? 0.5 : 0;
        sat_search search = {
            .fixed.r = variant.r, .cap_ms = 500, .check = says_only, .user = &variant};
        gpu_must(ctx, sat_search_tuning(ctx, row, job, &search, &best, &ms));
        assert_true(same_tuning(&best, &variant));
        assert_true(ms > 0);
        gpu_runs++;
    }
}

static void test_search(void **unused)
{
    (void)unused;
    gpu_case c = {SATF_F64, SATF_SUMMAND_PLAIN, SATF_SUM_F64, false, 1, SIDE, SIDE, GPU_INTEGERS,
                  1};
    gpu_data d = gpu_prepare(ctx, &c, &gpu_layouts[0], &gpu_layouts[0]);
    for (size_t r = 0; gpu_row_at(r); r++) {
        const sat_row *row = gpu_row_at(r);
        sat_job job = gpu_job(&d, &(sat_tuning){0});
        sat_tuning best;
        double ms = 0;
        int asked = 0;
        sat_search search = {.cap_ms = 500, .check = says_right, .user = &asked};
        gpu_must(ctx, sat_search_tuning(ctx, row, &job, &search, &best, &ms));
        assert_true(ms > 0 && asked > 0);
        gpu_check(&d, row, &best);
        search.check = says_wrong;
        assert_int_equal(sat_search_tuning(ctx, row, &job, &search, &best, &ms), SATF_UNSUPPORTED);
        assert_non_null(strstr(satf_message(ctx), row->name));
        search_for_each(row, &job);
    }
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

static void test_random(void **unused)
{
    (void)unused;
    for (int seed = 0; seed < (gpu_small ? 4 : gpu_long ? 500 : 60); seed++) {
        char text[32];
        snprintf(text, sizeof text, "random:%d", seed);
        setenv("SATFILTER_TUNE", text, 1);
        check_table(0, false);
    }
    setenv("SATFILTER_TUNE", "off", 1);
    check_table(0, false);
    unsetenv("SATFILTER_TUNE");
    check_table(0, false);
}

/* What is remembered is right for images wherever they lie, upside down, too, in scratch that was
 * asked for before there was one, whatever blocks are remembered. */
static void test_advice(void **unused)
{
    (void)unused;
    const sat_row *row = sat_row_find("lookback", "cuda");
    sat_job job = {.in = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8),
                   .sum_type = SATF_SUM_U32,
                   .out_stride = SIDE * 4};
    job.in.device = GPU_DEVICE;
    sat_cache *cache = satf_alloc_zeroed(sizeof *cache);
    assert_non_null(cache);
    cache->count = 1;
    for (size_t i = 0; row->variant(&job, i, &cache->choice[0].tuning); i++) {
        sat_tuning tuning = cache->choice[0].tuning;
        cache->choice[0] = (sat_choice){SATF_U8, SATF_SUM_U32, false, sat_size_class(SIDE, SIDE),
                                        true,    "lookback",   tuning};
        sat_tuner_remember(GPU_DEVICE, cache);
        const sat_row *advised;
        gpu_must(ctx, sat_tune(ctx, &job, &advised, &tuning));
        assert_ptr_equal(advised, row);
        assert_true(same_tuning(&tuning, &cache->choice[0].tuning));
        for (int offset = 0; offset < 2; offset++) {
            check_table(offset, false);
            check_table(offset, true);
        }
    }
    cache->count = 0;
    sat_tuner_remember(GPU_DEVICE, cache);
    satf_free(cache);
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

/* Stopped, it leaves no file; done, one that the next process believes. */
static void test_remembers(void **unused)
{
    (void)unused;
    char path[4096], *slash;
    double last = 0;
    sat_cache_key key;
    sat_cache *cache = satf_alloc_zeroed(sizeof *cache);
    assert_true(cache && sat_cache_path(GPU_DEVICE, path, sizeof path));
    assert_int_equal(satf_context_set_progress(ctx, stop_at_once, NULL), SATF_OK);
    assert_int_equal(satf_context_tune(ctx), SATF_CANCELLED);
    assert_int_not_equal(access(path, F_OK), 0);
    if (gpu_long) {
        assert_int_equal(satf_context_set_progress(ctx, go_on, &last), SATF_OK);
        gpu_must(ctx, satf_context_tune(ctx));
        assert_true(last > 0 && sat_tuner_key(GPU_DEVICE, &key));
        assert_true(sat_cache_load(path, &key, cache) && cache->count > 0);
        assert_int_equal(unlink(path), 0);
        slash = strrchr(path, '/');
        *slash = '\0';
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(satf_context_set_progress(ctx, NULL, NULL), SATF_OK);
    satf_free(cache);
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
    return 0;
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
        cmocka_unit_test(test_random),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_remembers),
    };
    return gpu_test_end("test_gpu_tune", gpu_small
                                             ? cmocka_run_group_tests(small, set_up, tear_down)
                                             : cmocka_run_group_tests(tests, set_up, tear_down));
}
