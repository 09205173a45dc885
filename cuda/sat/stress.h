/* Makes the kernels whose blocks wait for one another run in awkward orders, in the whole process.
 * Tests use it (base/device/calls.h). */
#ifndef CUDA_SAT_STRESS_H
#define CUDA_SAT_STRESS_H

enum {
    SAT_STRESS_NONE,
    SAT_STRESS_RANDOM,   /* blocks pause for pseudo-random times between their steps; in this mode
                            and the others those of 1R1W count before they hand on their sums */
    SAT_STRESS_SINGLE,   /* a single CUDA block is resident where the algorithm can choose */
    SAT_STRESS_HALF,     /* every second block is slow, so that look-backs reach far */
    SAT_STRESS_REVERSED, /* of 64 blocks an earlier one pauses longer: all are overtaken */
    SAT_STRESS_MODES,
    /* Look-back over images of one channel lets the stream's next kernel start before it has done
     * anything, and then pauses: if the next kernel does not wait, it reads what was there. */
    SAT_STRESS_EARLY = SAT_STRESS_MODES
};

#endif
