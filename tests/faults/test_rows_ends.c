/* Rows pushed and pulled: progress, cancelling, closing in the middle, refusals, wrong use, and
 * allocations that fail. */
#include "test.h"
#include "rows_images.h"

#include <sys/wait.h>

#include "every_fault.h"

TEST(closed_in_the_middle)
{
    satf_view in = noise(30001, 60, 1, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=5 variance=3x9 integral");
    satf_view out = room_for(ctx, filter, &in);
    for (int64_t stop = 0; stop <= 60; stop += 3) {
        satf_rows *rows;
        int64_t pushed = 0, moved;
        satf_context_set_threads(ctx, 1 + (int)stop % 4);
        assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
        while (pushed < stop) {
            int64_t n = any(NULL, 1, stop - pushed);
            MUST(ctx, satf_rows_push(rows, satf_row(&in, pushed), in.stride, n, &moved));
            pushed += moved;
            if (moved < n || stop % 2) {
                assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 5, &moved), SATF_OK);
            }
        }
        satf_rows_close(rows);
    }
    satf_rows_close(NULL);
    free(in.data);
    free(out.data);
}

typedef struct watched {
    double latest, stop;
    int calls;
} watched;

static int watch(void *user, double done)
{
    watched *w = user;
    assert_true(done > w->latest && done <= 1);
    w->latest = done;
    w->calls++;
    return done >= w->stop;
}

/* Rises to 1, also with other calls in between; a cancelled picture stays cancelled. */
TEST(progress)
{
    satf_view in = noise(2001, 200, 1, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=5 box=3");
    satf_view out = room_for(ctx, filter, &in), small = satf_view_packed(in.data, 9, 9, 1, SATF_U8);
    for (int cancels = 0; cancels < 2; cancels++) {
        watched w = {-1, cancels ? 0.3 : 2, 0};
        satf_rows *rows;
        int64_t pushed = 0, pulled = 0, moved;
        satf_status status = satf_rows_open(ctx, filter, &in, &out, &rows);
        while (!status && pulled < 200) {
            int64_t n = 200 - pushed < 7 ? 200 - pushed : 7;
            uint32_t sums[81];
            satf_view table = satf_view_packed(sums, 9, 9, 1, SATF_U32);
            satf_context_set_progress(ctx, watch, &w);
            status = satf_rows_push(rows, satf_row(&in, pushed), in.stride, n, &moved);
            pushed += moved;
            if (!status) {
                status = satf_rows_push(rows, NULL, 0, 0, &moved); /* nothing new to report */
            }
            if (!status) {
                status =
                    satf_rows_pull(rows, satf_row(&out, pulled), out.stride, 200 - pulled, &moved);
                pulled += moved;
            }
            satf_context_set_progress(ctx, NULL, NULL);
            assert_int_equal(satf_sat(ctx, &small, &table, 0), SATF_OK);
        }
        assert_int_equal(status, cancels ? SATF_CANCELLED : SATF_OK);
        assert_true(w.calls > 10 && (cancels ? w.latest < 0.4 : w.latest == 1));
        for (int i = 0; i < 2 && cancels; i++) {
            satf_sat(ctx, NULL, NULL, 0); /* another message */
            assert_int_equal(satf_rows_push(rows, in.data, in.stride, 1, &moved), SATF_CANCELLED);
            assert_int_equal(moved, 0);
            assert_string_equal(satf_message(ctx), "stopped on request");
            assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 1, &moved), SATF_CANCELLED);
            assert_int_equal(moved, 0);
        }
        satf_rows_close(rows);
    }
    free(in.data);
    free(out.data);
}

#ifdef REAL
/* A picture pushed and a result pulled, from the creation of the context on. */
static satf_status flow_once(const char *spec, const satf_view *in, const satf_view *out)
{
    satf_context *ctx;
    satf_filter *filter = NULL;
    satf_rows *rows = NULL;
    satf_status status = satf_context_create(&ctx);
    if (status) {
        return status;
    }
    satf_context_set_threads(ctx, 3);
    status = satf_filter_parse(ctx, spec, &filter);
    status = status ? status : satf_rows_open(ctx, filter, in, out, &rows);
    for (int64_t pushed = 0, pulled = 0, n; !status && pulled < out->height; pulled += n) {
        /* all memory has been taken by now */
        assert_int_equal(satf_rows_push(rows, in->height > pushed ? satf_row(in, pushed) : NULL,
                                        in->stride, in->height - pushed, &n),
                         SATF_OK);
        pushed += n;
        assert_int_equal(
            satf_rows_pull(rows, satf_row(out, pulled), out->stride, out->height - pulled, &n),
            SATF_OK);
    }
    satf_rows_close(rows);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return status;
}
#endif

/* Each in turn fails, or all from it on: then opening does, nothing is left, nothing is pulled. */
TEST(allocations_fail)
{
#ifdef REAL
    static const char *const specs[] = {"box=5", "sauvola=3 box=1x40,border=shrink flip=h"};
    satf_view in = noise(2501, 47, 3, SATF_U8), out = image(2501, 47, 3, SATF_U32); /* in strips */
    size_t bytes = (size_t)(out.stride * out.height);
    void *right = malloc(bytes);
    for (size_t k = 0; k < 2; k++) {
        out.channels = k ? 1 : 3;
        memset(out.data, 0, bytes);
        assert_int_equal(flow_once(specs[k], &in, &out), SATF_OK);
        memcpy(right, out.data, bytes);
        EVERY_FAULT(f)
        {
            satf_status status;
            memset(out.data, 0, bytes);
            f.all = f.n % 2 == 0;
            WITH_FAULT(&f, status, flow_once(specs[k], &in, &out));
            assert_int_equal(f.live, 0);
            assert_int_equal(status, f.n <= f.count ? SATF_NO_MEMORY : SATF_OK);
            assert_true(status || memcmp(out.data, right, bytes) == 0);
        }
    }
    free(right);
    free(in.data);
    free(out.data);
#else
    skip();
#endif
}

/* ---------------------------------------------------------------- refusals */

static void refused(satf_context *ctx, const char *spec, satf_status wanted, const char *says)
{
    satf_view in = satf_view_packed(NULL, 300, 200, 1, SATF_U8), out;
    SCOPED_FILTER *filter = parse(ctx, spec);
    satf_rows *rows = (satf_rows *)&in;
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), wanted);
    assert_null(rows);
    if (!strstr(satf_message(ctx), says)) {
        fail_msg("%s: \"%s\"", spec, satf_message(ctx));
    }
}

TEST(refusals)
{
    refused(ctx, "wolf=15", SATF_UNSUPPORTED, "cannot go by rows: wolf looks at the whole picture");
    refused(ctx, "box=3 transpose", SATF_UNSUPPORTED, "transpose ");
    refused(ctx, "guided=9,border=wrap", SATF_UNSUPPORTED,
            "guided needs the whole picture for border wrap in several steps");
    refused(ctx, "box=3 box=5,border=wrap", SATF_UNSUPPORTED,
            "box needs the last rows of the picture first, for border wrap");
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    refused(ctx, "box=3", SATF_UNSUPPORTED, "box needs the whole picture on the SAT engine");
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 200000);
    refused(ctx, "box=3 box=3 box=3 box=3", SATF_LIMIT, "limit: max-memory");
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
}

TEST(wrong_use)
{
    satf_view in = noise(300, 20, 3, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=3");
    satf_view out = room_for(ctx, filter, &in), odd = out;
    satf_rows *rows;
    int64_t n;
    assert_int_equal(satf_rows_open(NULL, filter, &in, &out, &rows), SATF_INVALID);
    assert_int_equal(satf_rows_open(ctx, NULL, &in, &out, &rows), SATF_INVALID);
    assert_int_equal(satf_rows_open(ctx, filter, NULL, &out, &rows), SATF_INVALID);
    assert_int_equal(satf_rows_open(ctx, filter, &in, NULL, &rows), SATF_INVALID);
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, NULL), SATF_INVALID);
    odd.height--;
    assert_int_equal(satf_rows_open(ctx, filter, &in, &odd, &rows), SATF_INVALID);
    odd = in;
    odd.device = out.device = SATF_CUDA(0);
    assert_int_equal(satf_rows_open(ctx, filter, &odd, &out, &rows), SATF_INVALID);
    out.device = SATF_HOST;
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
    satf_used used;
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.engine, "window");
    assert_string_equal(used.device, "cpu");
    assert_int_equal(satf_rows_push(NULL, in.data, in.stride, 1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 1, NULL), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, NULL, in.stride, 1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, -1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, in.data, 899, 2, &n), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, in.data, -899, 2, &n), SATF_INVALID);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 21, &n), SATF_INVALID);
    assert_string_equal(satf_message(ctx), "21 rows are pushed; 20 of the picture are left");
    assert_int_equal(satf_rows_pull(NULL, out.data, out.stride, 1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 1, NULL), SATF_INVALID);
    assert_int_equal(satf_rows_pull(rows, NULL, out.stride, 1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, -1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_pull(rows, out.data, 3, 20, &n), SATF_INVALID);
    /* nothing of it has done harm */
    assert_int_equal(satf_rows_push(rows, NULL, 0, 0, &n), SATF_OK);
    assert_int_equal(satf_rows_push(rows, in.data, 0, 1, &n), SATF_OK);
    assert_int_equal(satf_rows_push(rows, satf_row(&in, 1), in.stride, 19, &n), SATF_OK);
    assert_int_equal(n, 19);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 1, &n), SATF_INVALID);
    assert_int_equal(satf_rows_pull(rows, NULL, 0, 0, &n), SATF_OK);
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 100, &n), SATF_OK);
    assert_int_equal(n, 20);
    satf_rows_close(rows);
    free(in.data);
    free(out.data);
}

/* The thread sanitizer would refuse threads behind a fork(). */
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* A child has rows of its own, and may close its parent's. */
TEST(after_fork)
{
    satf_view in = noise(300, 20, 1, SATF_U8);
    SCOPED_FILTER *filter = parse(ctx, "box=3 box=5");
    satf_view out = room_for(ctx, filter, &in);
    satf_rows *rows;
    int64_t n;
    assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_OK);
    assert_int_equal(satf_rows_push(rows, in.data, in.stride, 9, &n), SATF_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool right = satf_rows_push(rows, in.data, in.stride, 1, &n) == SATF_INVALID &&
                     satf_rows_pull(rows, out.data, out.stride, 1, &n) == SATF_INVALID;
        satf_rows_close(rows);
        right = right && satf_rows_open(ctx, filter, &in, &out, &rows) == SATF_OK &&
                satf_rows_push(rows, in.data, in.stride, 20, &n) == SATF_OK &&
                satf_rows_pull(rows, out.data, out.stride, 20, &n) == SATF_OK && n == 20;
        satf_rows_close(rows);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(satf_rows_push(rows, satf_row(&in, 9), in.stride, 11, &n), SATF_OK);
    assert_int_equal(satf_rows_pull(rows, out.data, out.stride, 20, &n), SATF_OK);
    assert_int_equal(n, 20);
    satf_rows_close(rows);
    free(in.data);
    free(out.data);
}
