/*
 * satfilter-rows.h - filters on pictures that are never held whole: rows are pushed and pulled.
 *
 * A part of satfilter.h, which includes it and has the conventions.
 */
/* In front of the guard: whichever header comes first, satfilter.h has them in its own order. */
#include "satfilter.h"

#ifndef SATFILTER_ROWS_H
#define SATFILTER_ROWS_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A chain of filters on one picture that comes row by row, as from a scanner. Rows of the picture
 * are pushed, rows of the result are pulled, in any turn:
 *
 *     while (rows of the result are missing) {
 *         read rows, unless all are read; push them: *taken of them are gone
 *         pull rows: *count of them are here; write them
 *     }
 *
 * Results are the bits of satf_filter_apply() on the CPU. Memory does not depend on the picture's
 * height, but on the windows'. Neither call waits for the caller, only for filters at work. How
 * many rows are taken and given depends on shapes and calls, not on threads or time; many rows a
 * call are faster than one. Both calls report progress, also while they wait for filters; when it
 * cancels, all later calls return SATF_CANCELLED, too. Rows are used by one thread at a time, in
 * the process that opened them, and closed before their context is destroyed.
 */
typedef struct satf_rows satf_rows;

/*
 * in, out: views of the host as satf_filter_apply() takes them, without data. Takes all memory, and
 * a thread for each filter, of which as many work at a time as the context has threads. The
 * context's settings count as they are now. The filter may be destroyed afterwards.
 * SATF_UNSUPPORTED: a filter needs the whole picture, and the message says why. So do templates,
 * turns, filters of several steps and, with border wrap or SATF_ENGINE_SAT, windows.
 * SATF_LIMIT: the memory is above SATF_MAX_MEMORY. *rows is NULL on failure.
 */
SATF_API satf_status satf_rows_open(satf_context *ctx, const satf_filter *filter,
                                    const satf_view *in, const satf_view *out, satf_rows **rows);

/*
 * Takes copies of the next rows of the picture, of `count` rows of which the first lies at data,
 * the next at data + stride. *taken = how many there was room for: less than count if rows must be
 * pulled before there is more. SATF_INVALID if the picture has less than count rows left.
 */
SATF_API satf_status satf_rows_push(satf_rows *rows, const void *data, int64_t stride,
                                    int64_t count, int64_t *taken);

/*
 * Stores the next rows of the result, at most max of them, in the same way. *count = how many: less
 * than max if rows must be pushed before there are more, or the last has been pulled.
 */
SATF_API satf_status satf_rows_pull(satf_rows *rows, void *data, int64_t stride, int64_t max,
                                    int64_t *count);

/* Stops all work, wherever it is, and frees everything; NULL is allowed. */
SATF_API void satf_rows_close(satf_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
