/* TIFFs with tags of every kind, made and taken apart by hand: two ways into the format that share
 * nothing with src/. */
#ifndef TESTS_TIFF_TAGS_H
#define TESTS_TIFF_TAGS_H

#include "test.h"
#include "samples.h"
#include "test_io_files.h"

#include "io/codec.h"

enum { PAGE, EXIF, GPS, INTEROP, DIRECTORIES };
enum { BYTE = 1, ASCII, SHORT, LONG, RATIONAL, UNDEFINED = 7, SRATIONAL = 10, FLOAT, DOUBLE };

/* A tag's values, in the machine's order. */
typedef struct item {
    unsigned directory, tag, type;
    uint32_t count;
    const void *values;
} item;

static inline size_t width_of(unsigned type)
{
    static const unsigned char widths[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    assert_in_range(type, 1, DOUBLE);
    return widths[type];
}

/* The bytes that a swap turns around. */
static inline size_t unit_of_type(unsigned type)
{
    return type == RATIONAL || type == SRATIONAL ? 4 : width_of(type);
}

/* -------------------------------------------------------------------- making */

typedef struct made {
    unsigned char data[1 << 16];
    size_t n;
    bool msb, big;
} made;

static inline void put_number(made *f, size_t at, uint64_t value, size_t size)
{
    assert_true(at + size <= sizeof f->data);
    for (size_t i = 0; i < size; i++) {
        f->data[at + i] = (unsigned char)(value >> 8 * (f->msb ? size - 1 - i : i));
    }
    f->n = at + size > f->n ? at + size : f->n;
}

static inline void put_values(made *f, size_t at, const item *t)
{
    size_t unit = unit_of_type(t->type), size = t->count * width_of(t->type);
    bool turned = f->msb == (bool)IO_LITTLE_ENDIAN;
    for (size_t i = 0; i < size; i++) {
        size_t from = turned ? i / unit * unit + unit - 1 - i % unit : i;
        put_number(f, at + i, ((const unsigned char *)t->values)[from], 1);
    }
}

static inline void put_entry(made *f, size_t at, const item *t)
{
    size_t wide = f->big ? 8 : 4, size = t->count * width_of(t->type), to = at + 4 + wide;
    put_number(f, at, t->tag, 2);
    put_number(f, at + 2, t->type, 2);
    put_number(f, at + 4, t->count, wide);
    put_number(f, to, 0, wide);
    if (size > wide) {
        size_t apart = f->n + f->n % 2;
        put_number(f, to, apart, wide);
        to = apart;
    }
    put_values(f, to, t);
}

static inline int compare_tags(const void *a, const void *b)
{
    return (int)((const item *)a)->tag - (int)((const item *)b)->tag;
}

/* The tags that lead to directories. */
static const unsigned leads[] = {0, 34665, 34853, 40965};

/* A directory at the end of the file; lead[d] is where others are, 0: they are not. Returns where
 * it is; *link: where the next one's place belongs. */
static inline size_t put_directory(made *f, const item *items, size_t count, unsigned directory,
                                   const size_t lead[DIRECTORIES], size_t *link)
{
    size_t at = f->n + f->n % 2, entry = f->big ? 20 : 12, n = 0, to;
    uint32_t where[DIRECTORIES];
    item all[100];
    for (size_t i = 0; i < count; i++) {
        if (items[i].directory == directory) {
            all[n++] = items[i];
        }
    }
    for (unsigned d = EXIF; d < DIRECTORIES; d++) {
        where[d] = (uint32_t)lead[d];
        if (lead[d] && (d == INTEROP) == (directory == EXIF)) {
            all[n++] = (item){directory, leads[d], LONG, 1, &where[d]};
        }
    }
    qsort(all, n, sizeof *all, compare_tags);
    put_number(f, at, n, f->big ? 8 : 2);
    to = at + (f->big ? 8 : 2);
    *link = to + n * entry;
    put_number(f, *link, 0, f->big ? 8 : 4);
    for (size_t i = 0; i < n; i++, to += entry) {
        put_entry(f, to, &all[i]);
    }
    return at;
}

/* Of so many pages of width x height grey samples of 8 bits, each a run of zeros; the items are the
 * first one's. */
static inline void make_tiff(made *f, const char *order, const item *items, size_t count,
                             uint32_t width, uint32_t height, int pages)
{
    f->n = 0;
    f->msb = order[0] == 'M';
    f->big = order[1] == '8';
    memcpy(f->data, f->msb ? "MM" : "II", 2);
    put_number(f, 2, f->big ? 43 : 42, 2);
    size_t link = 4;
    if (f->big) {
        put_number(f, 4, 8, 2);
        put_number(f, 6, 0, 2);
        link = 8;
    }
    put_number(f, link, 0, f->big ? 8 : 4);
    for (int page = 0; page < pages; page++) {
        static const uint16_t bits = 8, one = 1;
        const uint32_t strip = (uint32_t)f->n, size = width * height;
        item all[100] = {{PAGE, 256, LONG, 1, &width}, {PAGE, 257, LONG, 1, &height},
                         {PAGE, 258, SHORT, 1, &bits}, {PAGE, 259, SHORT, 1, &one},
                         {PAGE, 262, SHORT, 1, &one},  {PAGE, 273, LONG, 1, &strip},
                         {PAGE, 277, SHORT, 1, &one},  {PAGE, 278, LONG, 1, &height},
                         {PAGE, 279, LONG, 1, &size}};
        size_t n = 9, lead[DIRECTORIES] = {0};
        bool has[DIRECTORIES] = {false};
        memset(f->data + f->n, 0, size);
        f->n += size;
        for (size_t i = 0; i < count && page == 0; i++) {
            all[n++] = items[i];
            has[items[i].directory] = true;
        }
        size_t next;
        for (unsigned d = INTEROP; d > PAGE; d--) {
            lead[d] = has[d] ? put_directory(f, all, n, d, lead, &next) : 0;
        }
        put_number(f, link, put_directory(f, all, n, PAGE, lead, &next), f->big ? 8 : 4);
        link = next;
    }
}

/* --------------------------------------------------------------- taking apart */

typedef struct parts {
    const unsigned char *data;
    size_t n;
    bool msb, big;
} parts;

static inline uint64_t get(const parts *f, size_t at, size_t size)
{
    uint64_t v = 0;
    assert_true(at + size <= f->n);
    for (size_t i = 0; i < size; i++) {
        v |= (uint64_t)f->data[at + i] << 8 * (f->msb ? size - 1 - i : i);
    }
    return v;
}

static inline parts take_apart(const void *data, size_t n)
{
    parts f = {.data = data, .n = n, .msb = ((const char *)data)[0] == 'M'};
    f.big = get(&f, 2, 2) == 43;
    return f;
}

/* Where the directory has that tag's entry; 0: it has none. Tags ascend. */
static inline size_t find_entry(const parts *f, size_t directory, unsigned tag)
{
    size_t n = (size_t)get(f, directory, f->big ? 8 : 2), size = f->big ? 20 : 12, found = 0;
    unsigned last = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = directory + (f->big ? 8 : 2) + i * size;
        unsigned here = (unsigned)get(f, at, 2);
        assert_true(i == 0 || here > last);
        last = here;
        found = here == tag ? at : found;
    }
    return found;
}

static inline size_t first_directory(const parts *f)
{
    return (size_t)(f->big ? get(f, 8, 8) : get(f, 4, 4));
}

/* Where the first page's directory of that kind is; 0: it has none. */
static inline size_t find_directory(const parts *f, unsigned directory)
{
    size_t wide = f->big ? 8 : 4;
    size_t at = directory == INTEROP ? find_directory(f, EXIF) : first_directory(f);
    size_t entry = directory && at ? find_entry(f, at, leads[directory]) : 0;
    size_t size = entry && get(f, entry + 2, 2) == LONG ? 4 : wide;
    return directory == PAGE ? at : entry ? (size_t)get(f, entry + 4 + wide, size) : 0;
}

static inline bool has_tag(const parts *f, unsigned directory, unsigned tag)
{
    size_t at = find_directory(f, directory);
    return at && find_entry(f, at, tag);
}

/* Fails unless the file has the tag, of that type and those values. */
static inline void assert_item(const char *what, const parts *f, const item *t)
{
    size_t at = find_directory(f, t->directory), wide = f->big ? 8 : 4;
    size_t entry = at ? find_entry(f, at, t->tag) : 0, size = t->count * width_of(t->type);
    if (!entry || get(f, entry + 2, 2) != t->type || get(f, entry + 4, wide) != t->count) {
        fail_msg("%s: tag %u of directory %u is %s", what, t->tag, t->directory,
                 entry ? "of another type or count" : "not there");
    }
    size_t values = size <= wide ? entry + 4 + wide : (size_t)get(f, entry + 4 + wide, wide);
    made other = {.msb = f->msb};
    put_values(&other, 0, t);
    assert_true(values + size <= f->n && (size <= wide || values % 2 == 0));
    if (memcmp(f->data + values, other.data, size) != 0) {
        fail_msg("%s: tag %u of directory %u has other values", what, t->tag, t->directory);
    }
}

#endif
