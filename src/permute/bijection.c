/* Checks that numbers are a permutation. */
#include "bijection.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"

enum { STRETCH = 1 << 16, WORD_BITS = 32 };

typedef struct check {
    const uint32_t *p;
    int64_t n;
    _Atomic uint32_t *seen; /* a bit each */
    atomic_bool problem;
} check;

/* The first entry from k on that is not below n or was seen before; `end` if there is none. */
static int64_t bijection_look(const check *c, int64_t k, int64_t end)
{
    for (; k < end; k++) {
        uint32_t value = c->p[k], bit = UINT32_C(1) << value % WORD_BITS;
        if (value >= c->n ||
            atomic_fetch_or_explicit(&c->seen[value / WORD_BITS], bit, memory_order_relaxed) &
                bit) {
            return k;
        }
    }
    return end;
}

static void look_at_stretch(void *user, int64_t task, int thread)
{
    (void)thread;
    check *c = user;
    int64_t begin = task * STRETCH, end = c->n - begin < STRETCH ? c->n : begin + STRETCH;
    if (bijection_look(c, begin, end) < end) {
        atomic_store_explicit(&c->problem, true, memory_order_relaxed);
    }
}

size_t satf_bijection_bytes(int64_t n)
{
    return ((size_t)(n - 1) / WORD_BITS + 1) * sizeof(uint32_t);
}

satf_status satf_bijection_check(satf_context *ctx, const uint32_t *p, int64_t n, const char *what,
                                 int64_t *problem)
{
    size_t bytes = satf_bijection_bytes(n);
    check c = {.p = p, .n = n, .seen = satf_alloc_zeroed(bytes)};
    if (!c.seen) {
        return satf_fail_memory(ctx, bytes, what);
    }
    atomic_init(&c.problem, false);
    satf_parallel_on(ctx, satf_threads_for(ctx, n, 2 * STRETCH), (n - 1) / STRETCH + 1,
                     look_at_stretch, &c);
    *problem = n;
    if (atomic_load_explicit(&c.problem, memory_order_relaxed)) {
        /* Which thread came first is chance: look once more, in order. */
        memset((void *)c.seen, 0, bytes);
        *problem = bijection_look(&c, 0, n);
    }
    satf_free((void *)c.seen);
    return SATF_OK;
}
