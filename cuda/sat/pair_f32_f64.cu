#include "instances.cuh"

typedef ahead_launch<tile_shape<float, double, double, double, SAT_ONE_CHANNEL, 2, 8, 14>, 5 << 20>
    large;

#define f32_f64_ROW(TILE, THREADS, SCOPE) make_shape<f32_f64_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(f32_f64, SATF_F32, float, SATF_SUM_F64, false, sat_pair_f64_f64, double, double, double,
         double, SHAPES_SMALL, large::table)
