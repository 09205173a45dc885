/* Formulas of filters by definition, for the tests: from exact moments of one window. */
#ifndef SATF_TESTS_FILTER_FORMULAS_H
#define SATF_TESTS_FILTER_FORMULAS_H

#include "filter_reference.h"

typedef struct ref_moments {
    int real;
    ref_wide weight, sum, square; /* in units of floats, which are 1 for integers */
    double weight_unit, sum_unit, square_unit;
    double sample;      /* at the pixel itself */
    double level, full; /* a level of 8 bits, the largest sample */
    double greatest;    /* of the survey's formula over the whole image */
    double least;       /* sample whose alpha is not 0 */
} ref_moments;

static inline double ref_weight(const ref_moments *m)
{
    return (double)m->weight * m->weight_unit;
}

static inline double ref_mean(const ref_moments *m)
{
    return m->real ? (double)m->sum * m->sum_unit * (1 / ref_weight(m))
                   : (double)m->sum / (double)m->weight;
}

/* The root of W S2 - S^2, over W. */
static inline double ref_deviation(const ref_moments *m)
{
    if (m->real) {
        double sum = (double)m->sum * m->sum_unit;
        double spread = ref_weight(m) * ((double)m->square * m->square_unit) - sum * sum;
        return sqrt(spread < 0 ? 0 : spread) / ref_weight(m);
    }
    typedef unsigned __int128 wide;
    wide spread = (wide)m->weight * (wide)m->square - (wide)m->sum * (wide)m->sum;
    return sqrt((double)spread) / (double)m->weight;
}

static inline double ref_sum(const ref_moments *m)
{
    return (double)m->sum * m->sum_unit;
}

/* amount = 1.5: floor((20000 p W + 30000 (p W - S) + 10000 W) / (20000 W)). */
static inline double ref_unsharp(const ref_moments *m)
{
    if (m->weight == 0) {
        return m->sample;
    }
    if (m->real) {
        return m->sample + 1.5 * (m->sample - ref_mean(m));
    }
    ref_wide whole = (ref_wide)m->sample * m->weight;
    ref_wide up = 20000 * whole + 30000 * (whole - m->sum) + 10000 * m->weight;
    ref_wide down = 20000 * m->weight;
    return (double)(up >= 0 ? up / down : -((-up + down - 1) / down));
}

/* k = 0.34, r = 128. */
static inline double ref_sauvola(const ref_moments *m)
{
    if (m->weight == 0) {
        return 255;
    }
    double threshold = ref_mean(m) * (1 + 0.34 * (ref_deviation(m) * (1 / (128 * m->level)) - 1));
    return m->sample > threshold ? 255 : 0;
}

/* k = 0.5. */
static inline double ref_wolf_survey(const ref_moments *m)
{
    return m->weight == 0 ? 0 : ref_deviation(m);
}

static inline double ref_wolf(const ref_moments *m)
{
    if (m->weight == 0 || m->greatest == 0) {
        return 255;
    }
    double part = ref_deviation(m) / m->greatest;
    double threshold = ref_mean(m) - 0.5 * (1 - part) * (ref_mean(m) - m->least);
    return m->sample > threshold ? 255 : 0;
}

#endif
