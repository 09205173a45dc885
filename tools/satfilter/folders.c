/* Folders of outputs: those that are missing are made, and go again if nothing comes into them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs.h"

/* Removes the folders above `end` that were made, of which the shallowest ends at made_to. */
static void remove_made(job *one, char *end)
{
    for (; one->made_to && end >= one->output + one->made_to; end--) {
        if (*end == '/') {
            *end = '\0';
            rmdir(one->output);
            *end = '/';
        }
    }
    one->made_to = 0;
}

bool outputs_make_folders(job *one, char *why, size_t room)
{
    for (char *slash = one->output; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        bool made = mkdir(one->output, 0777) == 0;
        int error = errno;
        bool good = made || outputs_is_folder(one->output);
        if (made && !one->made_to) {
            one->made_to = (size_t)(slash - one->output);
        }
        if (!good) {
            bool file = error == EEXIST || error == ENOTDIR;
            snprintf(why, room, "%s%s %s%s", file ? "" : "the folder ", one->output,
                     file ? "is no folder" : "cannot be made: ", file ? "" : strerror(error));
        }
        *slash = '/';
        if (!good) {
            remove_made(one, slash - 1);
            errno = error;
            return false;
        }
    }
    return true;
}

void outputs_unmake_folders(job *one)
{
    remove_made(one, one->output + strlen(one->output));
}
