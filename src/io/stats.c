/* Adding up the samples of rows, channel by channel. */
#include "stats.h"

#include <math.h>
#include <string.h>

#include "../base/view.h"
#include "../formula/adapt.h"

/* ----------------------------------------------------------------- u8 and u16 */

/* The squares of a row of less than 2^31 samples of 16 bits fit 64 bits. */
#define ADD_INTEGERS(type)                                                             \
    static void add_##type(io_channel_sums *to, const char *at, int64_t n, size_t gap) \
    {                                                                                  \
        uint64_t sum = 0, squares = 0;                                                 \
        type##_t v, least, greatest;                                                   \
        memcpy(&least, at, sizeof least);                                              \
        greatest = least;                                                              \
        for (int64_t x = 0; x < n; x++, at += gap) {                                   \
            memcpy(&v, at, sizeof v);                                                  \
            sum += v;                                                                  \
            squares += (uint64_t)v * v;                                                \
            least = v < least ? v : least;                                             \
            greatest = v > greatest ? v : greatest;                                    \
        }                                                                              \
        to->least = to->samples && to->least < least ? to->least : least;              \
        to->greatest = to->greatest > greatest ? to->greatest : greatest;              \
        to->samples += n;                                                              \
        to->sum += sum;                                                                \
        to->squares += squares;                                                        \
    }
ADD_INTEGERS(uint8)
ADD_INTEGERS(uint16)

/* --------------------------------------------------------------- other numbers */

/* value + error more: D. E. Knuth's sum of two numbers, with what it has been rounded by. */
static void add_to(io_double_sum *to, double value, double error)
{
    double sum = to->high + value, part = sum - to->high;
    double low = (to->high - (sum - part)) + (value - part) + (to->low + error);
    to->high = sum + low;
    to->low = low - (to->high - sum);
}

static void stats_add_number(io_channel_sums *to, double sample, double above)
{
    to->least = sample < to->least ? sample : to->least;
    to->greatest = sample > to->greatest ? sample : to->greatest;
    to->samples++;
    double square = above * above;
    add_to(&to->above, above, 0);
    add_to(&to->above_squares, square, fma(above, above, -square));
}

static void add_float(io_channel_sums *to, double sample)
{
    if (isfinite(sample)) {
        if (to->samples == 0) {
            to->first = to->least = to->greatest = sample;
        }
        stats_add_number(to, sample, sample - to->first);
    }
}

/* 64 bits are more than a double holds: what they are above the first is found in integers. */
static void add_wide(io_channel_sums *to, uint64_t sample, double value)
{
    if (to->samples == 0) {
        to->first_integer = sample;
        to->first = to->least = to->greatest = value;
    }
    uint64_t above = sample - to->first_integer;
    bool below = value < to->first || (value == to->first && above >> 63);
    stats_add_number(to, value, below ? -(double)-above : (double)above);
}

static void stats_add_sample(io_channel_sums *to, int type, const char *at)
{
    uint64_t u64;
    if (type == SATF_U64 || type == SATF_I64) {
        memcpy(&u64, at, sizeof u64);
        add_wide(to, u64, adapt_load(type, at));
    } else {
        add_float(to, adapt_load(type, at));
    }
}

void io_stats_omit(io_stats *stats, int type, double nodata)
{
    stats->omits = true;
    stats->nodata = adapt_sample_of(type, nodata);
}

void io_stats_add(io_stats *stats, const satf_view *view, const void *row)
{
    size_t size = satf_type_bytes(view->type), pixel = (size_t)view->channels * size;
    for (int32_t c = 0; c < view->channels; c++) {
        const char *at = (const char *)row + (size_t)c * size;
        io_channel_sums *to = &stats->of[c];
        if (view->type == SATF_U8 && !stats->omits) {
            add_uint8(to, at, view->width, pixel);
        } else if (view->type == SATF_U16 && !stats->omits) {
            add_uint16(to, at, view->width, pixel);
        } else {
            for (int64_t x = 0; x < view->width; x++, at += pixel) {
                if (!stats->omits || adapt_load(view->type, at) != stats->nodata) {
                    stats_add_sample(to, view->type, at);
                }
            }
        }
    }
}

/* ------------------------------------------------------------- what they come to */

/* n times the sum of the squares of what samples are apart from their mean; n > 0. */
static double spread_of(const io_channel_sums *sums, double n)
{
    double above = sums->above.high, square = above * above;
    double error = fma(above, above, -square) + 2 * above * sums->above.low;
    const io_double_sum *s = &sums->above_squares;
    double product = n * s->high;
    return (product - square) + (fma(n, s->high, -product) + n * s->low - error);
}

satf_channel_stats io_stats_of(const io_channel_sums *sums)
{
    satf_channel_stats stats = {sums->samples, 0, 0, 0, 0};
    if (sums->samples == 0) {
        return stats;
    }
    double n = (double)sums->samples;
    unsigned __int128 count = (unsigned __int128)sums->samples;
    double spread = (double)(count * sums->squares - sums->sum * sums->sum) + spread_of(sums, n);
    stats.least = sums->least;
    stats.greatest = sums->greatest;
    stats.mean = sums->first + (sums->above.high + (double)sums->sum) / n;
    stats.deviation = spread > 0 ? sqrt(spread) / n : 0;
    return stats;
}
