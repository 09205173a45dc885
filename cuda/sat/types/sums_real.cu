/* The block-wise algorithms for sums of floats. */
#include "../sums.cuh"

/* Blocks add floats, and hand on doubles. */
SAT_SUMS(f32, double, float, f64, make_shape<sums_shape<double, float, 128, 256>>())

/* Table 6.2 is of doubles, of one channel, which the code of others costs up to 5 %. 256 threads
 * win by 2r1w alone, from 7K on. */
SAT_SUMS(f64, double, double, f64,
         make_shape<sums_shape<double, double, 64, 128, SAT_ONE_CHANNEL>>(),
         make_shape_2r1w<sums_shape<double, double, 64, 256, SAT_ONE_CHANNEL>>(),
         make_shape<sums_shape<double, double, 64, 128>>())
