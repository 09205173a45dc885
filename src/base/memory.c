#include "memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int fill_byte = -1;

void satf_fill_allocations(int byte)
{
    atomic_store_explicit(&fill_byte, byte, memory_order_relaxed);
}

void *satf_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - 63) {
        return NULL;
    }
    size_t whole = satf_align64(bytes ? bytes : 1);
    void *memory = aligned_alloc(64, whole);
    int byte = atomic_load_explicit(&fill_byte, memory_order_relaxed);
    if (memory && byte >= 0) {
        memset(memory, byte, whole);
    }
    return memory;
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
