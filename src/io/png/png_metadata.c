/* Metadata of a PNG that stands behind the pixels. */
#include <inttypes.h>
#include <string.h>

#include "png_common.h"

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
    if (io_source_look(source, at + IO_PNG_HEAD_BYTES, room, (size_t)bytes) != (size_t)bytes) {
        satf_free(room);
        return SATF_OK;
    }
    *data = room;
    return SATF_OK;
}

/* Is it a chunk of text that holds XMP, EXIF or IPTC? */
static bool is_block(const io_source *source, const unsigned char *head, int64_t at)
{
    unsigned char keyword[32];
    if (!io_png_is_text(head + 4)) {
        return false;
    }
    size_t bytes = png_get_uint_32(head);
    size_t n = io_source_look(source, at + IO_PNG_HEAD_BYTES, keyword, sizeof keyword);
    return io_png_is_block(head + 4, keyword, n < bytes ? n : bytes);
}

/* Takes what the chunk holds, *sound = false if that is damaged. */
static satf_status take_late(satf_context *ctx, io_reader *reader, const unsigned char *head,
                             int64_t at, bool *sound)
{
    satf_metadata *metadata = &reader->header.metadata;
    bool exif = memcmp(head + 4, "eXIf", 4) == 0 && !metadata->exif;
    unsigned char *data;
    int64_t bytes = png_get_uint_32(head);
    if (!exif && !is_block(&reader->source, head, at)) {
        return SATF_OK;
    }
    satf_status status = look_at_data(ctx, &reader->source, at, bytes, &data);
    if (status || !data) {
        *sound = false;
        return status;
    }
    if (!exif) {
        status = io_png_take_block(reader->state, head + 4, data, (size_t)bytes);
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

/* The way there goes by the chunks' lengths; libpng looks at the chunks when it comes by, and has
 * come by those in front. */
satf_status io_png_find_metadata(satf_context *ctx, io_reader *reader)
{
    const io_source *source = &reader->source;
    io_png_state *state = reader->state;
    unsigned char window[512]; /* so that many small chunks are few calls, and large ones little */
    int64_t at = 8, begin = at, end = at, behind = io_source_taken(source);
    if (source->bytes < 0) {
        return SATF_OK;
    }
    state->ctx = ctx;
    reader->header.metadata_may_follow = false;
    for (;;) {
        satf_status status = satf_tick(ctx);
        if (status) {
            return status;
        }
        if (at + IO_PNG_HEAD_BYTES > end) {
            begin = at;
            end = at + (int64_t)io_source_look(source, at, window, sizeof window);
        }
        const unsigned char *head = window + (at - begin);
        state->looked_to = at;
        if (at + IO_PNG_HEAD_BYTES > end || memcmp(head + 4, "IEND", 4) == 0) {
            return SATF_OK;
        }
        bool sound = true;
        status = at < behind ? SATF_OK : take_late(ctx, reader, head, at, &sound);
        if (status || !sound) { /* the rows will come by it, and say so */
            reader->header.metadata_may_follow = true;
            return status;
        }
        at += 12 + (int64_t)png_get_uint_32(head);
    }
}
