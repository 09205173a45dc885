/* Photoshop's flattened RGB picture of 8 or 16 bits: reading only. Planes of raw or
 * packed samples, most significant byte first, lie behind the header and three sections. */
#include <inttypes.h>
#include <string.h>

#include "codec.h"

enum { HEADER_BYTES = 26, MODE_RGB = 3, MAX_PLANES = 56, COLOURS = 3 };

typedef struct psd {
    int planes; /* in the file; those behind alpha are not looked at */
    bool packed;
    int run;      /* bytes left of a packed run */
    bool literal; /* they follow; else each is `value` */
    unsigned char value;
    unsigned char *plane_row; /* owned */
} psd;

static bool probe(const unsigned char *head, size_t n)
{
    return n >= 6 && memcmp(head, "8BPS\0\1", 6) == 0;
}

static uint32_t big(const unsigned char *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static bool skip(io_source *source, uint64_t n)
{
    unsigned char unused[4096];
    while (n > 0) {
        size_t part = n < sizeof unused ? (size_t)n : sizeof unused;
        if (io_source_read(source, unused, part) != part) {
            return false;
        }
        n -= part;
    }
    return true;
}

/* The length in front of a section, and the section. */
static bool skip_section(io_source *source)
{
    unsigned char length[4];
    return io_source_read(source, length, 4) == 4 && skip(source, big(length, 4));
}

static satf_status check_header(satf_context *ctx, const unsigned char *header)
{
    uint32_t planes = big(header + 12, 2), depth = big(header + 22, 2), mode = big(header + 24, 2);
    if (mode != MODE_RGB || (depth != 8 && depth != 16)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PSD of colour mode %" PRIu32 " and %" PRIu32
                         " bits; RGB of 8 or 16 bits can be read",
                         mode, depth);
    }
    if (planes < COLOURS || planes > MAX_PLANES) {
        return satf_fail(ctx, SATF_DATA, "the PSD is damaged: RGB in %" PRIu32 " channels", planes);
    }
    return SATF_OK;
}

static satf_status open_psd(satf_context *ctx, io_reader *reader)
{
    io_source *source = &reader->source;
    unsigned char header[HEADER_BYTES], compression[2];
    if (io_source_read(source, header, sizeof header) != sizeof header) {
        return io_fail_short(ctx, source);
    }
    satf_status status = check_header(ctx, header);
    if (status) {
        return status;
    }
    psd *p = reader->state = satf_alloc_zeroed(sizeof *p);
    if (!p) {
        return satf_fail_memory(ctx, sizeof *p, "a PSD reader");
    }
    p->planes = (int)big(header + 12, 2);
    satf_type type = big(header + 22, 2) == 16 ? SATF_U16 : SATF_U8;
    bool alpha = p->planes > COLOURS;
    io_header_set(&reader->header, big(header + 18, 4), big(header + 14, 4), COLOURS + alpha, type,
                  alpha, (double)satf_type_max((int)type));
    reader->header.rows_in_order = false;
    /* Palette, resources, layers. */
    if (!skip_section(source) || !skip_section(source) || !skip_section(source) ||
        io_source_read(source, compression, 2) != 2) {
        return io_fail_short(ctx, source);
    }
    p->packed = big(compression, 2) == 1;
    if (big(compression, 2) > 1) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "the PSD is compressed by ZIP; save it anew");
    }
    reader->header.file_row_bytes = p->packed ? 0 : reader->header.view.stride;
    return SATF_OK;
}

/* n bytes of a plane; false at the end of the file. */
static bool take(io_source *source, psd *p, unsigned char *dst, size_t n)
{
    if (!p->packed) {
        return io_source_read(source, dst, n) == n;
    }
    while (n > 0) {
        if (p->run == 0) {
            /* 0 ... 127: so many and one more follow; 129 ... 255: 257 less it of the next. */
            int head = io_source_byte(source), value = 0;
            p->literal = head < 128;
            p->run = head < 128 ? head + 1 : head > 128 ? 257 - head : 0;
            if (head > 128) {
                value = io_source_byte(source);
            }
            if (head < 0 || value < 0) {
                return false;
            }
            p->value = (unsigned char)value;
        }
        size_t part = (size_t)p->run < n ? (size_t)p->run : n;
        if (!p->literal) {
            memset(dst, p->value, part);
        } else if (io_source_read(source, dst, part) != part) {
            return false;
        }
        p->run -= (int)part;
        dst += part;
        n -= part;
    }
    return true;
}

/* Photoshop blends colour with white by alpha: c = max - (max - seen) max / alpha. */
static inline unsigned unblend(unsigned seen, unsigned alpha, unsigned max)
{
    uint64_t ink = ((uint64_t)(max - seen) * max + alpha / 2) / alpha;
    return ink > max ? 0 : max - (unsigned)ink;
}

static void unblend_row(unsigned char *row, int64_t width, size_t sample)
{
    unsigned max = sample == 1 ? UINT8_MAX : UINT16_MAX;
    for (int64_t x = 0; x < width; x++, row += (COLOURS + 1) * sample) {
        uint16_t pixel[COLOURS + 1];
        for (size_t c = 0; c < COLOURS + 1; c++) {
            pixel[c] = row[c * sample];
            memcpy(&pixel[c], row + c * sample, sample == 1 ? 0 : 2);
        }
        for (size_t c = 0; c < COLOURS && pixel[COLOURS]; c++) {
            uint16_t seen = (uint16_t)unblend(pixel[c], pixel[COLOURS], max);
            unsigned char narrow = (unsigned char)seen;
            memcpy(row + c * sample, sample == 1 ? (void *)&narrow : (void *)&seen, sample);
        }
    }
}

static satf_status read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                             int64_t n)
{
    psd *p = reader->state;
    const satf_view *v = &reader->header.view;
    size_t width = (size_t)v->width, sample = satf_type_bytes(v->type), row_bytes = width * sample;
    satf_status status = io_check_bytes(ctx, row_bytes);
    p->plane_row = status ? NULL : satf_alloc(row_bytes);
    if (!p->plane_row) {
        return status ? status : satf_fail_memory(ctx, row_bytes, "a row of a PSD");
    }
    /* Packed rows are preceded by their lengths, of all planes. */
    bool there = !p->packed || skip(&reader->source, 2 * (uint64_t)p->planes * (uint64_t)n);
    for (int c = 0; c < v->channels && there; c++) {
        for (int64_t y = 0; y < n && there; y++) {
            status = satf_tick(ctx);
            if (status) {
                return status;
            }
            there = take(&reader->source, p, p->plane_row, row_bytes);
            if (IO_LITTLE_ENDIAN) {
                io_swap_bytes(p->plane_row, width, sample);
            }
            unsigned char *to = (unsigned char *)dst + y * stride + (size_t)c * sample;
            for (size_t x = 0; x < width && there; x++) {
                memcpy(to + x * sample * (size_t)v->channels, p->plane_row + x * sample, sample);
            }
        }
    }
    for (int64_t y = 0; y < n && there && v->channels > COLOURS && !status; y++) {
        unblend_row((unsigned char *)dst + y * stride, v->width, sample);
        status = satf_tick(ctx);
    }
    return there ? status : io_fail_short(ctx, &reader->source);
}

static void close_psd(io_reader *reader)
{
    psd *p = reader->state;
    if (p) {
        satf_free(p->plane_row);
        satf_free(p);
    }
}

const io_format io_psd = {
    .name = "psd",
    .suffixes = "psd",
    .help = "Photoshop, flattened RGB of 8 or 16 bits (read only)",
    .probe = probe,
    .open = open_psd,
    .rows = read_rows,
    .close = close_psd,
};
