/*
 * The r of (1+r)R1W that satfilter --tune, satf_context_tune(), has measured, for the types and
 * sizes below, and the start of a device: a text file for each device, under a header that says
 * what it holds for. Nothing is ever measured behind the caller's back.
 */
#ifndef SATF_SAT_CACHE_H
#define SATF_SAT_CACHE_H

#include "sat.h"

/* The images that are measured: the sizes of table 6.2, each in all pairs of types. */
enum { SAT_TUNED_PAIRS = 7, SAT_TUNED_SIDES = 13, SAT_TUNED = SAT_TUNED_SIDES * SAT_TUNED_PAIRS };

/* The job of image number i, the smallest first, without memory. */
sat_job sat_tuned_job(int i);

typedef struct sat_cache {
    /* The signature: what r depends on besides the image. With any other the file counts as absent.
     */
    char table[128]; /* the library's version and the blocks that (1+r)R1W has */
    char device[256];
    char driver[64]; /* of the CPU: its instructions, and the context's threads */

    int start_ms;        /* that a process takes to start the device; 0: not measured */
    double r[SAT_TUNED]; /* of each image; 0: not measured */
} sat_cache;

/* Fills in the signature of the device, or of SATF_HOST; false if the device does not answer. */
bool sat_cache_sign(const satf_context *ctx, int device, sat_cache *cache);

/*
 * *r = what was measured for the job's types at the size nearest to its own; 0 if nothing was: not
 * for several channels, for blocks that were asked for, or for another number of the CPU's threads.
 * SATFILTER_TUNE=off: nothing; any other value is refused.
 */
satf_status sat_cache_find(satf_context *ctx, const sat_job *job, double *r);

/* How long a process takes to start device 0: from the file, for it is asked before the start. Read
 * once a process; 0 if there is none, or SATFILTER_TUNE=off. */
double sat_cache_start_ms(void);

/* Reads a file's text. Unless sat_cache_print() writes the same, byte by byte, all is rejected:
 * false, and nothing counts as measured. */
bool sat_cache_parse(const char *text, sat_cache *cache);

/* The text, in memory that satf_free() frees; NULL without memory. */
char *sat_cache_print(const sat_cache *cache);

/* $XDG_CACHE_HOME/satfilter/tuning-cudaN, or tuning-cpu, else under ~/.cache; false if neither
 * variable says where, or it does not fit. */
bool sat_cache_path(int device, char *path, size_t bytes);

/* Signs the cache, makes the folders and replaces the file by a rename: readers see the old one or
 * the new one. From then on this process goes by it. trial: fails as saving would, and leaves
 * nothing behind. SATF_IO with the path and the reason. */
satf_status sat_cache_save(satf_context *ctx, int device, sat_cache *cache, bool trial);

#endif
