/* SAT algorithms of CUDA devices, in plain C: what cuda/sat does. */
#ifndef SATF_SAT_GPU_H
#define SATF_SAT_GPU_H

#include "sat.h"

/* The first members of each (sat_name): the library names all, even without a backend. */
#define SAT_CUDA_2R2W "2r2w", "cuda", "column sums, then row sums, a thread each (section 6.2)"
#define SAT_CUDA_4R4W \
    "4r4w", "cuda", "column sums twice, the table transposed between and after (section 6.2)"
#define SAT_CUDA_4R1W "4r1w", "cuda", "formula (6.1) along anti-diagonals of samples (section 6.4)"
#define SAT_CUDA_2R1W "2r1w", "cuda", "sums of blocks, their tables, the blocks again (section 6.3)"
#define SAT_CUDA_1R1W "1r1w", "cuda", "blocks along anti-diagonals, one stage each (section 6.4)"
#define SAT_CUDA_1_PLUS_R "1+r", "cuda", "1r1w between two triangles of 2r1w (section 6.5)"
#define SAT_CUDA_SKSS "skss", "cuda", "one kernel, columns of blocks that wait for one another"
#define SAT_CUDA_LOOKBACK "lookback", "cuda", "one kernel, decoupled look-back in two dimensions"

/* In the order of table 6.2. */
#define SAT_CUDA_ALGORITHMS(X) \
    X(2R2W) X(4R4W) X(4R1W) X(2R1W) X(1R1W) X(1_PLUS_R) X(SKSS) X(LOOKBACK)

#endif
