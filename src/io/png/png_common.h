/* The common ground of the PNG reader and writer: libpng's callbacks, and errors as messages. */
#ifndef SATF_IO_PNG_PNG_COMMON_H
#define SATF_IO_PNG_PNG_COMMON_H

#include <png.h>
#include <string.h>

#include "../codec.h"
#include "png_pixels.h"
#include "png_strips.h"

typedef struct io_png_state {
    satf_context *ctx;  /* of the call in progress */
    satf_status status; /* of an error that a callback has reported already */
    png_structp png;
    png_infop info;
    io_source *source;  /* reading */
    io_header *header;  /* the reader's */
    int64_t frames;     /* of an animation; 0: it is none */
    bool block_lost;    /* the one at hand is not kept */
    int64_t looked_to;  /* io_png_find_metadata() has taken what is in front of that */
    int64_t unpacked;   /* bytes of text */
    int64_t other_from; /* where what is no pixels begins in the source; -1: among the pixels */
    char warned[64];    /* names of chunks that libpng has found fault with */
    bool over_limit;    /* libpng has left out a chunk for its size */
    bool interlaced;
    png_byte palette[256][4]; /* red, green, blue and alpha; what is missing is black */
    int colours;              /* that it has; 0: pixels are no numbers of colours */
    int64_t chunk_left;       /* bytes of the chunk that libpng reads, its checksum included */
    bool seen;                /* the first IDAT has begun */
    uint32_t idat_bytes;      /* its data, if they are for `pixels` */
    const png_byte *stand_in; /* what libpng reads in their place; NULL: the source */
    io_png_pixels *pixels;    /* NULL: libpng makes the rows */
    io_writer *writer;        /* NULL: reading */
    io_png_strips *strips;
    uLong adler;    /* of the strips that are written */
    size_t text_at; /* how much of the text is written */
    bool exif_pending, xmp_pending,
        iptc_pending; /* known only after the pixels: goes behind them */
} io_png_state;

/* Callbacks for png_create_*_struct_2(); their user pointer is an io_png_state. */
png_voidp io_png_malloc(png_structp png, png_alloc_size_t bytes);
void io_png_free(png_structp png, png_voidp memory);
void io_png_warning(png_structp png, png_const_charp message);
_Noreturn void io_png_error(png_structp png, png_const_charp message);

bool io_png_probe(const unsigned char *head, size_t n);
satf_status io_png_open(satf_context *ctx, io_reader *reader);

#define IO_PNG_XMP_KEYWORD "XML:com.adobe.xmp"
#define IO_PNG_PROFILE_LEAD "Raw profile type " /* and which */
#define IO_PNG_IPTC_KEYWORD IO_PNG_PROFILE_LEAD "iptc"
enum { IO_PNG_HEAD_BYTES = 8 }; /* of a chunk: length and name */

/* tEXt, zTXt or iTXt. */
static inline bool io_png_is_text(const unsigned char *name)
{
    return memcmp(name + 1, "TXt", 3) == 0 || memcmp(name, "tEXt", 4) == 0;
}

/* Does it hold XMP, or an "exif", "xmp" or "iptc" as ImageMagick writes them? The beginning of the
 * data is enough: 32 bytes. */
bool io_png_is_block(const unsigned char *name, const unsigned char *chunk, size_t n);

/* Takes that, or notes that it is damaged. */
satf_status io_png_take_block(io_png_state *state, const unsigned char *name,
                              const unsigned char *chunk, size_t n);

/* Takes a chunk of text unless io_png_find_metadata() has taken it; keeps what is kept of other
 * text, and notes that there is some that is not. */
satf_status io_png_take_text(io_png_state *state, const unsigned char *name,
                             const unsigned char *chunk, size_t n);
/* The chunks of satf_metadata.hdr. */
typedef struct io_png_hdr {
    char name[5];
    unsigned char bytes; /* of its data */
} io_png_hdr;
extern const io_png_hdr io_png_hdrs[SATF_HDR_KINDS];

satf_status io_png_fail_metadata(satf_context *ctx);
satf_status io_png_find_metadata(satf_context *ctx, io_reader *reader);
satf_status io_png_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n);
void io_png_close(io_reader *reader);

#endif
