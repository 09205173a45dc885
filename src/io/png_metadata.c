/* Metadata of a PNG that libpng does not read: XMP, and whatever stands behind the pixels. */
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "png_common.h"

satf_status io_png_fail_metadata(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT,
                     "a PNG with more than %" PRId64
                     " bytes of what is no pixels: above the limit (limit: max-metadata)",
                     ctx->settings.max_metadata);
}

/* ------------------------------------------------------------------------ XMP */

/* All that the stream unpacks to; NULL and SATF_OK if it is damaged. */
static satf_status inflate_text(satf_context *ctx, const unsigned char *packed, size_t n,
                                unsigned char **text, size_t *bytes)
{
    size_t limit =
        (size_t)(ctx->settings.max_bytes < ctx->settings.max_metadata ? ctx->settings.max_bytes
                                                                      : ctx->settings.max_metadata);
    enum { PIECE = 1 << 20 };
    z_stream z = {.next_in = (Bytef *)packed, .avail_in = (uInt)n}; /* zlib does not write to it */
    int result = inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR;
    satf_status status = SATF_OK;
    unsigned char *room = NULL;
    for (size_t size = 0; result == Z_OK && !status;) {
        size_t used = size;
        size = size ? 2 * size : 16 << 10;
        unsigned char *larger = used > limit ? NULL : satf_alloc(size);
        if (!larger) {
            status = used > limit ? io_png_fail_metadata(ctx)
                                  : satf_fail_memory(ctx, size, "a PNG's XMP");
            break;
        }
        if (used > 0) {
            memcpy(larger, room, used);
        }
        satf_free(room);
        room = larger;
        for (size_t at = used, part; at < size && result == Z_OK && !status; at += part) {
            part = size - at < PIECE ? size - at : PIECE;
            z.next_out = room + at;
            z.avail_out = (uInt)part;
            result = inflate(&z, Z_NO_FLUSH);
            result = result == Z_OK && z.avail_out > 0 ? Z_DATA_ERROR : result; /* cut off */
            status = satf_tick(ctx);
        }
    }
    if (!status && result == Z_MEM_ERROR) {
        status = satf_fail(ctx, SATF_NO_MEMORY, "zlib is out of memory");
    }
    if (!status && result == Z_STREAM_END && z.total_out > limit) {
        status = io_png_fail_metadata(ctx);
    }
    if (!status && result == Z_STREAM_END && z.total_out > 0) {
        *text = room;
        *bytes = z.total_out;
        room = NULL;
    }
    satf_free(room);
    inflateEnd(&z);
    return status;
}

/* XMP in iTXt: keyword, NUL, whether it is packed, how, language, NUL, translated keyword, NUL,
 * text. */
static satf_status take_xmp(satf_context *ctx, const unsigned char *chunk, size_t n,
                            io_header *header)
{
    enum { PACKED = sizeof IO_PNG_XMP_KEYWORD, METHOD, LANGUAGE };
    satf_metadata *metadata = &header->metadata;
    const unsigned char *at = chunk + LANGUAGE, *end = chunk + n;
    header->xmp_damaged = true;
    for (int i = 0; i < 2; i++) {
        at = n < LANGUAGE ? NULL : memchr(at, 0, (size_t)(end - at));
        if (!at) {
            return SATF_OK;
        }
        at++;
    }
    size_t bytes = (size_t)(end - at);
    satf_status status = SATF_OK;
    if (chunk[PACKED] == 1 && chunk[METHOD] == 0) {
        status = inflate_text(ctx, at, bytes, &metadata->xmp, &metadata->xmp_bytes);
    } else if (!chunk[PACKED]) {
        status = satf_copy_block(ctx, at, bytes, &metadata->xmp, &metadata->xmp_bytes);
    }
    header->xmp_damaged = !metadata->xmp && bytes > 0;
    return status;
}

/* What a file says of itself, when and by what it was written, does not hold for another. */
static bool is_about_file(const unsigned char *chunk, size_t n)
{
    static const char *const keywords[] = {"Software", "date:create", "date:modify",
                                           "date:timestamp"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        size_t length = strlen(keywords[i]) + 1;
        if (n >= length && memcmp(chunk, keywords[i], length) == 0) {
            return true;
        }
    }
    return false;
}

satf_status io_png_take_text(satf_context *ctx, const unsigned char *chunk, size_t n,
                             io_header *header)
{
    bool is_xmp = n >= sizeof IO_PNG_XMP_KEYWORD &&
                  memcmp(chunk, IO_PNG_XMP_KEYWORD, sizeof IO_PNG_XMP_KEYWORD) == 0;
    header->has_text |= !is_xmp && !is_about_file(chunk, n);
    return is_xmp && !header->metadata.xmp ? take_xmp(ctx, chunk, n, header) : SATF_OK;
}

/* ----------------------------------------------------------- behind the pixels */

/* The data of the chunk at that offset, of so many bytes; NULL if it is too large or not there. */
static satf_status look_at_data(satf_context *ctx, const io_source *source, int64_t at,
                                int64_t bytes, unsigned char **data)
{
    enum { AROUND = 12 };
    *data = NULL;
    if (bytes < 4 || bytes > ctx->settings.max_metadata || bytes > source->bytes - at - AROUND) {
        return SATF_OK;
    }
    unsigned char *room = satf_alloc((size_t)bytes);
    if (!room) {
        return satf_fail_memory(ctx, (size_t)bytes, "a PNG's metadata");
    }
    if (io_source_look(source, at + 8, room, (size_t)bytes) != (size_t)bytes) {
        satf_free(room);
        return SATF_OK;
    }
    *data = room;
    return SATF_OK;
}

/* Takes what the chunk holds, *sound = false if that is damaged. */
static satf_status take_late(satf_context *ctx, io_reader *reader, const unsigned char *head,
                             int64_t at, bool *sound)
{
    satf_metadata *metadata = &reader->header.metadata;
    bool exif = memcmp(head + 4, "eXIf", 4) == 0 && !metadata->exif;
    bool text = memcmp(head + 4, "iTXt", 4) == 0 && !metadata->xmp;
    unsigned char *data;
    int64_t bytes = png_get_uint_32(head);
    if (!exif && !text) {
        return SATF_OK;
    }
    satf_status status = look_at_data(ctx, &reader->source, at, bytes, &data);
    if (status || !data) {
        *sound = false;
        return status;
    }
    if (text) {
        status = io_png_take_text(ctx, data, (size_t)bytes, &reader->header);
    } else if (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0) {
        metadata->exif = data;
        metadata->exif_bytes = (size_t)bytes;
        data = NULL;
    } else {
        *sound = false;
    }
    satf_free(data);
    return status;
}

/* The way there goes by the chunks' lengths; libpng looks at the chunks when it comes by. */
satf_status io_png_find_metadata(satf_context *ctx, io_reader *reader)
{
    const io_source *source = &reader->source;
    enum { HEAD_BYTES = 8 };   /* length and name */
    unsigned char window[512]; /* so that many small chunks are few calls, and large ones little */
    int64_t at = 8, begin = at, end = at;
    if (source->bytes < 0) {
        return SATF_OK;
    }
    reader->header.metadata_may_follow = false;
    for (;;) {
        satf_status status = satf_tick(ctx);
        if (status) {
            return status;
        }
        if (at + HEAD_BYTES > end) {
            begin = at;
            end = at + (int64_t)io_source_look(source, at, window, sizeof window);
        }
        const unsigned char *head = window + (at - begin);
        if (at + HEAD_BYTES > end || memcmp(head + 4, "IEND", 4) == 0) {
            return SATF_OK;
        }
        bool sound = true;
        status = take_late(ctx, reader, head, at, &sound);
        if (status || !sound) { /* the rows will come by it, and say so */
            reader->header.metadata_may_follow = true;
            return status;
        }
        at += 12 + (int64_t)png_get_uint_32(head);
    }
}
