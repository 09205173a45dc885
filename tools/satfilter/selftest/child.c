/* Starting the command again, where posix_spawnp() is. */
#include "child.h"

#include "config.h"

#ifdef HAVE_POSIX_SPAWNP

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool child_possible(void)
{
    return true;
}

/* With standard output into ends[1]. 0, or an errno. */
static int spawn(child *c, const char *program, const int ends[2])
{
    extern char **environ;
    char *arguments[] = {(char *)(uintptr_t)program, "--self-test-results", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        error = error ? error : posix_spawn_file_actions_addclose(&actions, ends[0]);
        error = error ? error : posix_spawn_file_actions_addclose(&actions, ends[1]);
        error = error ? error : posix_spawnp(&pid, program, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    c->id = pid;
    return error;
}

/* The library reads the variable when it is loaded, so this process does not mind it. */
int child_start(child *c, const char *program, const char *instructions)
{
    int ends[2];
    *c = (child){.instructions = instructions};
    if (setenv("SATFILTER_CPU", instructions, 1) || pipe(ends)) {
        return errno;
    }
    int error = spawn(c, program, ends);
    close(ends[1]);
    c->from = error ? NULL : fdopen(ends[0], "r");
    if (!c->from) {
        close(ends[0]);
    }
    return error;
}

const char *child_end(child *c)
{
    int status = 0;
    fclose(c->from);
    if (waitpid((pid_t)c->id, &status, 0) != (pid_t)c->id) {
        return strerror(errno);
    }
    return WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : WEXITSTATUS(status) ? "ended" : NULL;
}

#else

#include <errno.h>

bool child_possible(void)
{
    return false;
}

int child_start(child *c, const char *program, const char *instructions)
{
    (void)program;
    *c = (child){.instructions = instructions};
    return ENOSYS;
}

const char *child_end(child *c)
{
    (void)c;
    return NULL;
}

#endif
