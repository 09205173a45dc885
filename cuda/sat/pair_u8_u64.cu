#include "instances.cuh"

typedef ahead_launch<tile_shape<uint8_t, uint32_t, uint64_t, uint64_t, SAT_ONE_CHANNEL, 2, 8, 12>,
                     1 << 22>
    large;

#define u8_u64_ROW(TILE, THREADS, SCOPE) make_shape<u8_u64_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(u8_u64, SATF_U8, uint8_t, SATF_SUM_U64, false, sat_sums_u64, uint32_t, uint64_t, uint64_t,
         uint64_t, SHAPES_LONG, large::table)
