/* Sums of 128 bits, which only weighted squares of 16-bit colour need: 2R1W alone has them. */
#include "../sums.cuh"

static const sat_shape shapes[] = {make_shape_2r1w<sums_shape<u128, u128, 32, 128>>(), SHAPE_END};
extern const sat_sums sat_sums_u128 = {(int)sizeof(u128),
                                       (int)sizeof(u128),
                                       shapes,
                                       &sat_sums_u128,
                                       launch_prefix<u128>,
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL};
extern const sat_pair sat_pair_u16_u128 = {SATF_U16, SATF_SUM_U128, false, NULL, &sat_sums_u128};
