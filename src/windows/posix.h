/*
 * What the library takes from POSIX and Windows has by other names, or not at all. Where the host
 * is Windows the compiler reads this file in front of every source, and this folder has the headers
 * that are missing there; no source of the library knows of it.
 */
#ifndef SATF_WINDOWS_POSIX_H
#define SATF_WINDOWS_POSIX_H

#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Modes of files have no e there, and text is not translated. */
FILE *posix_fopen(const char *path, const char *mode);
#define fopen posix_fopen
#define O_CLOEXEC _O_NOINHERIT
#define mkdir(path, mode) _mkdir(path)
#define realpath(path, resolved) _fullpath(resolved, path, PATH_MAX)

/*
 * Blocks of aligned_alloc() are no blocks of malloc() there: free() does not take them, and
 * aligned_free(), which is free() elsewhere, takes no others. src/base/memory.c alone allocates by
 * it, for the whole library; what programs allocate themselves is malloc()'s and free()'s as ever.
 */
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define aligned_free _aligned_free

/* Those of Windows's headers are calls, of which gcc makes no vectors. */
#undef isnan
#undef isfinite
#undef isinf
#define isnan __builtin_isnan
#define isfinite __builtin_isfinite
#define isinf __builtin_isinf

#define secure_getenv getenv
void *memmem(const void *in, size_t in_bytes, const void *what, size_t what_bytes);

/* The machine. Pages are counted as if they had _SC_PAGESIZE bytes. */
enum { _SC_PHYS_PAGES, _SC_PAGESIZE, _SC_NPROCESSORS_ONLN };
long sysconf(int name);
typedef int cpu_set_t;
#define CPU_COUNT(set) (*(set))
#define sched_getaffinity(process, bytes, set) (*(set) = 0, -1) /* sysconf() knows */

/* Locales by their names. uselocale() takes "C", then what it has returned. */
typedef const char *locale_t;
#define LC_ALL_MASK 0
#define newlocale(mask, name, base) ((void)(base), name)
#define freelocale(locale) (void)(locale)
locale_t uselocale(locale_t locale);

#endif
