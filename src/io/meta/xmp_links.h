/* Links of a JPEG's XMP to things outside it: further pictures, a video; and the end of a tag. */
#ifndef SATF_IO_META_XMP_LINKS_H
#define SATF_IO_META_XMP_LINKS_H

#include <stddef.h>

enum {
    IO_XMP_PICTURE = 1, /* further pictures, such as a gain map or a depth map */
    IO_XMP_VIDEO = 2,   /* behind the picture */
    IO_XMP_MORE = 4     /* more XMP, in segments of its own */
};

/* The place behind the '>' of the tag that `at` is in, which may stand in an attribute's value too;
 * NULL if there is none. */
const char *io_xmp_behind_tag(const char *at, const char *end);

/* Takes properties that point at such out of the packet, in place, be they attributes or elements
 * and whatever their prefixes. *found becomes what they pointed at. Returns how many bytes are
 * left. Where the packet is no XML, the rest of it stays as it is. */
size_t io_xmp_drop_links(char *xmp, size_t bytes, unsigned *found);

#endif
