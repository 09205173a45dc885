/* The table of filters, made from filters/all.h. */
#include <string.h>

#include "../base/memory.h"
#include "modules.h"
#include "pass.h"

#define FILTER_DESCRIPTORS
#include "../../filters/all.h"
#undef FILTER_DESCRIPTORS

/* The filter `moments` has two outputs, each of which another filter makes. It is not in the list
 * below, whose readers count on one output. */
static const filter_pass moments_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .type = TYPE_WIDENED,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_box,
}};

static const filter_info moments_filter = {
    .name = "moments",
    .help = "mean and standard deviation over a window, two outputs of a plan",
    .detail = "The mean and the standard deviation of the N x N (or W x H) pixels around each "
              "pixel, as two outputs of satf_plan_create(). Of integers both have the bits of box "
              "and stddev into outputs of these types; of floats they keep the same bounds. "
              "Colour is weighted by alpha, alpha is averaged in both. By default both are f64, "
              "and the mean is not rounded.",
    .params = box_params,
    .needs_value = true,
    .options_bytes = sizeof(box_options),
    .ways = {FILTER_PASSES(moments_passes)},
    .range = filter_mean_range,
};

/* The filter `copy`, for a file of another format, an upright picture or pages in one file. It is
 * not in the list either, since nobody asks for it among others. */
static unsigned copy_symmetry(const void *options)
{
    (void)options;
    return 0;
}

static const filter_param copy_params[] = {FILTER_PARAM_END};

static const filter_pass copy_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
    .symmetry = copy_symmetry,
}};

static const filter_info copy_filter = {
    .name = "copy",
    .help = "pixels as they are",
    .detail = "The pixels of the input, of any sample type, where they are.",
    .params = copy_params,
    .ways = {FILTER_PASSES(copy_passes)},
};

const filter_info *const *filter_outputs(const filter_info *info)
{
    static const filter_info *const outputs[2] = {&box_filter, &stddev_filter};
    return info == &moments_filter ? outputs : NULL;
}

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
    const filter_info *info = strcmp(name, copy_filter.name) == 0 ? &copy_filter : &moments_filter;
    for (size_t i = 0; info && strcmp(name, info->name) != 0; i++) {
        info = filter_info_at(i);
    }
    return info || strcmp(name, "gray") != 0 ? info : filter_info_find("grey");
}
