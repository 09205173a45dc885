/* Products of matrices of bytes, each by a warp. Operands lie in its lanes as the PTX ISA says
 * (mma.m16n8k32 and m16n8k16, .u8; the first operand may be .s8). */
#ifndef CUDA_PRODUCTS_MULTIPLY_CUH
#define CUDA_PRODUCTS_MULTIPLY_CUH

#include <stdint.h>

/* A lane's part of a product: rows g and g + 8, columns 2 t and 2 t + 1. */
struct product {
    int at[4];
};

static __device__ __forceinline__ product all_of(int value)
{
    product p = {{value, value, value, value}};
    return p;
}

/* The bytes of the first operand: without a sign, or with one. */
enum weight_sign { PLAIN_WEIGHTS, SIGNED_WEIGHTS };

/* d = a * b + c; ab: the words of a and b, which are the operands from %8 on. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define MULTIPLY(depth, type, ab, ...)                                                      \
    asm("mma.sync.aligned.m16n8" depth ".row.col.s32." type ".u8.s32 {%0, %1, %2, %3}, " ab \
        ", {%4, %5, %6, %7};"                                                               \
        : "=r"(d.at[0]), "=r"(d.at[1]), "=r"(d.at[2]), "=r"(d.at[3])                        \
        : "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), __VA_ARGS__)
#define MULTIPLY_BY(sign, depth, ab, ...)       \
    if constexpr (sign == SIGNED_WEIGHTS) {     \
        MULTIPLY(depth, "s8", ab, __VA_ARGS__); \
    } else {                                    \
        MULTIPLY(depth, "u8", ab, __VA_ARGS__); \
    }
#else
#define MULTIPLY_BY(sign, depth, ab, ...) d = c;
#endif

/* a * b + c of 16 x 32 and 32 x 8 bytes. */
template <weight_sign SIGN>
static __device__ __forceinline__ product multiply(const uint32_t *a, uint32_t b0, uint32_t b1,
                                                   const product &c)
{
    product d;
    MULTIPLY_BY(SIGN, "k32", "{%8, %9, %10, %11}, {%12, %13}", "r"(a[0]), "r"(a[1]), "r"(a[2]),
                "r"(a[3]), "r"(b0), "r"(b1))
    return d;
}

/* The product of matrices of 16 x 16 and 16 x 8. */
template <weight_sign SIGN>
static __device__ __forceinline__ product multiply_half(const uint32_t *a, uint32_t b,
                                                        const product &c)
{
    product d;
    MULTIPLY_BY(SIGN, "k16", "{%8, %9}, {%10}", "r"(a[0]), "r"(a[1]), "r"(b))
    return d;
}

#endif
