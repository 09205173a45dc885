#include "others.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Chunks of PNG, and what note_others() of jpeg_read.c calls markers of JPEG. */
static const struct {
    const char *name, *noun;
} nouns[] = {
    {"acTL", "animation"},
    {"bKGD", "background colour"},
    {"cHRM", "colour primaries"},
    {"cICP", "HDR description"},
    {"cLLI", "HDR description"},
    {"cLLi", "HDR description"},
    {"caBX", "content credentials"},
    {"caNv", "canvas size"},
    {"dSIG", "digital signature"},
    {"eXIf", "EXIF"},
    {"gAMA", "faulty gamma"},
    {"hIST", "histogram"},
    {"iCCP", "faulty colour profile"},
    {"iDOT", "decoder's index"},
    {"mDCV", "HDR description"},
    {"mDCv", "HDR description"},
    {"oFFs", "place on the page"},
    {"pCAL", "calibration"},
    {"pHYs", "faulty resolution"},
    {"PLTE", "suggested palette"},
    {"sBIT", "number of significant bits"},
    {"sCAL", "physical scale"},
    {"sPLT", "suggested palette"},
    {"sRGB", "faulty sRGB mark"},
    {"sTER", "stereo layout"},
    {"vpAg", "canvas size"},
    {"EXIF", "second EXIF"},
    {"XMP", "second XMP"},
    {"MPF", "second picture (such as a gain map)"},
    {"video", "video"},
    {"FPXR", "FlashPix data"},
    {"C2PA", "content credentials"},
    {"APP12", "picture info"},
    {"GeoTIFF", "GeoTIFF data"},
    {"extra", "extra samples"},
    {"page", "page name"},
    {"ImageJ", "ImageJ data"},
    {"damaged", "damaged metadata"},
    {"transfer", "transfer function"},
    {"sizes", "other sizes of the picture"},
};

static const char *find_noun(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++) {
        if (strlen(nouns[i].name) == n && memcmp(nouns[i].name, name, n) == 0) {
            return nouns[i].noun;
        }
    }
    return NULL;
}

/* The name at *at, of *n bytes, and *at behind it; NULL behind the last. */
static const char *next_name(const char **at, size_t *n)
{
    const char *name = *at;
    *n = strcspn(name, ",");
    *at = name + *n + strspn(name + *n, ", ");
    return *n > 0 ? name : NULL;
}

/* Has the noun another name further up in the list? */
static bool is_named(const char *names, const char *end, const char *noun)
{
    const char *at = names, *name;
    size_t n;
    while ((name = next_name(&at, &n)) && name < end) {
        const char *before = find_noun(name, n);
        if (before && strcmp(before, noun) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct sentence {
    char *text;
    size_t bytes, used;
} sentence;

static void add(sentence *s, const char *ahead, const char *word, size_t n)
{
    if (s->used < s->bytes) {
        int added = snprintf(s->text + s->used, s->bytes - s->used, "%s%.*s", ahead, (int)n, word);
        s->used += (size_t)added;
    }
}

int io_describe_others(const char *names, char *text, size_t bytes)
{
    sentence s = {text, bytes, 0};
    const char *at = names, *name, *noun;
    size_t n;
    int known = 0, left, others = 0;
    text[0] = 0;
    while ((name = next_name(&at, &n))) {
        noun = find_noun(name, n);
        known += noun && !is_named(names, name, noun);
        others += !noun;
    }
    left = known;
    for (at = names; (name = next_name(&at, &n));) {
        noun = find_noun(name, n);
        if (noun && !is_named(names, name, noun)) {
            bool last = --left == 0 && others == 0;
            add(&s, s.used == 0 ? "" : last ? " and " : ", ", noun, strlen(noun));
        }
    }
    for (at = names, left = 0; (name = next_name(&at, &n));) {
        if (!find_noun(name, n)) {
            add(&s, left++ ? ", " : known ? " and other data (" : "other data (", name, n);
        }
    }
    add(&s, others ? ")" : "", "", 0);
    return known + (others > 0);
}
