/* The block-wise algorithms for sums of 32 bits. */
#include "../sums.cuh"

SAT_SUMS(u32, uint32_t, uint32_t, u32,
         make_shape<sums_shape<uint32_t, uint32_t, 128, 256, SAT_ONE_CHANNEL>>(),
         make_shape<sums_shape<uint32_t, uint32_t, 128, 256>>())
