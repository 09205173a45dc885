#include "../pairs.cuh"

SAT_PAIR(f32, f64, SATF_F32, SATF_SUM_F64, false)
