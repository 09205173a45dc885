#include "../pairs.cuh"

SAT_PAIR(u16, u32, SATF_U16, SATF_SUM_U32, false)
