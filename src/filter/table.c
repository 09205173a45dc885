/* The table of filters, made of filters/. */
#include <string.h>

#include "descriptor.h"

#define FILTER_DESCRIPTORS
#include "../../filters/all.h"
#undef FILTER_DESCRIPTORS

#define FILTER_ENTRY(name) &name##_filter,
static const filter_info *const filters[] = {
#include "../../filters/all.h"
};

enum { FILTER_COUNT = sizeof filters / sizeof *filters };

const filter_info *filter_info_at(size_t index)
{
    return index < FILTER_COUNT ? filters[index] : NULL;
}

const filter_info *filter_info_find(const char *name)
{
    for (size_t i = 0; i < FILTER_COUNT; i++) {
        if (strcmp(name, filters[i]->name) == 0) {
            return filters[i];
        }
    }
    return NULL;
}

const char *satf_filter_name(size_t index, const char **help)
{
    const filter_info *info = filter_info_at(index);
    if (help) {
        *help = info ? info->help : NULL;
    }
    return info ? info->name : NULL;
}
