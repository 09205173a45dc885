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
 *         pull rows: *given of them are here; write them
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
 * threads, each for some columns of the picture or some filters of the chain: as many work at a
 * time as the context has threads. The context's settings count as they are now. The filter may be
 * destroyed afterwards. SATF_UNSUPPORTED: a filter needs the whole picture, and the message says
 * why. So do templates, turns, wolf and, with border wrap or SATF_ENGINE_SAT, windows. SATF_LIMIT:
 * the memory is above SATF_LIMIT_MEMORY. *rows is NULL on failure.
 */
SATF_API satf_status satf_rows_open(satf_context *ctx, const satf_filter *filter,
                                    const satf_view *in, const satf_view *out, satf_rows **rows);

/*
 * The same of a picture whose height is not known yet, as from a scanner that feeds: in->height is
 * the most that it may have, 2^31 for example, and out is what satf_filter_apply() takes of such a
 * one, so that a sum's type holds the largest. satf_rows_finish() says where it ends. Results are
 * the bits of the picture as it turns out, in out's type. They come once a window's height of rows
 * and one more has been pushed. SATF_UNSUPPORTED also for weights, and for guided with a guide of
 * its own, which do not end where the picture does.
 */
SATF_API satf_status satf_rows_open_any_height(satf_context *ctx, const satf_filter *filter,
                                               const satf_view *in, const satf_view *out,
                                               satf_rows **rows);

/*
 * Takes copies of the next rows of the picture, of `count` rows of which the first lies at data,
 * the next at data + stride. *taken = how many there was room for: less than count if rows must be
 * pulled before there is more. SATF_INVALID if the picture has less than count rows left.
 */
SATF_API satf_status satf_rows_push(satf_rows *rows, const void *data, int64_t stride,
                                    int64_t count, int64_t *taken);

/*
 * Stores the next rows of the result, at most `count` of them, in the same way. *given = how many:
 * less than count if rows must be pushed before there are more, or the last has been pulled.
 */
SATF_API satf_status satf_rows_pull(satf_rows *rows, void *data, int64_t stride, int64_t count,
                                    int64_t *given);

/*
 * The picture ends with the rows that have been pushed: what is left of the result can be pulled.
 * Only a picture of any height needs it.
 * *height (may be NULL) = how many rows that has in all; 0 on failure. SATF_INVALID if none has
 * been pushed, if rows of a picture of known height are missing, or if it has no whole window under
 * border valid; more rows may be pushed then.
 */
SATF_API satf_status satf_rows_finish(satf_rows *rows, int64_t *height);

/*
 * Forgets the picture, wherever it is: the next row that is pushed is the first of another one of
 * the same shape, of any height again where that was not known. Nothing is planned or allocated
 * anew, but for pictures lower than a window; after a failure or a cancelled call it starts afresh,
 * too. SATF_NO_MEMORY if no thread can be started; the rows can only be reset again or closed then.
 */
SATF_API satf_status satf_rows_reset(satf_rows *rows);

/* Stops all work, wherever it is, and frees everything; NULL is allowed. */
SATF_API void satf_rows_close(satf_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
