/* Windows summed without a table: what blocks do, and which file has which kernels. */
#ifndef CUDA_SUMS_MARCH_H
#define CUDA_SUMS_MARCH_H

extern "C" {
#include "../../src/formula/epilogue_kernels.h"
#include "../../src/plan/gpu.h"
}
#include "../../src/formula/clear.h"

enum { MARCH = 8 /* rows of a step; pixels of a group */, MARCH_THREADS = 256 };
/* The least side of windows of squares above shifts: four neighbouring windows share a sample. */
enum { MARCH_LEAST_SHIFTED = 4 };

/* A window's length - 1 is MARCH * groups + rest. */
typedef struct march_axis {
    int first, length, groups, rest;
} march_axis;

/* What blocks do. Offsets are into shared memory, in bytes. */
typedef struct march_plan {
    march_axis across, down;
    int columns;            /* samples that a block reads of each row */
    int strip, strips;      /* pixels of its results, a multiple of MARCH */
    int segment, segments;  /* rows of its results, likewise */
    int pitch, group_pitch; /* sums from one row of the step to the next */
    int shift_pitch;        /* likewise of shifts; 0: all rows have the same ones */
    int inline_at;          /* where the inline pass's arrays begin, in the same order */
    int squares, state, state_squares, group_sums, group_squares, places, shifts, bytes;
    double work; /* columns read a result, times the cost of waiting (choose_strip()); at best 1 */
    epilogue_magic magic; /* of means; multiplier 0: none */
    terms_floats terms;
} march_plan;

typedef void (*march_kernel)(const filter_gpu_task task, const march_plan plan);

/* The kernel for the task's formula and its sums' types, NULL if there is none. Each type of
 * samples has a function, in a file of its own. */
march_kernel march_kernel_u8(const filter_gpu_task *task);
march_kernel march_kernel_u16(const filter_gpu_task *task);
march_kernel march_kernel_f32(const filter_gpu_task *task);
march_kernel march_kernel_f64(const filter_gpu_task *task);

/* The calls march_fits, march_plan and march_run of rectangles. (ring.cu) */
bool ring_fits(const filter_gpu_task *task);
satf_status ring_plan_make(satf_context *ctx, filter_gpu_plan *plan);
satf_status ring_run(satf_context *ctx, const filter_gpu_plan *plan);

#endif
