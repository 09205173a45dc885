/* Values of any parameter, for tests that walk the table of filters. */
#ifndef SATF_TESTS_FILTER_ANY_H
#define SATF_TESTS_FILTER_ANY_H

#include "test.h"

#include "base/border.h"
#include "base/number.h"
#include "chain/params.h"

/* A number of least ... most, from wherever the test has its choices. */
typedef int64_t (*any_choice)(void *user, int64_t least, int64_t most);

static inline double any_clip(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* A number around the parameter's default: up to twice as large, and below 0. Gaussians are also
 * wider: above a sigma of 6 they are boxes, and below that passes= is refused unless it is the
 * default. */
static inline double any_real(const filter_param *p, any_choice choose, void *user)
{
    double middle = satf_strtod(p->default_text, NULL);
    if (strcmp(p->name, "passes") == 0) {
        return middle;
    }
    middle *= strcmp(p->name, "sigma") == 0 ? 4 : 1;
    return any_clip((middle != 0 ? middle : 1) * (double)choose(user, -8, 16) / 8, p->min, p->max);
}

/* One of the words between the bars. */
static inline void any_word(const char *words, any_choice choose, void *user, char *text,
                            size_t bytes)
{
    int64_t bars = 0;
    for (const char *at = words; *at; at++) {
        bars += *at == '|';
    }
    for (int64_t k = choose(user, 0, bars); k > 0; k--) {
        words = strchr(words, '|') + 1;
    }
    snprintf(text, bytes, "%.*s", (int)strcspn(words, "|"), words);
}

static inline int any_side(const filter_param *p, any_choice choose, void *user)
{
    int64_t most = p->max < 999 ? (int64_t)p->max : 999;
    return (int)choose(user, 1, choose(user, 0, 15) ? 30 : most);
}

/* The text of a value that the parameter takes. false: a file, which the test has to give. */
static inline bool any_value(const filter_param *p, any_choice choose, void *user, char *text,
                             size_t bytes)
{
    int border = 0;
    *text = '\0';
    switch (p->kind) {
    case PARAM_INTEGER:
    case PARAM_FULL:
        snprintf(text, bytes, "%.0f", rint(any_real(p, choose, user)));
        return true;
    case PARAM_AUX_FULL: /* of a file that may not be there */
    case PARAM_INSTEAD:  /* of what else would be given twice */
        snprintf(text, bytes, "0");
        return true;
    case PARAM_REAL:
    case PARAM_LEVEL:
    case PARAM_DISTANCE:
        snprintf(text, bytes, "%.17g", any_real(p, choose, user));
        return true;
    case PARAM_SIZE:
        snprintf(text, bytes, "%dx%d", any_side(p, choose, user), any_side(p, choose, user));
        return true;
    case PARAM_PLACE: /* every window has a pixel there; see any_place() */
        snprintf(text, bytes, "0:0");
        return true;
    case PARAM_FLAG:
        snprintf(text, bytes, "%s", choose(user, 0, 1) ? "on" : "off");
        return true;
    case PARAM_BORDER:
        border = (int)choose(user, SATF_BORDER_CLAMP, SATF_BORDER_SHRINK);
        snprintf(text, bytes, border == SATF_BORDER_CONSTANT ? "%s:%d" : "%s",
                 satf_border_name(border), (int)choose(user, 0, 255));
        return true;
    case PARAM_SHAPE:
        snprintf(text, bytes, "%d%%x%d%%", (int)choose(user, 1, 100), (int)choose(user, 1, 100));
        return true;
    case PARAM_PART: /* of any picture of so many pixels */
        snprintf(text, bytes, "1x1");
        return true;
    case PARAM_CHOICE:
        any_word(p->metavar, choose, user, text, bytes);
        return true;
    default:
        return false;
    }
}

/* A place at which the filter's window, whose size is set, contains its pixel. */
static inline void any_place(const satf_filter *filter, any_choice choose, void *user, char *text,
                             size_t bytes)
{
    const filter_size *size =
        filter_value_of_kind(filter_at(filter, 0), filter_options(filter, 0), PARAM_SIZE);
    int64_t w = size->width, h = size->height;
    snprintf(text, bytes, "%ld:%ld", (long)choose(user, w / 2 - w + 1, w / 2),
             (long)choose(user, h / 2 - h + 1, h / 2));
}

/* Always nearly the least. */
static inline int64_t any_small(void *user, int64_t least, int64_t most)
{
    (void)user;
    return most - least < 2 ? most : least + 2;
}

#endif
