/* Properties in a JPEG's XMP that speak of pictures or videos behind the picture. */
#include "xmp_links.h"

#include <stdbool.h>
#include <string.h>

/* Properties of a namespace whose names begin so; "": all. */
static const struct {
    const char *space, *property;
    unsigned points_at;
} links[] = {
    {"http://ns.google.com/photos/1.0/camera/", "MotionPhoto", IO_XMP_VIDEO},
    {"http://ns.google.com/photos/1.0/camera/", "MicroVideo", IO_XMP_VIDEO},
    {"http://ns.google.com/photos/1.0/container/", "", IO_XMP_PICTURE},
    {"http://ns.google.com/photos/dd/1.0/device/", "", IO_XMP_PICTURE},
    {"http://ns.adobe.com/hdr-gain-map/1.0/", "", IO_XMP_PICTURE},
    {"http://ns.apple.com/HDRGainMap/1.0/", "", IO_XMP_PICTURE},
    {"http://ns.adobe.com/xmp/note/", "HasExtendedXMP", IO_XMP_MORE},
};
enum { LINKS = sizeof links / sizeof *links };

/* A piece of text: a name, a value. */
typedef struct word {
    const char *at;
    size_t n;
} word;

static bool same(word a, word b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* ---------------------------------------------------------------- markup */

/* A tag, or what else stands between '<' and '>'. */
typedef struct markup {
    enum { START_TAG, END_TAG, NO_TAG } kind;
    const char *from, *to; /* from '<' to behind '>' */
    word name;             /* of a tag, with its prefix */
    bool empty;            /* a start tag without end tag */
} markup;

/* The place behind `last`; NULL if it does not come. */
static const char *xmp_behind(const char *at, const char *end, const char *last)
{
    const char *found = memmem(at, (size_t)(end - at), last, strlen(last));
    return found ? found + strlen(last) : NULL;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && !is_space(*at) && !strchr("=/<>\"'", *at)) {
        at++;
    }
    return at;
}

const char *io_xmp_behind_tag(const char *at, const char *end)
{
    while (at && at < end && *at != '>') {
        char quote[] = {*at, 0};
        at = *at == '"' || *at == '\'' ? xmp_behind(at + 1, end, quote) : at + 1;
    }
    return at && at < end ? at + 1 : NULL;
}

/* The next markup from `at` on; false if there is none that ends. */
static bool next_markup(const char *at, const char *end, markup *m)
{
    *m = (markup){.kind = NO_TAG, .from = memchr(at, '<', (size_t)(end - at))};
    if (!m->from || end - m->from < 2) {
        return false;
    }
    at = m->from + 1;
    size_t left = (size_t)(end - at);
    if (left >= 3 && memcmp(at, "!--", 3) == 0) {
        m->to = xmp_behind(at + 3, end, "-->");
    } else if (left >= 8 && memcmp(at, "![CDATA[", 8) == 0) {
        m->to = xmp_behind(at + 8, end, "]]>");
    } else if (*at == '?' || *at == '!') {
        m->to = xmp_behind(at, end, *at == '?' ? "?>" : ">");
    } else {
        bool closes = *at == '/';
        at += closes;
        m->name = (word){at, (size_t)(skip_name(at, end) - at)};
        m->kind = m->name.n == 0 ? NO_TAG : closes ? END_TAG : START_TAG;
        m->to = io_xmp_behind_tag(at, end);
        m->empty = m->to && m->to[-2] == '/';
    }
    return m->to != NULL;
}

/* The place behind the end tag of the element; NULL if it has none. */
static const char *behind_element(const markup *start, const char *end)
{
    markup m = *start;
    int depth = 1;
    while (depth > 0 && !start->empty) {
        if (!next_markup(m.to, end, &m)) {
            return NULL;
        }
        bool counts = m.kind != NO_TAG && same(m.name, start->name);
        depth += !counts ? 0 : m.kind == END_TAG ? -1 : !m.empty;
    }
    return m.to;
}

/* The tag's next attribute from *at on, over which *at moves; false if there is none. */
static bool next_attribute(const char **at, const char *end, word *name, word *value)
{
    *at = skip_spaces(*at, end);
    name->at = *at;
    name->n = (size_t)(skip_name(*at, end) - *at);
    const char *equals = skip_spaces(*at + name->n, end);
    if (name->n == 0 || equals >= end || *equals != '=') {
        return false;
    }
    const char *quote = skip_spaces(equals + 1, end);
    if (quote >= end || (*quote != '"' && *quote != '\'')) {
        return false;
    }
    value->at = quote + 1;
    const char *last = memchr(value->at, *quote, (size_t)(end - value->at));
    if (!last) {
        return false;
    }
    value->n = (size_t)(last - value->at);
    *at = last + 1;
    return true;
}

/* ---------------------------------------------------------------- namespaces */

/* Which namespaces of the table prefixes stand for: in all of the packet, for nobody gives a prefix
 * two meanings there. Copies, since the packet changes. */
enum { PREFIXES = 16, PREFIX_BYTES = 32 };
typedef struct prefixes {
    char text[PREFIXES][PREFIX_BYTES]; /* of so many bytes */
    size_t n[PREFIXES];
    const char *space[PREFIXES];
    int count;
} prefixes;

static void add_prefix(prefixes *all, word prefix, word space)
{
    for (int i = 0; i < LINKS; i++) {
        bool known = same(space, (word){links[i].space, strlen(links[i].space)});
        if (known && prefix.n <= PREFIX_BYTES && all->count < PREFIXES) {
            memcpy(all->text[all->count], prefix.at, prefix.n);
            all->n[all->count] = prefix.n;
            all->space[all->count++] = links[i].space;
            return;
        }
    }
}

static void find_prefixes(const char *xmp, const char *end, prefixes *all)
{
    static const char lead[] = "xmlns:";
    const size_t lead_bytes = sizeof lead - 1;
    markup m = {.to = xmp};
    all->count = 0;
    while (next_markup(m.to, end, &m)) {
        const char *at = m.kind == START_TAG ? m.name.at + m.name.n : NULL;
        word name, space;
        while (at && next_attribute(&at, m.to, &name, &space)) {
            if (name.n > lead_bytes && memcmp(name.at, lead, lead_bytes) == 0) {
                add_prefix(all, (word){name.at + lead_bytes, name.n - lead_bytes}, space);
            }
        }
    }
}

/* What the property of that name points at; 0: nothing that is missing. */
static unsigned points_at(const prefixes *all, word name)
{
    const char *colon = memchr(name.at, ':', name.n);
    if (!colon) {
        return 0;
    }
    word prefix = {name.at, (size_t)(colon - name.at)},
         property = {colon + 1, name.n - prefix.n - 1};
    for (int k = 0; k < all->count; k++) {
        for (int i = 0; i < LINKS && same(prefix, (word){all->text[k], all->n[k]}); i++) {
            size_t n = strlen(links[i].property);
            if (strcmp(all->space[k], links[i].space) == 0 && property.n >= n &&
                memcmp(property.at, links[i].property, n) == 0) {
                return links[i].points_at;
            }
        }
    }
    return 0;
}

/* --------------------------------------------------------------------- cutting */

/* The packet that is left, which overwrites the one that was. */
typedef struct cut {
    char *to;
    const char *end;
    prefixes all;
    unsigned found;
} cut;

static void xmp_keep(cut *c, const char *from, const char *to)
{
    memmove(c->to, from, (size_t)(to - from));
    c->to += to - from;
}

/* The tag without attributes that point at what is missing. */
static void keep_tag(cut *c, const markup *m)
{
    const char *kept = m->from, *at = m->name.at + m->name.n;
    word name, value;
    for (const char *from = at; next_attribute(&at, m->to, &name, &value); from = at) {
        unsigned to = points_at(&c->all, name);
        c->found |= to;
        if (to) {
            xmp_keep(c, kept, from);
            kept = at;
        }
    }
    xmp_keep(c, kept, m->to);
}

/* A directory of a file's parts says what they are. */
static unsigned parts_of(const char *from, const char *to, unsigned found)
{
    static const char video[] = "MotionPhoto", map[] = "GainMap";
    size_t n = (size_t)(to - from);
    bool has_video = found == IO_XMP_PICTURE && memmem(from, n, video, sizeof video - 1);
    bool has_map = memmem(from, n, map, sizeof map - 1) != NULL;
    return !has_video ? found : has_map ? found | IO_XMP_VIDEO : IO_XMP_VIDEO;
}

size_t io_xmp_drop_links(char *xmp, size_t bytes, unsigned *found)
{
    cut c = {.to = xmp, .end = xmp + bytes};
    const char *at = xmp;
    markup m;
    find_prefixes(xmp, c.end, &c.all);
    while (c.all.count > 0 && next_markup(at, c.end, &m)) {
        unsigned to = m.kind == START_TAG ? points_at(&c.all, m.name) : 0;
        const char *next = to ? behind_element(&m, c.end) : m.to;
        if (!next) {
            break;
        }
        xmp_keep(&c, at, m.from);
        if (to) {
            c.found |= parts_of(m.from, next, to);
        } else if (m.kind == START_TAG) {
            keep_tag(&c, &m);
        } else {
            xmp_keep(&c, m.from, m.to);
        }
        at = next;
    }
    xmp_keep(&c, at, c.end);
    *found = c.found;
    return (size_t)(c.to - xmp);
}
