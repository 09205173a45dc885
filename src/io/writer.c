/* Writing a file by rows: conversion, the metadata that stays, and notes on the picture. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codec.h"

/* The formats that can be written and store alpha, for messages. */
static const char alpha_formats[] = "write PNG, PAM (.pam) or .npy";

/* ---------------------------------------------------------------------- strip */

/* Leaves what pixels need to look right: profile, gamma, primaries, how a JPEG was coded, and the
 * orientation, for pixels are not turned. Anew at the end, for EXIF may come with the last row. */
static void writer_strip(io_writer *writer)
{
    const satf_metadata *given = writer->given;
    satf_metadata *left = &writer->stripped;
    if (!writer->options.strip || !given) {
        return;
    }
    *left = *given;
    left->exif = left->xmp = left->iptc = left->text = NULL; /* of tags the encoder leaves out all
                                                              * but those of colours */
    left->exif_bytes = left->xmp_bytes = left->iptc_bytes = 0;
    left->text_bytes = left->text_ahead = 0;
    left->has_resolution = false;
    unsigned orientation = given->exif ? satf_exif_orientation(given->exif, given->exif_bytes) : 1;
    if (orientation != 1) {
        satf_exif_make_orientation(orientation, writer->orientation);
        left->exif = writer->orientation;
        left->exif_bytes = sizeof writer->orientation;
    }
    writer->metadata = left;
}

/* ---------------------------------------------------------------- what is noticed */

/* n samples, step apart, whose full scale is the type's, a constant: so loops become vectors. */
static inline void count_samples(io_writer *writer, const void *row, bool bytes, int64_t n,
                                 int64_t step)
{
    const unsigned full = bytes ? UINT8_MAX : UINT16_MAX;
    const unsigned tenth = (full + 9) / 10, from = (9 * full + 19) / 20, to = 11 * full / 20;
    const uint8_t *u8 = row;
    const uint16_t *u16 = row;
    uint64_t visible = 0, lively = 0, sum = 0;
    for (int64_t i = 0; i < n * step; i += step) {
        unsigned sample = bytes ? u8[i] : u16[i];
        visible += sample >= tenth;
        lively += sample < from || sample > to;
        sum += sample;
    }
    writer->visible += visible;
    writer->lively += lively;
    writer->sum += sum;
    writer->samples += (uint64_t)n;
}

/* A row of plan->out samples. */
static void count_visible(io_writer *writer, const void *row)
{
    const satf_view *v = &writer->plan.out;
    bool bytes = v->type == SATF_U8, alpha = v->flags & SATF_ALPHA;
    if (!alpha && bytes) {
        count_samples(writer, row, true, v->width * v->channels, 1);
    } else if (!alpha) {
        count_samples(writer, row, false, v->width * v->channels, 1);
    }
    for (int c = 0; alpha && c < v->channels - 1; c++) {
        const char *first = (const char *)row + (bytes ? c : 2 * c);
        count_samples(writer, first, bytes, v->width, v->channels);
    }
}

/* Says where 99 % of the samples lie, if the picture looks empty; else NULL. Ranks are those of
 * range.c. */
static const char *find_emptiness(const io_writer *writer, const char **looks)
{
    uint64_t few = writer->samples > 0 ? (writer->samples - 1) / 100 : 0;
    bool black = writer->visible <= few, grey = writer->lively <= few;
    *looks = black ? "black" : "grey";
    return writer->samples == 0 ? NULL : black ? "below" : grey ? "in the middle" : NULL;
}

/* ----------------------------------------------------------------------- rows */

satf_status io_write(satf_context *ctx, io_writer *writer, const void *bytes, size_t n)
{
    if (writer->pages) {
        return io_page_write(ctx, writer, bytes, n);
    }
    if (n > 0 && fwrite(bytes, 1, n, writer->file) != n) {
        return satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
    }
    writer->bytes += (int64_t)n;
    return SATF_OK;
}

/* A writer of the plan's, whose codec has not begun. */
static satf_status make_writer(satf_context *ctx, const io_plan *plan,
                               const satf_write_options *options, const satf_metadata *metadata,
                               io_writer **out)
{
    if (plan->find_range) {
        return satf_fail(ctx, SATF_INVALID, "the range that is shown has not been found yet");
    }
    io_writer *writer = satf_alloc_zeroed(sizeof *writer);
    if (!writer) {
        return satf_fail_memory(ctx, sizeof *writer, "a writer");
    }
    writer->format = plan->format;
    writer->plan = *plan;
    writer->options = options ? *options : satf_write_defaults();
    writer->given = writer->metadata = metadata;
    writer_strip(writer);
    writer->seen = (io_extremes){INFINITY, -INFINITY};
    if (!io_plan_copies(plan)) {
        writer->converted = satf_alloc((size_t)plan->out.stride);
        if (!writer->converted) {
            satf_free(writer);
            return satf_fail_memory(ctx, (size_t)plan->out.stride, "a row to write");
        }
    }
    *out = writer;
    return SATF_OK;
}

/* The codec begins; what comes before has status. */
static satf_status writer_begin(satf_context *ctx, io_writer *writer, satf_status status,
                                io_writer **out)
{
    size_t bytes = writer->format->writer_bytes;
    writer->state = bytes && !status ? satf_alloc_zeroed(bytes) : NULL;
    if (bytes && !status && !writer->state) {
        status = io_fail_state(ctx, bytes, writer->format, "writer");
    }
    errno = 0;
    status = status ? status : writer->format->create(ctx, writer);
    status = io_settle_memory(ctx, writer->format, status);
    if (status) {
        io_writer_close(writer);
        return status;
    }
    *out = writer;
    return SATF_OK;
}

satf_status io_writer_open(satf_context *ctx, const io_plan *plan, FILE *file,
                           const satf_write_options *options, const satf_metadata *metadata,
                           io_writer **out)
{
    *out = NULL;
    io_writer *writer = NULL;
    satf_status status = make_writer(ctx, plan, options, metadata, &writer);
    if (status) {
        return status;
    }
    writer->file = file;
    if (plan->format->holds_pages) {
        writer->owns_pages = true;
        status = io_pages_open(ctx, plan->format, file, NULL, 1, &writer->pages);
    }
    return writer_begin(ctx, writer, status, out);
}

satf_status io_page_open(satf_context *ctx, const io_plan *plan, io_pages *pages, int64_t page,
                         const satf_write_options *options, const satf_metadata *metadata,
                         io_writer **out)
{
    *out = NULL;
    io_writer *writer = NULL;
    satf_status status = make_writer(ctx, plan, options, metadata, &writer);
    if (status) {
        return status;
    }
    writer->pages = pages;
    writer->page = page;
    return writer_begin(ctx, writer, SATF_OK, out);
}

/* Whether samples may be black and white alone, whatever type they get in the file: who has made
 * them knows. */
static bool may_be_bilevel(const io_plan *plan)
{
    return plan->format->picture_types != 0 && plan->in.type == SATF_U8 && plan->in.channels == 1;
}

/* Notes which of black and white occur; looks no further once both do. */
static void watch_bilevel(io_writer *writer, const char *src, int64_t stride, int64_t n)
{
    size_t width = (size_t)satf_row_samples(&writer->plan.in);
    for (int64_t y = 0; y < n && !(writer->black && writer->white); y++) {
        const char *row = src + y * stride;
        writer->black = writer->black || memchr(row, 0, width);
        writer->white = writer->white || memchr(row, UINT8_MAX, width);
    }
}

static satf_status writer_encode(satf_context *ctx, io_writer *writer, const void *src,
                                 int64_t stride, int64_t n)
{
    errno = 0;
    satf_status status = writer->format->put(ctx, writer, src, stride, n);
    return io_settle_memory(ctx, writer->format, status);
}

satf_status io_put_rows(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                        int64_t n)
{
    const io_plan *plan = &writer->plan;
    if (n < 0 || n > plan->in.height - writer->next_row) {
        return satf_fail(ctx, SATF_INVALID, "%" PRId64 " rows to write, %" PRId64 " are left", n,
                         plan->in.height - writer->next_row);
    }
    if (may_be_bilevel(plan)) {
        watch_bilevel(writer, src, stride, n);
    }
    for (int64_t y = 0; y < n && writer->counts; y++) {
        io_stats_add(&writer->stats, &plan->in, (const char *)src + y * stride);
    }
    satf_status status = SATF_OK;
    if (!writer->converted) {
        status = n > 0 ? writer_encode(ctx, writer, src, stride, n) : SATF_OK;
        writer->next_row += status ? 0 : n;
        return status;
    }
    for (int64_t y = 0; y < n && !status; y++) {
        const char *row = (const char *)src + y * stride;
        if (plan->drop_alpha && !io_row_is_opaque(plan, row)) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "the picture is transparent in places, which %s cannot hold; %s",
                             plan->name, alpha_formats);
        }
        io_convert(plan, row, writer->converted, plan->in.width,
                   plan->judge_range ? &writer->seen : NULL);
        if (plan->judge_range || plan->judge_mean) {
            count_visible(writer, writer->converted);
        }
        status = writer_encode(ctx, writer, writer->converted, plan->out.stride, 1);
        writer->next_row += status ? 0 : 1;
    }
    return status;
}

/* Below a twentieth of white a picture shows next to nothing. */
static bool looks_black(const io_writer *writer)
{
    const io_plan *plan = &writer->plan;
    double white = (double)writer->samples * plan->out_hi;
    return plan->judge_mean && plan->lo < plan->hi && 20 * (double)writer->sum < white;
}

bool io_writer_judge(const io_writer *writer, char *text, size_t bytes)
{
    const io_plan *plan = &writer->plan;
    double least = writer->seen.least, most = writer->seen.most;
    if (plan->bilevel && writer->black != writer->white) {
        snprintf(text, bytes, "every pixel is %s", writer->black ? "black" : "white");
        return true;
    }
    if (looks_black(writer)) {
        snprintf(text, bytes,
                 "its mean is %.2g %% of white, for few samples are near the end of the range "
                 "shown, %.5g:%.5g; auto:1 shows more (option: range)",
                 100 * (double)writer->sum / ((double)writer->samples * plan->out_hi), plan->lo,
                 plan->hi);
        return true;
    }
    if (!plan->judge_range || least > most) {
        return false;
    }
    const char *looks, *where = find_emptiness(writer, &looks);
    double shown = fmin(most, plan->hi) - fmax(least, plan->lo);
    bool hardly = shown < (plan->hi - plan->lo) / 100;
    if (hardly && least == most) {
        snprintf(text, bytes, "every sample is %.5g; the range shown is %.5g:%.5g", least, plan->lo,
                 plan->hi);
    } else if (hardly) {
        snprintf(text, bytes,
                 "the samples, %.5g:%.5g, take less than 1 %% of the range shown, %.5g:%.5g; "
                 "auto shows what occurs (option: range)",
                 least, most, plan->lo, plan->hi);
    } else if (where) {
        snprintf(text, bytes,
                 "99 %% of the samples lie %s 10 %% of the range shown, %.5g:%.5g, nearly %s; "
                 "auto:1 shows what occurs (option: range)",
                 where, plan->lo, plan->hi, looks);
        return true;
    }
    return hardly;
}

satf_status io_writer_finish(satf_context *ctx, io_writer *writer)
{
    if (writer->next_row != writer->plan.in.height) {
        return satf_fail(ctx, SATF_INVALID, "only %" PRId64 " of %" PRId64 " rows were written",
                         writer->next_row, writer->plan.in.height);
    }
    writer_strip(writer);
    errno = 0;
    satf_status status = writer->format->finish ? writer->format->finish(ctx, writer) : SATF_OK;
    status = io_settle_memory(ctx, writer->format, status);
    if (!status && writer->pages) {
        status = io_page_end(ctx, writer);
    }
    if (!status && writer->owns_pages) {
        status = io_pages_finish(ctx, writer->pages);
        writer->bytes = writer->pages->bytes;
    }
    return status;
}

/* Whether codecs take the rows as they lie. */
static bool lies_well(const satf_view *view)
{
    uintptr_t odd = satf_type_bytes(view->type) - 1;
    return satf_is_packed(view) && view->stride >= 0 &&
           (((uintptr_t)view->data | (uintptr_t)view->stride) & odd) == 0;
}

/* n rows of the view from y on, by way of the memory at `packed` if it is not NULL. */
static satf_status put_part(satf_context *ctx, io_writer *writer, const satf_view *view, int64_t y,
                            int64_t n, char *packed)
{
    if (!packed) {
        return io_put_rows(ctx, writer, satf_row(view, y), view->stride, n);
    }
    int64_t pixel = satf_pixel_bytes(view), row_bytes = view->width * pixel;
    for (int64_t i = 0; i < n; i++) {
        satf_copy_row(packed + i * row_bytes, pixel, satf_row(view, y + i), satf_pixel_stride(view),
                      pixel, view->width);
    }
    return io_put_rows(ctx, writer, packed, row_bytes, n);
}

satf_status io_write_image(satf_context *ctx, io_writer *writer, const satf_view *view)
{
    const double rows_share = 0.9; /* some codecs do most of their work at the end */
    int64_t rows = satf_block_rows(view);
    size_t bytes = (size_t)(rows * view->width * satf_pixel_bytes(view));
    char *packed = lies_well(view) ? NULL : satf_alloc(bytes);
    satf_status status =
        packed || lies_well(view) ? SATF_OK : satf_fail_memory(ctx, bytes, "rows to write");
    for (int64_t y = 0, n; y < view->height && !status; y += n) {
        n = view->height - y < rows ? view->height - y : rows;
        status = put_part(ctx, writer, view, y, n, packed);
        if (!status) {
            double done = (double)(y + n) / (double)view->height;
            status = satf_report_progress(ctx, rows_share * done);
        }
    }
    satf_free(packed);
    status = status ? status : io_writer_finish(ctx, writer);
    return status ? status : satf_report_progress(ctx, 1);
}

void io_writer_close(io_writer *writer)
{
    if (writer) {
        if (writer->state && writer->format->abandon) {
            writer->format->abandon(writer);
        }
        satf_free(writer->state);
        if (writer->pages) {
            io_page_abandon(writer);
        }
        if (writer->owns_pages) {
            io_pages_close(writer->pages);
        }
        satf_free(writer->held);
        satf_free(writer->record);
        satf_free(writer->converted);
        satf_free(writer);
    }
}
