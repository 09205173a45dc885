/* The block-wise algorithms for sums of 64 bits. */
#include "../sums.cuh"

SAT_SUMS(u64, uint64_t, uint64_t, u64, make_shape<sums_shape<uint64_t, uint64_t, 64, 128>>())
