/* Shared objects, none of which are loaded on Windows. */
#ifndef SATF_WINDOWS_DLFCN_H
#define SATF_WINDOWS_DLFCN_H

typedef struct Dl_info {
    const char *dli_fname;
} Dl_info;

enum { RTLD_NOW, RTLD_LOCAL };

#define dladdr(address, info) ((void)(address), (info)->dli_fname = NULL, 0)
#define dlopen(path, flags) ((void)(path), (void *)NULL)
#define dlerror() "libsatfilter loads no other files on Windows"
#define dlsym(object, name) ((void)(object), (void *)NULL)
#define dlclose(object) ((void)(object))

#endif
