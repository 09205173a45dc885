/* The kernels of formulas of sums and squares, for windows whose rows fit into registers. */
#include "box.cuh"

#define ROW(across, down) {across, down, 1, box_kernel_of<across, down, 1, true>},
const box_row box_moment_rows[] = {WINDOW_GPU_SQUARE_HALOS(ROW){0, 0, 0, NULL}};
