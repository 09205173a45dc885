#include "share.h"

#include <pthread.h>

#include "clock.h"
#include "memory.h"

/* `changed` says that anything has, but for the device. */
struct satf_share {
    pthread_mutex_t lock, device;
    pthread_cond_t changed;
    int contexts;
    int turns;             /* that nobody has */
    int waiting;           /* calls that wait for one */
    int64_t limit, free;   /* bytes: of all calls, and that none holds */
    uint64_t next, served; /* tickets of those who ask for memory */
};

static struct satf_share *create(const satf_context *ctx)
{
    struct satf_share *share = satf_alloc_zeroed(sizeof *share);
    if (share) {
        pthread_mutex_init(&share->lock, NULL);
        pthread_mutex_init(&share->device, NULL);
        pthread_cond_init(&share->changed, NULL);
        share->turns = ctx->settings.threads;
        share->limit = share->free = ctx->settings.max_bytes;
    }
    return share;
}

/* The context becomes one of those who share. */
static void add(struct satf_share *share, satf_context *ctx)
{
    pthread_mutex_lock(&share->lock);
    share->contexts++;
    pthread_mutex_unlock(&share->lock);
    ctx->share = share;
    ctx->shares = true;
}

bool satf_share_join(satf_context *ctx, satf_context *other)
{
    struct satf_share *share = ctx->share ? ctx->share : create(ctx);
    if (share && !ctx->share) {
        add(share, ctx);
    }
    if (share) {
        add(share, other);
    }
    return share != NULL;
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
        pthread_cond_destroy(&share->changed);
        pthread_mutex_destroy(&share->device);
        pthread_mutex_destroy(&share->lock);
        satf_free(share);
    }
}

/* ------------------------------------------------------------------- turns */

/* With the lock held. */
static void take_turn(struct satf_share *share)
{
    share->waiting++;
    while (share->turns == 0) {
        pthread_cond_wait(&share->changed, &share->lock);
    }
    share->waiting--;
    share->turns--;
}

static void give_turns(struct satf_share *share, int turns)
{
    share->turns += turns;
    if (share->waiting > 0) {
        pthread_cond_broadcast(&share->changed);
    }
}

void satf_share_begin(satf_context *ctx)
{
    ctx->waited_ms = 0;
    if (!ctx->share) {
        return;
    }
    double start_ms = satf_now_ms();
    pthread_mutex_lock(&ctx->share->lock);
    take_turn(ctx->share);
    pthread_mutex_unlock(&ctx->share->lock);
    ctx->in_turn = true;
    ctx->waited_ms = satf_now_ms() - start_ms;
}

/* With the lock held. */
static void give_memory(satf_context *ctx, int64_t bytes)
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
        give_memory(ctx, ctx->reserved);
        give_turns(ctx->share, 1);
        pthread_mutex_unlock(&ctx->share->lock);
        ctx->in_turn = false;
    }
}

int satf_share_take(const satf_context *ctx, int wanted)
{
    struct satf_share *share = ctx->share;
    if (!share || wanted < 1) {
        return wanted;
    }
    pthread_mutex_lock(&share->lock);
    int idle = share->turns - share->waiting;
    int taken = idle < 0 ? 0 : idle < wanted ? idle : wanted;
    share->turns -= taken;
    pthread_mutex_unlock(&share->lock);
    return taken;
}

void satf_share_return(const satf_context *ctx, int turns)
{
    if (ctx->share && turns > 0) {
        pthread_mutex_lock(&ctx->share->lock);
        give_turns(ctx->share, turns);
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
        give_turns(share, 1);
    }
    while (ticket != share->served || share->free < bytes) {
        pthread_cond_wait(&share->changed, &share->lock);
    }
    share->free -= bytes;
    ctx->reserved = bytes;
    share->served++;
    pthread_cond_broadcast(&share->changed);
    if (waits) {
        take_turn(share);
        ctx->waited_ms += satf_now_ms() - start_ms;
    }
}

satf_status satf_share_reserve(satf_context *ctx, size_t bytes)
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
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->lock);
        give_memory(ctx, ctx->reserved);
        wait_for_memory(ctx, ctx->share->limit);
        pthread_mutex_unlock(&ctx->share->lock);
    }
}

/* ------------------------------------------------------------------ device */

void satf_share_lock_device(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_lock(&ctx->share->device);
    }
}

void satf_share_unlock_device(satf_context *ctx)
{
    if (ctx->in_turn) {
        pthread_mutex_unlock(&ctx->share->device);
    }
}
