/* The corner kernels, compiled once per instruction set. */
#include "corners.h"

#include <string.h>

#include "../base/cpu.h"

#define NAME(f) f##_u32
#define SUM uint32_t
#define COEF uint32_t
#include "corners_template.h"

#define NAME(f) f##_u64
#define SUM uint64_t
#define COEF uint64_t
#include "corners_template.h"

#define NAME(f) f##_u128
#define SUM satf_u128
#define COEF satf_u128
#include "corners_template.h"

#define NAME(f) f##_f64
#define SUM double
#define COEF double
#include "corners_template.h"

#define KERNELS(what)                                         \
    {                                                         \
        NULL, what##_u32, what##_u64, what##_u128, what##_f64 \
    }

const corner_kernels SATF_ISA_NAME(corner_kernels) = {
    .strip = KERNELS(strip), .sums = KERNELS(sums), .add = KERNELS(add)};
