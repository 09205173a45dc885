/* Marches over samples of f32. */
#include "march_choose.cuh"

march_kernel march_kernel_f32(const filter_gpu_task *task)
{
    return task->layer_count == 1 ? march_kernel_for<float, double, no_squares>(task)
                                  : march_kernel_for<float, double, double>(task);
}
