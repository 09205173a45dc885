#include "sums.cuh"

/* Blocks add floats, and hand on doubles. */
SAT_SUMS(f32, SATF_F32, double, float, f64, make_shape<sums_shape<double, float, 128, 256>>())
