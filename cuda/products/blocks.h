/* How an image is divided among blocks that march down strips of it: warps, and rows of a block. */
#ifndef CUDA_PRODUCTS_BLOCKS_H
#define CUDA_PRODUCTS_BLOCKS_H

#include <stdint.h>

#include "../../src/sums/march/bands.h"

/* Warps of a block that compute. With the one that loads they are 16, of 128 registers a thread, of
 * which some kernels spill a few; 24 warps have fewer, and are slower. */
enum { BLOCKS_MOST_WARPS = 15, BLOCKS_LEAST_WARPS = 4 };

typedef struct window_blocks {
    int64_t row_bytes, height;
    int tiles, ahead;                            /* of a warp; steps before the first result */
    int most_warps, enough_warps;                /* of a block; that keep a multiprocessor busy */
    int shared_of_warp, shared_of_block, shared; /* bytes: two estimates, and the device's */
    /* The choice: warps, and the rows that a block marches over, a multiple of 16. */
    int warps, segment;
} window_blocks;

/* How many blocks of so many warps, and one that loads, a multiprocessor holds at a time. */
static inline int window_blocks_resident(const window_blocks *b, int warps)
{
    int by_registers = (BLOCKS_MOST_WARPS + 1) / (warps + 1);
    int by_shared = b->shared / (b->shared_of_block + warps * b->shared_of_warp);
    int least = by_registers < by_shared ? by_registers : by_shared;
    return least > 1 ? least : 1;
}

/*
 * Few warps a block make many strips, so a small image fills the device. Short segments do too, but
 * each begins with rows that another reads as well. The choice is the least work of the busiest
 * multiprocessor, in steps of a warp. Warps up to enough_warps take as long as enough_warps; blocks
 * that run one after the other do not make up for one another.
 */
static inline void window_blocks_choose(window_blocks *b, int processors)
{
    enum { START = 2 };
    int64_t least = INT64_MAX, steps = (b->height + BANDS_DOWN_TILE - 1) / BANDS_DOWN_TILE;
    for (int warps = b->most_warps; warps >= BLOCKS_LEAST_WARPS; warps--) {
        int64_t bytes = (int64_t)warps * b->tiles * BANDS_ACROSS_TILE;
        int64_t strips = (b->row_bytes + bytes - 1) / bytes;
        int64_t resident = window_blocks_resident(b, warps);
        for (int64_t parts = 1; parts <= steps && parts <= 4 * processors; parts++) {
            int64_t own = (steps + parts - 1) / parts, blocks = strips * ((steps + own - 1) / own);
            int64_t each = (blocks + processors - 1) / processors;
            int64_t together = each < resident ? each : resident;
            int64_t busy = together * warps < b->enough_warps ? b->enough_warps : together * warps;
            int64_t work = (each + together - 1) / together * busy * (own + b->ahead + START);
            if (work < least) {
                least = work;
                b->warps = warps;
                b->segment = (int)(own * BANDS_DOWN_TILE);
            }
        }
    }
}

#endif
