/* The sizes of windows: pixels, or lengths that a picture's resolution makes pixels. */
#ifndef SATF_CHAIN_SIZE_H
#define SATF_CHAIN_SIZE_H

#include "chain.h"

/*
 * The sides of a filter_size are pixels, from 1 on. Or both are lengths, and below 0:
 * -(LENGTH_UNITS n + u) stands for n millionths of unit u. Nothing computes with lengths: functions
 * that put a filter to work call filter_check_pixels() first.
 */
static inline bool filter_size_is_length(const filter_size *size)
{
    return size->width < 0;
}

/* Parses "N", "WxH", or either with "in", "mm" or "cm" behind each number. */
satf_status filter_size_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value);
/* Parses a result's shape: "WxH", "WxH!", "Wx", "xH", "P%" or "P%xQ%". */
satf_status filter_shape_parse(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value);
/* Parses a part: "WxH" or "WxH+X+Y". */
satf_status filter_part_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value);
enum { FILTER_SIZE_BYTES = 64 }; /* the most of a printed text */
int filter_size_print(const filter_param *param, const void *value, char *text, size_t bytes);
int filter_shape_print(const filter_param *param, const void *value, char *text, size_t bytes);
int filter_part_print(const filter_param *param, const void *value, char *text, size_t bytes);

/*
 * The odd number of pixels nearest to the length, the larger of two. A PNG rounds its resolution to
 * whole pixels a metre. So half a pixel a metre is added: then a length that is an even number of
 * pixels by another format's resolution makes the same window by a PNG's.
 */
double filter_side_pixels(int64_t side, double per_metre);

#endif
