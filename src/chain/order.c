/* Makes and checks orders of pixels, from numbers in memory. */
#include "order.h"

#include <inttypes.h>

#include "../permute/bijection.h"
#include "../base/memory.h"
#include "../move/move.h"

satf_status filter_order_new(satf_context *ctx, int64_t count, filter_order **out)
{
    filter_order *order;
    size_t bytes, with_check;
    *out = NULL;
    if (count < 1 || count > MOVE_MAX_ORDER) {
        return satf_fail(ctx, SATF_INVALID,
                         "an order of %" PRId64 " pixels: 1 to %" PRId64 " are possible", count,
                         MOVE_MAX_ORDER);
    }
    if (!satf_mul((size_t)count, sizeof *order->entries, &bytes) ||
        !satf_add(bytes, sizeof *order, &bytes) ||
        !satf_add(bytes, satf_bijection_bytes(count), &with_check) ||
        with_check > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "an order of %" PRId64 " pixels is above the limit of %" PRId64
                         " bytes (limit: max-memory)",
                         count, ctx->settings.max_bytes);
    }
    order = satf_alloc(bytes);
    if (!order) {
        return satf_fail_memory(ctx, bytes, "an order of pixels");
    }
    atomic_init(&order->users, 1);
    order->width = order->height = 0;
    order->count = count;
    *out = order;
    return SATF_OK;
}

satf_status filter_order_prove(satf_context *ctx, const filter_order *order)
{
    int64_t k;
    satf_status status =
        satf_bijection_check(ctx, order->entries, order->count, "the check of an order", &k);
    if (status || k == order->count) {
        return status;
    }
    return satf_fail(ctx, SATF_DATA,
                     "entry %" PRId64 " is %" PRIu32
                     ", which is there before; each of 0 to %" PRId64 " must be there once",
                     k, order->entries[k], order->count - 1);
}

satf_status filter_order_fail(satf_context *ctx, const filter_order *order, int64_t k,
                              const char *sign, uint64_t value)
{
    return satf_fail(ctx, SATF_DATA,
                     "entry %" PRId64 " is %s%" PRIu64 "; each of 0 to %" PRId64
                     " must be there once",
                     k, sign, value, order->count - 1);
}

satf_status filter_order_make(satf_context *ctx, const int64_t *numbers, size_t count,
                              filter_order **out)
{
    filter_order *order;
    satf_status status =
        filter_order_new(ctx, (uint64_t)count > INT64_MAX ? INT64_MAX : (int64_t)count, &order);
    for (int64_t k = 0; !status && k < order->count; k++) {
        int64_t value = numbers[k];
        order->entries[k] = (uint32_t)value;
        if (value < 0 || value >= order->count) {
            uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
            status = filter_order_fail(ctx, order, k, value < 0 ? "-" : "", size);
        }
    }
    if (!status) {
        status = filter_order_prove(ctx, order);
    }
    if (status) {
        filter_order_release(order);
        order = NULL;
    }
    *out = order;
    return status == SATF_DATA ? SATF_INVALID : status;
}

satf_status filter_order_check(satf_context *ctx, const filter_order *order, const satf_view *in)
{
    if (order->width && (order->width != in->width || order->height != in->height)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the order is for images of %" PRId64 " x %" PRId64
                         " pixels, width by height; this one has %" PRId64 " x %" PRId64,
                         order->width, order->height, in->width, in->height);
    }
    if (order->count != in->width * in->height) {
        return satf_fail(ctx, SATF_INVALID,
                         "the order has %" PRId64 " entries; the image has %" PRId64 " x %" PRId64
                         " = %" PRId64 " pixels",
                         order->count, in->width, in->height, in->width * in->height);
    }
    return SATF_OK;
}

void filter_order_share(filter_order *order)
{
    if (order) {
        atomic_fetch_add(&order->users, 1);
    }
}

void filter_order_release(filter_order *order)
{
    if (order && atomic_fetch_sub(&order->users, 1) == 1) {
        satf_free(order);
    }
}
