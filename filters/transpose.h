/* transpose: rows become columns. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(transpose)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

static unsigned transpose_symmetry(const void *options)
{
    (void)options;
    return MOVE_TRANSPOSE;
}

static const filter_param transpose_params[] = {FILTER_PARAM_END};

static const filter_pass transpose_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
    .symmetry = transpose_symmetry,
}};

static const filter_info transpose_filter = {
    .name = "transpose",
    .help = "rows become columns",
    .detail =
        "The upper left corner stays where it is. Samples stay as they are. An EXIF orientation "
        "turns along: viewers show the transpose of what they showed.",
    .params = transpose_params,
    .needs_value = false,
    .ways = {FILTER_PASSES(transpose_passes)},
    .example = "satfilter --transpose in.png out.png",
};

#endif
