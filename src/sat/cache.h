/* The tuner's memory: a text file of choices, one a line, under a header that
 * says what they hold for. */
#ifndef SATF_SAT_CACHE_H
#define SATF_SAT_CACHE_H

#include "sat.h"

/* What an answer depends on besides the job: any other value, and the file is
 * as good as absent. */
typedef struct sat_cache_key {
    uint64_t signature; /* of the CUDA rows, their variants and the version */
    char device[256];
    char driver[64];
} sat_cache_key;

typedef struct sat_choice {
    int in_type;
    satf_sum_type sum_type;
    bool f32_out;
    int size_class; /* floor(log2(pixels)) */
    bool of_all;    /* the fastest of all rows; else the fastest tuning of this row */
    char row[16];
    sat_tuning tuning;
} sat_choice;

enum { SAT_CACHE_CHOICES = 256 };

typedef struct sat_cache {
    int count;
    sat_choice choice[SAT_CACHE_CHOICES];
} sat_cache;

/* "auto", "launch", "graph" or "coop". Static storage. */
const char *sat_sync_name(sat_sync sync);

/* false, and *sync untouched, if name is none of those. */
bool sat_sync_parse(const char *name, sat_sync *sync);

/* floor(log2(pixels)) */
int sat_size_class(int64_t width, int64_t height);

/* The choice of the job's types whose size class is the nearest, the larger of two that are as
 * near: of all rows if row is NULL, else of that one. NULL if there is none. */
const sat_choice *sat_cache_find(const sat_cache *cache, const sat_job *job, const char *row);

/* Reads the text of a cache. One line that is not as sat_cache_print() writes
 * it, or another key, rejects all: false, and no choices. */
bool sat_cache_parse(const char *text, const sat_cache_key *key, sat_cache *cache);

/* The text, in memory that satf_free() frees; NULL without memory. */
char *sat_cache_print(const sat_cache *cache, const sat_cache_key *key);

/* $XDG_CACHE_HOME/satfilter/tuning-cudaN, else under ~/.cache; false if neither
 * variable says where, or it does not fit. */
bool sat_cache_path(int device, char *path, size_t bytes);

/* false, and no choices, unless the file is there, whole and of that key. */
bool sat_cache_load(const char *path, const sat_cache_key *key, sat_cache *cache);

/* Whether sat_cache_save() could write there, before what is to be saved is known: fails as it
 * would, and leaves no empty folder. */
satf_status sat_cache_try(satf_context *ctx, const char *path);

/* Makes the folders and replaces the file by a rename: readers see the old one
 * or the new one. SATF_IO with the path and the reason. */
satf_status sat_cache_save(satf_context *ctx, const char *path, const sat_cache_key *key,
                           const sat_cache *cache);

/* What the start of a device takes a process, in ms, in the file "start-cuda" beside it: as the
 * latest tuning has measured it. Read once a process; 0 if there is no such file, or no such
 * number in it. */
double sat_cache_start_ms(void);
satf_status sat_cache_save_start(satf_context *ctx, double ms);

#endif
