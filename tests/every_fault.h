/* Work in which each allocation fails, one after the other. Behind interpose.h. */
#ifndef TESTS_EVERY_FAULT_H
#define TESTS_EVERY_FAULT_H

#include "interpose.h"
#include "pairs.h"

#ifdef REAL

typedef struct fault {
    long n;     /* the allocation that fails, from 1 on; 0: none */
    bool all;   /* and all behind it */
    long count; /* of the latest run's allocations */
    long live;  /* blocks: before the run, then those that it leaves */
} fault;

/* One run each; the last one has a fault behind its end, that is none. */
#define EVERY_FAULT(f) for (fault f = {.n = 1, .count = 1}; (f).n <= (f).count + 1; (f).n++)

static inline void fault_begin(fault *f)
{
    f->live = atomic_load(&allocations.live);
    atomic_store(&allocations.count, 0);
    atomic_store(&allocations.fail_from, f->n);
    atomic_store(&allocations.fail_all, f->all);
    atomic_store(&allocations.armed, true);
}

static inline void fault_end(fault *f)
{
    atomic_store(&allocations.armed, false);
    f->count = atomic_load(&allocations.count);
    f->live = atomic_load(&allocations.live) - f->live;
}

/* The value of a call with that fault. */
#define WITH_FAULT(f, result, call) (fault_begin(f), (result) = (call), fault_end(f))

#endif

#endif
