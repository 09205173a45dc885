/* Look-back of f64 samples into f64 sums. */
#include "../pairs.cuh"

SAT_PAIR(f64, f64, SATF_F64, SATF_SUM_F64, false)
