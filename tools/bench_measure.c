#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/base/memory.h"
#include "../src/base/parallel.h"
#include "../src/base/view.h"

#define MIN_SAMPLE_MS 2.0   /* a sample repeats short calls this long */
#define MAX_TOTAL_MS 3000.0 /* without --repeat no further sample is begun after this */
#define MIN_SAMPLES 3
#define DEFAULT_SAMPLES 15
#define MAX_SAMPLES 1000
#define MAX_COPIES 2

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

typedef struct copy_job {
    char *to;
    const char *from;
    size_t bytes, tasks;
    satf_context *ctx;
} copy_job;

static void copy_part(void *user, int64_t task, int thread)
{
    (void)thread;
    const copy_job *job = user;
    /* Parts begin on pages, so that no two threads write to the same one. */
    size_t part = (job->bytes / job->tasks + 4095) & ~(size_t)4095;
    size_t begin = (size_t)task * part;
    if (begin < job->bytes) {
        size_t left = job->bytes - begin;
        memcpy(job->to + begin, job->from + begin, left < part ? left : part);
    }
}

static satf_status copy(void *user)
{
    copy_job *job = user;
    satf_parallel(job->ctx, (int64_t)job->tasks, copy_part, job);
    return SATF_OK;
}

/* Milliseconds a call, over `calls` calls. */
static satf_status sample(satf_status (*work)(void *user), void *user, int calls, double *ms)
{
    double start = now_ms();
    for (int i = 0; i < calls; i++) {
        satf_status status = work(user);
        if (status != SATF_OK) {
            return status;
        }
    }
    *ms = (now_ms() - start) / calls;
    return SATF_OK;
}

/* Warms up; the number of calls that last MIN_SAMPLE_MS. */
static satf_status calls_a_sample(satf_status (*work)(void *user), void *user, int *calls)
{
    double ms;
    satf_status status = sample(work, user, 1, &ms);
    for (*calls = 1; status == SATF_OK; *calls *= 2) {
        status = sample(work, user, *calls, &ms);
        if (ms * *calls >= MIN_SAMPLE_MS || *calls >= 1 << 20) {
            break;
        }
    }
    return status;
}

static satf_status reserve_copy(bench *b, size_t bytes)
{
    if (bytes <= b->copy_bytes) {
        return SATF_OK;
    }
    satf_free(b->copy_from);
    satf_free(b->copy_to);
    b->copy_bytes = 0;
    b->copy_from = satf_alloc(bytes);
    b->copy_to = satf_alloc(bytes);
    if (!b->copy_from || !b->copy_to) {
        return satf_fail_memory(b->ctx, 2 * bytes, "the copy");
    }
    memset(b->copy_from, 1, bytes); /* both in memory: a page never written is not read */
    memset(b->copy_to, 2, bytes);
    b->copy_bytes = bytes;
    return SATF_OK;
}

/* Warms up work(); the threads that it uses. */
static satf_status warm_up(bench *b, satf_status (*work)(void *user), void *user, int *calls,
                           int *threads)
{
    /* The context's pool is made by the first loop that needs several threads:
     * without one the work has none. */
    satf_pool_destroy(b->ctx->pool);
    b->ctx->pool = NULL;
    satf_status status = calls_a_sample(work, user, calls);
    *threads = b->ctx->pool ? satf_thread_count(b->ctx) : 1;
    return status;
}

satf_status bench_measure(bench *b, double bytes, satf_status (*work)(void *user), void *user,
                          bench_timing *timing)
{
    double work_ms[MAX_SAMPLES], copy_ms[MAX_COPIES][MAX_SAMPLES];
    int samples = b->options.repeat ? b->options.repeat : DEFAULT_SAMPLES;
    copy_job job = {.bytes = (size_t)(bytes / 2) + 1, .ctx = b->copy_ctx};
    satf_status status = reserve_copy(b, job.bytes);
    if (status != SATF_OK) {
        return status;
    }
    job.from = b->copy_from;
    job.to = b->copy_to;
    int work_calls, copy_calls[MAX_COPIES], copies, n = 0;
    status = warm_up(b, work, user, &work_calls, &timing->threads);
    copies = timing->threads > 1 ? 2 : 1;
    copy_job jobs[MAX_COPIES] = {job, job};
    jobs[0].tasks = 1;
    jobs[1].tasks = (size_t)timing->threads;
    for (int k = 0; k < copies && status == SATF_OK; k++) {
        status = calls_a_sample(copy, &jobs[k], &copy_calls[k]);
    }
    double start = now_ms();
    while (status == SATF_OK && n < samples) {
        if (!b->options.repeat && n >= MIN_SAMPLES && now_ms() - start > MAX_TOTAL_MS) {
            break;
        }
        status = sample(work, user, work_calls, &work_ms[n]);
        for (int k = 0; k < copies; k++) {
            sample(copy, &jobs[k], copy_calls[k], &copy_ms[k][n]);
        }
        n++;
    }
    if (status != SATF_OK) {
        return status;
    }
    timing->ms = median(work_ms, n);
    timing->ms_min = work_ms[0]; /* the median sorted them */
    timing->copy_ms = median(copy_ms[0], n);
    if (copies > 1) {
        timing->copy_ms = fmin(timing->copy_ms, median(copy_ms[1], n));
    }
    timing->x_copy = timing->ms / timing->copy_ms;
    return SATF_OK;
}

satf_status bench_hand_scratch(bench *b, size_t bytes)
{
    if (bytes > b->scratch_bytes) {
        satf_free(b->scratch);
        b->scratch = satf_alloc_zeroed(bytes);
        b->scratch_bytes = b->scratch ? bytes : 0;
        if (!b->scratch) {
            return satf_fail_memory(b->ctx, bytes, "scratch");
        }
    }
    return satf_context_set_scratch(b->ctx, bytes ? b->scratch : NULL, bytes);
}

bool bench_fits(bench *b, const char *what, double bytes)
{
    if (bytes <= (double)b->ctx->max_bytes) {
        return true;
    }
    bench_error(0, "%s: skipped, it needs %.1f GiB of memory and %.1f are allowed", what,
                bytes / 0x1p30, (double)b->ctx->max_bytes / 0x1p30);
    return false;
}

satf_status bench_allocate(bench *b, satf_view *in, satf_view *out)
{
    satf_view *views[2] = {in, out};
    for (int i = 0; i < 2; i++) {
        satf_status status = satf_check_view(b->ctx, views[i], i ? "output" : "input", false);
        if (status != SATF_OK) {
            return status;
        }
    }
    size_t in_bytes = (size_t)(in->stride * in->height);
    size_t out_bytes = (size_t)(out->stride * out->height);
    in->data = satf_alloc(in_bytes);
    out->data = satf_alloc(out_bytes);
    if (!in->data || !out->data) {
        bench_release(in, out);
        return satf_fail_memory(b->ctx, in_bytes + out_bytes, "the images");
    }
    bench_fill(in);
    memset(out->data, 0xa5, out_bytes);
    return SATF_OK;
}

void bench_release(satf_view *in, satf_view *out)
{
    satf_free(in->data);
    satf_free(out->data);
    in->data = out->data = NULL;
}
