/*
 * Which CUDA row, with which tuning. What was measured once (satfilter --tune,
 * satf_context_tune()) is remembered in a cache file; without one there are
 * built-in defaults, and nothing is ever measured behind the caller's back.
 *
 * SATFILTER_TUNE=off ignores the cache; random:SEED takes any row and variant,
 * the same ones for the same seed and job.
 */
#ifndef SATF_SAT_TUNER_H
#define SATF_SAT_TUNER_H

#include "cache.h"
#include "sat.h"

/*
 * The row for a job on a CUDA device, and its tuning: what the job's tuning and
 * the context (algorithm, r, sync) force, then the cache, then the row's own
 * defaults (0). SATF_UNSUPPORTED names what cannot be honoured and why.
 */
satf_status sat_tune(satf_context *ctx, const sat_job *job, const sat_row **row,
                     sat_tuning *tuning);

/* Whether the row has a variant with these barriers. */
bool sat_row_has_sync(const sat_row *row, const sat_job *job, sat_sync sync);

/* The pairs of types that are measured; all variants for them count in the cache's key. */
enum { SAT_TUNED_PAIRS = 7 };

/* A job of that pair, an image of side x side samples, without memory and on the host. */
sat_job sat_tuned_job(int pair, int64_t side);

/* What choices for that device depend on; false if the device does not answer. */
bool sat_tuner_key(int device, sat_cache_key *key);

/* From now on these are the device's choices in this process. */
void sat_tuner_remember(int device, const sat_cache *cache);

#endif
