/* The orientation, resolutions and sizes in a block of EXIF. */
#include "exif.h"

#include <string.h>

#include "../numbers.h"

bool satf_tiff_open(unsigned char *data, size_t bytes, satf_tiff *tiff)
{
    *tiff = (satf_tiff){data, bytes, bytes > 0 && data[0] == 'M'};
    return bytes >= 8 && (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0);
}

uint32_t satf_tiff_load(const satf_tiff *t, const unsigned char *at, int n)
{
    return (uint32_t)(t->big ? io_load_big(at, (size_t)n) : io_load_little(at, (size_t)n));
}

void satf_tiff_store(const satf_tiff *t, unsigned char *at, int n, uint32_t value)
{
    (t->big ? io_store_big : io_store_little)(at, value, (size_t)n);
}

unsigned char *satf_tiff_directory(const satf_tiff *t, uint32_t offset, size_t *count)
{
    *count = 0;
    if (offset < 8 || offset > t->bytes || t->bytes - offset < 2) {
        return NULL;
    }
    size_t room = (t->bytes - offset - 2) / SATF_TIFF_ENTRY_BYTES;
    *count = satf_tiff_load(t, t->data + offset, 2);
    *count = *count < room ? *count : room;
    return t->data + offset + 2;
}

unsigned char *satf_tiff_first(const satf_tiff *t, size_t *count)
{
    return satf_tiff_directory(t, satf_tiff_load(t, t->data + 4, 4), count);
}

unsigned char *satf_tiff_find(const satf_tiff *t, unsigned char *entries, size_t count,
                              unsigned tag)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *entry = entries + i * SATF_TIFF_ENTRY_BYTES;
        if (satf_tiff_load(t, entry, 2) == tag) {
            return entry;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------- orientation */

unsigned satf_exif_orientation(const unsigned char *exif, size_t bytes)
{
    satf_tiff t;
    size_t count;
    if (!satf_tiff_open((unsigned char *)exif, bytes, &t)) { /* nothing is written */
        return 1;
    }
    unsigned char *entries = satf_tiff_first(&t, &count);
    const unsigned char *entry = satf_tiff_find(&t, entries, count, SATF_TIFF_ORIENTATION);
    uint32_t found = entry && satf_tiff_load(&t, entry + 2, 2) == SATF_TIFF_SHORT
                         ? satf_tiff_load(&t, entry + 8, 2)
                         : 1;
    return found >= 1 && found <= 8 ? found : 1;
}

void satf_exif_make_orientation(unsigned orientation,
                                unsigned char exif[SATF_EXIF_ORIENTATION_BYTES])
{
    static const unsigned char block[SATF_EXIF_ORIENTATION_BYTES] = {
        'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, SATF_TIFF_SHORT, 0, 1};
    memcpy(exif, block, sizeof block);
    exif[18] = (unsigned char)orientation;
}

/* ----------------------------------------------------------------- resolution */

/* A RATIONAL of the entry; 0 if it is none, or not there. */
static double load_rational(const satf_tiff *t, const unsigned char *entry)
{
    enum { RATIONAL = 5, BYTES = 8 };
    if (!entry || satf_tiff_load(t, entry + 2, 2) != RATIONAL) {
        return 0;
    }
    uint32_t at = satf_tiff_load(t, entry + 8, 4);
    if (at > t->bytes || t->bytes - at < BYTES) {
        return 0;
    }
    uint32_t of = satf_tiff_load(t, t->data + at + 4, 4);
    return of == 0 ? 0 : (double)satf_tiff_load(t, t->data + at, 4) / of;
}

bool satf_exif_resolution(const unsigned char *exif, size_t bytes, double *x, double *y, int *unit)
{
    enum { X = 0x011a, Y, UNIT = 0x0128, NO_UNIT = 1, INCH, CENTIMETRE };
    satf_tiff t;
    size_t count;
    if (!satf_tiff_open((unsigned char *)exif, bytes, &t)) { /* nothing is written */
        return false;
    }
    unsigned char *entries = satf_tiff_first(&t, &count);
    const unsigned char *entry = satf_tiff_find(&t, entries, count, UNIT);
    uint32_t of = entry ? satf_tiff_load(&t, entry + 8, 2) : INCH;
    double scale = of == INCH ? 1 / 0.0254 : of == CENTIMETRE ? 100 : 1;
    *x = scale * load_rational(&t, satf_tiff_find(&t, entries, count, X));
    *y = scale * load_rational(&t, satf_tiff_find(&t, entries, count, Y));
    *unit = of == INCH || of == CENTIMETRE;
    return *x > 0 && *y > 0 && (*unit || *x != *y);
}

/* ------------------------------------------------------------ what else it says */

bool satf_exif_says_more(const unsigned char *exif, size_t bytes)
{
    static const uint16_t known[] = {SATF_TIFF_ORIENTATION,    0x011a /* XResolution */,
                                     0x011b /* YResolution */, 0x0128 /* ResolutionUnit */,
                                     0x0131 /* Software */,    0x0132 /* DateTime */};
    satf_tiff t;
    size_t count;
    if (!satf_tiff_open((unsigned char *)exif, bytes, &t)) { /* nothing is written */
        return bytes > 0;
    }
    const unsigned char *entry = satf_tiff_first(&t, &count);
    for (; count > 0; count--, entry += SATF_TIFF_ENTRY_BYTES) {
        uint32_t tag = satf_tiff_load(&t, entry, 2);
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            found = found || known[i] == tag;
        }
        if (!found) {
            return true;
        }
    }
    return false;
}

/* Notes that begin so count their offsets from their own start. */
static bool are_notes_movable(const unsigned char *notes, size_t bytes)
{
    static const char leads[][12] = {"Apple iOS", "FUJIFILM",    "Nikon\0\2",
                                     "OLYMPUS\0", "OM SYSTEM\0", "PENTAX \0"};
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        size_t n = sizeof *leads;
        while (leads[i][n - 1] == 0) { /* some have a zero before their end */
            n--;
        }
        if (bytes > n && memcmp(notes, leads[i], n) == 0) {
            return true;
        }
    }
    return false;
}

bool satf_exif_has_placed_notes(const unsigned char *exif, size_t bytes)
{
    enum { EXIF_DIRECTORY = 0x8769, NOTES = 0x927c, INLINE_BYTES = 4 };
    satf_tiff t;
    size_t count;
    if (!satf_tiff_open((unsigned char *)exif, bytes, &t)) { /* nothing is written */
        return false;
    }
    unsigned char *entries = satf_tiff_first(&t, &count);
    const unsigned char *entry = satf_tiff_find(&t, entries, count, EXIF_DIRECTORY);
    if (!entry) {
        return false;
    }
    entries = satf_tiff_directory(&t, satf_tiff_load(&t, entry + 8, 4), &count);
    entry = satf_tiff_find(&t, entries, count, NOTES);
    uint32_t n = entry ? satf_tiff_load(&t, entry + 4, 4) : 0;
    uint32_t at = entry ? satf_tiff_load(&t, entry + 8, 4) : 0;
    bool there = n > INLINE_BYTES && at <= t.bytes && n <= t.bytes - at;
    return there && !are_notes_movable(t.data + at, n);
}

/* ----------------------------------------------------------------- thumbnails */

enum {
    TAG_JPEG = 0x0201,
    TAG_JPEG_BYTES,
    LINK_BYTES = 4,   /* behind the entries: where the next directory is */
    MOST_LINKS = 8,   /* real files have one; others may go round and round */
    MOST_RANGES = 64, /* ranges that touch count as one */
    MOST_PADDING_BYTES = 3
};

/* What is taken out of the block. */
typedef struct removal {
    satf_tiff tiff;
    size_t keep_from, keep_to; /* the first directory, which stays whatever others say */
    size_t budget;             /* pieces and bytes of them that may still be taken out: those that
                                * overlap would take for ever */
    struct {
        size_t from, to;
    } ranges[MOST_RANGES];
    int count;
} removal;

static void take_out(removal *r, size_t from, size_t bytes)
{
    r->budget -= r->budget > 0;
    if (from < 8 || from >= r->tiff.bytes) {
        return;
    }
    bytes = bytes < r->tiff.bytes - from ? bytes : r->tiff.bytes - from;
    bool kept = from < r->keep_to && from + bytes > r->keep_from;
    if (bytes == 0 || kept || bytes > r->budget) {
        return;
    }
    r->budget -= bytes;
    memset(r->tiff.data + from, 0, bytes);
    if (r->count > 0 && r->ranges[r->count - 1].to == from) {
        r->ranges[r->count - 1].to = from + bytes;
    } else if (r->count < MOST_RANGES) {
        r->ranges[r->count].from = from;
        r->ranges[r->count++].to = from + bytes;
    }
}

/* Value i of an entry of 16 or 32 bits; 0 if it is not there. */
static uint32_t exif_value_at(const satf_tiff *t, const unsigned char *entry, uint32_t i)
{
    uint32_t type = satf_tiff_load(t, entry + 2, 2), count = satf_tiff_load(t, entry + 4, 4);
    size_t bytes = type == SATF_TIFF_SHORT ? 2 : type == SATF_TIFF_LONG ? 4 : 0;
    if (bytes == 0 || i >= count) {
        return 0;
    }
    if (count <= 4 / bytes) {
        return satf_tiff_load(t, entry + 8 + i * bytes, (int)bytes);
    }
    uint64_t at = satf_tiff_load(t, entry + 8, 4) + (uint64_t)i * bytes;
    return at + bytes <= t->bytes ? satf_tiff_load(t, t->data + at, (int)bytes) : 0;
}

/* The pieces of a picture that is no JPEG. */
static void take_out_pieces(removal *r, unsigned char *entries, size_t count, unsigned offset_tag,
                            unsigned size_tag)
{
    const satf_tiff *t = &r->tiff;
    const unsigned char *offsets = satf_tiff_find(t, entries, count, offset_tag);
    const unsigned char *sizes = satf_tiff_find(t, entries, count, size_tag);
    if (!offsets || !sizes) {
        return;
    }
    uint32_t pieces = satf_tiff_load(t, offsets + 4, 4);
    for (uint32_t i = 0; i < pieces && r->budget > 0; i++) {
        take_out(r, exif_value_at(t, offsets, i), exif_value_at(t, sizes, i));
    }
}

static void take_out_pictures(removal *r, unsigned char *entries, size_t count)
{
    const satf_tiff *t = &r->tiff;
    const unsigned char *jpeg = satf_tiff_find(t, entries, count, TAG_JPEG);
    const unsigned char *bytes = satf_tiff_find(t, entries, count, TAG_JPEG_BYTES);
    if (jpeg && bytes) {
        take_out(r, exif_value_at(t, jpeg, 0), exif_value_at(t, bytes, 0));
    }
    take_out_pieces(r, entries, count, 0x0111, 0x0117); /* strips */
    take_out_pieces(r, entries, count, 0x0144, 0x0145); /* tiles */
}

/* The place of the offset of the next directory; NULL if the block ends before it. */
static unsigned char *link_behind(const satf_tiff *t, unsigned char *entries, size_t count)
{
    bool cut = count < satf_tiff_load(t, entries - 2, 2);
    unsigned char *link = entries + count * SATF_TIFF_ENTRY_BYTES;
    return cut || (size_t)(t->data + t->bytes - link) < LINK_BYTES ? NULL : link;
}

/* Takes out all directories behind the first one. */
static void take_out_directories(removal *r)
{
    const satf_tiff *t = &r->tiff;
    size_t count;
    unsigned char *entries = satf_tiff_first(t, &count);
    unsigned char *link = entries ? link_behind(t, entries, count) : NULL;
    if (!link) {
        return;
    }
    r->keep_from = (size_t)(entries - 2 - t->data);
    r->keep_to = (size_t)(link + LINK_BYTES - t->data);
    uint32_t next = satf_tiff_load(t, link, LINK_BYTES);
    satf_tiff_store(t, link, LINK_BYTES, 0);
    for (int i = 0; next && i < MOST_LINKS; i++) {
        uint32_t here = next;
        entries = satf_tiff_directory(t, here, &count);
        if (!entries) {
            return;
        }
        link = link_behind(t, entries, count);
        next = link ? satf_tiff_load(t, link, LINK_BYTES) : 0;
        take_out_pictures(r, entries, count);
        take_out(r, here, 2 + count * SATF_TIFF_ENTRY_BYTES + (link ? LINK_BYTES : 0));
    }
}

/* The block's size without the ranges at its end, and the padding behind them. */
static size_t bytes_left(const removal *r)
{
    size_t bytes = r->tiff.bytes;
    for (int i = 0; i < r->count; i++) {
        if (r->ranges[i].from < bytes && r->ranges[i].to + MOST_PADDING_BYTES >= bytes) {
            bytes = r->ranges[i].from;
            i = -1; /* others may end here */
        }
    }
    return bytes;
}

size_t satf_exif_drop_thumbnails(unsigned char *exif, size_t bytes)
{
    removal r = {.budget = 2 * bytes}; /* of a block in memory */
    if (satf_tiff_open(exif, bytes, &r.tiff)) {
        take_out_directories(&r);
        bytes = bytes_left(&r);
    }
    satf_blank_jpegs(exif, bytes);
    return bytes;
}

/* ----------------------------------------------------------------- JPEGs within */

enum { SOI = 0xd8, EOI, SOS, RST0 = 0xd0, RST7 = 0xd7, TEM = 0x01, MOST_FILL_BYTES = 8 };

/* The place behind the coded pixels that begin at `at`: the next marker that is none of theirs. */
static size_t behind_scan(const unsigned char *d, size_t n, size_t at)
{
    while (at < n) {
        const unsigned char *ff = memchr(d + at, 0xff, n - at);
        if (!ff) {
            return n;
        }
        at = (size_t)(ff - d);
        if (n - at < 2) {
            return n;
        }
        unsigned next = d[at + 1];
        if (next != 0 && next != 0xff && (next < RST0 || next > RST7)) {
            return at;
        }
        at += next == 0xff ? 1 : 2;
    }
    return n;
}

/*
 * The end of the JPEG that begins at `at` with FF D8; 0 if it is none, for these bytes also come
 * about by chance. Two segments one behind the other are proof. What is broken off ends there, or
 * with the block. A false start costs two segments, the rest is zeroed, so a block takes time that
 * grows no faster than its size.
 */
static size_t jpeg_end(const unsigned char *d, size_t n, size_t at)
{
    int segments = 0, fill = 0;
    for (at += 2; n - at >= 2 && d[at] == 0xff && fill <= MOST_FILL_BYTES;) {
        unsigned marker = d[at + 1];
        if (marker == 0xff) {
            fill++;
            at++;
            continue;
        }
        if (marker == EOI) {
            return segments >= 2 ? at + 2 : 0;
        }
        size_t bytes = n - at >= 4 ? (size_t)d[at + 2] << 8 | d[at + 3] : 0;
        if (marker <= TEM || (marker >= RST0 && marker <= SOI) || (n - at >= 4 && bytes < 2)) {
            break;
        }
        if (n - at < 4 || bytes > n - at - 2) {
            return segments >= 2 ? n : 0;
        }
        at += 2 + bytes;
        fill = 0;
        segments++;
        if (marker == SOS) {
            at = behind_scan(d, n, at);
            segments += 2;
        }
    }
    return segments < 2 ? 0 : n - at < 2 ? n : at;
}

void satf_blank_jpegs(unsigned char *block, size_t bytes)
{
    size_t at = 0;
    while (bytes - at >= 4) {
        unsigned char *ff = memchr(block + at, 0xff, bytes - at - 3);
        if (!ff) {
            return;
        }
        at = (size_t)(ff - block);
        size_t end = ff[1] == SOI && ff[2] == 0xff ? jpeg_end(block, bytes, at) : 0;
        if (end > 0) {
            memset(ff, 0, end - at);
        }
        at = end > 0 ? end : at + 1;
    }
}
