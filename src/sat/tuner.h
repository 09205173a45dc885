/* Finding the fastest of several tunings by measuring, for satf_context_tune() and satbench. */
#ifndef SATF_SAT_TUNER_H
#define SATF_SAT_TUNER_H

#include "sat.h"

enum { SAT_MOST_TUNINGS = 512 };

/*
 * *best = the index of the tuning with which the context's algorithm does the job in the least
 * time, where its memory lies. Overwrites job->out. Tunings that are refused do not count;
 * SATF_UNSUPPORTED, with the latest reason, if all are. Reports the progress of the present part.
 */
satf_status sat_fastest(satf_context *ctx, const sat_job *job, const sat_tuning *tunings, int count,
                        int *best);

#endif
