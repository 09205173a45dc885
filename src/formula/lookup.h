/* Formulas of nothing but an integer sample (KERNEL_SAMPLE), by a table of all their results. */
#ifndef SATF_FORMULA_LOOKUP_H
#define SATF_FORMULA_LOOKUP_H

#include "epilogue.h"

/* Bytes of the table, behind epilogue_prepare(), for an image of so many samples; 0: there is none,
 * for it would not pay. */
size_t lookup_bytes(const epilogue *f, int64_t samples);

/* Fills the table, aligned to 64, by the formula. The epilogue looks results up from here on. */
satf_status lookup_prepare(satf_context *ctx, epilogue *f, void *table);

#endif
