/* Of the driver's header what describes images to a copy engine, which the emulated device has not.
 */
#ifndef EMULATED_CUDA_H
#define EMULATED_CUDA_H

#include <cstdint>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef enum CUresult { CUDA_SUCCESS } CUresult;
typedef struct CUtensorMap {
    alignas(64) uint64_t opaque[16];
} CUtensorMap;
typedef enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_UINT64 } CUtensorMapDataType;
typedef enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE } CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_256B } CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;

#endif
