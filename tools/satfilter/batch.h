/* A batch: the filters, the files, and doing the work. */
#ifndef SATFILTER_BATCH_H
#define SATFILTER_BATCH_H

#include "options/options.h"

/* Checks the names of all outputs before any work, asks about those that exist, then runs the
 * inputs, several side by side. Returns an exit status, messages having been printed. */
int batch_run(const settings *s);

#endif
