/* Metadata about the places of a picture's pixels, changed as the pixels move. */
#include <string.h>

#include "../io/meta/exif.h"
#include "../io/meta/tags.h"
#include "move.h"

/* The tags of sides and resolutions; each y lies behind its x. */
enum {
    TAG_IMAGE_WIDTH = 0x0100, /* TIFF's; some cameras write them beside EXIF's */
    TAG_IMAGE_HEIGHT = 0x0101,
    TAG_X_RESOLUTION = 0x011a,
    TAG_Y_RESOLUTION = 0x011b,
    TAG_EXIF_DIRECTORY = 0x8769,
    TAG_WIDTH = 0xa002,
    TAG_HEIGHT = 0xa003,
    TAG_X_FOCAL_RESOLUTION = 0xa20e,
    TAG_Y_FOCAL_RESOLUTION = 0xa20f
};

/* `flips` behind the symmetry `first` as flips in front: a transposition exchanges the two. */
static unsigned orientation_behind(unsigned first, unsigned flips)
{
    return first & MOVE_TRANSPOSE ? (flips & MOVE_FLIP_H) << 1 | (flips & MOVE_FLIP_V) >> 1 : flips;
}

unsigned move_compose(unsigned first, unsigned second)
{
    unsigned flips = second & (MOVE_FLIP_H | MOVE_FLIP_V);
    return first ^ orientation_behind(first, flips) ^ (second & MOVE_TRANSPOSE);
}

static unsigned inverse(unsigned symmetry)
{
    unsigned flips = symmetry & (MOVE_FLIP_H | MOVE_FLIP_V);
    return orientation_behind(symmetry, flips) | (symmetry & MOVE_TRANSPOSE);
}

/* EXIF's orientations 1 ... 8: what a viewer does to the stored picture. */
static const unsigned char orientations[9] = {
    [1] = 0,
    [2] = MOVE_FLIP_H,
    [3] = MOVE_ROTATE_180,
    [4] = MOVE_FLIP_V,
    [5] = MOVE_TRANSPOSE,
    [6] = MOVE_ROTATE_90,
    [7] = MOVE_ROTATE_180 | MOVE_TRANSPOSE,
    [8] = MOVE_ROTATE_270,
};

unsigned move_of_orientation(unsigned orientation)
{
    return orientation < sizeof orientations ? orientations[orientation] : 0;
}

/* A symmetry that has moved the pixels; upright: it does what viewers did. */
typedef struct turning {
    unsigned symmetry;
    bool upright;
} turning;

/* The orientation that undoes the symmetry, turns as the old one did, then does the symmetry. */
static unsigned turned_orientation(const turning *by, unsigned orientation)
{
    unsigned symmetry = by->symmetry;
    if (orientation < 1 || orientation > 8) {
        return orientation;
    }
    if (by->upright) {
        return 1;
    }
    unsigned shown =
        move_compose(move_compose(inverse(symmetry), orientations[orientation]), symmetry);
    unsigned found = 1;
    while (orientations[found] != shown) {
        found++;
    }
    return found;
}

/* ----------------------------------------------------------------------- EXIF */

/* Exchanges the values of two entries, with their types. */
static void swap_entries(const satf_tiff *t, unsigned char *entries, size_t count, unsigned x,
                         unsigned y)
{
    unsigned char *a = satf_tiff_find(t, entries, count, x),
                  *b = satf_tiff_find(t, entries, count, y);
    unsigned char kept[SATF_TIFF_ENTRY_BYTES - 2];
    if (a && b) {
        memcpy(kept, a + 2, sizeof kept);
        memcpy(a + 2, b + 2, sizeof kept);
        memcpy(b + 2, kept, sizeof kept);
    }
}

static void turn_exif(const turning *by, unsigned char *data, size_t bytes)
{
    satf_tiff t;
    if (!satf_tiff_open(data, bytes, &t)) {
        return; /* whatever it is, it stays */
    }
    size_t count, more;
    unsigned char *entries = satf_tiff_first(&t, &count);
    if (!entries) {
        return;
    }
    unsigned char *entry = satf_tiff_find(&t, entries, count, SATF_TIFF_ORIENTATION);
    if (entry && satf_tiff_load(&t, entry + 2, 2) == SATF_TIFF_SHORT) {
        satf_tiff_store(&t, entry + 8, 2, turned_orientation(by, satf_tiff_load(&t, entry + 8, 2)));
    }
    if (!(by->symmetry & MOVE_TRANSPOSE)) {
        return;
    }
    swap_entries(&t, entries, count, TAG_IMAGE_WIDTH, TAG_IMAGE_HEIGHT);
    swap_entries(&t, entries, count, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
    entry = satf_tiff_find(&t, entries, count, TAG_EXIF_DIRECTORY);
    entries = entry ? satf_tiff_directory(&t, satf_tiff_load(&t, entry + 8, 4), &more) : NULL;
    if (entries) {
        swap_entries(&t, entries, more, TAG_WIDTH, TAG_HEIGHT);
        swap_entries(&t, entries, more, TAG_X_FOCAL_RESOLUTION, TAG_Y_FOCAL_RESOLUTION);
    }
}

/* In XMP the orientation stands as an attribute, tiff:Orientation="6", or an element. */
static void turn_xmp(const turning *by, unsigned char *data, size_t bytes)
{
    static const char name[] = "tiff:Orientation", between[] = " \t\r\n=\"'>";
    const size_t name_bytes = sizeof name - 1;
    unsigned char *at = data, *end = data + bytes;
    while ((at = memmem(at, (size_t)(end - at), name, name_bytes))) {
        at += name_bytes;
        unsigned char *digit = at;
        while (digit < end && *digit && strchr(between, *digit)) {
            digit++;
        }
        bool one = digit > at && end - digit >= 2 && strchr("\"'< \t\r\n", digit[1]);
        if (one && digit[0] >= '1' && digit[0] <= '8') {
            digit[0] = (unsigned char)('0' + turned_orientation(by, (unsigned)(digit[0] - '0')));
        }
    }
}

/* OME-XML, a TIFF's description, names the sides by attributes of its elements Pixels: SizeX,
 * PhysicalSizeX, PhysicalSizeXUnit; X and Y change places there. */
static void transpose_ome(char *at, const char *end)
{
    static const char element[] = "<Pixels", size[] = "Size";
    while ((at = memmem(at, (size_t)(end - at), element, sizeof element - 1))) {
        char quote = 0;
        for (; at < end && (quote || *at != '>'); at++) {
            if (quote || *at == '"' || *at == '\'') {
                quote = !quote ? *at : *at == quote ? 0 : quote;
            } else if (end - at > 4 && memcmp(at, size, 4) == 0 && (at[4] == 'X' || at[4] == 'Y')) {
                at[4] = at[4] == 'X' ? 'Y' : 'X';
            }
        }
    }
}

static void transpose_description(satf_metadata *m)
{
    satf_tag tag;
    if (satf_tags_find(m->tags, m->tags_bytes, SATF_TAGS_PAGE, SATF_TAG_DESCRIPTION, &tag) &&
        memmem(tag.values, tag.bytes, "<OME", 4)) {
        char *text = (char *)m->tags + (tag.values - m->tags);
        transpose_ome(text, text + tag.bytes);
    }
}

/* Exchanges the frequencies across with those down. */
static void transpose_coding(satf_jpeg_coding *coding)
{
    for (int i = 0; i < 3; i++) {
        unsigned char h = coding->h[i];
        coding->h[i] = coding->v[i];
        coding->v[i] = h;
        for (int y = 0; y < 8; y++) {
            for (int x = 0; x < y; x++) {
                uint16_t *a = &coding->quant[i][8 * y + x], *b = &coding->quant[i][8 * x + y];
                uint16_t kept = *a;
                *a = *b;
                *b = kept;
            }
        }
    }
}

static void turn_metadata(const turning *by, satf_metadata *metadata)
{
    bool transposes = by->symmetry & MOVE_TRANSPOSE;
    if (transposes && metadata->has_resolution) {
        double x = metadata->resolution_x;
        metadata->resolution_x = metadata->resolution_y;
        metadata->resolution_y = x;
    }
    if (transposes) {
        transpose_coding(&metadata->jpeg);
        transpose_description(metadata);
    }
    if (metadata->xmp) {
        turn_xmp(by, metadata->xmp, metadata->xmp_bytes);
    }
    if (metadata->exif) {
        turn_exif(by, metadata->exif, metadata->exif_bytes);
    }
}

void move_metadata(unsigned symmetry, satf_metadata *metadata)
{
    turn_metadata(&(turning){symmetry, false}, metadata);
}

void move_metadata_upright(unsigned symmetry, satf_metadata *metadata)
{
    turn_metadata(&(turning){symmetry, true}, metadata);
}

/* --------------------------------------------------------------------- scaling */

static void store_side(const satf_tiff *t, unsigned char *entry, int64_t side)
{
    unsigned type = entry ? satf_tiff_load(t, entry + 2, 2) : 0;
    if (type == SATF_TIFF_SHORT && side <= UINT16_MAX) {
        satf_tiff_store(t, entry + 8, 2, (uint32_t)side);
    } else if (type == SATF_TIFF_LONG && side <= UINT32_MAX) {
        satf_tiff_store(t, entry + 8, 4, (uint32_t)side);
    }
}

/* A RATIONAL, whose fraction lies elsewhere, times to / from: in lowest terms, or to 10^-3. */
static void scale_rational(const satf_tiff *t, const unsigned char *entry, int64_t from, int64_t to)
{
    enum { RATIONAL = 5, BYTES = 8, THOUSAND = 1000 };
    uint32_t at = entry ? satf_tiff_load(t, entry + 8, 4) : 0;
    if (!entry || satf_tiff_load(t, entry + 2, 2) != RATIONAL || at > t->bytes ||
        t->bytes - at < BYTES || from > INT32_MAX) {
        return;
    }
    unsigned char *over = t->data + at, *under = over + BYTES / 2;
    uint64_t a = satf_tiff_load(t, over, 4) * (uint64_t)to;
    uint64_t b = satf_tiff_load(t, under, 4) * (uint64_t)from, divisor = a, rest = b;
    while (rest) {
        uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    if (b == 0) {
        return;
    }
    double value = (double)a / (double)b;
    a /= divisor;
    b /= divisor;
    if (a > UINT32_MAX || b > UINT32_MAX) {
        b = THOUSAND;
        a = (uint64_t)(value * THOUSAND + 0.5);
    }
    if (a <= UINT32_MAX) {
        satf_tiff_store(t, over, 4, (uint32_t)a);
        satf_tiff_store(t, under, 4, (uint32_t)b);
    }
}

/* Scales the two resolutions of a directory, which may be one fraction. */
static void scale_resolutions(const satf_tiff *t, unsigned char *entries, size_t count, unsigned x,
                              unsigned y, const satf_view *from, const satf_view *to)
{
    unsigned char *across = satf_tiff_find(t, entries, count, x);
    unsigned char *down = satf_tiff_find(t, entries, count, y);
    bool one = across && down && memcmp(across + 8, down + 8, 4) == 0;
    scale_rational(t, across, from->width, to->width);
    scale_rational(t, one ? NULL : down, from->height, to->height);
}

/* Stores a directory's sides, in TIFF's own or EXIF's tags. */
static void store_sides(const satf_tiff *t, unsigned char *entries, size_t count, unsigned width,
                        unsigned height, const satf_view *to)
{
    store_side(t, satf_tiff_find(t, entries, count, width), to->width);
    store_side(t, satf_tiff_find(t, entries, count, height), to->height);
}

static void resize_exif(const satf_view *from, const satf_view *to, bool scales,
                        unsigned char *data, size_t bytes)
{
    satf_tiff t;
    size_t count, more;
    unsigned char *entries = satf_tiff_open(data, bytes, &t) ? satf_tiff_first(&t, &count) : NULL;
    if (!entries) {
        return;
    }
    store_sides(&t, entries, count, TAG_IMAGE_WIDTH, TAG_IMAGE_HEIGHT, to);
    unsigned char *entry = satf_tiff_find(&t, entries, count, TAG_EXIF_DIRECTORY);
    unsigned char *inner =
        entry ? satf_tiff_directory(&t, satf_tiff_load(&t, entry + 8, 4), &more) : NULL;
    if (inner) {
        store_sides(&t, inner, more, TAG_WIDTH, TAG_HEIGHT, to);
    }
    if (scales) {
        scale_resolutions(&t, entries, count, TAG_X_RESOLUTION, TAG_Y_RESOLUTION, from, to);
    }
    if (scales && inner) {
        scale_resolutions(&t, inner, more, TAG_X_FOCAL_RESOLUTION, TAG_Y_FOCAL_RESOLUTION, from,
                          to);
    }
}

void move_resize_metadata(const satf_view *from, const satf_view *to, bool scales,
                          satf_metadata *metadata)
{
    if (metadata->has_resolution && scales) {
        metadata->resolution_x *= (double)to->width / (double)from->width;
        metadata->resolution_y *= (double)to->height / (double)from->height;
    }
    if (metadata->exif) {
        resize_exif(from, to, scales, metadata->exif, metadata->exif_bytes);
    }
}
