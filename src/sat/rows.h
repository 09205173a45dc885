/* The rows, and what those of the CPU share. */
#ifndef SATF_SAT_ROWS_H
#define SATF_SAT_ROWS_H

#include "sat.h"

/* Why no CPU row can do the job, or NULL: see sat_row.refuses. */
const char *sat_cpu_refuses(const sat_job *job);

/* True for "auto" and for every algorithm of this project, on whatever device. */
bool sat_algorithm_known(const char *name);

/* The names of that kind of device's rows, blanks between them. */
void sat_algorithm_names(const char *device_kind, char *text, size_t bytes);

extern const sat_row sat_reference, sat_2r2w, sat_4r1w, sat_blocked;

/* Where the build has CUDA. */
extern const sat_row sat_cuda_2r2w, sat_cuda_4r4w, sat_cuda_4r1w, sat_cuda_2r1w, sat_cuda_1r1w,
    sat_cuda_1_plus_r, sat_cuda_skss, sat_cuda_lookback;

#endif
