/* rotate: quarter turns, clockwise. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(rotate)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

typedef struct rotate_options {
    int angle; /* 90, 180, 270 */
} rotate_options;

static unsigned rotate_symmetry(const void *options)
{
    static const unsigned turns[] = {MOVE_ROTATE_90, MOVE_ROTATE_180, MOVE_ROTATE_270};
    return turns[((const rotate_options *)options)->angle];
}

static const filter_param rotate_params[] = {
    {"angle", "90|180|270", "degrees", PARAM_CHOICE, offsetof(rotate_options, angle), 0, 0, "90",
     "degrees, clockwise"},
    FILTER_PARAM_END,
};

static const filter_pass rotate_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
    .symmetry = rotate_symmetry,
}};

static const filter_info rotate_filter = {
    .name = "rotate",
    .help = "quarter turns, clockwise",
    .detail =
        "By 90 the upper left corner becomes the upper right one. Samples stay as they are; a "
        "JPEG is coded anew. An EXIF orientation turns along: viewers show what they showed, "
        "turned.",
    .params = rotate_params,
    .needs_value = true,
    .options_bytes = sizeof(rotate_options),
    .ways = {FILTER_PASSES(rotate_passes)},
    .example = "satfilter --rotate 90 in.jpg out.jpg",
};

#endif
