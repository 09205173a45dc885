/* The best size of the triangles of (1+r)R1W (dissertation, section 6.5). Pure arithmetic. */
#ifndef SATF_SAT_STAGES_H
#define SATF_SAT_STAGES_H

#include <math.h>

#include "sat.h"

/* The anti-diagonals of blocks in each triangle: sqrt(r) of the blocks on the shorter side,
 * rounded, and at least one is left between the triangles. r 0: the paper's. */
static inline int64_t sat_triangle_side(double r, int64_t tiles_x, int64_t tiles_y)
{
    int64_t shorter = tiles_x < tiles_y ? tiles_x : tiles_y, most = (tiles_x + tiles_y - 2) / 2;
    int64_t side = llround(sqrt(r > 0 ? r : SAT_PAPER_R) * (double)shorter);
    return side < most ? side : most;
}

/* The r of triangles of that side. */
static inline double sat_triangle_r(int64_t side, int64_t tiles_x, int64_t tiles_y)
{
    double share = (double)side / (double)(tiles_x < tiles_y ? tiles_x : tiles_y);
    return share * share;
}

/* The parts of the time on a device. A stage of 1R1W waits for the stage before it, however few
 * blocks it has; blocks of the triangles are read once more. */
typedef struct sat_stage_costs {
    double stage_us;  /* of a stage, where one kernel has them all */
    double launch_us; /* of a stage that is a kernel of its own */
    double start_us;  /* of the one kernel, besides */
    double block_us;  /* of a block's samples, read and written once */
} sat_stage_costs;

/* What is known of a device; 0: unknown. */
typedef struct sat_stage_device {
    double clock_khz;        /* of its multiprocessors */
    double bytes_per_second; /* of its memory, as it is built to have */
} sat_stage_device;

/* The costs of blocks of that many bytes, read and written. */
sat_stage_costs sat_stage_costs_of(const sat_stage_device *device, double block_bytes);

/*
 * The side of each triangle, in blocks, at which the time is least, at least 1 where there are
 * three anti-diagonals, for a table of tiles_x * tiles_y blocks in each of the channels. *sync, how
 * stages wait for one another, is chosen too if it is SAT_SYNC_AUTO.
 */
int64_t sat_best_side(const sat_stage_costs *costs, int64_t tiles_x, int64_t tiles_y, int channels,
                      sat_sync *sync);

/* The way of waiting that takes least time for so many stages. */
sat_sync sat_best_sync(const sat_stage_costs *costs, int64_t stages);

/* Up to SAT_SWEEP values of r in equal steps of the triangles' side, from the least side to the
 * largest; returns how many there are: 0 where no two blocks lie along a diagonal. */
enum { SAT_SWEEP = 32 };
int sat_sweep_r(int64_t tiles_x, int64_t tiles_y, double r[SAT_SWEEP]);

#endif
