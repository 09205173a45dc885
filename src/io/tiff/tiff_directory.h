/* The record of a page that is written, for its directory at the end of the file. */
#ifndef SATF_IO_TIFF_TIFF_DIRECTORY_H
#define SATF_IO_TIFF_TIFF_DIRECTORY_H

#include <tiffio.h>

#include "../module_side.h"

enum { IO_TIFF_ENTRIES = 96 + SATF_TAGS_MOST, IO_TIFF_INLINE = 8 };

/* A tag and its values: up to 8 bytes of them, or where they are, behind the page's first byte. */
typedef struct io_tiff_entry {
    uint16_t tag, type;
    unsigned char directory; /* SATF_TAGS_... */
    bool apart;
    uint64_t count;
    uint64_t at;
    unsigned char value[IO_TIFF_INLINE];
} io_tiff_entry;

/* A page's strips, behind its first byte, and entries; one allocation, of which the
 * pointers name parts. */
typedef struct io_tiff_record {
    size_t entries;
    io_tiff_entry *entry; /* room for IO_TIFF_ENTRIES until it is ended */
    uint64_t strips;
    uint64_t *strip; /* offsets, then numbers of bytes */
} io_tiff_record;

/* Memory for so many entries and strips, zeroed; NULL: there is none. */
io_tiff_record *io_tiff_make_record(size_t entries, uint64_t strips);

/* Sorts the entries; *record becomes one with no more room than they take. */
void io_tiff_end_record(io_tiff_record **record);

/* Adds a tag of so many values to a directory of writer->record; its bytes go to the file unless
 * they are few. What does not fit any more is left out. */
satf_status io_tiff_add_to(satf_context *ctx, io_writer *writer, unsigned directory, unsigned tag,
                           unsigned type, uint64_t count, const void *values);

/* Adds a tag to the page's directory. */
satf_status io_tiff_add(satf_context *ctx, io_writer *writer, unsigned tag, TIFFDataType type,
                        uint64_t count, const void *values);

/* Ends the file: directories behind the pages, and what leads to them. */
satf_status io_tiff_finish_pages(satf_context *ctx, io_pages *pages);

/* The tags that metadata become. */
satf_status io_tiff_add_metadata(satf_context *ctx, io_writer *writer);

#endif
