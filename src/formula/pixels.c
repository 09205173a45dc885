/* Copying and converting pixels, on the host or on the device that both views are on. */
#include "pixels.h"

#include <string.h>

#include "../base/cpu.h"
#include "../base/device/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "adapt_rows.h"
#include "../plan/gpu.h"

enum {
    BAND_ROWS = 32,
    SHARE_BYTES = 1 << 21 /* for less no thread is woken */
};

typedef struct pixels_work {
    const satf_view *from, *to;
} pixels_work;

static void copy_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const pixels_work *work = user;
    const satf_view *from = work->from, *to = work->to;
    int64_t bytes = satf_pixel_bytes(from), end = (band + 1) * BAND_ROWS;
    end = end < from->height ? end : from->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        satf_copy_row(satf_row(to, y), satf_pixel_stride(to), satf_row(from, y),
                      satf_pixel_stride(from), bytes, from->width);
    }
}

satf_status filter_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    pixels_work work = {from, to};
    if (from->device != SATF_HOST) {
        return satf_is_packed(from) && satf_is_packed(to) ? satf_cuda()->copy(ctx, from, to)
                                                          : satf_cuda()->copy_pixels(ctx, from, to);
    }
    int64_t bytes = from->width * satf_pixel_bytes(from) * from->height;
    return satf_parallel_ticked(ctx, satf_threads_for(ctx, bytes, SHARE_BYTES),
                                (from->height - 1) / BAND_ROWS + 1, copy_band, &work);
}

/* ----------------------------------------------------------------- as another type */

/* An integer of 64 bits that doubles need not hold, as a sample of another type. */
static void convert_word(int type, const char *from, int to_type, char *to)
{
    uint64_t word, most = satf_type_max(to_type);
    memcpy(&word, from, sizeof word);
    bool below = type == SATF_I64 && word >> 63;
    if (satf_type_is_float(to_type) || below) {
        double value = below ? (double)(int64_t)word : (double)word;
        bool real = satf_type_is_float(to_type);
        adapt_put(to_type, real ? value : adapt_rounded(value, adapt_least(to_type), 0), to);
        return;
    }
    bool has_sign = satf_type_is_signed(to_type);
    word = word < most ? word : most;
    formula_store(has_sign ? to_type - SATF_I8 + SATF_U8 : to_type, formula_integer(word), to);
}

/* All samples but those of 64 bits are exact as doubles. */
void filter_convert(int type, const void *from, int64_t n, int to_type, char *to)
{
    size_t bytes = satf_type_bytes(type), to_bytes = satf_type_bytes(to_type);
    if (type == to_type) {
        memcpy(to, from, (size_t)n * bytes);
        return;
    }
    if (type != SATF_U64 && type != SATF_I64) {
        SATF_ISA_CHOOSE(&adapt_kernels)->convert(type, n, from, to_type, to);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        convert_word(type, (const char *)from + (size_t)i * bytes, to_type,
                     to + (size_t)i * to_bytes);
    }
}

static void convert_band(void *user, int64_t band, int thread)
{
    (void)thread;
    const pixels_work *work = user;
    const satf_view *from = work->from, *to = work->to;
    int64_t end = (band + 1) * BAND_ROWS < from->height ? (band + 1) * BAND_ROWS : from->height;
    for (int64_t y = band * BAND_ROWS; y < end; y++) {
        filter_convert(from->type, satf_row(from, y), satf_row_samples(from), to->type,
                       satf_row(to, y));
    }
}

satf_status filter_convert_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    pixels_work work = {from, to};
    if (from->device != SATF_HOST) {
        return satf_cuda()->convert(ctx, from, to);
    }
    int64_t bytes = from->width * satf_pixel_bytes(from) * from->height;
    return satf_parallel_ticked(ctx, satf_threads_for(ctx, bytes, SHARE_BYTES),
                                (from->height - 1) / BAND_ROWS + 1, convert_band, &work);
}
