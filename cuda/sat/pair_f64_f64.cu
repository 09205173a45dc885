#include "instances.cuh"

typedef ahead_launch<tile_shape<double, double, double, double, SAT_ONE_CHANNEL, 2, 8, 12>, 5 << 20>
    large;

#define f64_f64_ROW(TILE, THREADS, SCOPE) make_shape<f64_f64_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(f64_f64, SATF_F64, double, SATF_SUM_F64, false, sat_pair_f64_f64, double, double, double,
         double, SHAPES_DOUBLE, large::table)
