/*
 * The tuner on a device: whatever r of (1+r)R1W is remembered, tables are right, and what is
 * measured is kept.
 */
#include "cases.h"

#include "sat/cache.h"
#include "sat/stages.h"
#include "sat/tuner.h"

enum { SIDE = 608 };

/* Of all variants of a row and of a sweep of r the fastest, whichever it is, is right. */
TEST_ALONE(test_fastest)
{
    NOT_SMALL;
    sat_case c = {SATF_F64, SATF_SUMMAND_PLAIN, SATF_SUM_F64, false, 1, SIDE, SIDE, WHOLE, 1, 0};
    gpu_data d = gpu_prepare(gpu, &c, &sat_layouts[0], &sat_layouts[0]);
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
        MUST(gpu, satf_context_set_algorithm(gpu, row->name));
        MUST(gpu, sat_fastest(gpu, &job, tunings, count, &best));
        assert_true(best >= 0 && best < count);
        gpu_check(&d, row, &tunings[best]);
        tunings[0].tile = 7; /* no row has such blocks */
        assert_int_equal(sat_fastest(gpu, &job, tunings, 1, &best), SATF_UNSUPPORTED);
        assert_non_null(strstr(satf_message(gpu), row->name));
        gpu_runs++;
    }
    MUST(gpu, satf_context_set_algorithm(gpu, "1+r"));
    gpu_release(&d);
}

/* The table of an image, through the public call, of the host and there, with scratch that was
 * asked for before the image lay anywhere. offset: bytes from a multiple of 16 on; of an odd one
 * the squares. */
static void check_table(int offset, int channels, bool upside_down)
{
    unsigned flags = offset % 2 ? SATF_SQUARED : 0;
    ON_HOST satf_view image = gpu_image(SIDE, SIDE, channels, SATF_U8, false, 1, 5);
    satf_view like = satf_view_packed(NULL, SIDE, SIDE, channels, SATF_U32), in = image, out = like;
    ON_HOST satf_view want = gpu_host_view(&like);
    ON_HOST satf_view got = gpu_host_view(&like);
    gpu_trial t = {.spec = "a table", .in = image, .out = like, .seed = (uint64_t)offset};
    void *memory[2];
    size_t bytes = 0;
    MUST(cpu, satf_sat(cpu, &image, &want, flags));
    MUST(gpu, satf_sat(gpu, &image, &got, flags));
    gpu_same(&t, &want, &got, "host views");
    in.device = out.device = GPU_DEVICE;
    MUST(gpu, satf_sat_scratch(gpu, &in, &out, flags, &bytes));
    ON_DEVICE void *scratch = gpu_memory(bytes);
    in = gpu_view(gpu, &image, 0, offset, upside_down, &memory[0]);
    out = gpu_view(gpu, &like, 0, 0, false, &memory[1]);
    MUST(gpu, satf_cuda()->copy(gpu, &image, &in));
    MUST(gpu, satf_context_set_scratch(gpu, bytes ? scratch : NULL, bytes));
    MUST(gpu, satf_sat(gpu, &in, &out, flags));
    MUST(gpu, satf_context_set_scratch(gpu, NULL, 0));
    MUST(gpu, satf_cuda()->copy(gpu, &out, &got));
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    gpu_same(&t, &want, &got, upside_down ? "upside down" : "as it is");
    gpu_check_guards(gpu, &out, memory[1], 0);
    satf_cuda()->free(gpu, memory[0]);
    satf_cuda()->free(gpu, memory[1]);
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
TEST_ALONE(test_remembered)
{
    static const double rs[] = {0, 0.01, 0.25, 0.6, 0.99};
    for (size_t k = 0; k < sizeof rs / sizeof *rs; k += gpu_small ? 2 : 1) {
        sat_cache cache = {0};
        for (int i = 0; i < SAT_TUNED; i++) {
            cache.r[i] = rs[k];
        }
        MUST(gpu, sat_cache_save(gpu, GPU_DEVICE, &cache, false));
        satf_view in = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U8);
        satf_view out = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_U32);
        in.device = out.device = GPU_DEVICE;
        sat_job job = sat_job_of(&in, &out);
        const sat_algorithm *row;
        sat_tuning tuning;
        MUST(gpu, sat_choose(gpu, &job, &row, &tuning));
        assert_true(rs[k] > 0 ? tuning.r == rs[k] : tuning.r > 0);
        for (int offset = 0; offset < 2; offset++) {
            check_table(offset, 1, false);
            check_table(offset, 3, true);
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
TEST_ALONE(test_tunes)
{
    NOT_SMALL;
    char path[4096];
    double last = 0;
    assert_true(sat_cache_path(GPU_DEVICE, path, sizeof path));
    MUST(gpu, satf_context_set_progress(gpu, stop_at_once, NULL));
    assert_int_equal(satf_context_tune(gpu), SATF_CANCELLED);
    assert_int_not_equal(access(path, F_OK), 0);
    if (gpu_long) {
        MUST(gpu, satf_context_set_progress(gpu, go_on, &last));
        MUST(gpu, satf_context_tune(gpu));
        assert_true(last > 0);
        for (int i = 0; i < 7 * SAT_TUNED_PAIRS; i++) {
            sat_job job = sat_tuned_job(i);
            double r;
            job.in.device = GPU_DEVICE;
            MUST(gpu, sat_cache_find(gpu, &job, &r));
            assert_true(r > 0 && r < 1);
        }
        assert_true(sat_cache_start_ms() > 0);
        remove_file();
    }
    MUST(gpu, satf_context_set_progress(gpu, NULL, NULL));
    check_table(0, 1, false);
}

static char folder[] = "/tmp/satfilter-tune-XXXXXX";

static int begin(void **state)
{
    if (gpu_begin(state) || !mkdtemp(folder)) {
        return 1;
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("SATFILTER_TUNE");
    return satf_context_set_algorithm(gpu, "1+r") != SATF_OK;
}

static int end(const char *path)
{
    return gpu_end(path) | rmdir(folder);
}

GPU_TEST_FILE_WITH(begin, end);
