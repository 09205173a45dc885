/* Look-back of u16 samples into u32 sums. */
#include "../pairs.cuh"

SAT_PAIR(u16, u32, SATF_U16, SATF_SUM_U32, false)
