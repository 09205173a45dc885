/* The kernels of samples of 16 bits: means, and formulas of sums. */
#include "box.cuh"

template <int ACROSS, int DOWN, int TILES> static box_kernel box_words_kernel_of(int formula, int)
{
    switch (formula) {
    case FORMULA_NONE:
        return box_down<ACROSS, DOWN, TILES, word_mean_epilogue>;
#define FORMULA_ENTRY(name, reads)                                                             \
    case FORMULA_##name:                                                                       \
        if constexpr (window_gpu_has_formula((reads), SATF_U16, SATF_U16)) {                   \
            return box_down<ACROSS, DOWN, TILES, word_epilogue<byte_formula<FORMULA_##name>>>; \
        }                                                                                      \
        return NULL;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        return NULL;
    }
}

#define ROW(across, down)                  \
    {across, down, tiles_of(across, down), \
     box_words_kernel_of<across, down, tiles_of(across, down)>},
const box_row box_word_rows[] = {WINDOW_GPU_HALOS(ROW){0, 0, 0, NULL}};
