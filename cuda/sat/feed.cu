/* Describing an image to the copy engine, whose driver call the runtime finds. */
#include <string.h>

#include "feed.cuh"

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

/* Whether the copy engine takes rows that lie so. */
static bool suits_engine(const sat_plane &p)
{
    int ordinal = 0;
    return p.in_align >= 16 && p.in_stride > 0 && p.in_stride < INT64_C(1) << 40 &&
           cudaGetDevice(&ordinal) == cudaSuccess && has_engine(SATF_CUDA(ordinal));
}

feed_map make_feed_map(const sat_plane &p, int in_bytes, int columns, int rows, int channels)
{
    static const encode_call encode = find_encode();
    feed_map map;
    memset(&map, 0, sizeof map);
    bool fits = p.channels == channels && suits_engine(p) &&
                p.width < (INT64_C(1) << 31) / channels && p.height < INT64_C(1) << 31;
    if (!encode || !fits || in_bytes > 8) {
        return map;
    }
    CUtensorMapDataType type = in_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                               : in_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                               : in_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    cuuint64_t size[2] = {(cuuint64_t)(p.width * channels), (cuuint64_t)p.height};
    cuuint64_t stride[1] = {(cuuint64_t)p.in_stride};
    cuuint32_t box[2] = {(cuuint32_t)columns, (cuuint32_t)rows}, step[2] = {1, 1};
    map.usable = encode(&map.image, type, 2, (void *)p.in, size, stride, box, step,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                        CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
    return map;
}
