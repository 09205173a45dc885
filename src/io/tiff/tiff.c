/* TIFF's entry in the table of formats. libsatfilter-tiff reads and writes the format (tiff_read.c,
 * tiff_write.c). */
#include <string.h>

#include "../codec.h"

/* Canon's raw files begin alike. */
static bool tiff_probe(const unsigned char *head, size_t n)
{
    bool raw = n >= 10 && memcmp(head + 8, "CR", 2) == 0;
    return !raw && n >= 8 &&
           (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
            memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

const io_format io_tiff = {
    .name = "tiff",
    .suffixes = "tif tiff btf tf8",
    .help = "TIFF, of pages; pictures, or plain values",
    .in_module = true,
    .packages = "libtiff6",
    .probe = tiff_probe,
    .value_types = IO_VALUE_TYPES,
    .picture_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .channel_mask = 1u << 1 | 1u << 3,
    .stores_alpha = true,
    .metadata = IO_METADATA_ANYWHERE,
    .keeps = IO_KEEPS_ORIENTATION | IO_KEEPS_ICC | IO_KEEPS_GREY_ICC | IO_KEEPS_COLOURS |
             IO_KEEPS_RESOLUTION | IO_KEEPS_EXIF | IO_KEEPS_XMP | IO_KEEPS_IPTC | IO_KEEPS_TAGS,
    .lead_bytes = 16,
    .holds_pages = true,
    .compressions = "none lzw deflate zstd g4",
};
