/* The choice of the matrix that an array is taken for. */
#include <inttypes.h>

#include "permute.h"

enum { LEAST = 32, RUN_BYTES = 64 };

/* Whether rows of this length fit a CUDA block, and their schedules 16 bits. */
static bool fits(int64_t length, int element_bytes)
{
    return length * element_bytes <= PERMUTE_ROW_BYTES && length <= SCHEDULE_MAX;
}

/* The length of middle rows that is nearest to that length of rows; 0 if there is none. */
static int64_t middle_length(const permute_request *r, int64_t length, bool pieces)
{
    int64_t rows = r->n / length, best = 0;
    if (!pieces) {
        return rows % LEAST == 0 && fits(rows, r->element_bytes) ? rows : 0;
    }
    /* a multiple of rows and of 32 that divides n and gives whole pieces */
    for (int64_t m = rows; fits(m, r->element_bytes); m += rows) {
        bool divides = m % LEAST == 0 && r->n % m == 0 && length % (r->n / m) == 0;
        int64_t off = m < length ? length - m : m - length;
        int64_t least = best < length ? length - best : best - length;
        if (divides && (!best || off < least)) {
            best = m;
        }
    }
    return best;
}

/*
 * Long rows make long pieces, so that what spread writes fills whole lines of memory;
 * short ones let several blocks run at a time. So: the shortest with pieces of RUN_BYTES,
 * else those with the longest pieces. Without pieces: nearest to square.
 */
static int64_t score(const permute_request *r, int64_t length, int64_t middle, bool pieces)
{
    int64_t longer = length > middle ? length : middle;
    int64_t run = length / (r->n / middle) * r->element_bytes;
    if (!pieces || run >= RUN_BYTES) {
        return -longer;
    }
    return (run - RUN_BYTES) * SCHEDULE_MAX * 2 - longer;
}

satf_status permute_choose_shape(satf_context *ctx, const permute_request *request, bool pieces,
                                 permute_shape *shape)
{
    int64_t best = INT64_MIN;
    for (int64_t length = LEAST; fits(length, request->element_bytes); length += LEAST) {
        if (request->n % length || (request->length && length != request->length)) {
            continue;
        }
        int64_t middle = middle_length(request, length, pieces);
        if (!middle || score(request, length, middle, pieces) <= best) {
            continue;
        }
        best = score(request, length, middle, pieces);
        shape->rows = (uint32_t)(request->n / length);
        shape->length = (uint32_t)length;
        shape->middle_rows = (uint32_t)(request->n / middle);
        shape->middle_length = (uint32_t)middle;
        shape->piece = shape->length / shape->middle_rows;
    }
    if (best == INT64_MIN) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%" PRId64 " elements of %d bytes are no product of two multiples of 32, "
                         "each of at most %d",
                         request->n, request->element_bytes,
                         (int)PERMUTE_ROW_BYTES / request->element_bytes);
    }
    return SATF_OK;
}
