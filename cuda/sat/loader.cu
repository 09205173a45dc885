/* Describing an image to the copy engine. */
#include <string.h>

#include "../base/map.h"
#include "loader.cuh"

/* Whether the copy engine takes rows of this alignment, on the current device. */
static bool suits_engine(const sat_plane &p)
{
    int ordinal = 0;
    return p.in_align >= 16 && cudaGetDevice(&ordinal) == cudaSuccess &&
           has_engine(SATF_CUDA(ordinal));
}

loader_map make_loader_map(const sat_plane &p, int in_bytes, int columns, int rows, int channels)
{
    loader_map map;
    memset(&map, 0, sizeof map);
    bool fits = p.channels == channels && suits_engine(p) &&
                p.width < (INT64_C(1) << 31) / channels && p.height < INT64_C(1) << 31;
    if (!fits || in_bytes > 8) {
        return map;
    }
    CUtensorMapDataType type = in_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                               : in_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                               : in_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    const uint64_t size[2] = {(uint64_t)(p.width * channels), (uint64_t)p.height};
    const uint32_t box[2] = {(uint32_t)columns, (uint32_t)rows};
    map.usable = describe_rows(&map.image, type, p.in, size, p.in_stride, box);
    return map;
}
