#include "codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Probed in this order: TGA last, for it has no magic number. */
static const io_format *const formats[] = {
    &io_png, &io_jpeg, &io_pnm, &io_pfm, &io_npy, &io_bmp, &io_gif, &io_psd, &io_hdr, &io_tga,
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const io_format *io_format_at(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

/* Is word, of n characters, in the blank-separated list? */
static bool in_list(const char *list, const char *word, size_t n)
{
    while (*list) {
        size_t length = strcspn(list, " ");
        if (length == n && strncasecmp(list, word, n) == 0) {
            return true;
        }
        list += length;
        list += strspn(list, " ");
    }
    return false;
}

static const io_format *by_suffix_word(const char *suffix)
{
    for (size_t i = 0; *suffix && i < FORMAT_COUNT; i++) {
        if (in_list(formats[i]->suffixes, suffix, strlen(suffix))) {
            return formats[i];
        }
    }
    return NULL;
}

const io_format *io_format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcasecmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return by_suffix_word(name);
}

const io_format *io_format_by_suffix(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? by_suffix_word(dot + 1) : NULL;
}

void io_header_set(io_header *header, int64_t width, int64_t height, int channels, satf_type type,
                   bool alpha, double maxval)
{
    header->view = satf_view_packed(NULL, width, height, channels, type);
    header->view.flags = alpha ? SATF_ALPHA : 0;
    header->has_range = maxval > 0;
    header->lo = 0;
    header->hi = maxval;
    header->alpha_max = maxval > 0 ? maxval : 1;
    header->picture_type = type == SATF_U8 ? SATF_U8 : SATF_U16;
    header->rows_in_order = true;
    header->pictures = 1;
}

satf_status io_check_size(satf_context *ctx, int64_t width, int64_t height, int64_t pixel_bytes)
{
    if (width < 1 || height < 1) {
        return satf_fail(ctx, SATF_DATA,
                         "the file claims %" PRId64 " x %" PRId64
                         " pixels; an empty picture cannot be filtered",
                         width, height);
    }
    int64_t pixels, row_bytes;
    if (__builtin_mul_overflow(width, height, &pixels) || pixels > ctx->max_pixels) {
        return satf_fail(ctx, SATF_LIMIT,
                         "the picture of %" PRId64 " x %" PRId64 " is above the limit of %" PRId64
                         " pixels (limit: max-pixels)",
                         width, height, ctx->max_pixels);
    }
    if (__builtin_mul_overflow(width, pixel_bytes, &row_bytes)) {
        row_bytes = INT64_MAX;
    }
    return io_check_bytes(ctx, (uint64_t)row_bytes);
}

/* The formats that the context may read, a bit each. */
static unsigned readable(const satf_context *ctx)
{
    unsigned mask = ctx->formats;
    for (size_t i = 0; i < FORMAT_COUNT && !ctx->formats; i++) {
        mask |= formats[i]->fit_for_strangers ? 1u << i : 0;
    }
    return mask;
}

/* A picture that is not compressed and of which a part is missing is refused before memory is
 * taken for it. */
static satf_status check_left(satf_context *ctx, const io_reader *reader)
{
    const io_source *source = &reader->source;
    const io_source cut = {.fd = -1};
    int64_t rows = reader->header.view.height, row_bytes = reader->header.file_row_bytes;
    bool missing =
        source->bytes >= 0 && row_bytes > (source->bytes - io_source_taken(source)) / rows;
    return missing ? io_fail_short(ctx, &cut) : SATF_OK;
}

/* Finds the format and opens its decoder; on failure the reader is still the caller's. */
static satf_status open_source(satf_context *ctx, io_reader *reader)
{
    size_t n = io_source_peek(&reader->source, IO_PROBE_BYTES);
    if (n == 0) {
        return reader->source.error ? io_fail_short(ctx, &reader->source)
                                    : satf_fail(ctx, SATF_DATA, "the file is empty");
    }
    const unsigned char *head = reader->source.at;
    n = n < IO_PROBE_BYTES ? n : IO_PROBE_BYTES;
    size_t found = 0;
    while (found < FORMAT_COUNT && !formats[found]->probe(head, n)) {
        found++;
    }
    if (found == FORMAT_COUNT) {
        return satf_fail(ctx, SATF_DATA,
                         "the format is not known; convert the picture to PNG, for example");
    }
    if (!(readable(ctx) & 1u << found)) {
        return satf_fail(ctx, SATF_LIMIT,
                         "is a %s file, which is none of the formats that may be read here "
                         "(limit: formats)",
                         formats[found]->name);
    }
    reader->format = formats[found];
    satf_status status = reader->format->open(ctx, reader);
    if (status) {
        return status;
    }
    const satf_view *v = &reader->header.view;
    status =
        io_check_size(ctx, v->width, v->height, v->channels * (int64_t)satf_type_bytes(v->type));
    return status ? status : check_left(ctx, reader);
}

static satf_status open_file(satf_context *ctx, const char *path, io_source *source)
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

static satf_status open_reader(satf_context *ctx, io_source *source, io_reader **out)
{
    io_reader *reader = satf_alloc_zeroed(sizeof *reader);
    if (!reader) {
        io_source_close(source);
        return satf_fail_memory(ctx, sizeof *reader, "a reader");
    }
    reader->source = *source;
    satf_status status = open_source(ctx, reader);
    if (status) {
        io_close(reader);
        return status;
    }
    *out = reader;
    return SATF_OK;
}

satf_status io_open(satf_context *ctx, const char *path, io_reader **reader)
{
    *reader = NULL;
    io_source source;
    satf_status status = open_file(ctx, path, &source);
    return status ? status : open_reader(ctx, &source, reader);
}

satf_status io_open_memory(satf_context *ctx, const void *data, size_t bytes, io_reader **reader)
{
    *reader = NULL;
    io_source source;
    io_source_open_memory(data, bytes, &source);
    return open_reader(ctx, &source, reader);
}

/* The whole picture into reader->held, from which rows are then copied. */
static satf_status hold(satf_context *ctx, io_reader *reader)
{
    const satf_view *v = &reader->header.view;
    size_t bytes = (size_t)v->stride * (size_t)v->height;
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    reader->held = satf_alloc(bytes);
    if (!reader->held) {
        return satf_fail_memory(ctx, bytes, "a picture that cannot be decoded row by row");
    }
    return reader->format->rows(ctx, reader, reader->held, v->stride, v->height);
}

satf_status io_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n)
{
    const satf_view *v = &reader->header.view;
    if (n < 0 || n > v->height - reader->next_row) {
        return satf_fail(ctx, SATF_INVALID, "%" PRId64 " rows asked for, %" PRId64 " are left", n,
                         v->height - reader->next_row);
    }
    satf_status status = SATF_OK;
    bool all = n == v->height;
    if (!reader->header.rows_in_order && !all && !reader->held) {
        status = hold(ctx, reader);
    }
    if (!status && reader->held) {
        for (int64_t y = 0; y < n; y++) {
            memcpy((char *)dst + y * stride,
                   (const char *)reader->held + (reader->next_row + y) * v->stride,
                   (size_t)v->stride);
        }
    } else if (!status && n > 0) {
        status = reader->format->rows(ctx, reader, dst, stride, n);
    }
    reader->next_row += status ? 0 : n;
    return status;
}

satf_status io_find_metadata(satf_context *ctx, io_reader *reader)
{
    bool look = reader->header.metadata_may_follow && reader->format->find_metadata;
    return look ? reader->format->find_metadata(ctx, reader) : SATF_OK;
}

void io_close(io_reader *reader)
{
    if (reader) {
        if (reader->format) {
            reader->format->close(reader);
        }
        io_source_close(&reader->source);
        satf_metadata_clear(&reader->header.metadata);
        satf_free(reader->held);
        satf_free(reader);
    }
}

satf_status satf_context_set_formats(satf_context *ctx, const char *names)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    static const char separators[] = ", \t";
    unsigned mask = 0;
    for (const char *at = names ? names : ""; *(at += strspn(at, separators));) {
        size_t n = strcspn(at, separators), i = 0;
        bool all = n == 3 && strncasecmp(at, "all", n) == 0;
        while (i < FORMAT_COUNT && !all && !in_list(formats[i]->name, at, n)) {
            i++;
        }
        if (i == FORMAT_COUNT) {
            return satf_fail(ctx, SATF_INVALID, "'%.*s' is the name of no format", (int)n, at);
        }
        mask |= all ? (1u << FORMAT_COUNT) - 1 : 1u << i;
        at += n;
    }
    if (names && !mask) {
        return satf_fail(ctx, SATF_INVALID, "no format is named; NULL restores the default");
    }
    ctx->formats = mask;
    return SATF_OK;
}

/* ------------------------------------------------------------------ for others */

static const char *give(const io_format *format, satf_format_info *info, size_t bytes)
{
    satf_format_info all = {0};
    if (format) {
        all = (satf_format_info){format->name, format->suffixes, format->help, format->open != NULL,
                                 format->create != NULL};
    }
    satf_give(info, bytes, &all, sizeof all);
    return all.name;
}

const char *satf_format(size_t index, satf_format_info *info, size_t bytes)
{
    return give(io_format_at(index), info, bytes);
}

const char *satf_format_find(const char *word, satf_format_info *info, size_t bytes)
{
    return give(word ? io_format_find(word) : NULL, info, bytes);
}

const char *satf_format_of_path(const char *path, satf_format_info *info, size_t bytes)
{
    return give(path ? io_format_by_suffix(path) : NULL, info, bytes);
}

satf_status satf_format_check_type(satf_context *ctx, const char *format, int type)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    const io_format *found = format ? io_format_find(format) : NULL;
    if (!found || !satf_type_name(type)) {
        return satf_fail(ctx, SATF_INVALID, "there is no such %s", found ? "type" : "format");
    }
    return io_check_type(ctx, found, (satf_type)type);
}
