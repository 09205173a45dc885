/* BMP, TGA and Radiance HDR through stb_image: reading only. */
#include <limits.h>
#include <setjmp.h>
#include <string.h>

#include "../../base/share.h"
#include "stb_file.h"

/* What stb_image holds in the call that this thread is in, to be freed when the callback cancels
 * and a jump leaves that call. It never holds as many. */
enum { BLOCKS = 32 };
static _Thread_local void *blocks[BLOCKS];

static void *stb_take_block(size_t bytes)
{
    int free_at = 0;
    while (free_at < BLOCKS && blocks[free_at]) {
        free_at++;
    }
    void *memory = free_at < BLOCKS ? satf_alloc(bytes) : NULL;
    if (memory) {
        blocks[free_at] = memory;
    }
    return memory;
}

static void free_block(void *memory)
{
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = blocks[i] == memory ? NULL : blocks[i];
    }
    satf_free(memory);
}

static void free_blocks(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        free_block(blocks[i]);
    }
}

#define STBI_MALLOC(bytes) stb_take_block(bytes)
#define STBI_REALLOC(memory, bytes) NULL /* the formats below do without */
#define STBI_FREE(memory) free_block(memory)
#define STBI_ASSERT(condition) ((void)(condition)) /* a library must not abort */
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION

/* Outside of push and pop: gcc gives this warning at the end of the file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas" /* each compiler lacks some of these */
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wimplicit-int-conversion"
#pragma GCC diagnostic ignored "-Wstrict-overflow"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#if __has_include(<stb/stb_image.h>)
#include <stb/stb_image.h>
#else
#include <stb_image.h>
#endif
#pragma GCC diagnostic pop

/* ------------------------------------------------------------------ probes */

static bool probe_bmp(const unsigned char *head, size_t n)
{
    /* the size of the header that follows tells BMP from text that begins with BM */
    return n >= 26 && head[0] == 'B' && head[1] == 'M' && head[14] >= 12 && head[14] <= 124 &&
           !head[15] && !head[16] && !head[17];
}

static bool probe_hdr(const unsigned char *head, size_t n)
{
    return (n >= 11 && memcmp(head, "#?RADIANCE\n", 11) == 0) ||
           (n >= 7 && memcmp(head, "#?RGBE\n", 7) == 0);
}

/* TGA has no magic number: every field of its 18-byte header must make sense. Without a map the
 * first number and the count of one mean nothing, and some programs write them. */
static bool probe_tga(const unsigned char *head, size_t n)
{
    if (n < 18 || head[1] > 1) {
        return false;
    }
    int kind = head[2] & 7, depth = head[16], entry = head[7];
    bool mapped = head[1] == 1;
    bool known = (head[2] & ~8) >= 1 && (head[2] & ~8) <= 3 && (mapped || kind != 1);
    bool entry_fits = entry == 8 || entry == 15 || entry == 16 || entry == 24 || entry == 32;
    bool depth_fits = kind == 1   ? depth == 8 || depth == 16
                      : kind == 2 ? depth == 15 || depth == 16 || depth == 24 || depth == 32
                                  : depth == 8 || depth == 16;
    bool sizes = (head[12] || head[13]) && (head[14] || head[15]);
    return known && (entry_fits || (!mapped && !entry)) && depth_fits && sizes &&
           (head[17] & 0xc0) == 0 && (head[17] & 0x0f) <= 8;
}

/* ----------------------------------------------------------------- reading */

/*
 * stb_image takes zeros for what is missing, so the callbacks note whether it
 * asked for more than there is. It fills one buffer of its own in advance, for
 * which fewer bytes than asked for are normal; the first call tells where that is.
 */
typedef struct feed {
    const unsigned char *at, *end;
    const char *own_buffer;
    bool overrun;
    int surplus; /* bytes served behind the end: see feed_read() */
    satf_context *ctx;
    satf_status status; /* of the callback */
    bool jumps;         /* to `jump`, when that cancels */
    jmp_buf jump;
} feed;

static int feed_read(void *user, char *data, int wanted)
{
    feed *f = user;
    f->status = satf_tick(f->ctx);
    if (f->status && f->jumps) {
        longjmp(f->jump, 1);
    }
    size_t left = (size_t)(f->end - f->at);
    size_t n = (size_t)wanted < left ? (size_t)wanted : left;
    f->own_buffer = f->own_buffer ? f->own_buffer : data;
    f->overrun |= data == f->own_buffer ? n == 0 : n < (size_t)wanted;
    if (n > 0) {
        memcpy(data, f->at, n);
        f->at += n;
    } else if (f->surplus >= wanted) {
        /* Version 2.27 loops for ever on the zeros that it takes for the rest of a cut
         * HDR run; runs of 127 finish the row. The picture is refused anyway. */
        memset(data, 0xff, (size_t)wanted);
        f->surplus -= wanted;
        n = (size_t)wanted;
    }
    return (int)n;
}

static void feed_skip(void *user, int n) /* stb_image never skips back */
{
    feed *f = user;
    ptrdiff_t left = f->end - f->at;
    f->overrun |= n > left;
    f->at += n < left ? n : left;
}

static int feed_at_end(void *user)
{
    const feed *f = user;
    return f->at == f->end;
}

static const stbi_io_callbacks callbacks = {feed_read, feed_skip, feed_at_end};

typedef struct stb_state {
    void *pixels;
    size_t row_bytes;
} stb_state;

/* Forms of Radiance's that stb_image does not read; pixels of old run lengths it would take for
 * ordinary ones. */
static satf_status check_hdr(satf_context *ctx, const stb_file *file)
{
    const unsigned char *end = file->data + file->bytes;
    const unsigned char *size = memmem(file->data, file->bytes, "\n\n", 2);
    const unsigned char *pixels = size ? memchr(size + 2, '\n', (size_t)(end - size - 2)) : NULL;
    if (!pixels) {
        return SATF_OK; /* cut, or what stb_image has a word for */
    }
    if (memmem(file->data, (size_t)(size - file->data), "FORMAT=32-bit_rle_xyze", 22)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "an HDR of XYZ colours; RGB can be read");
    }
    const unsigned char *line = size + 2;
    bool stated = pixels - line > 3 && (line[0] == '-' || line[0] == '+') && line[2] == ' ';
    if (stated &&
        (memcmp(line, "-Y", 2) != 0 || !memmem(line, (size_t)(pixels - line), "+X ", 3))) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "an HDR that is turned or mirrored; rows from the top, from left to "
                         "right, can be read");
    }
    pixels++;
    bool rows_of_runs = end - pixels >= 4 && pixels[0] == 2 && pixels[1] == 2 && pixels[2] < 128;
    for (; end - pixels >= 4 && !rows_of_runs; pixels += 4) {
        if (pixels[0] == 1 && pixels[1] == 1 && pixels[2] == 1) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "an HDR of the old kind of run lengths; save it anew");
        }
    }
    return SATF_OK;
}

static satf_status fail_stb(satf_context *ctx, const io_format *format, const feed *f)
{
    if (f->status) {
        return f->status;
    }
    if (f->overrun) {
        return io_fail_short(ctx, NULL);
    }
    const char *why = stbi_failure_reason();
    return satf_fail(ctx, SATF_DATA, "the %s file is damaged or of an unusual kind: %s",
                     format->name, why ? why : "no reason given");
}

static bool alpha_is(const unsigned char *pixels, size_t n, size_t channels, unsigned char alpha)
{
    for (size_t i = 0; i < n; i++) {
        if (pixels[channels * i + channels - 1] != alpha) {
            return false;
        }
    }
    return true;
}

/* A BMP comes with alpha whether it has transparent pixels or not. A TGA has some that counts
 * if it tells its bits, or else if that byte of a pixel is neither 0 nor 255 everywhere. */
static bool alpha_counts(const io_format *format, const unsigned char *file,
                         const unsigned char *pixels, size_t n, size_t channels)
{
    if (format == &io_tga) {
        return (file[17] & 0x0f) ||
               !(alpha_is(pixels, n, channels, 0) || alpha_is(pixels, n, channels, 255));
    }
    return !alpha_is(pixels, n, channels, 255);
}

static void drop_alpha(unsigned char *pixels, size_t n, size_t channels)
{
    for (size_t i = 0; i < n; i++) {
        memmove(pixels + (channels - 1) * i, pixels + channels * i, channels - 1);
    }
}

/* Rows from right to left, which stb_image does not know of. */
static void mirror(unsigned char *pixels, size_t width, size_t height, size_t channels)
{
    for (size_t y = 0; y < height; y++) {
        unsigned char *left = pixels + y * width * channels, *right = left + width * channels;
        for (; right - left >= 2 * (ptrdiff_t)channels; left += channels) {
            right -= channels;
            for (size_t c = 0; c < channels; c++) {
                unsigned char sample = left[c];
                left[c] = right[c];
                right[c] = sample;
            }
        }
    }
}

/* The samples, which are the caller's; NULL on failure. */
static void *stb_decode_with(feed *f, bool floats, int channels)
{
    int width, height, found;
    if (setjmp(f->jump)) {
        free_blocks();
        return NULL;
    }
    f->jumps = true;
    void *samples =
        floats ? (void *)stbi_loadf_from_callbacks(&callbacks, f, &width, &height, &found, channels)
               : stbi_load_from_callbacks(&callbacks, f, &width, &height, &found, channels);
    memset(blocks, 0, sizeof blocks);
    return samples;
}

/* Refuses what is too large before stb_image allocates for it. */
static satf_status check_claims(satf_context *ctx, const io_format *format, const stb_file *file,
                                int width, int height, int channels)
{
    bool hdr = format == &io_hdr;
    satf_status status = io_check_size(ctx, width, height, 16);
    if (status) {
        return status;
    }
    uint64_t pixels = (uint64_t)width * (uint64_t)height;
    io_source source;
    io_source_open_memory(file->data, file->bytes, &source);
    status = io_check_ratio(ctx, &source, pixels * (unsigned)channels, hdr ? 32 : 8, "", 0);
    /* its decoders hold up to three pictures of 4 channels */
    uint64_t held = 12 * pixels * (hdr ? sizeof(float) : 1);
    status = status ? status : io_check_bytes(ctx, held);
    return status ? status : satf_share_reserve(ctx, held + 3 * (uint64_t)file->bytes);
}

/* Does what stb_image leaves undone. Returns the channels that remain. */
static int put_right(const io_format *format, const unsigned char *file, unsigned char *pixels,
                     int width, int height, int channels)
{
    size_t n = (size_t)width * (size_t)height, step = (size_t)channels;
    if (format == &io_tga && (file[17] & 0x10)) {
        mirror(pixels, (size_t)width, (size_t)height, step);
    }
    if (channels % 2 || alpha_counts(format, file, pixels, n, step)) {
        return channels;
    }
    drop_alpha(pixels, n, step);
    return channels - 1;
}

static satf_status stb_decode(satf_context *ctx, io_reader *reader, const stb_file *file)
{
    stb_state *state = reader->state;
    const io_format *format = reader->format;
    bool hdr = format == &io_hdr;
    if (file->bytes > INT_MAX) {
        return satf_fail(ctx, SATF_LIMIT, "a %s file of over 2 GiB; convert it to PNG",
                         format->name);
    }
    /* Four channels of at most 32,767 pixels in runs of 127, two bytes each, are 2072 bytes. */
    const feed whole = {
        .at = file->data, .end = file->data + file->bytes, .surplus = hdr ? 4096 : 0, .ctx = ctx};
    feed f = whole;
    int width, height, channels;
    if (!stbi_info_from_callbacks(&callbacks, &f, &width, &height, &channels) || f.overrun) {
        return fail_stb(ctx, format, &f);
    }
    height = height < 0 ? -height : height; /* a BMP's top row comes first */
    satf_status status = check_claims(ctx, format, file, width, height, channels);
    if (status) {
        return status;
    }
    f = whole;
    state->pixels = stb_decode_with(&f, hdr, channels);
    if (!state->pixels || f.overrun) {
        return fail_stb(ctx, format, &f);
    }
    channels = put_right(format, file->data, state->pixels, width, height, channels);
    satf_type type = hdr ? SATF_F32 : SATF_U8;
    io_header_set(&reader->header, width, height, channels, type, channels % 2 == 0,
                  (double)satf_type_max((int)type));
    reader->header.colours_missing = file->misses_colours;
    io_set_resolution(&reader->header.metadata, file->per_metre[0], file->per_metre[1],
                      IO_PER_METRE);
    state->row_bytes = (size_t)reader->header.view.stride;
    reader->header.held_bytes = state->row_bytes * (size_t)height;
    return SATF_OK;
}

static satf_status open_stb(satf_context *ctx, io_reader *reader)
{
    stb_file file = {.misses_colours = false};
    satf_status status =
        io_source_slurp(ctx, &reader->source, &file.data, &file.bytes, &file.owned);
    if (!status && reader->format == &io_bmp) {
        status = io_bmp_prepare(ctx, &file);
    } else if (!status && reader->format == &io_tga) {
        status = io_tga_prepare(ctx, &file);
    } else if (!status && reader->format == &io_hdr) {
        status = check_hdr(ctx, &file);
    }
    if (!status) {
        status = stb_decode(ctx, reader, &file);
    }
    satf_free(file.owned);
    return status;
}

static satf_status stb_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    (void)ctx;
    const stb_state *state = reader->state;
    for (int64_t y = 0; y < n; y++) {
        memcpy((char *)dst + y * stride,
               (const char *)state->pixels + (size_t)(reader->next_row + y) * state->row_bytes,
               state->row_bytes);
    }
    return SATF_OK;
}

static void close_stb(io_reader *reader)
{
    const stb_state *state = reader->state;
    stbi_image_free(state->pixels);
}

#define STB_FORMAT(id, suffix_list, help_text) \
    const io_format io_##id = {                \
        .name = #id,                           \
        .suffixes = suffix_list,               \
        .help = help_text,                     \
        .probe = probe_##id,                   \
        .reader_bytes = sizeof(stb_state),     \
        .open = open_stb,                      \
        .rows = stb_read_rows,                 \
        .close = close_stb,                    \
    }

STB_FORMAT(bmp, "bmp dib", "Windows bitmap (read only)");
STB_FORMAT(hdr, "hdr rgbe", "Radiance HDR as 32-bit floats (read only)");
STB_FORMAT(tga, "tga", "Truevision TGA (read only)");
