/* The table of other libraries' names of borders. */
#include "borders.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* `reflect` means here what OpenCV and scipy call so; numpy.pad's is mirror. */
static const struct {
    const char *ours, *elsewhere;
    const char *theirs[6]; /* that are no names here */
} borders[] = {
    {"clamp",
     "OpenCV REPLICATE; scipy.ndimage nearest; numpy.pad edge",
     {"replicate", "nearest", "edge"}},
    {"mirror",
     "OpenCV REFLECT_101; scipy.ndimage mirror; numpy.pad reflect",
     {"reflect101", "reflect_101", "reflect-101"}},
    {"reflect",
     "OpenCV REFLECT; scipy.ndimage reflect; numpy.pad symmetric",
     {"symmetric", "grid-mirror"}},
    {"wrap", "OpenCV WRAP; scipy.ndimage grid-wrap; numpy.pad wrap", {"grid-wrap", "periodic"}},
    {"constant:0", NULL, {"constant", "grid-constant", "zero", "zeros"}},
    {"constant", "OpenCV CONSTANT; scipy.ndimage constant; numpy.pad constant", {NULL}},
    {"shrink", NULL, {NULL}},
    {"valid", "scipy.signal valid; MATLAB conv2 valid; numpy.convolve valid", {NULL}},
};

enum { BORDERS = sizeof borders / sizeof *borders };

static int equal(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

const char *border_meant(const char *message)
{
    static const char prefix[] = "BORDER_";
    const size_t prefix_length = sizeof prefix - 1;
    const char *start = strchr(message, '\''), *end = strstr(message, "' is no border");
    if (!start || !end || end <= start) {
        return NULL;
    }
    start++;
    size_t length = (size_t)(end - start);
    if (length > prefix_length && strncasecmp(start, prefix, prefix_length) == 0) {
        start += prefix_length;
        length -= prefix_length;
    }
    for (size_t i = 0; i < BORDERS; i++) {
        const char *const *word = borders[i].theirs;
        while (*word && !equal(start, length, *word)) {
            word++;
        }
        if (*word || equal(start, length, borders[i].ours)) {
            return borders[i].ours;
        }
    }
    return NULL;
}

const char *border_elsewhere(const char *name)
{
    for (size_t i = 0; i < BORDERS; i++) {
        if (strcmp(borders[i].ours, name) == 0) {
            return borders[i].elsewhere;
        }
    }
    return NULL;
}
