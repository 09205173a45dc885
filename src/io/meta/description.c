/* Checking whether a TIFF's description fits the picture that is written, and making one that
 * fits. */
#include "description.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/memory.h"

/* A text with a zero at its end, as tags have them. */
static const char *text_of(const satf_tag *tag)
{
    return (const char *)tag->values;
}

static bool description_find(const satf_metadata *m, satf_tag *tag)
{
    return satf_tags_find(m->tags, m->tags_bytes, SATF_TAGS_PAGE, SATF_TAG_DESCRIPTION, tag);
}

/* ------------------------------------------------------------------- OME-XML */

/* The '>' that ends a start tag, not one in an attribute's value; NULL: there is none. */
static const char *description_tag_end(const char *at)
{
    char quote = 0;
    for (; *at && (quote || *at != '>'); at++) {
        if (quote || *at == '"' || *at == '\'') {
            quote = !quote ? *at : *at == quote ? 0 : quote;
        }
    }
    return *at ? at : NULL;
}

/* The next start tag of an element Pixels, and where it ends; NULL: there is none. */
static const char *description_next_pixels(const char *at, const char **end)
{
    static const char name[] = "<Pixels";
    while ((at = strstr(at, name))) {
        at += sizeof name - 1;
        *end = description_tag_end(at);
        if (!*end || strchr(" \t\r\n", *at)) {
            return *end ? at : NULL;
        }
    }
    return NULL;
}

/* The value of an attribute, of *n bytes; NULL if it is not there. */
static const char *attribute(const char *from, const char *end, const char *name, size_t *n)
{
    size_t length = strlen(name);
    for (const char *at = from; (at = memmem(at, (size_t)(end - at), name, length)); at++) {
        const char *value = at + length + 2;
        if (strchr(" \t\r\n", at[-1]) && value < end && at[length] == '=' &&
            (value[-1] == '"' || value[-1] == '\'')) {
            const char *behind = memchr(value, value[-1], (size_t)(end - value));
            *n = behind ? (size_t)(behind - value) : 0;
            return behind ? value : NULL;
        }
    }
    return NULL;
}

/* OME's name for the type of the samples that are written; NULL: it has none. */
static const char *ome_type(const io_plan *plan)
{
    switch ((satf_type)plan->out.type) {
    case SATF_U8:
        return plan->bilevel ? "bit" : "uint8";
    case SATF_U16:
        return "uint16";
    case SATF_U32:
        return "uint32";
    case SATF_F32:
        return "float";
    case SATF_F64:
        return "double";
    default:
        return NULL;
    }
}

static bool is_ome(const char *text)
{
    const char *end;
    return strstr(text, "<OME") && description_next_pixels(text, &end);
}

/* The type of the first Pixels, of *n bytes; *same: others have it too. NULL: not all have one. */
static const char *first_type(const char *text, size_t *n, bool *same)
{
    const char *first = NULL, *end;
    *n = 0;
    *same = true;
    for (const char *at = text; (at = description_next_pixels(at, &end)); at = end) {
        size_t bytes;
        const char *value = attribute(at, end, "Type", &bytes);
        if (!value) {
            return NULL;
        }
        if (!first) {
            first = value;
            *n = bytes;
        }
        *same = *same && bytes == *n && memcmp(value, first, bytes) == 0;
    }
    return first;
}

/* Pictures of several types stay as they are, so this one has to as well. */
static bool ome_fits(const char *text, const io_plan *plan)
{
    size_t n;
    bool same;
    const char *type = ome_type(plan), *first = first_type(text, &n, &same);
    return type && first && (same || (n == strlen(type) && memcmp(first, type, n) == 0));
}

/* How many bits of a sample count is not known of another type. */
static void blank_bits(char *text)
{
    const char *end;
    size_t n;
    for (const char *at = text; (at = description_next_pixels(at, &end)); at = end) {
        static const char name[] = "SignificantBits";
        const char *value = attribute(at, end, name, &n);
        if (value) {
            size_t ahead = sizeof name - 1 + 2;
            memset(text + (value - text) - ahead, ' ', ahead + n + 1);
        }
    }
}

/* ------------------------------------------------------- tifffile's and ImageJ's */

/* {"shape": [2, 64, 48], ...}: the last numbers are the page's sides, those in front of them make
 * the number of pages. */
static bool shape_fits(const char *text, const io_plan *plan, int64_t pages)
{
    enum { MOST = 16 };
    const satf_view *v = &plan->out;
    long long sizes[MOST + 1], stacked = 1;
    int count = 0;
    char *end;
    const char *at = strchr(text, '[');
    while (at && *at != ']' && count <= MOST) {
        sizes[count] = strtoll(at + 1, &end, 10);
        if (end == at + 1 || (*end != ',' && *end != ']')) {
            return false;
        }
        count++;
        at = end;
    }
    bool channels = count >= 3 && sizes[count - 1] == v->channels && sizes[count - 2] == v->width;
    count -= channels;
    if (!at || count > MOST || count < 2 || (!channels && v->channels > 1) ||
        sizes[count - 1] != v->width || sizes[count - 2] != v->height) {
        return false;
    }
    for (int i = 0; i < count - 2; i++) {
        if (sizes[i] <= 0 || sizes[i] > pages || stacked > pages / sizes[i]) {
            return false;
        }
        stacked *= sizes[i];
    }
    return stacked == pages;
}

static bool imagej_fits(const char *text, int64_t pages)
{
    const char *images = strstr(text, "\nimages=");
    return !images || strtoll(images + strlen("\nimages="), NULL, 10) == pages;
}

/* ------------------------------------------------------------------------ all */

bool io_description_fits(const satf_metadata *metadata, const io_plan *plan, int64_t pages)
{
    satf_tag tag;
    if (!description_find(metadata, &tag)) {
        return true;
    }
    const char *text = text_of(&tag);
    bool ome = is_ome(text), shape = strncmp(text, "{\"shape\":", 9) == 0,
         imagej = strncmp(text, "ImageJ=", 7) == 0;
    if (!ome && !shape && !imagej) {
        return true;
    }
    if (shape && shape_fits(text, plan, 1)) { /* of this page alone */
        return true;
    }
    return pages == metadata->tags_pages &&
           metadata->tags_samples == (unsigned)plan->out.channels &&
           (!ome || ome_fits(text, plan)) && (!shape || shape_fits(text, plan, pages)) &&
           (!imagej || imagej_fits(text, pages));
}

satf_status io_description_make(satf_context *ctx, const satf_tag *tag, const io_plan *plan,
                                unsigned char **text, size_t *bytes)
{
    const char *from = text_of(tag), *type = ome_type(plan), *end, *had;
    size_t room = tag->bytes, n;
    bool same;
    *text = NULL;
    if (!type || !is_ome(from) || !(had = first_type(from, &n, &same)) || !same ||
        (n == strlen(type) && memcmp(had, type, n) == 0)) {
        return SATF_OK;
    }
    for (const char *at = from; (at = description_next_pixels(at, &end)); at = end) {
        room += strlen(type);
    }
    char *made = satf_alloc(room), *to = made;
    if (!made) {
        return satf_fail_memory(ctx, room, "a TIFF's description");
    }
    for (const char *at = from; (at = description_next_pixels(at, &end)); at = end) {
        const char *value = attribute(at, end, "Type", &n);
        to = mempcpy(to, from, (size_t)(value - from));
        to = mempcpy(to, type, strlen(type));
        from = value + n;
    }
    to = mempcpy(to, from, tag->bytes - (size_t)(from - text_of(tag)));
    blank_bits(made);
    *text = (unsigned char *)made;
    *bytes = (size_t)(to - made);
    return SATF_OK;
}
