/* --self-test: does this machine compute the right bits? */
#ifndef SATFILTER_SELFTEST_H
#define SATFILTER_SELFTEST_H

#include "../options/options.h"

/* Runs the trials of this process, and of one more process for each other instruction set; compares
 * them with one another and their digests with the recorded ones; prints what was found. Where no
 * process can be started, or s->program is NULL, the output names the instruction sets that are
 * left out. Returns an EXIT_ status. */
int self_test(const settings *s);

/* The work of such a process: prints a line for each result of the CPU, its parts between tabs: the
 * case, the engine, "=" or, of a failure, "!", and the result. Returns an EXIT_ status. */
int self_test_results(void);

/* Prints the lines of tools/satfilter/selftest/digests.inc as this build has them: "{NAME,
 * DIGITS}," for each filter and sample type, and for all integers and all floats. Returns an EXIT_
 * status. */
int self_test_digests(void);

#endif
