/* The state of a TIFF that is being read. Read this file first, then tiff_read.c. */
#ifndef SATF_IO_TIFF_TIFF_COMMON_H
#define SATF_IO_TIFF_TIFF_COMMON_H

#include <setjmp.h>
#include <tiffio.h>

#include "../module_side.h"

/* How a chunk, some rows that are decoded together, comes out of the file. */
typedef enum io_tiff_way {
    IO_TIFF_PLAIN,     /* the file has the rows as they are: no more than a row is taken */
    IO_TIFF_SCANLINES, /* libtiff decodes row by row */
    IO_TIFF_STRIPS,    /* strip by strip, one of each plane */
    IO_TIFF_TILES,     /* a row of tiles, of each plane */
    IO_TIFF_BLOCKS     /* a strip or a row of tiles, of YCbCr that shares chroma: becomes RGB */
} io_tiff_way;

/* What a pixel's colour samples are. */
typedef enum io_tiff_colour {
    IO_TIFF_GREY,
    IO_TIFF_WHITE_IS_ZERO,
    IO_TIFF_RGB,
    IO_TIFF_CMYK,
    IO_TIFF_YCBCR, /* no pixels share their chroma */
    IO_TIFF_LAB,
    IO_TIFF_ICC_LAB, /* a* and b* begin at -128 */
    IO_TIFF_PALETTE
} io_tiff_colour;

typedef enum io_tiff_alpha {
    IO_TIFF_NO_ALPHA,
    IO_TIFF_STRAIGHT,
    IO_TIFF_PREMULTIPLIED
} io_tiff_alpha;

/* YCbCr that libtiff does not make RGB. */
typedef struct io_tiff_ycbcr {
    unsigned width, height;             /* of the pixels that share their chroma; 0: none do */
    double luma[3];                     /* what red, green and blue add to it */
    double y[256], red[256], blue[256]; /* luma, and what chroma adds to it, of each code */
} io_tiff_ycbcr;

typedef struct io_tiff_state {
    satf_context *ctx; /* of the call in progress */
    TIFF *tif;
    io_source *source; /* the file, or `whole` */
    io_source whole;   /* of a pipe, which is taken whole */
    void *owned;
    uint64_t *page_at; /* the pages' directories; of another reader's state unless owns_pages */
    int64_t page_count, page_room;
    bool owns_pages;
    int64_t at; /* where libtiff reads next */
    /* The members below are the page's. */
    uint64_t taken;     /* bytes that libtiff has read */
    bool in_pixels;     /* a warning is damage then */
    bool warned;        /* in the pixels */
    bool passed_over;   /* bytes of the pixels were */
    int64_t bad_lines;  /* of a fax */
    int64_t bad_code;   /* one of these, from 1 on, that has just been counted; 0: none */
    satf_status status; /* of a read that has failed */
    jmp_buf *escape;    /* out of libtiff, while it decodes; else NULL */
    char message[160];  /* libtiff's first one of pixels, its last one of the tags */
    satf_charge charge; /* of what libtiff allocates */
    int64_t width, height;
    unsigned bits, samples, planes; /* samples: of a pixel in the file, extra ones included */
    bool floats, has_sign;          /* has_sign: integers have one */
    bool tiled;
    unsigned compression;
    io_tiff_colour colour;
    io_tiff_alpha alpha;
    unsigned colours; /* samples of a pixel's colour in the file, which come first */
    unsigned char palette[256][3];
    io_tiff_ycbcr ycbcr;
    io_tiff_way way;
    int64_t chunk_rows; /* of the largest chunk, but the way of plain rows and scanlines: 1 */
    int64_t chunk_first, chunk_count; /* the rows that are in it */
    size_t row_bytes;                 /* of a plane's row in the chunk */
    unsigned char *chunk;             /* plane by plane */
    unsigned char *tile;              /* of the ways of tiles and blocks: one tile or strip */
    unsigned char *row; /* one row's samples, unpacked to the output's type, all of a pixel's */
} io_tiff_state;

static inline bool io_tiff_is_fax(const io_tiff_state *t)
{
    return t->compression == COMPRESSION_CCITTRLE || t->compression == COMPRESSION_CCITTRLEW ||
           t->compression == COMPRESSION_CCITTFAX3 || t->compression == COMPRESSION_CCITTFAX4;
}

/* The number of times that libtiff has been out of memory. (tiff_memory.c) */
unsigned io_tiff_lacks(void);

/* The status of calls of libtiff, before which that number was so. */
static inline satf_status io_tiff_settle(satf_context *ctx, unsigned lacks, satf_status status)
{
    return status || lacks == io_tiff_lacks()
               ? status
               : satf_fail(ctx, SATF_NO_MEMORY, "libtiff is out of memory");
}

/* Fails with what libtiff has said, or with why a read has failed. */
satf_status io_tiff_fail(const io_tiff_state *t);

/* The bytes of all rows as chunks have them. */
static inline uint64_t io_tiff_picture_bytes(const io_tiff_state *t)
{
    return (uint64_t)t->row_bytes * t->planes * (uint64_t)t->height;
}

/* The row of that number, as the chunk has it, of that plane. */
static inline const unsigned char *io_tiff_chunk_row(const io_tiff_state *t, int64_t y,
                                                     unsigned plane)
{
    int64_t row = (int64_t)plane * t->chunk_rows + (y - t->chunk_first);
    return t->chunk + row * (int64_t)t->row_bytes;
}

/* How a file's numbers stand in it. */
typedef struct io_tiff_layout {
    bool msb; /* the most significant byte comes first */
    bool big; /* it is a BigTIFF */
} io_tiff_layout;

/* An entry of a directory. */
typedef struct io_tiff_found {
    unsigned tag, type;
    uint64_t count;
    const unsigned char *first; /* the entry's last bytes, 4 or 8 */
    uint64_t at;                /* where they are in the file */
} io_tiff_found;

/* A number of 2, 4 or 8 bytes, as it stands in the file. */
uint64_t io_tiff_number(const io_tiff_layout *l, const unsigned char *at, size_t bytes);

/* Bytes of the file; false: they are not all there. */
bool io_tiff_look(const io_tiff_state *t, uint64_t at, void *to, size_t bytes);

/* The first directory's offset; 0: there is none. */
uint64_t io_tiff_read_lead(const io_tiff_state *t, io_tiff_layout *l);

/* Gives the directory's entries to `take`, until that returns false. *next: where the next one is;
 * 0: it is the last. False: the file ends in it, or `take` has returned so. */
bool io_tiff_walk(const io_tiff_state *t, const io_tiff_layout *l, uint64_t at,
                  bool (*take)(void *user, const io_tiff_layout *l, const io_tiff_found *entry),
                  void *user, uint64_t *next);

/* The tags that describe the picture, EXIF's among them. */
satf_status io_tiff_read_block(io_tiff_state *t, io_header *header);

/* Lists the pages' directories. */
satf_status io_tiff_find_pages(io_tiff_state *t);

/* Decides which way the chunks come, and takes memory for one. */
satf_status io_tiff_start(io_tiff_state *t, io_header *header);

/* Row y into the chunk. */
satf_status io_tiff_decode(io_tiff_state *t, int64_t y);

/* Row y, which is in the chunk, becomes a row of the picture. */
void io_tiff_convert(const io_tiff_state *t, const satf_view *view, int64_t y, void *dst);

/* Sets the format's functions that write (tiff_write.c). */
void io_tiff_writing(io_format *format);

/* Finds out whether the lines of COMPRESSION_CCITTFAX3 have ends. */
void io_tiff_fax_start(io_tiff_state *t);

/* Before and after libtiff decodes rows of a fax: did it find the picture's end in a bad line? It
 * says so of no other. */
void io_tiff_fax_mark(const io_tiff_state *t, unsigned char *rows, size_t bytes);
bool io_tiff_fax_is_cut(const io_tiff_state *t, const unsigned char *last_row, size_t bytes);

/* Is what libtiff says, whose format mostly is "%s at line ...", about a fax's line behind which
 * the next one is read? Counts the line. */
bool io_tiff_fax_goes_on(io_tiff_state *t, const char *format, va_list args);

/* Reads what the tags say of YCbCr, which becomes RGB. */
satf_status io_tiff_ycbcr_start(io_tiff_state *t);

void io_tiff_ycbcr_to_rgb(const io_tiff_ycbcr *k, unsigned char y, unsigned char cb,
                          unsigned char cr, unsigned char rgb[3]);

/* The bytes of so many rows of blocks. */
uint64_t io_tiff_ycbcr_bytes(const io_tiff_state *t, uint64_t width, uint64_t rows);

/* t->tile, blocks of that many pixels a row, into the chunk's rows from column x on. */
void io_tiff_ycbcr_spread(const io_tiff_state *t, int64_t x, int64_t width);

/* Lab, which becomes RGB, one pixel by the other function: v[0] to v[2]. */
satf_status io_tiff_lab_start(io_tiff_state *t, bool icc);
void io_tiff_lab_to_rgb(const io_tiff_state *t, uint64_t v[3], uint64_t max);

/* Reads what the tags say besides the pixels. */
satf_status io_tiff_metadata(io_tiff_state *t, io_header *header);

#endif
