#include "memory.h"

#include <stdlib.h>
#include <string.h>

void *satf_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - 63) {
        return NULL;
    }
    return aligned_alloc(64, satf_align64(bytes ? bytes : 1));
}

void *satf_alloc_zeroed(size_t bytes)
{
    void *memory = satf_alloc(bytes);
    if (memory) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void satf_free(void *memory)
{
    free(memory);
}
