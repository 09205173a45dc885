/* The kernels of tile.h as a table, and what they cost under a layout. */
#ifndef SATF_STUDY_TILE_KERNELS_H
#define SATF_STUDY_TILE_KERNELS_H

#include "machine.h"
#include "tile.h"

typedef struct tile_pass {
    uint32_t iterations;
    tile_element (*element)(uint32_t thread, uint32_t iteration);
} tile_pass;

typedef struct tile_kernel {
    const char *name, *help;
    int kase; /* of the paper: 1 coalesced, 2 not coalesced, 3 much arithmetic */
    uint32_t threads, rows, width;
    uint32_t arrays;   /* of that size in a block's shared memory */
    tile_pass in, out; /* fills the tile, reads it */
} tile_kernel;

/* NULL behind the last. */
const tile_kernel *tile_kernel_at(size_t index);

/* X(layout, "name"): what the paper compares. */
#define TILE_LAYOUTS(X)        \
    X(LAYOUT_RAW, "naive")     \
    X(LAYOUT_PADDED, "padded") \
    X(LAYOUT_AMM, "amm")

/* What a streaming multiprocessor holds. */
typedef struct tile_processor {
    const char *name;
    uint32_t shared_bytes;   /* of all its blocks */
    uint32_t reserved_bytes; /* of each block's, by the system */
    uint32_t threads, blocks;
} tile_processor;

/* The paper's, a Jetson TK1, and this project's. */
typedef enum tile_processor_number { TILE_TK1, TILE_H200, TILE_PROCESSORS } tile_processor_number;

/* NULL behind the last. */
const tile_processor *tile_processor_at(size_t index);

typedef struct tile_cost {
    double in, out;     /* mean congestion of a warp's access that fills, that reads the tile */
    int64_t stages;     /* of a block's accesses to it */
    uint32_t bytes;     /* of a block's shared memory, 4 a word */
    uint32_t blocks;    /* resident on a processor at once */
    double occupancy;   /* of its threads */
    int64_t violations; /* see tile_violations(); -1: the model is not about this kernel */
} tile_cost;

/* 32 banks and threads a warp. */
void tile_measure(const tile_kernel *kernel, layout_2d layout, const tile_processor *processor,
                  tile_cost *cost);

/*
 * How far a schedule is from the model that AMM solves (Model 4): in iteration i thread j
 * accesses bank[i * n + j], 0 <= i, j, bank < n. It asks that a thread accesses each bank in one
 * iteration and that a bank is accessed by one thread in each: a Latin square. Returns for how
 * many pairs (thread, bank) and (iteration, bank) that does not hold; 0: feasible, and then
 * optimal, for all feasible ones cost the same.
 */
int64_t tile_violations(const uint32_t *bank, uint32_t n);

#endif
