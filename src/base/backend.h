/*
 * The shared object that holds all that nvcc compiles, libsatfilter-cuda: a table of calls. It is
 * loaded when a device is first asked for, once a process, and stays.
 */
#ifndef SATF_BASE_BACKEND_H
#define SATF_BASE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "../satfilter.h"

/* The first members are the same in every version; the tables are where they serve: gpu.h of each
 * folder. Both sides share the insides of the structs that pass, so their versions must be equal.
 */
typedef struct satf_backend {
    uint32_t bytes;         /* of this struct */
    uint32_t context_bytes; /* of satf_context */
    char version[32];       /* satf_version() */
    const struct satf_gpu_calls *gpu;
    const struct filter_gpu_calls *filter;
    const struct move_gpu_calls *move;
    const struct permute_gpu_calls *permute;
    const struct sat_gpu_calls *sat;
    const struct window_gpu_calls *window;
} satf_backend;

/* The one symbol that the shared object exports. */
#define SATF_BACKEND_ENTRY satf_cuda_backend
#define SATF_BACKEND_ENTRY_NAME "satf_cuda_backend"
#define SATF_BACKEND_FILE "libsatfilter-cuda.so.0"
typedef const satf_backend *(*satf_backend_entry)(void);

/*
 * The backend, or NULL: then *why, unless why is NULL, is a clause that says what is missing
 * (static storage). Where the environment variable SATFILTER_CUDA is set, it names the only file
 * that is tried; else the folder of this library, then where the linker looks.
 */
const satf_backend *satf_backend_get(const char **why);

/* path = the file of that name in the folder of the shared object or program that the address
 * `neighbour` lies in; false if there is none. */
enum { SATF_PATH_BYTES = 4096 };
bool satf_beside(const void *neighbour, const char *name, char path[SATF_PATH_BYTES]);

#endif
