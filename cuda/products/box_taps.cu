/* The kernels of lines of weights: of bytes. */
#include "box.cuh"

#define ROW(across, down)                                                 \
    {across, down, 1, [](const window_gpu_formula &, int) -> box_kernel { \
         return box_down<across, down, 1, tap_epilogue>;                  \
     }},
const box_row box_tap_rows[] = {WINDOW_GPU_TAP_HALOS(ROW){0, 0, 0, NULL}};
