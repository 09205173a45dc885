/* The devices that --device names. */
#ifndef TOOLS_DEVICES_H
#define TOOLS_DEVICES_H

#include "options/options.h"

/* option.take of --device: a file's work is done on one device, that of a batch on all. */
int devices_take(settings *s, const option *o, const char *value);

/* The context's device becomes the first; what the first use of each waits for is said before.
 * EXIT_FAILURE, having printed why, if one that is named cannot be used; of "cuda:all" those are
 * left out with a line each. */
int devices_set(settings *s);

/* Whether CUDA devices are named. */
bool devices_named(const settings *s);

#endif
