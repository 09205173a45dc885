/* The check that numbers are each of 0 ... n - 1 once. */
#ifndef SATF_PERMUTE_BIJECTION_H
#define SATF_PERMUTE_BIJECTION_H

#include "../base/context.h"

/* The bytes of the check's memory: a bit for each number. */
size_t satf_bijection_bytes(int64_t n);

/*
 * Looks at p[0] ... p[n - 1], n >= 1, on the context's threads. *problem becomes n if each of 0 ...
 * n - 1 is there once, else the least k for which p[k] is none of these numbers or equal to an
 * entry before it. Fails only without memory; `what` names the check in the message.
 */
satf_status satf_bijection_check(satf_context *ctx, const uint32_t *p, int64_t n, const char *what,
                                 int64_t *problem);

#endif
