/* The loops of kernels.h. The library is built with one copy for each instruction set. */
#include "kernels.h"

#include "../base/cpu.h"

static void map_kernel(double lo, double span, uint16_t max, int n, const double *restrict from,
                       uint16_t *restrict to)
{
    for (int i = 0; i < n; i++) {
        double x = (from[i] - lo) * max / span;
        x = x > 0 ? x : 0;
        x = x < max ? x : max;
        int32_t whole = (int32_t)x;
        double rest = x - whole; /* floor(x + 0.5) would round the double below 0.5 up */
        to[i] = (uint16_t)(whole + (int32_t)(rest + rest));
    }
}

const io_kernels SATF_ISA_NAME(io_kernels) = {.map = map_kernel};
