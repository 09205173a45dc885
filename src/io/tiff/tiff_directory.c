/* The end of a TIFF that is written: BigTIFF where 32 bits do not reach.
 * www.awaresystems.be/imaging/tiff/bigtiff.html */
#include "tiff_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

io_tiff_record *io_tiff_make_record(size_t entries, uint64_t strips)
{
    io_tiff_record *r = satf_alloc_zeroed(sizeof *r + entries * sizeof *r->entry +
                                          2 * (size_t)strips * sizeof *r->strip);
    if (r) {
        r->strips = strips;
        r->entry = (io_tiff_entry *)(r + 1);
        r->strip = (uint64_t *)(r->entry + entries);
    }
    return r;
}

/* The page's directory comes first. */
static int compare_tags(const void *a, const void *b)
{
    const io_tiff_entry *x = a, *y = b;
    return x->directory != y->directory ? x->directory - y->directory
                                        : (x->tag > y->tag) - (x->tag < y->tag);
}

void io_tiff_end_record(io_tiff_record **record)
{
    io_tiff_record *r = *record;
    qsort(r->entry, r->entries, sizeof *r->entry, compare_tags);
    io_tiff_record *packed = io_tiff_make_record(r->entries, r->strips);
    if (packed) {
        packed->entries = r->entries;
        memcpy(packed->entry, r->entry, r->entries * sizeof *r->entry);
        memcpy(packed->strip, r->strip, 2 * (size_t)r->strips * sizeof *r->strip);
        satf_free(*record);
        *record = packed;
    }
}

satf_status io_tiff_add_to(satf_context *ctx, io_writer *writer, unsigned directory, unsigned tag,
                           unsigned type, uint64_t count, const void *values)
{
    io_tiff_record *record = writer->record;
    size_t bytes = (size_t)TIFFDataWidth((TIFFDataType)type) * count;
    if (bytes == 0 || record->entries == IO_TIFF_ENTRIES) {
        return SATF_OK;
    }
    io_tiff_entry *e = &record->entry[record->entries++];
    *e = (io_tiff_entry){.tag = (uint16_t)tag,
                         .type = (uint16_t)type,
                         .directory = (unsigned char)directory,
                         .count = count};
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

satf_status io_tiff_add(satf_context *ctx, io_writer *writer, unsigned tag, TIFFDataType type,
                        uint64_t count, const void *values)
{
    return io_tiff_add_to(ctx, writer, SATF_TAGS_PAGE, tag, type, count, values);
}

/* ---------------------------------------------------------------- the file's end */

/* What is being written: where, and how wide its offsets are. */
typedef struct file_end {
    FILE *file;
    uint64_t at;
    bool big;
} file_end;

static void tiff_directory_put(file_end *f, const void *bytes, size_t n)
{
    fwrite(bytes, 1, n, f->file);
    f->at += n;
}

static void tiff_directory_put_number(file_end *f, uint64_t value, size_t bytes)
{
    unsigned char number[8];
    io_store(number, value, bytes);
    tiff_directory_put(f, number, bytes);
}

static size_t offset_bytes(const file_end *f)
{
    return f->big ? 8 : 4;
}

/* Its values are offsets, or as wide as those. */
static bool is_wide(const io_tiff_entry *e)
{
    return e->type == TIFF_LONG8;
}

static uint64_t value_bytes(const file_end *f, const io_tiff_entry *e)
{
    return e->count * (is_wide(e) ? offset_bytes(f) : satf_tag_type_bytes(e->type));
}

/* Bytes behind the directory that the entry's values take there, an even number. */
static uint64_t behind_bytes(const file_end *f, const io_tiff_entry *e)
{
    uint64_t bytes = value_bytes(f, e);
    return e->apart || bytes <= offset_bytes(f) ? 0 : bytes + (bytes & 1);
}

static size_t entry_bytes(const file_end *f, size_t entries)
{
    return f->big ? 8 + entries * 20 + 8 : 2 + entries * 12 + 4;
}

/* A directory of n entries, with the values behind it. */
static uint64_t directory_bytes(const file_end *f, const io_tiff_entry *entry, size_t n)
{
    uint64_t bytes = entry_bytes(f, n);
    for (size_t i = 0; i < n; i++) {
        bytes += behind_bytes(f, &entry[i]);
    }
    return bytes;
}

/* The number of entries, from there on, that stand in one directory; they are sorted. */
static size_t count_entries(const io_tiff_record *r, size_t from)
{
    size_t n = 0;
    while (from + n < r->entries && r->entry[from + n].directory == r->entry[from].directory) {
        n++;
    }
    return n;
}

/* The bytes of all of the page's directories. */
static uint64_t record_bytes(const file_end *f, const io_tiff_record *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0, n; i < r->entries; i += n) {
        n = count_entries(r, i);
        bytes += directory_bytes(f, r->entry + i, n);
    }
    return bytes;
}

static void put_wide(file_end *f, const io_page *page, const io_tiff_entry *e)
{
    const io_tiff_record *r = page->record;
    bool offsets = e->tag == TIFFTAG_STRIPOFFSETS,
         strips = offsets || e->tag == TIFFTAG_STRIPBYTECOUNTS;
    uint64_t at;
    memcpy(&at, e->value, sizeof at);
    for (uint64_t i = 0; i < e->count; i++) {
        tiff_directory_put_number(f,
                                  !strips   ? at
                                  : offsets ? r->strip[i] + (uint64_t)page->start
                                            : r->strip[r->strips + i],
                                  offset_bytes(f));
    }
}

/* An entry's values, in a place of at least so many bytes. */
static void put_values(file_end *f, const io_page *page, const io_tiff_entry *e, uint64_t room)
{
    static const unsigned char zeros[IO_TIFF_INLINE] = {0};
    uint64_t end = f->at + room;
    if (is_wide(e)) {
        put_wide(f, page, e);
    } else {
        tiff_directory_put(f, e->value, (size_t)value_bytes(f, e));
    }
    tiff_directory_put(f, zeros, (size_t)(end - f->at));
}

/* One directory. next: that of the page behind, or 0. */
static void put_directory(file_end *f, const io_page *page, const io_tiff_entry *entry, size_t n,
                          uint64_t next)
{
    uint64_t behind = f->at + entry_bytes(f, n);
    size_t width = offset_bytes(f);
    tiff_directory_put_number(f, n, f->big ? 8 : 2);
    for (size_t i = 0; i < n; i++) {
        const io_tiff_entry *e = &entry[i];
        tiff_directory_put_number(f, e->tag, 2);
        tiff_directory_put_number(f, is_wide(e) && !f->big ? TIFF_LONG : e->type, 2);
        tiff_directory_put_number(f, e->count, width);
        if (e->apart) {
            tiff_directory_put_number(f, (uint64_t)page->start + e->at, width);
        } else if (behind_bytes(f, e)) {
            tiff_directory_put_number(f, behind, width);
            behind += behind_bytes(f, e);
        } else {
            put_values(f, page, e, width);
        }
    }
    tiff_directory_put_number(f, next, width);
    for (size_t i = 0; i < n; i++) {
        if (behind_bytes(f, &entry[i])) {
            put_values(f, page, &entry[i], behind_bytes(f, &entry[i]));
        }
    }
}

/* Makes the place of a directory the value of the entry that leads to it. */
static void lead_to(io_tiff_record *r, unsigned directory, uint64_t at)
{
    for (size_t i = 0; directory > 0 && i < r->entries; i++) {
        if (r->entry[i].tag == satf_tags_leads[directory].tag) {
            memcpy(r->entry[i].value, &at, sizeof at);
        }
    }
}

/* The page's directories. last: no page follows. */
static void put_directories(file_end *f, const io_page *page, bool last)
{
    io_tiff_record *r = page->record;
    uint64_t at = f->at, end = at + record_bytes(f, r);
    for (size_t i = 0, n; i < r->entries; i += n) {
        n = count_entries(r, i);
        lead_to(r, r->entry[i].directory, at);
        at += directory_bytes(f, r->entry + i, n);
    }
    for (size_t i = 0, n; i < r->entries; i += n) {
        n = count_entries(r, i);
        put_directory(f, page, r->entry + i, n, last || i > 0 ? 0 : end);
    }
}

static uint64_t all_bytes(const file_end *f, const io_pages *pages)
{
    uint64_t bytes = f->at;
    for (int64_t i = 0; i < pages->count; i++) {
        bytes += record_bytes(f, pages->at[i].record);
    }
    return bytes;
}

static void put_lead(file_end *f, uint64_t first)
{
    const char *order = IO_LITTLE_ENDIAN ? "II" : "MM";
    tiff_directory_put(f, order, 2);
    tiff_directory_put_number(f, f->big ? 43 : 42, 2);
    if (f->big) {
        tiff_directory_put_number(f, 8, 2);
        tiff_directory_put_number(f, 0, 2);
    }
    tiff_directory_put_number(f, first, offset_bytes(f));
}

satf_status io_tiff_finish_pages(satf_context *ctx, io_pages *pages)
{
    file_end f = {.file = pages->file, .at = (uint64_t)pages->bytes};
    if (f.at & 1) {
        tiff_directory_put(&f, "", 1);
    }
    uint64_t first = f.at;
    f.big = all_bytes(&f, pages) > UINT32_MAX;
    for (int64_t i = 0; i < pages->count; i++) {
        put_directories(&f, &pages->at[i], i == pages->count - 1);
    }
    pages->bytes = (int64_t)f.at;
    bool good = fseeko(f.file, 0, SEEK_SET) == 0;
    put_lead(&f, first);
    good = good && fseeko(f.file, 0, SEEK_END) == 0 && !ferror(f.file);
    return good ? SATF_OK : satf_fail(ctx, SATF_IO, "writing failed: %s", strerror(errno));
}
