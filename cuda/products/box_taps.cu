/* The kernels of lines of weights: from bytes, to bytes or to doubles that are not rounded. */
#include "box.cuh"

template <int ACROSS, int DOWN>
static box_kernel box_tap_kernel_of(const window_gpu_formula &, int type)
{
    return type == SATF_U8 ? box_down<ACROSS, DOWN, 1, tap_epilogue>
                           : box_down<ACROSS, DOWN, 1, tap_real_epilogue>;
}

#define ROW(across, down) {across, down, 1, box_tap_kernel_of<across, down>},
const box_row box_tap_rows[] = {WINDOW_GPU_TAP_HALOS(ROW){0, 0, 0, NULL}};
