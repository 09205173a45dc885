/* An assertion, and the threads that a plugin has started. */
#include "need.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

void need(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "FAILED: %s\n", what);
        exit(1);
    }
}

int thread_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    need(tasks != NULL, "/proc is missing");
    while (readdir(tasks)) {
        count++;
    }
    closedir(tasks);
    return count - 2; /* . and .. */
}
