/* Printing the report of an input, in words and as JSON. */
#include "report.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "../clean.h"
#include "options/message.h"

#define STAGE_NAME(NAME, name) name,
static const char *const stage_names[STAGES] = {STAGE_LIST(STAGE_NAME)};

stage_times report_times(const satf_file_report *result)
{
    const satf_file_times *t = &result->times;
    return (stage_times){{t->decode_ms, t->compute_ms, t->encode_ms, t->waited_ms}};
}

/* The stage that takes longest. */
static const char *bound(const stage_times *times)
{
    int longest = 0;
    for (int i = 1; i < STAGES; i++) {
        longest = times->ms[i] > times->ms[longest] ? i : longest;
    }
    return stage_names[longest];
}

/* "decode 3.1 ms, compute 2.0 ms, encode 5.2 ms"; waiting only if there was some. */
static void describe_times(const stage_times *times, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < STAGES; i++) {
        if (i != STAGE_WAITING || times->ms[i] >= 0.05) {
            used += (size_t)snprintf(text + used, room - used, "%s%s %.1f ms", i ? ", " : "",
                                     stage_names[i], times->ms[i]);
        }
    }
}

static void report_print_side(const char *name, const char *format, const satf_view *view,
                              int64_t bytes)
{
    print_clean(name, INT_MAX);
    fprintf(stderr, ": %s, %" PRId64 " x %" PRId64 ", %d channel%s of %s", format, view->width,
            view->height, (int)view->channels, view->channels > 1 ? "s" : "",
            satf_type_name(view->type));
    if (bytes > 0) {
        fprintf(stderr, ", %" PRId64 " bytes", bytes);
    }
    fputc('\n', stderr);
}

/* The number of the CUDA device that ran a context that was set to `device`; auto takes the
 * first. */
static int cuda_number(int device)
{
    return device > SATF_HOST ? device - SATF_CUDA(0) : 0;
}

static bool is_cuda(const char *device)
{
    return device && strcmp(device, "cuda") == 0;
}

static void print_step(const satf_used *step, int device)
{
    fprintf(stderr, "    %s: ", step->filter);
    if (step->window_width) {
        fprintf(stderr, "%" PRId64 " x %" PRId64 " pixels, ", step->window_width,
                step->window_height);
    }
    fprintf(stderr, "%s engine%s%s, %s", step->engine, step->algorithm ? ", algorithm " : "",
            step->algorithm ? step->algorithm : "", step->device);
    if (is_cuda(step->device)) {
        fprintf(stderr, ":%d", cuda_number(device));
    }
    if (step->ms >= 0) {
        fprintf(stderr, ", %.1f ms", step->ms);
    }
    fputc('\n', stderr);
}

const char *report_page(const page_outcome *page, char text[PAGE_BYTES])
{
    text[0] = '\0';
    if (page->input_page) {
        snprintf(text, PAGE_BYTES, "page %" PRId64 ": ", page->input_page);
    }
    return text;
}

void report_verbose(const settings *s, const job *one, const outcome *out)
{
    const satf_file_report *result = &out->report;
    const satf_file_times *t = &result->times;
    report_print_side(one->input, result->in_format, &result->in, result->in_bytes);
    if (one->more_count) {
        fprintf(stderr, "  and %zu more input%s\n", one->more_count,
                one->more_count > 1 ? "s" : "");
    }
    fputs("  ", stderr);
    print_clean(s->spec, INT_MAX);
    int threads = satf_context_get_threads(s->ctx);
    fprintf(stderr, ": %d thread%s\n", threads, threads > 1 ? "s" : "");
    for (const satf_used *step = out->steps; step && step->filter; step++) {
        print_step(step, out->device);
    }
    if (result->why_cpu[0]) {
        fprintf(stderr, "  %s\n", result->why_cpu);
    }
    if (result->range_found) {
        fprintf(stderr, "  range %g:%g\n", result->range_lo, result->range_hi);
    }
    char stages[160];
    stage_times times = report_times(result);
    describe_times(&times, stages, sizeof stages);
    fprintf(stderr, "  %s, %s %.1f ms; %s takes longest\n", stages,
            result->streamed ? "side by side" : "in all", t->total_ms, bound(&times));
    report_print_side(one->output, result->out_format, &result->out, result->out_bytes);
}

static void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    while (*text) {
        char shown[CLEAN_BYTES];
        const unsigned char c = (unsigned char)*text;
        int length = clean_next(text, shown);
        if (c == '"' || c == '\\') {
            fprintf(to, "\\%c", c);
        } else if (c < 0x80 && shown[0] == '\\') {
            fprintf(to, "\\u%04x", c);
        } else if (shown[0] == '\\' && shown[1] == 'x') { /* no UTF-8 */
            for (int i = 0; i < length; i++) {
                fputs("\\ufffd", to);
            }
        } else {
            fputs(shown, to); /* itself, or \uXXXX, which is JSON too */
        }
        text += length;
    }
    fputc('"', to);
}

static void json_member(FILE *to, const char *name, const char *value)
{
    fprintf(to, ", \"%s\": ", name);
    if (value) {
        json_string(to, value);
    } else {
        fputs("null", to);
    }
}

/* Members of an object, and the longest's name behind it. */
static void json_times(FILE *to, const char *name, const stage_times *times, double total_ms)
{
    fprintf(to, ", \"%s\": {", name);
    for (int i = 0; i < STAGES; i++) {
        fprintf(to, "%s\"%s\": %.3f", i ? ", " : "", stage_names[i], times->ms[i]);
    }
    if (total_ms >= 0) {
        fprintf(to, ", \"total\": %.3f", total_ms);
    }
    fputc('}', to);
    json_member(to, "bound", bound(times));
}

static void json_used(FILE *to, const char *device, const char *engine, const char *algorithm)
{
    json_member(to, "device", device);
    json_member(to, "engine", engine);
    json_member(to, "algorithm", algorithm);
}

/* One more of a list, which begins so. */
static void json_note(FILE *to, const char *text, bool first)
{
    fputs(first ? ", \"notes\": [" : ", ", to);
    json_string(to, text);
}

/* Notes, and what there is to know of pages. */
static void json_notes(FILE *to, const outcome *out)
{
    const satf_file_report *result = &out->report;
    bool first = true;
    for (int i = 0; i < result->note_count; i++, first = false) {
        char text[sizeof result->notes[i].text];
        memcpy(text, result->notes[i].text, sizeof text);
        json_note(to, name_options(text), first);
    }
    for (const page_outcome *page = out->pages; page; page = page->next) {
        char number[PAGE_BYTES], text[sizeof page->text + PAGE_BYTES + 256];
        if (page->status == SATF_OK && *page->text) {
            snprintf(text, sizeof text, "%.200s%s%s%s", out->joined ? page->at : "",
                     out->joined ? ": " : "", report_page(page, number), page->text);
            json_note(to, text, first);
            first = false;
        }
    }
    fputs(first ? "" : "]", to);
}

static void json_pages(FILE *to, const outcome *out)
{
    const char *before = ", \"pages_failed\": [";
    fprintf(to, ", \"pages\": %" PRId64, out->report.pages);
    for (const page_outcome *page = out->pages; page; page = page->next) {
        if (page->status != SATF_OK) {
            fprintf(to, "%s{\"page\": %" PRId64, before, page->number);
            if (out->joined) {
                json_member(to, "input", page->at);
            }
            json_member(to, "error", page->text);
            json_member(to, "status", satf_status_name(page->status));
            fputc('}', to);
            before = ", ";
        }
    }
    fputs(*before == ',' && before[2] == 0 ? "]" : "", to);
}

static void json_channels(FILE *to, const satf_channel_stats *stats, int channels)
{
    for (int c = 0; c < channels; c++) {
        const satf_channel_stats *s = &stats[c];
        fprintf(to, "%s{\"samples\": %" PRId64, c ? ", " : "[", s->samples);
        if (s->samples) {
            fprintf(to,
                    ", \"least\": %.17g, \"greatest\": %.17g, \"mean\": %.17g, \"deviation\": "
                    "%.17g",
                    s->least, s->greatest, s->mean, s->deviation);
        }
        fputc('}', to);
    }
    fputc(']', to);
}

/* Prints the stats of one picture, or of each page that the output has. */
static void json_stats(FILE *to, const outcome *out)
{
    const char *before = ", \"page_stats\": [";
    if (out->report.stats_channels) {
        fputs(", \"stats\": ", to);
        json_channels(to, out->report.stats, out->report.stats_channels);
    }
    for (const page_outcome *page = out->pages; page; page = page->next) {
        if (page->stats_channels) {
            fprintf(to, "%s{\"page\": %" PRId64 ", \"stats\": ", before, page->number);
            json_channels(to, page->stats, page->stats_channels);
            fputc('}', to);
            before = ", ";
        }
    }
    fputs(*before == ',' && before[2] == 0 ? "]" : "", to);
}

static void tell_channels(const char *output, int64_t page, const satf_channel_stats *stats,
                          int channels)
{
    char of[64] = "";
    for (int c = 0; c < channels; c++) {
        const satf_channel_stats *s = &stats[c];
        size_t used = page ? (size_t)snprintf(of, sizeof of, "page %" PRId64 ": ", page) : 0;
        if (channels > 1) {
            snprintf(of + used, sizeof of - used, "channel %d: ", c + 1);
        }
        if (s->samples) {
            message(output, "%sleast %.10g, greatest %.10g, mean %.10g, deviation %.10g", of,
                    s->least, s->greatest, s->mean, s->deviation);
        } else {
            message(output, "%sno finite sample", of);
        }
    }
}

void report_stats(const job *one, const outcome *out)
{
    tell_channels(one->output, 0, out->report.stats, out->report.stats_channels);
    for (const page_outcome *page = out->pages; page; page = page->next) {
        tell_channels(one->output, page->number, page->stats, page->stats_channels);
    }
}

static void json_steps(FILE *to, const satf_used *steps)
{
    fputs(", \"steps\": [", to);
    for (const satf_used *step = steps; step && step->filter; step++) {
        fputs(step > steps ? ", {\"filter\": " : "{\"filter\": ", to);
        json_string(to, step->filter);
        if (step->window_width) {
            fprintf(to, ", \"window\": [%" PRId64 ", %" PRId64 "]", step->window_width,
                    step->window_height);
        } else {
            fputs(", \"window\": null", to);
        }
        json_used(to, step->device, step->engine, step->algorithm);
        if (step->ms >= 0) {
            fprintf(to, ", \"ms\": %.3f}", step->ms);
        } else {
            fputs(", \"ms\": null}", to);
        }
    }
    fputc(']', to);
}

static void json_start(FILE *to, const settings *s, const job *one)
{
    fputs("{\"program\": \"satfilter\"", to);
    json_member(to, "version", satf_version());
    json_member(to, "input", one->input);
    for (size_t i = 0; i < one->more_count; i++) {
        fputs(i ? ", " : ", \"more_inputs\": [", to);
        json_string(to, one->more[i]);
    }
    fputs(one->more_count ? "]" : "", to);
    json_member(to, "output", one->output);
    json_member(to, "filter", s->spec);
    if (s->region.w) {
        fprintf(to, ", \"region\": [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]",
                s->region.x, s->region.y, s->region.w, s->region.h);
    }
    if (s->mask) {
        json_member(to, "mask", s->mask);
    }
    if (s->weights) {
        json_member(to, "weights", s->weights);
    }
}

void report_json_failure(FILE *to, const settings *s, const job *one, const char *at,
                         satf_status status, const char *why)
{
    json_start(to, s, one);
    json_member(to, "error", why);
    json_member(to, "status", satf_status_name(status));
    json_member(to, "at", at);
    fputs("}\n", to);
}

void report_json_left(FILE *to, const settings *s, const job *one, const char *why)
{
    json_start(to, s, one);
    fprintf(to, ", \"%s\": true}\n", why);
}

void report_json(FILE *to, const settings *s, const job *one, const outcome *out)
{
    const satf_file_report *result = &out->report;
    json_start(to, s, one);
    fprintf(to, ", \"width\": %" PRId64 ", \"height\": %" PRId64 ", \"channels\": %d",
            result->in.width, result->in.height, (int)result->in.channels);
    json_member(to, "input_type", satf_type_name(result->in.type));
    json_member(to, "output_type", satf_type_name(result->out.type));
    fprintf(to, ", \"output_channels\": %d", (int)result->out.channels);
    json_member(to, "input_format", result->in_format);
    json_member(to, "output_format", result->out_format);
    json_used(to, result->device, result->engine, result->algorithm);
    if (is_cuda(result->device)) {
        fprintf(to, ", \"device_number\": %d", cuda_number(out->device));
    }
    json_pages(to, out);
    json_steps(to, out->steps);
    fprintf(to, ", \"threads\": %d, \"input_bytes\": %" PRId64 ", \"output_bytes\": %" PRId64,
            satf_context_get_threads(s->ctx), result->in_bytes, result->out_bytes);
    stage_times times = report_times(result);
    json_times(to, "ms", &times, result->times.total_ms);
    if (result->range_found) {
        fprintf(to, ", \"range\": [%.17g, %.17g]", result->range_lo, result->range_hi);
    }
    json_stats(to, out);
    json_notes(to, out);
    fputs(result->damaged ? ", \"damaged\": true" : "", to);
    fputs(one->replaces ? ", \"replaced\": true}\n" : "}\n", to);
}

void report_json_summary(FILE *to, const report_summary *sum)
{
    const input_list *inputs = sum->inputs;
    fputs("{\"program\": \"satfilter\"", to);
    json_member(to, "version", satf_version());
    fprintf(to,
            ", \"summary\": {\"inputs\": %d, \"done\": %d, \"failed\": %d, \"existing\": %d, "
            "\"replaced\": %d, \"damaged\": %d, \"not_tried\": %d, \"unreadable\": %d, "
            "\"skipped\": %d, \"skipped_suffixes\": [",
            sum->count, sum->done, sum->failed, sum->existing, sum->replaced, sum->damaged,
            sum->not_tried, inputs->unreadable, inputs->skipped);
    for (int i = 0; i < inputs->suffix_count; i++) {
        fputs(i ? ", " : "", to);
        json_string(to, inputs->suffixes[i]);
    }
    fprintf(to, "], \"links\": %d, \"ms\": %.3f", inputs->links, sum->ms);
    json_times(to, "stages", &sum->times, -1);
    fputs("}}\n", to);
}

/* ", 1 existing file replaced, 3 failed, 2 skipped, whose outputs exist" */
static void describe_others(const report_summary *sum, char *text, size_t room)
{
    const struct {
        int count;
        const char *what;
    } parts[] = {
        {sum->incomplete, "without all pages"},
        {sum->damaged, "damaged"},
        {sum->unasked, sum->unasked > 1 ? "existing files replaced" : "existing file replaced"},
        {sum->failed, "failed"},
        {sum->not_tried, "not tried, for there is no space left"},
        {sum->existing, "skipped, whose outputs exist"},
        {sum->inputs->unreadable, "unreadable"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count) {
            used += (size_t)snprintf(text + used, room - used, ", %d %s", parts[i].count,
                                     parts[i].what);
        }
    }
}

void report_closing(const settings *s, const report_summary *sum)
{
    char others[240], skipped[SKIPPED_BYTES];
    describe_others(sum, others, sizeof others);
    if (s->quiet && !sum->existing && !sum->not_tried) {
        return;
    }
    if (sum->count > 1) {
        double seconds = sum->ms / 1e3, rate = sum->done / seconds;
        char speed[32] = ""; /* of less than a second it says nothing */
        if (seconds >= 1) {
            snprintf(speed, sizeof speed, " (%.*f a second)", rate < 10 ? 1 : 0, rate);
        }
        message(NULL, "%d of %d done in %.*f s%s%s", sum->done, sum->count, seconds < 10 ? 2 : 0,
                seconds, speed, others);
    } else if (sum->existing) {
        message(NULL, "nothing to do%s", others);
    }
    if (s->quiet) {
        return;
    }
    if (s->verbose && sum->done > 1) {
        char stages[160];
        describe_times(&sum->times, stages, sizeof stages);
        int threads = satf_context_get_threads(s->ctx);
        message(NULL, "%s on %d thread%s; %s takes longest", stages, threads,
                threads > 1 ? "s" : "", bound(&sum->times));
    }
    inputs_describe_skipped(sum->inputs, skipped, sizeof skipped);
    if (*skipped) {
        message(NULL, "%s", skipped);
    }
}
