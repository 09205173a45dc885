/* The kernels of formulas of sums and squares: of what registers hold the rows of. */
#include "box.cuh"

const box_row box_moment_rows[] = {
    {{8, 8, true}, 1, box_kernel_of<8, 8, 1, true>},
    {{32, 8, true}, 1, box_kernel_of<32, 8, 1, true>},
    {{16, 16, true}, 1, box_kernel_of<16, 16, 1, true>},
    {{0, 0, true}, 0, NULL},
};
