/* The epilogue of KERNEL_VARIES: numbers that tell how much windows vary; the least is taken. */
#ifndef SATF_SUMS_CHOICE_VARIES_H
#define SATF_SUMS_CHOICE_VARIES_H

#include "../../formula/epilogue.h"
#include "varies_kernels.h"

/* to: the numbers of the segment's pixels, in a row of planes of `plane` doubles each. */
void varies_segment(const epilogue *f, const window_segment *segment, double *to, int64_t plane);

#endif
