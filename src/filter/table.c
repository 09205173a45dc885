/* The table of filters, made of filters/. */
#include <string.h>

#include "../base/memory.h"
#include "modules.h"
#include "recipe.h"

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
    return index < FILTER_COUNT ? filters[index] : module_filter_at(index - FILTER_COUNT);
}

const filter_info *filter_info_find(const char *name)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)) && strcmp(name, info->name) != 0; i++) {
    }
    return info;
}

/* ------------------------------------------------------------------ for others */

static const char *give(const filter_info *from, satf_filter_info *info, size_t bytes)
{
    static const satf_filter_kind kinds[] = {[REGION_WINDOW] = SATF_FILTER_WINDOW,
                                             [REGION_RECTS] = SATF_FILTER_RECTS,
                                             [REGION_PREFIX] = SATF_FILTER_PREFIX,
                                             [REGION_PIXEL] = SATF_FILTER_MOVE};
    satf_filter_info all = {0};
    if (from) {
        all = (satf_filter_info){from->name, from->help, from->detail, kinds[from->recipe->region],
                                 formula_is_foreign(from->recipe->formula)};
    }
    satf_give(info, bytes, &all, sizeof all);
    return all.name;
}

const char *satf_filter_name(size_t index, satf_filter_info *info, size_t bytes)
{
    return give(filter_info_at(index), info, bytes);
}

const char *satf_filter_find(const char *name, satf_filter_info *info, size_t bytes)
{
    return give(name ? filter_info_find(name) : NULL, info, bytes);
}
