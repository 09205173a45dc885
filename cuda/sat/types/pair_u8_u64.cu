/* Look-back of u8 samples into u64 sums. */
#include "../pairs.cuh"

SAT_PAIR(u8, u64, SATF_U8, SATF_SUM_U64, false)
