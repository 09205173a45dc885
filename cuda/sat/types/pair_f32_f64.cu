/* Look-back of f32 samples into f64 sums. */
#include "../pairs.cuh"

SAT_PAIR(f32, f64, SATF_F32, SATF_SUM_F64, false)
