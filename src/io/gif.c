/* GIF, its first picture on its screen: reading only. www.w3.org/Graphics/GIF/spec-gif89a.txt */
#include <string.h>

#include "../base/share.h"
#include "codec.h"

enum { HEADER = 13, EXTENSION = 0x21, CONTROL = 0xf9, PICTURE = 0x2c, PICTURE_BYTES = 9 };
enum { HAS_TABLE = 0x80, INTERLACED = 0x40 }; /* flags */
enum { MAX_BITS = 12, CODES = 1 << MAX_BITS };

/* A picture's pixels are numbers of colours in its table. */
typedef struct gif {
    unsigned char table[256][3];     /* missing colours are black */
    size_t colours;                  /* that it has */
    unsigned char background[4];     /* what lies around the picture */
    int transparent;                 /* the number that is; -1: none */
    int64_t x, y, width, height;     /* of the picture, on the screen */
    int64_t seen_width, seen_height; /* of what the screen shows of it */
    bool interlaced;
    unsigned char *numbers; /* owned: of what is seen, row by row */
} gif;

static bool probe(const unsigned char *head, size_t n)
{
    return n >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

static satf_status fail_damaged(satf_context *ctx, const char *what)
{
    return satf_fail(ctx, SATF_DATA, "the GIF is damaged: %s", what);
}

static int64_t little(const unsigned char *at)
{
    return at[0] | at[1] << 8;
}

/* ----------------------------------------------------------------- blocks */

static size_t table_bytes(unsigned flags)
{
    return flags & HAS_TABLE ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* Passes over blocks up to the empty one behind them; false at the end of the file. */
static bool skip_blocks(io_source *source)
{
    unsigned char unused[UINT8_MAX];
    int n;
    while ((n = io_source_byte(source)) > 0) {
        if (io_source_read(source, unused, (size_t)n) != (size_t)n) {
            return false;
        }
    }
    return n == 0;
}

/* Up to the first picture. */
static satf_status pass_extensions(satf_context *ctx, io_source *source, gif *g)
{
    int kind;
    while ((kind = io_source_byte(source)) == EXTENSION) {
        int label = io_source_byte(source), n = io_source_byte(source);
        unsigned char block[UINT8_MAX];
        if (n < 0 || io_source_read(source, block, (size_t)n) != (size_t)n) {
            return io_fail_short(ctx, source);
        }
        if (label == CONTROL && n >= 4) {
            g->transparent = block[0] & 1 ? block[3] : -1;
        }
        if (n > 0 && !skip_blocks(source)) {
            return io_fail_short(ctx, source);
        }
    }
    return kind == PICTURE ? SATF_OK
           : kind < 0      ? io_fail_short(ctx, source)
                           : fail_damaged(ctx, "it holds no picture");
}

/*
 * Where the picture is, and its colours. The background's colour lies around it, but not if a
 * colour is transparent: then nothing does, as programs that show GIFs have it.
 */
static satf_status begin_picture(satf_context *ctx, io_source *source, const unsigned char *screen,
                                 gif *g)
{
    unsigned char head[PICTURE_BYTES];
    satf_status status = pass_extensions(ctx, source, g);
    if (status) {
        return status;
    }
    if (io_source_read(source, head, sizeof head) != sizeof head) {
        return io_fail_short(ctx, source);
    }
    g->x = little(head), g->y = little(head + 2);
    g->width = little(head + 4), g->height = little(head + 6);
    g->interlaced = (head[8] & INTERLACED) != 0;
    bool has_table = (screen[10] & HAS_TABLE) != 0;
    if (has_table && g->transparent < 0) {
        memcpy(g->background, g->table[screen[11]], 3);
        g->background[3] = UINT8_MAX;
    }
    size_t own = table_bytes(head[8]);
    if (own > 0) {
        memset(g->table, 0, sizeof g->table);
    }
    if (io_source_read(source, g->table, own) != own) {
        return io_fail_short(ctx, source);
    }
    g->colours = own ? own / 3 : table_bytes(screen[10]) / 3;
    if (!has_table && own == 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a GIF without a table of colours");
    }
    return g->width && g->height ? SATF_OK : fail_damaged(ctx, "its picture is empty");
}

/* The pictures of a file, as far as its blocks are there. */
static int64_t count_pictures(io_source *source)
{
    unsigned char head[PICTURE_BYTES], table[768];
    int64_t pictures = 1;
    for (int kind; (kind = io_source_byte(source)) == EXTENSION || kind == PICTURE;) {
        size_t n = kind == PICTURE ? sizeof head : 0;
        pictures += kind == PICTURE;
        bool there = io_source_read(source, head, n) == n;
        n = kind == PICTURE && there ? table_bytes(head[8]) : 0;
        there = there && io_source_read(source, table, n) == n;
        io_source_byte(source); /* the kind of extension, or the size of codes */
        if (!there || !skip_blocks(source)) {
            break;
        }
    }
    return pictures;
}

/* ----------------------------------------------------------------- pixels */

/* Codes in blocks, lowest bits first. */
typedef struct codes {
    io_source *source;
    int block_left; /* bytes */
    unsigned bits, n_bits;
    bool cut; /* the file has ended */
} codes;

/* -1: there is none. */
static int next_code(codes *c, unsigned n_bits)
{
    for (; c->n_bits < n_bits; c->n_bits += 8) {
        int n = c->block_left ? c->block_left : io_source_byte(c->source);
        int byte = n > 0 ? io_source_byte(c->source) : n;
        if (n == 0 || byte < 0) {
            c->cut = byte < 0;
            return -1;
        }
        c->block_left = n - 1;
        c->bits |= (unsigned)byte << c->n_bits;
    }
    int code = (int)(c->bits & ((1u << n_bits) - 1));
    c->bits >>= n_bits;
    c->n_bits -= n_bits;
    return code;
}

/* Where the k-th row of an interlaced picture belongs. */
static int64_t interlaced_row(int64_t k, int64_t height)
{
    static const int begin[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    int pass = 0;
    for (; pass < 3; pass++) {
        int64_t rows = (height - begin[pass] + step[pass] - 1) / step[pass];
        if (k < rows) {
            break;
        }
        k -= rows;
    }
    return begin[pass] + k * step[pass];
}

/* Takes numbers, the first of them last in the list, up to the picture's last. */
static int64_t put_numbers(gif *g, int64_t at, const unsigned char *last_first, int n)
{
    int64_t row = at / g->width, x = at % g->width, end = g->width * g->height;
    for (; n > 0 && at < end; at++) {
        int64_t y = g->interlaced ? interlaced_row(row, g->height) : row;
        unsigned char number = last_first[--n];
        if (x < g->seen_width && y < g->seen_height) {
            g->numbers[y * g->seen_width + x] = number;
        }
        row += ++x == g->width;
        x = x == g->width ? 0 : x;
    }
    return at;
}

/* Codes of LZW: those below `clear` are numbers, those behind it and its neighbour are strings. */
typedef struct strings {
    int clear, known;          /* codes */
    uint16_t before[CODES];    /* a string is that of another code, ... */
    unsigned char last[CODES]; /* ... and a number */
} strings;

/* A code's numbers, the last one first. Returns how many. */
static int spell(const strings *s, int code, unsigned char *numbers)
{
    int n = 0;
    for (; code > s->clear; code = s->before[code]) {
        numbers[n++] = s->last[code];
    }
    numbers[n++] = (unsigned char)code;
    return n;
}

/* A code adds a string, that of the code before with its own first number, which it may be itself:
 * then it begins as that does. A table that is full stays as it is. */
static satf_status unpack(satf_context *ctx, codes *c, gif *g, unsigned root)
{
    strings s;
    unsigned char numbers[CODES], first = 0;
    unsigned n_bits = root + 1;
    int previous = -1;
    s.clear = 1 << root;
    s.known = s.clear + 2;
    satf_status status = SATF_OK;
    for (int64_t at = 0, pixels = g->width * g->height; at < pixels && !status;) {
        int code = next_code(c, n_bits);
        if (code == s.clear) {
            s.known = s.clear + 2, previous = -1, n_bits = root + 1;
            continue;
        }
        if (code < 0 || code == s.clear + 1) {
            return c->cut ? io_fail_short(ctx, c->source) : fail_damaged(ctx, "pixels are missing");
        }
        bool adds = previous >= 0 && s.known < CODES;
        if (code < s.clear ? code > UINT8_MAX : code >= s.known + adds) {
            return fail_damaged(ctx, "a code is not in its table");
        }
        if (adds) {
            s.before[s.known] = (uint16_t)previous;
            s.last[s.known] = first;
        }
        int n = spell(&s, code, numbers);
        first = numbers[n - 1];
        if (adds) {
            s.last[s.known++] = first;
            n_bits += s.known == 1 << n_bits && n_bits < MAX_BITS;
        }
        previous = code;
        int64_t row = at / g->width;
        at = put_numbers(g, at, numbers, n);
        status = at / g->width != row ? satf_tick(ctx) : SATF_OK;
    }
    return status;
}

static satf_status read_pixels(satf_context *ctx, io_source *source, gif *g)
{
    int root = io_source_byte(source);
    if (root < 0) {
        return io_fail_short(ctx, source);
    }
    if (root < 1 || root >= MAX_BITS) {
        return fail_damaged(ctx, "its codes do not begin with 1 to 11 bits");
    }
    codes c = {.source = source};
    satf_status status = unpack(ctx, &c, g, (unsigned)root);
    if (status) {
        return status;
    }
    unsigned char unused[UINT8_MAX];
    size_t left = (size_t)c.block_left;
    return io_source_read(source, unused, left) == left && skip_blocks(source)
               ? SATF_OK
               : io_fail_short(ctx, source);
}

/* How much of a side is on the screen. */
static int64_t seen_side(int64_t at, int64_t side, int64_t screen)
{
    int64_t room = at < screen ? screen - at : 0;
    return side < room ? side : room;
}

/* Memory for what is seen of the picture, unless it is too much. */
static satf_status make_room(satf_context *ctx, int64_t width, int64_t height, uint64_t file_bytes,
                             gif *g)
{
    g->seen_width = seen_side(g->x, g->width, width);
    g->seen_height = seen_side(g->y, g->height, height);
    uint64_t seen = (uint64_t)(g->seen_width * g->seen_height);
    satf_status status = io_check_bytes(ctx, seen);
    status = status ? status : satf_share_reserve(ctx, seen + file_bytes);
    g->numbers = status ? NULL : satf_alloc_zeroed(seen + 1); /* bytes of 0 are no allocation */
    return status || g->numbers ? status : satf_fail_memory(ctx, seen, "a GIF's pixels");
}

/* Does the screen show anything that is transparent? */
static bool shows_through(const gif *g, int64_t width, int64_t height)
{
    int64_t seen = g->seen_width * g->seen_height;
    return (seen < width * height && g->background[3] == 0) ||
           (g->transparent >= 0 && memchr(g->numbers, g->transparent, (size_t)seen));
}

/* Do pixels name colours that the table lacks? */
static bool misses_colours(const gif *g)
{
    int highest = 0;
    for (int64_t i = 0; i < g->seen_width * g->seen_height; i++) {
        int number = g->numbers[i];
        highest = number > highest && number != g->transparent ? number : highest;
    }
    return (size_t)highest >= g->colours;
}

static satf_status decode(satf_context *ctx, io_reader *reader, io_source *source)
{
    gif *g = reader->state;
    unsigned char screen[HEADER];
    if (io_source_read(source, screen, HEADER) != HEADER) {
        return io_fail_short(ctx, source);
    }
    int64_t width = little(screen + 6), height = little(screen + 8);
    size_t table = table_bytes(screen[10]);
    satf_status status = io_check_size(ctx, width, height, 4);
    status = status ? status
                    : io_check_ratio(ctx, source, (uint64_t)(width * height),
                                     table ? (screen[10] & 7u) + 1 : 8, ";", 1);
    if (status) {
        return status;
    }
    if (io_source_read(source, g->table, table) != table) {
        return io_fail_short(ctx, source);
    }
    status = begin_picture(ctx, source, screen, g);
    status = status ? status : make_room(ctx, width, height, (uint64_t)source->bytes, g);
    status = status ? status : read_pixels(ctx, source, g);
    if (status) {
        return status;
    }
    bool alpha = shows_through(g, width, height);
    io_header_set(&reader->header, width, height, 3 + alpha, SATF_U8, alpha, UINT8_MAX);
    reader->header.held_bytes = (uint64_t)(g->seen_width * g->seen_height);
    reader->header.pictures = count_pictures(source);
    reader->header.colours_missing = misses_colours(g);
    return SATF_OK;
}

static satf_status open_gif(satf_context *ctx, io_reader *reader)
{
    gif *g = reader->state = satf_alloc_zeroed(sizeof *g);
    if (!g) {
        return satf_fail_memory(ctx, sizeof *g, "a GIF reader");
    }
    g->transparent = -1;
    const unsigned char *data;
    size_t bytes;
    void *owned;
    satf_status status = io_source_slurp(ctx, &reader->source, &data, &bytes, &owned);
    if (!status) {
        io_source source;
        io_source_open_memory(data, bytes, &source);
        status = decode(ctx, reader, &source);
    }
    satf_free(owned);
    return status;
}

static satf_status read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                             int64_t n)
{
    (void)ctx;
    const gif *g = reader->state;
    const satf_view *v = &reader->header.view;
    size_t step = (size_t)v->channels;
    for (int64_t i = 0; i < n; i++) {
        unsigned char *row = (unsigned char *)dst + i * stride;
        int64_t y = reader->next_row + i - g->y;
        bool crossed = y >= 0 && y < g->seen_height;
        for (int64_t x = 0; x < v->width; x++, row += step) {
            int64_t at = x - g->x;
            bool inside = crossed && at >= 0 && at < g->seen_width;
            int number = inside ? g->numbers[y * g->seen_width + at] : -1;
            if (number != g->transparent && inside) {
                memcpy(row, g->table[number], 3);
                memset(row + 3, UINT8_MAX, step - 3);
            } else {
                static const unsigned char nothing[4] = {0};
                memcpy(row, inside ? nothing : g->background, step);
            }
        }
    }
    return SATF_OK;
}

static void close_gif(io_reader *reader)
{
    gif *g = reader->state;
    if (g) {
        satf_free(g->numbers);
        satf_free(g);
    }
}

const io_format io_gif = {
    .name = "gif",
    .suffixes = "gif",
    .help = "GIF, its first frame (read only)",
    .probe = probe,
    .open = open_gif,
    .rows = read_rows,
    .close = close_gif,
};
