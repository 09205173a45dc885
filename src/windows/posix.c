/* The functions of posix.h, and the one of satfilter-images.h that filters call. */
#include <windows.h>

#include "../base/context.h"
#include "../satfilter-images.h"

#undef fopen

FILE *posix_fopen(const char *path, const char *mode)
{
    return fopen(path, *mode == 'w' ? "wb" : "rb");
}

void *memmem(const void *in, size_t in_bytes, const void *what, size_t what_bytes)
{
    const char *at = in;
    for (size_t left = in_bytes; left >= what_bytes; left--, at++) {
        if (memcmp(at, what, what_bytes) == 0) {
            return (void *)(uintptr_t)at;
        }
    }
    return NULL;
}

long sysconf(int name)
{
    enum { PAGE_BYTES = 4096 };
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    switch (name) {
    case _SC_PHYS_PAGES:
        return GlobalMemoryStatusEx(&memory) ? (long)(memory.ullTotalPhys / PAGE_BYTES) : -1;
    case _SC_PAGESIZE:
        return PAGE_BYTES;
    default:
        return pthread_num_processors_np();
    }
}

locale_t uselocale(locale_t locale)
{
    static _Thread_local char before[2048]; /* a name a category, each below 128 characters */
    static _Thread_local int mode;          /* whether the thread had a locale of its own */
    if (locale != before) {
        mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
        snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    }
    setlocale(LC_ALL, locale);
    if (locale == before) {
        _configthreadlocale(mode);
    }
    return before;
}

satf_status satf_image_read(satf_context *ctx, const char *path, satf_image **out)
{
    (void)path;
    *out = NULL;
    return satf_fail(ctx, SATF_UNSUPPORTED, "libsatfilter reads no pictures on Windows");
}
