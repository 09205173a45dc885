/* The end of a TIFF that is written: BigTIFF where 32 bits do not reach.
 * www.awaresystems.be/imaging/tiff/bigtiff.html */
#include "tiff_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

satf_status io_tiff_add(satf_context *ctx, io_writer *writer, io_tiff_record *record, unsigned tag,
                        TIFFDataType type, uint64_t count, const void *values)
{
    size_t bytes = (size_t)TIFFDataWidth(type) * count;
    if (bytes == 0 || record->entries == IO_TIFF_ENTRIES) {
        return SATF_OK;
    }
    io_tiff_entry *e = &record->entry[record->entries++];
    *e = (io_tiff_entry){.tag = (uint16_t)tag, .type = (uint16_t)type, .count = count};
    if (bytes <= IO_TIFF_INLINE) {
        memcpy(e->value, values, bytes);
        return SATF_OK;
    }
    static const char nothing[1] = {0};
    satf_status status = writer->bytes & 1 ? io_write(ctx, writer, nothing, 1) : SATF_OK;
    e->apart = true;
    e->at = (uint64_t)writer->bytes;
    return status ? status : io_write(ctx, writer, values, bytes);
}

/* ---------------------------------------------------------------- the file's end */

/* What is being written: where, and how wide its offsets are. */
typedef struct file_end {
    FILE *file;
    uint64_t at;
    bool big;
} file_end;

static void put(file_end *f, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, f->file);
    f->at += n;
}

static void put_number(file_end *f, uint64_t value, size_t bytes)
{
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    put(f, bytes == 2 ? (void *)&u16 : bytes == 4 ? (void *)&u32 : &value, bytes);
}

static size_t offset_bytes(const file_end *f)
{
    return f->big ? 8 : 4;
}

static uint64_t value_bytes(const file_end *f, const io_tiff_entry *e)
{
    bool strips = e->tag == TIFFTAG_STRIPOFFSETS || e->tag == TIFFTAG_STRIPBYTECOUNTS;
    return e->count * (strips ? offset_bytes(f) : (size_t)TIFFDataWidth((TIFFDataType)e->type));
}

/* Bytes behind the directory that the entry's values take there, an even number. */
static uint64_t behind_bytes(const file_end *f, const io_tiff_entry *e)
{
    uint64_t bytes = value_bytes(f, e);
    return e->apart || bytes <= offset_bytes(f) ? 0 : bytes + (bytes & 1);
}

static uint64_t directory_bytes(const file_end *f, const io_tiff_record *r)
{
    uint64_t bytes = f->big ? 8 + r->entries * 20 + 8 : 2 + r->entries * 12 + 4;
    for (size_t i = 0; i < r->entries; i++) {
        bytes += behind_bytes(f, &r->entry[i]);
    }
    return bytes;
}

static void put_strips(file_end *f, const io_page *page, unsigned tag)
{
    const io_tiff_record *r = page->record;
    bool offsets = tag == TIFFTAG_STRIPOFFSETS;
    for (uint64_t i = 0; i < r->strips; i++) {
        put_number(f, offsets ? r->strip[i] + (uint64_t)page->start : r->strip[r->strips + i],
                   offset_bytes(f));
    }
}

/* An entry's values, in a place of at least so many bytes. */
static void put_values(file_end *f, const io_page *page, const io_tiff_entry *e, uint64_t room)
{
    static const unsigned char zeros[IO_TIFF_INLINE] = {0};
    uint64_t end = f->at + room;
    if (e->tag == TIFFTAG_STRIPOFFSETS || e->tag == TIFFTAG_STRIPBYTECOUNTS) {
        put_strips(f, page, e->tag);
    } else {
        put(f, e->value, (size_t)value_bytes(f, e));
    }
    put(f, zeros, (size_t)(end - f->at));
}

static int compare_tags(const void *a, const void *b)
{
    const io_tiff_entry *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

/* last: no directory follows. */
static void put_directory(file_end *f, const io_page *page, bool last)
{
    io_tiff_record *r = page->record;
    qsort(r->entry, r->entries, sizeof *r->entry, compare_tags);
    uint64_t end = f->at + directory_bytes(f, r);
    uint64_t behind = f->at + (f->big ? 8 + r->entries * 20 + 8 : 2 + r->entries * 12 + 4);
    size_t width = offset_bytes(f);
    put_number(f, r->entries, f->big ? 8 : 2);
    for (size_t i = 0; i < r->entries; i++) {
        const io_tiff_entry *e = &r->entry[i];
        bool strips = e->tag == TIFFTAG_STRIPOFFSETS || e->tag == TIFFTAG_STRIPBYTECOUNTS;
        put_number(f, e->tag, 2);
        put_number(f, strips ? (f->big ? TIFF_LONG8 : TIFF_LONG) : e->type, 2);
        put_number(f, e->count, width);
        if (e->apart) {
            put_number(f, (uint64_t)page->start + e->at, width);
        } else if (behind_bytes(f, e)) {
            put_number(f, behind, width);
            behind += behind_bytes(f, e);
        } else {
            put_values(f, page, e, width);
        }
    }
    put_number(f, last ? 0 : end, width);
    for (size_t i = 0; i < r->entries; i++) {
        const io_tiff_entry *e = &r->entry[i];
        if (behind_bytes(f, e)) {
            put_values(f, page, e, behind_bytes(f, e));
        }
    }
}

static uint64_t all_bytes(const file_end *f, const io_pages *pages)
{
    uint64_t bytes = f->at;
    for (int64_t i = 0; i < pages->count; i++) {
        bytes += directory_bytes(f, pages->at[i].record);
    }
    return bytes;
}

static void put_lead(file_end *f, uint64_t first)
{
    const char *order = IO_LITTLE_ENDIAN ? "II" : "MM";
    put(f, order, 2);
    put_number(f, f->big ? 43 : 42, 2);
    if (f->big) {
        put_number(f, 8, 2);
        put_number(f, 0, 2);
    }
    put_number(f, first, offset_bytes(f));
}

satf_status io_tiff_finish_pages(satf_context *ctx, io_pages *pages)
{
    file_end f = {.file = pages->file, .at = (uint64_t)pages->bytes};
    if (f.at & 1) {
        put(&f, "", 1);
    }
    uint64_t first = f.at;
    f.big = all_bytes(&f, pages) > UINT32_MAX;
    for (int64_t i = 0; i < pages->count; i++) {
        put_directory(&f, &pages->at[i], i == pages->count - 1);
    }
    pages->bytes = (int64_t)f.at;
    bool good = fseeko(f.file, 0, SEEK_SET) == 0;
    put_lead(&f, first);
    good = good && fseeko(f.file, 0, SEEK_END) == 0 && !ferror(f.file);
    return good ? SATF_OK : satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
}
