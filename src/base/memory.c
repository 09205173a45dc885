/* Allocation under a limit of memory that calls share. */
#include "memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef aligned_free /* what src/windows/posix.h has: free() takes what aligned_alloc() has given \
                      */
#define aligned_free free
#endif

struct satf_budget {
    atomic_size_t limit, held; /* bytes */
    atomic_size_t users;       /* its owner, and blocks and charges that it counts */
    atomic_bool refused;
};

/* The header in front of each block. */
typedef struct head {
    _Alignas(64) satf_budget *budget; /* that counts it; NULL: none */
    size_t bytes;                     /* of both */
} head;

static _Thread_local satf_budget *in_use;
static _Atomic int fill_byte = -1;

/* ------------------------------------------------------------------ budgets */

satf_budget *satf_budget_create(void)
{
    satf_budget *budget = malloc(sizeof *budget);
    if (budget) {
        atomic_init(&budget->limit, SIZE_MAX);
        atomic_init(&budget->held, 0);
        atomic_init(&budget->users, 1);
        atomic_init(&budget->refused, false);
    }
    return budget;
}

void satf_budget_leave(satf_budget *budget)
{
    if (budget && atomic_fetch_sub(&budget->users, 1) == 1) {
        free(budget);
    }
}

satf_budget *satf_budget_use(satf_budget *budget)
{
    satf_budget *before = in_use;
    in_use = budget;
    return before;
}

void satf_budget_set(satf_budget *budget, size_t limit_bytes)
{
    atomic_store(&budget->limit, limit_bytes);
    atomic_store(&budget->refused, false);
}

bool satf_budget_refused(const satf_budget *budget)
{
    return atomic_load(&budget->refused);
}

static bool memory_take(satf_budget *budget, size_t bytes)
{
    size_t limit = atomic_load(&budget->limit), held = atomic_load(&budget->held);
    do {
        if (bytes > limit || held > limit - bytes) {
            atomic_store(&budget->refused, true);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&budget->held, &held, held + bytes));
    atomic_fetch_add(&budget->users, 1);
    return true;
}

static void memory_give(satf_budget *budget, size_t bytes)
{
    if (budget) {
        atomic_fetch_sub(&budget->held, bytes);
        satf_budget_leave(budget);
    }
}

bool satf_charge_add(satf_charge *charge, size_t bytes)
{
    satf_budget *budget = charge->budget ? charge->budget : in_use;
    if (!budget) {
        return true;
    }
    if (!memory_take(budget, bytes)) {
        return false;
    }
    if (charge->budget) {
        satf_budget_leave(budget); /* it is one user */
    }
    charge->budget = budget;
    charge->bytes += bytes;
    return true;
}

void satf_charge_drop(satf_charge *charge)
{
    memory_give(charge->budget, charge->bytes);
    *charge = (satf_charge){NULL, 0};
}

/* ------------------------------------------------------------------ blocks */

void satf_fill_allocations(int byte)
{
    atomic_store_explicit(&fill_byte, byte, memory_order_relaxed);
}

static head *head_of(void *memory)
{
    return (head *)memory - 1;
}

void *satf_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - 63 - sizeof(head)) {
        return NULL;
    }
    size_t all = satf_align64(bytes ? bytes : 1) + sizeof(head);
    if (in_use && !memory_take(in_use, all)) {
        return NULL;
    }
    head *made = aligned_alloc(64, all);
    if (!made) {
        memory_give(in_use, all);
        return NULL;
    }
    int byte = atomic_load_explicit(&fill_byte, memory_order_relaxed);
    if (byte >= 0) {
        memset(made, byte, all);
    }
    *made = (head){in_use, all};
    return made + 1;
}

bool satf_has_memory(size_t bytes)
{
    void *volatile memory = malloc(bytes); /* or the compiler would leave both calls out */
    free(memory);
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

void satf_disown(void *memory)
{
    if (memory) {
        memory_give(head_of(memory)->budget, head_of(memory)->bytes);
        head_of(memory)->budget = NULL;
    }
}

void satf_free(void *memory)
{
    satf_disown(memory);
    aligned_free(memory ? head_of(memory) : NULL);
}
