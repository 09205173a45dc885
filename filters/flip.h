/* flip: mirror images. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(flip)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

typedef struct flip_options {
    int axis; /* h, v */
} flip_options;

static unsigned flip_symmetry(const void *options)
{
    return ((const flip_options *)options)->axis == 0 ? MOVE_FLIP_H : MOVE_FLIP_V;
}

static const filter_param flip_params[] = {
    {"axis", "h|v", "", PARAM_CHOICE, offsetof(flip_options, axis), 0, 0, "h",
     "h: left and right change places; v: top and bottom do"},
    FILTER_PARAM_END,
};

static const filter_pass flip_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
    .symmetry = flip_symmetry,
}};

static const filter_info flip_filter = {
    .name = "flip",
    .help = "mirror image: left to right, or upside down",
    .detail =
        "Samples stay as they are; a JPEG is coded anew. An EXIF orientation turns along: viewers "
        "show the flip of what they showed.",
    .params = flip_params,
    .needs_value = true,
    .options_bytes = sizeof(flip_options),
    .ways = {FILTER_PASSES(flip_passes)},
    .example = "satfilter --flip h in.jpg out.jpg",
};

#endif
