/* The loads and stores of lanes, and the form in which products hand rows on to products. */
#ifndef CUDA_PRODUCTS_LANES_CUH
#define CUDA_PRODUCTS_LANES_CUH

#include "multiply.cuh"

/* Eight neighbouring bytes of a staged row; ALIGNED: to eight. */
template <bool ALIGNED>
static __device__ __forceinline__ void load_eight(uint32_t at, uint32_t *low, uint32_t *high)
{
    if (ALIGNED) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(*low), "=r"(*high) : "r"(at));
        return;
    }
    uint32_t a, b, c, word = at & ~3u, shift = 8 * (at & 3);
    asm volatile("ld.shared.u32 %0, [%3];\n\tld.shared.u32 %1, [%3 + 4];\n\t"
                 "ld.shared.u32 %2, [%3 + 8];"
                 : "=r"(a), "=r"(b), "=r"(c)
                 : "r"(word));
    *low = __funnelshift_r(a, b, shift);
    *high = __funnelshift_r(b, c, shift);
}

static __device__ __forceinline__ uint32_t load_four(uint32_t at)
{
    uint32_t four;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(four) : "r"(at));
    return four;
}

/* A lane's row sums of 16 rows of a tile: for each half of the tile, and each of the lane's two
 * rows of a product, the low bytes of four sums and the high ones. */
struct row_sums {
    uint32_t low[2][2], high[2][2];
};

/* sums: of 16 bits, of rows 0 to 7 and 8 to 15, of either half of the tile. shift_16: 2^16, a value
 * that compilers do not see (box_task). */
static __device__ __forceinline__ row_sums pack_rows(const product (&sums)[2][2], int shift_16)
{
    row_sums packed;
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int *up = &sums[0][q].at[2 * h], *below = &sums[1][q].at[2 * h];
            uint32_t upper = (uint32_t)up[1] * (uint32_t)shift_16 + (uint32_t)up[0];
            uint32_t lower = (uint32_t)below[1] * (uint32_t)shift_16 + (uint32_t)below[0];
            packed.low[q][h] = __byte_perm(upper, lower, 0x6420);
            packed.high[q][h] = __byte_perm(upper, lower, 0x7531);
        }
    }
    return packed;
}

/* Eight means of row g of a tile, and eight of row g + 8. */
struct mean_rows {
    uint32_t word[2][2];
};

/* Eight bytes, of which the first `count` are in the image. */
static __device__ __forceinline__ void store_eight(uint8_t *to, const uint32_t (&word)[2],
                                                   int count)
{
    if (count >= 8) {
        __stcs((uint2 *)to, make_uint2(word[0], word[1]));
        return;
    }
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        to[i] = (uint8_t)((i < 4 ? word[0] : word[1]) >> (8 * (i % 4)));
    }
}

#endif
