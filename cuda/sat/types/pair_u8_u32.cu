#include "../pairs.cuh"

SAT_PAIR(u8, u32, SATF_U8, SATF_SUM_U32, false)
