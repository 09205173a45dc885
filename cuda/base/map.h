/* Descriptions of images for the copy engine. */
#ifndef CUDA_BASE_MAP_H
#define CUDA_BASE_MAP_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

/*
 * Describes rows of elements to the copy engine, for boxes of so many elements and rows, each side
 * at most 256; outside the image a box has zeros. Data and stride are multiples of 16 bytes. False
 * where the driver refuses. The device is the current one and has a copy engine.
 */
bool describe_rows(CUtensorMap *map, CUtensorMapDataType type, const void *data,
                   const uint64_t size[2], int64_t stride, const uint32_t box[2]);

#endif
