/* Outputs that appear whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

#include "../base/parallel.h"
#include "calls.h"
#include "codec.h"
#include "keep.h"

enum { STDIO_BYTES = 128 << 10 };

struct io_output {
    FILE *file;               /* holds the lock of the temporary */
    char *buffer;             /* the file's, for stdio */
    char path[PATH_MAX];      /* the target, links resolved */
    char temporary[PATH_MAX]; /* beside it */
    int slot;                 /* in outputs[]; -1: it has no temporary */
    io_calls *calls;          /* that it goes to; NULL: none */
    bool no_clobber;
    bool replaces;            /* a file that was there when it was opened */
    io_output_report *report; /* the caller's, or its own */
    io_output_report own_report;
};

/* ------------------------------------------------------------------- slots */

/*
 * The outputs that have a temporary, for a signal handler; as many as threads may work. No lock
 * guards them: a handler may have stopped who holds it, and after fork() a child may have copied
 * one that nobody gives back. Who creates a temporary or frees an output first says so, in
 * `creating` or its slot, then looks at ending_process; a handler does these two the other way
 * round, so one sees the other. A thread that creates one lets no handler interrupt it, so a
 * handler can wait for it.
 */
static io_output *_Atomic outputs[SATF_MAX_THREADS];
static atomic_int creating;        /* threads at it */
static atomic_bool ending_process; /* nothing is created or freed any more */

void io_output_cleanup(void)
{
    enum { WAITS = 1000 }; /* of a millisecond: a file system may hang */
    static const struct timespec a_while = {.tv_nsec = 1000000};
    atomic_store(&ending_process, true);
    for (int waits = 0; atomic_load(&creating) > 0 && waits < WAITS; waits++) {
        nanosleep(&a_while, NULL);
    }
    for (int i = 0; i < SATF_MAX_THREADS; i++) {
        const io_output *out = atomic_load(&outputs[i]);
        if (out) {
            unlink(out->temporary);
        }
    }
}

static bool claim_slot(io_output *out)
{
    for (int i = 0; i < SATF_MAX_THREADS; i++) {
        io_output *none = NULL;
        if (atomic_compare_exchange_strong(&outputs[i], &none, out)) {
            out->slot = i;
            return true;
        }
    }
    errno = EMFILE;
    return false;
}

static void release_slot(io_output *out)
{
    if (out->slot >= 0) {
        atomic_store(&outputs[out->slot], NULL);
        out->slot = -1;
    }
}

/* Creates the temporary in a slot; a file descriptor, or -1 and errno. Who may not read the file
 * that it replaces must not read the new one before its end either. */
static int create_in_slot(io_output *out)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&creating, 1);
    int fd = -1;
    errno = EINTR;
    if (!atomic_load(&ending_process) && claim_slot(out)) {
        mode_t mode = out->replaces ? 0600 : 0666;
        fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    int error = errno;
    if (fd < 0) {
        release_slot(out);
    }
    atomic_fetch_sub(&creating, 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

/* ------------------------------------------------------------- temporaries */

/*
 * ".RANDOM.satf-tmp" beside the output. A lock (flock) says that its process lives: the kernel
 * drops it with the process however that ends, and what is found without one was left behind. See
 * io_output_sweep().
 */
static const char ending[] = ".satf-tmp";
enum { RANDOM_DIGITS = 16 };

/* The bytes of the path's folder with its slash; 0: it names none. */
static int folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

static bool make_name(io_output *out)
{
    uint64_t random;
    if (getentropy(&random, sizeof random) != 0) {
        return false;
    }
    int n = snprintf(out->temporary, PATH_MAX, "%.*s.%016" PRIx64 "%s", folder_bytes(out->path),
                     out->path, random, ending);
    errno = ENAMETOOLONG;
    return n > 0 && n < PATH_MAX;
}

/* Could make_name() have made it? */
static bool is_temporary_name(const char *name)
{
    return name[0] == '.' && strspn(name + 1, "0123456789abcdef") == RANDOM_DIGITS &&
           strcmp(name + 1 + RANDOM_DIGITS, ending) == 0;
}

/* Takes the new file's lock; false if a sweep was faster and removes the file. Where
 * the file system has no locks, sweeps leave everything alone. */
static bool lock_temporary(int fd)
{
    struct stat info;
    bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !taken && fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/* A file descriptor, or -1 and errno. */
static int create_temporary(io_output *out)
{
    errno = EEXIST;
    for (int tries = 0; tries < 100 && errno == EEXIST && make_name(out); tries++) {
        int fd = create_in_slot(out);
        if (fd >= 0 && lock_temporary(fd)) {
            return fd;
        }
        if (fd >= 0) {
            close(fd);
            release_slot(out);
            errno = EEXIST;
        }
    }
    return -1;
}

/* Removes the temporary `name` of the folder unless it is someone's, or another user's. Root's may
 * have its file's owner already. */
static void sweep_one(int folder, const char *name)
{
    /* to write, for NFS locks no other */
    int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    /* Locked before it is removed: who has just created it sees the lock, or that it is gone. */
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        (info.st_uid == geteuid() || geteuid() == 0) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(folder, name, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* ----------------------------------------------------------------- opening */

/* path with symbolic links of its last component followed, existing or not. */
static bool resolve(const char *path, char out[PATH_MAX])
{
    char target[PATH_MAX], joined[PATH_MAX];
    int length = snprintf(out, PATH_MAX, "%s", path);
    for (int links = 0; links < 40 && length < PATH_MAX; links++) {
        ssize_t n = readlink(out, target, sizeof target - 1);
        if (n < 0) {
            return true; /* no link: a file, or a name to create */
        }
        target[n] = 0;
        int folder = target[0] == '/' ? 0 : folder_bytes(out);
        length = snprintf(joined, PATH_MAX, "%.*s%s", folder, out, target);
        memcpy(out, joined, PATH_MAX);
    }
    errno = length < PATH_MAX ? ELOOP : ENAMETOOLONG;
    return false;
}

static bool means_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

static satf_status fail_open(satf_context *ctx, io_output *out)
{
    int error = errno, folder = folder_bytes(out->path);
    const char *dir = folder ? out->path : ".";
    size_t length = folder > 1 ? (size_t)folder - 1 : 1; /* of "/name" 1 */
    length = length < 700 ? length : 700;
    out->report->full = means_full(error);
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
    int length = folder_bytes(target);
    target[length] = 0;
    DIR *folder = opendir(length ? target : ".");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (is_temporary_name(entry->d_name)) {
            sweep_one(dirfd(folder), entry->d_name);
        }
    }
    if (folder) {
        closedir(folder);
    }
}

/* The output's file is that of the descriptor, if this is none below 0; else closed, and errno. */
static bool open_descriptor(io_output *out, int fd)
{
    out->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out->file && fd >= 0) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return out->file;
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
        out->file = stdout;
        return SATF_OK;
    }
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return satf_fail(ctx, SATF_IO, "is a directory; name a file in it");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        return open_descriptor(out, open(path, O_WRONLY | O_CLOEXEC))
                   ? SATF_OK
                   : satf_fail(ctx, SATF_IO, "cannot be written: %s", strerror(errno));
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
    return open_descriptor(out, create_temporary(out)) ? SATF_OK : fail_open(ctx, out);
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
    out->slot = -1;
    out->no_clobber = no_clobber;
    out->report = report ? report : &out->own_report;
    *out->report = (io_output_report){0};
    satf_status status = calls ? open_calls(ctx, calls, out) : open_target(ctx, path, out);
    if (status) {
        io_output_discard(out);
        return status;
    }
    if (out->file != stdout) {
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

/* Renames unless the target exists: 0, or -1 and errno. The old name may stay. */
static int rename_new(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) {
        return result;
    }
#endif
    return link(from, to);
}

/* Whether a write to it has failed because there is no room: codecs tell that it failed, not why.
 * So what is to be removed anyway is made longer. */
static bool output_is_full(const io_output *out)
{
    static const char more[1 << 14];
    bool asks = out->slot >= 0 && ferror(out->file);
    ssize_t left = asks && lseek(fileno(out->file), 0, SEEK_END) >= 0 ? sizeof more : 0, n = 1;
    while (left > 0 && n > 0) {
        n = write(fileno(out->file), more, (size_t)left);
        left -= n;
    }
    return n < 0 && means_full(errno);
}

/* Writes what the file still holds: 0, or the error. Some file systems tell of a full disk as late
 * as at close(): a duplicate is closed, so the lock stays. */
static int output_flush(const io_output *out)
{
    int fd = fileno(out->file); /* of calls -1 */
    if (fflush(out->file) != 0) {
        return errno;
    }
    int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return fd >= 0 && (copy < 0 || close(copy) != 0) ? errno : 0;
}

/* Gives the temporary its name: 0, or -1 and errno. A replaced file's owner and permissions come
 * last: until then nobody else may read it, and its user's sweeps find it. What has appeared since
 * the output was opened is replaced, too. */
static int output_rename(const io_output *out)
{
    if (out->replaces || (!out->no_clobber && access(out->path, F_OK) == 0)) {
        io_keep(out->path, fileno(out->file), out->report);
    }
    return out->no_clobber ? rename_new(out->temporary, out->path)
                           : rename(out->temporary, out->path);
}

static satf_status output_commit(satf_context *ctx, io_output *out)
{
    bool failed = ferror(out->file);
    int error = output_flush(out);
    if (failed || error) {
        out->report->full = means_full(error);
        return satf_fail(ctx, SATF_IO, "writing failed: %s",
                         error ? strerror(error) : "an earlier write to it did");
    }
    if (out->slot < 0 || output_rename(out) == 0) {
        return SATF_OK;
    }
    error = errno;
    out->report->full = means_full(error);
    if (error == EEXIST) {
        return satf_fail(ctx, SATF_IO,
                         "appeared meanwhile, and is kept as it is (option: no-clobber)");
    }
    return satf_fail(ctx, SATF_IO, "cannot be replaced: %s", strerror(error));
}

satf_status io_output_blame(satf_context *ctx, const io_output *out, satf_status status)
{
    const char *failure = out ? io_calls_failure(out->calls) : NULL;
    return failure ? satf_fail(ctx, SATF_IO, "writing failed: %s", failure) : status;
}

satf_status io_output_end(satf_context *ctx, io_output *out, satf_status status)
{
    status = status || !out ? status : output_commit(ctx, out);
    if (out && status) {
        status = io_output_blame(ctx, out, status);
        out->report->full = out->report->full || (status == SATF_IO && output_is_full(out));
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
    if (out->slot >= 0) {
        unlink(out->temporary); /* it has gone already, if all went well */
        release_slot(out);
    }
    if (out->file && out->file != stdout) {
        fclose(out->file);
    }
    io_calls_destroy(out->calls);
    satf_free(out->buffer);
    if (!atomic_load(&ending_process)) { /* else a handler may look at it */
        satf_free(out);
    }
}
