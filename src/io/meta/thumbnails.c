/* Small pictures in blocks of metadata, which show what a filter was meant to hide. */
#include <string.h>

#include "exif.h"
#include "../../base/image.h"
#include "../../base/memory.h"
#include "../numbers.h"
#include "xmp_links.h"

/* ------------------------------------------------------------------------ XMP */

static bool thumbnails_is_name(unsigned char c)
{
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

/* A start tag, from its '<' to behind its '>'. */
typedef struct tag {
    const char *from, *name, *to;
    size_t name_bytes; /* prefix included */
    bool empty;        /* no end tag belongs to it */
} tag;

/* The next start tag of an element Thumbnails, of any prefix. false: there is none. found->to is
 * NULL if it does not end. */
static bool find_thumbnails(const char *at, const char *end, tag *found)
{
    static const char word[] = "Thumbnails";
    const size_t word_bytes = sizeof word - 1;
    const char *start = at;
    while ((at = memmem(at, (size_t)(end - at), word, word_bytes))) {
        const char *name = at, *behind = at + word_bytes;
        if (name > start && name[-1] == ':') {
            name--;
            while (name > start && thumbnails_is_name((unsigned char)name[-1])) {
                name--;
            }
        }
        if (name > start && name[-1] == '<' && behind < end &&
            !thumbnails_is_name((unsigned char)*behind) && *behind != ':') {
            *found = (tag){name - 1, name, io_xmp_behind_tag(behind, end), (size_t)(behind - name),
                           false};
            found->empty = found->to && found->to[-2] == '/';
            return true;
        }
        at = behind;
    }
    return false;
}

/* The place behind the end tag of that name; NULL if there is none. */
static const char *find_end_tag(const char *at, const char *end, const tag *start)
{
    while ((at = memmem(at, (size_t)(end - at), "</", 2))) {
        at += 2;
        if ((size_t)(end - at) > start->name_bytes &&
            memcmp(at, start->name, start->name_bytes) == 0 &&
            !thumbnails_is_name((unsigned char)at[start->name_bytes])) {
            return io_xmp_behind_tag(at, end);
        }
    }
    return NULL;
}

/* Returns how many bytes are left. An element that does not end makes the packet useless to
 * those who would read it, and takes all of it along. */
static size_t cut_xmp(char *xmp, size_t bytes)
{
    const char *at = xmp, *end = xmp + bytes;
    char *to = xmp;
    tag start;
    while (find_thumbnails(at, end, &start)) {
        const char *behind =
            start.to && !start.empty ? find_end_tag(start.to, end, &start) : start.to;
        if (!behind) {
            return 0;
        }
        size_t kept = (size_t)(start.from - at);
        memmove(to, at, kept);
        to += kept;
        at = behind;
    }
    memmove(to, at, (size_t)(end - at));
    return (size_t)(to - xmp) + (size_t)(end - at);
}

/* ------------------------------------------------------- Photoshop's resources */

/* Those of Photoshop's family. */
static bool is_signature(const unsigned char *at)
{
    static const char *const known[] = {"8BIM", "MeSa", "AgHg", "PHUT", "DCSR"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (memcmp(at, known[i], 4) == 0) {
            return true;
        }
    }
    return false;
}

/* Bytes of the resource at the start: signature, number, name, size, data, the last two of even
 * length; 0 if it is none. */
static size_t resource_bytes(const unsigned char *at, size_t left)
{
    enum { LEAD = 6, SIZE = 4 };
    if (left < LEAD + 2 + SIZE || !is_signature(at)) {
        return 0;
    }
    size_t name = ((size_t)at[LEAD] + 2) & ~(size_t)1;
    if (left < LEAD + name + SIZE) {
        return 0;
    }
    size_t data = io_load_big(at + LEAD + name, SIZE);
    size_t room = left - LEAD - name - SIZE;
    if (data > room) {
        return 0;
    }
    return LEAD + name + SIZE + data + (data % 2 && data < room);
}

/* Returns how many bytes are left. What is no resource goes: nobody can tell what it holds. */
static size_t cut_resources(unsigned char *block, size_t bytes)
{
    enum { THUMBNAIL_BGR = 0x0409, THUMBNAIL = 0x040c };
    size_t at = 0, kept = 0, n;
    while ((n = resource_bytes(block + at, bytes - at)) > 0) {
        uint64_t number = io_load_big(block + at + 4, 2);
        if (number != THUMBNAIL && number != THUMBNAIL_BGR) {
            memmove(block + kept, block + at, n);
            kept += n;
        }
        at += n;
    }
    satf_blank_jpegs(block, kept);
    return kept;
}

/* ------------------------------------------------------------------------ all */

static void forget_if_empty(unsigned char **block, size_t bytes)
{
    if (bytes == 0) {
        satf_free(*block);
        *block = NULL;
    }
}

void satf_metadata_drop_thumbnails(satf_metadata *m)
{
    if (m->exif) {
        m->exif_bytes = satf_exif_drop_thumbnails(m->exif, m->exif_bytes);
        forget_if_empty(&m->exif, m->exif_bytes);
    }
    if (m->xmp) {
        m->xmp_bytes = cut_xmp((char *)m->xmp, m->xmp_bytes);
        forget_if_empty(&m->xmp, m->xmp_bytes);
    }
    if (m->iptc) {
        m->iptc_bytes = cut_resources(m->iptc, m->iptc_bytes);
        forget_if_empty(&m->iptc, m->iptc_bytes);
    }
}
