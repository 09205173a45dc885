/* Photoshop's flattened RGB picture of 8 or 16 bits: reading only. Planes of raw or
 * packed samples, most significant byte first, lie behind the header and three sections. */
#include <inttypes.h>
#include <string.h>

#include "codec.h"

enum { HEADER_BYTES = 26, MODE_RGB = 3, MAX_PLANES = 56, COLOURS = 3, MAX_PACKED = UINT16_MAX };

typedef struct psd {
    int planes; /* in the file; those behind alpha are not looked at */
    bool packed;
    unsigned char *lengths;    /* owned; two bytes a packed row */
    unsigned char *packed_row; /* owned */
    unsigned char *plane_row;  /* owned */
} psd;

/* What the sections say. A plane behind the colours is the picture's transparency or a selection
 * that somebody saved: positive, negative, or 0 where nothing is said. */
typedef struct psd_hints {
    int by_layers, by_identifier, by_name;
    bool layers_alone;    /* no merged picture */
    uint32_t per_inch[2]; /* pixels across and down, in 65536ths; 0: nothing is said */
} psd_hints;

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

/* A section of the file, or a block of one. */
typedef struct section {
    io_source *source;
    uint64_t left;
} section;

/* The length in front of it. */
static bool begin_section(io_source *source, section *s)
{
    unsigned char length[4];
    if (io_source_read(source, length, 4) != 4) {
        return false;
    }
    *s = (section){source, big(length, 4)};
    return true;
}

/* Takes n bytes, for dst unless it is NULL; false if the section or the file ends before. */
static bool take(section *s, void *dst, uint64_t n)
{
    if (s->left < n ||
        !(dst ? io_source_read(s->source, dst, (size_t)n) == n : skip(s->source, n))) {
        return false;
    }
    s->left -= n;
    return true;
}

static void note_resource(unsigned id, const unsigned char *data, size_t n, psd_hints *hints)
{
    enum { RESOLUTION = 1005, ALPHA_NAMES = 1006, ALPHA_IDENTIFIERS = 1053, VERSION_INFO = 1057 };
    static const char transparency[] = "\14Transparency"; /* its length leads */
    if (id == ALPHA_NAMES && n > 0) {
        bool same = n >= sizeof transparency - 1 &&
                    memcmp(data, transparency, sizeof transparency - 1) == 0;
        hints->by_name = same ? 1 : -1;
    } else if (id == ALPHA_IDENTIFIERS && n >= 4) {
        hints->by_identifier = big(data, 4) == 0 ? 1 : -1;
    } else if (id == VERSION_INFO && n >= 5) {
        hints->layers_alone = data[4] == 0;
    } else if (id == RESOLUTION && n >= 16) { /* the units there are those of dialogs */
        hints->per_inch[0] = big(data, 4);
        hints->per_inch[1] = big(data + 8, 4);
    }
}

/* Resources: signature, number, name and data, the last two padded to even lengths. What makes
 * no sense is passed over; false at the end of the file. */
static bool read_resources(io_source *source, psd_hints *hints)
{
    section s;
    unsigned char head[7], length[4], data[16];
    if (!begin_section(source, &s)) {
        return false;
    }
    while (take(&s, head, sizeof head) && take(&s, NULL, head[6] | 1u) && take(&s, length, 4)) {
        uint64_t n = big(length, 4), known = n < sizeof data ? n : sizeof data;
        if (!take(&s, data, known)) {
            break;
        }
        note_resource(big(head + 4, 2), data, (size_t)known, hints);
        if (!take(&s, NULL, n + (n & 1) - known)) {
            break;
        }
    }
    return skip(source, s.left);
}

/* n bytes about layers, their number first: below 0 if the picture has transparency. */
static bool note_layers(section *s, uint64_t n, psd_hints *hints)
{
    unsigned char count[2];
    if (n < 2) {
        return take(s, NULL, n);
    }
    if (!take(s, count, 2)) {
        return false;
    }
    hints->by_layers = count[0] & 0x80 ? 1 : big(count, 2) > 0 ? -1 : hints->by_layers;
    return take(s, NULL, n - 2);
}

/* Layers, masks, and blocks of more, where those of 16 bits have their layers. */
static bool read_layers(io_source *source, psd_hints *hints)
{
    section s;
    unsigned char length[4], block[12];
    if (!begin_section(source, &s)) {
        return false;
    }
    bool there = take(&s, length, 4) && note_layers(&s, big(length, 4), hints) &&
                 take(&s, length, 4) && take(&s, NULL, big(length, 4));
    while (there && take(&s, block, sizeof block)) {
        uint64_t n = ((uint64_t)big(block + 8, 4) + 3) / 4 * 4;
        if (memcmp(block + 4, "Mtrn", 4) == 0 || memcmp(block + 4, "Mt16", 4) == 0) {
            hints->by_layers = hints->by_layers ? hints->by_layers : 1;
        }
        bool layers = memcmp(block + 4, "Layr", 4) == 0 || memcmp(block + 4, "Lr16", 4) == 0;
        there = layers ? note_layers(&s, n, hints) : take(&s, NULL, n);
    }
    return skip(source, s.left);
}

/* Files that say nothing at all come from programs that know no saved selections. */
static bool fourth_is_alpha(const psd_hints *hints)
{
    int says = hints->by_layers       ? hints->by_layers
               : hints->by_identifier ? hints->by_identifier
                                      : hints->by_name;
    return says >= 0;
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
    section palette;
    psd_hints hints = {0};
    if (!begin_section(source, &palette) || !skip(source, palette.left) ||
        !read_resources(source, &hints) || !read_layers(source, &hints) ||
        io_source_read(source, compression, 2) != 2) {
        return io_fail_short(ctx, source);
    }
    if (hints.layers_alone) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PSD of layers without the picture that they make; save it with "
                         "maximum compatibility");
    }
    if (big(compression, 2) > 1) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "the PSD is compressed by ZIP; save it anew");
    }
    p->planes = (int)big(header + 12, 2);
    p->packed = big(compression, 2) == 1;
    satf_type type = big(header + 22, 2) == 16 ? SATF_U16 : SATF_U8;
    bool alpha = p->planes > COLOURS && fourth_is_alpha(&hints);
    io_header_set(&reader->header, big(header + 18, 4), big(header + 14, 4), COLOURS + alpha, type,
                  alpha, (double)satf_type_max((int)type));
    io_header_set_resolution(&reader->header, hints.per_inch[0] / 65536.0 / IO_METRES_PER_INCH,
                             hints.per_inch[1] / 65536.0 / IO_METRES_PER_INCH);
    reader->header.rows_in_order = false;
    reader->header.file_row_bytes = p->packed ? 0 : reader->header.view.stride;
    return SATF_OK;
}

/* PackBits, n bytes of them: 0 ... 127: so many and one more follow; 129 ... 255: 257 less it of
 * the next. What goes beyond the row is dropped, as other programs do; false if it is not filled.
 */
static bool unpack(const unsigned char *in, size_t n, unsigned char *row, size_t row_bytes)
{
    size_t at = 0, filled = 0;
    while (filled < row_bytes && at < n) {
        unsigned head = in[at++];
        size_t run = head < 128 ? head + 1 : head > 128 ? 257 - head : 0;
        run = run < row_bytes - filled ? run : row_bytes - filled;
        size_t used = head < 128 ? run : head > 128;
        if (n - at < used) {
            return false;
        }
        if (head < 128) {
            memcpy(row + filled, in + at, run);
        } else if (head > 128) {
            memset(row + filled, in[at], run);
        }
        at += used;
        filled += run;
    }
    return filled == row_bytes;
}

/* A row of a plane, the one of that index in the file. */
static satf_status read_plane_row(satf_context *ctx, io_source *source, psd *p, size_t index,
                                  size_t row_bytes)
{
    size_t n = p->packed ? big(p->lengths + 2 * index, 2) : row_bytes;
    if (io_source_read(source, p->packed ? p->packed_row : p->plane_row, n) != n) {
        return io_fail_short(ctx, source);
    }
    if (p->packed && !unpack(p->packed_row, n, p->plane_row, row_bytes)) {
        return satf_fail(ctx, SATF_DATA, "the PSD is damaged: a packed row is too short");
    }
    return SATF_OK;
}

/* The lengths of packed rows, of all planes, come first. */
static satf_status start(satf_context *ctx, io_source *source, psd *p, const satf_view *v,
                         size_t row_bytes)
{
    uint64_t rows = (uint64_t)v->height, lengths = 2 * rows * (uint64_t)v->channels;
    uint64_t bytes = row_bytes + (p->packed ? lengths + MAX_PACKED : 0);
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    p->plane_row = satf_alloc(row_bytes);
    p->packed_row = p->packed ? satf_alloc(MAX_PACKED) : NULL;
    p->lengths = p->packed ? satf_alloc((size_t)lengths) : NULL;
    if (!p->plane_row || (p->packed && (!p->packed_row || !p->lengths))) {
        return satf_fail_memory(ctx, (size_t)bytes, "rows of a PSD");
    }
    uint64_t all = 2 * rows * (uint64_t)p->planes;
    if (p->packed && (io_source_read(source, p->lengths, (size_t)lengths) != lengths ||
                      !skip(source, all - lengths))) {
        return io_fail_short(ctx, source);
    }
    return SATF_OK;
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
    satf_status status = start(ctx, &reader->source, p, v, row_bytes);
    for (int64_t i = 0; i < v->channels * n && !status; i++) {
        int64_t c = i / n, y = i % n;
        status = satf_tick(ctx);
        status = status ? status : read_plane_row(ctx, &reader->source, p, (size_t)i, row_bytes);
        if (IO_LITTLE_ENDIAN && !status) {
            io_swap_bytes(p->plane_row, width, sample);
        }
        unsigned char *to = (unsigned char *)dst + y * stride + (size_t)c * sample;
        for (size_t x = 0; x < width && !status; x++) {
            memcpy(to + x * sample * (size_t)v->channels, p->plane_row + x * sample, sample);
        }
    }
    for (int64_t y = 0; y < n && !status && v->channels > COLOURS; y++) {
        unblend_row((unsigned char *)dst + y * stride, v->width, sample);
        status = satf_tick(ctx);
    }
    return status;
}

static void close_psd(io_reader *reader)
{
    psd *p = reader->state;
    if (p) {
        satf_free(p->lengths);
        satf_free(p->packed_row);
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
