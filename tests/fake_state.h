/* What the two files of the fake device share. */
#ifndef TESTS_FAKE_STATE_H
#define TESTS_FAKE_STATE_H

#include "base/device/gpu.h"
#include "fake_device.h"

/* A fake one needs few of what a backend's calls are told. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct satf_gpu {
    int device;
};

extern fake_device fake_device_state;

/* Another call that can fail; its status. */
satf_status fake_enter(satf_context *ctx, const char *call);

/* Adds to a number of the state. */
void fake_add(long *number, long more);

void fake_give(void *memory);

/* The calls of base/device/calls.h that take no kernel. */
extern const satf_backend fake_device_calls;

#endif
