/* GIF's entry in the table of formats. libsatfilter-gif reads the format (gif_read.c). */
#include <string.h>

#include "../codec.h"

static bool gif_probe(const unsigned char *head, size_t n)
{
    return n >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

const io_format io_gif = {
    .name = "gif",
    .suffixes = "gif",
    .help = "GIF, its frames as pages (read only)",
    .in_module = true,
    .packages = "libgif7",
    .probe = gif_probe,
};
