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
        uint32_t v;
        memcpy(&v, longs + i * sizeof v, sizeof v);
        narrow += v <= UINT8_MAX;
    }
    if (narrow < count) {
        if (TIFFIsByteSwapped(t->tif)) {
            io_swap_bytes(longs, count, sizeof(uint32_t));
        }
        return bytes;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t v;
        memcpy(&v, longs + i * sizeof v, sizeof v);
        longs[i] = (unsigned char)v;
    }
    return count;
}

/* IPTC alone becomes what it is everywhere else: a block of Photoshop's resources, number 0x0404.
 */
static satf_status wrap_iptc(io_tiff_state *t, satf_metadata *m)
{
    unsigned char *bare = NULL;
    size_t bytes = 0;
    satf_status status = copy_tag(t, TIFFTAG_RICHTIFFIPTC, &bare, &bytes);
    if (status || !bare) {
        return status;
    }
    bytes =
        unit_of(t, TIFFTAG_RICHTIFFIPTC) == sizeof(uint32_t) ? pack_longs(t, bare, bytes) : bytes;
    static const unsigned char lead[] = "8BIM\4\4\0"; /* and its last zero: an empty name */
    size_t all = sizeof lead + 4 + bytes + bytes % 2;
    m->iptc = satf_alloc_zeroed(all);
    if (m->iptc) {
        memcpy(m->iptc, lead, sizeof lead);
        for (int i = 0; i < 4; i++) {
            m->iptc[sizeof lead + (size_t)i] = (unsigned char)(bytes >> (24 - 8 * i));
        }
        memcpy(m->iptc + sizeof lead + 4, bare, bytes);
        m->iptc_bytes = all;
    }
    satf_free(bare);
    return m->iptc ? SATF_OK : satf_fail_memory(t->ctx, all, "IPTC");
}

static void read_resolution(const io_tiff_state *t, satf_metadata *m)
{
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!TIFFGetField(t->tif, TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(t->tif, TIFFTAG_YRESOLUTION, &y) || !(x > 0) || !(y > 0) || x > 1e9f ||
        y > 1e9f || (unit == RESUNIT_NONE && x == y)) { /* square pixels, as if nothing were said */
        return;
    }
    double in_metre = unit == RESUNIT_INCH         ? 1 / IO_METRES_PER_INCH
                      : unit == RESUNIT_CENTIMETER ? 100
                                                   : 1;
    m->has_resolution = true;
    m->resolution_x = x * in_metre;
    m->resolution_y = y * in_metre;
    m->resolution_unit = unit == RESUNIT_INCH || unit == RESUNIT_CENTIMETER;
}

satf_status io_tiff_metadata(io_tiff_state *t, io_header *header)
{
    satf_metadata *m = &header->metadata;
    satf_status status = copy_tag(t, TIFFTAG_ICCPROFILE, &m->icc, &m->icc_bytes);
    status = status ? status : copy_tag(t, TIFFTAG_XMLPACKET, &m->xmp, &m->xmp_bytes);
    status = status ? status : copy_tag(t, TIFFTAG_PHOTOSHOP, &m->iptc, &m->iptc_bytes);
    status = status || m->iptc ? status : wrap_iptc(t, m);
    read_resolution(t, m);
    return status ? status : io_tiff_read_block(t, header);
}
