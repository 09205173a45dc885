/* Outputs that appear whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "codec.h"
#include "keep.h"

enum { STDIO_BYTES = 128 << 10 };

struct io_output {
    FILE *file;
    char *buffer;        /* the file's, for stdio */
    char path[PATH_MAX]; /* the target, links resolved */
    int slot;            /* of the temporary; -1: written directly */
    io_calls *calls;     /* that it goes to; NULL: none */
    int lock;            /* descriptor that holds its lock until it has its name; or -1 */
    bool is_stdout, no_clobber;
    bool replaces;            /* a file that was there when it was opened */
    io_output_report *report; /* the caller's, or its own */
    io_output_report own_report;
};

/* ------------------------------------------------------------- temporaries */

/*
 * The temporaries of this process, where a signal handler finds them. Paths
 * live here rather than on the heap, so that a handler never sees freed memory.
 * There are as many as threads may work. A thread that creates one lets no handler
 * interrupt it, so a handler can wait for it.
 */
enum { SLOT_FREE, SLOT_CLAIMED, SLOT_CREATING, SLOT_EXISTS, SLOT_COUNT = 1024 };
static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[SLOT_COUNT];
static atomic_bool ending_process; /* no temporary is created any more */

static int claim_slot(void)
{
    for (int i = 0; i < SLOT_COUNT; i++) {
        int expected = SLOT_FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &expected, SLOT_CLAIMED)) {
            return i;
        }
    }
    return -1;
}

void io_output_cleanup(void)
{
    enum { WAITS = 1000 }; /* of a millisecond, in all: a file system may hang */
    static const struct timespec a_while = {.tv_nsec = 1000000};
    atomic_store(&ending_process, true);
    for (int i = 0, waits = 0; i < SLOT_COUNT; i++) {
        while (atomic_load(&slots[i].state) == SLOT_CREATING && waits++ < WAITS) {
            nanosleep(&a_while, NULL);
        }
        if (atomic_load(&slots[i].state) >= SLOT_CREATING) {
            unlink(slots[i].path);
        }
    }
}

/*
 * ".NAME.RANDOM.satf-tmp" beside the output. A lock (flock) says that its process lives:
 * the kernel drops it with the process however that ends, and what is found without one
 * was left behind. See io_output_sweep().
 */
static const char random_digits[] = "abcdefghijklmnopqrstuvwxyz012345", ending[] = ".satf-tmp";
enum { RANDOM_DIGITS = 12 };

static bool temporary_name(const char *path, char out[PATH_MAX])
{
    unsigned char random[RANDOM_DIGITS];
    if (getentropy(random, sizeof random) != 0) {
        return false;
    }
    char word[RANDOM_DIGITS + 1] = {0};
    for (size_t i = 0; i < RANDOM_DIGITS; i++) {
        word[i] = random_digits[random[i] % 32];
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    /* the name is cut to what file systems allow */
    int n =
        snprintf(out, PATH_MAX, "%.*s.%.200s.%s%s", (int)(name - path), path, name, word, ending);
    errno = ENAMETOOLONG;
    return n > 0 && n < PATH_MAX;
}

/* Could temporary_name() have made this name? ("." and the ending hold no random digit.) */
static bool is_temporary_name(const char *name)
{
    enum { TAIL = 1 + RANDOM_DIGITS + sizeof ending - 1 }; /* behind ".NAME" */
    size_t length = strlen(name);
    const char *tail = name + (length > TAIL ? length - TAIL : 0);
    return length > TAIL + 1 && name[0] == '.' && tail[0] == '.' &&
           strspn(tail + 1, random_digits) == RANDOM_DIGITS &&
           strcmp(tail + 1 + RANDOM_DIGITS, ending) == 0;
}

/* Takes the new file's lock; false if a sweep was faster and removes the file. Where
 * the file system has no locks, sweeps leave everything alone. */
static bool lock_temporary(int fd)
{
    struct stat info;
    bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !taken && fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/* Creates the file of the slot's path; a file descriptor, or -1 and errno. */
static int create_slot(int slot, mode_t mode)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(&slots[slot].state, SLOT_CREATING); /* then a look at ending_process: who ends it
                                                      * does these two the other way round */
    int fd = -1, error = EINTR;
    if (!atomic_load(&ending_process)) {
        fd = open(slots[slot].path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        error = errno;
    }
    atomic_store(&slots[slot].state, fd < 0 ? SLOT_CLAIMED : SLOT_EXISTS);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

/* Creates the temporary of slot; a file descriptor, or -1 and errno. */
static int create_temporary(const char *path, int slot, mode_t mode)
{
    int fd = -1;
    for (int tries = 0; tries < 100 && fd < 0; tries++) {
        if (!temporary_name(path, slots[slot].path)) {
            return -1;
        }
        fd = create_slot(slot, mode);
        if (fd < 0) {
            if (errno != EEXIST) {
                break;
            }
        } else if (!lock_temporary(fd)) {
            close(fd);
            fd = -1;
            errno = EEXIST;
        }
    }
    return fd;
}

/* Removes the temporary `name` of the folder unless it is someone's, or someone else's. */
static void sweep_one(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        struct stat info;
        /* Locked before it is removed: who has just created it sees the lock, or that it is gone.
         */
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            unlinkat(folder, name, 0);
        }
        close(fd);
    }
}

/* ----------------------------------------------------------------- opening */

/* path with symbolic links of its last component followed, existing or not. */
static bool resolve(const char *path, char out[PATH_MAX])
{
    if (realpath(path, out)) {
        return true;
    }
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(out, path);
    for (int links = 0; links < 40; links++) {
        char target[PATH_MAX], joined[2 * PATH_MAX];
        ssize_t n = readlink(out, target, sizeof target - 1);
        if (n < 0) {
            return true; /* no link: a name to create */
        }
        target[n] = 0;
        const char *slash = strrchr(out, '/');
        int dir = target[0] == '/' || !slash ? 0 : (int)(slash + 1 - out);
        int length = snprintf(joined, sizeof joined, "%.*s%s", dir, out, target);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        strcpy(out, joined);
    }
    errno = ELOOP;
    return false;
}

static bool means_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

static satf_status fail_open(satf_context *ctx, const char *path, int error)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? path : ".";
    size_t length = slash > path ? (size_t)(slash - path) : 1; /* of "/name" 1 */
    length = length < 700 ? length : 700;
    if (error == ENOTDIR) {
        return satf_fail(ctx, SATF_IO, "cannot be written: %.*s is no directory",
                         SATF_MOST(dir, length));
    }
    if (error == ENOENT) {
        return satf_fail(ctx, SATF_IO, "cannot be written: there is no directory %.*s to hold it",
                         SATF_MOST(dir, length));
    }
    if (error == EACCES || error == EROFS || error == EPERM) {
        return satf_fail(ctx, SATF_IO, "cannot be written: the directory %.*s is not writable (%s)",
                         SATF_MOST(dir, length), strerror(error));
    }
    return satf_fail(ctx, SATF_IO, "cannot be written: %s", strerror(error));
}

void io_output_sweep(const char *path)
{
    char target[PATH_MAX];
    struct stat info;
    if (io_output_is_stdout(path) || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) ||
        !resolve(path, target)) {
        return;
    }
    char *slash = strrchr(target, '/');
    if (slash) {
        slash[slash == target] = 0; /* "/name" lies in "/" */
    }
    DIR *folder = opendir(slash ? target : ".");
    if (!folder) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (is_temporary_name(entry->d_name)) {
            sweep_one(dirfd(folder), entry->d_name);
        }
    }
    closedir(folder);
}

/* Who may not read the file that it replaces must not read the new one before its end either. */
static satf_status open_temporary(satf_context *ctx, io_output *out)
{
    out->slot = claim_slot();
    if (out->slot < 0) {
        return satf_fail(ctx, SATF_LIMIT, "more than %d outputs are open at once", SLOT_COUNT);
    }
    int fd = create_temporary(out->path, out->slot, out->replaces ? 0600 : 0666);
    if (fd < 0) {
        out->report->full = means_full(errno);
        return fail_open(ctx, out->path, errno);
    }
    out->lock = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    out->file = out->lock < 0 ? NULL : fdopen(fd, "wb");
    if (!out->file) {
        int error = errno;
        close(fd);
        return fail_open(ctx, out->path, error);
    }
    return SATF_OK;
}

/* Returns 0 after a failure, which is an error to stdio. */
static ssize_t write_to_calls(void *user, const char *from, size_t n)
{
    errno = EIO;
    return io_calls_write(user, from, n) ? (ssize_t)n : 0;
}

static int seek_in_calls(void *user, off64_t *offset, int whence)
{
    int64_t place = io_calls_seek(user, *offset, whence);
    *offset = place < 0 ? *offset : place;
    errno = place < 0 ? ESPIPE : errno;
    return place < 0 ? -1 : 0;
}

static satf_status open_calls(satf_context *ctx, const satf_file_calls *calls, io_output *out)
{
    static const cookie_io_functions_t functions = {.write = write_to_calls, .seek = seek_in_calls};
    satf_status status = io_calls_create(ctx, calls, true, &out->calls);
    status = io_output_blame(ctx, out, status);
    if (!status && !(out->file = fopencookie(out->calls, "w", functions))) {
        status = satf_fail_memory(ctx, STDIO_BYTES, "an output");
    }
    return status;
}

static satf_status open_target(satf_context *ctx, const char *path, io_output *out)
{
    if (strcmp(path, "-") == 0) {
        out->is_stdout = true;
        out->file = stdout;
        return SATF_OK;
    }
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return satf_fail(ctx, SATF_IO, "is a directory; name a file in it");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        out->file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (!out->file) {
            int error = errno;
            if (fd >= 0) {
                close(fd);
            }
            return satf_fail(ctx, SATF_IO, "cannot be written: %s", strerror(error));
        }
        return SATF_OK;
    }
    if (exists && out->no_clobber) {
        return satf_fail(ctx, SATF_IO, "exists already, and is kept as it is (option: no-clobber)");
    }
    if (exists && access(path, W_OK) != 0) {
        return satf_fail(ctx, SATF_IO, "cannot be replaced: %s", strerror(errno));
    }
    if (path[0] == 0 || path[strlen(path) - 1] == '/') {
        return satf_fail(ctx, SATF_IO, "\"%s\" is not the name of a file", path);
    }
    if (!resolve(path, out->path)) {
        return satf_fail(ctx, SATF_IO, "cannot be written: %s", strerror(errno));
    }
    out->replaces = exists;
    return open_temporary(ctx, out);
}

satf_status io_output_open(satf_context *ctx, const char *path, const satf_file_calls *calls,
                           bool no_clobber, io_output_report *report, io_output **output)
{
    *output = NULL;
    io_output *out = satf_alloc_zeroed(sizeof *out);
    char *buffer = satf_alloc(STDIO_BYTES);
    if (!out || !buffer) {
        satf_free(out);
        satf_free(buffer);
        return satf_fail_memory(ctx, STDIO_BYTES, "an output file");
    }
    out->buffer = buffer;
    out->slot = out->lock = -1;
    out->no_clobber = no_clobber;
    out->report = report ? report : &out->own_report;
    *out->report = (io_output_report){0};
    satf_status status = calls ? open_calls(ctx, calls, out) : open_target(ctx, path, out);
    if (status) {
        io_output_discard(out);
        return status;
    }
    if (!out->is_stdout) {
        setvbuf(out->file, out->buffer, _IOFBF, STDIO_BYTES);
    }
    *output = out;
    return SATF_OK;
}

bool io_output_is_stdout(const char *path)
{
    struct stat file, out;
    if (strcmp(path, "-") == 0) {
        return true;
    }
    if (stat(path, &file) || fstat(STDOUT_FILENO, &out)) {
        return false;
    }
    bool same = file.st_dev == out.st_dev && file.st_ino == out.st_ino;
    /* Whoever writes to /dev/null twice mixes nothing. */
    return same && (!S_ISCHR(out.st_mode) || isatty(STDOUT_FILENO));
}

FILE *io_output_file(io_output *out)
{
    return out->file;
}

/* ----------------------------------------------------------------- the end */

/* Renames unless the target exists: 0, or -1 and errno. */
static int rename_new(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
#endif
    int result = link(from, to);
    if (result == 0) {
        unlink(from);
    }
    return result;
}

/* Not before the end: a temporary of another owner is not swept. What has appeared since the output
 * was opened is replaced, too. */
static void output_keep(const io_output *out)
{
    if (out->replaces || (!out->no_clobber && access(out->path, F_OK) == 0)) {
        io_keep(out->path, out->lock, out->report);
    }
}

/* Whether a write to it has failed because there is no room: codecs tell that it failed, not why.
 * So what is to be removed anyway is made longer. */
static bool output_is_full(const io_output *out)
{
    static const char more[1 << 14];
    bool asks = out->file && ferror(out->file) && out->slot >= 0 && out->lock >= 0;
    ssize_t left = asks && lseek(out->lock, 0, SEEK_END) >= 0 ? sizeof more : 0, n = 1;
    while (left > 0 && n > 0) {
        n = write(out->lock, more, (size_t)left);
        left -= n;
    }
    return n < 0 && means_full(errno);
}

static void free_output(io_output *out)
{
    if (out->slot >= 0) {
        atomic_store(&slots[out->slot].state, SLOT_FREE);
    }
    if (out->lock >= 0) {
        close(out->lock);
    }
    io_calls_destroy(out->calls);
    satf_free(out->buffer);
    satf_free(out);
}

satf_status io_output_commit(satf_context *ctx, io_output *out)
{
    errno = 0;
    bool failed = ferror(out->file) || fflush(out->file) != 0;
    int error = errno;
    if (!out->is_stdout) {
        if (fclose(out->file) != 0 && !failed) {
            failed = true;
            error = errno;
        }
        out->file = NULL;
    }
    if (failed) {
        out->report->full = means_full(error);
        satf_status status = satf_fail(ctx, SATF_IO, "writing failed: %s",
                                       error ? strerror(error) : "an earlier write to it did");
        return io_output_end(ctx, out, status);
    }
    if (out->slot >= 0) {
        const char *from = slots[out->slot].path;
        output_keep(out);
        int result = out->no_clobber ? rename_new(from, out->path) : rename(from, out->path);
        if (result != 0) {
            error = errno;
            out->report->full = means_full(error);
            io_output_discard(out);
            if (error == EEXIST) {
                return satf_fail(ctx, SATF_IO,
                                 "appeared meanwhile, and is kept as it is "
                                 "(option: no-clobber)");
            }
            return satf_fail(ctx, SATF_IO, "cannot be replaced: %s", strerror(error));
        }
    }
    free_output(out);
    return SATF_OK;
}

satf_status io_output_blame(satf_context *ctx, const io_output *out, satf_status status)
{
    const char *failure = out ? io_calls_failure(out->calls) : NULL;
    return failure ? satf_fail(ctx, SATF_IO, "writing failed: %s", failure) : status;
}

satf_status io_output_end(satf_context *ctx, io_output *out, satf_status status)
{
    if (!status && out) {
        return io_output_commit(ctx, out);
    }
    status = io_output_blame(ctx, out, status);
    if (out && status == SATF_IO) {
        out->report->full = out->report->full || output_is_full(out);
    }
    io_output_discard(out);
    return status;
}

void io_output_discard(io_output *out)
{
    if (!out) {
        return;
    }
    if (out->calls) {
        io_calls_give_up(out->calls); /* what the file still holds is not written */
    }
    if (out->file && !out->is_stdout) {
        fclose(out->file);
    }
    if (out->slot >= 0 && atomic_load(&slots[out->slot].state) == SLOT_EXISTS) {
        unlink(slots[out->slot].path);
    }
    free_output(out);
}
