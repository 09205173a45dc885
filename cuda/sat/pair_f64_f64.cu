#include "instances.cuh"

#define f64_f64_ROW(TILE, THREADS, PLAIN) make_shape<f64_f64_shape<TILE, THREADS, PLAIN>>(),
SAT_PAIR(f64_f64, SATF_F64, double, SATF_SUM_F64, false, sat_pair_f64_f64, double, double, double,
         double, SHAPES_WIDE)
