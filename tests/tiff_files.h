/* TIFFs of any kind in memory, as libtiff writes them. */
#ifndef TESTS_TIFF_FILES_H
#define TESTS_TIFF_FILES_H

#include "test.h"
#include "tiff_tags.h"

#include <sys/mman.h>
#include <tiffio.h>

/* The file that was made last. */
static struct memory {
    unsigned char data[1 << 22];
    size_t n;
} file;
static int file_fd;

/* ---------------------------------------------------------------------- kinds */

typedef struct kind {
    unsigned bits, format; /* SAMPLEFORMAT_... */
    unsigned photometric, samples;
    int extra; /* EXTRASAMPLE_... of the last sample; -1: no such tag */
    unsigned planar, compression, order;
    bool tiled;
    const char *mode;
    uint32_t width, height, rows;
} kind;

static inline const char *name_of(const kind *k)
{
    static char text[160];
    snprintf(text, sizeof text,
             "%u bits (%u), photometric %u, %u samples, extra %d, planar %u, compression %u, order "
             "%u, %s, mode %s, %u x %u",
             k->bits, k->format, k->photometric, k->samples, k->extra, k->planar, k->compression,
             k->order, k->tiled ? "tiles" : "strips", k->mode, k->width, k->height);
    return text;
}

/* Sample c of pixel (x, y), as bits; halves, floats and doubles are finite. */
static inline uint64_t sample(const kind *k, uint32_t x, uint32_t y, unsigned c)
{
    uint64_t seed =
        ((uint64_t)y << 40 | (uint64_t)x << 8 | c) * 0x9e3779b97f4a7c15ULL + 88172645463325252ULL;
    uint64_t r = next_random(&seed);
    r = next_random(&seed) ^ r >> 7;
    if (k->format == SAMPLEFORMAT_IEEEFP) {
        r &= k->bits == 16   ? 0xbbff
             : k->bits == 32 ? 0xbfbfffff
                             : 0xbfefffffffffffff; /* exponents below the largest */
    }
    return k->bits == 64 ? r : r & (((uint64_t)1 << k->bits) - 1);
}

/* n samples of a row from (x, y), channel c alone or, below 0, all, packed as TIFF says, in the
 * machine's byte order. Beyond the picture they are 0. */
static inline void pack(const kind *k, uint32_t x, uint32_t y, uint32_t n, int c, unsigned char *to)
{
    unsigned first = c < 0 ? 0 : (unsigned)c, last = c < 0 ? k->samples : first + 1;
    size_t bit = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned s = first; s < last; s++, bit += k->bits) {
            uint64_t v = x + i < k->width && y < k->height ? sample(k, x + i, y, s) : 0;
            if (k->bits % 8 == 0) {
                memcpy(to + bit / 8, &v, k->bits / 8);
            }
            for (unsigned b = 0; b < k->bits && k->bits % 8; b++) {
                unsigned char mask = (unsigned char)(0x80 >> (bit + b) % 8);
                bool set = v >> (k->bits - 1 - b) & 1;
                to[(bit + b) / 8] = (unsigned char)((to[(bit + b) / 8] & ~mask) | (set ? mask : 0));
            }
        }
    }
}

enum { TILE = 16 };

static inline void write_parts(const kind *k, TIFF *tif, int c)
{
    static unsigned char room[1 << 16];
    if (!k->tiled) {
        for (uint32_t y = 0; y < k->height; y++) {
            pack(k, 0, y, k->width, c, room);
            assert_int_equal(TIFFWriteScanline(tif, room, y, c < 0 ? 0 : (uint16_t)c), 1);
        }
        return;
    }
    tmsize_t row = TIFFTileRowSize(tif);
    for (uint32_t y = 0; y < k->height; y += TILE) {
        for (uint32_t x = 0; x < k->width; x += TILE) {
            for (uint32_t i = 0; i < TILE; i++) {
                pack(k, x, y + i, TILE, c, room + (tmsize_t)i * row);
            }
            assert_true(TIFFWriteTile(tif, room, x, y, 0, c < 0 ? 0 : (uint16_t)c) > 0);
        }
    }
}

/* The colours of a palette: 16 bits each. */
static inline uint16_t ramp(unsigned i, unsigned c)
{
    return (uint16_t)(((i * 97 + c * 57 + 3) & 255) * 257);
}

static inline void write_palette(TIFF *tif, unsigned bits)
{
    static uint16_t map[3][512];
    for (unsigned i = 0; i < 512; i++) {
        for (unsigned c = 0; c < 3; c++) {
            map[c][i] = ramp(i & ((1u << bits) - 1), c);
        }
    }
    TIFFSetField(tif, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
}

enum { NO_PHOTOMETRIC = 99 };

static inline void set_tags(const kind *k, TIFF *tif)
{
    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, k->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, k->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, k->bits);
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, k->samples);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, k->format);
    if (k->photometric != NO_PHOTOMETRIC) {
        TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, k->photometric);
    }
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, k->planar);
    TIFFSetField(tif, TIFFTAG_COMPRESSION, k->compression);
    TIFFSetField(tif, TIFFTAG_FILLORDER, k->order);
    if (k->tiled) {
        TIFFSetField(tif, TIFFTAG_TILEWIDTH, TILE);
        TIFFSetField(tif, TIFFTAG_TILELENGTH, TILE);
    } else {
        TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, k->rows);
    }
    if (k->extra >= 0) {
        uint16_t extra = (uint16_t)k->extra;
        TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, 1, &extra);
    }
    if (k->photometric == PHOTOMETRIC_PALETTE) {
        write_palette(tif, k->bits);
    }
}

/* A TIFF to be written, ended by finish(). */
static inline TIFF *create(const kind *k)
{
    file_fd = memfd_create("tiff", 0);
    TIFF *tif = TIFFFdOpen(dup(file_fd), "memory", k->mode);
    assert_non_null(tif);
    set_tags(k, tif);
    return tif;
}

static inline void finish(TIFF *tif)
{
    TIFFClose(tif);
    ssize_t n = pread(file_fd, file.data, sizeof file.data, 0);
    assert_in_range(n, 8, sizeof file.data - 1);
    file.n = (size_t)n;
    close(file_fd);
}

static inline void write_samples(const kind *k, TIFF *tif)
{
    bool planes = k->planar == PLANARCONFIG_SEPARATE;
    for (int c = 0; c < (planes ? (int)k->samples : 1); c++) {
        write_parts(k, tif, planes ? c : -1);
    }
    finish(tif);
}

static inline void make_file(const kind *k)
{
    write_samples(k, create(k));
}

/* Of one strip, whose bytes these are as they are stored. */
static inline void make_strip(const kind *k, const void *data, size_t n)
{
    TIFF *tif = create(k);
    assert_int_equal(TIFFWriteRawStrip(tif, 0, (void *)(uintptr_t)data, (tmsize_t)n), n);
    finish(tif);
}

#pragma GCC diagnostic ignored "-Woverride-init"
#define PLAIN                                                                             \
    .bits = 8, .format = SAMPLEFORMAT_UINT, .photometric = PHOTOMETRIC_RGB, .samples = 3, \
    .extra = -1, .planar = PLANARCONFIG_CONTIG, .compression = COMPRESSION_LZW,           \
    .order = FILLORDER_MSB2LSB, .mode = "wl", .width = 20, .height = 30, .rows = 8
static const kind plain = {PLAIN};
/* It, but for this: KIND(.bits = 16). */
#define KIND(...) ((kind){PLAIN, __VA_ARGS__})
#define GREY .photometric = PHOTOMETRIC_MINISBLACK, .samples = 1

/* The first page's entry of a little-endian file: tag, type, count and value. */
static inline unsigned char *find_tag(uint16_t which)
{
    parts p = take_apart(file.data, file.n);
    size_t at = find_entry(&p, first_directory(&p), which);
    if (!at) {
        fail_msg("the file has no tag %u", which);
    }
    return file.data + at;
}

/* The tag, a SHORT of a little-endian file, has another value. */
static inline void claim(uint16_t which, uint16_t value)
{
    unsigned char *at = find_tag(which);
    at[8] = (unsigned char)value;
    at[9] = (unsigned char)(value >> 8);
}

typedef long double (*meant)(const void *user, uint32_t x, uint32_t y, unsigned c);

/* The file is such a picture, whose samples are want(user, ...), give or take `by`; alpha is exact.
 */
static inline void expect_samples(satf_context *ctx, const char *what, satf_view like, meant want,
                                  const void *user, double by)
{
    SCOPED_IMAGE *image;
    if (satf_image_decode(ctx, file.data, file.n, &image)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
    const satf_view *v = &image->view;
    if (v->width != like.width || v->height != like.height || v->channels != like.channels ||
        v->type != like.type || v->flags != like.flags) {
        fail_msg("%s: is %d x %d x %d, type %d, flags %u", what, (int)v->width, (int)v->height,
                 v->channels, v->type, v->flags);
    }
    for (size_t s = 0; s < (size_t)(v->width * v->height * v->channels); s++) {
        unsigned c = (unsigned)(s % (size_t)v->channels);
        uint32_t pixel = (uint32_t)(s / (size_t)v->channels), wide = (uint32_t)v->width;
        long double should = want(user, pixel % wide, pixel / wide, c), is = sample_of(v, s);
        bool alpha = v->flags & SATF_ALPHA && (int)c == v->channels - 1;
        if (!(fabsl(is - should) <= (alpha ? 0 : by))) {
            fail_msg("%s: (%u, %u), channel %u is %Lg, should be %Lg", what, pixel % wide,
                     pixel / wide, c, is, should);
        }
    }
}

/* A view of the kind's size. */
static inline satf_view view_like(const kind *k, int channels, satf_type type, bool alpha)
{
    satf_view view = satf_view_packed(NULL, k->width, k->height, channels, type);
    view.flags = alpha ? SATF_ALPHA : 0;
    return view;
}

/* The file is not read, for that reason. */
static inline void must_refuse(satf_context *ctx, satf_status wanted, const char *words)
{
    satf_image *image;
    satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
    if (status != wanted || !strstr(satf_message(ctx), words)) {
        fail_msg("'%s' lacks '%s'", status ? satf_message(ctx) : "is read", words);
    }
}

#endif
