/* template: weighted rectangle sums around each pixel (Haar-like features and the like). */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(template)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(template, FORMULA_SUM)
#elif !defined(SATF_FILTERS_TEMPLATE_H)
#define SATF_FILTERS_TEMPLATE_H

#include <satfilter-module.h>

typedef struct template_options {
    struct filter_rects *rects;
    filter_border border;
} template_options;

/* Adds one more rectangle; they come in the order of the list. */
SATF_FORMULA formula_value template_formula(const formula_sums *in, const template_options *options)
{
    (void)options;
    return formula_real(in->before + in->factor * formula_sum(in));
}

#elif defined(FILTER_DESCRIPTORS)

/* The extremes: each rectangle at that end of the samples' range which, by its weight's sign, makes
 * the result smallest or largest. */
static filter_range template_range(filter_range in, const void *options, const filter_extent *of)
{
    (void)of;
    filter_range out = {in.known, 0, 0};
    const struct filter_rects *rects = ((const template_options *)options)->rects;
    for (size_t k = 0; k < rects->count; k++) {
        const satf_weighted_rect *term = &rects->items[k];
        double factor = term->weight * (double)(term->rect.w * term->rect.h);
        out.lo += factor * (factor < 0 ? in.hi : in.lo);
        out.hi += factor * (factor < 0 ? in.lo : in.hi);
    }
    return out;
}

static const filter_param template_params[] = {
    {"file", "FILE", "", PARAM_TEMPLATE, offsetof(template_options, rects), 0, 0, NULL,
     "lines `x y w h weight`; a weight is a number or a fraction; # begins a comment"},
    FILTER_BORDER_PARAM(offsetof(template_options, border)),
    FILTER_PARAM_END,
};

static const filter_pass template_passes[] = {{
    .over = OVER_RECTS,
    .type = TYPE_REAL,
    .kernel = KERNEL_WEIGHTED_SUM,
    .formula = FORMULA_template,
}};

static const filter_info template_filter = {
    .name = "template",
    .help = "weighted sums over rectangles around each pixel",
    .detail =
        "Any filter made of rectangles: edges, lines, Haar features, or sharpening by hand. A "
        "line `-1 -1 3 3 1/9` is the mean of 3 x 3. The result is real numbers.",
    .params = template_params,
    .needs_value = true,
    .options_bytes = sizeof(template_options),
    .ways = {FILTER_PASSES(template_passes)},
    .range = template_range,
    .example = "satfilter --template sharpen.txt --range 0:255 --type u8 in.png out.png",
};

#endif
