/* PFM: 32-bit floats, one or three channels, rows from the bottom up.
 * www.pauldebevec.com/Research/HDR/PFM */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"

static bool probe(const unsigned char *head, size_t n)
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
    io_header_set(&reader->header, width, height, kind[1] == 'F' ? 3 : 1, SATF_F32, false, 0);
    reader->header.rows_in_order = false; /* the last row comes first */
    /* state: a mark that the samples' byte order is not the machine's */
    reader->state = little == IO_LITTLE_ENDIAN ? NULL : reader;
    return SATF_OK;
}

static satf_status read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                             int64_t n)
{
    size_t bytes = (size_t)reader->header.view.stride;
    for (int64_t y = n - 1; y >= 0; y--) {
        char *row = (char *)dst + y * stride;
        if (io_source_read(&reader->source, row, bytes) != bytes) {
            return io_fail_short(ctx, &reader->source);
        }
        if (reader->state) {
            io_swap_bytes(row, bytes / sizeof(float), sizeof(float));
        }
    }
    return SATF_OK;
}

static void close_pfm(io_reader *reader)
{
    (void)reader;
}

/* The rows wait in memory, for the first one goes last and a pipe cannot seek. */
static satf_status create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    size_t bytes;
    if (!satf_mul((size_t)v->stride, (size_t)v->height, &bytes)) {
        bytes = SIZE_MAX;
    }
    if (bytes > (size_t)ctx->max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "writing PFM takes %zu bytes, above the limit of %" PRId64
                         " bytes (--max-memory); write .npy",
                         bytes, ctx->max_bytes);
    }
    writer->state = satf_alloc(bytes);
    return writer->state ? SATF_OK : satf_fail_memory(ctx, bytes, "a PFM picture");
}

static satf_status put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                       int64_t n)
{
    (void)ctx;
    size_t bytes = (size_t)writer->plan.out.stride;
    for (int64_t y = 0; y < n; y++) {
        memcpy((char *)writer->state + (size_t)(writer->next_row + y) * bytes,
               (const char *)src + y * stride, bytes);
    }
    return SATF_OK;
}

static satf_status finish(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    char header[64];
    int n = snprintf(header, sizeof header, "P%c\n%" PRId64 " %" PRId64 "\n-1.0\n",
                     v->channels == 3 ? 'F' : 'f', v->width, v->height);
    satf_status status = io_write(ctx, writer->file, header, (size_t)n);
    for (int64_t y = v->height - 1; y >= 0 && !status; y--) {
        char *row = (char *)writer->state + y * v->stride;
        if (!IO_LITTLE_ENDIAN) {
            io_swap_bytes(row, (size_t)v->stride / sizeof(float), sizeof(float));
        }
        status = io_write(ctx, writer->file, row, (size_t)v->stride);
    }
    return status;
}

static void abandon(io_writer *writer)
{
    satf_free(writer->state);
}

const io_format io_pfm = {
    .name = "pfm",
    .suffixes = "pfm",
    .help = "PFM: 32-bit floats, grey or RGB",
    .probe = probe,
    .open = open_pfm,
    .rows = read_rows,
    .close = close_pfm,
    .value_types = IO_TYPE_BIT(SATF_F32),
    .channel_mask = 1u << 1 | 1u << 3,
    .create = create,
    .put = put,
    .finish = finish,
    .abandon = abandon,
};
