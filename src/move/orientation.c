/* What a picture's file says about the places of its pixels. EXIF is a TIFF file: directories
 * of entries of twelve bytes (tag, type, count, value or where it is). */
#include <string.h>

#include "move.h"

/* The tags that speak of sides or places; each y lies behind its x. */
enum {
    TAG_IMAGE_WIDTH = 0x0100, /* TIFF's; some cameras write them beside EXIF's */
    TAG_IMAGE_HEIGHT = 0x0101,
    TAG_ORIENTATION = 0x0112,
    TAG_X_RESOLUTION = 0x011a,
    TAG_Y_RESOLUTION = 0x011b,
    TAG_EXIF_DIRECTORY = 0x8769,
    TAG_WIDTH = 0xa002,
    TAG_HEIGHT = 0xa003,
    TAG_X_FOCAL_RESOLUTION = 0xa20e,
    TAG_Y_FOCAL_RESOLUTION = 0xa20f,
    TYPE_SHORT = 3,
    ENTRY_BYTES = 12
};

/* Under the flips of `first` alone if it transposes: a flip before is the other one behind. */
static unsigned behind(unsigned first, unsigned flips)
{
    return first & MOVE_TRANSPOSE ? (flips & MOVE_FLIP_H) << 1 | (flips & MOVE_FLIP_V) >> 1 : flips;
}

unsigned move_compose(unsigned first, unsigned second)
{
    unsigned flips = second & (MOVE_FLIP_H | MOVE_FLIP_V);
    return first ^ behind(first, flips) ^ (second & MOVE_TRANSPOSE);
}

static unsigned inverse(unsigned turn)
{
    unsigned flips = turn & (MOVE_FLIP_H | MOVE_FLIP_V);
    return behind(turn, flips) | (turn & MOVE_TRANSPOSE);
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

/* The one that undoes the turn, then does what the old one did, then turns. */
static unsigned turned_orientation(unsigned turn, unsigned orientation)
{
    if (orientation < 1 || orientation > 8) {
        return orientation;
    }
    unsigned shown = move_compose(move_compose(inverse(turn), orientations[orientation]), turn);
    unsigned found = 1;
    while (orientations[found] != shown) {
        found++;
    }
    return found;
}

/* ----------------------------------------------------------------------- EXIF */

typedef struct tiff {
    unsigned char *data;
    size_t bytes;
    bool big; /* its byte order */
} tiff;

/* An unsigned integer of n bytes; the caller has checked that they are there. */
static uint32_t load(const tiff *t, const unsigned char *at, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++) {
        value |= (uint32_t)at[i] << 8 * (t->big ? n - 1 - i : i);
    }
    return value;
}

/* The directory at `offset`: its entries, whose number *count becomes as far as they are there;
 * NULL if it is not. */
static unsigned char *directory(const tiff *t, uint32_t offset, size_t *count)
{
    if (offset < 8 || offset > t->bytes || t->bytes - offset < 2) {
        return NULL;
    }
    size_t room = (t->bytes - offset - 2) / ENTRY_BYTES;
    *count = load(t, t->data + offset, 2);
    *count = *count < room ? *count : room;
    return t->data + offset + 2;
}

static unsigned char *find(const tiff *t, unsigned char *entries, size_t count, unsigned tag)
{
    for (size_t i = 0; i < count; i++) {
        if (load(t, entries + i * ENTRY_BYTES, 2) == tag) {
            return entries + i * ENTRY_BYTES;
        }
    }
    return NULL;
}

/* The values of two entries change places, with their types. */
static void swap_entries(const tiff *t, unsigned char *entries, size_t count, unsigned x,
                         unsigned y)
{
    unsigned char *a = find(t, entries, count, x), *b = find(t, entries, count, y);
    unsigned char kept[ENTRY_BYTES - 2];
    if (a && b) {
        memcpy(kept, a + 2, sizeof kept);
        memcpy(a + 2, b + 2, sizeof kept);
        memcpy(b + 2, kept, sizeof kept);
    }
}

static void turn_exif(unsigned turn, unsigned char *data, size_t bytes)
{
    tiff t = {data, bytes, false};
    if (bytes < 8 || (memcmp(data, "II*\0", 4) != 0 && memcmp(data, "MM\0*", 4) != 0)) {
        return; /* whatever it is, it stays */
    }
    t.big = data[0] == 'M';
    size_t count, more;
    unsigned char *entries = directory(&t, load(&t, data + 4, 4), &count);
    if (!entries) {
        return;
    }
    unsigned char *entry = find(&t, entries, count, TAG_ORIENTATION);
    if (entry && load(&t, entry + 2, 2) == TYPE_SHORT) {
        unsigned found = turned_orientation(turn, load(&t, entry + 8, 2));
        entry[8] = (unsigned char)(t.big ? found >> 8 : found & 0xff);
        entry[9] = (unsigned char)(t.big ? found & 0xff : found >> 8);
    }
    if (!(turn & MOVE_TRANSPOSE)) {
        return;
    }
    swap_entries(&t, entries, count, TAG_IMAGE_WIDTH, TAG_IMAGE_HEIGHT);
    swap_entries(&t, entries, count, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
    entry = find(&t, entries, count, TAG_EXIF_DIRECTORY);
    entries = entry ? directory(&t, load(&t, entry + 8, 4), &more) : NULL;
    if (entries) {
        swap_entries(&t, entries, more, TAG_WIDTH, TAG_HEIGHT);
        swap_entries(&t, entries, more, TAG_X_FOCAL_RESOLUTION, TAG_Y_FOCAL_RESOLUTION);
    }
}

/* The frequencies across change places with those down. */
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

void move_metadata(unsigned turn, satf_metadata *metadata)
{
    if ((turn & MOVE_TRANSPOSE) && metadata->has_resolution) {
        double x = metadata->resolution_x;
        metadata->resolution_x = metadata->resolution_y;
        metadata->resolution_y = x;
    }
    if (turn & MOVE_TRANSPOSE) {
        transpose_coding(&metadata->jpeg);
    }
    if (metadata->exif) {
        turn_exif(turn, metadata->exif, metadata->exif_bytes);
    }
}
