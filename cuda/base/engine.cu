/* What the kernels of this shared object are compiled for. */
#include <atomic>

#include "check.h"
#include "engine.h"

/* Tells what this build's kernels are compiled for, of what a device takes of them. */
__global__ void compiled_for()
{
}

bool has_engine(int device)
{
    enum { UNKNOWN, NO, YES, DEVICES = 64, HOPPER = 90 };
    static std::atomic<int> known[DEVICES];
    int found =
        device >= 0 && device < DEVICES ? known[device].load(std::memory_order_relaxed) : NO;
    if (found != UNKNOWN) {
        return found == YES;
    }
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, compiled_for) != cudaSuccess) {
        cudaGetLastError();
        code.ptxVersion = 0; /* no for good: what scratch was sized for must be what runs */
    }
    found = code.ptxVersion >= HOPPER ? YES : NO;
    known[device].store(found, std::memory_order_relaxed);
    return found == YES;
}
