/* The list of tags that describe a picture, and blocks of them. */
#include "tags.h"

#include <string.h>

#include "exif.h"
#include "../numbers.h"
#include "../../base/memory.h"

static const struct {
    uint16_t tag;
    unsigned char kind;
} kinds[] = {
    {269, SATF_TAG_KEPT | SATF_TAG_TEXT}, /* DocumentName */
    {SATF_TAG_DESCRIPTION, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF},
    {271, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* Make */
    {272, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* Model */
    {SATF_TIFF_ORIENTATION, SATF_TAG_EXIF},
    {SATF_TAG_XRESOLUTION, SATF_TAG_EXIF},
    {SATF_TAG_YRESOLUTION, SATF_TAG_EXIF},
    {SATF_TAG_PAGE_NAME, SATF_TAG_KEPT | SATF_TAG_TEXT},
    {SATF_TAG_RESOLUTION_UNIT, SATF_TAG_EXIF},
    {SATF_TAG_PAGE_NUMBER, SATF_TAG_KEPT},
    {305, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* Software */
    {306, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* DateTime */
    {315, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* Artist */
    {316, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* HostComputer */
    {SATF_TAG_WHITE_POINT, SATF_TAG_KEPT | SATF_TAG_COLOUR},
    {SATF_TAG_PRIMARIES, SATF_TAG_KEPT | SATF_TAG_COLOUR},
    {18246, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* Rating */
    {18249, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* RatingPercent */
    {33432, SATF_TAG_KEPT | SATF_TAG_TEXT | SATF_TAG_EXIF}, /* Copyright */
    {33550, SATF_TAG_KEPT | SATF_TAG_GEO},                  /* ModelPixelScale */
    {33922, SATF_TAG_KEPT | SATF_TAG_GEO},                  /* ModelTiepoint */
    {34264, SATF_TAG_KEPT | SATF_TAG_GEO},                  /* ModelTransformation */
    {34735, SATF_TAG_KEPT | SATF_TAG_GEO},                  /* GeoKeyDirectory */
    {34736, SATF_TAG_KEPT | SATF_TAG_GEO},                  /* GeoDoubleParams */
    {34737, SATF_TAG_KEPT | SATF_TAG_GEO | SATF_TAG_TEXT},  /* GeoAsciiParams */
    {40091, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* XPTitle */
    {40092, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* XPComment */
    {40093, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* XPAuthor */
    {40094, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* XPKeywords */
    {40095, SATF_TAG_KEPT | SATF_TAG_EXIF},                 /* XPSubject */
    {42112, SATF_TAG_KEPT | SATF_TAG_TEXT},                 /* GDAL_METADATA */
    {SATF_TAG_NODATA, SATF_TAG_KEPT | SATF_TAG_TEXT},
    {50838, SATF_TAG_KEPT | SATF_TAG_STACK}, /* ImageJ's, how many bytes each has */
    {50839, SATF_TAG_KEPT | SATF_TAG_STACK}, /* ImageJ's */
    {50844, SATF_TAG_KEPT | SATF_TAG_GEO},   /* RPCCoefficient */
    {51123, SATF_TAG_KEPT | SATF_TAG_TEXT},  /* MicroManager's */
};

#define TAGS_LEAD(NAME, lead, IN) {lead, SATF_TAGS_##IN},
const satf_tags_lead satf_tags_leads[SATF_TAGS_DIRECTORIES] = {SATF_TAGS_LIST(TAGS_LEAD)};

/* In front of the values. */
typedef struct lead {
    uint64_t bytes;
    uint16_t directory, tag, type;
} lead;

static const unsigned char sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};

size_t satf_tag_type_bytes(unsigned type)
{
    return type < sizeof sizes ? sizes[type] : 0;
}

void satf_tag_order_values(bool msb, unsigned type, unsigned char *values, size_t bytes)
{
    enum { RATIONAL = 5, SRATIONAL = 10 };
    size_t unit = type == RATIONAL || type == SRATIONAL ? 4 : satf_tag_type_bytes(type);
    for (size_t i = 0; unit > 1 && i + unit <= bytes; i += unit) {
        io_store(values + i, msb ? io_load_big(values + i, unit) : io_load_little(values + i, unit),
                 unit);
    }
}

unsigned satf_tag_kind(unsigned tag)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].tag == tag) {
            return kinds[i].kind;
        }
    }
    return 0;
}

bool satf_tag_is_of(unsigned directory, unsigned tag)
{
    enum { FIRST_OF_EXIF = 0x8000, MOST_OF_GPS = 0x1f, MOST_OF_INTEROP = 0x1fff };
    bool leads = tag == SATF_TAG_EXIF_IFD || tag == SATF_TAG_GPS_IFD || tag == SATF_TAG_INTEROP_IFD;
    return directory == SATF_TAGS_PAGE   ? (satf_tag_kind(tag) & SATF_TAG_EXIF) != 0
           : directory == SATF_TAGS_EXIF ? tag >= FIRST_OF_EXIF && !leads
           : directory == SATF_TAGS_GPS  ? tag <= MOST_OF_GPS
                                         : tag <= MOST_OF_INTEROP;
}

bool satf_tag_is_structured(const satf_tag *tag)
{
    static const char *const leads[] = {"ImageJ=", "{\"shape\":", "<"};
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        size_t n = strlen(leads[i]);
        if (tag->bytes > n && memcmp(tag->values, leads[i], n) == 0) {
            return true;
        }
    }
    return false;
}

bool satf_tag_in_exif(const satf_tag *tag)
{
    enum { MOST_BYTES = 4096 }; /* a JPEG's EXIF has at most 64 KB in all */
    unsigned kind = satf_tag_kind(tag->tag);
    bool structured = tag->tag == SATF_TAG_DESCRIPTION && satf_tag_is_structured(tag);
    return (kind & SATF_TAG_EXIF) && tag->bytes <= MOST_BYTES && !structured;
}

bool satf_tags_next(const unsigned char *block, size_t bytes, size_t *at, satf_tag *tag)
{
    lead l;
    if (*at >= bytes) {
        return false;
    }
    memcpy(&l, block + *at, sizeof l);
    *tag = (satf_tag){l.directory, l.tag, l.type, (size_t)l.bytes, block + *at + sizeof l};
    *at += sizeof l + tag->bytes;
    return true;
}

bool satf_tags_find(const unsigned char *block, size_t bytes, unsigned directory, unsigned tag,
                    satf_tag *found)
{
    size_t at = 0;
    while (satf_tags_next(block, bytes, &at, found)) {
        if (found->directory == directory && found->tag == tag) {
            return true;
        }
    }
    return false;
}

satf_status satf_tags_add(satf_context *ctx, satf_tags *tags, const satf_tag *tag)
{
    lead l;
    bool open = tag->type == SATF_TAG_ASCII && tag->bytes > 0 && tag->values[tag->bytes - 1];
    size_t bytes = sizeof l + tag->bytes + open;
    if (tags->room - tags->bytes < bytes) {
        size_t room = 2 * tags->room + bytes;
        unsigned char *larger = satf_grow(tags->block, tags->bytes, room);
        if (!larger) {
            return satf_fail_memory(ctx, room, "a TIFF's tags");
        }
        tags->block = larger;
        tags->room = room;
    }
    memset(&l, 0, sizeof l);
    l.bytes = tag->bytes + open;
    l.directory = tag->directory;
    l.tag = tag->tag;
    l.type = tag->type;
    memcpy(tags->block + tags->bytes, &l, sizeof l);
    memcpy(tags->block + tags->bytes + sizeof l, tag->values, tag->bytes);
    if (open) {
        tags->block[tags->bytes + bytes - 1] = 0;
    }
    tags->bytes += bytes;
    return SATF_OK;
}

/* Leaves the tags that are kept, or those that are not to go. */
static size_t tags_filter(unsigned char *block, size_t bytes, unsigned kept, unsigned gone)
{
    size_t at = 0, from = 0, left = 0;
    satf_tag tag;
    while (satf_tags_next(block, bytes, &at, &tag)) {
        unsigned kind = tag.directory == SATF_TAGS_PAGE ? satf_tag_kind(tag.tag) : 0;
        if ((!kept || (kind & kept)) && !(kind & gone)) {
            memmove(block + left, block + from, at - from);
            left += at - from;
        }
        from = at;
    }
    return left;
}

size_t satf_tags_drop(unsigned char *block, size_t bytes, unsigned which)
{
    return tags_filter(block, bytes, 0, which);
}

size_t satf_tags_keep(unsigned char *block, size_t bytes)
{
    return tags_filter(block, bytes, SATF_TAG_KEPT, 0);
}
