#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../src/base/memory.h"
#include "../src/io/io.h"
#include "message.h"

static int out_of_memory(void)
{
    message(NULL, "out of memory");
    return EXIT_FAILURE;
}

static int add(input_list *all, const char *path, size_t length, size_t name_at)
{
    if (all->count == all->room) {
        int room = all->room ? 2 * all->room : 64;
        input *larger = all->room > INT_MAX / 2 ? NULL : satf_alloc((size_t)room * sizeof *larger);
        if (!larger) {
            return out_of_memory();
        }
        if (all->count) {
            memcpy(larger, all->at, (size_t)all->count * sizeof *larger);
        }
        satf_free(all->at);
        all->at = larger;
        all->room = room;
    }
    char *copy = satf_alloc(length + 1);
    if (!copy) {
        return out_of_memory();
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    all->at[all->count++] = (input){copy, name_at};
    return 0;
}

/* A file that was named: its output has its last component. */
static int add_named(input_list *all, const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);
    return add(all, path, length, slash ? (size_t)(slash + 1 - path) : 0);
}

/* ------------------------------------------------------------------ lists */

/* Reads all of the file, "-" for standard input; NULL after a message. */
static char *read_all(const char *path, size_t *length)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
    char *text = NULL;
    size_t used = 0, room = 0;
    bool good = file != NULL;
    while (good && used == room) {
        room = room ? 2 * room : 64 << 10;
        errno = ENOMEM;
        char *larger = satf_alloc(room);
        good = larger != NULL;
        if (good) {
            if (used) {
                memcpy(larger, text, used);
            }
            satf_free(text);
            text = larger;
            used += fread(text + used, 1, room - used, file);
            good = !ferror(file);
        }
    }
    if (!good) {
        message(path, "cannot be read: %s", strerror(errno));
        satf_free(text);
        text = NULL;
    }
    if (file && file != stdin) {
        fclose(file);
    }
    *length = used;
    return text;
}

/* Names that end with `separator`; the last may lack it. Empty ones are passed over. */
static int add_list(const char *path, char separator, input_list *all)
{
    size_t length;
    char *text = read_all(path, &length);
    if (!text) {
        return EXIT_FAILURE;
    }
    int status = 0;
    if (separator && memchr(text, '\0', length)) {
        status = usage_error(path, "holds a NUL byte; for names with NUL between them there is "
                                   "--filelist0");
    }
    for (size_t at = 0; at < length && !status;) {
        const char *end = memchr(text + at, separator, length - at);
        size_t name = end ? (size_t)(end - text) - at : length - at;
        status = name ? add_named(all, text + at, name) : 0;
        at += name + 1;
    }
    satf_free(text);
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

/* The path's folder and what is in it; output: what -o names, if it is there already. */
static int add_folder(const char *path, size_t name_at, const struct stat *output, input_list *all)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shown, compare_names), status = 0;
    if (count < 0) {
        message(path, "cannot be read: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++) {
        char inside[PATH_MAX];
        const char *slash = path[strlen(path) - 1] == '/' ? "" : "/", *name = entries[i]->d_name;
        int length = snprintf(inside, sizeof inside, "%s%s%s", path, slash, name);
        struct stat info;
        if (!status && length >= PATH_MAX) {
            message(path, "has too long a path inside; filter it from a folder nearer to it");
            status = EXIT_FAILURE;
        } else if (!status && lstat(inside, &info) == 0 && S_ISDIR(info.st_mode)) {
            bool is_output = info.st_dev == output->st_dev && info.st_ino == output->st_ino;
            status = is_output ? 0 : add_folder(inside, name_at, output, all);
        } else if (!status && io_format_by_suffix(name) && stat(inside, &info) == 0 &&
                   S_ISREG(info.st_mode)) {
            status = add(all, inside, (size_t)length, name_at);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int add_tree(const settings *s, const char *path, input_list *all)
{
    struct stat output;
    if (stat(s->directory, &output)) {
        memset(&output, 0, sizeof output); /* no file has inode 0 */
    }
    size_t length = strlen(path);
    if (length == 0) {
        return usage_error("-r", "'' is not a folder");
    }
    return add_folder(path, length + (path[length - 1] != '/'), &output, all);
}

/* ---------------------------------------------------------------- the whole */

int inputs_gather(const settings *s, input_list *all)
{
    int status = 0;
    *all = (input_list){NULL, 0, 0};
    for (int i = 0; i < s->source_count && !status; i++) {
        const char *name = s->sources[i].name;
        switch (s->sources[i].kind) {
        case SOURCE_FILE:
            status = add_named(all, name, strlen(name));
            break;
        case SOURCE_LIST:
            status = add_list(name, '\n', all);
            break;
        case SOURCE_LIST0:
            status = add_list(name, '\0', all);
            break;
        case SOURCE_FOLDER:
            status = add_tree(s, name, all);
            break;
        }
    }
    if (!status && !all->count) {
        return usage_error(NULL, "no input: the lists and folders hold none");
    }
    return status;
}

void inputs_free(input_list *all)
{
    for (int i = 0; i < all->count; i++) {
        satf_free(all->at[i].path);
    }
    satf_free(all->at);
}
