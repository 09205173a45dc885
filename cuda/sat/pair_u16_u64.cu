#include "instances.cuh"

typedef ahead_launch<tile_shape<uint16_t, uint32_t, uint64_t, uint64_t, SAT_ONE_CHANNEL, 2, 8, 12>,
                     1 << 22>
    large;

#define u16_u64_ROW(TILE, THREADS, SCOPE) make_shape<u16_u64_shape<TILE, THREADS, SCOPE>>(),
SAT_PAIR(u16_u64, SATF_U16, uint16_t, SATF_SUM_U64, false, sat_sums_u64, uint32_t, uint64_t,
         uint64_t, uint64_t, SHAPES_LONG, large::table)
