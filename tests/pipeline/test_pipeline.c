/* The streaming path gives the same bytes as whole images, and fails as cleanly. */
#include "test.h"
#include "base/parallel.h"
#include "base/gpu.h"
#include "pipeline/job.h"
#include "pipeline_jobs.h"

TEST_ALONE(same_bytes)
{
    static const char *const specs[] = {
        "box=1",
        "box=15",
        "box=4x9,border=mirror",
        "box=3x300,border=reflect",
        "box=700x5,border=shrink",
        "box=9,border=constant:7",
        "variance=7",
        "stddev=5x3,border=mirror",
    };
    static const struct {
        int64_t width, height;
        int channels;
        satf_type type;
        unsigned flags;
        const char *in, *out;
    } images[] = {
        {1, 1, 1, SATF_U8, 0, "a.pgm", "o.pgm"},
        {97, 1, 3, SATF_U8, 0, "b.ppm", "o.png"},
        {1, 211, 1, SATF_U16, 0, "c.pgm", "o.npy"},
        {601, 1009, 3, SATF_U8, 0, "d.png", "o.ppm"}, /* several blocks each way */
        {320, 701, 4, SATF_U8, SATF_ALPHA, "e.png", "o.png"},
        {257, 413, 2, SATF_U16, SATF_ALPHA, "f.png", "o.npy"},
        {211, 503, 1, SATF_F32, 0, "g.npy", "o.npy"},
        {127, 401, 3, SATF_F64, 0, "h.npy", "o.npy"},
    };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        const char *in = path(images[i].in), *out = path(images[i].out);
        write_noise(in, images[i].width, images[i].height, images[i].channels, images[i].type,
                    images[i].flags, (uint32_t)i + 1);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            compare(in, out, specs[k], SATF_TYPE_AUTO, 3);
        }
        compare(in, out, "box=5", images[i].type == SATF_U8 ? SATF_U16 : SATF_U8, 3);
    }
}

TEST_ALONE(what_cannot_stream)
{
    static const char *const specs[] = {"box=3,border=wrap", "box=5 box=3,border=wrap"};
    write_noise(path("n.pgm"), 40, 30, 1, SATF_U8, 0, 5);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        satf_file_report result;
        assert_int_equal(run(path("n.pgm"), path("n.npy"), specs[i], SATF_TYPE_AUTO,
                             SATF_ROUTE_AUTO, 2, &result),
                         SATF_OK);
        assert_false(result.streamed);
    }
}

/* Input and output are one file. */
TEST_ALONE(in_place)
{
    write_noise(path("i.pgm"), 300, 2000, 1, SATF_U8, 0, 9);
    satf_file_report result;
    assert_int_equal(
        run(path("i.pgm"), path("i2.pgm"), "box=9", SATF_TYPE_AUTO, SATF_ROUTE_WHOLE, 1, &result),
        SATF_OK);
    assert_int_equal(
        run(path("i.pgm"), path("i.pgm"), "box=9", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, 2, &result),
        SATF_OK);
    assert_true(result.streamed);
    size_t bytes, bytes2;
    SCOPED unsigned char *a = slurp(path("i.pgm"), &bytes), *b = slurp(path("i2.pgm"), &bytes2);
    assert_int_equal(bytes, bytes2);
    assert_memory_equal(a, b, bytes);
}

/* Whichever stage fails, the message is its own and no output appears. */
TEST_ALONE(failures)
{
    satf_file_report result;
    write_noise(path("t.png"), 500, 3000, 3, SATF_U8, 0, 11);
    size_t bytes;
    SCOPED unsigned char *whole = slurp(path("t.png"), &bytes);
    FILE *file = fopen(path("t.png"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(whole, 1, bytes / 2, file), bytes / 2);
    fclose(file);
    for (int threads = 1; threads <= 3; threads++) {
        const char *in = path("t.png"), *out = path("none.png");
        assert_int_equal(run(in, out, "box=9", SATF_TYPE_AUTO, SATF_ROUTE_AUTO, threads, &result),
                         SATF_DATA);
        assert_string_equal(result.at, in);
        assert_int_equal(access(out, F_OK), -1);
    }
    if (access("/dev/full", W_OK) == 0) {
        write_noise(path("u.ppm"), 500, 3000, 3, SATF_U8, 0, 12);
        for (int threads = 1; threads <= 3; threads++) {
            SCOPED_FILTER *filter;
            assert_int_equal(satf_filter_parse(ctx, "box=9", &filter), SATF_OK);
            assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
            pipeline_job job = {.input = path("u.ppm"),
                                .output = "/dev/full",
                                .filter = filter,
                                .write = satf_write_defaults()};
            job.write.format = "png";
            assert_int_equal(pipeline_run(ctx, &job, &result), SATF_IO);
            assert_string_equal(result.at, "/dev/full");
        }
    }
}

static int stop_at_half(void *user, double done)
{
    (void)user;
    return done >= 0.5;
}

TEST_ALONE(cancelled)
{
    satf_file_report result;
    write_noise(path("p.pgm"), 2000, 3000, 1, SATF_U8, 0, 13);
    satf_context_set_progress(ctx, stop_at_half, NULL);
    static const satf_route ways[] = {SATF_ROUTE_WHOLE, SATF_ROUTE_ROWS};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            run(path("p.pgm"), path("none.pgm"), "box=3", SATF_TYPE_AUTO, ways[i], 2, &result),
            SATF_CANCELLED);
        assert_int_equal(access(path("none.pgm"), F_OK), -1);
    }
}

/* A report has the steps that a plan of such images has; by rows there may be other engines. */
static void check_steps(const char *spec, satf_route way, const satf_file_report *result)
{
    satf_filter *filter;
    satf_plan *plan;
    satf_view out;
    satf_used used, step;
    const char *name;
    size_t count = 0;
    double ms = 0;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &result->in, &out), SATF_OK);
    assert_int_equal(satf_plan_create(ctx, filter, &result->in, 1, &out, 1, &plan), SATF_OK);
    for (; (name = satf_plan_step(plan, count, &used, sizeof used)); count++) {
        assert_string_equal(used.filter, name);
        assert_non_null(satf_file_step(result->steps, count, &step, sizeof step));
        assert_string_equal(step.filter, name);
        if (way == SATF_ROUTE_WHOLE) {
            assert_string_equal(step.engine, used.engine);
            assert_true(step.algorithm == used.algorithm);
        }
        assert_string_equal(step.device, "cpu");
        assert_true(step.ms > 0);
        ms += step.ms;
    }
    assert_null(satf_file_step(result->steps, count, &used, sizeof used));
    assert_null(used.engine);
    assert_true(ms <= result->times.compute_ms * (way == SATF_ROUTE_ROWS ? 1.001 : 1));
    assert_string_equal(result->engine, step.engine);
    satf_plan_destroy(plan);
    satf_filter_destroy(filter);
}

TEST_ALONE(names_the_steps)
{
    static const struct {
        const char *spec;
        bool by_rows;
        satf_engine engine;
    } cases[] = {
        {"box=5", true, SATF_ENGINE_AUTO},
        {"box=5 flip=h variance=3x7", true, SATF_ENGINE_AUTO},
        {"integral", true, SATF_ENGINE_AUTO},
        {"box=3 guided=4 flip=v", false, SATF_ENGINE_AUTO},
        {"guided=4 box=3", false, SATF_ENGINE_SAT},
        {"box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3 box=3", true,
         SATF_ENGINE_AUTO},
    };
    satf_file_report result;
    write_noise(path("r.pgm"), 97, 61, 1, SATF_U8, 0, 16);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(satf_context_set_engine(ctx, cases[i].engine), SATF_OK);
        for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
            if (way == SATF_ROUTE_WHOLE || cases[i].by_rows) {
                assert_int_equal(run(path("r.pgm"), path("r.npy"), cases[i].spec, SATF_TYPE_AUTO,
                                     way, 2, &result),
                                 SATF_OK);
                check_steps(cases[i].spec, way, &result);
            }
        }
    }
    assert_int_equal(run(path("r.pgm"), path("none/r.npy"), "box=5", SATF_TYPE_AUTO,
                         SATF_ROUTE_WHOLE, 2, &result),
                     SATF_IO);
    assert_null(result.steps);
    assert_null(satf_file_step(result.steps, 0, NULL, 0));
}

/* What the CPU lacks is asked of a device; where none is, the message says why. */
TEST_ALONE(names_the_missing_device)
{
    const char *why;
    satf_file_report result;
    if (satf_gpu_count(&why)) {
        skip();
    }
    write_noise(path("q.pgm"), 40, 30, 1, SATF_U8, 0, 15);
    static const satf_route ways[] = {SATF_ROUTE_AUTO, SATF_ROUTE_WHOLE};
    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_SAT), SATF_OK);
    assert_int_equal(satf_context_set_algorithm(ctx, "lookback"), SATF_OK);
    assert_int_equal(satf_context_set_device(ctx, SATF_DEVICE_AUTO), SATF_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            run(path("q.pgm"), path("none.pgm"), "box=3", SATF_TYPE_AUTO, ways[i], 2, &result),
            SATF_UNSUPPORTED);
        assert_non_null(strstr(satf_message(ctx), "lookback needs a CUDA device"));
        assert_non_null(strstr(satf_message(ctx), why));
    }
}

/* The file's first bytes. */
static void assert_head(const char *name, const char *want, size_t n)
{
    size_t bytes;
    SCOPED unsigned char *file = slurp(name, &bytes);
    assert_true(bytes >= n);
    assert_memory_equal(file, want, n);
}

/* The job with standard output in a file. */
static satf_status run_to_stdout(pipeline_job *job, const char *file, satf_file_report *result)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0 && freopen(file, "wb", stdout));
    job->output = "-";
    satf_status status = pipeline_run(ctx, job, result);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO);
    close(kept);
    return status;
}

TEST_ALONE(input_format_to_stdout)
{
    satf_file_report result;
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, "box=3", &filter), SATF_OK);
    write_noise(path("s.ppm"), 20, 10, 3, SATF_U8, 0, 21);
    write_noise(path("s.jpg"), 20, 10, 3, SATF_U8, 0, 21);
    char out[300];
    snprintf(out, sizeof out, "%s", path("stdout"));
    for (int streamed = 0; streamed < 2; streamed++) {
        pipeline_job job = {.filter = filter,
                            .write = satf_write_defaults(),
                            .route = streamed ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE};
        job.input = path("s.ppm");
        assert_int_equal(run_to_stdout(&job, out, &result), SATF_INVALID);
        job.input_format = true;
        assert_int_equal(run_to_stdout(&job, out, &result), SATF_OK);
        assert_head(out, "P6", 2);
        assert_string_equal(result.out_format, "pnm");
        job.input = path("s.jpg");
        assert_int_equal(run_to_stdout(&job, out, &result), SATF_OK);
        assert_head(out, "\xff\xd8\xff", 3);
        job.write.format = "png";
        assert_int_equal(run_to_stdout(&job, out, &result), SATF_OK);
        assert_head(out, "\x89PNG", 4);
    }
    /* what cannot be written becomes PNG */
    static const unsigned char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0";
    FILE *file = fopen(path("s.bmp"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bmp, 1, sizeof bmp - 1, file), sizeof bmp - 1);
    fclose(file);
    pipeline_job job = {.input = path("s.bmp"),
                        .filter = filter,
                        .write = satf_write_defaults(),
                        .input_format = true};
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    assert_int_equal(run_to_stdout(&job, out, &result), SATF_OK);
    assert_head(out, "\x89PNG", 4);
}

/* The automatic choice says why it took no device. */
TEST_ALONE(tells_why_no_device)
{
    write_noise(path("w.pgm"), 40, 30, 1, SATF_U8, 0, 15);
    assert_int_equal(satf_context_set_device(ctx, SATF_DEVICE_AUTO), SATF_OK);
    for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        assert_int_equal(
            run(path("w.pgm"), path("w2.pgm"), "box=3", SATF_TYPE_AUTO, way, 2, &result), SATF_OK);
        assert_true(result.why_cpu[0] != 0);
        assert_int_equal(ctx->settings.device, SATF_DEVICE_AUTO);
    }
}

/* A device that was chosen is left for the CPU only where that can do what is asked for. */
TEST_ALONE(keeps_to_what_only_a_device_has)
{
    pipeline_plan plan = {.automatic = true};
    const pipeline_job job = {.input = "w.pgm"};
    static const struct {
        const char *algorithm, *sync;
        bool left;
    } cases[] = {
        {"auto", "auto", true},
        {"4r1w", "auto", true},
        {"lookback", "auto", false},
        {"4r1w", "graph", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(satf_context_set_algorithm(ctx, cases[i].algorithm), SATF_OK);
        assert_int_equal(satf_context_set_sync(ctx, cases[i].sync), SATF_OK);
        satf_file_report result = {0};
        plan.device = SATF_CUDA(0);
        satf_fail_memory(ctx, 1, "the image");
        bool left = pipeline_leave_device(ctx, &job, &plan, SATF_NO_MEMORY, &result);
        assert_int_equal(left, cases[i].left);
        assert_int_equal(result.note_count, left);
        assert_true(!left || strstr(result.notes[0].text, "computed on the CPU: out of memory"));
        assert_int_equal(plan.device, cases[i].left ? SATF_HOST : SATF_CUDA(0));
    }
}

TEST_FILE(.shared = true, .context = &ctx, .folder = true)
