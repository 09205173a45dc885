#include "instances.cuh"

typedef ahead_launch<tile_shape<float, float, double, float, SAT_ONE_CHANNEL, 4, 8, 12>, 5 << 20,
                     1024>
    large;

#define f32_f32_ROW(TILE, THREADS, SCOPE) make_shape<f32_f32_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(f32_f32, SATF_F32, float, SATF_SUM_F64, true, sat_pair_f64_f64, float, double, double,
         float, SHAPES_LARGE, large::table)
