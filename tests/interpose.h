/*
 * What the system does for the program that interpose.c is linked into, and for every
 * library in it: allocations and reads, which fail when they are told to. Needs
 * the GNU C library or the address sanitizer.
 */
#ifndef TEST_INTERPOSE_H
#define TEST_INTERPOSE_H

#include "test.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define INTERPOSE_ASAN 1
#endif
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define INTERPOSE_NONE 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__
#define INTERPOSE_ASAN 1
#elif defined __SANITIZE_THREAD__
#define INTERPOSE_NONE 1
#endif

#if defined INTERPOSE_ASAN
#define REAL(call) __interceptor_##call
#elif defined __GLIBC__ && !defined INTERPOSE_NONE
#define REAL(call) __libc_##call
#endif

/* Allocations: the one of number fail_from fails, and all behind it if fail_all. */
extern struct interposed_allocations {
    atomic_bool armed, fail_all,
        measured;      /* measured: once main() is near, sanitizers are set up */
    atomic_long count; /* of allocations since it was armed */
    atomic_long fail_from;
    atomic_int opening;      /* the linker works, which does not stand it */
    atomic_long live;        /* blocks that are allocated */
    atomic_long bytes, most; /* of them now, and at most since somebody set it */
} allocations;

/* Reads: at most so many bytes each, EINTR before every second one, EIO from one on. */
extern struct interposed_reads {
    size_t most; /* 0: no limit */
    bool interrupted;
    long fail_from; /* 0: never */
    long count;
} reads;

/* Whether the address sanitizer's allocator stands in for malloc(), which changes peaks and time.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INTERPOSE_SANITIZED 1
#endif
#endif
#if !defined(INTERPOSE_SANITIZED)
#define INTERPOSE_SANITIZED 0
#endif

#endif
