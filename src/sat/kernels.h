/* The inner loops of the blocked row: built once per instruction set (base/cpu.h). */
#ifndef SATF_SAT_KERNELS_H
#define SATF_SAT_KERNELS_H

#include "sat.h"

/* Samples of a tile's row at most: the sums of a row and the intermediate
 * values stay in a first-level cache. */
#define SAT_TILE_SAMPLES 4096

/* Bytes of sat_tile.work: a row of 128-bit terms, or two of 64-bit terms with
 * some room around each. */
#define SAT_WORK_BYTES (SAT_TILE_SAMPLES * 16 + 4096)

/*
 * A rectangle of the image. The kernel completes its sums from the row above it
 * and the sums of its rows left of it, and leaves both ready for its neighbours.
 */
typedef struct sat_tile {
    const char *src; /* first sample; rows are job->in.stride apart */
    char *out;       /* first sum; rows are job->out_stride apart */
    int64_t pixels;  /* 1 ... SAT_TILE_SAMPLES / channels */
    int rows;        /* >= 1 */
    void *above;     /* sums of the row above, aligned to 64; becomes the tile's last row */
    void *left;      /* rows x channels sums over the row's part left of the tile, aligned
                        to 64; becomes the same with the tile's part added */
    void *work;      /* SAT_WORK_BYTES, aligned to 64, of the thread's own */
    bool top;        /* there is no row of the table above it */
    bool stream;     /* write around the caches */
} sat_tile;

typedef void (*sat_tile_kernel)(const sat_job *job, const sat_tile *tile);

/* The kernel for the job; every job that no CPU row refuses has one. */
sat_tile_kernel sat_find_kernel_base(const sat_job *job);
sat_tile_kernel sat_find_kernel_avx2(const sat_job *job);
sat_tile_kernel sat_find_kernel_avx512(const sat_job *job);

#endif
