/* See fake_device.h. */
#include "fake_state.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/view.h"

__attribute__((visibility("default")))
fake_device fake_device_state = {.room = SIZE_MAX, .devices = 1};

static fake_device *const fake = &fake_device_state;

/* Its state is that of all threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fake_add(long *number, long more)
{
    pthread_mutex_lock(&lock);
    *number += more;
    pthread_mutex_unlock(&lock);
}

/* Another call; whether it fails. */
static bool fails(const char *call)
{
    pthread_mutex_lock(&lock);
    fake->calls++;
    bool failing = fake->fail_at > 0 &&
                   (fake->calls == fake->fail_at || (fake->lost && fake->calls > fake->fail_at));
    if (failing && !fake->failed) {
        fake->failed = call;
    }
    pthread_mutex_unlock(&lock);
    return failing;
}

satf_status fake_enter(satf_context *ctx, const char *call)
{
    return fails(call)
               ? satf_fail(ctx, fake->failure, "the fake device fails in call %ld or later, %s",
                           fake->fail_at, call)
               : SATF_OK;
}

/* -------------------------------------------------------------------- the device */

static int count(const char **why)
{
    if (fails("count")) {
        if (why) {
            *why = "the fake device is gone";
        }
        return 0;
    }
    return fake->devices;
}

static bool describe(int device, satf_gpu_info *info)
{
    if (fails("describe") || satf_gpu_ordinal(device) >= fake->devices) {
        return false;
    }
    *info = (satf_gpu_info){.name = "Fake", .major = 8, .driver = "none", .code = "8.0"};
    info->memory_bytes = fake->room;
    info->multiprocessors = 1;
    info->runs_kernels = true;
    return true;
}

static bool speed(int device, double *clock_khz, double *bytes_per_second)
{
    return false;
}

/* One context more or less has it open. */
static void count_context(int device, long more)
{
    int i = satf_gpu_ordinal(device);
    pthread_mutex_lock(&lock);
    fake->contexts += more;
    fake->open[i] += more;
    fake->most_open[i] = fake->open[i] > fake->most_open[i] ? fake->open[i] : fake->most_open[i];
    pthread_mutex_unlock(&lock);
}

static void close_device(satf_context *ctx)
{
    count_context(ctx->gpu->device, -1);
    free(ctx->gpu);
    ctx->gpu = NULL;
}

static satf_status open_device(satf_context *ctx, int device)
{
    satf_status status = fake_enter(ctx, "open");
    if (status) {
        if (ctx->gpu) {
            close_device(ctx);
        }
        return status;
    }
    if (ctx->gpu && ctx->gpu->device != device) {
        satf_context_forget(ctx);
        close_device(ctx);
    }
    if (!ctx->gpu) {
        ctx->gpu = calloc(1, sizeof *ctx->gpu);
        if (!ctx->gpu) {
            return satf_fail_memory(ctx, sizeof *ctx->gpu, "a fake device");
        }
        ctx->gpu->device = device;
        count_context(device, 1);
    }
    return SATF_OK;
}

static satf_status leave(satf_context *ctx, satf_status status)
{
    ctx->entered = false;
    return status;
}

static void *stream(satf_context *ctx)
{
    return ctx->gpu;
}

/* ------------------------------------------------------------------------ memory */

/* In front of each block. */
typedef union block_head {
    size_t bytes;
    char room[256];
} block_head;

static void *take(size_t bytes)
{
    size_t all = (sizeof(block_head) + bytes + 255) / 256 * 256;
    pthread_mutex_lock(&lock);
    block_head *head = bytes <= fake->room - fake->used ? aligned_alloc(256, all) : NULL;
    if (head) {
        memset(head, 0xA5, all); /* what nobody has set is no zero */
        head->bytes = bytes;
        fake->used += bytes;
        fake->most = fake->used > fake->most ? fake->used : fake->most;
        fake->blocks++;
    }
    pthread_mutex_unlock(&lock);
    return head ? head + 1 : NULL;
}

void fake_give(void *memory)
{
    block_head *head = (block_head *)memory - 1;
    pthread_mutex_lock(&lock);
    fake->used -= head->bytes;
    fake->blocks--;
    pthread_mutex_unlock(&lock);
    free(head);
}

static satf_status allocate(satf_context *ctx, int device, size_t bytes, const char *what,
                            void **memory)
{
    satf_status status = fake_enter(ctx, "alloc");
    *memory = NULL;
    if (status) {
        return status;
    }
    *memory = take(bytes);
    if (!*memory) {
        satf_context_forget(ctx);
        *memory = take(bytes);
    }
    pthread_mutex_lock(&lock);
    size_t left = fake->room - fake->used;
    pthread_mutex_unlock(&lock);
    return *memory ? SATF_OK
                   : satf_fail(ctx, SATF_NO_MEMORY,
                               "out of memory on CUDA device %d: %zu bytes wanted for %s, %zu are "
                               "free",
                               satf_gpu_ordinal(device), bytes, what, left);
}

static void free_memory(satf_context *ctx, void *memory)
{
    if (memory) {
        fake_give(memory);
    }
}

static satf_status copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    satf_status status = fake_enter(ctx, "copy");
    size_t row = (size_t)satf_row_samples(from) * satf_type_bytes(from->type);
    for (int64_t y = 0; y < from->height && !status; y++) {
        memcpy(satf_row(to, y), satf_row(from, y), row);
    }
    return status;
}

static satf_status copy_bytes(satf_context *ctx, int device, void *to, const void *from,
                              size_t bytes)
{
    satf_status status = fake_enter(ctx, "copy_bytes");
    if (!status) {
        memcpy(to, from, bytes);
    }
    return status;
}

static satf_status set_bytes(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    satf_status status = fake_enter(ctx, "set_bytes");
    if (!status) {
        memset(memory, value, bytes);
    }
    return status;
}

/* None is kept from run to run, as while a graph is captured. */
static satf_status keep(satf_context *ctx, int device, const satf_gpu_use *use, size_t bytes,
                        const char *what, void **memory, unsigned *runs)
{
    *memory = NULL;
    return fake_enter(ctx, "keep");
}

static void kept(satf_context *ctx, bool good)
{
}

static void give_up(satf_context *ctx)
{
}

/* ------------------------------------------------------------------------- order */

static bool captures(satf_context *ctx, int device)
{
    return false;
}

static satf_status order_begin(satf_context *ctx, int device, satf_gpu_order *order, bool *captured)
{
    *captured = false;
    return open_device(ctx, device);
}

static void order_end(satf_context *ctx, satf_gpu_order *order)
{
    if (!order->done) {
        order->done = malloc(1);
        fake_add(&fake->events, order->done != NULL);
    }
}

static void order_free(satf_gpu_order *order)
{
    fake_add(&fake->events, -1);
    free(order->done);
    order->done = NULL;
}

static void free_behind(satf_gpu_order *order, void *memory)
{
    if (memory) {
        fake_give(memory);
    }
}

static satf_status release_behind(satf_context *ctx, int device, void (*release)(void *),
                                  void *what)
{
    if (fake->held) { /* the stream is not done until the test says so */
        *fake->held = (fake_release){release, what};
        fake->held = NULL;
    } else {
        release(what);
    }
    return SATF_OK;
}

static satf_status wait_for(satf_context *ctx, int device)
{
    pthread_mutex_lock(&lock);
    fake->waits = fake->calls + 1;
    pthread_mutex_unlock(&lock);
    return fake_enter(ctx, "wait");
}

static satf_status synchronize(satf_context *ctx)
{
    return fake_enter(ctx, "synchronize");
}

static satf_status time_begin(satf_context *ctx, int device)
{
    return fake_enter(ctx, "time_begin");
}

static satf_status time_end(satf_context *ctx, int device, double *ms)
{
    *ms = 1;
    return fake_enter(ctx, "time_end");
}

const satf_backend fake_device_calls = {
    .count = count,
    .describe = describe,
    .speed = speed,
    .open = open_device,
    .leave = leave,
    .close = close_device,
    .stream = stream,
    .wait = wait_for,
    .synchronize = synchronize,
    .time_begin = time_begin,
    .time_end = time_end,
    .alloc = allocate,
    .free = free_memory,
    .keep = keep,
    .kept = kept,
    .give_up = give_up,
    .release_behind = release_behind,
    .copy = copy,
    .copy_bytes = copy_bytes,
    .set_bytes = set_bytes,
    .captures = captures,
    .order_begin = order_begin,
    .order_end = order_end,
    .order_free = order_free,
    .free_behind = free_behind,
};
