/* Files in memory that are made anew for stb_image, where it would take them wrongly. */
#ifndef SATF_IO_STB_STB_FILE_H
#define SATF_IO_STB_STB_FILE_H

#include "../codec.h"

typedef struct stb_file {
    const unsigned char *data;
    size_t bytes;
    void *owned;          /* NULL unless data is, or lies within, an allocation of its own */
    bool misses_colours;  /* pixels name colours that the palette lacks */
    int32_t per_metre[2]; /* pixels, across and down; 0: nothing is said */
} stb_file;

static inline uint32_t stb_little(const unsigned char *at, int bytes)
{
    return (uint32_t)io_load_little(at, (size_t)bytes);
}

/* Memory for a file made anew, all zeros, or NULL and *status. */
static inline unsigned char *stb_file_alloc(satf_context *ctx, size_t bytes, satf_status *status)
{
    *status = io_check_bytes(ctx, bytes);
    unsigned char *out = *status ? NULL : satf_alloc_zeroed(bytes);
    if (!*status && !out) {
        *status = satf_fail_memory(ctx, bytes, "a picture's file");
    }
    return out;
}

static inline void stb_file_replace(stb_file *file, unsigned char *data, size_t bytes)
{
    satf_free(file->owned);
    file->data = file->owned = data;
    file->bytes = bytes;
}

/* A BMP becomes one with a whole palette or with masks in its header, and with its pixels, which
 * are run lengths no more, right behind those. SATF_UNSUPPORTED: it has something that stb_image
 * does not read. */
satf_status io_bmp_prepare(satf_context *ctx, stb_file *file);

/* Pixels that lie in a BMP as run lengths. */
typedef struct stb_runs {
    size_t width, rows; /* of the picture */
    unsigned depth;     /* bits of a pixel in the file: 4, 8 or 24 */
    size_t stride;      /* from row to row of what they become */
} stb_runs;

/* The n bytes at `in` become rows, in the file's order, of a byte a pixel, or three where depth is
 * 24. Pixels that are left out keep what is at `out`. */
satf_status io_bmp_unpack(satf_context *ctx, const unsigned char *in, size_t n, const stb_runs *of,
                          unsigned char *out);

/* A TGA's colour map becomes one from number 0 on; one that no pixel uses is left out. */
satf_status io_tga_prepare(satf_context *ctx, stb_file *file);

#endif
