/* Numbers of a result: least, greatest, mean and deviation of each channel, found row by row. */
#ifndef SATF_IO_STATS_H
#define SATF_IO_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "../satfilter.h"

/* high + low, low being at most half a unit of high's last place. */
typedef struct io_double_sum {
    double high, low;
} io_double_sum;

/* The sums of one channel's finite samples: of what samples are above `first`, which is 0 for u8
 * and u16. */
typedef struct io_channel_sums {
    int64_t samples;
    double least, greatest, first;
    uint64_t first_integer;
    unsigned __int128 sum, squares; /* of u8 and u16 */
    io_double_sum above, above_squares;
} io_channel_sums;

/* All zeros at first. */
typedef struct io_stats {
    io_channel_sums of[SATF_MAX_CHANNELS];
    bool omits;
    double nodata; /* samples that do not count, if it omits some */
} io_stats;

/* Samples of that value, as the type has it, do not count. */
void io_stats_omit(io_stats *stats, int type, double nodata);

/* A row of samples of that view. */
void io_stats_add(io_stats *stats, const satf_view *view, const void *row);

satf_channel_stats io_stats_of(const io_channel_sums *sums);

#endif
