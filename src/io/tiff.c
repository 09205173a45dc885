/* TIFF's row in the table of formats. What reads it is libsatfilter-tiff (tiff_read.c). */
#include <string.h>

#include "codec.h"

/* Canon's raw files begin alike. */
static bool probe(const unsigned char *head, size_t n)
{
    bool raw = n >= 10 && memcmp(head + 8, "CR", 2) == 0;
    return !raw && n >= 8 &&
           (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
            memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

const io_format io_tiff = {
    .name = "tiff",
    .suffixes = "tif tiff btf tf8",
    .help = "TIFF, its first page (read only)",
    .in_module = true,
    .probe = probe,
};
