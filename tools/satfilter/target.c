/* Telling a file from a folder in -o. */
#include "target.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

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

bool target_is_file(const settings *s)
{
    return s->output && target_kind_of(s) == TARGET_FILE;
}
