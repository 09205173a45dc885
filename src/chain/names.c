/* The public functions that name and describe the filters of the table. */
#include "../base/memory.h"
#include "modules.h"
#include "pass.h"

/* Filters to grey compute, though their shape moves pixels. */
static satf_filter_kind kind_of(const filter_pass *pass)
{
    satf_filter_kind kind = pass_shape_of(pass)->kind;
    return kind == SATF_FILTER_MOVE && pass->grey ? SATF_FILTER_WINDOW : kind;
}

static const char *give(const filter_info *from, satf_filter_info *info, size_t bytes)
{
    satf_filter_info all = {0};
    if (from) {
        all = (satf_filter_info){from->name,
                                 from->help,
                                 from->detail,
                                 kind_of(&filter_any_way(from)->list[0]),
                                 pass_is_foreign(filter_last(from)),
                                 filter_outputs(from) ? 2 : 1,
                                 from->example};
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
