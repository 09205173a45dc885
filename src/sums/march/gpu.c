/* The table of halos that gpu.h declares. */
#include "gpu.h"

#define SUMS(across, down) {across, down, false},
#define SQUARES(across, down) {across, down, true},
const window_gpu_halo window_gpu_halos[] = {
    WINDOW_GPU_HALOS(SUMS) WINDOW_GPU_SQUARE_HALOS(SQUARES){0, 0, false},
};
const window_gpu_halo window_gpu_tap_halos[] = {WINDOW_GPU_TAP_HALOS(SUMS){0, 0, false}};
#undef SUMS
#undef SQUARES
