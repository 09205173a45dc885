/* A batch: its work is started, its results are told of in order. */
#include "batch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "existing.h"
#include "inputs.h"
#include "joined.h"
#include "options/message.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "workers.h"

/* Notes of a batch by their texts: of those that many inputs share the first are told one by one,
 * and the number of the others at the end. */
enum { NOTE_TEXTS = 16, NOTES_EACH = 3 };
typedef struct told_notes {
    char text[NOTE_TEXTS][sizeof((page_outcome *)NULL)->text];
    int count[NOTE_TEXTS];  /* 0: the text is free */
    bool pages[NOTE_TEXTS]; /* it is about pages of a file */
} told_notes;

/* Counts the note; true if it is to be told. */
static bool is_told(told_notes *told, const char *text, bool of_page)
{
    for (int i = 0; i < NOTE_TEXTS; i++) {
        if (!told->count[i]) {
            snprintf(told->text[i], sizeof told->text[i], "%s", text);
            told->pages[i] = of_page;
        }
        if (strcmp(told->text[i], text) == 0) {
            return ++told->count[i] <= NOTES_EACH;
        }
    }
    return true;
}

/* Those of a file that is damaged always are: they say why the exit status is not 0. */
static void print_notes(const settings *s, told_notes *told, const satf_file_report *result)
{
    for (int i = 0; i < result->note_count && (!s->quiet || result->damaged); i++) {
        char text[sizeof result->notes[i].text];
        memcpy(text, result->notes[i].text, sizeof text);
        name_options(text);
        if (result->damaged || is_told(told, text, false) || s->verbose) {
            message(result->notes[i].at, "%s", text);
        }
    }
}

/* Prints what there is to know of pages, and those that failed. */
static void print_pages(const settings *s, told_notes *told, const outcome *out)
{
    for (const page_outcome *page = out->pages; page; page = page->next) {
        bool always = page->status != SATF_OK || page->damaged;
        if (*page->text &&
            (always || (!s->quiet && (is_told(told, page->text, true) || s->verbose)))) {
            char number[PAGE_BYTES];
            message(page->at, "%s%s", report_page(page, number), page->text);
        }
    }
    int64_t all = out->report.pages + out->report.pages_failed;
    if (out->report.pages_failed && !s->quiet) {
        message(out->report.at, "%lld of %lld pages done", (long long)out->report.pages,
                (long long)all);
    }
}

static void print_other_notes(const settings *s, const told_notes *told)
{
    for (int i = 0; i < NOTE_TEXTS && !s->quiet && !s->verbose; i++) {
        if (told->count[i] > NOTES_EACH) {
            int others = told->count[i] - NOTES_EACH;
            message(NULL, "%d more %s%s: %s", others, told->pages[i] ? "page" : "file",
                    others > 1 ? "s" : "", told->text[i]);
        }
    }
}

/* Options for a format that the output turned out not to have: from standard input to standard
 * output it is known only now. */
static void note_unused(const settings *s, const job *one, const satf_file_report *result)
{
    if (s->write.quality && !s->quiet && s->filters_stdin && strcmp(result->out_format, "jpeg") &&
        strcmp(result->out_format, "webp")) {
        message(one->output, "--quality is for jpeg and webp files; this is %s",
                result->out_format);
    }
    if (s->png_level >= 0 && !s->quiet && s->filters_stdin && strcmp(result->out_format, "png")) {
        message(one->output, "--png-level is for png files; this is %s", result->out_format);
    }
}

/* What the command has to say beyond the library's message. */
static const char *advice(const job *one)
{
    struct stat info;
    bool folder = stat(one->input, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? ", or take the pictures in it and below by -r" : "";
}

/* Tells what became of a job; its exit status. */
static int batch_tell(const settings *s, const job *one, outcome *out, told_notes *told)
{
    const satf_file_report *result = &out->report;
    FILE *json = out->to_stderr ? stderr : stdout;
    if (s->verbose || s->json || s->stats || out->to_stderr) {
        progress_hide();
    }
    if (out->status) {
        const char *at = out->at ? out->at : one->input, *why = out->why;
        message(at, "%s%s", why, advice(one));
        if (s->json) {
            report_json_failure(json, s, one, at, out->status, why);
        }
        return EXIT_FAILURE;
    }
    print_notes(s, told, result);
    print_pages(s, told, out);
    note_unused(s, one, result);
    if (s->verbose) {
        report_verbose(s, one, out);
    }
    if (s->json) {
        report_json(json, s, one, out);
    } else {
        report_stats(one, out);
    }
    return result->pages_failed || result->damaged ? EXIT_SOME : EXIT_SUCCESS;
}

/* A job that was tried and ended with that exit status. */
static void add_job(report_summary *sum, const job *one, const outcome *out, int status)
{
    bool done = status == EXIT_SUCCESS || status == EXIT_SOME;
    stage_times times = report_times(&out->report);
    for (int i = 0; i < STAGES && !out->status; i++) {
        sum->times.ms[i] += times.ms[i];
    }
    sum->done += done;
    sum->incomplete += done && out->report.pages_failed > 0;
    sum->damaged += done && out->report.damaged;
    sum->replaced += done && one->replaces;
    sum->unasked += done && one->unasked;
    sum->failed += !done;
}

/* Tells of a job that is left alone. */
static void tell_left(const settings *s, const job *one, const char *why)
{
    if (s->json) {
        progress_hide();
        report_json_left(satf_is_stdout(one->output) ? stderr : stdout, s, one, why);
    }
}

/* Runs all jobs that are not skipped, as far as there is space, and tells of each in their order.
 * False without memory. */
static bool batch_run_all(const settings *s, job *jobs, int count, report_summary *sum)
{
    told_notes told = {.count = {0}};
    for (int i = 0; i < count; i++) {
        sum->existing += jobs[i].skipped;
    }
    progress_start(count - sum->existing, s->quiet);
    workers *all = workers_start(s, jobs, count);
    for (int i = 0; i < count && all; i++) {
        if (jobs[i].skipped) {
            tell_left(s, &jobs[i], "skipped");
            continue;
        }
        outcome *out = workers_await(all, i);
        if (out->not_tried) {
            sum->not_tried++;
            tell_left(s, &jobs[i], "not_tried");
            continue;
        }
        add_job(sum, &jobs[i], out, batch_tell(s, &jobs[i], out, &told));
        outcome_free(out);
    }
    progress_hide();
    print_other_notes(s, &told);
    if (all) {
        workers_end(all);
    }
    for (int i = count - 1; i >= 0 && sum->failed; i--) {
        outputs_unmake_folders(&jobs[i]);
    }
    return all != NULL;
}

static int status_of(const report_summary *sum)
{
    if (!sum->failed) {
        return sum->inputs->unreadable || sum->incomplete || sum->damaged ? EXIT_SOME
                                                                          : EXIT_SUCCESS;
    }
    return sum->done || sum->existing ? EXIT_SOME : EXIT_FAILURE;
}

/* A terminal by whatever name. Nothing but a device is opened: a pipe's reader would see its end.
 */
static bool is_screen(const char *output)
{
    struct stat info;
    if (satf_is_stdout(output)) {
        return isatty(STDOUT_FILENO);
    }
    if (stat(output, &info) || !S_ISCHR(info.st_mode)) {
        return false;
    }
    int fd = open(output, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool screen = fd >= 0 && isatty(fd);
    if (fd >= 0) {
        close(fd);
    }
    return screen;
}

/* Refuses pictures on a terminal's screen. */
static int check_screen(const settings *s, const job *jobs, int count)
{
    bool to_screen = count == 1 && s->existing != EXISTING_REPLACED && is_screen(jobs[0].output);
    return to_screen ? usage_error(jobs[0].output, "a terminal cannot show a picture; redirect "
                                                   "standard output or name a file")
                     : 0;
}

static int run_jobs(const settings *s, job *jobs, int count, const input_list *inputs)
{
    int status = outputs_name(s, jobs, count);
    status = status ? status : check_screen(s, jobs, count);
    status = status ? status : existing_settle(s, jobs, count);
    if (status) {
        return status;
    }
    report_summary sum = {.inputs = inputs, .count = count};
    if (!batch_run_all(s, jobs, count, &sum)) {
        return EXIT_FAILURE;
    }
    sum.ms = progress_elapsed_ms();
    if (s->json && !outputs_is_file(s)) {
        report_json_summary(stdout, &sum);
    }
    if (count == 1 && sum.unasked && !s->quiet) {
        existing_note(s, &jobs[0]);
    }
    report_closing(s, &sum);
    return status_of(&sum);
}

/* The only input of a command without a batch. */
static int single_input(const settings *s, input_list *all)
{
    *all = (input_list){.at = NULL};
    return inputs_add_single(all, s->sources[0].name);
}

int batch_run(const settings *s)
{
    input_list all;
    job *jobs = NULL;
    bool joins = joined_wanted(s);
    int status = outputs_is_file(s) && !joins ? single_input(s, &all) : inputs_gather(s, &all);
    status = status || !s->first_page || joins ? status
                                               : inputs_split_pages(s, &all, outputs_format_for);
    if (!status) {
        jobs = calloc(1, (size_t)all.count * sizeof *jobs);
        status = jobs ? 0 : out_of_memory();
    }
    for (int i = 0; jobs && i < all.count; i++) {
        jobs[i].input = all.at[i].path;
        jobs[i].name = all.at[i].path + all.at[i].name_at;
        jobs[i].named = all.at[i].named;
        jobs[i].page = all.at[i].page;
        jobs[i].page_digits = all.at[i].page_digits;
    }
    status = status || !joins ? status : joined_make(&jobs[0], &all);
    status = status ? status : run_jobs(s, jobs, joins ? 1 : all.count, &all);
    if (jobs) {
        free((void *)jobs[0].more);
    }
    for (int i = 0; jobs && i < all.count; i++) {
        free(jobs[i].output);
        free(jobs[i].target);
    }
    free(jobs);
    inputs_free(&all);
    return status;
}
