/* Reads orders of pixels from .npy files: integers of any size, sign and byte order. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/npy.h"
#include "../move/move.h"
#include "chain.h"

enum { PIECE_ENTRIES = 8192 };

static satf_status order_read_bytes(satf_context *ctx, void *user, void *to, size_t bytes)
{
    FILE *file = user;
    if (fread(to, 1, bytes, file) == bytes) {
        return SATF_OK;
    }
    return ferror(file) ? satf_fail(ctx, SATF_IO, "it cannot be read: %s", strerror(errno))
                        : satf_fail(ctx, SATF_DATA, "it ends too early");
}

/* Checks that the file has integers, in one dimension or two. */
static satf_status order_check_header(satf_context *ctx, const satf_npy *info, int64_t *count)
{
    bool integers = (info->kind == 'i' || info->kind == 'u') &&
                    (info->bytes == 1 || info->bytes == 2 || info->bytes == 4 || info->bytes == 8);
    if (!integers || info->structured) {
        return satf_fail(ctx, SATF_DATA,
                         "its samples are no integers; save a.astype(\"u4\") instead");
    }
    if (info->dimensions < 1 || info->dimensions > 2) {
        return satf_fail(ctx, SATF_DATA,
                         "it is an array of %d dimensions; an order is (H * W,) or (H, W)",
                         info->dimensions);
    }
    *count = info->shape[0];
    if (info->dimensions == 2 && __builtin_mul_overflow(*count, info->shape[1], count)) {
        *count = INT64_MAX;
    }
    if (*count < 1) {
        return satf_fail(ctx, SATF_DATA, "the array is empty");
    }
    if (*count > MOVE_MAX_ORDER) {
        return satf_fail(ctx, SATF_DATA, "it has more than %" PRId64 " entries", MOVE_MAX_ORDER);
    }
    return SATF_OK;
}

/* Loads an entry of the file; *value becomes its magnitude. True if it is negative. */
static bool load_entry(const satf_npy *info, const unsigned char *at, uint64_t *value)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < info->bytes; i++) {
        bits |= (uint64_t)at[info->big ? info->bytes - 1 - i : i] << 8 * i;
    }
    unsigned unused = 64 - 8 * info->bytes;
    bool negative = info->kind == 'i' && bits >> (63 - unused);
    *value = negative ? (0 - bits) << unused >> unused : bits;
    return negative;
}

/* The place of the file's entry i in the order: Fortran's arrays go down the columns. */
static int64_t order_place_of(const satf_npy *info, int64_t i)
{
    if (info->dimensions < 2 || !info->fortran) {
        return i;
    }
    return i % info->shape[0] * info->shape[1] + i / info->shape[0];
}

static satf_status read_entries(satf_context *ctx, FILE *file, const satf_npy *info,
                                filter_order *order)
{
    unsigned char *piece = satf_alloc((size_t)PIECE_ENTRIES * info->bytes);
    if (!piece) {
        return satf_fail_memory(ctx, (size_t)PIECE_ENTRIES * info->bytes, "a file's entries");
    }
    satf_status status = SATF_OK;
    for (int64_t i = 0; i < order->count && !status; i += PIECE_ENTRIES) {
        int64_t n = order->count - i < PIECE_ENTRIES ? order->count - i : PIECE_ENTRIES;
        status = order_read_bytes(ctx, file, piece, (size_t)n * info->bytes);
        for (int64_t j = 0; j < n && !status; j++) {
            uint64_t value;
            int64_t k = order_place_of(info, i + j);
            bool negative = load_entry(info, piece + (size_t)j * info->bytes, &value);
            order->entries[k] = (uint32_t)value;
            if (negative || value >= (uint64_t)order->count) {
                status = filter_order_fail(ctx, order, k, negative ? "-" : "", value);
            }
        }
    }
    satf_free(piece);
    return status ? status : filter_order_prove(ctx, order);
}

static satf_status read_order(satf_context *ctx, FILE *file, filter_order **out)
{
    satf_npy info;
    int64_t count = 0;
    satf_status status = satf_npy_read_header(ctx, order_read_bytes, file, &info);
    if (!status) {
        status = order_check_header(ctx, &info, &count);
    }
    if (!status) {
        status = filter_order_new(ctx, count, out);
    }
    if (status) {
        return status;
    }
    if (info.dimensions == 2) {
        (*out)->height = info.shape[0];
        (*out)->width = info.shape[1];
    }
    status = read_entries(ctx, file, &info, *out);
    if (status) {
        filter_order_release(*out);
        *out = NULL;
    }
    return status;
}

satf_status filter_order_read(satf_context *ctx, const char *path, filter_order **out)
{
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return satf_fail(ctx, SATF_IO, "the order '%.*s' cannot be opened: %s",
                         SATF_MOST(path, 200), strerror(errno));
    }
    satf_status status = read_order(ctx, file, out);
    fclose(file);
    if (status) {
        char why[SATF_MESSAGE_BYTES];
        snprintf(why, sizeof why, "%s", satf_message(ctx));
        satf_fail(ctx, status, "the order '%.*s': %s", SATF_MOST(path, 200), why);
    }
    return status;
}
