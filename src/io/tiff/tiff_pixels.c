/* TIFF's samples become a row of a picture: unpacked, with colours that are light, and alpha that
 * is straight. */
#include <string.h>

#include "../../formula/adapt.h"
#include "tiff_common.h"

/* ------------------------------------------------------------------ unpacking */

/* Samples of other sizes than whole bytes, the first one in a byte's upper bits. Those of less than
 * 8 bits are spread over 0 ... 255, unless they number colours. */
static void unpack_bits(const unsigned char *in, size_t n, unsigned bits, bool spread, void *out)
{
    uint64_t held = 0, max = ((uint64_t)1 << bits) - 1;
    unsigned count = 0;
    for (size_t i = 0; i < n; i++) {
        for (; count < bits; count += 8) {
            held = held << 8 | *in++;
        }
        count -= bits;
        uint64_t v = held >> count & max;
        if (bits > 16) {
            ((uint32_t *)out)[i] = (uint32_t)v;
        } else if (bits > 8) {
            ((uint16_t *)out)[i] = (uint16_t)v;
        } else {
            ((unsigned char *)out)[i] = (unsigned char)(spread ? (v * 255 + max / 2) / max : v);
        }
    }
}

/* Integers of 24 bits, in the machine's byte order. */
static void widen_triples(const io_tiff_state *t, const unsigned char *in, size_t n, void *out)
{
    bool big = TIFFIsBigEndian(t->tif) != TIFFIsByteSwapped(t->tif); /* the machine */
    for (size_t i = 0; i < n; i++) {
        uint32_t v = 0;
        memcpy((unsigned char *)&v + big, in + 3 * i, 3);
        ((uint32_t *)out)[i] = v;
    }
}

/* n samples, of the picture's type afterwards. */
static void tiff_unpack(const io_tiff_state *t, const unsigned char *in, size_t n, size_t size,
                        void *out)
{
    if (t->bits == 24) {
        widen_triples(t, in, n, out);
    } else if (t->bits == 8 * size) {
        memcpy(out, in, n * size);
    } else {
        unpack_bits(in, n, t->bits, t->colour != IO_TIFF_PALETTE, out);
    }
}

/* Row y's samples, pixel by pixel. */
static void tiff_gather(const io_tiff_state *t, int64_t y, size_t width, size_t size)
{
    if (t->planes == 1) {
        tiff_unpack(t, io_tiff_chunk_row(t, y, 0), width * t->samples, size, t->row);
        return;
    }
    unsigned char *one = t->row + width * t->samples * size; /* room for a plane's row */
    for (unsigned p = 0; p < t->planes; p++) {
        tiff_unpack(t, io_tiff_chunk_row(t, y, p), width, size, one);
        for (size_t x = 0; x < width; x++) {
            memcpy(t->row + (x * t->samples + p) * size, one + x * size, size);
        }
    }
}

/* -------------------------------------------------------------------- colours */

/* A colour that has been multiplied by alpha, before that. */
static inline uint64_t divide_by_alpha(uint64_t c, uint64_t a, uint64_t max)
{
    return a == 0 ? 0 : c >= a ? max : (uint64_t)(((unsigned __int128)c * max + a / 2) / a);
}

/* A pixel's light, of what its samples are, divided by alpha where they had been multiplied: v[0]
 * to v[2]. Returns the number of colours. */
static inline size_t find_light(const io_tiff_state *t, uint64_t v[4], uint64_t max)
{
    unsigned char rgb[3];
    switch (t->colour) {
    case IO_TIFF_WHITE_IS_ZERO:
        v[0] = max - v[0];
        return 1;
    case IO_TIFF_PALETTE:
        for (size_t c = 3; c-- > 0;) {
            v[c] = t->palette[v[0]][c];
        }
        return 3;
    case IO_TIFF_CMYK:
        for (size_t c = 0; c < 3; c++) {
            v[c] = io_ink_to_light((unsigned)(max - v[c]), (unsigned)(max - v[3]), (unsigned)max);
        }
        return 3;
    case IO_TIFF_YCBCR:
        io_tiff_ycbcr_to_rgb(&t->ycbcr, (unsigned char)v[0], (unsigned char)v[1],
                             (unsigned char)v[2], rgb);
        for (size_t c = 0; c < 3; c++) {
            v[c] = rgb[c];
        }
        return 3;
    case IO_TIFF_LAB:
    case IO_TIFF_ICC_LAB:
        io_tiff_lab_to_rgb(t, v, max);
        return 3;
    default:
        return t->colours;
    }
}

static inline void convert_pixel(const io_tiff_state *t, const unsigned char *in,
                                 unsigned char *out, size_t size, uint64_t max)
{
    uint64_t v[4] = {0}, a = max, most = (1u << (t->bits & 15)) - 1;
    bool numbers = t->colour == IO_TIFF_PALETTE;
    for (size_t c = 0; c < t->colours; c++) {
        v[c] = io_load(in + c * size, size);
    }
    if (t->alpha != IO_TIFF_NO_ALPHA) {
        a = io_load(in + t->colours * size, size);
        a = numbers && t->bits < 8 ? (a * 255 + most / 2) / most : a; /* has not been spread */
    }
    for (size_t c = 0; c < t->colours && t->alpha == IO_TIFF_PREMULTIPLIED && !numbers; c++) {
        v[c] = divide_by_alpha(v[c], a, max);
    }
    size_t colours = find_light(t, v, max);
    for (size_t c = 0; c < colours; c++) {
        io_store(out + c * size, v[c], size);
    }
    if (t->alpha != IO_TIFF_NO_ALPHA) {
        io_store(out + colours * size, a, size);
    }
}

static inline void convert_integers(const io_tiff_state *t, size_t width, size_t channels,
                                    size_t size, unsigned char *out)
{
    uint64_t max = t->bits <= 8 ? 255 : t->bits == 64 ? UINT64_MAX : ((uint64_t)1 << t->bits) - 1;
    for (size_t x = 0; x < width; x++) {
        convert_pixel(t, t->row + x * t->samples * size, out + x * channels * size, size, max);
    }
}

static void convert_floats(const io_tiff_state *t, int type, size_t width, size_t channels,
                           unsigned char *out)
{
    size_t size = satf_type_bytes(type);
    for (size_t x = 0; x < width; x++) {
        const char *in = (const char *)t->row + x * t->samples * size;
        char *to = (char *)out + x * channels * size;
        memcpy(to, in, channels * size);
        double a = t->alpha == IO_TIFF_PREMULTIPLIED ? adapt_load(type, in + t->colours * size) : 1;
        for (size_t c = 0; c < t->colours && t->alpha == IO_TIFF_PREMULTIPLIED; c++) {
            adapt_put(type, a == 0 ? 0 : adapt_load(type, in + c * size) / a, to + c * size);
        }
    }
}

void io_tiff_convert(const io_tiff_state *t, const satf_view *view, int64_t y, void *dst)
{
    size_t width = (size_t)view->width, channels = (size_t)view->channels;
    size_t size = satf_type_bytes(view->type);
    bool as_it_is = (t->colour == IO_TIFF_GREY || t->colour == IO_TIFF_RGB) &&
                    t->alpha != IO_TIFF_PREMULTIPLIED && t->samples == channels;
    if (as_it_is && t->planes == 1) {
        tiff_unpack(t, io_tiff_chunk_row(t, y, 0), width * channels, size, dst);
        return;
    }
    tiff_gather(t, y, width, size);
    if (as_it_is) {
        memcpy(dst, t->row, width * channels * size);
    } else if (t->floats) {
        convert_floats(t, view->type, width, channels, dst);
    } else if (size == 1) {
        convert_integers(t, width, channels, 1, dst);
    } else if (size == 2) {
        convert_integers(t, width, channels, 2, dst);
    } else if (size == 4) {
        convert_integers(t, width, channels, 4, dst);
    } else {
        convert_integers(t, width, channels, 8, dst);
    }
}
