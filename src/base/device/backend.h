/*
 * The shared object that holds all that nvcc compiles, libsatfilter-cuda, is loaded when a device
 * is first asked for, once a process, and stays. Where the environment variable SATFILTER_CUDA is
 * set, it names the only file that is tried; else those of satf_beside(), then where the linker
 * looks.
 */
#ifndef SATF_BASE_DEVICE_BACKEND_H
#define SATF_BASE_DEVICE_BACKEND_H

#include <stdbool.h>

#include "gpu.h"

/* The one symbol that the shared object exports. */
#define SATF_BACKEND_ENTRY satf_cuda_backend
#define SATF_BACKEND_ENTRY_NAME "satf_cuda_backend"
#define SATF_BACKEND_FILE "libsatfilter-cuda.so.0"
typedef const satf_backend *(*satf_backend_entry)(void);

/* NULL if there is a backend, else a clause that says why there is none (static storage). */
const char *satf_cuda_missing(void);

/* path = the file of that name in the folder of the shared object or program that the address
 * `neighbour` lies in, or in the folder of modules of the tree that it is installed in; false if
 * there is none. */
enum { SATF_PATH_BYTES = 4096 };
bool satf_beside(const void *neighbour, const char *name, char path[SATF_PATH_BYTES]);

/* The shared object, opened for this library alone; NULL, and *error says why; errno is ENOMEM
 * where there is no memory. */
void *satf_open_object(const char *path, const char **error);

#endif
