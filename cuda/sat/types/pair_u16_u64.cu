/* Look-back of u16 samples into u64 sums. */
#include "../pairs.cuh"

SAT_PAIR(u16, u64, SATF_U16, SATF_SUM_U64, false)
