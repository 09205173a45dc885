/*
 * Conflict-free schedules of offline permutations in a memory of w banks
 * (dissertation, sections 4.2 and 5.4): arrays s and d such that b[d[k]] = a[s[k]]
 * for all k does the permutation, and in every group of w consecutive k all s[k] lie
 * in different banks and all d[k] too. Valid C11 and CUDA C++17.
 */
#ifndef SATF_PERMUTE_SCHEDULE_H
#define SATF_PERMUTE_SCHEDULE_H

#include <stdbool.h>

#include "colour.h"
#include "../base/layout.h"

#define SCHEDULE_MAX 65536u /* elements: indices of 16 bits */

/* What schedule_build() works in, for n elements and w banks. */
#define SCHEDULE_EDGES(n) (2 * (size_t)(n))
#define SCHEDULE_WORDS(n, w) ((size_t)(n) + 3 * (size_t)(w))

/*
 * s and d for b[p[k]] = a[k], n <= SCHEDULE_MAX a multiple of w >= 1. Where w is
 * even, each half of a group meets every bank modulo w / 2 once: words of twice
 * the banks' width, of which half a warp is served at a time, have no conflicts
 * either. Takes time O(n log(n / w)) where n / w is a power of two.
 */
void schedule_build(const uint16_t *p, uint32_t n, uint32_t w, uint16_t *s, uint16_t *d,
                    colour_edge *edges, uint32_t *words);

/* How many times the banks must answer before the threads' words are all there: the most
 * different addresses in one bank (dissertation, section 3.1). */
#define SCHEDULE_MAX_THREADS 64
uint32_t schedule_congestion(const uint32_t *addresses, uint32_t count, uint32_t w);

/*
 * The order in which kernels read 16-bit schedules. A warp moves SCHEDULE_BATCH
 * elements at a time, lane l those at l, l + 32, ...; its indices are stored side by
 * side, so that a lane reads them as one word of 16 bytes. Where entry k is:
 */
#define SCHEDULE_LANES 32u
#define SCHEDULE_DEEP 8u
#define SCHEDULE_BATCH (SCHEDULE_LANES * SCHEDULE_DEEP)

SATF_LAYOUT_FN uint32_t schedule_place(uint32_t k)
{
    uint32_t lane = k % SCHEDULE_LANES, step = k / SCHEDULE_LANES % SCHEDULE_DEEP;
    return k - k % SCHEDULE_BATCH + lane * SCHEDULE_DEEP + step;
}

/* Entries of a row of n elements, with those that nobody uses. */
SATF_LAYOUT_FN uint32_t schedule_pitch(uint32_t n)
{
    return (n + SCHEDULE_BATCH - 1) / SCHEDULE_BATCH * SCHEDULE_BATCH;
}

#endif
