#include "instances.cuh"

typedef ahead_launch<tile_shape<uint16_t, uint32_t, uint32_t, uint32_t, SAT_ONE_CHANNEL, 4, 8, 12>,
                     5 << 20, 1024>
    large;

#define u16_u32_ROW(TILE, THREADS, SCOPE) make_shape<u16_u32_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(u16_u32, SATF_U16, uint16_t, SATF_SUM_U32, false, sat_sums_u32, uint32_t, uint32_t,
         uint32_t, uint32_t, SHAPES_MIDDLE, large::table)
