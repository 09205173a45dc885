/*
 * A device without a GPU, for tests: a backend (src/base/device/backend.h) whose memory is the
 * host's and whose kernels are the CPU's code. It counts what it gives out, has as much memory as
 * it is told, and fails at the call that it is told to.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

enum { FAKE_DEVICES = 3 };

/* What is to be done once the stream is. */
typedef struct fake_release {
    void (*release)(void *what);
    void *what;
} fake_release;

typedef struct fake_device {
    long calls;          /* of the backend that can fail, so far */
    long waits;          /* the latest that waited: nothing is delivered behind it */
    long fail_at;        /* the number of the one that does; 0: none */
    bool lost;           /* and so do all behind it */
    satf_status failure; /* with that status */
    size_t room;         /* bytes of memory */
    size_t used, most;   /* of it: now, and ever */
    long blocks, events; /* that are not freed */
    long contexts;       /* that have it open */
    int devices;         /* how many of them there are */
    long open[FAKE_DEVICES], most_open[FAKE_DEVICES]; /* contexts of each: now, and at most */
    long runs[FAKE_DEVICES];                          /* filters done there */
    fake_release *held; /* where the next one waits for the test; NULL: all are done at once */
    const char *failed; /* the call that was the first to fail; NULL: none has */
} fake_device;

/* The symbol beside the backend's entry. */
#define FAKE_DEVICE_NAME "fake_device_state"

#ifdef TESTS_FAKE_DEVICE_USER
#include <dlfcn.h>

/* Makes it the process's backend, before any other is asked for; NULL if it cannot be opened. */
static inline fake_device *fake_device_load(void)
{
    const char *build = getenv("top_builddir");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/.libs/fake_device.so", build ? build : ".");
    char *real = realpath(path, NULL); /* the test may change folders */
    void *object = real ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (real) {
        setenv("SATFILTER_CUDA", real, 1);
    }
    setenv("SATFILTER_TUNE", "off", 1);
    free(real);
    return object ? dlsym(object, FAKE_DEVICE_NAME) : NULL;
}

/* From now on call number k fails; 0: none. */
static inline void fake_device_fail(fake_device *fake, long k, satf_status failure, bool lost)
{
    fake->calls = fake->waits = 0;
    fake->fail_at = k;
    fake->failure = failure;
    fake->lost = lost;
    fake->failed = NULL;
}
#endif

#endif
