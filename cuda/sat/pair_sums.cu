/* Tables of what blocks hand on, and the sums of 128 bits that only weighted squares
 * of 16-bit colour need. */
#include "instances.cuh"

SAT_SUMS(uint32_t, sat_sums_u32)
SAT_SUMS(uint64_t, sat_sums_u64)
SAT_SUMS(u128, sat_sums_u128)

static const sat_shape u16_u128_shapes[] = {
    make_shape_2r1w<tile_shape<uint16_t, u128, u128, u128, SAT_ANY_SUMMAND, 1, 4>>(), SHAPE_END};
extern const sat_pair sat_pair_u16_u128 = {SATF_U16,
                                           SATF_SUM_U128,
                                           false,
                                           (int)sizeof(u128),
                                           (int)sizeof(u128),
                                           u16_u128_shapes,
                                           NULL,
                                           &sat_sums_u128,
                                           launch_prefix<u128>,
                                           NULL,
                                           NULL,
                                           NULL,
                                           NULL,
                                           NULL,
                                           NULL,
                                           NULL};
