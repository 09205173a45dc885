/* Text of a PNG: XMP, blocks that ImageMagick writes as hexadecimal digits, and what is kept. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "png_common.h"

satf_status io_png_fail_metadata(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT,
                     "a PNG that claims more than %" PRId64
                     " bytes of what is no pixels: above the limit (limit: max-metadata)",
                     ctx->settings.max_metadata);
}

/* What a chunk of text holds. */
typedef struct text {
    const unsigned char *data; /* behind the keyword and the rest of its head; NULL: damaged */
    size_t bytes;
    bool packed;
} text;

/* Heads: keyword, NUL; in zTXt how it is packed; in iTXt whether it is packed, how, language, NUL,
 * translated keyword, NUL. */
static text open_text(const unsigned char *name, const unsigned char *chunk, size_t n)
{
    static const text damaged;
    const unsigned char *at = memchr(chunk, 0, n), *end = chunk + n;
    text t = {.packed = name[0] == 'z'};
    if (!at) {
        return damaged;
    }
    at++;
    if (name[0] == 'i') {
        if (end - at < 2 || at[0] > 1) {
            return damaged;
        }
        t.packed = *at++ == 1;
    }
    if (t.packed && (at == end || *at != 0)) {
        return damaged;
    }
    at += name[0] != 't';
    for (int i = 0; name[0] == 'i' && i < 2; i++) {
        at = memchr(at, 0, (size_t)(end - at));
        if (!at) {
            return damaged;
        }
        at++;
    }
    t.data = at;
    t.bytes = (size_t)(end - at);
    return t;
}

/* Unpacks all of the stream; NULL and SATF_OK if it is damaged. What has been unpacked before
 * counts towards the limit too. */
static satf_status inflate_text(io_png_state *state, const text *t, unsigned char **data,
                                size_t *bytes)
{
    satf_context *ctx = state->ctx;
    int64_t left = ctx->settings.max_metadata - state->unpacked;
    size_t limit = (size_t)(ctx->settings.max_bytes < left ? ctx->settings.max_bytes : left);
    enum { PIECE = 1 << 20 };
    z_stream z = {.next_in = (Bytef *)t->data, .avail_in = (uInt)t->bytes}; /* only read */
    int result = inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR;
    satf_status status = SATF_OK;
    unsigned char *room = NULL;
    for (size_t size = 0; result == Z_OK && !status;) {
        size_t used = size;
        size = size ? 2 * size : 16 << 10;
        unsigned char *larger = used > limit ? NULL : satf_grow(room, used, size);
        if (!larger) {
            status = used > limit ? io_png_fail_metadata(ctx)
                                  : satf_fail_memory(ctx, size, "a PNG's metadata");
            break;
        }
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
    if (!status && z.total_out > limit) {
        status = io_png_fail_metadata(ctx);
    }
    state->unpacked += (int64_t)z.total_out;
    if (!status && result == Z_STREAM_END && z.total_out > 0) {
        *data = room;
        *bytes = z.total_out;
        room = NULL;
    }
    satf_free(room);
    inflateEnd(&z);
    return status;
}

static satf_status png_unpack(io_png_state *state, const text *t, unsigned char **data,
                              size_t *bytes)
{
    *data = NULL;
    *bytes = 0;
    return t->packed ? inflate_text(state, t, data, bytes)
                     : satf_copy_block(state->ctx, t->data, t->bytes, data, bytes);
}

static satf_status take_xmp(io_png_state *state, const text *t)
{
    satf_metadata *m = &state->header->metadata;
    if (m->xmp) {
        state->block_lost = true;
        return SATF_OK;
    }
    satf_status status = t->data ? png_unpack(state, t, &m->xmp, &m->xmp_bytes) : SATF_OK;
    state->header->xmp_damaged = !m->xmp && (!t->data || t->bytes > 0);
    return status;
}

/* ------------------------------------------------------------ raw profiles */

static int hex_digit(unsigned char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool png_is_blank(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Newline, a name, newline, how many bytes, newline, their hexadecimal digits: becomes the bytes,
 * in place. False if it is anything else. */
static bool decode_profile(unsigned char *data, size_t *bytes)
{
    unsigned char *to = data, *end = data + *bytes;
    const unsigned char *at = *data == '\n' ? memchr(data + 1, '\n', *bytes - 1) : NULL;
    size_t length = 0;
    int high = -1;
    while (at && at < end && png_is_blank(*at)) {
        at++;
    }
    for (; at && at < end && *at >= '0' && *at <= '9' && length <= *bytes; at++) {
        length = 10 * length + (size_t)(*at - '0');
    }
    for (; at && at < end; at++) {
        int digit = hex_digit(*at);
        if (digit < 0 && !png_is_blank(*at)) {
            return false;
        }
        if (digit >= 0 && high < 0) {
            high = digit;
        } else if (digit >= 0) {
            *to++ = (unsigned char)(high << 4 | digit);
            high = -1;
        }
    }
    *bytes = (size_t)(to - data);
    return high < 0 && length > 0 && *bytes == length;
}

static bool png_begins_with(const unsigned char *data, size_t n, const char *lead,
                            size_t lead_bytes)
{
    return n > lead_bytes && memcmp(data, lead, lead_bytes) == 0;
}

/* The first of its kind counts; what is not taken is text that is lost. */
static satf_status take_first(io_png_state *state, const unsigned char *from, size_t n,
                              unsigned char **to, size_t *to_bytes)
{
    if (*to) {
        state->block_lost = true;
        return SATF_OK;
    }
    return satf_copy_block(state->ctx, from, n, to, to_bytes);
}

/* EXIF and XMP begin as in a JPEG's APP1 marker, or without that. */
static satf_status place_profile(io_png_state *state, const char *kind, const unsigned char *data,
                                 size_t n)
{
    satf_metadata *m = &state->header->metadata;
    bool app1 = strcasecmp(kind, "exif") == 0 || strcasecmp(kind, "app1") == 0;
    bool xmp = strcasecmp(kind, "xmp") == 0;
    bool iptc = strcasecmp(kind, "iptc") == 0 || strcasecmp(kind, "8bim") == 0;
    if (app1 && png_begins_with(data, n, IO_JPEG_EXIF_LEAD, sizeof IO_JPEG_EXIF_LEAD)) {
        data += sizeof IO_JPEG_EXIF_LEAD;
        n -= sizeof IO_JPEG_EXIF_LEAD;
    } else if (app1 && png_begins_with(data, n, IO_JPEG_XMP_LEAD, sizeof IO_JPEG_XMP_LEAD)) {
        data += sizeof IO_JPEG_XMP_LEAD;
        n -= sizeof IO_JPEG_XMP_LEAD;
        xmp = true;
    }
    if (xmp) {
        return take_first(state, data, n, &m->xmp, &m->xmp_bytes);
    }
    if (app1 && (png_begins_with(data, n, "II*", 4) || png_begins_with(data, n, "MM\0*", 4))) {
        return take_first(state, data, n, &m->exif, &m->exif_bytes);
    }
    if (iptc && png_begins_with(data, n, "8BIM", 4)) {
        return take_first(state, data, n, &m->iptc, &m->iptc_bytes);
    }
    if (iptc && !m->iptc && png_begins_with(data, n, "\x1c", 1)) {
        return io_wrap_iptc(state->ctx, data, n, m);
    }
    state->block_lost = true;
    return SATF_OK;
}

static satf_status take_profile(io_png_state *state, const char *kind, const text *t)
{
    unsigned char *data = NULL;
    size_t n = 0;
    satf_status status = t->data ? png_unpack(state, t, &data, &n) : SATF_OK;
    if (!status && data && decode_profile(data, &n)) {
        status = place_profile(state, kind, data, n);
    } else {
        state->block_lost = true;
    }
    satf_free(data);
    return status;
}

bool io_png_is_block(const unsigned char *name, const unsigned char *chunk, size_t n)
{
    return (name[0] == 'i' && n >= sizeof IO_PNG_XMP_KEYWORD &&
            memcmp(chunk, IO_PNG_XMP_KEYWORD, sizeof IO_PNG_XMP_KEYWORD) == 0) ||
           png_begins_with(chunk, n, IO_PNG_PROFILE_LEAD, sizeof IO_PNG_PROFILE_LEAD - 1);
}

/* Notes a chunk of text that is not kept, by its keyword. */
static void note_text(io_png_state *state, const unsigned char *chunk, size_t n)
{
    io_list_text(state->header->text, sizeof state->header->text, "", chunk, n);
}

satf_status io_png_take_block(io_png_state *state, const unsigned char *name,
                              const unsigned char *chunk, size_t n)
{
    text t = open_text(name, chunk, n);
    const char *kind = (const char *)chunk + sizeof IO_PNG_PROFILE_LEAD - 1;
    state->block_lost = false;
    satf_status status = chunk[0] == 'X' ? take_xmp(state, &t) : take_profile(state, kind, &t);
    if (state->block_lost) {
        note_text(state, chunk, n);
    }
    return status;
}

/* -------------------------------------------------------------- other text */

static bool is_among(const char *const *keywords, const unsigned char *chunk, size_t n)
{
    while (*keywords && !png_begins_with(chunk, n + 1, *keywords, strlen(*keywords) + 1)) {
        keywords++;
    }
    return *keywords != NULL;
}

/* Room for so many bytes: powers of two, so that many small chunks are copied a few times only. */
static size_t room_for(size_t bytes)
{
    size_t room = 256;
    while (room < bytes) {
        room *= 2;
    }
    return room;
}

/* Adds the chunk, as it is, to the text that is kept. */
static satf_status png_keep_text(io_png_state *state, const unsigned char *name,
                                 const unsigned char *chunk, size_t n)
{
    satf_metadata *m = &state->header->metadata;
    size_t bytes = m->text_bytes + IO_PNG_HEAD_BYTES + n; /* no more than the file has */
    if (!m->text || room_for(bytes) > room_for(m->text_bytes)) {
        unsigned char *larger = satf_grow(m->text, m->text_bytes, room_for(bytes));
        if (!larger) {
            return satf_fail_memory(state->ctx, room_for(bytes), "a PNG's text");
        }
        m->text = larger;
    }
    unsigned char *to = m->text + m->text_bytes;
    png_save_uint_32(to, (png_uint_32)n);
    memcpy(to + 4, name, 4);
    memcpy(to + IO_PNG_HEAD_BYTES, chunk, n);
    m->text_bytes = bytes;
    return SATF_OK;
}

satf_status io_png_take_text(io_png_state *state, const unsigned char *name,
                             const unsigned char *chunk, size_t n)
{
    /* What a file says of itself, when and by what it was written, does not hold for another. */
    static const char *const about_file[] = {"Software", "date:create", "date:modify",
                                             "date:timestamp", NULL};
    static const char *const kept[] = {"Author", "Copyright", NULL};
    bool looked = io_source_taken(state->source) <= state->looked_to;
    if (io_png_is_block(name, chunk, n)) {
        return looked ? SATF_OK : io_png_take_block(state, name, chunk, n);
    }
    if (is_among(kept, chunk, n)) {
        return png_keep_text(state, name, chunk, n);
    }
    if (!is_among(about_file, chunk, n)) {
        note_text(state, chunk, n);
    }
    return SATF_OK;
}
