/* Telling a file from a folder in -o, and making one output of several inputs. */
#include "joined.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "options/message.h"

/* Does the name end like a file's: a dot and two to five letters and digits, of which the first is
 * a letter? "results-v1.2" does not. */
static bool has_suffix(const char *base)
{
    const char *dot = strrchr(base, '.');
    if (!dot || dot == base || !isalpha((unsigned char)dot[1])) {
        return false;
    }
    size_t length = 1;
    while (isalnum((unsigned char)dot[length])) {
        length++;
    }
    return !dot[length] && length >= 3 && length <= 6;
}

target_kind target_kind_of(const settings *s)
{
    struct stat info;
    const char *slash = strrchr(s->output, '/');
    const char *base = slash ? slash + 1 : s->output;
    if (strcmp(s->output, "-") == 0) {
        return TARGET_FILE;
    }
    bool exists = stat(s->output, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        return TARGET_FOLDER;
    }
    if ((exists && !S_ISREG(info.st_mode)) || satf_format_of_path(base, NULL, 0)) {
        return TARGET_FILE;
    }
    bool suffix = has_suffix(base);
    return s->write.format && (exists || suffix) ? TARGET_FILE
           : suffix                              ? TARGET_UNCLEAR
                                                 : TARGET_FOLDER;
}

/* Is there a name, and is it one of a file rather than of a folder? */
static bool target_is_file(const settings *s)
{
    return s->output && target_kind_of(s) == TARGET_FILE;
}

bool joined_holds_pages(const settings *s)
{
    satf_format_info format;
    if (!target_is_file(s)) {
        return false;
    }
    const char *name = s->write.format ? satf_format_find(s->write.format, &format, sizeof format)
                                       : satf_format_of_path(s->output, &format, sizeof format);
    return name && format.holds_pages;
}

bool joined_wanted(const settings *s)
{
    bool one = s->source_count == 1 && s->file_count == 1;
    return !one && joined_holds_pages(s);
}

int joined_make(job *first, const input_list *all)
{
    const char **more = calloc((size_t)all->count, sizeof *more);
    if (!more) {
        return out_of_memory();
    }
    for (int i = 1; i < all->count; i++) {
        more[i - 1] = all->at[i].path;
    }
    first->more = more;
    first->more_count = (size_t)all->count - 1;
    return 0;
}

int joined_refuse(const settings *s)
{
    struct stat info;
    if (strcmp(s->output, "-") == 0) {
        return usage_error("-o",
                           "standard output takes one picture, of one file that is named; for "
                           "several name a folder, or --format tif");
    }
    bool exists = stat(s->output, &info) == 0;
    const char *slash = strrchr(s->output, '/');
    const char *format = satf_format_of_path(slash ? slash + 1 : s->output, NULL, 0);
    if (format && !(exists && S_ISDIR(info.st_mode))) {
        return usage_error(s->output,
                           "%s holds one picture; several go into a .tif, or a folder%s%s%s",
                           format, exists ? "" : ": for one of that name write ",
                           exists ? "" : s->output, exists ? "" : "/");
    }
    if (exists && !S_ISDIR(info.st_mode)) {
        message(s->output, "is not a folder");
        return EXIT_FAILURE;
    }
    return 0;
}

int joined_check(const job *one)
{
    struct stat output, other;
    bool there = stat(one->output, &output) == 0;
    for (size_t i = 0; i < one->more_count + 1 && one->more_count; i++) {
        const char *name = i == 0 ? one->input : one->more[i - 1];
        if (strcmp(name, "-") == 0) {
            return usage_error("-",
                               "one of several inputs is a file; write the pipe into one first");
        }
        if (there && S_ISREG(output.st_mode) && stat(name, &other) == 0 &&
            other.st_dev == output.st_dev && other.st_ino == output.st_ino) {
            return usage_error(one->output, "the output would replace an input; give it another "
                                            "name");
        }
    }
    return 0;
}
