/* PFM: 32-bit floats, one or three channels, rows from the bottom up.
 * www.pauldebevec.com/Research/HDR/PFM */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../codec.h"

typedef struct pfm {
    bool swap;          /* samples are not in the machine's byte order */
    int64_t samples_at; /* where in the file they begin */
} pfm;

static bool pfm_probe(const unsigned char *head, size_t n)
{
    return n >= 3 && head[0] == 'P' && (head[1] == 'f' || head[1] == 'F') &&
           strchr(" \t\r\n", head[2]) && head[2];
}

/* A word and the one blank behind it; blanks before it are skipped. */
static bool read_word(io_source *source, char *word, size_t room)
{
    int c;
    do {
        c = io_source_byte(source);
    } while (c == ' ' || (c >= '\t' && c <= '\r'));
    size_t n = 0;
    for (; c > ' '; c = io_source_byte(source)) {
        if (n + 1 == room) {
            return false;
        }
        word[n++] = (char)c;
    }
    word[n] = 0;
    return n > 0 && (c == ' ' || (c >= '\t' && c <= '\r'));
}

static bool read_size(io_source *source, int64_t *size)
{
    char word[16];
    if (!read_word(source, word, sizeof word) || strlen(word) > 10 ||
        word[strspn(word, "0123456789")]) {
        return false;
    }
    *size = strtoll(word, NULL, 10);
    return *size <= INT32_MAX;
}

/* The scale's sign is the byte order, negative for little; its value is a unit
 * that readers leave alone. Digits are checked by hand, for strtod() would take
 * "nan", hexadecimals and the locale's decimal point. */
static bool read_scale(io_source *source, bool *little)
{
    char word[64];
    if (!read_word(source, word, sizeof word)) {
        return false;
    }
    const char *number = word + (word[0] == '-' || word[0] == '+');
    *little = word[0] == '-';
    return number[strspn(number, "0123456789.eE+-")] == 0 && strpbrk(number, "123456789");
}

static satf_status open_pfm(satf_context *ctx, io_reader *reader)
{
    io_source *source = &reader->source;
    char kind[4];
    int64_t width = 0, height = 0;
    bool little = false;
    if (!read_word(source, kind, sizeof kind) || !read_size(source, &width) ||
        !read_size(source, &height) || !read_scale(source, &little)) {
        return source->ended && source->at == source->end
                   ? io_fail_short(ctx, source)
                   : satf_fail(ctx, SATF_DATA,
                               "the PFM header is damaged: width, height and scale must follow");
    }
    pfm *p = reader->state;
    p->swap = little != IO_LITTLE_ENDIAN;
    p->samples_at = io_source_taken(source);
    io_header_set(&reader->header, width, height, kind[1] == 'F' ? 3 : 1, SATF_F32, false, 0);
    reader->header.file_row_bytes = reader->header.view.stride;
    reader->header.rows_in_order = source->bytes >= 0;
    return SATF_OK;
}

/* The rows asked for lie together in the file, the last one first. */
static satf_status pfm_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    const pfm *p = reader->state;
    const satf_view *v = &reader->header.view;
    size_t bytes = (size_t)v->stride;
    if (reader->header.rows_in_order) {
        int64_t below = v->height - reader->next_row - n;
        io_source_seek(&reader->source, p->samples_at + below * v->stride);
    }
    for (int64_t y = n - 1; y >= 0; y--) {
        char *row = (char *)dst + y * stride;
        if (io_source_read(&reader->source, row, bytes) != bytes) {
            return io_fail_short(ctx, &reader->source);
        }
        if (p->swap) {
            io_swap_bytes(row, bytes / sizeof(float), sizeof(float));
        }
    }
    return SATF_OK;
}

/* ----------------------------------------------------------------- writing */

/* In a plain file every row goes to its place; elsewhere all wait for the last one, which comes
 * first. */
typedef struct pfm_out {
    int64_t samples_at; /* in a plain file; -1 elsewhere */
    char *waiting;      /* the picture; NULL in a plain file */
    char *row;          /* where a row's bytes are swapped; NULL if they need not be */
} pfm_out;

/* The offset in a plain file, or in one by callbacks that seek; -1 in pipes, and where every write
 * goes to the end. */
static int64_t offset_in(FILE *file)
{
    struct stat info;
    int fd = fileno(file), flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    if (fd < 0) {
        return fseeko(file, 0, SEEK_CUR) ? -1 : (int64_t)ftello(file);
    }
    bool plain =
        flags >= 0 && !(flags & O_APPEND) && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    return plain ? (int64_t)ftello(file) : -1;
}

static satf_status pfm_create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    size_t row_bytes = (size_t)v->stride, bytes;
    pfm_out *out = writer->state;
    char header[64];
    int n = snprintf(header, sizeof header, "P%c\n%" PRId64 " %" PRId64 "\n-1.0\n",
                     v->channels == 3 ? 'F' : 'f', v->width, v->height);
    satf_status status = io_write(ctx, writer, header, (size_t)n);
    if (status) {
        return status;
    }
    out->samples_at = offset_in(writer->file);
    if (!IO_LITTLE_ENDIAN && !(out->row = satf_alloc(row_bytes))) {
        return satf_fail_memory(ctx, row_bytes, "a PFM row");
    }
    if (out->samples_at >= 0) {
        return SATF_OK;
    }
    if (!satf_mul(row_bytes, (size_t)v->height, &bytes)) {
        bytes = SIZE_MAX;
    }
    if (bytes > (size_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "PFM into a pipe takes %zu bytes; write a file, or .npy, for the limit is "
                         "%" PRId64 " bytes (limit: max-memory)",
                         bytes, ctx->settings.max_bytes);
    }
    out->waiting = satf_alloc(bytes);
    return out->waiting ? SATF_OK : satf_fail_memory(ctx, bytes, "a PFM picture");
}

/* Writes n rows that lie stride bytes apart, the last one first. */
static satf_status write_upwards(satf_context *ctx, io_writer *writer, const char *rows,
                                 int64_t stride, int64_t n)
{
    const pfm_out *out = writer->state;
    size_t bytes = (size_t)writer->plan.out.stride;
    satf_status status = SATF_OK;
    for (int64_t y = n - 1; y >= 0 && !status; y--) {
        const char *row = rows + y * stride;
        if (out->row) {
            memcpy(out->row, row, bytes);
            io_swap_bytes(out->row, bytes / sizeof(float), sizeof(float));
            row = out->row;
        }
        status = io_write(ctx, writer, row, bytes);
        status = status ? status : satf_tick(ctx);
    }
    return status;
}

/* Goes to behind the last `rows` rows of the picture, which come first in the plain file. */
static satf_status pfm_go_to(satf_context *ctx, io_writer *writer, int64_t rows)
{
    const pfm_out *out = writer->state;
    if (fseeko(writer->file, (off_t)(out->samples_at + rows * writer->plan.out.stride), SEEK_SET)) {
        return satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
    }
    return SATF_OK;
}

static satf_status pfm_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                           int64_t n)
{
    const pfm_out *out = writer->state;
    const satf_view *v = &writer->plan.out;
    if (out->waiting) {
        for (int64_t y = 0; y < n; y++) {
            memcpy(out->waiting + (writer->next_row + y) * v->stride,
                   (const char *)src + y * stride, (size_t)v->stride);
        }
        return SATF_OK;
    }
    satf_status status = pfm_go_to(ctx, writer, v->height - writer->next_row - n);
    return status ? status : write_upwards(ctx, writer, src, stride, n);
}

static satf_status pfm_finish(satf_context *ctx, io_writer *writer)
{
    const pfm_out *out = writer->state;
    const satf_view *v = &writer->plan.out;
    return out->waiting ? write_upwards(ctx, writer, out->waiting, v->stride, v->height)
                        : pfm_go_to(ctx, writer, v->height);
}

static void pfm_abandon(io_writer *writer)
{
    const pfm_out *out = writer->state;
    satf_free(out->waiting);
    satf_free(out->row);
}

const io_format io_pfm = {
    .name = "pfm",
    .suffixes = "pfm",
    .help = "PFM: 32-bit floats, grey or RGB",
    .fit_for_strangers = true,
    .probe = pfm_probe,
    .reader_bytes = sizeof(pfm),
    .open = open_pfm,
    .rows = pfm_read_rows,
    .value_types = IO_TYPE_BIT(SATF_F32),
    .channel_mask = 1u << 1 | 1u << 3,
    .writer_bytes = sizeof(pfm_out),
    .create = pfm_create,
    .put = pfm_put,
    .finish = pfm_finish,
    .abandon = pfm_abandon,
};
