/* The rectangles of a template: from memory, and from files. A line is `x y w h weight`, the weight
 * a number or a fraction such as -1/2601; # begins a comment. Some editors put the three bytes of a
 * UTF-8 byte order mark before the first line. */
#include "rects.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/number.h"

const char *filter_rect_defect(const satf_weighted_rect *rect)
{
    const satf_rect *r = &rect->rect;
    if (r->w < 1 || r->w > FILTER_MAX_SIZE || r->h < 1 || r->h > FILTER_MAX_SIZE) {
        return "its width and height must be 1 to 65535";
    }
    if (r->x < -FILTER_MAX_OFFSET || r->x > FILTER_MAX_OFFSET || r->y < -FILTER_MAX_OFFSET ||
        r->y > FILTER_MAX_OFFSET) {
        return "its x and y must lie within 1073741824 of 0";
    }
    return isfinite(rect->weight) ? NULL : "its weight must be a finite number";
}

satf_status filter_rects_make(satf_context *ctx, const satf_weighted_rect *rects, size_t count,
                              filter_rects **out)
{
    *out = NULL;
    if (count < 1 || count > FILTER_MAX_RECTS) {
        return satf_fail(ctx, SATF_INVALID, "a template of %zu rectangles: 1 to %d are possible",
                         count, FILTER_MAX_RECTS);
    }
    for (size_t k = 0; k < count; k++) {
        const char *defect = filter_rect_defect(&rects[k]);
        if (defect) {
            return satf_fail(ctx, SATF_INVALID, "rectangle %zu of the template: %s", k, defect);
        }
    }
    size_t bytes = sizeof **out + count * sizeof *rects;
    filter_rects *made = satf_alloc(bytes);
    if (!made) {
        return satf_fail_memory(ctx, bytes, "a template");
    }
    atomic_init(&made->users, 1);
    made->count = count;
    memcpy(made->items, rects, count * sizeof *rects);
    *out = made;
    return SATF_OK;
}

void filter_rects_share(filter_rects *rects)
{
    if (rects) {
        atomic_fetch_add(&rects->users, 1);
    }
}

void filter_rects_release(filter_rects *rects)
{
    if (rects && atomic_fetch_sub(&rects->users, 1) == 1) {
        satf_free(rects);
    }
}

static void rects_grow(int64_t *start, int64_t *length, int64_t other_start, int64_t other_length)
{
    int64_t end = *start + *length, other_end = other_start + other_length;
    *start = other_start < *start ? other_start : *start;
    *length = (other_end > end ? other_end : end) - *start;
}

void filter_rect_around(satf_rect *rect, const satf_rect *with)
{
    rects_grow(&rect->x, &rect->w, with->x, with->w);
    rects_grow(&rect->y, &rect->h, with->y, with->h);
}

satf_rect filter_rects_hull(const filter_rects *rects)
{
    satf_rect hull = rects->items[0].rect;
    for (size_t k = 1; k < rects->count; k++) {
        filter_rect_around(&hull, &rects->items[k].rect);
    }
    return hull;
}

/* --------------------------------------------------------------------- files */

enum { LINE_BYTES = 512 };

static bool rects_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void rects_skip_blanks(char **text)
{
    while (rects_is_blank(**text)) {
        ++*text;
    }
}

/* Reads the next word of *text as an integer; false if it is none. */
static bool rects_next_integer(char **text, int64_t *value)
{
    char *end;
    rects_skip_blanks(text);
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool good = end != *text && !errno && (!*end || rects_is_blank(*end));
    *text = end;
    return good;
}

/* Reads the next word as a number, or as two with "/" between them: the quotient, rounded once. */
static bool next_weight(char **text, double *value)
{
    char *end;
    rects_skip_blanks(text);
    *value = satf_strtod(*text, &end);
    bool good = end != *text;
    if (good && *end == '/') {
        char *below = end + 1;
        double divisor = satf_strtod(below, &end);
        good = end != below && !rects_is_blank(*below) && divisor != 0;
        *value /= good ? divisor : 1;
    }
    *text = end;
    return good && (!*end || rects_is_blank(*end));
}

/* Parses a line without comment and line end. NULL if it is right, else the defect. */
static const char *parse_line(char *line, satf_weighted_rect *rect)
{
    satf_rect *r = &rect->rect;
    if (!rects_next_integer(&line, &r->x) || !rects_next_integer(&line, &r->y) ||
        !rects_next_integer(&line, &r->w) || !rects_next_integer(&line, &r->h) ||
        !next_weight(&line, &rect->weight)) {
        return "it must be four integers and a number or a fraction: x y w h weight";
    }
    rects_skip_blanks(&line);
    if (*line) {
        return "something follows the five numbers x y w h weight";
    }
    return filter_rect_defect(rect);
}

/* Reads all lines into rects, which has room for FILTER_MAX_RECTS. */
static satf_status read_lines(satf_context *ctx, FILE *file, const char *path,
                              satf_weighted_rect *rects, size_t *count)
{
    char line[LINE_BYTES];
    *count = 0;
    for (long number = 1; fgets(line, sizeof line, file); number++) {
        size_t length = strlen(line);
        if (length && line[length - 1] == '\n') {
            line[length - 1] = '\0';
        } else if (!feof(file)) {
            return satf_fail(ctx, SATF_DATA, "line %ld of template '%.*s' is too long or binary",
                             number, SATF_MOST(path, 200));
        }
        char *text = number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, " \t\r")] == '\0') {
            continue;
        }
        if (*count == FILTER_MAX_RECTS) {
            return satf_fail(ctx, SATF_DATA, "line %ld of template '%.*s': more than %d rectangles",
                             number, SATF_MOST(path, 200), FILTER_MAX_RECTS);
        }
        const char *defect = parse_line(text, &rects[*count]);
        if (defect) {
            return satf_fail(ctx, SATF_DATA, "line %ld of template '%.*s': %s", number,
                             SATF_MOST(path, 200), defect);
        }
        ++*count;
    }
    if (ferror(file)) {
        return satf_fail(ctx, SATF_IO, "cannot read template '%.*s': %s", SATF_MOST(path, 200),
                         strerror(errno));
    }
    if (!*count) {
        return satf_fail(ctx, SATF_DATA, "template '%.*s' has no rectangles", SATF_MOST(path, 200));
    }
    return SATF_OK;
}

satf_status filter_rects_read(satf_context *ctx, const char *path, filter_rects **out)
{
    *out = NULL;
    FILE *file = fopen(path, "r");
    if (!file) {
        return satf_fail(ctx, SATF_IO, "cannot open template '%.*s': %s", SATF_MOST(path, 200),
                         strerror(errno));
    }
    size_t bytes = FILTER_MAX_RECTS * sizeof(satf_weighted_rect), count;
    satf_weighted_rect *rects = satf_alloc(bytes);
    satf_status status = rects ? read_lines(ctx, file, path, rects, &count)
                               : satf_fail_memory(ctx, bytes, "a template");
    if (!status) {
        status = filter_rects_make(ctx, rects, count, out);
    }
    satf_free(rects);
    fclose(file);
    return status;
}
