/* A fax of group 3 without the codes (EOL) that end its lines, as some programs write it: libtiff,
 * which looks for them in vain, is told that it is the same code without them. */
#include "tiff_common.h"

enum { LOOKED_AT = 4096, EOL_ZEROS = 11 };

/* EOL is eleven bits of 0, which no other code has, and one of 1. */
static bool has_eol(const unsigned char *data, size_t n)
{
    unsigned zeros = 0;
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bool one = data[bit / 8] >> (7 - bit % 8) & 1;
        if (one && zeros >= EOL_ZEROS) {
            return true;
        }
        zeros = one ? 0 : zeros + 1;
    }
    return false;
}

void io_tiff_fax_start(io_tiff_state *t)
{
    unsigned char data[LOOKED_AT];
    uint32_t options = 0;
    uint16_t order = FILLORDER_MSB2LSB;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_GROUP3OPTIONS, &options);
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_FILLORDER, &order);
    uint64_t start = TIFFGetStrileOffset(t->tif, 0), bytes = TIFFGetStrileByteCount(t->tif, 0);
    if (t->tiled || (options & GROUP3OPT_2DENCODING) || start > (uint64_t)t->source->bytes) {
        return;
    }
    size_t n = bytes < sizeof data ? (size_t)bytes : sizeof data;
    n = io_source_look(t->source, (int64_t)start, data, n);
    if (order == FILLORDER_LSB2MSB) {
        TIFFReverseBits(data, (tmsize_t)n);
    }
    if (n > 0 && !has_eol(data, n)) {
        t->compression = COMPRESSION_CCITTRLE;
        TIFFSetField(t->tif, TIFFTAG_COMPRESSION, COMPRESSION_CCITTRLE);
        TIFFSetField(t->tif, TIFFTAG_FAXMODE, FAXMODE_NOEOL | FAXMODE_NORTC);
    }
}
