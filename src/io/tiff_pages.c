/* Where a TIFF's pages are: its directories, one behind the other in a chain, are looked through
 * without libtiff, which would decode each. */
#include <string.h>

#include "tiff_common.h"

/* More than any file of pages has; a chain of little directories may be as long as its file. */
enum { MOST_PAGES = 1 << 20 };

/* How a file's numbers stand in it. */
typedef struct layout {
    bool swapped, big;
} layout;

static uint64_t number(const layout *l, const unsigned char *at, size_t bytes)
{
    unsigned char own[8];
    memcpy(own, at, bytes);
    if (l->swapped && bytes > 1) {
        io_swap_bytes(own, 1, bytes);
    }
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    memcpy(&u16, own, sizeof u16);
    memcpy(&u32, own, sizeof u32);
    memcpy(&u64, own, sizeof u64);
    return bytes == 2 ? u16 : bytes == 4 ? u32 : u64;
}

static bool look(const io_tiff_state *t, uint64_t at, void *to, size_t bytes)
{
    return at <= INT64_MAX && io_source_look(t->source, (int64_t)at, to, bytes) == bytes;
}

/* The first directory's offset; 0: there is none. */
static uint64_t read_lead(const io_tiff_state *t, layout *l)
{
    unsigned char lead[16] = {0};
    if (!look(t, 0, lead, 8)) {
        return 0;
    }
    bool big_endian = lead[0] == 'M';
    l->swapped = big_endian == IO_LITTLE_ENDIAN;
    l->big = lead[2] == '+' || lead[3] == '+';
    return l->big ? look(t, 0, lead, 16) ? number(l, lead + 8, 8) : 0 : number(l, lead + 4, 4);
}

/* What sort of picture the directory is of, by TIFF's tag 254, and where the next one is; 0: it is
 * the last. False: the file ends in it. */
static bool read_directory(const io_tiff_state *t, const layout *l, uint64_t at, uint32_t *kind,
                           uint64_t *next)
{
    enum { CHUNK = 64 };
    size_t n_bytes = l->big ? 8 : 2, entry = l->big ? 20 : 12, offset = l->big ? 8 : 4;
    unsigned char entries[CHUNK * 20];
    *kind = 0;
    *next = 0;
    if (!look(t, at, entries, n_bytes)) {
        return false;
    }
    uint64_t count = number(l, entries, n_bytes);
    at += n_bytes;
    if (count > UINT16_MAX) {
        return false;
    }
    for (uint64_t i = 0; i < count; i += CHUNK) {
        size_t n = count - i < CHUNK ? (size_t)(count - i) : CHUNK;
        if (!look(t, at + i * entry, entries, n * entry)) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const unsigned char *e = entries + k * entry;
            bool is_long = number(l, e + 2, 2) == TIFF_LONG;
            *kind = number(l, e, 2) == TIFFTAG_SUBFILETYPE && is_long
                        ? (uint32_t)number(l, e + 4 + offset, 4)
                        : *kind;
        }
    }
    if (look(t, at + count * entry, entries, offset)) { /* else it is the last: some lack it */
        *next = number(l, entries, offset);
    }
    return true;
}

static satf_status keep(io_tiff_state *t, uint64_t at)
{
    if (t->page_count == t->page_room) {
        int64_t room = t->page_room ? 2 * t->page_room : 16;
        uint64_t *larger = satf_alloc((size_t)room * sizeof *larger);
        if (!larger) {
            return satf_fail_memory(t->ctx, (size_t)room * sizeof *larger, "a list of pages");
        }
        if (t->page_count) {
            memcpy(larger, t->page_at, (size_t)t->page_count * sizeof *larger);
        }
        satf_free(t->page_at);
        t->page_at = larger;
        t->page_room = room;
    }
    t->page_at[t->page_count++] = at;
    return SATF_OK;
}

/* Small copies and masks are no pages of their own. */
static bool is_page(uint32_t kind)
{
    return !(kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK));
}

/* Directories that are no pages are marked, for they count where a circle is looked for. */
#define NO_PAGE ((uint64_t)1 << 63)

/* Of a chain whose last directories, so many, lead back to the first of them: each once. */
static int64_t cut_circle(const uint64_t *at, int64_t count, int64_t length)
{
    int64_t lead = 0;
    while (lead + length < count && at[lead] != at[lead + length]) {
        lead++;
    }
    return lead + length < count ? lead + length : count;
}

static int64_t keep_pages(uint64_t *at, int64_t count)
{
    int64_t pages = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!(at[i] & NO_PAGE)) {
            at[pages++] = at[i];
        }
    }
    return pages;
}

/* A chain that runs in a circle, or out of the file, ends there: what is in front of that is read.
 */
satf_status io_tiff_find_pages(io_tiff_state *t)
{
    layout l;
    uint64_t at = read_lead(t, &l), next;
    uint32_t kind;
    int64_t watched = 0; /* a circle meets the directory of a power of 2 again */
    satf_status status = SATF_OK;
    for (; at && !(at & NO_PAGE) && read_directory(t, &l, at, &kind, &next); at = next) {
        status = keep(t, is_page(kind) ? at : at | NO_PAGE);
        status = status ? status : satf_tick(t->ctx);
        if (!status && t->page_count > MOST_PAGES) {
            status = satf_fail(t->ctx, SATF_LIMIT, "a TIFF of more than %d pages", MOST_PAGES);
        }
        if (status) {
            return status;
        }
        if (next == (t->page_at[watched] & ~NO_PAGE)) {
            t->page_count = cut_circle(t->page_at, t->page_count, t->page_count - watched);
            break;
        }
        if ((t->page_count & (t->page_count - 1)) == 0) {
            watched = t->page_count - 1;
        }
    }
    int64_t directories = t->page_count;
    t->page_count = keep_pages(t->page_at, directories);
    return t->page_count ? SATF_OK
           : directories
               ? satf_fail(t->ctx, SATF_UNSUPPORTED,
                           "a TIFF of nothing but small copies of a picture, as cameras' "
                           "raw files have them")
               : satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: it has no whole directory");
}
