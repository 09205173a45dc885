/* Files of a caller's, by callbacks. */
#include "calls.h"

#include <errno.h>
#include <stdio.h>

#include "../base/memory.h"
#include "io.h"

/* A callback is asked for so many bytes at most. */
enum { MOST_BYTES = 1 << 20 };

static const char read_failed[] = "the callback `read` has failed",
                  read_more[] = "the callback `read` has returned more bytes than it was asked for",
                  write_failed[] = "the callback `write` has failed",
                  write_more[] = "the callback `write` has taken more bytes than it was given",
                  seek_failed[] = "the callback `seek` has failed",
                  given_up[] = "the file was given up";

void satf_file_calls_init(satf_file_calls *calls, size_t bytes)
{
    satf_file_calls all = {.bytes = bytes};
    satf_give(calls, bytes, &all, sizeof all);
}

/* Only the first failure is told of, and no callback is called after it. */
static bool fails(io_calls *c, bool failed, const char *why)
{
    if (failed) {
        const char *none = NULL;
        atomic_compare_exchange_strong(&c->failure, &none, why);
    }
    return failed;
}

const char *io_calls_failure(const io_calls *c)
{
    return c ? atomic_load(&c->failure) : NULL;
}

void io_calls_give_up(io_calls *c)
{
    fails(c, true, given_up);
}

/* With the lock held: the file is at that place, in bytes behind its start. */
static bool calls_go_to(io_calls *c, int64_t place)
{
    int64_t there;
    if (io_calls_failure(c)) {
        return false;
    }
    if (c->at != place) {
        bool possible = c->of.seek && !__builtin_add_overflow(c->start, place, &there);
        if (fails(c, !possible || c->of.seek(c->of.user, there, SEEK_SET) != there, seek_failed)) {
            return false;
        }
        c->at = place;
    }
    return true;
}

/* Finds where the file starts and, if it is read, its size from there on. */
static void find_start(io_calls *c, bool writes)
{
    c->bytes = -1;
    c->start = c->of.seek ? c->of.seek(c->of.user, 0, SEEK_CUR) : 0;
    int64_t end = c->start;
    if (c->of.seek && c->start >= 0 && !writes) {
        end = c->of.seek(c->of.user, 0, SEEK_END);
        c->at = c->bytes = end < c->start ? 0 : end - c->start;
    }
    fails(c, c->start < 0 || end < c->start, seek_failed);
}

satf_status io_calls_create(satf_context *ctx, const satf_file_calls *given, bool writes,
                            io_calls **out)
{
    *out = NULL;
    satf_file_calls of = {0};
    satf_status status = io_take_struct(ctx, "satf_file_calls", given, &of, sizeof of);
    if (!status && !(writes ? of.write != NULL : of.read != NULL)) {
        status =
            satf_fail(ctx, SATF_INVALID, "the callback `%s` is missing", writes ? "write" : "read");
    }
    if (status) {
        return status;
    }
    io_calls *c = satf_alloc_zeroed(sizeof *c);
    if (!c) {
        return satf_fail_memory(ctx, sizeof *c, "a file's callbacks");
    }
    pthread_mutex_init(&c->lock, NULL);
    c->of = of;
    find_start(c, writes);
    *out = c;
    return SATF_OK;
}

void io_calls_destroy(io_calls *c)
{
    if (c) {
        pthread_mutex_destroy(&c->lock);
        satf_free(c);
    }
}

size_t io_calls_read(io_calls *c, int64_t place, void *to, size_t n)
{
    int64_t got = 0, most = n < MOST_BYTES ? (int64_t)n : MOST_BYTES;
    int error = errno; /* what the callbacks leave there says nothing of a codec's memory */
    pthread_mutex_lock(&c->lock);
    if (calls_go_to(c, place)) {
        got = c->of.read(c->of.user, to, (size_t)most);
        got = fails(c, got < 0, read_failed) || fails(c, got > most, read_more) ? 0 : got;
        c->at += got;
    }
    pthread_mutex_unlock(&c->lock);
    errno = error;
    return (size_t)got;
}

bool io_calls_write(io_calls *c, const void *from, size_t n)
{
    const char *at = from;
    int error = errno;
    for (int64_t took; n > 0; at += took, n -= (size_t)took) {
        int64_t most = n < MOST_BYTES ? (int64_t)n : MOST_BYTES;
        if (io_calls_failure(c)) {
            return false;
        }
        took = c->of.write(c->of.user, at, (size_t)most);
        if (fails(c, took <= 0, write_failed) || fails(c, took > most, write_more)) {
            return false;
        }
        c->at += took;
    }
    errno = error;
    return true;
}

int64_t io_calls_seek(io_calls *c, int64_t offset, int whence)
{
    int64_t base = whence == SEEK_SET ? 0 : c->at, place;
    if (!c->of.seek || whence == SEEK_END || __builtin_add_overflow(base, offset, &place) ||
        place < 0 || !calls_go_to(c, place)) {
        return -1;
    }
    return place;
}
