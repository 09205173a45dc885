/* The workers that filter pages side by side, and the order in which pages are reported. */
#include "pages.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/share.h"
#include "inputs.h"

/* What became of a page that has not been told of. */
typedef struct page_slot {
    bool ended;
    satf_status status;
    char why[SATF_MESSAGE_BYTES];
    satf_file_report report;
} page_slot;

struct page_run;

typedef struct page_worker {
    struct page_run *run;
    pthread_t thread;
    satf_context *ctx; /* owned */
    io_reader *reader;
    const pipeline_input *input; /* of several, that it has open */
    _Atomic int per_mille;       /* done of its page */
} page_worker;

/* `lock` guards what changes but per_mille and `stopped`; `changed` says that a page has ended, or
 * that one has been told of. Workers are no further than the slots ahead of what has been told. */
typedef struct page_run {
    const pipeline_job *job;
    pipeline_filter *filter;
    io_pages *pages;
    int64_t count, next, told;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Atomic bool stopped;
    page_slot *slots;
    int slot_count;
    page_worker *workers;
    int worker_count, started;
    satf_file_steps *steps; /* of the first page, owned; NULL: it has failed */
    satf_context *hub;      /* what the workers' contexts stand beside, if it was made for them */
} page_run;

/* ------------------------------------------------------------------- which pages */

satf_status pipeline_count_pages(satf_context *ctx, pipeline_job *job, const io_reader *reader,
                                 int64_t *count)
{
    const io_format *to = pipeline_output_format(job);
    bool holds = to && to->holds_pages;
    int64_t first = job->options.first_page, last = job->options.last_page;
    bool stack = holds && reader->axes.count > 0 && (first == 0 || last < 0); /* of one, may be */
    *count = 0;
    if (first == 0) {
        first = 1;
        last = holds ? reader->pages : 1;
    } else {
        last = last < 0 ? reader->pages : last == 0 ? first : last;
    }
    if (first > reader->pages || last > reader->pages) {
        return satf_fail(ctx, SATF_INVALID, "has no page %" PRId64 "; it holds %" PRId64,
                         first > reader->pages ? first : last, reader->pages);
    }
    if (last > first && !holds) {
        return satf_fail(ctx, SATF_INVALID,
                         "holds %" PRId64 " pages, and %s one; write .tif, or a file a page",
                         reader->pages, to ? to->name : "the output");
    }
    if (last > first || stack) {
        *count = last - first + 1;
        job->options.first_page = first;
        job->options.last_page = last;
    }
    return SATF_OK;
}

/* ---------------------------------------------------------------------- a worker */

static int pages_take_progress(void *user, double done)
{
    page_worker *w = user;
    atomic_store_explicit(&w->per_mille, (int)(1000 * done), memory_order_relaxed);
    return atomic_load_explicit(&w->run->stopped, memory_order_relaxed);
}

/* A report's steps are the context's: those of the first page are the whole's. */
static void pages_keep_steps(page_run *run, int64_t k, page_slot *slot)
{
    const satf_file_steps *steps = slot->report.steps;
    if (k == 0 && !slot->status && steps) {
        size_t bytes = pipeline_steps_bytes(steps->count);
        run->steps = satf_alloc(bytes);
        if (run->steps) {
            memcpy(run->steps, steps, bytes);
            satf_disown(run->steps);
        }
    }
    slot->report.steps = NULL;
}

/* The job becomes that of its page's own file, which the worker opens unless it has. */
static satf_status open_input(page_worker *w, pipeline_job *job, satf_file_report *report)
{
    const pipeline_input *input = pipeline_input_of(job, job->number);
    satf_status status = SATF_OK;
    job->input = input->path;
    job->page =
        (job->options.first_page ? job->options.first_page - 1 : 0) + job->number - input->first;
    if (w->input == input) {
        return SATF_OK;
    }
    io_close(w->reader);
    w->reader = NULL;
    w->input = NULL;
    *report = (satf_file_report){.at = job->input};
    struct satf_budget *before = satf_memory_begin(w->ctx);
    status = io_open_file(w->ctx, job->input, NULL, &w->reader);
    status = satf_memory_end(w->ctx, before, status);
    w->input = status ? NULL : input;
    return status;
}

static void filter_page(page_worker *w, int64_t k, page_slot *slot)
{
    page_run *run = w->run;
    pipeline_job job = *run->job;
    job.pages = run->pages;
    job.number = k;
    job.page = job.options.first_page - 1 + k;
    job.options.files = most(job.options.files, 1) * run->count; /* a device starts once for all */
    satf_context_set_progress(w->ctx, pages_take_progress, w);
    slot->status = job.inputs ? open_input(w, &job, &slot->report) : SATF_OK;
    job.file = w->reader;
    slot->status = slot->status ? slot->status : run->filter(w->ctx, &job, &slot->report);
    slot->report.input = job.input;
    slot->report.input_page =
        job.inputs && pipeline_input_of(&job, k)->pages == 1 ? 0 : job.page + 1;
    pages_keep_steps(run, k, slot);
    if (slot->status) {
        snprintf(slot->why, sizeof slot->why, "%s", satf_message(w->ctx));
        io_pages_pass(w->ctx, run->pages, k);
    }
}

/* With the lock held: the next page, or -1 if there is none any more. */
static int64_t pages_take_page(page_run *run)
{
    while (run->next < run->count && run->next >= run->told + run->slot_count && !run->stopped) {
        pthread_cond_wait(&run->changed, &run->lock);
    }
    return run->next < run->count && !run->stopped ? run->next++ : -1;
}

static void *pages_work(void *argument)
{
    page_worker *w = argument;
    page_run *run = w->run;
    pthread_mutex_lock(&run->lock);
    for (int64_t k; (k = pages_take_page(run)) >= 0;) {
        pthread_mutex_unlock(&run->lock);
        page_slot *slot = &run->slots[k % run->slot_count];
        filter_page(w, k, slot);
        pthread_mutex_lock(&run->lock);
        slot->ended = true;
        atomic_store_explicit(&w->per_mille, 0, memory_order_relaxed);
        pthread_cond_broadcast(&run->changed);
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* ------------------------------------------------------------------- the workers */

/* Pages side by side keep the threads busy that other files leave. */
static int pages_at_once(const satf_context *ctx, const pipeline_job *job, const io_reader *reader,
                         int64_t count)
{
    int64_t threads = ctx->settings.threads, files = most(job->options.files, 1);
    int64_t share = files < threads ? threads / files : 1;
    return !reader || reader->pages_apart ? (int)least(share, count) : 1;
}

/* A worker's context and reader. */
static satf_status make_worker(satf_context *ctx, page_run *run, io_reader *reader, page_worker *w)
{
    w->run = run;
    if ((!ctx->share && !run->hub && satf_context_create_like(ctx, &run->hub)) ||
        satf_context_share(ctx->share ? ctx : run->hub, &w->ctx)) {
        return satf_fail_memory(ctx, sizeof *ctx, "another context");
    }
    w->reader = reader && reader->pages_apart ? NULL : reader;
    satf_status status = w->reader || !reader ? SATF_OK : io_open_beside(ctx, reader, &w->reader);
    if (!status && w->reader) {
        w->reader->pads_alpha = reader->pads_alpha;
    }
    return status;
}

static void free_worker(page_worker *w, const io_reader *reader)
{
    if (w->reader != reader) {
        io_close(w->reader);
    }
    satf_context_destroy(w->ctx);
}

/* Starts as many workers as there is memory for; at least one. */
static satf_status make_workers(satf_context *ctx, page_run *run, io_reader *reader)
{
    int most = pages_at_once(ctx, run->job, reader, run->count);
    run->slot_count = 2 * most;
    run->workers = satf_alloc_zeroed((size_t)most * sizeof *run->workers);
    run->slots = satf_alloc_zeroed((size_t)run->slot_count * sizeof *run->slots);
    if (!run->workers || !run->slots) {
        return satf_fail_memory(ctx, (size_t)run->slot_count * sizeof *run->slots,
                                "pages side by side");
    }
    satf_status status = SATF_OK;
    while (run->worker_count < most && !status) {
        page_worker *w = &run->workers[run->worker_count];
        status = make_worker(ctx, run, reader, w);
        if (status) {
            free_worker(w, reader);
        } else {
            run->worker_count++;
        }
    }
    return run->worker_count ? SATF_OK : status;
}

static void start_workers(page_run *run)
{
    while (run->started < run->worker_count &&
           !pthread_create(&run->workers[run->started].thread, NULL, pages_work,
                           &run->workers[run->started])) {
        run->started++;
    }
}

static void stop_workers(page_run *run)
{
    pthread_mutex_lock(&run->lock);
    atomic_store(&run->stopped, true);
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    for (int i = 0; i < run->started; i++) {
        pthread_join(run->workers[i].thread, NULL);
    }
}

/* ----------------------------------------------------------------- in their order */

/* With the lock held: waits a while for a page to end. */
static void pages_wait_a_while(page_run *run)
{
    struct timespec until;
    const long pause = 50000000, second = 1000000000;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += pause;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    pthread_cond_timedwait(&run->changed, &run->lock, &until);
}

static satf_status report_progress(satf_context *ctx, const page_run *run)
{
    double done = (double)run->told;
    for (int i = 0; i < run->worker_count; i++) {
        done += atomic_load_explicit(&run->workers[i].per_mille, memory_order_relaxed) / 1000.0;
    }
    return satf_report_progress(ctx, done / (double)run->count);
}

/* Waits for the next page to be told of. */
static satf_status await_page(satf_context *ctx, page_run *run, page_slot *slot)
{
    satf_status status = SATF_OK;
    pthread_mutex_lock(&run->lock);
    while (!slot->ended && !status) {
        pages_wait_a_while(run);
        pthread_mutex_unlock(&run->lock);
        status = report_progress(ctx, run);
        pthread_mutex_lock(&run->lock);
    }
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* May the others go on without a page that has failed so? */
static bool is_of_the_page(const pipeline_job *job, const page_slot *slot)
{
    satf_status status = slot->status;
    bool unread = job->inputs && status == SATF_IO && slot->report.at == slot->report.input;
    return unread || status == SATF_DATA || status == SATF_UNSUPPORTED || status == SATF_LIMIT ||
           status == SATF_INVALID;
}

/* The whole's report, of a page's. */
static void add_report(satf_file_report *result, const satf_file_report *page, int64_t number,
                       bool told)
{
    satf_file_times *sum = &result->times;
    sum->decode_ms += page->times.decode_ms;
    sum->compute_ms += page->times.compute_ms;
    sum->encode_ms += page->times.encode_ms;
    result->damaged |= page->damaged;
    if (result->pages++ == 0) {
        result->in = page->in;
        result->out = page->out;
        result->in_format = page->in_format;
        result->out_format = page->out_format;
        result->engine = page->engine;
        result->algorithm = page->algorithm;
        result->device = page->device;
        result->streamed = page->streamed;
        memcpy(result->why_cpu, page->why_cpu, sizeof result->why_cpu);
    }
    for (int i = 0; i < page->note_count && !told; i++) {
        pipeline_note_add(result, page->notes[i].at, "page %" PRId64 ": %s", number,
                          page->notes[i].text);
    }
}

/* Tells of a page, and whether the rest goes on. */
static satf_status pages_tell(satf_context *ctx, const pipeline_job *job, const page_slot *slot,
                              int64_t number, satf_file_report *result)
{
    bool stop = slot->status && !is_of_the_page(job, slot);
    if (!stop && job->options.page_done) {
        stop = job->options.page_done(job->options.page_user, number, slot->status, slot->why,
                                      &slot->report, sizeof slot->report);
    } else if (slot->status) {
        stop = true;
    }
    if (slot->status && stop) {
        result->at = slot->report.at;
        return satf_fail(ctx, slot->status, "page %" PRId64 ": %s", number, slot->why);
    }
    if (stop) {
        return satf_fail(ctx, SATF_CANCELLED, "stopped on request");
    }
    if (slot->status) {
        result->pages_failed++;
    } else {
        add_report(result, &slot->report, number, job->options.page_done != NULL);
    }
    return SATF_OK;
}

/* Tells of all pages, in their order. */
static satf_status tell_all(satf_context *ctx, page_run *run, satf_file_report *result)
{
    char first_why[SATF_MESSAGE_BYTES];
    satf_status status = SATF_OK, first = SATF_OK;
    for (int64_t k = 0; k < run->count && !status; k++) {
        page_slot *slot = &run->slots[k % run->slot_count];
        status = await_page(ctx, run, slot);
        int64_t number = run->job->inputs ? k + 1 : run->job->options.first_page + k;
        status = status ? status : pages_tell(ctx, run->job, slot, number, result);
        if (!status && slot->status && !first) {
            first = slot->status;
            memcpy(first_why, slot->why, sizeof first_why);
            result->at = slot->report.at;
        }
        pthread_mutex_lock(&run->lock);
        memset(slot, 0, sizeof *slot);
        run->told = k + 1;
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->lock);
    }
    if (!status && result->pages == 0) {
        return satf_fail(ctx, first, "no page can be filtered; the first one: %s", first_why);
    }
    return status;
}

static satf_status pages_run_all(satf_context *ctx, page_run *run, satf_file_report *result)
{
    start_workers(run);
    if (run->started == 0) {
        return satf_fail(ctx, SATF_NO_MEMORY, "no thread could be started for the pages");
    }
    satf_status status = tell_all(ctx, run, result);
    stop_workers(run);
    return status;
}

satf_status pipeline_pages(satf_context *ctx, const pipeline_job *job, io_reader *reader,
                           int64_t count, pipeline_filter *filter, pipeline_phase *progress,
                           satf_file_report *result)
{
    page_run run = {.job = job, .filter = filter, .count = count};
    pipeline_output output = {.file = NULL};
    const io_format *format;
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);
    pipeline_phase_begin(ctx, progress, 1);
    result->at = job->output;
    satf_status status = io_format_load(ctx, pipeline_output_format(job), &format);
    if (!status && reader && format->pages_alike && reader->axes.count == 0) {
        status = io_find_alpha(ctx, reader, job->options.first_page - 1, count);
    }
    status = status ? status : pipeline_output_open(ctx, job, &output, result);
    if (!status) {
        status = io_pages_open(ctx, format, io_output_file(output.file),
                               reader && count == reader->pages ? &reader->axes : NULL, count,
                               &run.pages);
    }
    status = status ? status : make_workers(ctx, &run, reader);
    if (!status) {
        satf_share_forgo(ctx); /* what the reader holds counts against the call's limit alone */
        satf_share_pause(ctx);
        result->at = job->input;
        status = pages_run_all(ctx, &run, result);
        satf_share_resume(ctx);
    }
    if (!status) {
        result->at = job->output;
        status = io_pages_finish(ctx, run.pages);
        result->out_bytes = run.pages->bytes;
    }
    if (!status && run.steps) {
        satf_file_steps *steps;
        status = pipeline_make_steps(ctx, run.steps->count, &steps);
        if (!status) {
            memcpy(steps, run.steps, pipeline_steps_bytes(steps->count));
            pipeline_report_steps(result, steps);
        }
    }
    status = pipeline_output_end(ctx, job, &output, status, result);
    for (int i = 0; i < run.worker_count; i++) {
        free_worker(&run.workers[i], reader);
    }
    satf_context_destroy(run.hub);
    io_pages_close(run.pages);
    satf_free(run.steps);
    satf_free(run.workers);
    satf_free(run.slots);
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    return status;
}
