/* Mutations of PNGs that get past their checksums: most are written anew. */
#include <string.h>
#include <zlib.h>

#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { SIGNATURE = 8, LENGTH = 4, KIND = 4, CHECKSUM = 4 };

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 == 0) {
        return size;
    }
    for (size_t at = SIGNATURE; size - at > LENGTH + KIND + CHECKSUM && at < size;) {
        size_t bytes = get32(data + at), left = size - at - LENGTH - KIND - CHECKSUM;
        bytes = bytes < left ? bytes : left;
        uint8_t *kind = data + at + LENGTH;
        put32(kind + KIND + bytes, (uint32_t)crc32(0, kind, (uInt)(KIND + bytes)));
        at += LENGTH + KIND + bytes + CHECKSUM;
    }
    return size;
}
