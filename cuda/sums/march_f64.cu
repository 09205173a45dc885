/* Marches over samples of f64. */
#include "march_choose.cuh"

march_kernel march_kernel_f64(const filter_gpu_task *task)
{
    return task->layer_count == 1 ? march_kernel_for<double, double, no_squares>(task)
                                  : march_kernel_for<double, double, double>(task);
}
