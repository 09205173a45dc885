/* Finds the fastest tuning of a row by measuring, for the tuner and satbench. */
#ifndef SATF_SAT_SEARCH_H
#define SATF_SAT_SEARCH_H

#include "sat.h"

typedef struct sat_search {
    sat_tuning fixed; /* members that are not 0 are not varied */
    double cap_ms;    /* no further candidate is begun after so long */
    /* Whether job->out, which the candidate has just written over a pattern, is
     * right: asked before it counts. NULL: not asked. */
    satf_status (*check)(void *user, const sat_tuning *candidate, bool *right);
    /* A candidate is done, or a round of the last ones; a status other than SATF_OK ends the
     * search. May be NULL. */
    satf_status (*step)(void *user);
    void *user;
} sat_search;

/*
 * *best = the fastest tuning of the row for that job on a CUDA device, *ms one run's time. All of
 * the row's variants are tried and, for (1+r)R1W, r = (k / t)^2 for all k = 1 ... t - 1, t the
 * blocks a side, with the best blocks of each way to wait: with each k the triangles grow by a
 * block. Coarse steps come first, in case the cap ends it; then all variants with the r that was
 * found. The fastest are measured once more. SATF_UNSUPPORTED, with the reason, if no candidate is
 * possible or right. Overwrites job->out, whose rows must follow one another without gaps.
 */
satf_status sat_search_tuning(satf_context *ctx, const sat_row *row, const sat_job *job,
                              const sat_search *search, sat_tuning *best, double *ms);

#endif
