/* BMP files, made anew for stb_image: it wants a whole palette, masks in the header, and pixels
 * that follow at once and are no run lengths, it counts colours wrongly behind some headers, and it
 * takes a fourth byte that no mask names for alpha. */
#include <inttypes.h>
#include <string.h>

#include "stb_file.h"

enum { FILE_HEADER = 14, MASKS_AT = FILE_HEADER + 40 };
enum { CORE = 12, SHORT = 16, INFO = 40, OS2 = 64, V4 = 108 }; /* bytes of headers */
enum { PLAIN = 0, RUNS_8 = 1, RUNS_4 = 2, BITFIELDS = 3, JPEG = 4, PNG = 5, ALPHA_BITFIELDS = 6 };

typedef struct bmp {
    uint32_t header;         /* bytes of it */
    uint32_t width, height;  /* as in the file; the second below 0: the top row comes first */
    uint32_t depth, colours; /* colours of the palette that is announced; 0: none is */
    uint32_t out_depth;      /* of the file made anew */
    bool runs;
    bool has_masks;
    unsigned char masks[16];
    size_t pixels_at;
    size_t rows, stride; /* of the file made anew */
} bmp;

static satf_status fail_contradiction(satf_context *ctx)
{
    return satf_fail(ctx, SATF_DATA, "the bmp file is damaged: its header contradicts itself");
}

/* The depth of a compression by run lengths, of which OS/2 has one more; 0: it is another. */
static uint32_t depth_of_runs(bool os2, uint32_t compression)
{
    return compression == RUNS_8 ? 8 : compression == RUNS_4 ? 4 : os2 && compression == 4 ? 24 : 0;
}

/* Headers of 64 bytes are OS/2's, with other kinds of compression. */
static satf_status check_kind(satf_context *ctx, bool os2, uint32_t compression, uint32_t depth)
{
    if (depth_of_runs(os2, compression)) {
        return depth == depth_of_runs(os2, compression) ? SATF_OK : fail_contradiction(ctx);
    }
    if (compression == JPEG || compression == PNG) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a BMP that holds a %s; save it uncompressed",
                         compression == JPEG ? "JPEG" : "PNG");
    }
    bool masks = !os2 && (compression == BITFIELDS || compression == ALPHA_BITFIELDS);
    if (compression != PLAIN && !masks) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a BMP of compression %" PRIu32 "; save it uncompressed", compression);
    }
    if (depth != 1 && depth != 4 && depth != 8 && depth != 16 && depth != 24 && depth != 32) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a BMP of %" PRIu32 " bits a pixel; 1, 4, 8, 16, 24 and 32 can be read",
                         depth);
    }
    return masks && depth != 16 && depth != 32 ? fail_contradiction(ctx) : SATF_OK;
}

/* Red, green, blue and alpha, which may be missing. */
static satf_status check_masks(satf_context *ctx, const unsigned char *masks)
{
    for (int i = 0; i < 4; i++) {
        uint32_t mask = stb_little(masks + 4 * i, 4);
        uint32_t ones = mask ? mask >> __builtin_ctz(mask) : 0;
        if ((ones & (ones + 1)) || (!mask && i < 3)) {
            return fail_contradiction(ctx);
        }
        if (ones > UINT8_MAX) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "a BMP with more than 8 bits of a colour in a pixel");
        }
    }
    return SATF_OK;
}

/* Masks stand within headers of 52 bytes and more, the fourth of 56; behind those of 40. */
static satf_status read_masks(satf_context *ctx, const stb_file *file, bool alpha, bmp *b)
{
    size_t n = alpha ? 16 : 12;
    if (file->bytes < MASKS_AT + n) {
        return io_fail_short(ctx, NULL);
    }
    b->has_masks = true;
    memcpy(b->masks, file->data + MASKS_AT, n);
    return check_masks(ctx, b->masks);
}

/* Without masks the fourth byte of 32 bits has no meaning: blue, green and red alone have. */
static void set_opaque(bmp *b)
{
    static const unsigned char masks[16] = {0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff};
    b->has_masks = true;
    memcpy(b->masks, masks, sizeof masks);
}

/* Run lengths, whatever they become, take no more than a file of that size vouches for. */
static satf_status check_runs(satf_context *ctx, const stb_file *file, const bmp *b,
                              uint64_t pixels)
{
    io_source source;
    io_source_open_memory(file->data, file->bytes, &source);
    return file->bytes < b->pixels_at ? io_fail_short(ctx, NULL)
                                      : io_check_ratio(ctx, &source, pixels, b->depth, "", 0);
}

/* Finds the pixels, behind a palette that may have no room in front of them: then the file counts
 * it as not there, and they follow it. */
static satf_status bmp_find_pixels(satf_context *ctx, const stb_file *file, bmp *b)
{
    size_t palette_at = FILE_HEADER + b->header, entry = b->header == CORE ? 3 : 4;
    b->pixels_at = stb_little(file->data + 10, 4);
    if (b->pixels_at < palette_at) {
        return fail_contradiction(ctx);
    }
    if (b->depth <= 8 && b->pixels_at == palette_at) {
        uint32_t most = 1u << b->depth;
        b->pixels_at += entry * (b->colours && b->colours < most ? b->colours : most);
    }
    int64_t rows = (int32_t)b->height, width = (int32_t)b->width;
    rows = rows < 0 ? -rows : rows;
    satf_status status = io_check_size(ctx, width, rows, 16);
    if (status) {
        return status;
    }
    uint64_t stride = ((uint64_t)width * b->out_depth + 31) / 32 * 4;
    b->rows = (size_t)rows;
    b->stride = (size_t)stride;
    if (b->runs) {
        return check_runs(ctx, file, b, (uint64_t)width * (uint64_t)rows);
    }
    uint64_t needed = stride * (uint64_t)(rows - 1) + ((uint64_t)width * b->depth + 7) / 8;
    if (file->bytes < b->pixels_at || file->bytes - b->pixels_at < needed) {
        return io_fail_short(ctx, NULL);
    }
    return SATF_OK;
}

static satf_status bmp_read_header(satf_context *ctx, const stb_file *file, bmp *b)
{
    static const unsigned char known[] = {CORE, SHORT, INFO, 52, 56, OS2, V4, 124};
    const unsigned char *in = file->data;
    b->header = file->bytes < FILE_HEADER + CORE ? CORE : stb_little(in + 14, 4);
    if (b->header > UINT8_MAX || !memchr(known, (int)b->header, sizeof known)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a BMP with a header of %" PRIu32 " bytes",
                         b->header);
    }
    if (file->bytes < FILE_HEADER + b->header) {
        return io_fail_short(ctx, NULL);
    }
    bool core = b->header == CORE;
    b->width = stb_little(in + 18, core ? 2 : 4);
    b->height = core ? stb_little(in + 20, 2) : stb_little(in + 22, 4);
    b->depth = stb_little(in + (core ? 24 : 28), 2);
    uint32_t compression = b->header < INFO ? PLAIN : stb_little(in + 30, 4);
    b->colours = b->header < INFO ? 0 : stb_little(in + 46, 4);
    satf_status status = check_kind(ctx, b->header == OS2, compression, b->depth);
    if (!status && stb_little(in + (core ? 22 : 26), 2) != 1) { /* planes */
        return fail_contradiction(ctx);
    }
    b->runs = depth_of_runs(b->header == OS2, compression) > 0;
    b->out_depth = b->runs && b->depth == 4 ? 8 : b->depth;
    if (!status && compression == PLAIN && b->depth == 32) {
        set_opaque(b);
    } else if (!status && compression != PLAIN && !b->runs) {
        status = read_masks(ctx, file, b->header >= 56 || compression == ALPHA_BITFIELDS, b);
    }
    return status ? status : bmp_find_pixels(ctx, file, b);
}

/* Is a pixel's number `there` or above? */
static bool bmp_misses_colours(const unsigned char *pixels, const bmp *b, size_t there)
{
    const size_t depth = b->out_depth;
    for (size_t y = 0; y < b->rows; y++) {
        const unsigned char *row = pixels + y * b->stride;
        for (size_t x = 0; x < b->width; x++) {
            size_t below = 8 - depth - x * depth % 8; /* bits of the byte below the number's */
            if ((row[x * depth / 8] >> below & ((1u << depth) - 1)) >= there) {
                return true;
            }
        }
    }
    return false;
}

/* Writes all in front of the pixels but the palette. */
static void put_header(const bmp *b, size_t header, size_t pixels_at, unsigned char *out)
{
    memcpy(out, "BM", 2);
    io_store_little(out + 10, pixels_at, 4);
    io_store_little(out + 14, header, 4);
    io_store_little(out + 18, b->width, 4);
    io_store_little(out + 22, b->height, 4);
    io_store_little(out + 26, 1 | (size_t)b->out_depth << 16, 4); /* planes and depth */
    io_store_little(out + 30, b->has_masks ? BITFIELDS : PLAIN, 4);
    if (b->has_masks) {
        memcpy(out + MASKS_AT, b->masks, sizeof b->masks);
    }
}

static satf_status put_pixels(satf_context *ctx, const stb_file *file, const bmp *b,
                              unsigned char *out)
{
    const unsigned char *in = file->data + b->pixels_at;
    size_t left = file->bytes - b->pixels_at, all = b->stride * b->rows;
    if (b->runs) {
        const stb_runs runs = {b->width, b->rows, b->depth, b->stride};
        return io_bmp_unpack(ctx, in, left, &runs, out);
    }
    memcpy(out, in, left < all ? left : all); /* padding may be missing at the end */
    return SATF_OK;
}

satf_status io_bmp_prepare(satf_context *ctx, stb_file *file)
{
    bmp b = {0};
    satf_status status = bmp_read_header(ctx, file, &b);
    if (status) {
        return status;
    }
    const unsigned char *in = file->data;
    size_t header = b.has_masks ? V4 : INFO, palette_at = FILE_HEADER + header;
    size_t colours = b.out_depth <= 8 ? (size_t)1 << b.out_depth : 0;
    size_t pixels_at = palette_at + 4 * colours, bytes = pixels_at + b.stride * b.rows;
    unsigned char *out = stb_file_alloc(ctx, bytes, &status);
    if (status) {
        return status;
    }
    put_header(&b, header, pixels_at, out);
    size_t entry = b.header == CORE ? 3 : 4, there = (b.pixels_at - FILE_HEADER - b.header) / entry;
    for (size_t i = 0; i < colours && i < there; i++) { /* those that are missing are black */
        memcpy(out + palette_at + 4 * i, in + FILE_HEADER + b.header + entry * i, 3);
    }
    status = put_pixels(ctx, file, &b, out + pixels_at);
    if (status) {
        satf_free(out);
        return status;
    }
    file->misses_colours = there < colours && bmp_misses_colours(out + pixels_at, &b, there);
    for (size_t i = 0; b.header >= INFO && i < 2; i++) {
        file->per_metre[i] = (int32_t)stb_little(in + 38 + 4 * i, 4);
    }
    stb_file_replace(file, out, bytes);
    return SATF_OK;
}
