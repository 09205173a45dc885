/* The metadata in a TIFF's tags. */
#include <string.h>

#include "tiff_common.h"

/* The bytes of what libtiff makes an element of a tag: for IPTC a long in some versions, a byte in
 * others. */
static size_t unit_of(const io_tiff_state *t, uint32_t which)
{
    const TIFFField *field = TIFFFieldWithTag(t->tif, which);
    int bytes = field ? TIFFFieldSetGetSize(field) : 0;
    return bytes > 0 ? (size_t)bytes : 1;
}

/* A tag's bytes. */
static satf_status copy_tag(io_tiff_state *t, uint32_t which, unsigned char **to, size_t *bytes)
{
    size_t unit = unit_of(t, which);
    uint32_t count = 0;
    void *data = NULL;
    if (!TIFFGetField(t->tif, which, &count, &data) || !data) {
        return SATF_OK;
    }
    if (count > (uint64_t)t->ctx->settings.max_metadata / unit) {
        return satf_fail(t->ctx, SATF_LIMIT,
                         "the TIFF's tag %u has more than the limit of %lld bytes (limit: "
                         "max-metadata)",
                         (unsigned)which, (long long)t->ctx->settings.max_metadata);
    }
    return satf_copy_block(t->ctx, data, count * unit, to, bytes);
}

/* IPTC as longs: four bytes in each, in the file's order, or, of a tag of bytes, one. */
static size_t pack_longs(const io_tiff_state *t, unsigned char *longs, size_t bytes)
{
    size_t count = bytes / sizeof(uint32_t), narrow = 0;
    for (size_t i = 0; i < count; i++) {
        narrow += io_load(longs + 4 * i, 4) <= UINT8_MAX;
    }
    if (narrow < count) {
        if (TIFFIsByteSwapped(t->tif)) {
            io_swap_bytes(longs, count, sizeof(uint32_t));
        }
        return bytes;
    }
    for (size_t i = 0; i < count; i++) {
        longs[i] = (unsigned char)io_load(longs + 4 * i, 4);
    }
    return count;
}

static satf_status copy_bare_iptc(io_tiff_state *t, satf_metadata *m)
{
    unsigned char *bare = NULL;
    size_t bytes = 0;
    satf_status status = copy_tag(t, TIFFTAG_RICHTIFFIPTC, &bare, &bytes);
    if (status || !bare) {
        return status;
    }
    bytes =
        unit_of(t, TIFFTAG_RICHTIFFIPTC) == sizeof(uint32_t) ? pack_longs(t, bare, bytes) : bytes;
    status = io_wrap_iptc(t->ctx, bare, bytes, m);
    satf_free(bare);
    return status;
}

static void read_resolution(const io_tiff_state *t, satf_metadata *m)
{
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!TIFFGetField(t->tif, TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(t->tif, TIFFTAG_YRESOLUTION, &y) || x > 1e9f || y > 1e9f) {
        return;
    }
    io_set_resolution(m, x, y,
                      unit == RESUNIT_INCH         ? IO_PER_INCH
                      : unit == RESUNIT_CENTIMETER ? IO_PER_CENTIMETRE
                                                   : IO_PER_UNKNOWN);
}

satf_status io_tiff_metadata(io_tiff_state *t, io_header *header)
{
    satf_metadata *m = &header->metadata;
    satf_status status = copy_tag(t, TIFFTAG_ICCPROFILE, &m->icc, &m->icc_bytes);
    status = status ? status : copy_tag(t, TIFFTAG_XMLPACKET, &m->xmp, &m->xmp_bytes);
    status = status ? status : copy_tag(t, TIFFTAG_PHOTOSHOP, &m->iptc, &m->iptc_bytes);
    status = status || m->iptc ? status : copy_bare_iptc(t, m);
    read_resolution(t, m);
    return status ? status : io_tiff_read_block(t, header);
}
