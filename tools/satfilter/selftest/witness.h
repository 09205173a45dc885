/* The line of --self-test that somebody can hand in: what computed, and what came out. */
#ifndef SATFILTER_WITNESS_H
#define SATFILTER_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "witness: key=value key=\"a value\" ...", always the same keys in the same order:
 * docs/witness.md explains them. The digests are those of all integers and of all floats; first:
 * the number of the first instruction set that has computed. */
void witness_print(const char *integers, const char *floats, size_t first, bool passed);

#endif
