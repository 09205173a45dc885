/* Look-back of f32 samples into f32 sums. */
#include "../pairs.cuh"

SAT_PAIR(f32, f32, SATF_F32, SATF_SUM_F64, true)
