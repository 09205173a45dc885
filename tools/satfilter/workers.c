/* The threads of a batch: each takes the next file, and hands on its outcome. */
#include "workers.h"

#include <errno.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "devices.h"
#include "existing.h"
#include "options/message.h"
#include "progress.h"

typedef struct worker {
    workers *all;
    pthread_t thread;
    satf_context *ctx;
    int device;            /* the context's */
    int at;                /* the job that it has taken; -1: none */
    int left;              /* jobs, that one included, when it was taken */
    _Atomic int per_mille; /* done of that job */
} worker;

/* `lock` guards all that changes but per_mille; `changed` says that a job has ended. */
struct workers {
    const settings *s;
    job *jobs;
    int count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int next;           /* the first job that nobody has taken */
    int left;           /* jobs from there on that are to be done */
    int ended;          /* jobs */
    const job *latest;  /* a job whose folder is there, or NULL */
    outcome **outcomes; /* of each job, NULL before it has ended; owned array */
    int worker_count, started;
    worker worker[];
};

/* The outcomes of a job for which there was no memory, and of one that is not tried. */
static outcome no_memory = {.status = SATF_NO_MEMORY, .why = "out of memory"};
static outcome not_tried = {.status = SATF_IO, .not_tried = true};

void outcome_free(outcome *one)
{
    if (one != &no_memory && one != &not_tried) {
        for (page_outcome *page = one->pages, *next; page; page = next) {
            next = page->next;
            free(page);
        }
        free(one->text);
        free(one->steps);
        free(one);
    }
}

static void worker_keep_text(outcome *out, const char *text)
{
    out->text = strdup(text);
    out->why = out->text ? name_options(out->text) : no_memory.why;
}

/* ------------------------------------------------------------------ one job */

static int worker_take_progress(void *user, double done)
{
    worker *w = user;
    atomic_store_explicit(&w->per_mille, (int)(1000 * done), memory_order_relaxed);
    return 0;
}

/* The steps are the context's: it forgets them with the next file. */
static void worker_keep_steps(outcome *out)
{
    size_t count = 0;
    while (satf_file_step(out->report.steps, count, NULL, 0)) {
        count++;
    }
    out->steps = calloc(count + 1, sizeof *out->steps);
    for (size_t i = 0; out->steps && i < count; i++) {
        satf_file_step(out->report.steps, i, &out->steps[i], sizeof *out->steps);
    }
}

/* NULL without memory. */
static page_outcome *keep_page(outcome *out, int64_t number, satf_status status, const char *at,
                               const satf_file_report *report, const char *text)
{
    page_outcome *page = calloc(1, sizeof *page);
    if (page) {
        page->number = number;
        page->input_page = report->input_page;
        page->status = status;
        page->at = out->joined ? report->input : at;
        snprintf(page->text, sizeof page->text, "%s", text);
        name_options(page->text);
        out->pages_end = out->pages ? out->pages_end : &out->pages;
        *out->pages_end = page;
        out->pages_end = &page->next;
    }
    return page;
}

static int worker_take_page(void *user, int64_t number, satf_status status, const char *why,
                            const satf_file_report *report, size_t report_bytes)
{
    outcome *out = user;
    (void)report_bytes; /* the command and its library are of one version */
    if (status) {
        keep_page(out, number, status, report->at, report, why);
    }
    for (int i = 0; i < report->note_count && !status; i++) {
        page_outcome *page =
            keep_page(out, number, SATF_OK, report->notes[i].at, report, report->notes[i].text);
        if (page) {
            page->damaged = report->damaged != 0;
        }
    }
    page_outcome *page =
        report->stats_channels ? keep_page(out, number, status, report->at, report, "") : NULL;
    if (page) {
        memcpy(page->stats, report->stats, sizeof page->stats);
        page->stats_channels = report->stats_channels;
    }
    return 0;
}

static void worker_filter(worker *w, const job *one, outcome *out)
{
    const settings *s = w->all->s;
    satf_write_options write = s->write;
    satf_file_options how;
    satf_file_options_init(&how, sizeof how);
    how.write = &write;
    how.route = s->route;
    how.input_format = s->filters_stdin;
    how.files = w->left;
    how.first_page = one->page ? one->page : s->first_page;
    how.last_page = one->page ? one->page : s->last_page;
    how.page_done = worker_take_page;
    how.page_user = out;
    how.stats = s->stats;
    how.dpi = s->dpi;
    how.linear = s->linear;
    how.region = s->region.w ? &s->region : NULL;
    how.mask = satf_image_view(s->mask_image);
    how.ignore_nodata = s->ignores_nodata;
    how.more_inputs = one->more;
    how.more_count = one->more_count;
    out->joined = one->more_count > 0;
    write.format = write.format ? write.format : one->format;
    write.no_clobber =
        s->existing == EXISTING_KEPT; /* what has appeared since they were looked for */
    atomic_store_explicit(&w->per_mille, 0, memory_order_relaxed);
    satf_context_set_progress(w->ctx, worker_take_progress, w);
    out->status = satf_filter_file(w->ctx, s->filter, one->input, one->output, &how, &out->report,
                                   sizeof out->report);
    out->at = out->report.at;
    out->device = w->device;
    if (out->status) {
        worker_keep_text(out, satf_message(w->ctx));
    } else {
        worker_keep_steps(out);
    }
}

/* ----------------------------------------------------------------- taking jobs */

static bool same_folder(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    size_t length = slash_a ? (size_t)(slash_a - a) : 0;
    return length == (slash_b ? (size_t)(slash_b - b) : 0) && strncmp(a, b, length) == 0;
}

/* With the lock held: sees to the job's output and its folder. False if it has failed already. */
static bool worker_prepare(workers *all, job *one, outcome *out)
{
    char why[2 * PATH_MAX];
    out->to_stderr = satf_is_stdout(one->output); /* asked before the output is replaced */
    if (outputs_collide(all->s, one, why, sizeof why)) {
        out->status = SATF_INVALID;
        out->at = one->input;
    } else if (one->unasked && !one->in_place &&
               existing_is_foreign(all->s, one, why, sizeof why)) {
        out->status = SATF_IO;
        out->at = one->output;
    } else if (!all->latest || !same_folder(all->latest->output, one->output)) {
        all->latest = NULL;
        if (all->s->output && !outputs_make_folders(one, why, sizeof why)) {
            out->status = SATF_IO;
            out->at = one->output;
            out->report.no_space = errno == ENOSPC || errno == EDQUOT;
        } else {
            satf_files_sweep(one->output);
        }
    }
    if (out->status) {
        worker_keep_text(out, why);
        return false;
    }
    all->latest = one;
    return true;
}

/* With the lock held: whether the worker's job must wait for one before it: to read what that
 * writes, or to have its name refused as a folder's. */
static bool must_wait(const worker *w)
{
    const workers *all = w->all;
    const job *one = &all->jobs[w->at];
    bool there = access(one->input, F_OK) == 0;
    for (const worker *o = all->worker; o < all->worker + all->worker_count; o++) {
        if (o->at < 0 || o->at >= w->at) {
            continue;
        }
        const char *before = all->jobs[o->at].target;
        size_t length = strlen(before);
        if (!there || (strncmp(before, one->target, length) == 0 && one->target[length] == '/')) {
            return true;
        }
    }
    return false;
}

/* The file system that the output is on, or will be. */
static bool find_disk(const job *one, dev_t *disk)
{
    struct stat info;
    char *place = strdup(one->target);
    bool found = place && stat(place, &info) == 0;
    for (bool more = place && !found; more;) {
        char *slash = strrchr(place, '/');
        more = slash && slash != place;
        if (slash) {
            slash[slash == place] = '\0'; /* "/name" lies in "/" */
            found = stat(place, &info) == 0;
            more = more && !found;
        }
    }
    free(place);
    *disk = found ? info.st_dev : 0;
    return found;
}

/* With the lock held: that job has found its output's file system full. Those behind it that go to
 * the same one would fail in the same way, each after all of its work. */
static void pass_over_disk(workers *all, const job *full)
{
    dev_t disk, other;
    if (!find_disk(full, &disk)) {
        return;
    }
    for (job *one = all->jobs + all->next; one < all->jobs + all->count; one++) {
        one->no_space = one->no_space || (find_disk(one, &other) && other == disk);
    }
}

/* With the lock held: the worker's job has ended. */
static void end_job(worker *w, outcome *out)
{
    if (out->report.no_space) {
        pass_over_disk(w->all, &w->all->jobs[w->at]);
    }
    w->all->outcomes[w->at] = out;
    w->all->ended++;
    w->at = -1;
    pthread_cond_broadcast(&w->all->changed);
}

/* With the lock held: the worker takes the next job that has not failed before any work on it.
 * What is to become of that, or NULL if there is none. */
static outcome *worker_take(worker *w)
{
    workers *all = w->all;
    while (all->next < all->count) {
        job *one = &all->jobs[all->next++];
        if (one->skipped) {
            continue;
        }
        w->at = (int)(one - all->jobs);
        w->left = all->left--;
        while (must_wait(w)) {
            pthread_cond_wait(&all->changed, &all->lock);
        }
        if (one->no_space) {
            end_job(w, &not_tried);
            continue;
        }
        outcome *out = calloc(1, sizeof *out);
        if (out && worker_prepare(all, one, out)) {
            return out;
        }
        end_job(w, out ? out : &no_memory);
    }
    return NULL;
}

static void *worker_work(void *argument)
{
    worker *w = argument;
    workers *all = w->all;
    outcome *out;
    pthread_mutex_lock(&all->lock);
    while ((out = worker_take(w))) {
        const job *one = &all->jobs[w->at];
        pthread_mutex_unlock(&all->lock);
        worker_filter(w, one, out);
        pthread_mutex_lock(&all->lock);
        end_job(w, out);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* ------------------------------------------------------------------ the whole */

/* At most so many of what takes `each` of a resource of which `others` are needed as well. */
static int worker_at_most(int most, int resource, rlim_t each, rlim_t others)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY) {
        return most;
    }
    rlim_t fit = limit.rlim_cur > others ? (limit.rlim_cur - others) / each : 0;
    return fit < (rlim_t)most ? (int)fit : most;
}

/* How many of so many files are worked on side by side: those that wait for a device are beside
 * those that keep the processor busy. */
static int files_at_once(const settings *s, int left)
{
    enum { OPEN_EACH = 4, OPEN_OTHERS = 32 };      /* files that are open at once */
    const rlim_t addresses_each = (rlim_t)1 << 30; /* stacks, and what malloc() reserves for them */
    enum { WAITING = 2 };                          /* for each device */
    int most = satf_context_get_threads(s->ctx);
    most += devices_named(s) ? WAITING * s->device_count : 0;
    most = most < left ? most : left;
    most = worker_at_most(most, RLIMIT_NOFILE, OPEN_EACH, OPEN_OTHERS);
    most = worker_at_most(most, RLIMIT_AS, addresses_each, 0);
    return most < 1 ? 1 : most;
}

/* Contexts of their own for all but the first, on the devices in turn. */
static void make_contexts(workers *all, int most)
{
    const settings *s = all->s;
    all->worker[0].ctx = s->ctx;
    all->worker_count = 1;
    while (all->worker_count < most &&
           !satf_context_share(s->ctx, &all->worker[all->worker_count].ctx)) {
        worker *made = &all->worker[all->worker_count];
        satf_context_set_device(made->ctx, s->devices[all->worker_count % s->device_count]);
        all->worker_count++;
    }
    for (int i = 0; i < all->worker_count; i++) {
        all->worker[i].all = all;
        all->worker[i].device = s->devices[i % s->device_count];
        all->worker[i].at = -1;
    }
}

/* Signals that end the process go to the thread that prints: so nothing is told meanwhile of files
 * that fail because their temporary ones are removed. That of a file too large is its writer's. */
static void start_threads(workers *all)
{
    sigset_t others, before;
    sigemptyset(&others);
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        sigaddset(&others, deadly[i]);
    }
    pthread_sigmask(SIG_BLOCK, &others, &before);
    while (all->started < all->worker_count &&
           !pthread_create(&all->worker[all->started].thread, NULL, worker_work,
                           &all->worker[all->started])) {
        all->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Files take the same memory one after another. The C library is to keep it meanwhile: to give it
 * back, and to touch it again, is a fifth of the time of a JPEG, and threads wait for one another
 * there. Who sets a limit of memory gets back what is free, and so does a single file, whose pages
 * may be many and large. */
static void keep_memory(const settings *s, int count)
{
#ifdef __GLIBC__
    struct rlimit limit;
    bool plenty = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
    if (count == 1) {
        mallopt(M_MMAP_THRESHOLD, 1 << 20); /* it would grow by itself */
    } else if (plenty && s->limits[SATF_LIMIT_MEMORY] == 0) {
        mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that it takes */
        mallopt(M_TRIM_THRESHOLD, 64 << 20);
    }
#else
    (void)s, (void)count;
#endif
}

workers *workers_start(const settings *s, job *jobs, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        left += !jobs[i].skipped;
    }
    int most = files_at_once(s, left);
    workers *all = calloc(1, sizeof *all + (size_t)most * sizeof *all->worker);
    outcome **outcomes = calloc((size_t)count, sizeof(outcome *));
    if (!all || !outcomes) {
        free(all);
        free(outcomes);
        out_of_memory();
        return NULL;
    }
    all->s = s;
    all->jobs = jobs;
    all->count = count;
    all->left = left;
    all->outcomes = outcomes;
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, &steady);
    pthread_condattr_destroy(&steady);
    keep_memory(s, count);
    make_contexts(all, most);
    start_threads(all);
    if (all->started == 0) {
        worker_work(&all->worker[0]); /* where no thread is to be had, this one works */
    }
    return all;
}

/* With the lock held, which is let go meanwhile: shows how far the job is that is waited for, and
 * waits a while for it. */
static void worker_wait_a_while(workers *all, int index)
{
    int per_mille = 0, ended = all->ended;
    for (int i = 0; i < all->worker_count; i++) {
        const worker *w = &all->worker[i];
        per_mille =
            w->at == index ? atomic_load_explicit(&w->per_mille, memory_order_relaxed) : per_mille;
    }
    pthread_mutex_unlock(&all->lock);
    progress_file(all->jobs[index].input, ended);
    progress_show(NULL, per_mille / 1000.0);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const long tenth = 100000000, second = 10 * tenth;
    until.tv_nsec += tenth;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    pthread_mutex_lock(&all->lock);
    if (!all->outcomes[index]) {
        pthread_cond_timedwait(&all->changed, &all->lock, &until);
    }
}

outcome *workers_await(workers *all, int index)
{
    pthread_mutex_lock(&all->lock);
    while (!all->outcomes[index]) {
        worker_wait_a_while(all, index);
    }
    pthread_mutex_unlock(&all->lock);
    return all->outcomes[index];
}

void workers_end(workers *all)
{
    for (int i = 0; i < all->started; i++) {
        pthread_join(all->worker[i].thread, NULL);
    }
    for (int i = 1; i < all->worker_count; i++) {
        satf_context_destroy(all->worker[i].ctx);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all->outcomes);
    free(all);
}
