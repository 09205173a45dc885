/* The inside of satf_image: pixels and what their file said about them. */
#ifndef SATF_BASE_IMAGE_H
#define SATF_BASE_IMAGE_H

#include "context.h"

/* How a JPEG was coded, so that it can be coded alike again. */
typedef struct satf_jpeg_coding {
    int components;           /* 1 or 3; 0: there was no such JPEG */
    bool progressive, rgb;    /* rgb: its colours were not transformed */
    unsigned char h[3], v[3]; /* sampling factors of the components */
    bool has_tables;
    uint16_t quant[3][64]; /* of each component, row by row */
} satf_jpeg_coding;

/* What PNG says of HDR pixels: their colours by code points (cICP), the display that they were made
 * for (mDCV) and how bright they are (cLLI). */
#define SATF_HDR_LIST(KIND) KIND(CICP, "cICP", 4) KIND(MDCV, "mDCV", 24) KIND(CLLI, "cLLI", 8)
#define SATF_HDR_ENUM(NAME, chunk, bytes) SATF_##NAME,
enum { SATF_HDR_LIST(SATF_HDR_ENUM) SATF_HDR_KINDS, SATF_HDR_BYTES = 24 };
#undef SATF_HDR_ENUM

/* What a picture file says besides its pixels. Every pointer is owned (satf_alloc)
 * and may be NULL. */
typedef struct satf_metadata {
    unsigned char *icc, *exif; /* ICC profile; EXIF as TIFF, without "Exif\0\0" */
    unsigned char *xmp, *iptc; /* XMP's packet; Photoshop's image resources, IPTC among them */
    size_t icc_bytes, exif_bytes, xmp_bytes, iptc_bytes;
    bool xmp_extended; /* the file had more XMP, which is not kept */
    bool has_gamma, has_srgb, has_chromaticities, has_resolution;
    double gamma;                      /* as in gAMA, e.g. 0.45455 */
    int srgb_intent;                   /* 0 ... 3 */
    double chromaticities[8];          /* white x y, red x y, green x y, blue x y */
    double resolution_x, resolution_y; /* pixels per unit */
    int resolution_unit; /* 0 unknown (aspect ratio), 1 metre; codecs convert theirs to these */
    bool has_hdr[SATF_HDR_KINDS];
    unsigned char hdr[SATF_HDR_KINDS][SATF_HDR_BYTES]; /* as in PNG's chunks */
    /* A PNG's text that is kept, chunk by chunk: length, name and data, as in the file. text_ahead
     * bytes of it stand in front of the pixels. */
    unsigned char *text;
    size_t text_bytes, text_ahead;
    satf_jpeg_coding jpeg;
    /* Tags of a TIFF's page (src/io/meta/tags.h), and what its file had: pages, and samples of a
     * pixel. */
    unsigned char *tags;
    size_t tags_bytes;
    int64_t tags_pages;
    unsigned tags_samples;
    bool webp_lossy;           /* it was a WebP that had lost something */
    unsigned tiff_compression; /* how a TIFF was coded, as its tag has it; 0: there was none */
} satf_metadata;

struct satf_image {
    satf_view view; /* of the host; packed, data owned (satf_alloc), but where it wraps: */
    bool wraps;     /* the caller's view, whose data stay the caller's */
    /* The possible range of the samples: 0 ... maxval for integers of a file,
     * and what filters make of it. Unknown (floats of a file): has_range false.
     * Alpha always ranges over 0 ... alpha_max. */
    bool has_range;
    double lo, hi;
    double alpha_max;
    /* The integer type that a picture of this image prefers: the input's depth
     * for means; SATF_U16 for real-valued results. A satf_type. */
    int picture_type;
    bool bilevel; /* u8 samples are 0 or 255: a picture of one bit a pixel can hold them */
    bool damaged; /* its file was, and has been read all the same */
    satf_metadata metadata;
};

/* satf_image_create() without zeroing, so that a file which only claims to be large does not get
 * memory before its pixels come. */
satf_status satf_image_create_unset(satf_context *ctx, int64_t width, int64_t height,
                                    int32_t channels, satf_type type, uint32_t flags,
                                    satf_image **out);

/* The image is the caller's: no budget counts it any more. NULL is allowed. */
void satf_image_disown(satf_image *image);

/* *to = a copy of the bytes, unless there are none. */
satf_status satf_copy_block(satf_context *ctx, const void *from, size_t bytes, unsigned char **to,
                            size_t *to_bytes);

/* Copies metadata; *to must be zeroed before. Nothing is owned on failure. */
satf_status satf_metadata_copy(satf_context *ctx, const satf_metadata *from, satf_metadata *to);

/* Takes out the small pictures of the whole that EXIF, XMP and Photoshop's resources hold: for when
 * its pixels change. */
void satf_metadata_drop_thumbnails(satf_metadata *metadata);

void satf_metadata_clear(satf_metadata *metadata);

#endif
