/* The names of all algorithms, and what the algorithms of the CPU share. */
#ifndef SATF_SAT_ALGORITHMS_H
#define SATF_SAT_ALGORITHMS_H

#include "sat.h"

/* The side in pixels of a block of the paper's algorithms on the CPU. Its sums stay in a
 * second-level cache; smaller blocks would be too little work between two stages. */
enum { SAT_CPU_BLOCK = 256 };

/* Why no CPU algorithm can do the job, or NULL: see sat_algorithm.refuses. */
const char *sat_cpu_refuses(const sat_job *job);

/* Bytes of the job's table; INT64_MAX if they are more: before its memory is there, a job may be of
 * any size. */
int64_t sat_table_bytes(const sat_job *job);

/* Bytes of a row of its sums, up to a multiple of 64; false if they overflow. */
bool sat_row_bytes(const sat_job *job, size_t *bytes);

/* Threads that the table is worth. */
int sat_cpu_threads(const satf_context *ctx, const sat_job *job);

/* The first members of an algorithm. */
typedef struct sat_name {
    const char *name, *device_kind, *help;
} sat_name;

/* Algorithm number `index`, in the order of sat_algorithm_at(), also of devices that have no
 * backend; false behind the last. */
bool sat_name_at(size_t index, sat_name *name);

/* True for "auto" and for every algorithm of this project, on whatever device. */
bool sat_algorithm_known(const char *name);

/* The names of that kind of device's algorithms, blanks between them. */
void sat_algorithm_names(const char *device_kind, char *text, size_t bytes);

extern const sat_algorithm sat_reference, sat_2r2w, sat_4r1w, sat_2r1w, sat_1r1w, sat_1_plus_r,
    sat_blocked;

#endif
