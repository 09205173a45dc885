/* Allocation and sizes: every allocation of the library goes through here. */
#ifndef SATF_BASE_MEMORY_H
#define SATF_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The memory that calls with a context may take together. While a thread uses a budget, what
 * satf_alloc() gives it is counted until it is freed, by whatever thread; beyond the limit there is
 * no more memory. A budget lives until nobody uses it and nothing that it counts is left.
 */
typedef struct satf_budget satf_budget;

satf_budget *satf_budget_create(void);       /* NULL: no memory */
void satf_budget_leave(satf_budget *budget); /* its owner does; NULL is allowed */

/* The thread uses that budget from now on, NULL: none. Returns the one that it has used. */
satf_budget *satf_budget_use(satf_budget *budget);

/* Sets the limit, and that nothing has been refused yet. */
void satf_budget_set(satf_budget *budget, size_t limit_bytes);

/* Whether memory has been refused because of the limit since it was set. */
bool satf_budget_refused(const satf_budget *budget);

/* The memory is handed out: its budget counts it no more. NULL is allowed. */
void satf_disown(void *memory);

/* Memory that counts though others, such as libjpeg, allocate it. Zeroed at first. */
typedef struct satf_charge {
    satf_budget *budget;
    size_t bytes;
} satf_charge;

bool satf_charge_add(satf_charge *charge, size_t bytes); /* false, and nothing added: no room */
void satf_charge_drop(satf_charge *charge);

/* bytes of memory aligned to 64 bytes, uninitialised; NULL if there are none.
 * 0 bytes give a valid pointer. Free with satf_free(). */
void *satf_alloc(size_t bytes);

/* Allocates like satf_alloc(), and fills the memory with zeros. */
void *satf_alloc_zeroed(size_t bytes);

void satf_free(void *memory); /* NULL is allowed */

/* Memory that begins with the `used` bytes at `old`, which is freed. NULL: there is none, and old
 * stays as it is. */
static inline void *satf_grow(void *old, size_t used, size_t bytes)
{
    void *larger = satf_alloc(bytes);
    if (larger && used > 0) {
        memcpy(larger, old, used);
    }
    if (larger) {
        satf_free(old);
    }
    return larger;
}

/* Whether so many bytes can be allocated. For other libraries that do worse than fail without
 * memory: what is there when they begin is there for them, unless other threads take it. */
bool satf_has_memory(size_t bytes);

/* Makes satf_alloc() fill what it gives with that byte; below 0, as at first, it does not. Tests
 * use it: a result that differs between two bytes depends on memory that nobody has written. */
void satf_fill_allocations(int byte);

/* *out = a * b (a + b); false, and *out untouched, if that does not fit. */
static inline bool satf_mul(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = product;
    return true;
}

static inline bool satf_add(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *out = sum;
    return true;
}

/* bytes rounded up to a multiple of 64; bytes must be below SIZE_MAX - 63. */
static inline size_t satf_align64(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* Fills a struct of the caller's, of `bytes` bytes, as far as it and ours reach: either may have
 * been compiled with a later header. to may be NULL. */
static inline void satf_give(void *to, size_t bytes, const void *from, size_t from_bytes)
{
    if (to) {
        memset(to, 0, bytes);
        memcpy(to, from, bytes < from_bytes ? bytes : from_bytes);
    }
}

#endif
