/* Collecting the inputs of a batch. */
#include "inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "options/message.h"

static int inputs_add(input_list *all, const char *path, size_t length, size_t name_at)
{
    if (all->count == all->room) {
        int room = all->room ? 2 * all->room : 64;
        input *larger =
            all->room > INT_MAX / 2 ? NULL : realloc(all->at, (size_t)room * sizeof *larger);
        if (!larger) {
            return out_of_memory();
        }
        all->at = larger;
        all->room = room;
    }
    char *copy = strndup(path, length);
    if (!copy) {
        return out_of_memory();
    }
    all->at[all->count++] = (input){.path = copy, .name_at = name_at};
    return 0;
}

/* The beginning of the name that --parents gives an output: behind "/" and "./". */
static size_t below_directory(const char *path, size_t length)
{
    size_t at = 0;
    for (;;) {
        if (at < length && path[at] == '/') {
            at++;
        } else if (at + 1 < length && path[at] == '.' && path[at + 1] == '/') {
            at += 2;
        } else {
            return at;
        }
    }
}

/* Is ".." one of the path's components? */
static bool leads_upwards(const char *path, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *slash = memchr(path + at, '/', length - at);
        size_t end = slash ? (size_t)(slash - path) : length;
        if (end - at == 2 && path[at] == '.' && path[at + 1] == '.') {
            return true;
        }
        at = end + 1;
    }
    return false;
}

static int refuse_upwards(const char *path)
{
    return usage_error(path, "--parents keeps paths below the folder of -o, and '..' leads out of "
                             "it; start from a folder that holds all inputs");
}

/* A file that was named: its output has its last component, or with --parents all. */
static int add_named(const settings *s, input_list *all, const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);
    if (slash && slash + 1 == path + length) {
        int status = inputs_add(all, path, length, 0);
        return status ? status
                      : usage_error(all->at[all->count - 1].path,
                                    "is a folder; take the pictures in it and below by -r");
    }
    size_t name_at = slash ? (size_t)(slash + 1 - path) : 0;
    if (!s->parents) {
        return inputs_add(all, path, length, name_at);
    }
    int status = inputs_add(all, path, length, below_directory(path, length));
    return !status && leads_upwards(path, length) ? refuse_upwards(all->at[all->count - 1].path)
                                                  : status;
}

/* ------------------------------------------------------------------ lists */

/* Adds the next name of a list: one up to the separator, which the last may lack. Empty ones are
 * passed over, and of lines that end as Windows has them the CR is no part of the name. */
static int add_listed(const settings *s, const char *path, char separator, const char *name,
                      size_t length, input_list *all)
{
    length -= name[length - 1] == separator;
    if (separator && memchr(name, '\0', length)) {
        return usage_error(path, "holds a NUL byte; for names with NUL between them there is "
                                 "--filelist0");
    }
    length -= separator && length && name[length - 1] == '\r';
    return length ? add_named(s, all, name, length) : 0;
}

/* Adds the names in a file, "-" for standard input. */
static int add_list(const settings *s, const char *path, char separator, input_list *all)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's, in front of the first name */
    FILE *file = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
    char *line = NULL;
    size_t room = 0, skipped = sizeof mark - 1;
    ssize_t n = 0;
    int status = 0;
    while (file && !status && (n = getdelim(&line, &room, separator, file)) > 0) {
        skipped = (size_t)n >= skipped && memcmp(line, mark, skipped) == 0 ? skipped : 0;
        if ((size_t)n > skipped) {
            status = add_listed(s, path, separator, line + skipped, (size_t)n - skipped, all);
        }
        skipped = 0;
    }
    if (!status && (!file || !feof(file))) {
        message(path, "cannot be read: %s", strerror(errno));
        status = EXIT_FAILURE;
    }
    if (file && file != stdin) {
        fclose(file);
    }
    free(line);
    return status;
}

/* ---------------------------------------------------------------- folders */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void note_skipped(input_list *all, const char *name)
{
    all->skipped++;
    const char *dot = strrchr(name, '.');
    if (!dot || !dot[1]) {
        all->without_suffix = true;
        return;
    }
    for (int i = 0; i < all->suffix_count; i++) {
        if (strcasecmp(all->suffixes[i], dot) == 0) {
            return;
        }
    }
    if (all->suffix_count == LISTED_SUFFIXES || strlen(dot) >= SUFFIX_BYTES) {
        all->more_suffixes = true;
        return;
    }
    char *to = all->suffixes[all->suffix_count++];
    for (size_t i = 0; dot[i]; i++) {
        to[i] = (char)tolower((unsigned char)dot[i]);
    }
}

/* A folder, or something in one, that cannot be taken; the others go on. */
static int note_unreadable(input_list *all, const char *path, const char *why)
{
    message(path, "%s", why);
    all->unreadable++;
    return 0;
}

/* What a walk through folders carries along. */
typedef struct walk {
    size_t name_at;     /* in every path that it finds */
    struct stat output; /* what -o names, if it is there already; inode 0 if not */
    input_list *all;
} walk;

static int add_folder(const walk *w, const char *path);

/* Something in a folder. */
static int inputs_add_entry(const walk *w, const char *path, const char *name)
{
    struct stat info;
    if (lstat(path, &info)) {
        return note_unreadable(w->all, path, strerror(errno));
    }
    bool link = S_ISLNK(info.st_mode), picture = satf_format_of_path(name, NULL, 0) != NULL;
    if (link && stat(path, &info)) {
        if (picture) {
            return note_unreadable(w->all, path, "is a link to nothing that can be read");
        }
        info.st_mode = S_IFREG;
    }
    if (S_ISDIR(info.st_mode)) {
        bool is_output = info.st_dev == w->output.st_dev && info.st_ino == w->output.st_ino;
        w->all->links += link;
        return link || is_output ? 0 : add_folder(w, path);
    }
    if (!picture || !S_ISREG(info.st_mode)) { /* a pipe or a device is no file to wait for */
        note_skipped(w->all, name);
        return 0;
    }
    return inputs_add(w->all, path, strlen(path), w->name_at);
}

static int add_folder(const walk *w, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shown, compare_names), status = 0;
    if (count < 0) {
        char why[128];
        snprintf(why, sizeof why, "cannot be read: %s", strerror(errno));
        return note_unreadable(w->all, path, why);
    }
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    char *inside = malloc(PATH_MAX); /* folders may be nested too deeply for it on the stack */
    status = inside ? 0 : out_of_memory();
    for (int i = 0; i < count; i++) {
        int length =
            status ? 0 : snprintf(inside, PATH_MAX, "%s%s%s", path, slash, entries[i]->d_name);
        if (!status && length >= PATH_MAX) {
            note_unreadable(w->all, path,
                            "has too long a path inside; filter it from a folder nearer to it");
        } else if (!status) {
            status = inputs_add_entry(w, inside, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(inside);
    free(entries);
    return status;
}

static int add_tree(const settings *s, const char *path, input_list *all)
{
    size_t length = strlen(path);
    if (length == 0) {
        return usage_error("-r", "'' is not a folder");
    }
    if (s->parents && leads_upwards(path, length)) {
        return refuse_upwards(path);
    }
    walk w = {.all = all};
    w.name_at = s->parents ? below_directory(path, length) : length + (path[length - 1] != '/');
    if (s->parents && (strcmp(path, ".") == 0 || w.name_at == length)) { /* nothing to keep */
        w.name_at = length + (path[length - 1] != '/');
    }
    if (stat(s->output, &w.output)) {
        w.output.st_ino = 0; /* no file has it */
    }
    return add_folder(&w, path);
}

/* ---------------------------------------------------------------- the whole */

const char *inputs_describe_skipped(const input_list *all, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    if (all->skipped) {
        used += (size_t)snprintf(text, room, "%d file%s skipped:", all->skipped,
                                 all->skipped > 1 ? "s" : "");
        for (int i = 0; i < all->suffix_count; i++) {
            used += (size_t)snprintf(text + used, room - used, " %s", all->suffixes[i]);
        }
        if (all->more_suffixes) {
            used += (size_t)snprintf(text + used, room - used, " ...");
        }
        if (all->without_suffix) {
            bool alone = !all->suffix_count && !all->more_suffixes;
            used +=
                (size_t)snprintf(text + used, room - used, "%s without suffix", alone ? "" : ",");
        }
    }
    if (all->links) {
        snprintf(text + used, room - used, "%s%d link%s to %s not followed", used ? "; " : "",
                 all->links, all->links > 1 ? "s" : "", all->links > 1 ? "folders" : "a folder");
    }
    return text;
}

int inputs_gather(const settings *s, input_list *all)
{
    int status = 0;
    *all = (input_list){.at = NULL};
    for (int i = 0; i < s->source_count && !status; i++) {
        const char *name = s->sources[i].name;
        switch (s->sources[i].kind) {
        case SOURCE_FILE:
            status = add_named(s, all, name, strlen(name));
            if (!status) {
                all->at[all->count - 1].named = true;
            }
            break;
        case SOURCE_LIST:
            status = add_list(s, name, '\n', all);
            break;
        case SOURCE_LIST0:
            status = add_list(s, name, '\0', all);
            break;
        case SOURCE_FOLDER:
            status = add_tree(s, name, all);
            break;
        }
    }
    if (status || all->count) {
        return status;
    }
    if (all->unreadable) {
        return EXIT_FAILURE;
    }
    char skipped[SKIPPED_BYTES];
    inputs_describe_skipped(all, skipped, sizeof skipped);
    status = usage_error(NULL, "no input: the lists and folders hold none%s%s",
                         *skipped ? "; " : "", skipped);
    return all->skipped ? EXIT_SOME : status; /* not the command line is wrong */
}

int inputs_add_single(input_list *all, const char *path)
{
    return inputs_add(all, path, strlen(path), 0);
}

/* Pages A to B of an input as inputs of their own. A file that cannot be looked at, or has not so
 * many, stays one, and fails in its turn. */
static int add_pages(const settings *s, input_list *all, const input *one)
{
    satf_image_file *file;
    int64_t pages = 0;
    if (!satf_image_file_open(s->ctx, one->path, &file)) {
        pages = satf_image_file_pages(file);
        satf_image_file_close(file);
    }
    int64_t last = s->last_page < 0 ? pages : s->last_page;
    bool split = pages > 1 && last > s->first_page && last <= pages;
    int digits = snprintf(NULL, 0, "%lld", (long long)pages), status = 0;
    for (int64_t page = split ? s->first_page : 0; page <= (split ? last : 0) && !status; page++) {
        status = inputs_add(all, one->path, strlen(one->path), one->name_at);
        if (!status) {
            input *added = &all->at[all->count - 1];
            added->named = one->named;
            added->page = page;
            added->page_digits = digits > 4 ? digits : 4;
        }
    }
    return status;
}

int inputs_split_pages(const settings *s, input_list *all,
                       const char *(*format)(const settings *s, const char *name))
{
    satf_format_info info;
    input_list was = *all;
    int status = 0;
    bool one = s->last_page >= 0 && s->last_page <= s->first_page;
    if (one || s->filters_stdin) { /* of a pipe to a pipe the format is not known yet */
        return 0;
    }
    all->at = NULL;
    all->count = all->room = 0;
    for (int i = 0; i < was.count && !status; i++) {
        const input *file = &was.at[i];
        const char *to = format(s, file->path + file->name_at);
        bool holds = to && satf_format_find(to, &info, sizeof info) && info.holds_pages;
        if (!holds && strcmp(file->path, "-") == 0) {
            status = usage_error("--page", "pages of standard input go into a .tif or .npy");
        } else if (holds) {
            status = inputs_add(all, file->path, strlen(file->path), file->name_at);
            if (!status) {
                all->at[all->count - 1].named = file->named;
            }
        } else {
            status = add_pages(s, all, file);
        }
    }
    inputs_free(&was);
    return status;
}

void inputs_free(input_list *all)
{
    for (int i = 0; i < all->count; i++) {
        free(all->at[i].path);
    }
    free(all->at);
}
