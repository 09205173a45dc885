/*
 * Tags of a TIFF that describe its picture, and of its EXIF, as a block: tag by tag a lead, then
 * the values in the machine's byte order. Blocks are made here alone.
 */
#ifndef SATF_IO_META_TAGS_H
#define SATF_IO_META_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../base/context.h"

/* The directory that a tag stands in. */
#define SATF_TAGS_LIST(DIRECTORY)            \
    DIRECTORY(PAGE, 0, PAGE)                 \
    DIRECTORY(EXIF, SATF_TAG_EXIF_IFD, PAGE) \
    DIRECTORY(GPS, SATF_TAG_GPS_IFD, PAGE)   \
    DIRECTORY(INTEROP, SATF_TAG_INTEROP_IFD, EXIF)
#define SATF_TAGS_ENUM(NAME, lead, IN) SATF_TAGS_##NAME,
enum { SATF_TAGS_LIST(SATF_TAGS_ENUM) SATF_TAGS_DIRECTORIES };
#undef SATF_TAGS_ENUM

/* What becomes of a page's tag. */
enum {
    SATF_TAG_KEPT = 1,   /* from TIFF to TIFF */
    SATF_TAG_EXIF = 2,   /* EXIF's first directory has it too */
    SATF_TAG_TEXT = 4,   /* of type ASCII */
    SATF_TAG_GEO = 8,    /* says where on earth the pixels are */
    SATF_TAG_STACK = 16, /* ImageJ's, beside its description */
    SATF_TAG_COLOUR = 32 /* says what RGB means */
};

enum { SATF_TAG_ASCII = 2 }; /* a type */

enum {
    SATF_TAG_DESCRIPTION = 270,
    SATF_TAG_PAGE_NAME = 285,
    SATF_TAG_PAGE_NUMBER = 297,
    SATF_TAG_XRESOLUTION = 282,
    SATF_TAG_YRESOLUTION = 283,
    SATF_TAG_RESOLUTION_UNIT = 296,
    SATF_TAG_WHITE_POINT = 318,
    SATF_TAG_PRIMARIES = 319,
    SATF_TAG_EXIF_IFD = 34665,
    SATF_TAG_GPS_IFD = 34853,
    SATF_TAG_INTEROP_IFD = 40965,
    SATF_TAG_NODATA = 42113, /* GDAL's */
    SATF_TAG_IMAGEJ_COUNTS = 50838,
    SATF_TAG_IMAGEJ = 50839
};

/* More in the directories of EXIF together are damage. */
enum { SATF_TAGS_MOST = 256 };

typedef struct satf_tag {
    uint16_t directory, tag, type;
    size_t bytes;
    const unsigned char *values; /* of any alignment */
} satf_tag;

typedef struct satf_tags {
    unsigned char *block; /* owned (satf_alloc); NULL: there are none */
    size_t bytes, room;
} satf_tags;

/* The tag that leads to a directory, 0 to the page's, and the directory that it stands in. */
typedef struct satf_tags_lead {
    uint16_t tag, in;
} satf_tags_lead;
extern const satf_tags_lead satf_tags_leads[SATF_TAGS_DIRECTORIES];

/* Bytes of a value of that type; 0: it is none of TIFF 6.0. */
size_t satf_tag_type_bytes(unsigned type);

/* The values of a tag of that type, in the file's byte order, become those of the machine. msb: the
 * most significant byte comes first in the file. */
void satf_tag_order_values(bool msb, unsigned type, unsigned char *values, size_t bytes);

/* SATF_TAG_...; 0: it is not kept. */
unsigned satf_tag_kind(unsigned tag);

/* Does the tag, which is not one that leads to a directory, belong into one of EXIF's? */
bool satf_tag_is_of(unsigned directory, unsigned tag);

/* Does EXIF hold this tag of a page? Not long texts, nor what programs tell of a stack. */
bool satf_tag_in_exif(const satf_tag *tag);

/* Is the text one that programs read, which speaks of sides, channels or pages? */
bool satf_tag_is_structured(const satf_tag *tag);

/* The tag at *at, from 0 on, and *at behind it; false behind the last. */
bool satf_tags_next(const unsigned char *block, size_t bytes, size_t *at, satf_tag *tag);

/* The tag of that number; false: there is none. */
bool satf_tags_find(const unsigned char *block, size_t bytes, unsigned directory, unsigned tag,
                    satf_tag *found);

/* Adds a copy; a text without a zero at its end gets one. */
satf_status satf_tags_add(satf_context *ctx, satf_tags *tags, const satf_tag *tag);

/* Takes out the page's tags of any of these kinds, or all but the page's that are kept from TIFF to
 * TIFF. Returns how many bytes are left. */
size_t satf_tags_drop(unsigned char *block, size_t bytes, unsigned kinds);
size_t satf_tags_keep(unsigned char *block, size_t bytes);

/*
 * EXIF of tags: those of its directories, and of the page's what it holds. *exif becomes NULL
 * unless that says more than a resolution.
 */
satf_status satf_exif_of_tags(satf_context *ctx, const satf_tags *tags, unsigned char **exif,
                              size_t *bytes);

/* Adds EXIF's tags, but those of its thumbnail; nothing where tags is NULL. *damaged: some are not
 * whole, and left out. */
satf_status satf_exif_to_tags(satf_context *ctx, const unsigned char *exif, size_t bytes,
                              satf_tags *tags, bool *damaged);

/* Are all of its tags whole? */
bool satf_exif_is_whole(const unsigned char *exif, size_t bytes);

#endif
