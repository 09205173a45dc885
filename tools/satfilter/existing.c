/* Outputs that exist: replaced, kept, or asked about. */
#include "existing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "options/message.h"

static bool is_empty(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size == 0;
}

/* Are they names of one place? Two hard links are not: to replace one leaves the other. */
static bool are_one(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    bool one = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return one;
}

/* Asks once about so many outputs; 0 to go on, with *skip set, or an EXIT_ status. */
static int ask_about(const job *jobs, int count, int existing, bool *skip)
{
    if (count == 1) {
        if (ask("yn", jobs[0].output, "%s; overwrite? [y/N]",
                jobs[0].in_place ? "is the input itself" : "exists") == 'y') {
            return 0;
        }
        message(jobs[0].output, "not overwritten");
        return EXIT_FAILURE;
    }
    switch (ask("osyn", NULL,
                "%d of %d outputs exist; overwrite them, skip them, or stop? "
                "[o = overwrite, s = skip, Enter = stop]",
                existing, count)) {
    case 's':
        *skip = true;
        return 0;
    case 'o':
    case 'y':
        return 0;
    default:
        message(NULL, "stopped; nothing was written");
        return EXIT_FAILURE;
    }
}

int existing_settle(const settings *s, job *jobs, int count)
{
    bool skip = s->existing == EXISTING_KEPT;
    bool may_ask = s->existing == EXISTING_ASKED_ABOUT, asks = may_ask && can_ask();
    int existing = 0;
    for (int i = 0; i < count; i++) {
        job *one = &jobs[i];
        bool exists = !one->rival && outputs_exists(one->output);
        existing += exists;
        one->in_place = exists && are_one(one->input, one->output);
        one->replaces = exists && !is_empty(one->output);
        one->unasked = one->replaces && may_ask && !asks;
    }
    int status = asks && existing ? ask_about(jobs, count, existing, &skip) : 0;
    for (int i = 0; i < count && skip; i++) {
        jobs[i].skipped = !jobs[i].rival && outputs_exists(jobs[i].output);
    }
    return status;
}

/* Can satfilter have written a file of that format there? */
static bool may_be_ours(const settings *s, const job *one, const satf_format_info *found)
{
    const char *named = satf_format_of_path(one->output, NULL, 0);
    return found->can_write &&
           (!named || found->name == named || found->name == outputs_format(s, one));
}

bool existing_is_foreign(const settings *s, const job *one, char *why, size_t room)
{
    unsigned char head[64];
    satf_format_info found;
    FILE *file = fopen(one->output, "rbe");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    bool failed = !file || ferror(file);
    int error = errno;
    if (file) {
        fclose(file);
    }
    satf_format_of_bytes(head, n, &found, sizeof found);
    if (failed) {
        snprintf(why, room, "is kept, for it cannot be read: %s; -f replaces it", strerror(error));
        return true;
    }
    if (n == 0 || may_be_ours(s, one, &found)) {
        return false;
    }
    const char *format = outputs_format(s, one);
    snprintf(why, room, "is kept, for it holds %s%s %s; -f replaces it",
             found.name ? found.name : "", found.name ? ", not" : "no", format);
    return true;
}

/* Are the two operands all that there is, in one folder and with one suffix? That is how a shell
 * writes a pattern that only two files match. */
static bool looks_like_pattern(const settings *s, const job *one)
{
    const char *names[] = {one->input, one->output}, *suffixes[2];
    char folders[2][PATH_MAX];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(names[i], '/'), *base = slash ? slash + 1 : names[i];
        const char *dot = strrchr(base, '.');
        snprintf(folders[i], sizeof folders[i], "%.*s.", (int)(base - names[i]), names[i]);
        suffixes[i] = dot ? dot : "";
    }
    return !s->output && strcmp(one->input, "-") && are_one(folders[0], folders[1]) &&
           strcasecmp(suffixes[0], suffixes[1]) == 0;
}

void existing_note(const settings *s, const job *one)
{
    if (one->in_place) {
        message(one->output, "was the input, and was replaced by the result");
        return;
    }
    message(one->output, "existed and was replaced%s",
            looks_like_pattern(s, one) ? "; -o DIR takes several pictures" : "");
}
