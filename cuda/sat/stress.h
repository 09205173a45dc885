/* For tests: makes the kernels whose blocks wait for one another run in awkward orders. */
#ifndef CUDA_SAT_STRESS_H
#define CUDA_SAT_STRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* 0: as usual; 1: blocks pause for pseudo-random times between their steps; 2: a
 * single block is resident at a time where the row can choose; 3: every second
 * block is slow, so that look-backs reach far. For the whole process. */
void sat_cuda_stress(int mode);

#ifdef __cplusplus
}
#endif

#endif
