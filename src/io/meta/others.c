/* The sentences that say what is not kept of a file. */
#include "others.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../codec.h"

/* Chunks of PNG, and what name_other() of jpeg_read.c calls segments of JPEG. */
static const struct {
    const char *name, *noun, *verb;
} nouns[] = {
    {"acTL", "animation", "is"},
    {"bKGD", "background colour", "is"},
    {"cHRM", "colour primaries", "are"},
    {"cICP", "HDR description", "is"},
    {"cLLI", "HDR description", "is"},
    {"cLLi", "HDR description", "is"},
    {"caBX", "content credentials", "are"},
    {"caNv", "canvas size", "is"},
    {"dSIG", "digital signature", "is"},
    {"eXIf", "EXIF", "is"},
    {"gAMA", "faulty gamma", "is"},
    {"hIST", "histogram", "is"},
    {"iCCP", "colour profile, which is faulty (the pixels are not converted),", "is"},
    {"iDOT", "decoder's index", "is"},
    {"mDCV", "HDR description", "is"},
    {"mDCv", "HDR description", "is"},
    {"oFFs", "place on the page", "is"},
    {"pCAL", "calibration", "is"},
    {"pHYs", "faulty resolution", "is"},
    {"PLTE", "suggested palette", "is"},
    {"sBIT", "number of significant bits", "is"},
    {"sCAL", "physical scale", "is"},
    {"sPLT", "suggested palette", "is"},
    {"sRGB", "faulty sRGB mark", "is"},
    {"sTER", "stereo layout", "is"},
    {"vpAg", "canvas size", "is"},
    {"EXIF", "second EXIF", "is"},
    {"XMP", "second XMP", "is"},
    {"MPF", "second picture (such as a gain map)", "is"},
    {"video", "video", "is"},
    {"FPXR", "FlashPix data", "is"},
    {"C2PA", "content credentials", "are"},
    {"APP12", "picture info", "is"},
    {"GeoTIFF", "GeoTIFF data", "is"},
    {"extra", "extra samples", "are"},
    {"page", "page name", "is"},
    {"ImageJ", "ImageJ data", "is"},
    {"damaged", "damaged metadata", "is"},
    {"transfer", "transfer function", "is"},
    {"sizes", "other sizes of the picture", "are"},
    {"clip", "clipping path", "is"},
    {"profile", "colour profile", "is"},
    {"packet", "XMP", "is"},
    {"IPTC", "IPTC", "is"},
    {"print", "printing hints", "are"},
};

typedef struct sentence {
    char *text;
    size_t bytes, used;
    int things, left; /* that it names in all, and still */
    const char *verb; /* that they take; NULL: there are none */
} sentence;

static void add_text(sentence *s, const char *text, size_t n)
{
    if (s->used < s->bytes) {
        s->used += (size_t)snprintf(s->text + s->used, s->bytes - s->used, "%.*s", (int)n, text);
    }
}

/* The next of its things. */
static void add_thing(sentence *s, const char *noun, const char *verb)
{
    const char *ahead = s->left == s->things ? "" : s->left == 1 ? " and " : ", ";
    add_text(s, ahead, strlen(ahead));
    add_text(s, noun, strlen(noun));
    s->left--;
    s->verb = s->things > 1 ? "are" : verb;
}

static sentence others_begin(char *text, size_t bytes, int things)
{
    text[0] = 0;
    return (sentence){.text = text, .bytes = bytes, .things = things, .left = things};
}

/* ------------------------------------------------------------------- by name */

enum { NOUNS = sizeof nouns / sizeof *nouns };

/* Its place in the list; NOUNS: it has none. */
static size_t find_noun(const char *name, size_t n)
{
    size_t i = 0;
    while (i < NOUNS && (strlen(nouns[i].name) != n || memcmp(nouns[i].name, name, n) != 0)) {
        i++;
    }
    return i;
}

/* The name at *at, of *n bytes, and *at behind it; NULL behind the last. */
static const char *next_name(const char **at, size_t *n)
{
    const char *name = *at;
    *n = strcspn(name, ",");
    *at = name + *n + strspn(name + *n, ", ");
    return *n > 0 ? name : NULL;
}

/* The noun of the name if none further up in the list has it too; else NOUNS. */
static size_t new_noun(const char *names, const char *name, size_t n)
{
    size_t own = find_noun(name, n), m;
    const char *at = names, *before;
    while (own < NOUNS && (before = next_name(&at, &m)) && before < name) {
        size_t other = find_noun(before, m);
        if (other < NOUNS && strcmp(nouns[other].noun, nouns[own].noun) == 0) {
            return NOUNS;
        }
    }
    return own;
}

const char *io_describe_others(const char *names, char *text, size_t bytes)
{
    const char *at = names, *name;
    size_t n, noun;
    int known = 0, others = 0;
    while ((name = next_name(&at, &n))) {
        known += new_noun(names, name, n) < NOUNS;
        others += find_noun(name, n) == NOUNS;
    }
    sentence s = others_begin(text, bytes, known + (others > 0));
    for (at = names; (name = next_name(&at, &n));) {
        noun = new_noun(names, name, n);
        if (noun < NOUNS) {
            add_thing(&s, nouns[noun].noun, nouns[noun].verb);
        }
    }
    if (others) {
        add_thing(&s, "other data (", "is");
    }
    for (at = names; (name = next_name(&at, &n));) {
        if (find_noun(name, n) == NOUNS) {
            add_text(&s, name, n);
            add_text(&s, --others ? ", " : ")", 2);
        }
    }
    return s.verb;
}

/* ------------------------------------------------------------------- by kind */

#define NOUN(NAME, noun) noun,
static const char *const kinds[] = {IO_KINDS(NOUN)};

/* Does EXIF tell of the resolution, as exactly as the other formats do? */
static bool is_in_exif(const satf_metadata *m)
{
    const double near = 1e-3, metre = 0.5; /* of a PNG, which has whole pixels a metre */
    double x, y;
    int unit;
    return satf_exif_resolution(m->exif, m->exif_bytes, &x, &y, &unit) &&
           unit == m->resolution_unit && fabs(x - m->resolution_x) <= near * x + metre &&
           fabs(y - m->resolution_y) <= near * y + metre;
}

/* Has a format that keeps resolutions room for the picture's? */
static bool others_has_room(const io_format *format, const satf_metadata *m)
{
    return !format->keeps_resolution || format->keeps_resolution(m);
}

/* The kinds of colour that the file says: profile, gamma and primaries. */
static unsigned colour_kinds(const satf_metadata *m, int channels)
{
    unsigned char made[IO_ICC_BYTES];
    if (m->icc) {
        return io_icc_fits(m, 1) ? IO_KEEPS_GREY_ICC : IO_KEEPS_ICC;
    }
    return io_make_icc(m, channels < 3 ? 1 : 3, made) ? IO_KEEPS_COLOURS : 0;
}

unsigned io_find_lost(const io_plan *plan, const satf_metadata *m)
{
    const io_format *to = plan->format;
    unsigned has = colour_kinds(m, plan->out.channels), lost;
    for (int i = 0; i < SATF_HDR_KINDS; i++) {
        has |= m->has_hdr[i] ? IO_KEEPS_HDR : 0;
    }
    has |= satf_exif_orientation(m->exif, m->exif_bytes) > 1 ? IO_KEEPS_ORIENTATION : 0;
    has |= satf_exif_says_more(m->exif, m->exif_bytes) ? IO_KEEPS_EXIF : 0;
    has |= m->xmp ? IO_KEEPS_XMP : 0;
    has |= m->iptc ? IO_KEEPS_IPTC : 0;
    has |= m->has_resolution ? IO_KEEPS_RESOLUTION : 0;
    lost = has & ~to->keeps;
    if ((has & IO_KEEPS_RESOLUTION) && !others_has_room(to, m)) {
        lost |= IO_KEEPS_RESOLUTION;
    }
    if ((to->keeps & IO_KEEPS_EXIF) && is_in_exif(m)) {
        lost &= ~(unsigned)IO_KEEPS_RESOLUTION;
    }
    return lost;
}

const char *io_describe_lost(unsigned lost, char *text, size_t bytes)
{
    sentence s = others_begin(text, bytes, __builtin_popcount(lost));
    for (int i = 0; i < IO_KIND_COUNT; i++) {
        if (lost >> i & 1) {
            add_thing(&s, kinds[i], "is");
        }
    }
    return s.verb;
}

void io_name_keepers(unsigned lost, const satf_metadata *m, char *text, size_t bytes)
{
    const io_format *keeper[2] = {NULL, NULL};
    int count = 0;
    for (size_t i = 0; io_format_at(i) && count < 2; i++) {
        const io_format *format = io_format_at(i);
        if ((format->keeps & lost) == lost &&
            (!(lost & IO_KEEPS_RESOLUTION) || others_has_room(format, m))) {
            keeper[count++] = format;
        }
    }
    sentence s = others_begin(text, bytes, count);
    for (int i = 0; i < count; i++) {
        char name[16] = "";
        for (size_t k = 0; keeper[i]->name[k] && k < sizeof name - 1; k++) {
            name[k] = (char)toupper((unsigned char)keeper[i]->name[k]);
        }
        add_thing(&s, name, "can");
    }
}
