/* crop: a rectangle of the picture. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(crop)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

typedef struct crop_options {
    filter_part part;
} crop_options;

static void crop_shape(const void *options, int64_t *width, int64_t *height)
{
    const filter_part *part = &((const crop_options *)options)->part;
    *width = part->size.width;
    *height = part->size.height;
}

static filter_place crop_corner(const void *options, int64_t width, int64_t height)
{
    return filter_part_corner(&((const crop_options *)options)->part, width, height);
}

static const filter_param crop_params[] = {
    {"part", "WxH|WxH+X+Y", "pixels", PARAM_PART, offsetof(crop_options, part), 1, INT32_MAX, NULL,
     "W x H pixels from the middle, or from column X and row Y on"},
    FILTER_PARAM_END,
};

static const filter_pass crop_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
    .shape = crop_shape,
    .corner = crop_corner,
}};

static const filter_info crop_filter = {
    .name = "crop",
    .help = "a part of the picture: W x H pixels",
    .detail =
        "X and Y count from 0 at the upper left; without them it is the middle. Samples stay as "
        "they are; a JPEG is coded anew. A part that leaves the picture is an error.",
    .params = crop_params,
    .needs_value = true,
    .options_bytes = sizeof(crop_options),
    .ways = {FILTER_PASSES(crop_passes)},
    .example = "satfilter --crop 200x200+330+190 in.jpg out.jpg",
};

#endif
