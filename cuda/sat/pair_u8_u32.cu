#include "instances.cuh"

typedef ahead_launch<tile_shape<uint8_t, uint32_t, uint32_t, uint32_t, SAT_ONE_CHANNEL, 4, 8, 12>,
                     5 << 20, 1024>
    large;

#define u8_u32_ROW(TILE, THREADS, SCOPE) make_shape<u8_u32_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(u8_u32, SATF_U8, uint8_t, SATF_SUM_U32, false, sat_sums_u32, uint32_t, uint32_t, uint32_t,
         uint32_t, SHAPES_LARGE, large::table)
