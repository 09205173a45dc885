#include "instances.cuh"

#define f32_f64_ROW(TILE, THREADS, PLAIN) make_shape<f32_f64_shape<TILE, THREADS, PLAIN>>(),
SAT_PAIR(f32_f64, SATF_F32, float, SATF_SUM_F64, false, sat_pair_f64_f64, double, double, double,
         double, SHAPES_WIDE)
