/* An order of an image's pixels: a permutation of their numbers, counted along the rows. */
#ifndef SATF_CHAIN_ORDER_H
#define SATF_CHAIN_ORDER_H

#include <stdatomic.h>

#include "../base/context.h"

/* Never changed once it is made, so that filters share it, whatever thread they are used on. */
typedef struct filter_order {
    _Atomic int users;
    int64_t width, height; /* the image's, where the file's array is one; else 0 */
    int64_t count;         /* 1 ... MOVE_MAX_ORDER */
    uint32_t entries[];    /* pixel k of the result is pixel entries[k] */
} filter_order;

/* Makes an order with room for count entries, of one user; SATF_INVALID for none or too many. */
satf_status filter_order_new(satf_context *ctx, int64_t count, filter_order **out);

/* SATF_OK if each of 0 ... count - 1 is among the entries; else a sentence that names the first
 * entry that repeats another. The entries must be below count. */
satf_status filter_order_prove(satf_context *ctx, const filter_order *order);

/* Fails because entry k is the number `value`, which no pixel has. `sign`: "" or "-". */
satf_status filter_order_fail(satf_context *ctx, const filter_order *order, int64_t k,
                              const char *sign, uint64_t value);

/* Makes an order from numbers in memory, which stay the caller's. *out is NULL on failure. */
satf_status filter_order_make(satf_context *ctx, const int64_t *numbers, size_t count,
                              filter_order **out);

/* Reads an order from a .npy file of integers, (H * W,) or (H, W). (order_file.c) */
satf_status filter_order_read(satf_context *ctx, const char *path, filter_order **out);

/* SATF_OK if images of this size have as many pixels. */
satf_status filter_order_check(satf_context *ctx, const filter_order *order, const satf_view *in);

/* One user more, one less; the last one frees it. NULL is allowed. */
void filter_order_share(filter_order *order);
void filter_order_release(filter_order *order);

#endif
