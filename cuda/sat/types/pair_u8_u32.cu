/* Look-back of u8 samples into u32 sums. */
#include "../pairs.cuh"

SAT_PAIR(u8, u32, SATF_U8, SATF_SUM_U32, false)
