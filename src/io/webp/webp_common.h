/* The common ground of the WebP reader and writer. */
#ifndef SATF_IO_WEBP_WEBP_COMMON_H
#define SATF_IO_WEBP_WEBP_COMMON_H

#include "../module_side.h"

/* What EXIF begins with in some files, which have it of a JPEG. */
#define IO_WEBP_EXIF_LEAD "Exif\0"

/* What a decoder takes beside pixels, by and large. */
enum { IO_WEBP_FEW_BYTES = 1 << 20 };

/* The row's functions that write (webp_write.c). */
void io_webp_writing(io_format *format);

#endif
