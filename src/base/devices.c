/* The devices that the backend finds, and their start. */
#include <stdatomic.h>

#include "backend.h"
#include "clock.h"
#include "gpu.h"

/* Of the process, in microseconds: what calls have taken until a device was open. */
static _Atomic int64_t spent_us;
static atomic_bool started;

bool satf_gpu_has_started(void)
{
    return atomic_load_explicit(&started, memory_order_relaxed);
}

double satf_gpu_start_ms(void)
{
    return satf_gpu_has_started() ? (double)spent_us / 1e3 : 0;
}

void satf_gpu_spend(double since_ms, bool open)
{
    if (!satf_gpu_has_started()) {
        spent_us += (int64_t)((satf_now_ms() - since_ms) * 1e3);
        atomic_store_explicit(&started, open, memory_order_relaxed);
    }
}

int satf_gpu_count(const char **why)
{
    double start_ms = satf_now_ms();
    const satf_backend *b = satf_backend_get(why);
    int count = b ? b->gpu->count(why) : 0;
    satf_gpu_spend(start_ms, false);
    return count;
}

bool satf_gpu_describe(int device, satf_gpu_info *info)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b && b->gpu->describe(device, info);
}

bool satf_gpu_speed(int device, double *clock_khz, double *bytes_per_second)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b && b->gpu->speed(device, clock_khz, bytes_per_second);
}
