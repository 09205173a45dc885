/* Tokens to work, as many as threads, and a limit of memory, which contexts beside one another
 * share. */
#ifndef SATF_BASE_SHARE_H
#define SATF_BASE_SHARE_H

#include "context.h"

/*
 * A public call on a file begins: waits for a token, which is the calling thread's until the call
 * ends. Every other function here means such a call. They do nothing for a context that shares
 * nothing.
 */
void satf_share_begin(satf_context *ctx);

/* It ends, and gives its memory back. */
void satf_share_end(satf_context *ctx);

/* The call only waits for others from here on, and needs no token, until it goes on. */
void satf_share_pause(satf_context *ctx);
void satf_share_resume(satf_context *ctx);

/* The call gives back what it holds, as if it had not asked yet. */
void satf_share_forgo(satf_context *ctx);

/* Takes further tokens, up to `wanted`, that nobody has or waits for; returns how many, at once.
 * wanted, if nothing is shared. May be called for a stage of such a call, too. */
int satf_share_acquire(const satf_context *ctx, int wanted);
void satf_share_release(const satf_context *ctx, int tokens);

/*
 * The call will hold so many bytes, all that it has asked for before included. The first time it
 * waits, without its token, until they fit beside what others hold, or nobody holds any. Who asks
 * first is served first. Later it never waits, for others may wait for what it holds:
 * SATF_NO_MEMORY if they do not fit, and the call is to be done once more, alone.
 */
satf_status satf_share_reserve(satf_context *ctx, uint64_t bytes);

/* The call gives back what it holds, and waits until nobody else holds memory. The memory of the
 * devices' slots is given back, too. */
void satf_share_alone(satf_context *ctx);

/* Whether a lack of memory may be due to others: a call beside others, which may be done once more,
 * alone. */
bool satf_share_crowds(const satf_context *ctx);

/*
 * Work on a device begins: waits, without the token, until fewer than two of such a call are on
 * that device; so the copies of one go beside the kernels of the other, and no more of its memory
 * is held. Until it ends the context has what an earlier one has left open there. Before that it
 * gives up what it has in the device's memory, such as a plan.
 */
satf_status satf_share_enter_device(satf_context *ctx, int device);
void satf_share_leave_device(satf_context *ctx);

/* Makes the other context share with ctx; false without memory. */
bool satf_share_join(satf_context *ctx, satf_context *other);

/* Ends the context's share. satf_context_destroy() calls it. */
void satf_share_leave(satf_context *ctx);

#endif
