/*
 * Cases of a product of parameters. A thinned product runs a case if two of its values meet for the
 * first time: each pair of values of two parameters occurs, in a few per cent of the cases.
 * PAIRS_RUN() thins under a sanitizer; PAIRS_ONLY() always does, where the product takes seconds.
 * CHECK_FULL=1 in the environment runs every case of both.
 */
#ifndef TESTS_PAIRS_H
#define TESTS_PAIRS_H

#include "test.h"
#include <assert.h>

#ifdef __has_feature
#define PAIRS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAIRS_SANITIZED 1
#else
#define PAIRS_SANITIZED 0
#endif

enum { PAIRS_PARAMETERS = 10, PAIRS_VALUES = 80 };

/* Which values have met. A product starts with none. */
typedef struct pairs {
    bool met[PAIRS_PARAMETERS][PAIRS_VALUES][PAIRS_PARAMETERS][PAIRS_VALUES];
} pairs;

/* Notes the case that has value[i], a number from 0, for parameter i. True if two of them had not
 * met before. */
static inline bool pairs_meet(pairs *p, const int *value, size_t count)
{
    bool first = false;
    assert(count <= PAIRS_PARAMETERS);
    for (size_t i = 0; i < count; i++) {
        assert(value[i] >= 0 && value[i] < PAIRS_VALUES);
        for (size_t j = 0; j < i; j++) {
            bool *met = &p->met[i][value[i]][j][value[j]];
            first |= !*met;
            *met = true;
        }
    }
    return first;
}

static inline bool pairs_full(void)
{
    const char *full = getenv("CHECK_FULL");
    return full && strcmp(full, "1") == 0;
}

static inline bool pairs_run_all(void)
{
    return !PAIRS_SANITIZED || pairs_full();
}

/* Whether a case runs. Its values are numbers from 0; what a case derives from a count is one too.
 */
#define PAIRS_ONLY(p, ...)                                                                  \
    (pairs_meet(p, (const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int)) || \
     pairs_full())
#define PAIRS_RUN(p, ...) (PAIRS_ONLY(p, __VA_ARGS__) || pairs_run_all())

#endif
