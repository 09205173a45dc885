/* The backend, but for calls of the CUDA runtime that fail when they are told to. */
#ifndef TESTS_GPU_FAILING_H
#define TESTS_GPU_FAILING_H

typedef struct gpu_failing {
    long calls;         /* of the runtime that can fail, so far */
    long back;          /* the first that copied to the host; 0: none yet */
    long waits;         /* the latest that waited for a stream: nothing is delivered behind it */
    long fail_at;       /* the number of the one that does; 0: none */
    int lost;           /* and so do all behind it */
    int error;          /* a cudaError_t */
    long live;          /* what is allocated or created, and neither freed nor destroyed */
    const char *failed; /* the call that was the first to fail; NULL: none has */
} gpu_failing;

#define GPU_FAILING_NAME "gpu_failing_state"

#endif
