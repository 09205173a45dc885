/* The time that (1+r)R1W takes by its stages and blocks, and the triangles that take the least. */
#include "stages.h"

/*
 * Fitted to the records of an H200 (results/h200/sat.json and launch.json: f64 in blocks of 64 x
 * 64, 1K to 18K, r from 0 to 0.99, 50 times), which the sums below meet within 2 %, below 3K within
 * 7 %. Waiting is a matter of the clock; memory reaches nine tenths of what it is built for.
 */
static const double h200_clock_khz = 1980e3, h200_bytes_per_second = 4.8e12;
static const double h200_stage_us = 0.75, h200_launch_us = 3.9, h200_start_us = 11.7;
static const double reached = 0.9;

/* How much more a block in a triangle costs than one between them: its samples are read once more,
 * which is half of its bytes, and what it hands on is summed up separately. */
static const double once_more = 0.72;

sat_stage_costs sat_stage_costs_of(const sat_stage_device *device, double block_bytes)
{
    double clock = device->clock_khz > 0 ? device->clock_khz : h200_clock_khz;
    double speed = device->bytes_per_second > 0 ? device->bytes_per_second : h200_bytes_per_second;
    double slower = h200_clock_khz / clock;
    return (sat_stage_costs){h200_stage_us * slower, h200_launch_us, h200_start_us,
                             block_bytes / (reached * speed) * 1e6};
}

/* The part of the time that depends on the side. */
static double time_us(const sat_stage_costs *costs, int64_t diagonals, double block_us,
                      int64_t side, bool one_kernel)
{
    double stages = (double)(diagonals - 2 * side), blocks = (double)side * (double)side;
    double stage_us = one_kernel ? costs->stage_us : costs->launch_us;
    return stages * stage_us + once_more * block_us * blocks + (one_kernel ? costs->start_us : 0);
}

/* A further anti-diagonal in both triangles saves two stages, and costs 2 * side + 1 blocks. */
static int64_t least_r(const sat_stage_costs *costs, double block_us, int64_t most, bool one_kernel)
{
    double stage_us = one_kernel ? costs->stage_us : costs->launch_us;
    double side = stage_us / (once_more * block_us);
    return side < 1 ? 1 : side < (double)most ? (int64_t)(side + 0.5) : most;
}

int64_t sat_best_side(const sat_stage_costs *costs, int64_t tiles_x, int64_t tiles_y, int channels,
                      sat_sync *sync)
{
    int64_t diagonals = tiles_x + tiles_y - 1, most = (diagonals - 1) / 2;
    int64_t shorter = tiles_x < tiles_y ? tiles_x : tiles_y;
    double block_us = costs->block_us * channels;
    most = most < shorter ? most : shorter;
    if (most < 1) {
        *sync = *sync == SAT_SYNC_AUTO ? SAT_SYNC_LAUNCH : *sync;
        return 0;
    }
    int64_t together = least_r(costs, block_us, most, true);
    int64_t apart = least_r(costs, block_us, most, false);
    if (*sync == SAT_SYNC_AUTO) {
        *sync = time_us(costs, diagonals, block_us, together, true) <
                        time_us(costs, diagonals, block_us, apart, false)
                    ? SAT_SYNC_COOP
                    : SAT_SYNC_LAUNCH;
    }
    return *sync == SAT_SYNC_COOP ? together : apart;
}

sat_sync sat_best_sync(const sat_stage_costs *costs, int64_t stages)
{
    double saved_us = (double)stages * (costs->launch_us - costs->stage_us);
    return saved_us > costs->start_us ? SAT_SYNC_COOP : SAT_SYNC_LAUNCH;
}

int sat_sweep_r(int64_t tiles_x, int64_t tiles_y, double r[SAT_SWEEP])
{
    int64_t shorter = tiles_x < tiles_y ? tiles_x : tiles_y, most = (tiles_x + tiles_y - 2) / 2;
    most = most < shorter ? most : shorter;
    int count = most < SAT_SWEEP ? (int)most : SAT_SWEEP;
    for (int i = 0; i < count; i++) { /* the last is the largest */
        r[i] = sat_triangle_r((i + 1) * most / count, tiles_x, tiles_y);
    }
    return count;
}
