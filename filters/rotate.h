/* rotate: quarter turns, clockwise. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(rotate)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

typedef struct rotate_options {
    int angle; /* 90, 180, 270 */
} rotate_options;

static unsigned rotate_turn(const void *options)
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
    .turn = rotate_turn,
}};

static const filter_info rotate_filter = {
    .name = "rotate",
    .help = "quarter turns, clockwise",
    .detail = "Turns the image clockwise by 90, 180 or 270 degrees; by 90 the upper left corner "
              "becomes the upper right one. By 90 and 270 width and height change places, and "
              "so do the resolutions of x and y. Pixels stay as they are, alpha with them, of "
              "any sample type. An EXIF orientation becomes the one under which viewers show what "
              "they showed, turned.",
    .params = rotate_params,
    .needs_value = true,
    .options_bytes = sizeof(rotate_options),
    .ways = {FILTER_PASSES(rotate_passes)},
};

#endif
