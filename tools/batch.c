#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/base/memory.h"
#include "../src/io/io.h"
#include "../src/pipeline/pipeline.h"
#include "inputs.h"
#include "message.h"
#include "report.h"

/* Batches of more inputs end with a list of those that failed. */
enum { LISTED_FROM = 10 };

typedef struct job {
    const char *input;
    const char *name; /* what the output in a directory is named by: the end of input */
    char *output;     /* owned in a batch */
    dev_t device;     /* of the input, if it exists */
    ino_t file;
    int made;                  /* folders of output that this job has made */
    char *failed_at, *failure; /* owned: file and message; NULL unless it failed */
} job;

/* ---------------------------------------------------------- names of outputs */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The output's name in the directory: see the help of -o. NULL without memory. */
static char *output_in_directory(const settings *s, const char *relative)
{
    const char *base = base_name(relative);
    const io_format *own = io_format_by_suffix(base);
    const char *dot = own ? strrchr(base, '.') : NULL;
    size_t stem = dot ? (size_t)(dot - base) : strlen(base);

    const char *suffix = "png";
    size_t suffix_length = 3;
    if (s->write.format) {
        /* The first suffix of the format, unless the input's is one of it already. */
        const io_format *format = io_format_find(s->write.format);
        suffix = own == format ? dot + 1 : format->suffixes;
        suffix_length = strcspn(suffix, " ");
    } else if (own && own->create) {
        suffix = dot + 1;
        suffix_length = strlen(suffix);
    }
    stem += (size_t)(base - relative);
    size_t bytes = strlen(s->directory) + stem + suffix_length + 3;
    char *name = satf_alloc(bytes);
    if (name) {
        snprintf(name, bytes, "%s/%.*s.%.*s", s->directory, (int)stem, relative, (int)suffix_length,
                 suffix);
    }
    return name;
}

static int compare_outputs(const void *a, const void *b)
{
    return strcmp((*(job *const *)a)->output, (*(job *const *)b)->output);
}

/* Refuses two inputs for one output. */
static int check_distinct(job *jobs, int count)
{
    job **sorted = satf_alloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        message(NULL, "out of memory");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++) {
        sorted[i] = &jobs[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_outputs);
    int status = 0;
    for (int i = 1; i < count && !status; i++) {
        if (strcmp(sorted[i - 1]->output, sorted[i]->output) == 0) {
            status = usage_error(sorted[i]->output,
                                 "would be the output of both %s and %s; filter "
                                 "them into different directories",
                                 sorted[i - 1]->input, sorted[i]->input);
        }
    }
    satf_free(sorted);
    return status;
}

static int compare_files(const void *a, const void *b)
{
    const job *x = *(job *const *)a, *y = *(job *const *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return x->file < y->file ? -1 : x->file > y->file;
}

/* Refuses outputs that are inputs: running the same batch again would filter twice. */
static int check_not_inputs(job *jobs, int count)
{
    job **sorted = satf_alloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        message(NULL, "out of memory");
        return EXIT_FAILURE;
    }
    size_t inputs = 0;
    struct stat info;
    for (int i = 0; i < count; i++) {
        if (stat(jobs[i].input, &info) == 0) {
            jobs[i].device = info.st_dev;
            jobs[i].file = info.st_ino;
            sorted[inputs++] = &jobs[i];
        }
    }
    qsort(sorted, inputs, sizeof *sorted, compare_files);
    int status = 0;
    for (int i = 0; i < count && !status; i++) {
        if (stat(jobs[i].output, &info) == 0) {
            job key = {.device = info.st_dev, .file = info.st_ino}, *key_at = &key;
            if (bsearch(&key_at, sorted, inputs, sizeof *sorted, compare_files)) {
                status = usage_error(jobs[i].output, "the output would replace an input; name "
                                                     "another directory with -o");
            }
        }
    }
    satf_free(sorted);
    return status;
}

/* Refuses samples (--type) that the output's format cannot hold. */
static int check_type(const settings *s, const char *output)
{
    const io_format *format = s->write.format            ? io_format_find(s->write.format)
                              : strcmp(output, "-") == 0 ? io_format_find("png")
                                                         : io_format_by_suffix(output);
    if (s->write.type != SATF_TYPE_AUTO && format &&
        io_check_type(s->ctx, format, (satf_type)s->write.type)) {
        return usage_error(output, "%s (--type)", satf_message(s->ctx));
    }
    return 0;
}

/* Refuses a single output whose format cannot be known. */
static int check_single_output(const settings *s, const char *output)
{
    struct stat info;
    if (strcmp(output, "-") && stat(output, &info) == 0 && S_ISDIR(info.st_mode)) {
        return usage_error(output, "is a directory; to write into it use -o");
    }
    if (s->write.format || strcmp(output, "-") == 0) {
        return check_type(s, output);
    }
    const io_format *format = io_format_by_suffix(output);
    if (!format) {
        return usage_error(output, "the suffix names no format; use one of --list, or --format");
    }
    if (!format->create) {
        return usage_error(output, "%s can only be read; use another suffix, or --format",
                           format->name);
    }
    return check_type(s, output);
}

static int name_outputs(const settings *s, job *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(jobs[i].input, "-") == 0) {
            return usage_error("-",
                               "standard input gives an output in %s no name; give the output "
                               "in place of -o",
                               s->directory);
        }
        jobs[i].output = output_in_directory(s, jobs[i].name);
        if (!jobs[i].output) {
            message(NULL, "out of memory");
            return EXIT_FAILURE;
        }
        int status = check_type(s, jobs[i].output);
        if (status) {
            return status;
        }
    }
    int status = check_distinct(jobs, count);
    return status ? status : check_not_inputs(jobs, count);
}

/* --------------------------------------------------------------------- runs */

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = satf_alloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static int fail_job(job *one, const char *at, const char *text)
{
    message(at, "%s", text);
    one->failed_at = copy_text(at);
    one->failure = copy_text(text);
    return EXIT_FAILURE;
}

/* Runs one job and reports on it. */
static int run_one(const settings *s, job *one, int index, int count)
{
    pipeline_job work = {one->input, one->output, s->filter, s->write, s->path, false};
    bool to_stdout = io_output_is_stdout(one->output); /* asked before it is replaced */
    if (strcmp(one->output, "-") == 0 && !work.write.format) {
        work.write.format = "png";
    }
    if (!s->quiet) {
        progress_begin(one->input, index, count);
        satf_context_set_progress(s->ctx, progress_show, NULL);
    }
    pipeline_result result;
    satf_status status = pipeline_run(s->ctx, &work, &result);
    progress_end();
    if (status) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", satf_message(s->ctx),
                 result.unsuited ? "; put --integral last" : "");
        fail_job(one, result.at, text);
    } else if (s->verbose) {
        report_verbose(s, &work, &result);
    }
    if (s->json) {
        report_json(to_stdout ? stderr : stdout, s, &work, &result, status);
    }
    return !status ? EXIT_SUCCESS : result.unsuited ? EXIT_USAGE : EXIT_FAILURE;
}

static bool same_folder(const char *a, const char *b)
{
    size_t length = (size_t)(base_name(a) - a);
    return length == (size_t)(base_name(b) - b) && strncmp(a, b, length) == 0;
}

/* Makes the folders of the output that are missing below the directory. */
static int make_folders(const settings *s, job *one)
{
    char *slash = one->output + strlen(s->directory);
    while ((slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        bool made = mkdir(one->output, 0777) == 0;
        int error = errno;
        one->made += made;
        if (!made && error != EEXIST) {
            char text[256];
            snprintf(text, sizeof text, "cannot be created: %s", strerror(error));
            int status = fail_job(one, one->output, text);
            *slash = '/';
            return status;
        }
        *slash = '/';
    }
    return EXIT_SUCCESS;
}

/* Removes the folders that a job has made, but for those with something in them. */
static void remove_folders(job *one)
{
    for (char *slash; one->made > 0; one->made--) {
        slash = strrchr(one->output, '/');
        *slash = '\0';
        rmdir(one->output);
    }
}

static void list_failures(const job *jobs, int count, int failed)
{
    char subject[64];
    snprintf(subject, sizeof subject, "%d of %d inputs failed", failed, count);
    message(NULL, "%s:", subject);
    for (int i = 0; i < count; i++) {
        if (jobs[i].failed_at && jobs[i].failure) {
            message(jobs[i].failed_at, "%s", jobs[i].failure);
        }
    }
}

static int run_all(const settings *s, job *jobs, int count)
{
    int failed = 0, unsuited = 0;
    for (int i = 0; i < count; i++) {
        int status = 0;
        if (i == 0 || !same_folder(jobs[i - 1].output, jobs[i].output)) {
            status = s->directory ? make_folders(s, &jobs[i]) : 0;
            io_output_sweep(jobs[i].output);
        }
        status = status ? status : run_one(s, &jobs[i], i, count);
        failed += status != EXIT_SUCCESS;
        unsuited += status == EXIT_USAGE;
    }
    for (int i = count - 1; i >= 0 && failed; i--) {
        remove_folders(&jobs[i]);
    }
    if (failed && count > LISTED_FROM) {
        list_failures(jobs, count, failed);
    }
    return !failed             ? EXIT_SUCCESS
           : unsuited == count ? EXIT_USAGE
           : failed == count   ? EXIT_FAILURE
                               : EXIT_SOME;
}

static int run_in_directory(const settings *s, job *jobs, int count)
{
    int status = name_outputs(s, jobs, count);
    if (status) {
        return status;
    }
    bool created = mkdir(s->directory, 0777) == 0;
    struct stat info;
    if (!created && errno != EEXIST) {
        message(s->directory, "cannot be created: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    if (stat(s->directory, &info) || !S_ISDIR(info.st_mode)) {
        message(s->directory, "is not a directory");
        return EXIT_FAILURE;
    }
    status = run_all(s, jobs, count);
    if (created && (status == EXIT_FAILURE || status == EXIT_USAGE)) {
        rmdir(s->directory);
    }
    return status;
}

static int run_batch(const settings *s)
{
    input_list all;
    job *jobs = NULL;
    int status = inputs_gather(s, &all);
    if (!status) {
        jobs = satf_alloc_zeroed((size_t)all.count * sizeof *jobs);
        if (!jobs) {
            message(NULL, "out of memory");
            status = EXIT_FAILURE;
        }
    }
    for (int i = 0; jobs && i < all.count; i++) {
        jobs[i].input = all.at[i].path;
        jobs[i].name = all.at[i].path + all.at[i].name_at;
    }
    status = status ? status : run_in_directory(s, jobs, all.count);
    for (int i = 0; jobs && i < all.count; i++) {
        satf_free(jobs[i].output);
        satf_free(jobs[i].failed_at);
        satf_free(jobs[i].failure);
    }
    satf_free(jobs);
    inputs_free(&all);
    return status;
}

int batch_run(const settings *s)
{
    if (s->directory) {
        return run_batch(s);
    }
    const char *output = s->sources[1].name;
    int status = check_single_output(s, output);
    if (status) {
        return status;
    }
    job one = {.input = s->sources[0].name, .output = (char *)output};
    status = run_all(s, &one, 1);
    satf_free(one.failed_at);
    satf_free(one.failure);
    return status;
}
