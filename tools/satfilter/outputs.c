/* Naming outputs, and refusing names that clash. */
#include "outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "joined.h"
#include "options/message.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool outputs_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool outputs_exists(const char *output)
{
    struct stat info;
    return strcmp(output, "-") && stat(output, &info) == 0 && S_ISREG(info.st_mode);
}

/* ----------------------------------------------------------------- naming */

bool outputs_is_file(const settings *s)
{
    bool one = s->source_count == 1 && s->file_count == 1;
    return !s->output || joined_wanted(s) || (one && target_kind_of(s) != TARGET_FOLDER);
}

/* The suffix, and its length, that --format gives an output: its word if that is a suffix of the
 * format beside its name ("pgm"), else the usual one, or the input's own if that means the same. */
static const char *suffix_of_format(const char *word, const char *own, size_t *length)
{
    satf_format_info format;
    satf_format_find(word, &format, sizeof format);
    bool is_name = strcasecmp(word, format.name) == 0;
    bool same = own && satf_format_find(own, NULL, 0) == format.name;
    const char *suffix = !is_name ? word : same ? own : format.suffixes;
    *length = strcspn(suffix, " ");
    return suffix;
}

/* Takes out what makes different names of one path: "a//b" and "a/./b" are "a/b". */
static void tidy(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        if (at[0] == '/' && at[1] == '/') {
            at++;
        } else if (at[0] == '/' && at[1] == '.' && at[2] == '/') {
            at += 2;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

/* The filter of a word over a window of a pixel; NULL if it has none. */
static satf_filter *smallest_filter(satf_context *ctx, const filter_word *word)
{
    satf_param_info param;
    satf_filter *filter = NULL;
    const char *comma = word->value ? strchr(word->value, ',') : NULL;
    char *spec;
    if (asprintf(&spec, "%s=1%s", word->name, comma ? comma : "") < 0) {
        return NULL;
    }
    satf_filter_parse(ctx, spec, &filter);
    free(spec);
    for (size_t k = 0; filter && satf_filter_param(word->name, k, &param, sizeof param); k++) {
        if (word->flags >> k & 1) {
            satf_filter_set(ctx, filter, param.name, "on");
        }
    }
    return filter;
}

/* Is what the chain makes black and white, a bit a pixel? Of floats, whose levels may be any
 * numbers, only such a filter makes bytes, and those behind it that move pixels leave them as they
 * are. A type or a range asks for grey. */
static bool is_black_and_white(const settings *s)
{
    satf_filter_info info;
    satf_view samples = satf_view_packed(NULL, 1, 1, 1, SATF_F32), made = samples;
    int last = s->word_count - 1;
    while (last > 0 && satf_filter_find(s->words[last].name, &info, sizeof info) &&
           info.kind == SATF_FILTER_MOVE) {
        last--;
    }
    satf_filter *filter = last >= 0 ? smallest_filter(s->ctx, &s->words[last]) : NULL;
    if (filter) {
        satf_filter_output(s->ctx, filter, &samples, &made);
        satf_filter_destroy(filter);
    }
    bool grey = s->write.type != SATF_TYPE_AUTO || s->write.has_range || s->write.auto_range;
    return made.type == SATF_U8 && !grey;
}

static bool output_is_jpeg(const char *format)
{
    return format && strcmp(format, "jpeg") == 0;
}

/* The output's name in the folder of -o: see the help of -o. sharp: it is no JPEG by itself. NULL
 * without memory. */
static char *name_in_folder(const settings *s, const char *relative, bool sharp)
{
    const char *base = base_name(relative);
    satf_format_info own;
    const char *dot = satf_format_of_path(base, &own, sizeof own) ? strrchr(base, '.') : NULL;
    size_t stem = dot ? (size_t)(dot - base) : strlen(base);

    const char *suffix = "png";
    size_t suffix_length = 3;
    if (s->write.format) {
        suffix = suffix_of_format(s->write.format, dot ? dot + 1 : NULL, &suffix_length);
    } else if (dot && own.can_write && !(sharp && output_is_jpeg(own.name))) {
        suffix = dot + 1;
        suffix_length = strlen(suffix);
    }
    stem += (size_t)(base - relative);
    size_t folder = strlen(s->output);
    while (folder > 1 && s->output[folder - 1] == '/') {
        folder--;
    }
    const char *slash = s->output[folder - 1] == '/' ? "" : "/";
    char *name;
    if (asprintf(&name, "%.*s%s%.*s.%.*s", (int)folder, s->output, slash, (int)stem, relative,
                 (int)suffix_length, suffix) < 0) {
        return NULL;
    }
    tidy(name + folder + strlen(slash) - 1); /* from the folder's last byte on */
    return name;
}

/* The name with "-0007" of the job's page in front of its suffix; frees it. NULL stays NULL. */
static char *name_page(const job *one, char *name)
{
    if (!name || !one->page) {
        return name;
    }
    const char *base = base_name(name), *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - name) : strlen(name);
    char *numbered;
    int length = asprintf(&numbered, "%.*s-%0*lld%s", (int)stem, name, one->page_digits,
                          (long long)one->page, name + stem);
    free(name);
    return length < 0 ? NULL : numbered;
}

/* ----------------------------------------------------------------- formats */

/* "png" where the output's name can say nothing: standard output, devices and pipes. Else NULL. */
static const char *default_format(const settings *s, const char *output)
{
    struct stat info;
    if (strcmp(output, "-") == 0) {
        return s->filters_stdin ? NULL : "png";
    }
    bool stream = stat(output, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    return stream && !satf_format_of_path(output, NULL, 0) ? "png" : NULL;
}

const char *outputs_format(const settings *s, const job *one)
{
    const char *word = s->write.format ? s->write.format : one->format;
    return word ? satf_format_find(word, NULL, 0) : satf_format_of_path(one->output, NULL, 0);
}

/* Refuses samples (--type) that the output's format cannot hold. */
static int check_type(const settings *s, const job *one)
{
    const char *format = outputs_format(s, one);
    if (s->write.type != SATF_TYPE_AUTO && format &&
        satf_format_check_type(s->ctx, format, s->write.type)) {
        return usage_error(one->output, "%s (--type)", library_message(s->ctx));
    }
    return 0;
}

/* Refuses black and white in a JPEG. */
static int check_sharpness(const settings *s, const job *one, bool sharp)
{
    return sharp && output_is_jpeg(outputs_format(s, one))
               ? usage_error(one->output, "a JPEG blurs black and white; write .png, or --type u8 "
                                          "for shades of grey")
               : 0;
}

/* "png, jpeg, pnm": the formats that can be written. */
static void output_list_formats(char *text, size_t room)
{
    satf_format_info format;
    size_t used = 0;
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        if (format.can_write && used < room) {
            const char *comma = used ? ", " : "";
            used += (size_t)snprintf(text + used, room - used, "%s%s", comma, format.name);
        }
    }
}

/* Refuses a single output whose format cannot be known. */
static int check_suffix(const settings *s, const job *one)
{
    satf_format_info format;
    const char *output = one->output;
    if (s->write.format || one->format || strcmp(output, "-") == 0) {
        return 0;
    }
    if (!satf_format_of_path(output, &format, sizeof format)) {
        if (outputs_is_folder(one->input)) {
            return usage_error(one->input, "is a folder; take its pictures by -r, with -o DIR");
        }
        char formats[128];
        output_list_formats(formats, sizeof formats);
        bool unclear = s->output && !outputs_exists(output);
        return usage_error(output,
                           "the suffix names no format; use one of --list, or --format with one of "
                           "%s%s%s%s",
                           formats, unclear ? "; for a folder of that name write " : "",
                           unclear ? output : "", unclear ? "/" : "");
    }
    if (!format.can_write) {
        return usage_error(output, "%s is only read; use another suffix, or --format", format.name);
    }
    return 0;
}

/* Refuses an option of one format where every output is of another. */
static int check_format_option(const settings *s, const job *jobs, int count, const char *name,
                               const char *format, const char *other)
{
    const char *own = NULL;
    for (int i = 0; i < count; i++) {
        own = outputs_format(s, &jobs[i]);
        if (!own || strcmp(own, format) == 0 || strcmp(own, other) == 0) {
            return 0;
        }
    }
    return usage_error(name, "is for %s%s%s files; %s is %s", format, *other ? " and " : "", other,
                       count > 1 ? "every output" : jobs[0].output,
                       count > 1 ? "of another format" : own);
}

/* Says once that --range changes nothing where every output holds plain values, as all formats for
 * floats do. */
static void note_range(const settings *s, const job *jobs, int count)
{
    bool plain = (s->write.has_range || s->write.auto_range) && !s->quiet;
    satf_format_info info;
    for (int i = 0; i < count && plain; i++) {
        const char *format = outputs_format(s, &jobs[i]);
        bool values = s->write.type != SATF_TYPE_AUTO && s->write.type != SATF_U8 &&
                      s->write.type != SATF_U16; /* of a TIFF */
        plain = format && satf_format_find(format, &info, sizeof info) &&
                (!info.holds_pictures || values);
    }
    if (plain) {
        message("--range", "is for pictures; %s plain values, which stay as they are",
                count > 1 ? "the outputs hold" : "the output holds");
    }
}

static int check_formats(const settings *s, const job *jobs, int count)
{
    note_range(s, jobs, count);
    int status = 0;
    if (s->write.quality) {
        status = check_format_option(s, jobs, count, "--quality", "jpeg", "webp");
    }
    if (!status && s->write.compression) {
        status = check_format_option(s, jobs, count, "--compression", "tiff", "");
    }
    if (!status && s->png_level >= 0) {
        status = check_format_option(s, jobs, count, "--png-level", "png", "");
    }
    return status;
}

/* -------------------------------------------------------------- collisions */

/* job.target of that output; NULL without memory. A name that is too long leads nowhere: to look
 * for its folder would take time that grows with its square. */
static char *find_target(const char *output)
{
    if (strlen(output) >= PATH_MAX) {
        return strdup(output);
    }
    char *real = realpath(output, NULL);
    char *folder = real ? NULL : strdup(output), *path = NULL;
    for (bool found = !folder; !found;) {
        char *slash = strrchr(folder, '/');
        size_t length = slash ? (size_t)(slash - folder) : 0;
        folder[length] = '\0';
        char *resolved = realpath(length ? folder : slash ? "/" : ".", NULL);
        found = resolved || length == 0;
        if (found) {
            const char *start = resolved ? resolved : "", *rest = output + length + !!slash;
            path = asprintf(&path, "%s/%s", start, rest) < 0 ? NULL : path;
        }
        free(resolved);
    }
    free(folder);
    return real ? real : path;
}

/* Compares outputs by the files that they lead to, then by the order of the inputs. */
static int compare_outputs(const void *a, const void *b)
{
    const job *x = *(job *const *)a, *y = *(job *const *)b;
    int order = strcmp(x->target, y->target);
    return order ? order : x < y ? -1 : x > y;
}

/* Whether two names lead to one file, or at least into one folder. */
static void compare_inputs(const char *a, const char *b, bool *same_file, bool *same_folder)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    if (real_a && real_b) {
        a = real_a;
        b = real_b;
    }
    size_t folder = (size_t)(base_name(a) - a);
    *same_file = strcmp(a, b) == 0;
    *same_folder = folder == (size_t)(base_name(b) - b) && strncmp(a, b, folder) == 0;
    free(real_a);
    free(real_b);
}

bool outputs_collide(const settings *s, const job *one, char *why, size_t room)
{
    const job *first = one->rival;
    if (!first) {
        return false;
    }
    bool same_file, same_folder;
    compare_inputs(first->input, one->input, &same_file, &same_folder);
    if (same_file) {
        bool alike = strcmp(first->input, one->input) == 0;
        snprintf(why, room, "is named twice%s%s%s", alike ? "" : ", also as ",
                 alike ? "" : first->input, first->named && one->named ? "" : "; once is enough");
    } else {
        snprintf(why, room, "its output %s is that of %s too; %s", one->output, first->input,
                 same_folder || s->parents ? "filter them into different folders"
                                           : "--parents keeps their folders apart");
    }
    return true;
}

/* If several inputs have one output, the first gets it. Others that were named on the command line,
 * like the first, are refused; what lists and folders bring fails by itself. */
static int check_distinct(const settings *s, job *jobs, int count)
{
    job **sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        return out_of_memory();
    }
    for (int i = 0; i < count; i++) {
        sorted[i] = &jobs[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_outputs);
    int status = 0;
    for (int i = 1; i < count && !status; i++) {
        job *one = sorted[i], *before = sorted[i - 1];
        char why[2 * PATH_MAX];
        if (strcmp(before->target, one->target) != 0) {
            continue;
        }
        one->rival = before->rival ? before->rival : before;
        if (one->named && one->rival->named && outputs_collide(s, one, why, sizeof why)) {
            status = usage_error(one->input, "%s", why);
        }
    }
    free(sorted);
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
    job **sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        return out_of_memory();
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
                                                     "another folder with -o");
            }
        }
    }
    free(sorted);
    return status;
}

/* ----------------------------------------------------------------- the whole */

static int name_single(const settings *s, job *one)
{
    const char *output = s->output ? s->output : s->sources[1].name;
    if (s->parents) {
        return usage_error("--parents", "keeps paths below a folder, and %s names a single file",
                           output);
    }
    one->output = strdup(output);
    if (!one->output) {
        return out_of_memory();
    }
    struct stat info;
    bool stream = strcmp(output, "-") == 0 ||
                  (stat(output, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
    if (one->page && stream) {
        return usage_error(output, "takes one page; name a file, or a .tif");
    }
    one->output = name_page(one, one->output);
    if (!one->output) {
        return out_of_memory();
    }
    if (strcmp(output, "-") && outputs_is_folder(output)) {
        return usage_error(output, "is a folder; to write into it use -o");
    }
    one->format = default_format(s, one->output);
    int status = check_suffix(s, one);
    status = status ? status : joined_check(one);
    status = status ? status : check_type(s, one);
    return status ? status : check_sharpness(s, one, is_black_and_white(s));
}

/* Says once that JPEGs have become PNGs. */
static void note_sharpness(const settings *s, const job *jobs, int count)
{
    satf_format_info own;
    for (int i = 0; i < count && !s->write.format && !s->quiet; i++) {
        if (output_is_jpeg(satf_format_of_path(base_name(jobs[i].name), &own, sizeof own))) {
            message(NULL, "black and white goes to .png; a JPEG blurs it");
            return;
        }
    }
}

static int name_in_folders(const settings *s, job *jobs, int count)
{
    int status = joined_refuse(s);
    if (status) {
        return status;
    }
    bool sharp = is_black_and_white(s);
    for (int i = 0; i < count; i++) {
        if (strcmp(jobs[i].input, "-") == 0) {
            return usage_error("-",
                               "standard input gives an output in %s no name; name the output "
                               "in place of the folder",
                               s->output);
        }
        jobs[i].output = name_page(&jobs[i], name_in_folder(s, jobs[i].name, sharp));
        jobs[i].target = jobs[i].output ? find_target(jobs[i].output) : NULL;
        if (!jobs[i].target) {
            return out_of_memory();
        }
        status = check_type(s, &jobs[i]);
        status = status ? status : check_sharpness(s, &jobs[i], sharp);
        if (status) {
            return status;
        }
    }
    status = check_distinct(s, jobs, count);
    status = status ? status : check_not_inputs(jobs, count);
    if (!status && sharp) {
        note_sharpness(s, jobs, count);
    }
    return status;
}

const char *outputs_format_for(const settings *s, const char *name)
{
    bool file = outputs_is_file(s);
    job one = {.output = file ? strdup(s->output ? s->output : s->sources[1].name)
                              : name_in_folder(s, name, is_black_and_white(s))};
    const char *format = NULL;
    if (one.output) {
        one.format = file ? default_format(s, one.output) : NULL;
        format = outputs_format(s, &one);
    }
    free(one.output);
    return format;
}

/* A file, or the pages of one. */
static int name_singles(const settings *s, job *jobs, int count)
{
    int status = 0;
    for (int i = 0; i < count && !status; i++) {
        status = name_single(s, &jobs[i]);
        jobs[i].target = status ? NULL : find_target(jobs[i].output);
        status = status || jobs[i].target ? status : out_of_memory();
    }
    return status;
}

int outputs_name(const settings *s, job *jobs, int count)
{
    int status =
        outputs_is_file(s) ? name_singles(s, jobs, count) : name_in_folders(s, jobs, count);
    return status ? status : check_formats(s, jobs, count);
}
