/* grey: no colours. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(grey)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay where they are, as grey: there is no formula */

static unsigned grey_symmetry(const void *options)
{
    (void)options;
    return 0;
}

static const filter_param grey_params[] = {FILTER_PARAM_END};

static const filter_pass grey_passes[] = {{
    .over = OVER_ELSEWHERE,
    .grey = true,
    .type = TYPE_OF_INPUT,
    .symmetry = grey_symmetry,
}};

static const filter_info grey_filter = {
    .name = "grey",
    .help = "colour becomes grey",
    .detail = "The luma, 0.299 R + 0.587 G + 0.114 B, as filters to black and white see it. Alpha "
              "stays. In front of a filter that takes each colour by itself it makes one result of "
              "three.",
    .params = grey_params,
    .needs_value = false,
    .ways = {FILTER_PASSES(grey_passes)},
    .sign = SIGN_MOVES,
    .example = "satfilter --grey in.jpg out.jpg",
};

#endif
