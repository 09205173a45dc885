/* sum: the sum over a window. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(sum)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(sum, FORMULA_SUM | FORMULA_OFTEN_U32)
#elif !defined(SATF_FILTERS_SUM_H)
#define SATF_FILTERS_SUM_H

#include <satfilter-module.h>

typedef struct sum_options {
    filter_window window;
} sum_options;

SATF_FORMULA formula_value sum_formula(const formula_sums *in, const sum_options *options)
{
    (void)options;
    return in->real ? formula_real(in->real_sum)
                    : formula_integer((uint64_t)formula_integer_sum(in));
}

#elif defined(FILTER_DESCRIPTORS)

/* The sums of a window full of the least or the largest sample, or of fewer of these. */
static filter_range sum_range(filter_range in, const void *options, const filter_extent *of)
{
    (void)of;
    const filter_size *size = &((const sum_options *)options)->window.size;
    double pixels = (double)(size->width * size->height);
    return (filter_range){in.known, in.lo < 0 ? in.lo * pixels : 0, in.hi > 0 ? in.hi * pixels : 0};
}

static const filter_param sum_params[] = {
    FILTER_WINDOW_PARAMS(sum_options, "3"),
    FILTER_PARAM_END,
};

static const filter_pass sum_passes[] = {{
    .over = OVER_WINDOW,
    .type = TYPE_OF_WINDOW_SUM,
    .formula = FORMULA_sum,
}};

static const filter_info sum_filter = {
    .name = "sum",
    .help = "sum over a window",
    .detail =
        "Totals of what samples count, such as light, people or cells. Of integers it is exact. "
        "For a mean take box.",
    .params = sum_params,
    .needs_value = true,
    .options_bytes = sizeof(sum_options),
    .ways = {FILTER_PASSES(sum_passes)},
    .range = sum_range,
    .example = "satfilter --sum 15 in.png out.npy",
};

#endif
