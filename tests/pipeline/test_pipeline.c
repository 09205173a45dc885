/* Jobs from file to file: what they report, how they fail, and where they compute. That routes give
 * the same bytes: test_stream.c. */
#include "test.h"
#include "base/parallel.h"
#include "base/device/gpu.h"
#include "pipeline/job.h"
#include "pipeline_jobs.h"

/* Input and output are one file. */
TEST_ALONE(in_place)
{
    write_noise("i.pgm", 300, 2000, 1, SATF_U8, 0, 9);
    must_run(JOB("i.pgm", "i2.pgm", "box=9", SATF_ROUTE_WHOLE));
    must_run(JOB("i.pgm", "i.pgm", "box=9"));
    assert_true(report.streamed);
    assert_same_file("i.pgm", "i2.pgm", "in place");
}

/* Whichever stage fails, the message is its own and no output appears. */
TEST_ALONE(failures)
{
    write_noise("t.png", 500, 3000, 3, SATF_U8, 0, 11);
    write_noise("u.ppm", 500, 3000, 3, SATF_U8, 0, 12);
    halve("t.png");
    for (int threads = 1; threads <= 3; threads++) {
        must_fail(JOB("t.png", "none.png", "box=9", .threads = threads), SATF_DATA, "");
        assert_string_equal(report.at, "t.png");
        if (access("/dev/full", W_OK) == 0) {
            assert_int_equal(
                run(JOB("u.ppm", "/dev/full", "box=9", .threads = threads, .write.format = "png")),
                SATF_IO);
            assert_string_equal(report.at, "/dev/full");
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
    write_noise("p.pgm", 2000, 3000, 1, SATF_U8, 0, 13);
    satf_context_set_progress(ctx, stop_at_half, NULL);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_fail(JOB("p.pgm", "none.pgm", "box=3", way), SATF_CANCELLED, "");
    }
}

/* A report has the steps that a plan of such images has; by rows there may be other engines. */
static void check_steps(const char *spec, satf_route way)
{
    SCOPED_FILTER *filter;
    SCOPED_PLAN *plan;
    satf_view out;
    satf_used used, step;
    const char *name;
    size_t count = 0;
    double ms = 0;
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    MUST(ctx, satf_filter_output(ctx, filter, &report.in, &out));
    MUST(ctx, satf_plan_create(ctx, filter, &report.in, 1, &out, 1, &plan));
    for (; (name = satf_plan_step(plan, count, &used, sizeof used)); count++) {
        assert_string_equal(used.filter, name);
        assert_non_null(satf_file_step(report.steps, count, &step, sizeof step));
        assert_string_equal(step.filter, name);
        if (way == SATF_ROUTE_WHOLE) {
            assert_string_equal(step.engine, used.engine);
            assert_true(step.algorithm == used.algorithm);
        }
        assert_string_equal(step.device, "cpu");
        assert_true(step.ms > 0);
        ms += step.ms;
    }
    assert_null(satf_file_step(report.steps, count, &used, sizeof used));
    assert_null(used.engine);
    assert_true(ms <= report.times.compute_ms * (way == SATF_ROUTE_ROWS ? 1.001 : 1));
    assert_string_equal(report.engine, step.engine);
    assert_true(report.times.decode_ms > 0 && report.times.encode_ms > 0);
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
    write_noise("r.pgm", 97, 61, 1, SATF_U8, 0, 16);
    for (size_t i = 0; i < COUNT(cases); i++) {
        MUST(ctx, satf_context_set_engine(ctx, cases[i].engine));
        for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
            if (way == SATF_ROUTE_WHOLE || cases[i].by_rows) {
                must_run(JOB("r.pgm", "r.npy", cases[i].spec, way));
                check_steps(cases[i].spec, way);
            }
        }
    }
    must_fail(JOB("r.pgm", "none/r.npy", "box=5", SATF_ROUTE_WHOLE), SATF_IO, "");
    assert_null(report.steps);
    assert_null(satf_file_step(report.steps, 0, NULL, 0));
}

/* What the CPU lacks is asked of a device; where none is, the message says why. */
TEST_ALONE(names_the_missing_device)
{
    const char *why;
    if (satf_gpu_count(&why)) {
        skip();
    }
    write_noise("q.pgm", 40, 30, 1, SATF_U8, 0, 15);
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT));
    MUST(ctx, satf_context_set_algorithm(ctx, "lookback"));
    MUST(ctx, satf_context_set_device(ctx, SATF_DEVICE_AUTO));
    for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_WHOLE; way++) {
        must_fail(JOB("q.pgm", "none.pgm", "box=3", way), SATF_UNSUPPORTED,
                  "lookback needs a CUDA device");
        assert_non_null(strstr(satf_message(ctx), why));
    }
}

/* The job goes well with standard output in a file, which begins like this; NULL: it fails. */
static void check_stdout(const char *in, satf_route way, int input_format, const char *format,
                         const char *head)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0 && freopen("stdout", "wb", stdout));
    satf_status status =
        run(JOB(in, "-", "box=3", way, .how.input_format = input_format, .write.format = format));
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO);
    close(kept);
    assert_int_equal(status, head ? SATF_OK : SATF_INVALID);
    size_t bytes, n = head ? strlen(head) : 0;
    SCOPED unsigned char *file = slurp("stdout", &bytes);
    assert_true(bytes >= n);
    assert_memory_equal(file, head ? head : "", n);
}

TEST_ALONE(input_format_to_stdout)
{
    static const char bmp[] = "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0"
                              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0";
    write_noise("s.ppm", 20, 10, 3, SATF_U8, 0, 21);
    write_noise("s.jpg", 20, 10, 3, SATF_U8, 0, 21);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        check_stdout("s.ppm", way, 0, NULL, NULL);
        check_stdout("s.ppm", way, 1, NULL, "P6");
        assert_string_equal(report.out_format, "pnm");
        check_stdout("s.jpg", way, 1, NULL, "\xff\xd8\xff");
        check_stdout("s.jpg", way, 1, "png", "\x89PNG");
    }
    /* what cannot be written becomes PNG */
    write_bytes("s.bmp", bmp, sizeof bmp - 1);
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    check_stdout("s.bmp", SATF_ROUTE_AUTO, 1, NULL, "\x89PNG");
}

/* The automatic choice says why it took no device. */
TEST_ALONE(tells_why_no_device)
{
    write_noise("w.pgm", 40, 30, 1, SATF_U8, 0, 15);
    MUST(ctx, satf_context_set_device(ctx, SATF_DEVICE_AUTO));
    for (satf_route way = SATF_ROUTE_AUTO; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("w.pgm", "w2.pgm", "box=3", way));
        assert_true(report.why_cpu[0] != 0);
        assert_int_equal(ctx->settings.device, SATF_DEVICE_AUTO);
    }
}

/* A device that was chosen is left for the CPU only where that can do what is asked for. */
TEST_ALONE(keeps_to_what_only_a_device_has)
{
    pipeline_plan plan = {.automatic = true};
    const pipeline_job of = {.input = "w.pgm"};
    static const struct {
        const char *algorithm, *sync;
        bool left;
    } cases[] = {
        {"auto", "auto", true},
        {"4r1w", "auto", true},
        {"lookback", "auto", false},
        {"4r1w", "graph", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        MUST(ctx, satf_context_set_algorithm(ctx, cases[i].algorithm));
        MUST(ctx, satf_context_set_sync(ctx, cases[i].sync));
        satf_file_report result = {0};
        plan.device = SATF_CUDA(0);
        satf_fail_memory(ctx, 1, "the image");
        bool left = pipeline_leave_device(ctx, &of, &plan, SATF_NO_MEMORY, &result);
        assert_int_equal(left, cases[i].left);
        assert_int_equal(result.note_count, left);
        assert_true(!left || strstr(result.notes[0].text, "computed on the CPU: out of memory"));
        assert_int_equal(plan.device, cases[i].left ? SATF_HOST : SATF_CUDA(0));
    }
}

TEST_FILE(.shared = true, .context = &ctx, .folder = true)
