/* The places of a TIFF's pages: its directories, one behind the other in a chain, are looked
 * through without libtiff, which would decode each. */
#include <string.h>

#include "tiff_common.h"

/* More than any file of pages has; a chain of little directories may be as long as its file. */
enum { MOST_PAGES = 1 << 20 };

typedef struct directory {
    uint32_t kind;    /* of picture, by TIFF's tag 254 */
    uint64_t entries; /* of this one and all before it */
} directory;

static bool tiff_pages_take_entry(void *user, const io_tiff_layout *l, const io_tiff_found *e)
{
    directory *d = user;
    d->entries++;
    if (e->tag == TIFFTAG_SUBFILETYPE && e->type == TIFF_LONG) {
        d->kind = (uint32_t)io_tiff_number(l, e->first, 4);
    }
    return true;
}

/* Directories that lie apart have no more entries than the file has room for; a circle is seen up
 * to four times before it is noticed. */
static bool overlap(const io_tiff_state *t, const io_tiff_layout *l, const directory *d)
{
    return d->entries > 4 * (uint64_t)t->source->bytes / (l->big ? 20 : 12);
}

static satf_status tiff_pages_keep(io_tiff_state *t, uint64_t at)
{
    if (t->page_count == t->page_room) {
        int64_t room = t->page_room ? 2 * t->page_room : 16;
        size_t bytes = (size_t)room * sizeof *t->page_at;
        uint64_t *larger = satf_grow(t->page_at, (size_t)t->page_count * sizeof *larger, bytes);
        if (!larger) {
            return satf_fail_memory(t->ctx, bytes, "a list of pages");
        }
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

/* The number of directories, each counted once, of a chain whose last ones, `length` of them, lead
 * back to the first of these. */
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
    io_tiff_layout l;
    uint64_t at = io_tiff_read_lead(t, &l), next;
    directory d = {.kind = 0};
    int64_t watched = 0; /* a circle meets the directory of a power of 2 again */
    satf_status status = SATF_OK;
    for (; at && !(at & NO_PAGE) && io_tiff_walk(t, &l, at, tiff_pages_take_entry, &d, &next);
         at = next, d.kind = 0) {
        status = tiff_pages_keep(t, is_page(d.kind) ? at : at | NO_PAGE);
        status = status ? status : satf_tick(t->ctx);
        if (!status && overlap(t, &l, &d)) {
            status = satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: its directories overlap");
        }
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
                           "raw files have them; " IO_RAW_ADVICE)
               : satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: it has no whole directory");
}
