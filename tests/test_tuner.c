/* The tuner without a device: its cache, the variable, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/gpu.h"
#include "base/memory.h"
#include "sat/cache.h"
#include "sat/tuner.h"

static const sat_cache_key key = {0x0123456789abcdef, "NVIDIA H200", "580.65.06, CUDA 13.0"};

static sat_cache some_choices(void)
{
    sat_cache cache = {.count = 3};
    cache.choice[0] =
        (sat_choice){SATF_U8, SATF_SUM_U32, false, 20, true, "lookback", {128, 256, 0, 0}};
    cache.choice[1] = (sat_choice){
        SATF_F64, SATF_SUM_F64, false, 26, false, "1+r", {64, 128, SAT_SYNC_GRAPH, 0.03515625}};
    cache.choice[2] =
        (sat_choice){SATF_F32, SATF_SUM_F64, true, 24, true, "skss", {32, 1024, SAT_SYNC_COOP, 0}};
    return cache;
}

static sat_job job_of(satf_type type, satf_sum_type sum_type, bool f32_out, int64_t side)
{
    sat_job job = {.in = satf_view_packed(NULL, side, side, 1, type),
                   .sum_type = sum_type,
                   .f32_out = f32_out};
    job.in.device = SATF_CUDA(0);
    return job;
}

static void reads_what_it_prints(void **state)
{
    (void)state;
    sat_cache cache = some_choices(), again;
    char *text = sat_cache_print(&cache, &key);
    assert_non_null(text);
    assert_true(sat_cache_parse(text, &key, &again));
    assert_int_equal(again.count, cache.count);
    for (int i = 0; i < cache.count; i++) {
        const sat_choice *a = &cache.choice[i], *b = &again.choice[i];
        assert_string_equal(a->row, b->row);
        assert_int_equal(a->in_type, b->in_type);
        assert_int_equal(a->sum_type, b->sum_type);
        assert_int_equal(a->f32_out, b->f32_out);
        assert_int_equal(a->size_class, b->size_class);
        assert_int_equal(a->of_all, b->of_all);
        assert_int_equal(a->tuning.tile, b->tuning.tile);
        assert_int_equal(a->tuning.threads, b->tuning.threads);
        assert_int_equal(a->tuning.sync, b->tuning.sync);
        assert_true(a->tuning.r == b->tuning.r);
    }
    satf_free(text);
    cache.count = 0;
    text = sat_cache_print(&cache, &key);
    assert_true(text && sat_cache_parse(text, &key, &again));
    satf_free(text);
}

/* Any byte cut off, and any other device, driver, table: nothing is believed. */
static void rejects_the_whole(void **state)
{
    (void)state;
    sat_cache cache = some_choices(), again;
    char *text = sat_cache_print(&cache, &key);
    assert_non_null(text);
    size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut++) {
        char kept = text[cut];
        text[cut] = '\0';
        assert_false(sat_cache_parse(text, &key, &again));
        assert_int_equal(again.count, 0);
        text[cut] = kept;
    }
    sat_cache_key other = key;
    other.signature++;
    assert_false(sat_cache_parse(text, &other, &again));
    other = key;
    other.driver[0]++;
    assert_false(sat_cache_parse(text, &other, &again));
    other = key;
    other.device[0] = 'X';
    assert_false(sat_cache_parse(text, &other, &again));
    satf_free(text);
}

static void rejects_bad_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "u8 u32 20 all lookback 128 256 auto 0", /* the only good one */
        "u8 u32 20 all lookback 128 256 auto",
        "u8 u32 20 all lookback 128 256 auto 0 ",
        "u8 u32 20 all lookback 128 256 auto 0 0",
        "u9 u32 20 all lookback 128 256 auto 0",
        "u8 f64 20 all lookback 128 256 auto 0",
        "f64 u32 20 all lookback 128 256 auto 0",
        "u8 u16 20 all lookback 128 256 auto 0",
        "u8 u32 -1 all lookback 128 256 auto 0",
        "u8 u32 64 all lookback 128 256 auto 0",
        "u8 u32 20 some lookback 128 256 auto 0",
        "u8 u32 20 all averyveryverylongname 128 256 auto 0",
        "u8 u32 20 all lookback -1 256 auto 0",
        "u8 u32 20 all lookback 128 -256 auto 0",
        "u8 u32 20 all lookback 128 256 never 0",
        "u8 u32 20 own 1+r 128 256 graph 1000000000",
        "u8 u32 20 own 1+r 128 256 graph -1",
        "u8 u32 20 own 1+r 128 256 graph 0.5",
        "",
    };
    sat_cache none = {0}, again;
    char *empty = sat_cache_print(&none, &key), text[2048];
    assert_non_null(empty);
    *strstr(empty, "end ") = '\0';
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(text, sizeof text, "%s%s\n%s\nend 2\n", empty, lines[0], lines[i]);
        assert_int_equal(sat_cache_parse(text, &key, &again), i == 0);
        assert_int_equal(again.count, i == 0 ? 2 : 0);
    }
    snprintf(text, sizeof text, "%s%s\nend 2\n", empty, lines[0]);
    assert_false(sat_cache_parse(text, &key, &again));
    snprintf(text, sizeof text, "%s%s\nend 1\nmore\n", empty, lines[0]);
    assert_false(sat_cache_parse(text, &key, &again));
    satf_free(empty);
}

static void finds_the_nearest_size(void **state)
{
    (void)state;
    sat_cache cache = some_choices();
    cache.choice[cache.count] = cache.choice[0];
    cache.choice[cache.count++].size_class = 26;
    sat_job job = job_of(SATF_U8, SATF_SUM_U32, false, 1500);
    assert_ptr_equal(sat_cache_find(&cache, &job, NULL), &cache.choice[0]);
    job = job_of(SATF_U8, SATF_SUM_U32, false, 40000);
    assert_ptr_equal(sat_cache_find(&cache, &job, NULL), &cache.choice[3]);
    job = job_of(SATF_U8, SATF_SUM_U32, false, 3000); /* as near to 20 as to 26 */
    assert_ptr_equal(sat_cache_find(&cache, &job, NULL), &cache.choice[3]);
    assert_null(sat_cache_find(&cache, &job, "1+r"));
    job = job_of(SATF_F64, SATF_SUM_F64, false, 10);
    assert_null(sat_cache_find(&cache, &job, NULL));
    assert_ptr_equal(sat_cache_find(&cache, &job, "1+r"), &cache.choice[1]);
    job = job_of(SATF_F32, SATF_SUM_F64, true, 10);
    assert_ptr_equal(sat_cache_find(&cache, &job, NULL), &cache.choice[2]);
    job = job_of(SATF_F32, SATF_SUM_F64, false, 10);
    assert_null(sat_cache_find(&cache, &job, NULL));
    assert_int_equal(sat_size_class(1, 1), 0);
    assert_int_equal(sat_size_class(1024, 1024), 20);
    assert_int_equal(sat_size_class(1024, 1023), 19);
}

static void saves_by_rename(void **state)
{
    (void)state;
    char folder[] = "/tmp/satfilter-tuner-XXXXXX", path[256], expected[256];
    sat_cache cache = some_choices(), again;
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_true(sat_cache_path(SATF_CUDA(3), path, sizeof path));
    snprintf(expected, sizeof expected, "%s/satfilter/tuning-cuda3", folder);
    assert_string_equal(path, expected);
    assert_false(sat_cache_path(SATF_CUDA(3), path, 10));
    assert_true(sat_cache_path(SATF_CUDA(3), path, sizeof path));
    assert_int_equal(sat_cache_try(ctx, path), SATF_OK);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_not_equal(access(path, F_OK), 0); /* nothing is left of it */
    *slash = '/';
    assert_false(sat_cache_load(path, &key, &again)); /* absent is no error */
    for (int i = 0; i < 2; i++) {                     /* new, and over an old one */
        assert_int_equal(sat_cache_save(ctx, path, &key, &cache), SATF_OK);
        assert_true(sat_cache_load(path, &key, &again));
        assert_int_equal(again.count, 3);
    }
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("u8\n", file);
    fclose(file);
    assert_false(sat_cache_load(path, &key, &again));
    assert_int_equal(unlink(path), 0);
    *slash = '\0';
    assert_int_equal(rmdir(path), 0); /* nothing else was left there */
    file = fopen(path, "w");          /* a file where the folder should be */
    assert_non_null(file);
    fclose(file);
    *slash = '/';
    assert_int_equal(sat_cache_save(ctx, path, &key, &cache), SATF_IO);
    assert_non_null(strstr(satf_message(ctx), path));
    char message[512];
    snprintf(message, sizeof message, "%s", satf_message(ctx));
    assert_int_equal(sat_cache_try(ctx, path), SATF_IO);
    assert_string_equal(satf_message(ctx), message);
    *slash = '\0';
    unlink(path);
    rmdir(folder);
    satf_context_destroy(ctx);
}

/* Found out before anything is measured. */
static void tries_the_folder(void **state)
{
    (void)state;
    char path[256];
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    assert_true(sat_cache_path(SATF_CUDA(0), path, sizeof path));
    assert_int_equal(sat_cache_try(ctx, path), SATF_IO);
    assert_non_null(
        strstr(satf_message(ctx), "/proc/nowhere/satfilter/tuning-cuda0 cannot be written: "));
    satf_context_destroy(ctx);
}

static void follows_the_xdg_variables(void **state)
{
    (void)state;
    char path[256];
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(sat_cache_path(SATF_CUDA(0), path, sizeof path));
    assert_string_equal(path, "/home/someone/.cache/satfilter/tuning-cuda0");
    unsetenv("XDG_CACHE_HOME");
    assert_true(sat_cache_path(SATF_CUDA(0), path, sizeof path));
    unsetenv("HOME");
    assert_false(sat_cache_path(SATF_CUDA(0), path, sizeof path));
}

static void names_what_it_cannot_honour(void **state)
{
    (void)state;
    satf_context *ctx;
    const sat_row *row;
    sat_tuning tuning;
    sat_job job = job_of(SATF_U8, SATF_SUM_U32, false, 100);
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    static const char *const wrong[] = {"on", "random", "random:", "random:x", "random:1x", "offf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SATFILTER_TUNE", wrong[i], 1);
        assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_INVALID);
        assert_non_null(strstr(satf_message(ctx), wrong[i]));
    }
    setenv("SATFILTER_TUNE", "off", 1);
    assert_int_equal(satf_context_set_algorithm(ctx, "blocked"), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "blocked"));
    assert_int_equal(satf_context_set_algorithm(ctx, "auto"), SATF_OK);
    assert_int_equal(satf_context_set_sync(ctx, "coop"), SATF_OK);
    job.in.device = SATF_HOST;
    assert_int_equal(sat_choose(ctx, &job, &row), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "sync coop"));
    assert_int_equal(satf_context_set_sync(ctx, "never"), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "never"));
    assert_int_equal(satf_context_set_sync(ctx, NULL), SATF_INVALID);
    assert_int_equal(satf_context_set_sync(NULL, "auto"), SATF_INVALID);
    assert_int_equal(satf_context_set_sync(ctx, "auto"), SATF_OK);
    assert_int_equal(satf_context_set_device(ctx, SATF_HOST), SATF_OK);
    assert_int_equal(satf_context_tune(ctx), SATF_NO_DEVICE);
    assert_int_equal(satf_context_tune(NULL), SATF_INVALID);
    unsetenv("SATFILTER_TUNE");
    satf_context_destroy(ctx);
}

static int stop_first(void *user, double done)
{
    (void)done;
    int *calls = user;
    return ++*calls == 1;
}

/* Tuning is a call of its own: what a call before it has reported or stopped is over. */
static void begins_anew(void **state)
{
    (void)state;
    satf_context *ctx;
    int calls = 0;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(satf_context_set_device(ctx, SATF_HOST), SATF_OK);
    assert_int_equal(satf_context_set_progress(ctx, stop_first, &calls), SATF_OK);
    assert_int_equal(satf_report_progress(ctx, 1), SATF_CANCELLED);
    assert_int_equal(satf_context_tune(ctx), SATF_NO_DEVICE);
    assert_int_equal(satf_report_progress(ctx, 0), SATF_OK);
    assert_int_equal(calls, 2);
    satf_context_destroy(ctx);
}

static void check_tuning(const sat_tuning *tuning, const sat_tuning *expected)
{
    assert_int_equal(tuning->tile, expected->tile);
    assert_int_equal(tuning->threads, expected->threads);
    assert_int_equal(tuning->sync, expected->sync);
    assert_true(tuning->r == expected->r);
}

/* Rows that this build has for CUDA are chosen and tuned even where no device is. */
static void chooses_rows(void **state)
{
    (void)state;
    if (!sat_row_find("1+r", "cuda") || !sat_row_find("lookback", "cuda")) {
        skip();
    }
    satf_context *ctx;
    const sat_row *row, *again;
    sat_tuning tuning, same;
    sat_job job = job_of(SATF_F64, SATF_SUM_F64, false, 1000);
    job.out_stride = 8000;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    setenv("SATFILTER_TUNE", "off", 1);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    assert_string_equal(row->name, "lookback");
    assert_true(tuning.tile == 0 && tuning.threads == 0 && tuning.r == 0);
    for (int seed = 0; seed < 20; seed++) {
        char text[32];
        snprintf(text, sizeof text, "random:%d", seed);
        setenv("SATFILTER_TUNE", text, 1);
        assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
        assert_int_equal(sat_tune(ctx, &job, &again, &same), SATF_OK);
        assert_ptr_equal(row, again);
        assert_true(tuning.tile == same.tile && tuning.threads == same.threads &&
                    tuning.sync == same.sync && tuning.r == same.r);
    }
    /* What is remembered is taken; what is forced goes before it. */
    sat_cache cache = some_choices();
    sat_tuner_remember(SATF_CUDA(0), &cache);
    unsetenv("SATFILTER_TUNE");
    assert_int_equal(satf_context_set_algorithm(ctx, "1+r"), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    assert_string_equal(row->name, "1+r");
    check_tuning(&tuning, &cache.choice[1].tuning);
    assert_int_equal(satf_context_set_r(ctx, 0.5), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    assert_true(tuning.r == 0.5);
    assert_int_equal(satf_context_set_algorithm(ctx, "lookback"), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "r = 0.5"));
    satf_context_destroy(ctx);
}

/* ------------------------------------------------- rows and devices of the test's own */

static bool pretend;     /* that those below are what there is */
static int other_pair;   /* of sat_tuned_job(): its first variant differs; -1: none does */
static int other_member; /* by which of tile, threads and sync */

static const char *refuses_tiles_of_7(const sat_job *job)
{
    return job->tuning.tile == 7 ? "its tiles are not 7 wide" : NULL;
}

/* Two variants whatever the job, but for that difference. */
static bool two_variants(const sat_job *job, size_t index, sat_tuning *tuning)
{
    *tuning = (sat_tuning){index ? 32 : 64, 128, SAT_SYNC_GRAPH, 0};
    if (other_pair >= 0 && index == 0) {
        sat_job other = sat_tuned_job(other_pair, 1);
        if (job->in.type == other.in.type && job->sum_type == other.sum_type &&
            job->f32_out == other.f32_out) {
            tuning->tile += other_member == 0;
            tuning->threads += other_member == 1;
            tuning->sync += other_member == 2;
        }
    }
    return index < 2;
}

static const sat_row pretended[] = {
    {.name = "1+r",
     .device_kind = "cuda",
     .refuses = refuses_tiles_of_7,
     .variant = two_variants,
     .has_r = true},
    {.name = "lookback",
     .device_kind = "cuda",
     .refuses = refuses_tiles_of_7,
     .variant = two_variants},
};

/* The linker puts these in the place of the calls of those names. */
const sat_row *__real_sat_row_at(size_t index);
const sat_row *__wrap_sat_row_at(size_t index);
const sat_row *__real_sat_row_find(const char *name, const char *device_kind);
const sat_row *__wrap_sat_row_find(const char *name, const char *device_kind);
const satf_backend *__real_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void);

const sat_row *__wrap_sat_row_at(size_t index)
{
    if (!pretend) {
        return __real_sat_row_at(index);
    }
    return index < sizeof pretended / sizeof *pretended ? &pretended[index] : NULL;
}

const sat_row *__wrap_sat_row_find(const char *name, const char *device_kind)
{
    if (!pretend) {
        return __real_sat_row_find(name, device_kind);
    }
    for (size_t r = 0; r < sizeof pretended / sizeof *pretended; r++) {
        if (strcmp(pretended[r].name, name) == 0 && strcmp(device_kind, "cuda") == 0) {
            return &pretended[r];
        }
    }
    return NULL;
}

static bool describe(int device, satf_gpu_info *info)
{
    (void)device;
    *info = (satf_gpu_info){.name = "a device of the test", .driver = "the test's"};
    return true;
}

const satf_backend *__wrap_satf_cuda(void)
{
    static satf_backend backend;
    if (!pretend) {
        return __real_satf_cuda();
    }
    backend = *__real_satf_cuda();
    backend.describe = describe;
    return &backend;
}

/* A device's choices are read from its file once: each device here is new to the process. */
static void takes_what_a_file_remembers(void **state)
{
    (void)state;
    enum { GOOD = SATF_CUDA(1), OTHER_DRIVER, REFUSED, ABSENT, DEVICES };
    char folder[] = "/tmp/satfilter-tuner-XXXXXX", path[DEVICES][256];
    satf_context *ctx;
    const sat_row *row;
    sat_tuning tuning;
    pretend = true;
    other_pair = -1;
    unsetenv("SATFILTER_TUNE");
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    for (int device = GOOD; device < DEVICES; device++) {
        sat_cache cache = some_choices();
        sat_cache_key saved;
        assert_true(sat_cache_path(device, path[device], sizeof path[device]));
        assert_true(sat_tuner_key(device, &saved));
        saved.driver[0] = device == OTHER_DRIVER ? 'x' : saved.driver[0];
        cache.choice[0].tuning.tile = device == REFUSED ? 7 : 128;
        if (device != ABSENT) {
            assert_int_equal(sat_cache_save(ctx, path[device], &saved, &cache), SATF_OK);
        }
    }
    const sat_cache expected = some_choices();
    for (int device = GOOD; device < DEVICES; device++) {
        sat_job job = job_of(SATF_U8, SATF_SUM_U32, false, 1024);
        job.in.device = device;
        assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
        assert_string_equal(row->name, "lookback");
        check_tuning(&tuning, device == GOOD ? &expected.choice[0].tuning : &(const sat_tuning){0});
    }
    /* Blocks were measured for one plain channel: for others the row is taken, they are not. */
    sat_job job = job_of(SATF_U8, SATF_SUM_U32, false, 1024);
    job.in.device = GOOD;
    job.in.channels = 3;
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    assert_string_equal(row->name, "lookback");
    check_tuning(&tuning, &(const sat_tuning){0});
    job.tuning = (sat_tuning){.tile = 64, .threads = 128}; /* asked for: as it is */
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    check_tuning(&tuning, &(const sat_tuning){.tile = 64, .threads = 128});
    job = job_of(SATF_U8, SATF_SUM_U32, false, 1024);
    job.in.device = GOOD;
    job.summand = SATF_SUMMAND_SQUARE;
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    check_tuning(&tuning, &(const sat_tuning){0});
    job = job_of(SATF_F64, SATF_SUM_F64, false, 8192);
    job.in.device = GOOD;
    job.in.channels = 3;
    assert_int_equal(satf_context_set_algorithm(ctx, "1+r"), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    check_tuning(&tuning, &(const sat_tuning){0, 0, SAT_SYNC_GRAPH, 0.03515625});
    assert_int_equal(satf_context_set_algorithm(ctx, "auto"), SATF_OK);
    /* The tuning of a forced row is remembered too, but for what is forced of it. */
    job = job_of(SATF_F64, SATF_SUM_F64, false, 8192);
    sat_tuning remembered = expected.choice[1].tuning;
    job.in.device = GOOD;
    assert_int_equal(satf_context_set_algorithm(ctx, "1+r"), SATF_OK);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    assert_string_equal(row->name, "1+r");
    check_tuning(&tuning, &remembered);
    assert_int_equal(satf_context_set_r(ctx, 0.5), SATF_OK);
    job.tuning.threads = 256;
    remembered.r = 0.5;
    remembered.threads = 256;
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    check_tuning(&tuning, &remembered);
    setenv("SATFILTER_TUNE", "off", 1);
    assert_int_equal(sat_tune(ctx, &job, &row, &tuning), SATF_OK);
    check_tuning(&tuning, &(const sat_tuning){0, 256, SAT_SYNC_AUTO, 0.5});
    unsetenv("SATFILTER_TUNE");
    for (int device = GOOD; device < ABSENT; device++) {
        assert_int_equal(unlink(path[device]), 0);
    }
    *strrchr(path[GOOD], '/') = '\0';
    assert_int_equal(rmdir(path[GOOD]), 0);
    assert_int_equal(rmdir(folder), 0);
    satf_context_destroy(ctx);
    pretend = false;
}

/* One number of one variant for one pair of types, and old choices are none. */
static void signs_all_variants(void **state)
{
    (void)state;
    enum { MEMBERS = 3 };
    sat_cache_key usual, again, other[SAT_TUNED_PAIRS * MEMBERS];
    pretend = true;
    other_pair = -1;
    assert_true(sat_tuner_key(SATF_CUDA(0), &usual) && sat_tuner_key(SATF_CUDA(1), &again));
    assert_memory_equal(&usual, &again, sizeof usual);
    assert_string_equal(usual.device, "a device of the test");
    assert_string_equal(usual.driver, "the test's");
    for (int i = 0; i < SAT_TUNED_PAIRS * MEMBERS; i++) {
        other_pair = i / MEMBERS;
        other_member = i % MEMBERS;
        assert_true(sat_tuner_key(SATF_CUDA(0), &other[i]));
        assert_true(other[i].signature != usual.signature);
        for (int j = 0; j < i; j++) {
            assert_true(other[i].signature != other[j].signature);
        }
    }
    pretend = false;
}

/* Nothing is measured twice, and nothing that is refused. */
static void check_variants(const sat_row *row, const sat_job *job)
{
    enum { MOST = 32 };
    sat_tuning variants[MOST];
    size_t count = 0;
    for (; row->variant(job, count, &variants[count]); count++) {
        sat_job asking = *job;
        asking.tuning = variants[count];
        assert_null(row->refuses(&asking));
        for (size_t i = 0; i < count; i++) {
            assert_memory_not_equal(&variants[i], &variants[count], sizeof *variants);
        }
        assert_true(count + 1 < MOST);
    }
}

static void lists_each_variant_once(void **state)
{
    (void)state;
    for (size_t r = 0; sat_row_at(r); r++) {
        const sat_row *row = sat_row_at(r);
        for (int pair = 0; pair < SAT_TUNED_PAIRS && row->variant; pair++) {
            sat_job job = sat_tuned_job(pair, 4096);
            job.in.device = SATF_CUDA(0);
            for (job.in.channels = 1; job.in.channels <= 4; job.in.channels++) {
                job.summand = SATF_SUMMAND_PLAIN;
                check_variants(row, &job);
                job.summand = SATF_SUMMAND_SQUARE;
                check_variants(row, &job);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_prints),
        cmocka_unit_test(rejects_the_whole),
        cmocka_unit_test(rejects_bad_lines),
        cmocka_unit_test(finds_the_nearest_size),
        cmocka_unit_test(saves_by_rename),
        cmocka_unit_test(tries_the_folder),
        cmocka_unit_test(follows_the_xdg_variables),
        cmocka_unit_test(names_what_it_cannot_honour),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(chooses_rows),
        cmocka_unit_test(takes_what_a_file_remembers),
        cmocka_unit_test(signs_all_variants),
        cmocka_unit_test(lists_each_variant_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
