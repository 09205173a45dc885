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
    .detail = "Pixel k of the result is pixel P[k] of the image, pixels being counted from 0 along "
              "the rows, and P the array in FILE: in NumPy, out = in.reshape(H * W, -1)[P]. Pixels "
              "stay as they are, alpha with them, of any sample type; so do width and height, and "
              "all that the file says besides.",
    .params = permute_params,
    .needs_value = true,
    .options_bytes = sizeof(permute_options),
    .ways = {FILTER_PASSES(permute_passes)},
};

#endif
