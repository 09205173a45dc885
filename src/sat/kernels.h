/* The inner loops of algorithms that work on tiles, once per instruction set (base/cpu.h). */
#ifndef SATF_SAT_KERNELS_H
#define SATF_SAT_KERNELS_H

#include "../base/view.h"
#include "sat.h"

/* The most samples of a tile's row: its sums and the intermediate values stay in a first-level
 * cache. */
#define SAT_TILE_SAMPLES 4096

/* The same for tiles that are made in parts: their sums stay in a second-level cache. */
#define SAT_SHARED_SAMPLES 1024

/* Bytes of sat_tile.work for tiles of such rows, with room for whole vectors: a row of sums of up
 * to 128 bits; of floats, some rows of pieces. */
#define SAT_WORK_BYTES_OF(samples) ((samples)*16 + 1024)
#define SAT_WORK_BYTES SAT_WORK_BYTES_OF(SAT_TILE_SAMPLES)
enum { SAT_FLOAT_ROWS = 4, SAT_FLOAT_SAMPLES = 504 };

static inline size_t sat_work_bytes(const sat_job *job, int64_t samples)
{
    int64_t least =
        satf_type_is_float((int)job->in.type) ? SAT_FLOAT_ROWS * SAT_FLOAT_SAMPLES / 2 : 0;
    return SAT_WORK_BYTES_OF((size_t)(samples > least ? samples : least));
}

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
    void *left;      /* rows x channels sums over the row's part left of the tile; becomes the
                        same with the tile's part added */
    void *sums;      /* rows x pixels x channels, for prefix, pass and finish; aligned to 64 */
    void *work;      /* sat_work_bytes(), aligned to 64, of the thread's own */
    bool apart;      /* the row above is in `above` alone, not in the table */
    bool stream;     /* write around the caches */
} sat_tile;

typedef void (*sat_tile_kernel)(const sat_job *job, const sat_tile *tile);

/*
 * The kernels for a job. The first makes a tile at once, the others in parts, so that another
 * thread can have the tile's last row before the tile is stored. The bits are the same.
 */
typedef struct sat_kernels {
    sat_tile_kernel table;
    /* tile->sums, SAT_SHARED_SAMPLES a row at most, become those of the rows alone. */
    sat_tile_kernel prefix;
    sat_tile_kernel pass;   /* `above` becomes the last row, by the sums after prefix */
    sat_tile_kernel finish; /* the tile, by the sums and the row above after prefix */
    bool one_row;           /* prefix makes one row of sums, which pass takes for the only one */
} sat_kernels;

/* Finds the kernels for a job; all that sat_cpu_refuses() lets pass have some. */
sat_kernels sat_find_kernels_base(const sat_job *job);
sat_kernels sat_find_kernels_avx2(const sat_job *job);
sat_kernels sat_find_kernels_avx512(const sat_job *job);

#endif
