/* Files of a caller's, by callbacks, as sources and outputs use them. */
#ifndef SATF_IO_CALLS_H
#define SATF_IO_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "../base/context.h"

/* A file that is read or written, one callback at a time. */
typedef struct io_calls {
    satf_file_calls of;
    pthread_mutex_t lock; /* readers take it */
    int64_t start;        /* where the file was at first, as `seek` counts */
    int64_t at;           /* where it is, in bytes behind that */
    int64_t bytes; /* from the start to its end, when it was opened; -1: a pipe, or written */
    _Atomic(const char *) failure;
} io_calls;

/* A copy of the caller's struct. SATF_INVALID where the callback that it takes is missing. One that
 * fails is not told of here, but by io_calls_failure(). */
satf_status io_calls_create(satf_context *ctx, const satf_file_calls *given, bool writes,
                            io_calls **out);
void io_calls_destroy(io_calls *calls); /* NULL is allowed */

/* Why nothing goes any more, a clause; NULL: it does. calls may be NULL. */
const char *io_calls_failure(const io_calls *calls);

/* No callback is called from now on. */
void io_calls_give_up(io_calls *calls);

/* Up to n bytes from that place on, which of a pipe is where it is; for threads side by side. 0:
 * the end, or a failure. */
size_t io_calls_read(io_calls *calls, int64_t place, void *to, size_t n);

/* All of them; false: a failure. */
bool io_calls_write(io_calls *calls, const void *from, size_t n);

/* Goes to that many bytes behind the start (SEEK_SET) or behind where it is (SEEK_CUR), and returns
 * how many are in front of it then; -1: it cannot. */
int64_t io_calls_seek(io_calls *calls, int64_t offset, int whence);

#endif
