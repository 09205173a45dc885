/* Finding out which code of this build a device runs. */
#include <atomic>

#include "check.h"
#include "engine.h"

/* A kernel whose attributes say for which capability the code that the device runs was compiled. */
__global__ void compiled_for()
{
}

int code_capability(int device)
{
    enum { UNKNOWN, NONE, DEVICES = 64 };
    static std::atomic<int> known[DEVICES];
    int found =
        device >= 0 && device < DEVICES ? known[device].load(std::memory_order_relaxed) : NONE;
    if (found != UNKNOWN) {
        return found;
    }
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, compiled_for) != cudaSuccess) {
        cudaGetLastError();
        code.ptxVersion = NONE; /* for good: what scratch was sized for must be what runs */
    }
    known[device].store(code.ptxVersion, std::memory_order_relaxed);
    return code.ptxVersion;
}
