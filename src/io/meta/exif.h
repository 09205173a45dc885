/*
 * EXIF is a TIFF file: directories of entries of twelve bytes (tag, type, count, value or
 * where it is). Nothing here reads or writes outside the block, whatever it says.
 */
#ifndef SATF_IO_META_EXIF_H
#define SATF_IO_META_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct satf_tiff {
    unsigned char *data;
    size_t bytes;
    bool big; /* its byte order */
} satf_tiff;

enum {
    SATF_TIFF_ENTRY_BYTES = 12,
    SATF_TIFF_SHORT = 3, /* types */
    SATF_TIFF_LONG = 4,
    SATF_TIFF_ORIENTATION = 0x0112 /* a tag */
};

/* False if it does not begin like a TIFF file. */
bool satf_tiff_open(unsigned char *data, size_t bytes, satf_tiff *tiff);

/* An unsigned integer of n bytes, at most 4; the caller has checked that they are there. */
uint32_t satf_tiff_load(const satf_tiff *t, const unsigned char *at, int n);
void satf_tiff_store(const satf_tiff *t, unsigned char *at, int n, uint32_t value);

/* The directory at `offset`: its entries, whose number *count becomes as far as they are there;
 * NULL if it is not. */
unsigned char *satf_tiff_directory(const satf_tiff *t, uint32_t offset, size_t *count);

/* The first directory. */
unsigned char *satf_tiff_first(const satf_tiff *t, size_t *count);

/* The entry of that tag, or NULL. */
unsigned char *satf_tiff_find(const satf_tiff *t, unsigned char *entries, size_t count,
                              unsigned tag);

/* EXIF's orientation, 1 ... 8; 1 where it says nothing. */
unsigned satf_exif_orientation(const unsigned char *exif, size_t bytes);

/* EXIF's resolution: pixels per metre, *unit = 1, or per a unit that is not known, *unit = 0. False
 * where it says nothing. */
bool satf_exif_resolution(const unsigned char *exif, size_t bytes, double *x, double *y, int *unit);

/* Does EXIF say more than the orientation, the resolution, and when and by what program the file
 * was written? */
bool satf_exif_says_more(const unsigned char *exif, size_t bytes);

/* Does it hold notes of a camera's maker whose offsets are, for all that is known, those of the
 * whole block? They are wrong once the notes have another place in it. */
bool satf_exif_has_placed_notes(const unsigned char *exif, size_t bytes);

enum { SATF_EXIF_ORIENTATION_BYTES = 26 };

/* A block that says nothing but the orientation. */
void satf_exif_make_orientation(unsigned orientation,
                                unsigned char exif[SATF_EXIF_ORIENTATION_BYTES]);

/*
 * Takes the thumbnails out of EXIF: the link to the second directory, that directory and those
 * behind it, the pictures that they name, and whatever else in the block is a JPEG. Bytes are
 * zeroed where they stand, for other offsets must stay; at the block's end they go. Returns how
 * many bytes are left.
 */
size_t satf_exif_drop_thumbnails(unsigned char *exif, size_t bytes);

/* Zeroes every JPEG that begins in the block. */
void satf_blank_jpegs(unsigned char *block, size_t bytes);

#endif
