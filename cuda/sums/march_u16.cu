/* Marches over samples of u16. */
#include "march_choose.cuh"

march_kernel march_kernel_u16(const filter_gpu_task *task)
{
    satf_sum_type sum = task->layers[0].type, square = task->layers[1].type;
    if (sum != SATF_SUM_U32) {
        return NULL;
    }
    return task->layer_count == 1   ? march_kernel_for<uint16_t, uint32_t, no_squares>(task)
           : square == SATF_SUM_U64 ? march_kernel_for<uint16_t, uint32_t, uint64_t>(task)
                                    : NULL;
}
