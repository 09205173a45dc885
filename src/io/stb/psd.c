/* Photoshop's flattened picture, grey, RGB or of indexed colours: reading only. Planes of raw or
 * packed samples, most significant byte first, lie behind the header and three sections. A PSB is
 * the same with longer numbers, for sides of up to 300,000 pixels.
 * www.adobe.com/devnet-apps/photoshop/fileformatashtml */
#include <inttypes.h>
#include <string.h>

#include "../codec.h"

enum { HEADER_BYTES = 26, MAX_PLANES = 56, INDEXED_COLOURS = 256 };
enum { MODE_GREY = 1, MODE_INDEXED = 2, MODE_RGB = 3 };

typedef struct psd {
    bool large; /* a PSB */
    bool indexed;
    int planes;  /* in the file */
    int colours; /* of these, which come first */
    int used;    /* colours, and alpha if the picture has it */
    bool packed;
    unsigned char palette[INDEXED_COLOURS][4]; /* with alpha */
    size_t packed_room;
    unsigned char *lengths;    /* owned; of packed rows */
    unsigned char *packed_row; /* owned */
    unsigned char *plane_row;  /* owned */
} psd;

/* Bytes of a packed row's length, and of that of a section or block which may be large. */
static int row_length_bytes(const psd *p)
{
    return p->large ? 4 : 2;
}

static int long_length_bytes(const psd *p)
{
    return p->large ? 8 : 4;
}

/* What the sections say. A plane behind the colours is the picture's transparency or a selection
 * that somebody saved: positive, negative, or 0 where nothing is said. */
typedef struct psd_hints {
    int by_layers, by_identifier, by_name;
    bool layers_alone;    /* no merged picture */
    uint32_t per_inch[2]; /* pixels across and down, in 65536ths; 0: nothing is said */
    int transparent;      /* the indexed colour that is; below 0: none */
    char lost[64];        /* names of resources that are not kept */
} psd_hints;

static bool psd_probe(const unsigned char *head, size_t n)
{
    return n >= 6 && (memcmp(head, "8BPS\0\1", 6) == 0 || memcmp(head, "8BPS\0\2", 6) == 0);
}

static uint32_t big(const unsigned char *at, int bytes) /* of at most four */
{
    return (uint32_t)io_load_big(at, (size_t)bytes);
}

static bool psd_skip(io_source *source, uint64_t n)
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

/* The length in front of it, of so many bytes. */
static bool begin_section(io_source *source, int bytes, section *s)
{
    unsigned char length[8];
    if (io_source_read(source, length, (size_t)bytes) != (size_t)bytes) {
        return false;
    }
    *s = (section){source, io_load_big(length, (size_t)bytes)};
    return true;
}

/* Takes n bytes, for dst unless it is NULL; false if the section or the file ends before. */
static bool psd_take(section *s, void *dst, uint64_t n)
{
    if (s->left < n ||
        !(dst ? io_source_read(s->source, dst, (size_t)n) == n : psd_skip(s->source, n))) {
        return false;
    }
    s->left -= n;
    return true;
}

/* Takes a length, too. */
static bool take_length(section *s, int bytes, uint64_t *length)
{
    unsigned char data[8];
    bool there = psd_take(s, data, (uint64_t)bytes);
    *length = there ? io_load_big(data, (size_t)bytes) : 0;
    return there;
}

static void note_resource(unsigned id, const unsigned char *data, size_t n, psd_hints *hints)
{
    enum {
        RESOLUTION = 1005,
        ALPHA_NAMES = 1006,
        TRANSPARENT_INDEX = 1047,
        ALPHA_IDENTIFIERS = 1053,
        VERSION_INFO = 1057
    };
    static const char transparency[] = "\14Transparency"; /* its length leads */
    if (id == ALPHA_NAMES && n > 0) {
        bool same = n >= sizeof transparency - 1 &&
                    memcmp(data, transparency, sizeof transparency - 1) == 0;
        hints->by_name = same ? 1 : -1;
    } else if (id == ALPHA_IDENTIFIERS && n >= 4) {
        hints->by_identifier = big(data, 4) == 0 ? 1 : -1;
    } else if (id == VERSION_INFO && n >= 5) {
        hints->layers_alone = data[4] == 0;
    } else if (id == TRANSPARENT_INDEX && n >= 2) {
        hints->transparent = (int)big(data, 2);
    } else if (id == RESOLUTION && n >= 16) { /* the units there are those of dialogs */
        hints->per_inch[0] = big(data, 4);
        hints->per_inch[1] = big(data + 8, 4);
    }
}

/* Notes resources that are not kept, if other programs know them too. */
static void psd_note_lost(unsigned id, psd_hints *hints)
{
    static const struct {
        unsigned id;
        const char *name;
    } known[] = {{1028, "IPTC"}, {1039, "profile"}, {1058, "eXIf"}, {1060, "packet"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].id == id) {
            io_list_name(hints->lost, sizeof hints->lost, known[i].name);
        }
    }
}

/* Resources: signature, number, name and data, the last two padded to even lengths. What makes
 * no sense is passed over; false at the end of the file. */
static bool read_resources(io_source *source, psd_hints *hints)
{
    section s;
    unsigned char head[7], data[16];
    uint64_t n;
    if (!begin_section(source, 4, &s)) {
        return false;
    }
    while (psd_take(&s, head, sizeof head) && psd_take(&s, NULL, head[6] | 1u) &&
           take_length(&s, 4, &n)) {
        uint64_t known = n < sizeof data ? n : sizeof data;
        if (!psd_take(&s, data, known)) {
            break;
        }
        note_resource(big(head + 4, 2), data, (size_t)known, hints);
        psd_note_lost(big(head + 4, 2), hints);
        if (!psd_take(&s, NULL, n + (n & 1) - known)) {
            break;
        }
    }
    return psd_skip(source, s.left);
}

/* n bytes about layers, their number first: below 0 if the picture has transparency. */
static bool note_layers(section *s, uint64_t n, psd_hints *hints)
{
    unsigned char count[2];
    if (n < 2) {
        return psd_take(s, NULL, n);
    }
    if (!psd_take(s, count, 2)) {
        return false;
    }
    hints->by_layers = count[0] & 0x80 ? 1 : big(count, 2) > 0 ? -1 : hints->by_layers;
    return psd_take(s, NULL, n - 2);
}

/* Does the block of that key have a longer length in a PSB? */
static bool is_long_block(const unsigned char *key)
{
    static const char keys[] = "LMskLr16Lr32LayrMt16Mt32MtrnAlphFMsklnk2FEidFXidPxSD";
    bool found = false;
    for (size_t i = 0; i < sizeof keys - 1; i += 4) {
        found = found || memcmp(key, keys + i, 4) == 0;
    }
    return found;
}

/* A block behind the layers: a signature, a key, and data of a length that is padded to fours.
 * Those of 16 bits have their layers there. */
static bool read_block(section *s, const psd *p, psd_hints *hints)
{
    unsigned char head[8];
    const unsigned char *key = head + 4;
    uint64_t n;
    if (!psd_take(s, head, sizeof head) ||
        !take_length(s, is_long_block(key) ? long_length_bytes(p) : 4, &n) || n > s->left) {
        return false;
    }
    n = (n + 3) / 4 * 4;
    if (memcmp(key, "Mtrn", 4) == 0 || memcmp(key, "Mt16", 4) == 0) {
        hints->by_layers = hints->by_layers ? hints->by_layers : 1;
    }
    bool layers = memcmp(key, "Layr", 4) == 0 || memcmp(key, "Lr16", 4) == 0;
    return layers ? note_layers(s, n, hints) : psd_take(s, NULL, n);
}

/* Layers, masks, and blocks of more. */
static bool read_layers(io_source *source, const psd *p, psd_hints *hints)
{
    section s;
    uint64_t n;
    if (!begin_section(source, long_length_bytes(p), &s)) {
        return false;
    }
    bool there = take_length(&s, long_length_bytes(p), &n) && note_layers(&s, n, hints) &&
                 take_length(&s, 4, &n) && psd_take(&s, NULL, n);
    while (there) {
        there = read_block(&s, p, hints);
    }
    return psd_skip(source, s.left);
}

/* Files that say nothing at all come from programs that know no saved selections. */
static bool extra_is_alpha(const psd_hints *hints)
{
    int says = hints->by_layers       ? hints->by_layers
               : hints->by_identifier ? hints->by_identifier
                                      : hints->by_name;
    return says >= 0;
}

static satf_status psd_check_header(satf_context *ctx, const unsigned char *header, psd *p)
{
    static const char *const names[] = {
        "black and white", "greyscale", "indexed colours", "RGB", "CMYK", "", "", "several inks",
        "duotone",         "Lab"};
    uint32_t planes = big(header + 12, 2), depth = big(header + 22, 2), mode = big(header + 24, 2);
    const char *name = mode < sizeof names / sizeof *names ? names[mode] : "";
    bool known = mode == MODE_GREY || mode == MODE_INDEXED || mode == MODE_RGB;
    if (!known || (depth != 8 && (depth != 16 || mode == MODE_INDEXED))) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PSD of %s (mode %" PRIu32 ") and %" PRIu32
                         " bits; greyscale and RGB of 8 or 16 bits and indexed colours of 8 can be "
                         "read",
                         *name ? name : "an unknown kind", mode, depth);
    }
    p->large = header[5] == 2;
    p->indexed = mode == MODE_INDEXED;
    p->colours = mode == MODE_RGB ? 3 : 1;
    p->planes = (int)planes;
    if (planes < (uint32_t)p->colours || planes > MAX_PLANES) {
        return satf_fail(ctx, SATF_DATA, "the PSD is damaged: %s in %" PRIu32 " channels", name,
                         planes);
    }
    return SATF_OK;
}

/* The section behind the header: of indexed colours all reds, then greens and blues. */
static satf_status psd_read_palette(satf_context *ctx, io_source *source, psd *p)
{
    section s;
    unsigned char colours[3][INDEXED_COLOURS];
    if (!begin_section(source, 4, &s)) {
        return io_fail_short(ctx, source);
    }
    if (p->indexed && s.left < sizeof colours) {
        return satf_fail(ctx, SATF_DATA, "the PSD is damaged: it has no palette");
    }
    if ((p->indexed && !psd_take(&s, colours, sizeof colours)) || !psd_skip(source, s.left)) {
        return io_fail_short(ctx, source);
    }
    for (int i = 0; i < INDEXED_COLOURS && p->indexed; i++) {
        for (int c = 0; c < 3; c++) {
            p->palette[i][c] = colours[c][i];
        }
        p->palette[i][3] = UINT8_MAX;
    }
    return SATF_OK;
}

/* Finds what the sections say of the picture's alpha. */
static bool find_alpha(psd *p, const psd_hints *hints)
{
    if (p->indexed) {
        p->used = 1;
        bool there = hints->transparent >= 0 && hints->transparent < INDEXED_COLOURS;
        if (there) {
            p->palette[hints->transparent][3] = 0;
        }
        return there;
    }
    bool alpha = p->planes > p->colours && extra_is_alpha(hints);
    p->used = p->colours + alpha;
    return alpha;
}

static satf_status psd_describe(satf_context *ctx, io_reader *reader, const unsigned char *header,
                                const psd_hints *hints, uint32_t compression)
{
    psd *p = reader->state;
    if (hints->layers_alone) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PSD of layers without the picture that they make; save it with "
                         "maximum compatibility");
    }
    if (compression > 1) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "the PSD is compressed by ZIP; save it anew");
    }
    p->packed = compression == 1;
    satf_type type = big(header + 22, 2) == 16 ? SATF_U16 : SATF_U8;
    bool alpha = find_alpha(p, hints);
    int64_t width = big(header + 18, 4);
    io_header_set(&reader->header, width, big(header + 14, 4),
                  (p->indexed ? 3 : p->colours) + alpha, type, alpha,
                  (double)satf_type_max((int)type));
    io_set_resolution(&reader->header.metadata, hints->per_inch[0] / 65536.0 / IO_METRES_PER_INCH,
                      hints->per_inch[1] / 65536.0 / IO_METRES_PER_INCH, IO_PER_METRE);
    memcpy(reader->header.others, hints->lost, sizeof hints->lost);
    reader->header.rows_in_order = false;
    reader->header.file_row_bytes =
        p->packed ? 0 : width * p->used * (int64_t)satf_type_bytes((int)type);
    return SATF_OK;
}

static satf_status open_psd(satf_context *ctx, io_reader *reader)
{
    io_source *source = &reader->source;
    unsigned char header[HEADER_BYTES], compression[2];
    if (io_source_read(source, header, sizeof header) != sizeof header) {
        return io_fail_short(ctx, source);
    }
    psd *p = reader->state;
    satf_status status = psd_check_header(ctx, header, p);
    status = status ? status : psd_read_palette(ctx, source, p);
    if (status) {
        return status;
    }
    psd_hints hints = {.transparent = -1};
    if (!read_resources(source, &hints) || !read_layers(source, p, &hints) ||
        io_source_read(source, compression, 2) != 2) {
        return io_fail_short(ctx, source);
    }
    return psd_describe(ctx, reader, header, &hints, big(compression, 2));
}

/* PackBits, n bytes of them: 0 ... 127: so many and one more follow; 129 ... 255: 257 less it of
 * the next. What goes beyond the row is dropped, as other programs do; false if it is not filled.
 */
static bool psd_unpack(const unsigned char *in, size_t n, unsigned char *row, size_t row_bytes)
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
    const int length = row_length_bytes(p);
    size_t n = p->packed ? big(p->lengths + (size_t)length * index, length) : row_bytes;
    size_t kept = p->packed && n > p->packed_room ? p->packed_room : n;
    if (io_source_read(source, p->packed ? p->packed_row : p->plane_row, kept) != kept ||
        !psd_skip(source, n - kept)) {
        return io_fail_short(ctx, source);
    }
    if (p->packed && !psd_unpack(p->packed_row, kept, p->plane_row, row_bytes)) {
        return satf_fail(ctx, SATF_DATA, "the PSD is damaged: a packed row is too short");
    }
    return SATF_OK;
}

/* The lengths of packed rows, of all planes, come first. A row that is packed well takes hardly
 * more than it has; of one that takes twice as much the rest is not looked at. */
static satf_status psd_start(satf_context *ctx, io_source *source, psd *p, const satf_view *v,
                             size_t row_bytes)
{
    uint64_t row_length = (uint64_t)row_length_bytes(p) * (uint64_t)v->height;
    uint64_t lengths = row_length * (uint64_t)p->used;
    p->packed_room = p->large ? 2 * row_bytes + UINT8_MAX : UINT16_MAX;
    uint64_t bytes = row_bytes + (p->packed ? lengths + p->packed_room : 0);
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    p->plane_row = satf_alloc(row_bytes);
    p->packed_row = p->packed ? satf_alloc(p->packed_room) : NULL;
    p->lengths = p->packed ? satf_alloc((size_t)lengths) : NULL;
    if (!p->plane_row || (p->packed && (!p->packed_row || !p->lengths))) {
        return satf_fail_memory(ctx, (size_t)bytes, "rows of a PSD");
    }
    uint64_t all = row_length * (uint64_t)p->planes;
    if (p->packed && (io_source_read(source, p->lengths, (size_t)lengths) != lengths ||
                      !psd_skip(source, all - lengths))) {
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

static inline void unblend_row(unsigned char *row, int64_t width, size_t colours, size_t sample)
{
    unsigned max = sample == 1 ? UINT8_MAX : UINT16_MAX;
    for (int64_t x = 0; x < width; x++, row += (colours + 1) * sample) {
        unsigned alpha = (unsigned)io_load(row + colours * sample, sample);
        for (size_t c = 0; c < colours && alpha; c++) {
            unsigned char *at = row + c * sample;
            io_store(at, unblend((unsigned)io_load(at, sample), alpha, max), sample);
        }
    }
}

/* The row of a plane, samples of so many bytes, to where its samples are in the picture's row. */
static void place_row(const psd *p, size_t width, size_t sample, int channels, unsigned char *to)
{
    const size_t step = sample * (size_t)channels;
    for (size_t x = 0; x < width; x++) {
        if (p->indexed) {
            memcpy(to + x * step, p->palette[p->plane_row[x]], (size_t)channels);
        } else {
            memcpy(to + x * step, p->plane_row + x * sample, sample);
        }
    }
}

static satf_status psd_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    psd *p = reader->state;
    const satf_view *v = &reader->header.view;
    size_t width = (size_t)v->width, sample = satf_type_bytes(v->type), row_bytes = width * sample;
    satf_status status = psd_start(ctx, &reader->source, p, v, row_bytes);
    for (int64_t i = 0; i < p->used * n && !status; i++) {
        int64_t c = i / n, y = i % n;
        status = satf_tick(ctx);
        status = status ? status : read_plane_row(ctx, &reader->source, p, (size_t)i, row_bytes);
        if (IO_LITTLE_ENDIAN && !status) {
            io_swap_bytes(p->plane_row, width, sample);
        }
        if (!status) {
            place_row(p, width, sample, v->channels,
                      (unsigned char *)dst + y * stride + (size_t)c * sample);
        }
    }
    for (int64_t y = 0; y < n && !status && p->used > p->colours; y++) {
        unsigned char *row = (unsigned char *)dst + y * stride;
        if (sample == 1) {
            unblend_row(row, v->width, (size_t)p->colours, 1);
        } else {
            unblend_row(row, v->width, (size_t)p->colours, 2);
        }
        status = satf_tick(ctx);
    }
    return status;
}

static void close_psd(io_reader *reader)
{
    const psd *p = reader->state;
    satf_free(p->lengths);
    satf_free(p->packed_row);
    satf_free(p->plane_row);
}

const io_format io_psd = {
    .name = "psd",
    .suffixes = "psd psb",
    .help = "Photoshop, flattened grey, RGB or indexed colours (read only)",
    .probe = psd_probe,
    .reader_bytes = sizeof(psd),
    .open = open_psd,
    .rows = psd_read_rows,
    .close = close_psd,
};
