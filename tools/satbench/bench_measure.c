/* Timing a call on the CPU or a device. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/clock.h"
#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/base/parallel.h"
#include "../../src/base/view.h"

#define MAX_TOTAL_MS 3000.0 /* without --repeat no further sample is begun after this */
#define MIN_SAMPLES 3
#define DEFAULT_SAMPLES 15
#define MAX_SAMPLES 1000

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Memory where the measured calls work. */
static satf_status measure_reserve(bench *b, size_t bytes, const char *what, void **memory)
{
    if (b->place != SATF_HOST) {
        return satf_cuda()->alloc(b->ctx, b->place, bytes, what, memory);
    }
    *memory = satf_alloc(bytes);
    return *memory ? SATF_OK : satf_fail_memory(b->ctx, bytes, what);
}

static void measure_give_back(bench *b, void **memory)
{
    if (b->place != SATF_HOST) {
        satf_cuda()->free(b->ctx, *memory);
    } else {
        satf_free(*memory);
    }
    *memory = NULL;
}

void bench_set_place(bench *b, int place)
{
    measure_give_back(b, &b->copy_from);
    measure_give_back(b, &b->copy_to);
    measure_give_back(b, &b->scratch);
    b->copy_bytes = b->scratch_bytes = 0;
    b->place = place;
}

/* Both sides in memory: a page never written is not read. */
static satf_status set_bytes(bench *b, void *memory, int value, size_t bytes)
{
    if (b->place != SATF_HOST) {
        return satf_cuda()->set_bytes(b->ctx, b->place, memory, value, bytes);
    }
    memset(memory, value, bytes);
    return SATF_OK;
}

typedef struct copy_job {
    bench *b;
    size_t bytes, tasks;
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
        memcpy((char *)job->b->copy_to + begin, (const char *)job->b->copy_from + begin,
               left < part ? left : part);
    }
}

static satf_status measure_copy(void *user)
{
    copy_job *job = user;
    bench *b = job->b;
    if (b->place != SATF_HOST) {
        return satf_cuda()->copy_bytes(b->ctx, b->place, b->copy_to, b->copy_from, job->bytes);
    }
    satf_parallel(b->copy_ctx, (int64_t)job->tasks, copy_part, job);
    return SATF_OK;
}

static satf_status reserve_copy(bench *b, size_t bytes)
{
    if (bytes <= b->copy_bytes) {
        return SATF_OK;
    }
    measure_give_back(b, &b->copy_from);
    measure_give_back(b, &b->copy_to);
    b->copy_bytes = 0;
    satf_status status = measure_reserve(b, bytes, "the copy", &b->copy_from);
    if (!status) {
        status = measure_reserve(b, bytes, "the copy", &b->copy_to);
    }
    if (!status) {
        status = set_bytes(b, b->copy_from, 1, bytes);
    }
    if (!status) {
        status = set_bytes(b, b->copy_to, 2, bytes);
    }
    b->copy_bytes = status ? 0 : bytes;
    return status;
}

/* Calls that are measured side by side, and their samples. */
typedef struct subject {
    bench_work *work; /* NULL: there is none */
    void *user;
    int calls; /* a sample */
    double ms[MAX_SAMPLES];
} subject;

/* Milliseconds a call, over s->calls calls. */
static satf_status measure_sample(bench *b, const subject *s, double *ms)
{
    bool device = b->place != SATF_HOST;
    double start = satf_now_ms(), total = 0;
    satf_status status = device ? satf_cuda()->time_begin(b->ctx, b->place) : SATF_OK;
    for (int i = 0; i < s->calls && !status; i++) {
        status = s->work(s->user);
    }
    if (!status && device) {
        status = satf_cuda()->time_end(b->ctx, b->place, &total);
    }
    *ms = (device ? total : satf_now_ms() - start) / s->calls;
    return status;
}

/* Warms up and finds the number of calls that last SATF_SAMPLE_MS. */
static satf_status measure_prepare(bench *b, subject *s)
{
    double ms = 0;
    s->calls = 1;
    satf_status status = s->work ? measure_sample(b, s, &ms) : SATF_OK;
    while (s->work && !status) {
        status = measure_sample(b, s, &ms);
        if (ms * s->calls >= SATF_SAMPLE_MS || s->calls >= 1 << 20) {
            break;
        }
        s->calls *= 2;
    }
    return status;
}

/* Prepares the work, and finds the threads of the CPU that it uses. */
static satf_status prepare_work(bench *b, subject *s, int *threads)
{
    /* The context's pool is made by the first loop that needs several threads:
     * without one the work has none. */
    satf_pool_destroy(b->ctx->pool);
    b->ctx->pool = NULL;
    satf_status status = measure_prepare(b, s);
    *threads = b->place != SATF_HOST ? 0 : b->ctx->pool ? satf_thread_count(b->ctx) : 1;
    return status;
}

enum { WORK, PEER, COPY, COPY_ON_ALL, SUBJECTS };

satf_status bench_measure(bench *b, double bytes, bench_work *work, bench_work *peer, void *user,
                          bench_timing *timing)
{
    static subject subjects[SUBJECTS];
    copy_job job = {.b = b, .bytes = (size_t)(bytes / 2) + 1, .tasks = 1}, on_all = job;
    subjects[WORK] = (subject){.work = work, .user = user};
    subjects[PEER] = (subject){.work = peer, .user = user};
    subjects[COPY] = (subject){.work = measure_copy, .user = &job};
    subjects[COPY_ON_ALL] = (subject){.user = &on_all};
    int samples = b->options.repeat ? b->options.repeat : DEFAULT_SAMPLES, n = 0;
    satf_status status = reserve_copy(b, job.bytes);
    timing->threads = 0;
    if (!status) {
        status = prepare_work(b, &subjects[WORK], &timing->threads);
    }
    if (timing->threads > 1) {
        on_all.tasks = (size_t)timing->threads;
        subjects[COPY_ON_ALL].work = measure_copy;
    }
    for (int i = PEER; i < SUBJECTS && !status; i++) {
        status = measure_prepare(b, &subjects[i]);
    }
    double start = satf_now_ms();
    while (!status && n < samples) {
        if (!b->options.repeat && n >= MIN_SAMPLES && satf_now_ms() - start > MAX_TOTAL_MS) {
            break;
        }
        for (int i = SUBJECTS - 1; i >= 0 && !status; i--) {
            status =
                subjects[i].work ? measure_sample(b, &subjects[i], &subjects[i].ms[n]) : SATF_OK;
        }
        n++;
    }
    if (status) {
        return status;
    }
    timing->ms = bench_median(subjects[WORK].ms, n);
    timing->ms_min = subjects[WORK].ms[0]; /* the median sorted them */
    timing->copy_ms = bench_median(subjects[COPY].ms, n);
    if (subjects[COPY_ON_ALL].work) {
        timing->copy_ms = fmin(timing->copy_ms, bench_median(subjects[COPY_ON_ALL].ms, n));
    }
    timing->x_copy = timing->ms / timing->copy_ms;
    timing->peer_ms = peer ? bench_median(subjects[PEER].ms, n) : (double)NAN;
    return SATF_OK;
}

satf_status bench_hand_scratch(bench *b, size_t bytes)
{
    if (bytes > b->scratch_bytes) {
        measure_give_back(b, &b->scratch);
        b->scratch_bytes = 0;
        satf_status status = measure_reserve(b, bytes, "scratch", &b->scratch);
        if (!status) {
            status = set_bytes(b, b->scratch, 0, bytes);
        }
        if (status) {
            return status;
        }
        b->scratch_bytes = bytes;
    }
    return satf_context_set_scratch(b->ctx, bytes ? b->scratch : NULL, bytes);
}

bool bench_fits(bench *b, const char *what, double bytes)
{
    if (bytes <= (double)b->ctx->settings.max_bytes) {
        return true;
    }
    bench_error(0, "%s: skipped, it needs %.1f GiB of memory and %.1f are allowed", what,
                bytes / 0x1p30, (double)b->ctx->settings.max_bytes / 0x1p30);
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
