/*
 * Rows on their way through a chain of filters, which is cut into segments; mostly it is one. In
 * front of each segment, and behind the last, is a ring: the latest rows of a picture. A segment is
 * a plan by rows on some columns of the picture, a strip, or several side by side: each strip is a
 * stage, on a thread of its own, which goes down all rows of the ring in front and makes its
 * columns of those behind. Beside its columns a strip reads those that they depend on. Whoever
 * fills the first ring or empties the last is another stage, 0 and strips + 1: a decoder and an
 * encoder (stream.c), or whoever pushes and pulls (rows.c). Memory does not depend on the
 * picture's height.
 */
#ifndef SATF_PIPELINE_FLOW_H
#define SATF_PIPELINE_FLOW_H

#include <pthread.h>

#include "../base/memory.h"
#include "../base/stop.h"
#include "../chain/filter.h"

/* A stage takes or hands on band_rows rows at once. capacity is a multiple of it, so a band never
 * wraps around. */
typedef struct flow_ring {
    satf_view view; /* that the segment which reads it sees: */
    int64_t rows;   /* all that go through, of which it sees those from first_row on, */
    int64_t first_row, first_byte; /* and of each what lies behind first_byte */
    char *data;                    /* owned; see flow_row() */
    int64_t capacity, band_rows;
    size_t link;           /* of the chain: the first one of the segment */
    int first, strips;     /* the stages that are the segment; none behind the last */
    bool cuts;             /* they may be several */
    filter_rows_need need; /* and what they take */
    char *ends;            /* rows that it wants at any time: those of the start and of the end */
    int64_t made;          /* rows above it are complete: the least of its writers */
    int64_t freed;         /* rows above it are not looked at any more: the least of its readers */
    bool passes;           /* the last stage reads it, too: of the first ring, around a crop */
    int64_t passed;        /* rows above it have been; by that stage only */
} flow_ring;

struct flow;

typedef struct flow_stage {
    struct flow *flow;
    int number;
    satf_context *ctx; /* its own if it has a thread of its own, else that of the flow */
    pthread_t thread;
    bool started, ended;
    satf_status status;
    pthread_cond_t moved;   /* something that it waits for */
    bool sleeps;            /* it waits: */
    bool wants_turn;        /* for a token to work; else for */
    const int64_t *awaited; /* this to be `wanted`, or, if NULL, for anything */
    const int64_t *most;    /* or this to be less than `wanted`, unless NULL */
    int64_t wanted;
    double busy_ms, waited_ms;
    /* Of a strip: the ring that it reads, behind which is the one that it makes; its plan (owned);
     * where its columns begin in rows of both. */
    int ring;
    satf_plan *plan;
    int64_t from_byte, to_byte;
    int64_t highest;     /* the furthest row that it has got */
    int64_t reached;     /* the row that it makes: those above are complete */
    int64_t made, freed; /* as of its rings, by itself */
} flow_stage;

/*
 * If there are more stages than threads are allowed they take turns: only `allowed` work at a
 * time, fewer where contexts beside this one need the threads (base/share.h). The others wait.
 * `lock` guards made and freed of the rings, what stages wait for, `working` and `failed`.
 */
typedef struct flow {
    satf_context *ctx;
    satf_budget *budget;  /* of the call that makes it, for its stages */
    void *user;           /* of those who made it */
    int segments, strips; /* strips: of all segments */
    flow_ring *rings;     /* segments + 1; segment k reads ring k and writes ring k + 1 */
    flow_stage *stages;   /* strips + 2 */
    pthread_mutex_t lock;
    bool begun; /* lock and what stages wait for are there */
    int working, allowed;
    bool any_height;  /* rows of all rings may become fewer: flow_end_rows() */
    int64_t *heights; /* segments + 1, for that */
    int failed;       /* the stage that failed first, or -1 */
    satf_stop stop;   /* it has; for stages that are at work */
} flow;

/* Cuts the chain: the shapes of all rings, the plans of all strips, and the bytes of memory that
 * both will take: SIZE_MAX if no memory has as many. A filter that takes no rows is no failure: see
 * flow_ring.need. The views' data are not looked at. flow_free() in any case. crop: the part of in
 * that the chain makes out of; the last stage takes the rows of in as well, from the first ring,
 * and is no further in these than the filters let it be. NULL: all, and it does not. (flow_plan.c)
 */
satf_status flow_plan(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                      const satf_rect *crop, const satf_view *out, flow *f, size_t *bytes);

/* Plans a flow of one stage that takes the rows of in, all of which are kept, as it likes. */
satf_status flow_plan_whole(satf_context *ctx, const satf_view *in, const satf_view *out, flow *f,
                            size_t *bytes);

/* The bytes of a ring, the rows that it keeps for good included; false if no memory has as many. */
bool flow_ring_bytes(const flow_ring *r, size_t *bytes);

/* The memory of rings, if it keeps the limit of the context. No stage runs yet; at most `allowed`
 * will at a time. */
satf_status flow_make(flow *f, size_t bytes, int allowed);

void flow_free(flow *f);

/* ------------------------------------------------------------------ the stages */

/* Gives the stage a thread, which calls body(stage), and a context. SATF_NO_MEMORY: it is as it
 * was. */
satf_status flow_start(flow_stage *t, void *(*body)(void *stage));

/* The body of a strip. */
void *flow_run_strip(void *stage);

/* Any body begins and ends with these: they take a token to work, and give it back. The first
 * failure stops all stages. */
void flow_begin(flow_stage *t);
void flow_end(flow_stage *t, satf_status status);

/* Ends a stage that does not run: the flow stops because of it, unless it has already. */
void flow_stop(flow_stage *t, satf_status status);

/* Waits for all threads, whose stages end or have been stopped. Stage t, which has ended, is the
 * caller's: the callback is asked meanwhile, and the flow stops because of it. */
void flow_join(flow_stage *t);

/* No row behind those of the first ring comes: each ring gets as many as f->heights says. */
void flow_end_rows(flow *f);

/* All stages have been joined, or none has been started: the flow is as it was made, and so are its
 * stages, with their contexts. */
void flow_rewind(flow *f);

/* The status of the stage that failed, SATF_OK if none has; its message becomes the context's. For
 * when no stage runs any more, or a call has told that one has failed. */
satf_status flow_failure(flow *f);

/* Rows that go through the ring, as far as is known. */
static inline int64_t flow_rows(const flow_ring *r)
{
    return __atomic_load_n(&r->rows, __ATOMIC_ACQUIRE);
}

/* Row y of the ring. */
void *flow_row(const flow_ring *r, int64_t y);

/* A row that the ring keeps for good, NULL if y is none. */
char *flow_end_row(const flow_ring *r, int64_t y);

/* A stage has moved made or freed of its ring that far. */
void flow_advance(flow *f, int64_t *counter, int64_t to);

/* Waits until *counter is at least `wanted`; false if a stage has failed. */
bool flow_await(flow_stage *t, const int64_t *counter, int64_t wanted);

/* Waits for room for the rows above `end` in the ring that the stage writes. */
bool flow_await_room(flow_stage *t, const flow_ring *r, int64_t end);

/* For one who is no running stage, but stage 0 to whoever asks why the flow has stopped: waits
 * until *counter is at least `wanted` or no strip can go on until other rows come or go. Returns
 * *counter, or -1 if a stage has failed. */
int64_t flow_settle(flow *f, const int64_t *counter, int64_t wanted);

#endif
