/* Opening a file and reading its rows, whatever its format. */
#include "../formula/adapt.h"
#include "../move/move.h"
#include "calls.h"
#include "codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A callback that has failed is why, whatever the decoder has made of the end that it saw. */
static satf_status blame(satf_context *ctx, const io_reader *reader, satf_status status)
{
    bool failed = io_calls_failure(reader->source.calls) && status != SATF_CANCELLED;
    return failed ? io_fail_short(ctx, &reader->source) : status;
}

/* A picture that is not compressed and of which a part is missing is refused before memory is
 * taken for it. */
static satf_status check_left(satf_context *ctx, const io_reader *reader)
{
    const io_source *source = &reader->source;
    int64_t rows = reader->header.view.height, row_bytes = reader->header.file_row_bytes;
    bool missing =
        source->bytes >= 0 && row_bytes > (source->bytes - io_source_taken(source)) / rows;
    return missing ? io_fail_short(ctx, NULL) : SATF_OK;
}

satf_status io_find_metadata(satf_context *ctx, io_reader *reader)
{
    reader->source.ctx = ctx;
    if (!reader->header.metadata_may_follow || !reader->format->find_metadata) {
        return SATF_OK;
    }
    satf_status status = blame(ctx, reader, reader->format->find_metadata(ctx, reader));
    io_header_settle(&reader->header);
    return status;
}

/* What holds of every picture before its rows are read, and how these will lie. */
static satf_status settle_picture(satf_context *ctx, io_reader *reader)
{
    const satf_view *v = &reader->header.view;
    reader->symmetry = 0;
    satf_status status =
        io_check_size(ctx, v->width, v->height, v->channels * (int64_t)satf_type_bytes(v->type));
    io_header_settle(&reader->header);
    status = status ? status : check_left(ctx, reader);
    if (!status && ctx->settings.upright) {
        status = io_find_metadata(ctx, reader);
        if (!status) {
            io_turn_upright(reader);
        }
    }
    return status;
}

static void close_decoder(io_reader *reader)
{
    if (reader->state && reader->format->close) {
        reader->format->close(reader);
    }
    satf_free(reader->state);
    reader->state = NULL;
}

/* Opens its decoder. */
static satf_status open_decoder(satf_context *ctx, io_reader *reader)
{
    size_t bytes = reader->format->reader_bytes;
    reader->pages = 1;
    reader->page = -1;
    reader->state = satf_alloc_zeroed(bytes);
    if (!reader->state) {
        reader->open = false;
        return io_fail_state(ctx, bytes, reader->format, "reader");
    }
    errno = 0;
    satf_status status = reader->format->open(ctx, reader);
    status = io_settle_memory(ctx, reader->format, status);
    reader->open = !status;
    if (status || reader->format->go_to) {
        return status;
    }
    reader->page = 0;
    status = settle_picture(ctx, reader);
    reader->fresh = reader->ready = !status;
    return status;
}

/* Refuses a format that may not be read: because others were named, or because none was and its
 * decoder is not for files of strangers. */
static satf_status refuse_format(satf_context *ctx, const io_format *format)
{
    if (!ctx->settings.formats) {
        return satf_fail(
            ctx, SATF_LIMIT,
            "is a %s file, a format that is not read by default; if you trust the "
            "file, allow it by satf_context_set_formats(ctx, \"all\") (limit: formats)",
            format->name);
    }
    char names[96] = "";
    const io_format *other;
    for (size_t i = 0; (other = io_format_at(i)); i++) {
        if (io_format_is_readable(ctx, other)) {
            io_list_name(names, sizeof names, other->name);
        }
    }
    return satf_fail(ctx, SATF_LIMIT, "is a %s file, and only %s may be read here (limit: formats)",
                     format->name, names);
}

/* Finds the format and opens its decoder; on failure the reader is still the caller's. */
static satf_status open_source(satf_context *ctx, io_reader *reader)
{
    size_t n = io_source_peek(&reader->source, IO_PROBE_BYTES);
    if (n == 0) {
        return reader->source.error || reader->source.cancelled
                   ? io_fail_short(ctx, &reader->source)
                   : satf_fail(ctx, SATF_DATA, "the file is empty");
    }
    const unsigned char *head = reader->source.at;
    const io_format *format = io_format_probe(head, n < IO_PROBE_BYTES ? n : IO_PROBE_BYTES);
    if (!format) {
        const char *name = io_foreign_name(head, n);
        return name ? satf_fail(ctx, SATF_UNSUPPORTED, "is a %s file, which cannot be read; %s",
                                name, io_foreign_advice(name))
                    : satf_fail(ctx, SATF_DATA,
                                "the format is not known; convert the picture to PNG, for "
                                "example");
    }
    if (!io_format_is_readable(ctx, format)) {
        return refuse_format(ctx, format);
    }
    satf_status status = io_format_load(ctx, format, &reader->format);
    return status ? status : open_decoder(ctx, reader);
}

static satf_status open_path(satf_context *ctx, const char *path, io_source *source)
{
    int fd = STDIN_FILENO;
    if (strcmp(path, "-") != 0) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        int error = errno;
        if (fd > STDIN_FILENO) {
            close(fd);
        }
        return satf_fail(ctx, SATF_IO, "cannot be read: %s", strerror(error));
    }
    satf_status status = S_ISDIR(info.st_mode)
                             ? satf_fail(ctx, SATF_IO, "is a directory; name the files in it")
                             : io_source_open_fd(ctx, fd, source);
    if (status && fd > STDIN_FILENO) {
        close(fd);
    }
    return status;
}

/* A reader that takes the source over, which is closed on failure; beside: another one of the same
 * file, or NULL. */
static satf_status reader_open(satf_context *ctx, io_source *source, const io_reader *beside,
                               io_reader **out)
{
    io_reader *reader = satf_alloc_zeroed(sizeof *reader);
    if (!reader) {
        io_source_close(source);
        return satf_fail_memory(ctx, sizeof *reader, "a reader");
    }
    reader->source = *source;
    reader->source.ctx = ctx;
    reader->beside = beside;
    reader->format = beside ? beside->format : NULL;
    satf_status status = beside ? open_decoder(ctx, reader) : open_source(ctx, reader);
    status = blame(ctx, reader, status);
    if (status) {
        io_close(reader);
        return status;
    }
    *out = reader;
    return SATF_OK;
}

satf_status io_open_file(satf_context *ctx, const char *path, const satf_file_calls *calls,
                         io_reader **reader)
{
    *reader = NULL;
    io_source source;
    satf_status status =
        calls ? io_source_open_calls(ctx, calls, &source) : open_path(ctx, path, &source);
    return status ? status : reader_open(ctx, &source, NULL, reader);
}

satf_status io_open_beside(satf_context *ctx, const io_reader *other, io_reader **reader)
{
    *reader = NULL;
    io_source source;
    satf_status status = io_source_open_beside(ctx, &other->source, &source);
    return status ? status : reader_open(ctx, &source, other, reader);
}

/* The first page, if the format has pages; status is that of opening the file. */
static satf_status first_page(satf_context *ctx, satf_status status, io_reader **reader)
{
    if (!status && (*reader)->format->go_to) {
        status = io_go_to(ctx, *reader, 0);
        if (status) {
            io_close(*reader);
            *reader = NULL;
        }
    }
    return status;
}

satf_status io_open(satf_context *ctx, const char *path, const satf_file_calls *calls,
                    io_reader **reader)
{
    return first_page(ctx, io_open_file(ctx, path, calls, reader), reader);
}

satf_status io_open_memory(satf_context *ctx, const void *data, size_t bytes, io_reader **reader)
{
    *reader = NULL;
    io_source source;
    io_source_open_memory(data, bytes, &source);
    return first_page(ctx, reader_open(ctx, &source, NULL, reader), reader);
}

/* Opens the decoder once more, at the start of the file. */
static satf_status start_again(satf_context *ctx, io_reader *reader)
{
    if (reader->source.bytes < 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "pages of a pipe come in their order; write it into a file first");
    }
    close_decoder(reader);
    io_source_seek(&reader->source, 0);
    int64_t pages = reader->pages;
    satf_status status = open_decoder(ctx, reader);
    reader->pages = status ? pages : reader->pages;
    return status;
}

/* The view of the same pixels with alpha. */
static satf_view with_alpha(const satf_view *v)
{
    satf_view with = satf_view_packed(NULL, v->width, v->height, v->channels + 1, v->type);
    with.flags = SATF_ALPHA;
    with.full = v->full;
    return with;
}

static void add_alpha(io_reader *reader)
{
    satf_view *v = &reader->header.view;
    if (!(v->flags & SATF_ALPHA) && (v->channels == 1 || v->channels == 3)) {
        reader->own = reader->symmetry ? reader->stored : *v;
        reader->stored = with_alpha(&reader->own);
        *v = with_alpha(v);
        reader->header.bilevel = false;
    }
}

satf_status io_go_to(satf_context *ctx, io_reader *reader, int64_t page)
{
    io_header *header = &reader->header;
    reader->source.ctx = ctx;
    if (page < 0 || page >= reader->pages) {
        return satf_fail(ctx, SATF_INVALID, "has no page %" PRId64 "; it holds %" PRId64, page + 1,
                         reader->pages);
    }
    if (page == reader->page && reader->fresh) {
        reader->fresh = false;
        return SATF_OK;
    }
    satf_metadata_clear(&header->metadata);
    memset(header, 0, sizeof *header);
    memset(&reader->own, 0, sizeof reader->own);
    satf_free(reader->held);
    reader->held = NULL;
    reader->next_row = 0;
    reader->fresh = reader->ready = false;
    satf_status status = SATF_OK;
    bool behind = !reader->pages_apart && page <= reader->page;
    if (!reader->format->go_to || behind || !reader->open) {
        status = start_again(ctx, reader);
    }
    if (!status && reader->format->go_to) {
        reader->page = page;
        errno = 0;
        status = reader->format->go_to(ctx, reader, page);
        status = io_settle_memory(ctx, reader->format, status);
        status = status ? status : settle_picture(ctx, reader);
    }
    status = blame(ctx, reader, status);
    if (!status && reader->pads_alpha) {
        add_alpha(reader);
    }
    reader->fresh = false;
    reader->ready = !status;
    return status;
}

satf_status io_find_alpha(satf_context *ctx, io_reader *reader, int64_t first, int64_t count)
{
    bool with = false, without = false;
    for (int64_t page = first; page < first + count && !(with && without); page++) {
        satf_status status = io_go_to(ctx, reader, page);
        bool alpha = reader->header.view.flags & SATF_ALPHA;
        if (status == SATF_CANCELLED || status == SATF_NO_MEMORY || status == SATF_IO) {
            return status;
        }
        with = with || (!status && alpha);
        without = without || (!status && !alpha);
    }
    reader->pads_alpha = with && without;
    reader->fresh = reader->ready = false;
    return SATF_OK;
}

/* Pixels at the start of the row, which has room for alpha in each, get one. */
static void pad_row(const io_reader *reader, char *row)
{
    unsigned char opaque[8];
    size_t sample = satf_type_bytes(reader->own.type),
           pixel = (size_t)satf_pixel_bytes(&reader->own);
    adapt_put(reader->own.type, reader->header.alpha_max, (char *)opaque);
    for (size_t x = (size_t)reader->own.width; x-- > 0;) {
        memmove(row + x * (pixel + sample), row + x * pixel, pixel);
        memcpy(row + x * (pixel + sample) + pixel, opaque, sample);
    }
}

/* The view of the picture as it is stored, with the alpha that it gets. */
static const satf_view *stored_view(const io_reader *reader)
{
    return reader->symmetry ? &reader->stored : &reader->header.view;
}

/* The next n rows as they are stored. */
static satf_status reader_decode(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    const satf_view shown = reader->header.view;
    const bool pads = reader->own.width > 0;
    reader->header.view = pads ? reader->own : *stored_view(reader);
    errno = 0;
    satf_status status = reader->format->rows(ctx, reader, dst, stride, n);
    status = io_settle_memory(ctx, reader->format, status);
    reader->header.view = shown;
    for (int64_t y = 0; y < n && pads && !status; y++) {
        pad_row(reader, (char *)dst + y * stride);
    }
    return status;
}

/* The whole picture into reader->held, from which rows are then copied. */
static satf_status reader_hold(satf_context *ctx, io_reader *reader)
{
    const satf_view *v = stored_view(reader);
    size_t bytes = (size_t)v->stride * (size_t)v->height;
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    reader->held = satf_alloc(bytes);
    if (!reader->held) {
        return satf_fail_memory(ctx, bytes, "a picture that cannot be decoded row by row");
    }
    return reader_decode(ctx, reader, reader->held, v->stride, v->height);
}

/* Rows that were flipped from left to right come one by one. */
static satf_status flip_rows(satf_context *ctx, io_reader *reader, char *dst, int64_t stride,
                             int64_t n)
{
    satf_view row = reader->stored, out = reader->header.view;
    int64_t first = reader->next_row;
    row.height = 1;
    reader->held = reader->held ? reader->held : satf_alloc((size_t)row.stride);
    row.data = reader->held;
    satf_status status =
        row.data ? SATF_OK : satf_fail_memory(ctx, (size_t)row.stride, "a row to turn");
    for (int64_t y = 0; y < n && !status; y++) {
        status = reader_decode(ctx, reader, row.data, row.stride, 1);
        move_rows(&(move_job){row, out, reader->symmetry, NULL}, 0, 1, dst + y * stride, stride);
        reader->next_row++;
    }
    reader->next_row = first;
    return status;
}

/* The next n rows of a picture that lies otherwise than it is stored. */
static satf_status read_turned(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                               int64_t n)
{
    satf_status status = SATF_OK;
    if (reader->header.rows_in_order) {
        return flip_rows(ctx, reader, dst, stride, n);
    }
    if (!reader->held) {
        status = reader_hold(ctx, reader);
    }
    move_job job = {reader->stored, reader->header.view, reader->symmetry, NULL};
    job.in.data = reader->held;
    job.out.data = dst;
    job.out.stride = stride;
    if (!status && n == job.out.height) {
        return move_run(ctx, &job);
    }
    if (!status) {
        move_rows(&job, reader->next_row, n, dst, stride);
    }
    return status;
}

/* The next n rows of a picture that lies as it is stored. */
static satf_status read_stored(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                               int64_t n)
{
    const satf_view *v = &reader->header.view;
    satf_status status = SATF_OK;
    if (!reader->header.rows_in_order && n < v->height && !reader->held) {
        status = reader_hold(ctx, reader);
    }
    if (status || !reader->held) {
        return status ? status : reader_decode(ctx, reader, dst, stride, n);
    }
    for (int64_t y = 0; y < n; y++) {
        memcpy((char *)dst + y * stride,
               (const char *)reader->held + (reader->next_row + y) * v->stride, (size_t)v->stride);
    }
    return SATF_OK;
}

satf_status io_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n)
{
    const satf_view *v = &reader->header.view;
    if (n < 0 || n > v->height - reader->next_row) {
        return satf_fail(ctx, SATF_INVALID, "%" PRId64 " rows asked for, %" PRId64 " are left", n,
                         v->height - reader->next_row);
    }
    if (!reader->ready) {
        return satf_fail(ctx, SATF_INVALID, "the page has failed; it has no rows");
    }
    if (n == 0) {
        return SATF_OK;
    }
    reader->source.ctx = ctx;
    satf_status status = reader->symmetry ? read_turned(ctx, reader, dst, stride, n)
                                          : read_stored(ctx, reader, dst, stride, n);
    if (!status && reader->next_row + n == v->height) {
        status = io_check_upright(ctx, reader);
    }
    status = blame(ctx, reader, status);
    reader->next_row += status ? 0 : n;
    reader->ready = !status;
    if (reader->next_row == v->height) { /* EXIF may have come with the last one */
        io_header_settle(&reader->header);
    }
    return status;
}

satf_status io_read_image(satf_context *ctx, io_reader *reader, const satf_view *view)
{
    int64_t rows = reader->header.rows_in_order ? satf_block_rows(view) : view->height;
    satf_status status = SATF_OK;
    for (int64_t y = 0, n; y < view->height && !status; y += n) {
        n = view->height - y < rows ? view->height - y : rows;
        status = io_read_rows(ctx, reader, satf_row(view, y), view->stride, n);
        if (!status) {
            status = satf_report_progress(ctx, (double)(y + n) / (double)view->height);
        }
    }
    return status;
}

void io_close(io_reader *reader)
{
    if (reader) {
        close_decoder(reader);
        io_source_close(&reader->source);
        satf_metadata_clear(&reader->header.metadata);
        satf_free(reader->held);
        satf_free(reader);
    }
}
