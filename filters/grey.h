/* grey: no colours. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(grey)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay where they are, as grey: there is no formula */

static unsigned grey_turn(const void *options)
{
    (void)options;
    return 0;
}

static const filter_param grey_params[] = {FILTER_PARAM_END};

static const filter_pass grey_passes[] = {{
    .over = OVER_ELSEWHERE,
    .grey = true,
    .type = TYPE_OF_INPUT,
    .turn = grey_turn,
}};

static const filter_info grey_filter = {
    .name = "grey",
    .help = "colour becomes grey",
    .detail = "(299 R + 587 G + 114 B) / 1000 of each pixel, of integers rounded to nearest, "
              "halves up, as filters to black and white see it. Alpha stays as it is. A picture "
              "that is grey already stays one, of any sample type. The result has the input's "
              "type and range.",
    .params = grey_params,
    .needs_value = false,
    .ways = {FILTER_PASSES(grey_passes)},
};

#endif
