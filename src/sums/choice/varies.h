/* Epilogues of KERNEL_VARIES: how much windows vary, as numbers of which the least are found. */
#ifndef SATF_SUMS_CHOICE_VARIES_H
#define SATF_SUMS_CHOICE_VARIES_H

#include "../../formula/epilogue.h"
#include "varies_kernels.h"

/* to: those of the segment's pixels, in a row of planes of so many doubles. */
void varies_segment(const epilogue *f, const window_segment *segment, double *to, int64_t plane);

#endif
