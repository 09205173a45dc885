/* The kernels of samples of 16 bits: means, and formulas of terms. */
#include "box.cuh"

template <int ACROSS, int DOWN, int TILES>
static box_kernel box_words_kernel_of(const window_gpu_formula &formula, int)
{
    return formula.number == FORMULA_NONE ? box_down<ACROSS, DOWN, TILES, word_mean_epilogue>
                                          : box_down<ACROSS, DOWN, TILES, word_terms_epilogue>;
}

#define ROW(across, down)                  \
    {across, down, tiles_of(across, down), \
     box_words_kernel_of<across, down, tiles_of(across, down)>},
const box_row box_word_rows[] = {WINDOW_GPU_HALOS(ROW){0, 0, 0, NULL}};
