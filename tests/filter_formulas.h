/* Formulas of filters by definition, for the tests: from exact moments of one window. */
#ifndef SATF_TESTS_FILTER_FORMULAS_H
#define SATF_TESTS_FILTER_FORMULAS_H

#include "test.h"
#include "model.h"

typedef struct ref_moments {
    int real, luma;            /* what is wanted of RGB is the same for each colour */
    int64_t amount, threshold; /* options, in 10000ths and thousandths */
    model_moments w;
    double sample; /* at the pixel itself */
    int in_colour; /* RGB: the sums of the three colours, and their samples */
    ref_wide luma_sums[3];
    double luma_samples[3];
    double level, full; /* a level of 8 bits, the largest sample */
    double greatest;    /* of the reduction's formula over the whole image */
    double least;       /* sample whose alpha is not 0 */
} ref_moments;

static inline double ref_weight(const ref_moments *m)
{
    return (double)m->w.weight * m->w.weight_unit;
}

static inline double ref_sum(const ref_moments *m)
{
    return (double)m->w.sum * m->w.sum_unit;
}

static inline double ref_mean(const ref_moments *m)
{
    return m->real ? ref_sum(m) * (1 / ref_weight(m)) : (double)m->w.sum / (double)m->w.weight;
}

/* W S2 - S^2. */
static inline double ref_spread(const ref_moments *m)
{
    if (m->real) {
        double square = (double)m->w.square * m->w.square_unit;
        double spread = ref_weight(m) * square - ref_sum(m) * ref_sum(m);
        return spread < 0 ? 0 : spread;
    }
    typedef unsigned __int128 wide;
    return (double)((wide)m->w.weight * (wide)m->w.square - (wide)m->w.sum * (wide)m->w.sum);
}

static inline double ref_deviation(const ref_moments *m)
{
    return sqrt(ref_spread(m)) / ref_weight(m);
}

/* Alpha is averaged. */
static inline double ref_box(const ref_moments *m)
{
    return m->w.weight == 0 ? 0
           : m->real        ? ref_mean(m)
                            : (double)model_round(m->w.sum, m->w.weight);
}

static inline double ref_variance(const ref_moments *m)
{
    double weight = ref_weight(m);
    return weight == 0 ? 0 : m->w.is_alpha ? ref_mean(m) : ref_spread(m) / (weight * weight);
}

static inline double ref_stddev(const ref_moments *m)
{
    return m->w.is_alpha ? ref_mean(m) : sqrt(ref_variance(m));
}

/* floor(up / down), down > 0. */
static inline double ref_floor(ref_wide up, ref_wide down)
{
    return (double)(up >= 0 ? up / down : -((-up + down - 1) / down));
}

/* p + a (255000 |d| - t M W) / (2550000000 W), d = p W - S: rounded, halves up. */
static inline double ref_soft(const ref_moments *m, ref_wide above, ref_wide weight)
{
    ref_wide far = above < 0 ? -above : above, down = 2550000000 * weight;
    ref_wide over = 255000 * far - m->threshold * (ref_wide)m->full * weight;
    ref_wide change = over > 0 ? m->amount * over : 0;
    ref_wide whole = (ref_wide)m->sample * down + (above < 0 ? -change : change);
    return ref_floor(2 * whole + down, 2 * down);
}

static inline double ref_real_soft(const ref_moments *m, double above)
{
    double far = fabs(above) - (double)m->threshold / 1000, amount = (double)m->amount / 10000;
    return far > 0 ? m->sample + (above < 0 ? -amount : amount) * far : m->sample;
}

/* Grey has no other luma. */
static inline double ref_unsharp(const ref_moments *m)
{
    static const int parts[3] = {299, 587, 114};
    ref_wide above = 0;
    double luma = 0, sum = 0;
    if (m->w.weight == 0) {
        return m->sample;
    }
    if (!m->luma || !m->in_colour) {
        return m->real ? ref_real_soft(m, m->sample - ref_mean(m))
                       : ref_soft(m, (ref_wide)m->sample * m->w.weight - m->w.sum, m->w.weight);
    }
    for (int k = 0; k < 3; k++) {
        above += parts[k] * ((ref_wide)m->luma_samples[k] * m->w.weight - m->luma_sums[k]);
        luma += parts[k] / 1000.0 * m->luma_samples[k];
        sum += parts[k] / 1000.0 * ((double)m->luma_sums[k] * m->w.sum_unit);
    }
    return m->real ? ref_real_soft(m, luma - sum * (1 / ref_weight(m)))
                   : ref_soft(m, above, 1000 * m->w.weight);
}

/* ------------------------------------------------------- black and white */

/* Whether the pixel is white, and the threshold. */
typedef struct ref_decision {
    int white;
    double threshold;
} ref_decision;

/* White above T. */
static inline ref_decision ref_above(const ref_moments *m, double threshold)
{
    return (ref_decision){m->sample > threshold, threshold};
}

/* k = 0.34, r = 128. */
static inline ref_decision ref_sauvola_at(const ref_moments *m)
{
    double threshold = ref_mean(m) * (1 + 0.34 * (ref_deviation(m) * (1 / (128 * m->level)) - 1));
    return ref_above(m, threshold);
}

/* k = 0.35. */
static inline double ref_wolf_reduction(const ref_moments *m)
{
    return m->w.weight == 0 ? 0 : ref_deviation(m);
}

static inline ref_decision ref_wolf_at(const ref_moments *m)
{
    double part = m->greatest == 0 ? 0 : ref_deviation(m) / m->greatest;
    ref_decision d = ref_above(m, ref_mean(m) - 0.35 * (1 - part) * (ref_mean(m) - m->least));
    return m->greatest == 0 ? (ref_decision){1, d.threshold} : d;
}

/* (W p - S) / W. */
static inline double ref_above_mean(const ref_moments *m)
{
    return m->real ? (m->sample * ref_weight(m) - ref_sum(m)) / ref_weight(m)
                   : (double)((ref_wide)m->sample * m->w.weight - m->w.sum) / (double)m->w.weight;
}

static inline double ref_mean_below(const ref_moments *m)
{
    return m->real ? m->sample - ref_above_mean(m) : ref_mean(m);
}

/* Offset o: W (255 p + o M) > 255 S. */
static inline ref_decision ref_adaptive_at(const ref_moments *m)
{
    double offset = (double)m->threshold / 1000;
    ref_decision d = ref_above(m, ref_mean_below(m) - (m->real ? offset : offset * m->full / 255));
    if (!m->real) {
        ref_wide over = 255000 * (ref_wide)m->sample + m->threshold * (ref_wide)m->full;
        d.white = m->w.weight * over > 255000 * m->w.sum;
    }
    return d;
}

/* Percent P: 100 p W > (100 - P) S. */
static inline ref_decision ref_bradley_at(const ref_moments *m)
{
    double share = (double)m->threshold / 100000, rest = (double)(100000 - m->threshold) / 100000;
    ref_decision d = ref_above(m, ref_mean_below(m) * (m->real ? 1 - share : rest));
    if (!m->real) {
        d.white = 100000 * (ref_wide)m->sample * m->w.weight > (100000 - m->threshold) * m->w.sum;
    }
    return d;
}

/* k = -0.2. */
static inline ref_decision ref_niblack_at(const ref_moments *m)
{
    return ref_above(m, ref_mean_below(m) + -0.2 * ref_deviation(m));
}

/* k = -0.2; of floats the mean square is the variance and the mean's square. */
static inline ref_decision ref_nick_at(const ref_moments *m)
{
    double mean = ref_mean_below(m);
    double square = (double)m->w.square / (double)m->w.weight;
    if (m->real) {
        square = ref_spread(m) / (ref_weight(m) * ref_weight(m)) + mean * mean;
    }
    return ref_above(m, mean + -0.2 * sqrt(square));
}

/* The filter, with invert, and with surface. */
#define REF_BILEVEL(name)                                              \
    static inline double ref_##name(const ref_moments *m)              \
    {                                                                  \
        return m->w.weight == 0 || ref_##name##_at(m).white ? 255 : 0; \
    }                                                                  \
    static inline double ref_##name##_inverted(const ref_moments *m)   \
    {                                                                  \
        return 255 - ref_##name(m);                                    \
    }                                                                  \
    static inline double ref_##name##_surface(const ref_moments *m)    \
    {                                                                  \
        return m->w.weight == 0 ? 0 : ref_##name##_at(m).threshold;    \
    }

REF_BILEVEL(sauvola)
REF_BILEVEL(wolf)
REF_BILEVEL(adaptive)
REF_BILEVEL(bradley)
REF_BILEVEL(niblack)
REF_BILEVEL(nick)

/* ------------------------------------------------------- light and detail */

/* floor((2 (p W - S) + M W + W) / (2 W)). */
static inline double ref_highpass(const ref_moments *m)
{
    ref_wide full = (ref_wide)m->full, whole = (ref_wide)m->sample * m->w.weight;
    if (m->real) {
        return m->w.weight == 0 ? m->full / 2 : m->sample - ref_mean(m) + m->full / 2;
    }
    return m->w.weight == 0 ? (double)((full + 1) / 2)
                            : ref_floor(2 * (whole - m->w.sum) + full * m->w.weight + m->w.weight,
                                        2 * m->w.weight);
}

/* target = 128: floor((256 p M W + 255 S) / (510 S)), and at most M. */
static inline double ref_flatten(const ref_moments *m)
{
    if (m->w.weight == 0 || m->w.sum == 0) {
        return m->sample;
    }
    if (m->real) {
        return m->sample * 128 / ref_mean(m);
    }
    ref_wide up = 256 * (ref_wide)m->sample * (ref_wide)m->full * m->w.weight;
    return ref_floor(up + 255 * m->w.sum, 510 * m->w.sum);
}

/* c = 1. */
static inline double ref_normalize(const ref_moments *m)
{
    return m->w.weight == 0 ? 0 : ref_above_mean(m) / (ref_deviation(m) + m->level);
}

#endif
