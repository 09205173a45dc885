/* Colour maps of TGA files, made anew for stb_image. */
#include <limits.h>
#include <string.h>

#include "stb_file.h"

enum { HEADER = 18 };

/* What the header says of numbers of colours, one a pixel. */
typedef struct numbers {
    bool runs;
    int bytes; /* of each */
    uint64_t pixels;
    uint32_t first, count; /* those that the map has */
} numbers;

/* Is one of the file's numbers none of the map's? What the file lacks has none. */
static bool tga_misses_colours(const numbers *n, const unsigned char *at, const unsigned char *end)
{
    for (uint64_t left = n->pixels, some; left > 0 && at < end; left -= some < left ? some : left) {
        bool run = n->runs && (*at & 0x80);
        some = n->runs ? (*at++ & 0x7fu) + 1 : left;
        for (uint64_t i = 0; i < (run ? 1 : some) && end - at >= n->bytes; i++, at += n->bytes) {
            uint32_t number = stb_little(at, n->bytes);
            if (number < n->first || number - n->first >= n->count) {
                return true;
            }
        }
    }
    return false;
}

/*
 * A map may begin with a later number than 0. stb_image then passes over bytes of the map, and
 * takes number 0 for all that it lacks. So entries are added: black ones in front, and behind for
 * all numbers that 8 bits can name.
 */
satf_status io_tga_prepare(satf_context *ctx, stb_file *file)
{
    const unsigned char *in = file->data;
    if (file->bytes < HEADER || in[1] != 1) {
        return SATF_OK;
    }
    bool used = (in[2] & 7) == 1;
    uint32_t first = stb_little(in + 3, 2), count = stb_little(in + 5, 2);
    size_t entry = ((size_t)in[7] + 7) / 8, map_at = HEADER + (size_t)in[0];
    size_t pixels_at = map_at + count * entry;
    if (file->bytes < pixels_at) {
        return io_fail_short(ctx, NULL);
    }
    if (used && first + count > UINT16_MAX) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "a TGA with a colour map beyond number 65534");
    }
    if (used) {
        const numbers n = {.runs = in[2] & 8,
                           .bytes = in[16] == 16 ? 2 : 1,
                           .pixels = (uint64_t)stb_little(in + 12, 2) * stb_little(in + 14, 2),
                           .first = first,
                           .count = count};
        file->misses_colours = tga_misses_colours(&n, in + pixels_at, in + file->bytes);
    }
    uint32_t wanted = !used ? 0 : first + count < 256 ? 256 : first + count;
    size_t map_bytes = wanted * entry, pixel_bytes = file->bytes - pixels_at;
    size_t room = HEADER + map_bytes + pixel_bytes;
    satf_status status;
    unsigned char *out = stb_file_alloc(ctx, room, &status);
    if (status) {
        return status;
    }
    memcpy(out, in, HEADER);
    memset(out, 0, 2); /* neither a text nor a map, ... */
    memset(out + 3, 0, 5);
    if (used) { /* ... or all of a map */
        out[1] = 1;
        io_store_little(out + 5, wanted, 2);
        out[7] = in[7];
        memcpy(out + HEADER + first * entry, in + map_at, count * entry);
    }
    memcpy(out + HEADER + map_bytes, in + pixels_at, pixel_bytes);
    stb_file_replace(file, out, room);
    return SATF_OK;
}
