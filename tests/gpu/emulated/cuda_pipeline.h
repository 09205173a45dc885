/* Asynchronous copies, done at once. */
#ifndef EMULATED_CUDA_PIPELINE_H
#define EMULATED_CUDA_PIPELINE_H

#include <cstring>

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                           size_t zeros = 0)
{
    memcpy(to, from, bytes - zeros);
    memset((char *)to + bytes - zeros, 0, zeros);
}

static inline void __pipeline_commit()
{
}

static inline void __pipeline_wait_prior(int)
{
}

#endif
