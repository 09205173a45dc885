/* Tokens, device slots and memory that contexts share. */
#include "share.h"

#include <pthread.h>

#include "clock.h"
#include "device/gpu.h"
#include "memory.h"

/* The most slots of a device: calls that work on it at a time. */
enum { SLOTS = 2 };

/* The state of an open device, for one call at a time. */
typedef struct device_slot {
    struct device_slot *next;
    int device;
    const satf_context *user; /* NULL: nobody */
    satf_gpu *gpu;            /* as a context has it; NULL: not open */
    void *cache;
    void (*cache_free)(void *);
} device_slot;

/* `changed` says that anything has. */
struct satf_share {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    device_slot *slots;
    int contexts;
    int tokens;            /* that nobody has */
    int waiting;           /* calls that wait for one */
    int64_t limit, free;   /* bytes: of all calls, and that none holds */
    uint64_t next, served; /* tickets of those who ask for memory */
};

static struct satf_share *share_create(const satf_context *ctx)
{
    struct satf_share *share = satf_alloc_zeroed(sizeof *share);
    if (share) {
        pthread_mutex_init(&share->lock, NULL);
        pthread_cond_init(&share->changed, NULL);
        share->tokens = ctx->settings.threads;
        share->limit = share->free = ctx->settings.max_bytes;
    }
    return share;
}

/* Makes the context one of those that share. */
static void share_add(struct satf_share *share, satf_context *ctx)
{
    pthread_mutex_lock(&share->lock);
    share->contexts++;
    pthread_mutex_unlock(&share->lock);
    ctx->share = share;
    ctx->shares = true;
}

bool satf_share_join(satf_context *ctx, satf_context *other)
{
    struct satf_share *share = ctx->share ? ctx->share : share_create(ctx);
    if (share && !ctx->share) {
        share_add(share, ctx);
    }
    if (share) {
        share_add(share, other);
    }
    return share != NULL;
}

static void swap_gpu(satf_context *ctx, device_slot *l)
{
    satf_gpu *gpu = l->gpu;
    void *cache = l->cache;
    void (*cache_free)(void *) = l->cache_free;
    l->gpu = ctx->gpu;
    l->cache = ctx->device_cache;
    l->cache_free = ctx->device_cache_free;
    ctx->gpu = gpu;
    ctx->device_cache = cache;
    ctx->device_cache_free = cache_free;
}

static void close_gpu_of(satf_context *ctx, device_slot *l)
{
    swap_gpu(ctx, l);
    if (ctx->gpu) {
        satf_cuda()->close(ctx);
    }
    swap_gpu(ctx, l);
}

static void close_slots(satf_context *ctx, device_slot *first)
{
    while (first) {
        device_slot *next = first->next;
        close_gpu_of(ctx, first);
        satf_free(first);
        first = next;
    }
}

void satf_share_leave(satf_context *ctx)
{
    struct satf_share *share = ctx->share;
    if (!share || !ctx->shares) {
        return;
    }
    pthread_mutex_lock(&share->lock);
    bool last = --share->contexts == 0;
    pthread_mutex_unlock(&share->lock);
    if (last) {
        close_slots(ctx, share->slots);
        pthread_cond_destroy(&share->changed);
        pthread_mutex_destroy(&share->lock);
        satf_free(share);
    }
}

/* ------------------------------------------------------------------- tokens */

/* With the lock held. */
static void share_take_token(struct satf_share *share)
{
    share->waiting++;
    while (share->tokens == 0) {
        pthread_cond_wait(&share->changed, &share->lock);
    }
    share->waiting--;
    share->tokens--;
}

static void release_tokens(struct satf_share *share, int tokens)
{
    share->tokens += tokens;
    if (share->waiting > 0) {
        pthread_cond_broadcast(&share->changed);
    }
}

void satf_share_begin(satf_context *ctx)
{
    ctx->waited_ms = 0;
    ctx->alone = false;
    if (!ctx->share) {
        return;
    }
    double start_ms = satf_now_ms();
    pthread_mutex_lock(&ctx->share->lock);
    share_take_token(ctx->share);
    pthread_mutex_unlock(&ctx->share->lock);
    ctx->in_turn = true;
    ctx->waited_ms = satf_now_ms() - start_ms;
}

/* With the lock held. */
static void release_memory(satf_context *ctx, int64_t bytes)
{
    if (bytes > 0) {
        ctx->reserved -= bytes;
        ctx->share->free += bytes;
        pthread_cond_broadcast(&ctx->share->changed);
    }
}

void satf_share_end(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->lock);
        release_memory(ctx, ctx->reserved);
        release_tokens(ctx->share, 1);
        pthread_mutex_unlock(&ctx->share->lock);
        ctx->in_turn = false;
    }
}

void satf_share_pause(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->lock);
        release_tokens(ctx->share, 1);
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

void satf_share_resume(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->lock);
        share_take_token(ctx->share);
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

void satf_share_forgo(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->lock);
        release_memory(ctx, ctx->reserved);
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

int satf_share_acquire(const satf_context *ctx, int wanted)
{
    struct satf_share *share = ctx->share;
    if (!share || wanted < 1) {
        return wanted;
    }
    pthread_mutex_lock(&share->lock);
    int idle = share->tokens - share->waiting;
    int taken = idle < 0 ? 0 : idle < wanted ? idle : wanted;
    share->tokens -= taken;
    pthread_mutex_unlock(&share->lock);
    return taken;
}

void satf_share_release(const satf_context *ctx, int tokens)
{
    if (ctx->share && tokens > 0) {
        pthread_mutex_lock(&ctx->share->lock);
        release_tokens(ctx->share, tokens);
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

/* ------------------------------------------------------------------ memory */

/* With the lock held: waits for its ticket's turn and so many bytes, which are at most the limit:
 * so they fit when nobody holds any. */
static void wait_for_memory(satf_context *ctx, int64_t bytes)
{
    struct satf_share *share = ctx->share;
    uint64_t ticket = share->next++;
    double start_ms = satf_now_ms();
    bool waits = ticket != share->served || share->free < bytes;
    if (waits) {
        release_tokens(share, 1);
    }
    while (ticket != share->served || share->free < bytes) {
        pthread_cond_wait(&share->changed, &share->lock);
    }
    share->free -= bytes;
    ctx->reserved = bytes;
    share->served++;
    pthread_cond_broadcast(&share->changed);
    if (waits) {
        share_take_token(share);
        ctx->waited_ms += satf_now_ms() - start_ms;
    }
}

satf_status satf_share_reserve(satf_context *ctx, uint64_t bytes)
{
    struct satf_share *share = ctx->share;
    if (!ctx->in_turn) {
        return SATF_OK;
    }
    satf_status status = SATF_OK;
    pthread_mutex_lock(&share->lock);
    int64_t wanted = bytes < (uint64_t)share->limit ? (int64_t)bytes : share->limit;
    int64_t more = wanted - ctx->reserved;
    if (ctx->reserved == 0) {
        wait_for_memory(ctx, wanted);
    } else if (more <= share->free) {
        share->free -= more > 0 ? more : 0;
        ctx->reserved += more > 0 ? more : 0;
    } else {
        status = satf_fail(ctx, SATF_NO_MEMORY, "others hold the memory that it needs");
    }
    pthread_mutex_unlock(&share->lock);
    return status;
}

void satf_share_alone(satf_context *ctx)
{
    if (!ctx->in_turn) {
        return;
    }
    pthread_mutex_lock(&ctx->share->lock);
    release_memory(ctx, ctx->reserved);
    wait_for_memory(ctx, ctx->share->limit);
    for (device_slot *l = ctx->share->slots; l; l = l->next) {
        if (!l->user) { /* all are idle, but of a call that is about to end */
            close_gpu_of(ctx, l);
        }
    }
    ctx->alone = true;
    pthread_mutex_unlock(&ctx->share->lock);
}

bool satf_share_crowds(const satf_context *ctx)
{
    return ctx->in_turn && !ctx->alone;
}

/* ------------------------------------------------------------------ device */

/* With the lock held: the context gets a slot that nobody is on; *found is NULL if all are taken.
 */
static satf_status find_slot(satf_context *ctx, int device, device_slot **found)
{
    struct satf_share *share = ctx->share;
    int count = 0;
    *found = NULL;
    for (device_slot *l = share->slots; l; l = l->next) {
        count += l->device == device;
        *found = l->device == device && !l->user ? l : *found;
    }
    if (!*found && count < SLOTS) {
        *found = satf_alloc_zeroed(sizeof **found);
        if (!*found) {
            return satf_fail_memory(ctx, sizeof **found, "a device's state");
        }
        (*found)->device = device;
        (*found)->next = share->slots;
        share->slots = *found;
    }
    if (*found) {
        (*found)->user = ctx;
    }
    return SATF_OK;
}

/* With the lock held: likewise, and waits for one. */
static satf_status await_slot(satf_context *ctx, int device, device_slot **found)
{
    struct satf_share *share = ctx->share;
    satf_status status = find_slot(ctx, device, found);
    if (status || *found) {
        return status;
    }
    double start_ms = satf_now_ms();
    release_tokens(share, 1);
    while (!status && !*found) {
        pthread_cond_wait(&share->changed, &share->lock);
        status = find_slot(ctx, device, found);
    }
    share_take_token(share);
    ctx->waited_ms += satf_now_ms() - start_ms;
    return status;
}

satf_status satf_share_enter_device(satf_context *ctx, int device)
{
    device_slot *mine;
    if (!ctx->in_turn) {
        return SATF_OK;
    }
    satf_context_forget(ctx);
    if (ctx->gpu) { /* of calls before this one shared anything */
        satf_cuda()->close(ctx);
    }
    pthread_mutex_lock(&ctx->share->lock);
    satf_status status = await_slot(ctx, device, &mine);
    if (!status) {
        swap_gpu(ctx, mine);
    }
    pthread_mutex_unlock(&ctx->share->lock);
    return satf_gpu_leave(ctx, status);
}

void satf_share_leave_device(satf_context *ctx)
{
    if (!ctx->in_turn) {
        return;
    }
    satf_context_forget(ctx); /* its memory is the slot's */
    if (ctx->lent && ctx->gpu) {
        satf_cuda()->give_up(ctx); /* but not that of this context's allocator */
    }
    pthread_mutex_lock(&ctx->share->lock);
    for (device_slot *l = ctx->share->slots; l; l = l->next) {
        if (l->user == ctx) {
            swap_gpu(ctx, l);
            l->user = NULL;
        }
    }
    pthread_cond_broadcast(&ctx->share->changed);
    pthread_mutex_unlock(&ctx->share->lock);
    satf_gpu_leave(ctx, SATF_OK);
}
