/*
 * libtiff's memory. libtiff does not check each small allocation: where one fails it drops a tag,
 * or reads at NULL. Its functions for memory stand here in place of its own (the module comes
 * before libtiff in the order in which the linker looks), and take a small block from a reserve
 * where there is no other memory. The format's function fails then, when libtiff has returned.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "tiff_common.h"

/* What libtiff takes beside pixels: directories, and what codecs know of themselves. Larger ones it
 * checks. */
enum { RESERVE_BYTES = 1 << 20, MOST_BYTES = 64 << 10, ALIGNMENT = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(ALIGNMENT) char reserve[RESERVE_BYTES];
static size_t taken, blocks; /* of the reserve: it begins anew when nothing is held */
static atomic_uint lacks;

unsigned io_tiff_lacks(void)
{
    return atomic_load(&lacks);
}

#define KEPT __attribute__((visibility("default")))

static bool is_reserved(const void *memory)
{
    return (const char *)memory >= reserve && (const char *)memory < reserve + RESERVE_BYTES;
}

/* In front of a block is its size. */
static void *take_reserved(size_t bytes)
{
    void *memory = NULL;
    size_t all = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pthread_mutex_lock(&lock);
    if (bytes <= MOST_BYTES && all <= RESERVE_BYTES - taken) {
        memory = reserve + taken + ALIGNMENT;
        memcpy(reserve + taken, &bytes, sizeof bytes);
        taken += all;
        blocks++;
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&lacks, 1);
    errno = ENOMEM;
    return memory;
}

static size_t tiff_memory_bytes_of(void *memory)
{
    size_t bytes = 0;
    if (is_reserved(memory)) {
        memcpy(&bytes, (char *)memory - ALIGNMENT, sizeof bytes);
    } else if (memory) {
#ifdef __GLIBC__
        bytes = malloc_usable_size(memory);
#endif
    }
    return bytes;
}

KEPT void *_TIFFmalloc(tmsize_t bytes)
{
    void *memory = bytes > 0 ? malloc((size_t)bytes) : NULL;
    return memory || bytes <= 0 ? memory : take_reserved((size_t)bytes);
}

KEPT void _TIFFfree(void *memory)
{
    if (!is_reserved(memory)) {
        free(memory);
        return;
    }
    pthread_mutex_lock(&lock);
    blocks--;
    taken = blocks ? taken : 0;
    pthread_mutex_unlock(&lock);
}

KEPT void *_TIFFrealloc(void *memory, tmsize_t bytes)
{
    size_t before = tiff_memory_bytes_of(memory), n = (size_t)bytes;
    void *larger = is_reserved(memory) ? malloc(n) : realloc(memory, n);
    if (!larger && bytes > 0 && (before || !memory)) {
        larger = take_reserved(n);
    }
    if (larger && memory && (is_reserved(memory) || is_reserved(larger))) {
        memcpy(larger, memory, before < n ? before : n);
        _TIFFfree(memory);
    }
    return larger;
}
