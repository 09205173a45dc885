/* permute: pixels in any other order. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(permute)
#elif defined(FILTER_DESCRIPTORS) /* pixels stay as they are: there is no formula */

typedef struct permute_options {
    struct filter_order *order;
} permute_options;

static const filter_param permute_params[] = {
    {"file", "FILE", "", PARAM_ORDER, offsetof(permute_options, order), 0, 0, NULL,
     "a .npy array of H * W or (H, W) integers, each of 0 to H * W - 1 once"},
    FILTER_PARAM_END,
};

static const filter_pass permute_passes[] = {{
    .over = OVER_ELSEWHERE,
    .type = TYPE_OF_INPUT,
}};

static const filter_info permute_filter = {
    .name = "permute",
    .help = "pixels in another order",
    .detail =
        "Pixel k of the result, counted along the rows, is pixel P[k] of the image, P being the "
        "array in FILE: in NumPy, out = in.reshape(H * W, -1)[P]. Samples stay as they are.",
    .params = permute_params,
    .needs_value = true,
    .options_bytes = sizeof(permute_options),
    .ways = {FILTER_PASSES(permute_passes)},
    .example = "satfilter --permute order.npy in.png out.png",
};

#endif
