/* Metadata as tags of a TIFF that is written. */
#include <math.h>
#include <string.h>

#include "tiff_directory.h"

/* Pixels per inch; within a hundred-thousandth of a whole number they are meant to be one: other
 * formats count by the metre. */
static uint32_t rational(double value, uint32_t *below)
{
    double whole = round(value);
    *below = fabs(value - whole) <= 1e-5 * whole ? 1 : 10000;
    double above = round(value * *below);
    return above >= 1 && above <= UINT32_MAX ? (uint32_t)above : 0;
}

static satf_status add_resolution(satf_context *ctx, io_writer *writer, io_tiff_record *record)
{
    const satf_metadata *m = writer->metadata;
    bool metres = m->resolution_unit == 1;
    double scale = metres ? 0.0254 : 1;
    uint32_t x[2], y[2];
    uint16_t unit = metres ? RESUNIT_INCH : RESUNIT_NONE;
    x[0] = rational(m->resolution_x * scale, &x[1]);
    y[0] = rational(m->resolution_y * scale, &y[1]);
    if (!m->has_resolution || !x[0] || !y[0]) {
        return SATF_OK;
    }
    satf_status status = io_tiff_add(ctx, writer, record, TIFFTAG_XRESOLUTION, TIFF_RATIONAL, 1, x);
    status = status ? status
                    : io_tiff_add(ctx, writer, record, TIFFTAG_YRESOLUTION, TIFF_RATIONAL, 1, y);
    return status ? status
                  : io_tiff_add(ctx, writer, record, TIFFTAG_RESOLUTIONUNIT, TIFF_SHORT, 1, &unit);
}

satf_status io_tiff_add_metadata(satf_context *ctx, io_writer *writer, io_tiff_record *record)
{
    const satf_metadata *m = writer->metadata;
    if (!m) {
        return SATF_OK;
    }
    uint16_t orientation = m->exif ? (uint16_t)satf_exif_orientation(m->exif, m->exif_bytes) : 1;
    const struct {
        unsigned tag;
        TIFFDataType type;
        const unsigned char *at;
        size_t bytes;
    } blocks[] = {{TIFFTAG_ICCPROFILE, TIFF_UNDEFINED, m->icc, m->icc_bytes},
                  {TIFFTAG_XMLPACKET, TIFF_BYTE, m->xmp, m->xmp_bytes},
                  {TIFFTAG_PHOTOSHOP, TIFF_BYTE, m->iptc, m->iptc_bytes}};
    satf_status status = add_resolution(ctx, writer, record);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && !status; i++) {
        status = io_tiff_add(ctx, writer, record, blocks[i].tag, blocks[i].type, blocks[i].bytes,
                             blocks[i].at);
    }
    return status || orientation == 1
               ? status
               : io_tiff_add(ctx, writer, record, TIFFTAG_ORIENTATION, TIFF_SHORT, 1, &orientation);
}
