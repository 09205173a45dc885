/* Any permutation as three permutations of rows: section 5.5, with pieces. */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "permute.h"

enum { BANKS = 32, BANK_LEVELS = 5, HALF_WARP = 16 };

/*
 * Rows are the nodes, elements the edges; an element's colour is its slot, of which a row has
 * `length`. The lowest five bits of a slot are its bank. They are chosen first, on a finer graph:
 * 32 consecutive elements, which a warp accesses at a time, are a node, so they go to 32 banks.
 * (Four of the bits on an even finer one, of 16 elements: half a warp's words of 8 bytes meet 16
 * pairs of banks.) What is left of each bank is a regular graph of rows again.
 *
 * Halves of halves come to lie side by side: part k of level l is edges k * n / 2^l and so on, and
 * its halves are parts 2k and 2k + 1 of level l + 1.
 */
typedef struct colouring {
    const uint32_t *p;
    permute_shape shape;
    uint32_t n;
    colour_edge *edges, *spare;
    uint32_t *link, *last;
    uint32_t *count;            /* a row each for every thread */
    uint32_t span, part, nodes; /* of the level being halved: of a block; of a part */
    uint32_t degree, share;     /* of a row in a part; in the end */
    uint16_t *first, *second, *third;
} colouring;

enum { CHUNK = 1 << 16 };

static void fill_edges(void *user, int64_t task, int thread)
{
    (void)thread;
    const colouring *c = user;
    uint32_t begin = (uint32_t)task * CHUNK;
    uint32_t end = c->n - begin < CHUNK ? c->n : begin + CHUNK;
    for (uint32_t i = begin; i < end; i++) {
        c->edges[i] = (colour_edge){i, c->p[i]};
    }
}

static void halve_part(void *user, int64_t task, int thread)
{
    (void)thread;
    const colouring *c = user;
    size_t at = (size_t)task * c->part;
    colour_halve(c->edges + at, c->part, c->span, c->spare + at, c->spare + at + c->part / 2,
                 c->link + at, c->last + (size_t)task * c->nodes);
}

static void halve_all(satf_context *ctx, colouring *c, uint32_t span)
{
    c->span = span;
    c->nodes = c->n / span;
    satf_parallel(ctx, c->n / c->part, halve_part, c);
    colour_edge *edges = c->edges;
    c->edges = c->spare;
    c->spare = edges;
    c->part /= 2;
}

static void finish_part(void *user, int64_t task, int thread)
{
    (void)thread;
    const colouring *c = user;
    size_t at = (size_t)task * c->part, words = COLOUR_WORDS(c->shape.rows, c->degree);
    colour_all(c->edges + at, c->shape.rows, c->degree, c->shape.length, c->spare + at,
               c->link + (size_t)task * words);
}

/* Writes the slots of a part's elements, `share` of each row, to the tables. */
static void write_part(void *user, int64_t task, int thread)
{
    const colouring *c = user;
    const permute_shape *s = &c->shape;
    uint32_t parts = s->length / c->share, of_bank = parts / BANKS;
    uint32_t split = (uint32_t)task / of_bank, colour = (uint32_t)task % of_bank * c->share;
    uint32_t bank = split / 2 + split % 2 * HALF_WARP;
    uint32_t *count = c->count + (size_t)thread * s->rows;
    size_t pitch = schedule_pitch(s->length), middle_pitch = schedule_pitch(s->middle_length);
    const colour_edge *edge = c->edges + (size_t)task * s->rows * c->share;
    memset(count, 0, s->rows * sizeof *count);
    for (uint32_t k = 0; k < s->rows * c->share; k++, edge++) {
        uint32_t from = edge->from / s->length, to = edge->to / s->length;
        uint32_t slot = (colour + k % c->share) * BANKS + bank;
        uint32_t end = (colour + count[to]++) * BANKS + bank;
        uint32_t middle = slot / s->piece; /* of end too */
        c->first[from * pitch + schedule_place(edge->from % s->length)] = (uint16_t)slot;
        c->second[middle * middle_pitch + schedule_place(from * s->piece + slot % s->piece)] =
            (uint16_t)(to * s->piece + end % s->piece);
        c->third[to * pitch + schedule_place(edge->to % s->length)] = (uint16_t)end;
    }
}

static void colour(satf_context *ctx, colouring *c)
{
    const permute_shape *s = &c->shape;
    satf_parallel(ctx, (c->n - 1) / CHUNK + 1, fill_edges, c);
    c->part = c->n;
    for (int level = 0; level < BANK_LEVELS; level++) {
        halve_all(ctx, c, level < BANK_LEVELS - 1 ? HALF_WARP : BANKS);
    }
    /* It does not matter which slot of one bank and one piece an element has. */
    c->share = s->piece % BANKS ? 1 : s->piece / BANKS;
    for (c->degree = s->length / BANKS; c->degree % (2 * c->share) == 0; c->degree /= 2) {
        halve_all(ctx, c, s->length);
    }
    if (c->degree != c->share) {
        satf_parallel(ctx, c->n / c->part, finish_part, c);
        c->share = 1;
    }
    satf_parallel(ctx, s->length / c->share, write_part, c);
}

satf_status permute_colour(satf_context *ctx, const permute_request *request,
                           const permute_shape *shape, uint16_t *first, uint16_t *second,
                           uint16_t *third)
{
    size_t n = (size_t)request->n, threads = (size_t)satf_thread_count(ctx);
    /* The odd degree that is left is 3 at least where finish_part() has work. */
    size_t link_words = n + 3 * (n / 3), last_words = n / 2;
    size_t bytes = (2 * n * sizeof(colour_edge)) +
                   (link_words + last_words + threads * shape->rows) * sizeof(uint32_t);
    if (bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "the schedule of %zu elements takes %zu bytes of memory to make and %lld "
                         "are allowed",
                         n, bytes, (long long)ctx->settings.max_bytes);
    }
    char *memory = satf_alloc(bytes);
    if (!memory) {
        return satf_fail_memory(ctx, bytes, "a schedule in the making");
    }
    colouring c = {.p = request->p,
                   .shape = *shape,
                   .n = (uint32_t)n,
                   .first = first,
                   .second = second,
                   .third = third};
    c.edges = (colour_edge *)memory;
    c.spare = c.edges + n;
    c.link = (uint32_t *)(c.spare + n);
    c.last = c.link + link_words;
    c.count = c.last + last_words;
    memset(c.last, 0xff, last_words * sizeof *c.last);
    colour(ctx, &c);
    satf_free(memory);
    return SATF_OK;
}

/* -------------------------------------------------------------- single rows */

typedef struct rows_job {
    const uint16_t *table;
    bool inverse;
    uint32_t length;
    uint16_t *s, *d;
    char *work;
    size_t work_bytes; /* of a thread */
} rows_job;

static void schedule_row(void *user, int64_t task, int thread)
{
    const rows_job *job = user;
    uint32_t n = job->length;
    size_t at = (size_t)task * schedule_pitch(n);
    colour_edge *edges = (colour_edge *)(job->work + (size_t)thread * job->work_bytes);
    uint32_t *words = (uint32_t *)(edges + SCHEDULE_EDGES(n));
    uint16_t *p = (uint16_t *)(words + SCHEDULE_WORDS(n, BANKS)), *s = p + n, *d = s + n;
    for (uint32_t k = 0; k < n; k++) {
        uint16_t entry = job->table[at + schedule_place(k)];
        p[job->inverse ? entry : k] = (uint16_t)(job->inverse ? k : entry);
    }
    schedule_build(p, n, BANKS, s, d, edges, words);
    for (uint32_t k = 0; k < n; k++) {
        job->s[at + schedule_place(k)] = s[k];
        job->d[at + schedule_place(k)] = d[k];
    }
}

satf_status permute_schedule_rows(satf_context *ctx, const uint16_t *table, bool inverse,
                                  int64_t rows, uint32_t length, uint16_t *s, uint16_t *d)
{
    size_t each = satf_align64(SCHEDULE_EDGES(length) * sizeof(colour_edge) +
                               SCHEDULE_WORDS(length, BANKS) * sizeof(uint32_t) +
                               3 * (size_t)length * sizeof(uint16_t));
    size_t bytes = each * (size_t)satf_thread_count(ctx);
    rows_job job = {table, inverse, length, s, d, satf_alloc(bytes), each};
    if (!job.work) {
        return satf_fail_memory(ctx, bytes, "schedules in the making");
    }
    satf_parallel(ctx, rows, schedule_row, &job);
    satf_free(job.work);
    return SATF_OK;
}
