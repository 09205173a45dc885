/* Pictures for the tests of PNG, and as libpng writes them. */
#ifndef TEST_PNG_FILES_H
#define TEST_PNG_FILES_H

#include "test.h"
#include "chunks.h"

#include <png.h>

/* Waves with some grain: what a photograph is to filters and to deflate. */
static inline satf_image *make_photo(satf_context *ctx, int64_t width, int64_t height, int channels,
                                     satf_type type)
{
    satf_image *image =
        make_image(ctx, width, height, channels, type, channels % 2 ? 0 : SATF_ALPHA, 5);
    for (int64_t y = 0; y < height; y++) {
        uint8_t *row = satf_row(&image->view, y);
        for (int64_t i = 0; i < width * channels; i++) {
            int64_t x = i / channels, wave = (x * x / 97 + y * 3 + 40 * (i % channels)) / 4 % 128;
            uint16_t *wide = (uint16_t *)(void *)row + i;
            if (type == SATF_U8) {
                row[i] = (uint8_t)(wave + row[i] % 6);
            } else {
                *wide = (uint16_t)(wave * 400 + *wide % 700);
            }
        }
    }
    return image;
}

/* What a threshold makes: black and white alone, of which a plan knows. */
static inline satf_image *make_bilevel(satf_context *ctx, int64_t width, int64_t height)
{
    satf_image *image = make_image(ctx, width, height, 1, SATF_U8, 0, 13);
    for (int64_t i = 0; i < width * height; i++) {
        uint8_t *at = (uint8_t *)image->view.data + i;
        *at = *at < 128 ? 0 : 255;
    }
    image->bilevel = true;
    return image;
}

static inline satf_image *make_kind(satf_context *ctx, int kind, int64_t width, int64_t height)
{
    if (kind == 8) {
        return make_bilevel(ctx, width, height);
    }
    int channels = 1 + kind % 4;
    return make_image(ctx, width, height, channels, kind < 4 ? SATF_U8 : SATF_U16,
                      channels % 2 ? 0 : SATF_ALPHA, (uint64_t)(width * 100 + height));
}

static inline void append(png_structp png, png_bytep data, size_t n)
{
    append_bytes(png_get_io_ptr(png), data, n);
}

/* libpng's writer of a file in memory, its header set. */
static inline png_structp write_by_libpng(bytes *file, png_infop *info, int64_t width,
                                          int64_t height, int depth, int colour, bool interlaced)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    *info = png_create_info_struct(png);
    png_set_write_fn(png, file, append, NULL);
    png_set_IHDR(png, *info, (png_uint_32)width, (png_uint_32)height, depth, colour,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    return png;
}

/* One of the kinds of PNG that the library reads and does not write. */
typedef struct png_case {
    int colour, depth;
    bool interlaced, transparent;
} png_case;

enum { PNG_SIDE = 11 };

/* The packed file sample at (x, y, c), of so many bits. */
static inline unsigned png_sample(int x, int y, int c, int depth)
{
    unsigned v = (unsigned)(x * 7919 + y * 104729 + c * 1299709) * 2654435761u >> 8;
    return v & ((1u << depth) - 1);
}

/* A square of such pixels, by libpng. */
static inline bytes make_png(const png_case *k)
{
    static const int channels_of[] = {1, 0, 3, 1, 2, 0, 4};
    bytes file = {0};
    png_infop info;
    png_structp png =
        write_by_libpng(&file, &info, PNG_SIDE, PNG_SIDE, k->depth, k->colour, k->interlaced);
    if (k->colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        png_byte alpha[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = (png_color){(png_byte)(255 - i), (png_byte)(i * 3), (png_byte)(i ^ 85)};
            alpha[i] = (png_byte)(i * 5);
        }
        png_set_PLTE(png, info, palette, 1 << k->depth);
        if (k->transparent) {
            png_set_tRNS(png, info, alpha, 1 << k->depth, NULL);
        }
    } else if (k->transparent) {
        png_color_16 key = {0, (png_uint_16)png_sample(3, 4, 0, k->depth),
                            (png_uint_16)png_sample(3, 4, 1, k->depth),
                            (png_uint_16)png_sample(3, 4, 2, k->depth),
                            (png_uint_16)png_sample(3, 4, 0, k->depth)};
        png_set_tRNS(png, info, NULL, 0, &key);
    }
    png_write_info(png, info);
    unsigned char rows[PNG_SIDE][PNG_SIDE * 8];
    png_bytep pointers[PNG_SIDE];
    memset(rows, 0, sizeof rows);
    int channels = channels_of[k->colour];
    for (int y = 0; y < PNG_SIDE; y++) {
        pointers[y] = rows[y];
        for (int i = 0; i < PNG_SIDE * channels; i++) {
            unsigned v = png_sample(i / channels, y, i % channels, k->depth);
            int bit = i * k->depth;
            if (k->depth == 16) {
                rows[y][2 * i] = (unsigned char)(v >> 8);
                rows[y][2 * i + 1] = (unsigned char)v;
            } else {
                rows[y][bit / 8] |= (unsigned char)(v << (8 - k->depth - bit % 8));
            }
        }
    }
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

/* The picture as libpng writes it at that level with these filters (0: its own choice), one row
 * after the other, in chunks of so many bytes; with our strategy at level 1. */
static inline bytes by_libpng_as(const satf_image *image, int level, int filters,
                                 size_t chunk_bytes)
{
    const satf_view *v = &image->view;
    static const int colours[] = {0, 0, 4, 2, 6};
    bytes file = {0};
    png_infop info;
    int depth = image->bilevel ? 1 : v->type == SATF_U16 ? 16 : 8;
    png_structp png =
        write_by_libpng(&file, &info, v->width, v->height, depth, colours[v->channels], false);
    assert_int_equal(setjmp(png_jmpbuf(png)), 0);
    png_set_compression_level(png, level);
    png_set_compression_buffer_size(png, chunk_bytes);
    if (filters) {
        png_set_filter(png, 0, filters);
    }
    if (level == 1) {
        png_set_compression_strategy(png, Z_RLE);
    }
    png_write_info(png, info);
    if (image->bilevel) {
        png_set_packing(png);
    }
    png_set_swap(png);
    for (int64_t y = 0; y < v->height; y++) {
        png_write_row(png, satf_row(v, y));
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

/* With the filters that we take. */
static inline bytes by_libpng(const satf_image *image, int level)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_UP};
    return by_libpng_as(image, level, level < 2 ? filters[level] : 0, 64 << 10);
}

static inline bytes encode_at(satf_context *ctx, const satf_image *image, int level)
{
    satf_write_options options = options_for("png");
    options.png_level = level;
    return must_encode_with(ctx, image, &options);
}

#endif
