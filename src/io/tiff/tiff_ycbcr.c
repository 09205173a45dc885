/* TIFF's YCbCr (TIFF 6.0, section 21): blocks of pixels that share their chroma become rows of RGB.
 * Old-style JPEG is such blocks too, once libtiff has decoded it. */
#include "tiff_common.h"

/* Luma and chroma of each code, from the tags. */
static satf_status ycbcr_fill_tables(io_tiff_state *t)
{
    io_tiff_ycbcr *k = &t->ycbcr;
    float *luma = NULL, *reference = NULL;
    if (!TIFFGetFieldDefaulted(t->tif, TIFFTAG_YCBCRCOEFFICIENTS, &luma) ||
        !TIFFGetFieldDefaulted(t->tif, TIFFTAG_REFERENCEBLACKWHITE, &reference)) {
        return satf_fail_memory(t->ctx, sizeof *k, "tags of YCbCr");
    }
    double black[3], range[3];
    bool sane = luma[1] > 0;
    for (int i = 0; i < 3; i++) {
        k->luma[i] = luma[i];
        black[i] = reference[2 * i];
        range[i] = (double)reference[2 * i + 1] - black[i];
        sane = sane && luma[i] >= 0 && luma[i] <= 1 && black[i] >= -65536 && range[i] > 0 &&
               range[i] <= 65536;
    }
    if (!sane) {
        return satf_fail(t->ctx, SATF_DATA,
                         "the TIFF is damaged: its coefficients of YCbCr, or its reference black "
                         "and white, make no sense");
    }
    for (int v = 0; v < 256; v++) {
        k->y[v] = (v - black[0]) * 255 / range[0];
        k->blue[v] = (v - black[1]) * 127 / range[1] * (2 - 2 * k->luma[2]);
        k->red[v] = (v - black[2]) * 127 / range[2] * (2 - 2 * k->luma[0]);
    }
    return SATF_OK;
}

satf_status io_tiff_ycbcr_start(io_tiff_state *t)
{
    uint16_t width = 0, height = 0;
    if (t->samples != 3 || t->bits != 8 || t->floats || t->has_sign) {
        return satf_fail(t->ctx, SATF_UNSUPPORTED,
                         "a TIFF of YCbCr of other than three samples of 8 bits");
    }
    /* of old-style JPEG libtiff looks into the stream for them now */
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_YCBCRSUBSAMPLING, &width, &height);
    bool known =
        (width == 1 || width == 2 || width == 4) && (height == 1 || height == 2 || height == 4);
    if (!known) {
        return satf_fail(t->ctx, SATF_DATA,
                         "the TIFF is damaged: blocks of YCbCr are of %u x %u pixels", width,
                         height);
    }
    bool shared = width > 1 || height > 1;
    if (t->planes > 1 && (shared || t->compression == COMPRESSION_OJPEG)) {
        return satf_fail(t->ctx, SATF_UNSUPPORTED, "a TIFF of YCbCr in planes %s",
                         shared ? "of which the chroma's are smaller" : "of old-style JPEG");
    }
    if (shared) {
        t->ycbcr.width = width;
        t->ycbcr.height = height;
    } else {
        t->colour = IO_TIFF_YCBCR;
    }
    return ycbcr_fill_tables(t);
}

/* The bytes of a row of blocks of that many pixels. */
static uint64_t blocks_bytes(const io_tiff_ycbcr *k, uint64_t pixels)
{
    return (pixels + k->width - 1) / k->width * (k->width * k->height + 2);
}

uint64_t io_tiff_ycbcr_bytes(const io_tiff_state *t, uint64_t width, uint64_t rows)
{
    uint64_t bytes;
    rows = (rows + t->ycbcr.height - 1) / t->ycbcr.height;
    return __builtin_mul_overflow(blocks_bytes(&t->ycbcr, width), rows, &bytes) ? UINT64_MAX
                                                                                : bytes;
}

static inline unsigned char to_byte(double v)
{
    return (unsigned char)(!(v > 0) ? 0 : v >= 255 ? 255 : v + 0.5);
}

void io_tiff_ycbcr_to_rgb(const io_tiff_ycbcr *k, unsigned char y, unsigned char cb,
                          unsigned char cr, unsigned char rgb[3])
{
    double r = k->y[y] + k->red[cr], b = k->y[y] + k->blue[cb];
    rgb[0] = to_byte(r);
    rgb[1] = to_byte((k->y[y] - k->luma[2] * b - k->luma[0] * r) / k->luma[1]);
    rgb[2] = to_byte(b);
}

void io_tiff_ycbcr_spread(const io_tiff_state *t, int64_t x, int64_t width)
{
    const io_tiff_ycbcr *k = &t->ycbcr;
    size_t row = blocks_bytes(k, (uint64_t)width);
    int64_t n = width < t->width - x ? width : t->width - x;
    for (int64_t r = 0; r < t->chunk_count; r++) {
        const unsigned char *block = t->tile + (size_t)(r / k->height) * row;
        unsigned char *to = t->chunk + (size_t)r * t->row_bytes + 3 * (size_t)x;
        unsigned in_row = (unsigned)(r % k->height) * k->width, chroma = k->width * k->height;
        for (int64_t i = 0; i < n; i += k->width, block += chroma + 2) {
            for (unsigned j = 0; j < k->width && i + j < n; j++, to += 3) {
                io_tiff_ycbcr_to_rgb(k, block[in_row + j], block[chroma], block[chroma + 1], to);
            }
        }
    }
}
