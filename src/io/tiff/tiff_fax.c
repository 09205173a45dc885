/* Faxes. One of group 3 may lack the codes (EOL) that end its lines, as some programs write it:
 * libtiff, which looks for them in vain, is told that it is the same code without them. And lines
 * that make no sense are counted, as long as the next one is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Bytes that a decoded row hardly has throughout; looked at only where a line is bad. */
enum { NOT_DECODED = 0xa5 };

void io_tiff_fax_mark(const io_tiff_state *t, unsigned char *rows, size_t bytes)
{
    if (io_tiff_is_fax(t)) {
        memset(rows, NOT_DECODED, bytes);
    }
}

bool io_tiff_fax_is_cut(const io_tiff_state *t, const unsigned char *last_row, size_t bytes)
{
    bool same = t->bad_code > 0;
    for (size_t i = 0; i < bytes && same; i++) {
        same = last_row[i] == NOT_DECODED;
    }
    return same;
}

static bool fax_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* In a line one code word may make no sense: the line is white from there on. In group 3 the next
 * line is found; in others what follows may make no sense either, though it is read. libtiff says
 * of such a line that it is short, too. A line that is too long is cut. One that is too short,
 * without a bad code word, is followed by another only in group 3: otherwise the picture ends
 * there, or has another compression than its tag says. */
bool io_tiff_fax_goes_on(io_tiff_state *t, const char *format, va_list args)
{
    va_list copy;
    char text[80];
    if (!io_tiff_is_fax(t) || !strstr(format, " at line ")) {
        return false;
    }
    va_copy(copy, args);
    vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    const char *at = strstr(text, " at line ");
    if (!at) {
        return false;
    }
    int64_t line = strtoll(at + strlen(" at line "), NULL, 10) + 1;
    bool lost = t->bad_lines > 0; /* then other codes are by chance */
    if (fax_begins(text, "Bad code word") || (lost && fax_begins(text, "Uncompressed data"))) {
        t->bad_lines++;
        t->bad_code = line;
        return true;
    }
    if (t->bad_code == line) {
        return true;
    }
    bool counts = fax_begins(text, "Line length mismatch") ||
                  (fax_begins(text, "Premature EOL") && t->compression == COMPRESSION_CCITTFAX3);
    t->bad_lines += counts;
    return counts;
}
