/* Windows: in pixels, or in lengths that become pixels once a picture's resolution is known. */
#ifndef SATF_CHAIN_SIZE_H
#define SATF_CHAIN_SIZE_H

#include "chain.h"

/*
 * The sides of a filter_size are pixels, from 1 on. Or both are lengths, and below 0:
 * -(LENGTH_UNITS n + u) says n millionths of unit u. Nothing computes with lengths: what takes a
 * filter to work with it calls filter_check_pixels() first.
 */
static inline bool filter_size_is_length(const filter_size *size)
{
    return size->width < 0;
}

/* "N", "WxH", or either with "in", "mm" or "cm" behind each number; as a kind of parameter. */
satf_status filter_size_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value);
/* Parses a result's shape: "WxH", "WxH!", "Wx", "xH", "P%" or "P%xQ%". */
satf_status filter_shape_parse(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value);
/* Parses a part: "WxH" or "WxH+X+Y". */
satf_status filter_part_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value);
enum { FILTER_SIZE_BYTES = 64 }; /* of the text of each */
int filter_size_print(const filter_param *param, const void *value, char *text, size_t bytes);
int filter_shape_print(const filter_param *param, const void *value, char *text, size_t bytes);
int filter_part_print(const filter_param *param, const void *value, char *text, size_t bytes);

/*
 * The odd number of pixels that is nearest to the length, of two the larger. A PNG rounds its
 * resolution to whole pixels a metre: half a pixel a metre more gives the length that is an even
 * number of pixels in another format the same window in a PNG.
 */
double filter_side_pixels(int64_t side, double per_metre);

#endif
