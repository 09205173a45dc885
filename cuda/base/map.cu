/* Describing images to the copy engine, whose driver call the runtime finds. */
#include "map.h"

typedef CUresult (*encode_call)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_call find_encode(void)
{
    void *entry = NULL;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &found) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return found == cudaDriverEntryPointSuccess ? (encode_call)entry : NULL;
}

bool describe_rows(CUtensorMap *map, CUtensorMapDataType type, const void *data,
                   const uint64_t size[2], int64_t stride, const uint32_t box[2])
{
    static const encode_call encode = find_encode();
    const cuuint64_t sizes[2] = {size[0], size[1]}, strides[1] = {(cuuint64_t)stride};
    const cuuint32_t boxes[2] = {box[0], box[1]}, step[2] = {1, 1};
    return encode && stride > 0 && stride < INT64_C(1) << 40 &&
           encode(map, type, 2, (void *)data, sizes, strides, boxes, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
