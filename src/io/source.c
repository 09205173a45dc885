/* Sources: the bytes of a file, a pipe, memory or a caller's callbacks. */
#include "calls.h"
#include "codec.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/share.h"

/* Large enough that system calls do not count beside decoding, and so small that the callback is
 * asked often. */
enum { BUFFER_BYTES = 256 << 10, MOST_READ = 1 << 20 };

satf_status io_source_open_fd(satf_context *ctx, int fd, io_source *source)
{
    unsigned char *buffer = satf_alloc(BUFFER_BYTES);
    if (!buffer) {
        return satf_fail_memory(ctx, BUFFER_BYTES, "a file's buffer");
    }
    *source = (io_source){.at = buffer, .end = buffer, .fd = fd, .buffer = buffer, .bytes = -1};
    struct stat info;
    off_t start = lseek(fd, 0, SEEK_CUR);
    /* Some of /proc claim to be empty. */
    if (start >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > start) {
        source->start = start;
        source->bytes = info.st_size - start;
    }
    return SATF_OK;
}

satf_status io_source_open_calls(satf_context *ctx, const satf_file_calls *calls, io_source *source)
{
    unsigned char *buffer = satf_alloc(BUFFER_BYTES);
    io_calls *made = NULL;
    satf_status status = buffer ? io_calls_create(ctx, calls, false, &made)
                                : satf_fail_memory(ctx, BUFFER_BYTES, "a file's buffer");
    if (status) {
        satf_free(buffer);
        return status;
    }
    *source = (io_source){.at = buffer,
                          .end = buffer,
                          .fd = -1,
                          .calls = made,
                          .buffer = buffer,
                          .bytes = made->bytes};
    return SATF_OK;
}

void io_source_open_memory(const void *data, size_t bytes, io_source *source)
{
    const unsigned char *at = data;
    *source = (io_source){.at = at, .end = at, .fd = -1, .begin = at, .bytes = (int64_t)bytes};
    source->ended = bytes == 0;
}

static bool in_memory(const io_source *source)
{
    return source->begin || (source->fd < 0 && !source->calls);
}

/* A pipe, all of which has been read, becomes memory, which is the source's: so it can be read
 * again. */
static void keep_in_memory(io_source *source, unsigned char *all, size_t bytes)
{
    satf_free(source->buffer);
    source->buffer = all;
    source->begin = all;
    source->at = source->end = all + bytes;
    source->bytes = (int64_t)bytes;
    source->was_pipe = true;
}

satf_status io_source_open_beside(satf_context *ctx, const io_source *of, io_source *source)
{
    if (in_memory(of)) {
        io_source_open_memory(of->begin, (size_t)of->bytes, source);
        return SATF_OK;
    }
    unsigned char *buffer = satf_alloc(BUFFER_BYTES);
    *source = (io_source){.at = buffer,
                          .end = buffer,
                          .fd = of->fd,
                          .calls = of->calls,
                          .shares = true,
                          .buffer = buffer,
                          .start = of->start,
                          .bytes = of->bytes};
    return buffer ? SATF_OK : satf_fail_memory(ctx, BUFFER_BYTES, "a file's buffer");
}

void io_source_close(io_source *source)
{
    if (source->fd > STDIN_FILENO && !source->shares) {
        close(source->fd);
    }
    if (!source->shares) {
        io_calls_destroy(source->calls);
    }
    satf_free(source->buffer);
}

/* Whether the callback lets reading go on. */
static bool source_goes_on(io_source *source)
{
    source->cancelled = source->cancelled || (source->ctx && satf_tick(source->ctx));
    source->ended |= source->cancelled;
    return !source->ended;
}

/* At least n bytes of memory come to hand, and a buffer's, as far as there are. */
static void show_memory(io_source *source, size_t n)
{
    size_t left = (size_t)(source->begin + source->bytes - source->at);
    n = n > BUFFER_BYTES ? n : BUFFER_BYTES;
    if (source_goes_on(source)) {
        source->end = source->at + (n < left ? n : left);
        source->ended = n >= left;
    }
}

/* One read of the file; below 0 after an error. */
static ssize_t read_once(const io_source *source, void *dst, size_t n)
{
    ssize_t got;
    if (source->calls) {
        return (ssize_t)io_calls_read(source->calls, source->position, dst, n);
    }
    do {
        got = source->shares ? pread(source->fd, dst, n, source->start + source->position)
                             : read(source->fd, dst, n);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Reads some bytes; 0 at the end or after an error, unless the callback stops it. */
static size_t read_some(io_source *source, unsigned char *dst, size_t n)
{
    if (!source_goes_on(source)) {
        return 0;
    }
    ssize_t got = read_once(source, dst, n < MOST_READ ? n : MOST_READ);
    if (got <= 0) {
        source->error = got < 0 ? errno : 0;
        source->ended = true;
        return 0;
    }
    source->position += got;
    return (size_t)got;
}

bool io_source_fill(io_source *source)
{
    if (source->at < source->end) {
        return true;
    }
    if (in_memory(source)) {
        show_memory(source, 1);
        return source->at < source->end;
    }
    size_t got = read_some(source, source->buffer, BUFFER_BYTES);
    if (got == 0) {
        return false;
    }
    source->at = source->buffer;
    source->end = source->buffer + got;
    return true;
}

/* Could be read without waiting; of callbacks nobody knows, but where they seek. */
static bool is_ready(const io_source *source)
{
    if (source->calls) {
        return source->bytes >= 0;
    }
    struct pollfd one = {.fd = source->fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

static size_t peek(io_source *source, size_t n, bool wait)
{
    size_t have = (size_t)(source->end - source->at);
    if (have < n && in_memory(source)) {
        show_memory(source, n);
        return (size_t)(source->end - source->at);
    }
    if (have < n && !source->ended) {
        memmove(source->buffer, source->at, have);
        size_t got;
        while (have < n && (wait || is_ready(source)) &&
               (got = read_some(source, source->buffer + have, BUFFER_BYTES - have)) > 0) {
            have += got;
        }
        source->at = source->buffer;
        source->end = source->buffer + have;
    }
    return have;
}

size_t io_source_peek(io_source *source, size_t n)
{
    return peek(source, n, true);
}

size_t io_source_peek_ready(io_source *source, size_t n)
{
    return peek(source, n, false);
}

size_t io_source_read(io_source *source, void *dst, size_t n)
{
    unsigned char *out = dst;
    size_t taken = 0;
    while (taken < n) {
        size_t have = (size_t)(source->end - source->at);
        size_t wanted = n - taken;
        if (have > 0) {
            size_t part = have < wanted ? have : wanted;
            memcpy(out + taken, source->at, part);
            source->at += part;
            taken += part;
        } else if (wanted >= BUFFER_BYTES && !in_memory(source)) {
            size_t got = read_some(source, out + taken, wanted);
            if (got == 0) {
                break;
            }
            taken += got;
        } else if (!io_source_fill(source)) {
            break;
        }
    }
    return taken;
}

int64_t io_source_taken(const io_source *source)
{
    return in_memory(source) ? source->at - source->begin
                             : source->position - (source->end - source->at);
}

void io_source_seek(io_source *source, int64_t offset)
{
    bool inside = offset >= 0 && offset <= source->bytes;
    if (in_memory(source)) {
        source->at = source->end = source->begin + (inside ? offset : source->bytes);
        source->ended = !inside || source->cancelled;
        return;
    }
    source->at = source->end = source->buffer;
    source->ended = !inside || source->cancelled ||
                    (!source->shares && !source->calls &&
                     lseek(source->fd, source->start + offset, SEEK_SET) < 0);
    source->position = offset;
}

size_t io_source_look(const io_source *source, int64_t offset, void *dst, size_t n)
{
    if (offset < 0 || offset >= source->bytes) {
        return 0;
    }
    n = n < (uint64_t)(source->bytes - offset) ? n : (size_t)(source->bytes - offset);
    if (in_memory(source)) {
        memcpy(dst, source->begin + offset, n);
        return n;
    }
    io_source there = *source;
    there.shares = true;
    size_t done = 0;
    while (done < n) {
        there.position = offset + (int64_t)done;
        ssize_t got = read_once(&there, (char *)dst + done, n - done);
        if (got <= 0) {
            break;
        }
        done += (size_t)got;
    }
    return done;
}

satf_status io_source_slurp(satf_context *ctx, io_source *source, const unsigned char **data,
                            size_t *bytes, void **owned)
{
    bool begins = io_source_taken(source) == 0;
    *owned = NULL;
    if (in_memory(source)) {
        *data = source->at;
        *bytes = (size_t)(source->begin + source->bytes - source->at);
        io_source_seek(source, source->bytes);
        return SATF_OK;
    }
    unsigned char *all = NULL;
    size_t room = BUFFER_BYTES, used = 0;
    if (source->bytes > 0) { /* what is made of it, which is asked for later, is more */
        satf_status status = satf_share_reserve(ctx, 3 * (uint64_t)source->bytes);
        if (status) {
            return status;
        }
        room = (size_t)source->bytes / 2 + 1; /* with a byte more, to see that it ends there */
    }
    do {
        room *= 2;
        satf_status status = io_check_bytes(ctx, room);
        unsigned char *larger = status ? NULL : satf_grow(all, used, room);
        if (!larger) {
            satf_free(all);
            return status ? status : satf_fail_memory(ctx, room, "a file's content");
        }
        all = larger;
        used += io_source_read(source, all + used, room - used);
    } while (used == room);
    if (source->error || source->cancelled || io_calls_failure(source->calls)) {
        satf_free(all);
        return io_fail_short(ctx, source);
    }
    *data = all;
    *bytes = used;
    if (begins && source->bytes < 0) {
        keep_in_memory(source, all, used);
    } else {
        *owned = all;
    }
    return SATF_OK;
}

satf_status io_fail_short(satf_context *ctx, const io_source *source)
{
    if (source && source->cancelled) {
        return satf_fail(ctx, SATF_CANCELLED, "stopped on request");
    }
    const char *failure = source ? io_calls_failure(source->calls) : NULL;
    if (failure || (source && source->error)) {
        return satf_fail(ctx, SATF_IO, "reading failed: %s",
                         failure ? failure : strerror(source->error));
    }
    return satf_fail(ctx, SATF_DATA,
                     "the file ends before its data does (truncated); get a complete copy");
}

satf_status io_check_bytes(satf_context *ctx, uint64_t bytes)
{
    if (bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "decoding it takes %" PRIu64 " bytes, above the limit of %" PRId64
                         " bytes (limit: max-memory)",
                         bytes, ctx->settings.max_bytes);
    }
    return SATF_OK;
}

/* Near the end, for some programs pad their files. The more bytes are looked at, the likelier is
 * an end that is not the file's, such as a thumbnail's. */
static bool ends_with(const io_source *source, const char *end, size_t end_bytes)
{
    unsigned char tail[64];
    int64_t from = source->bytes > (int64_t)sizeof tail ? source->bytes - (int64_t)sizeof tail : 0;
    size_t n = io_source_look(source, from, tail, sizeof tail);
    return memmem(tail, n, end, end_bytes) != NULL;
}

satf_status io_check_ratio(satf_context *ctx, const io_source *source, uint64_t samples,
                           unsigned bits, const char *end, size_t end_bytes)
{
    if (source->bytes < 0) {
        return SATF_OK;
    }
    double ratio = (double)samples * bits / 8 / ((double)source->bytes + 1);
    if (ratio > (double)ctx->settings.max_ratio) {
        if (!ends_with(source, end, end_bytes)) {
            return io_fail_short(ctx, NULL);
        }
        return satf_fail(ctx, SATF_LIMIT,
                         "the picture claims to be %.0f times as large as its file of %" PRId64
                         " bytes, above the limit of %" PRId64 " times (limit: max-ratio)",
                         ratio, source->bytes, ctx->settings.max_ratio);
    }
    return SATF_OK;
}

#define SWAP(bits)                              \
    for (size_t i = 0; i < count; i++) {        \
        uint##bits##_t v;                       \
        memcpy(&v, s + i * sizeof v, sizeof v); \
        v = __builtin_bswap##bits(v);           \
        memcpy(s + i * sizeof v, &v, sizeof v); \
    }

void io_swap_bytes(void *samples, size_t count, size_t sample_bytes)
{
    unsigned char *s = samples;
    if (sample_bytes == 2) {
        SWAP(16)
    } else if (sample_bytes == 4) {
        SWAP(32)
    } else if (sample_bytes == 8) {
        SWAP(64)
    }
}
