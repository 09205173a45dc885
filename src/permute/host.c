/* The steps on the host, by threads: each row, tile or stretch is a task. */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../move/move.h"
#include "permute.h"

enum { STRETCH = 1 << 14, BLOCK = 256 };

typedef struct job {
    const void *in;
    void *out;
    const uint32_t *table;
    const uint16_t *s, *d;
    int64_t n, rows, columns, blocks_x;
    uint32_t length, piece;
    satf_type type; /* of as many bytes as an element */
    char *work;
} job;

size_t permute_work_bytes(const satf_context *ctx, uint32_t length, int element_bytes)
{
    return satf_align64((size_t)length * (size_t)element_bytes) * (size_t)satf_thread_count(ctx);
}

/* X(E, bytes) for both sizes of elements: one set of tasks each. */
#define STRETCHES(name, E, bytes, move)                                          \
    static void name##_##bytes(void *user, int64_t task, int thread)             \
    {                                                                            \
        const job *j = user;                                                     \
        const E *in = j->in;                                                     \
        E *out = j->out;                                                         \
        (void)thread;                                                            \
        int64_t end = (task + 1) * STRETCH < j->n ? (task + 1) * STRETCH : j->n; \
        for (int64_t i = task * STRETCH; i < end; i++) {                         \
            move;                                                                \
        }                                                                        \
    }

#define SCATTER(E, bytes) STRETCHES(scatter, E, bytes, out[j->table[i]] = in[i])
#define GATHER(E, bytes) STRETCHES(gather, E, bytes, out[i] = in[j->table[i]])

/* A thread's row is made in memory of its own, so in may be out. */
#define ROW(E, bytes)                                                            \
    static void row_##bytes(void *user, int64_t task, int thread)                \
    {                                                                            \
        const job *j = user;                                                     \
        uint32_t n = j->length;                                                  \
        size_t at = (size_t)task * schedule_pitch(n), row_bytes = n * sizeof(E); \
        const E *in = (const E *)j->in + task * n;                               \
        E *row = (E *)(j->work + (size_t)thread * satf_align64(row_bytes));      \
        const uint16_t *s = j->s + at, *d = j->d + at;                           \
        for (uint32_t k = 0; k < n; k++) {                                       \
            row[d[schedule_place(k)]] = in[s[schedule_place(k)]];                \
        }                                                                        \
        memcpy((E *)j->out + task * n, row, row_bytes);                          \
    }

#define SPREAD(E, bytes)                                                        \
    static void spread_##bytes(void *user, int64_t task, int thread)            \
    {                                                                           \
        const job *j = user;                                                    \
        uint32_t n = j->length, piece = j->piece;                               \
        const E *in = (const E *)j->in + task * n;                              \
        E *row = (E *)(j->work + (size_t)thread * satf_align64(n * sizeof(E))); \
        const uint16_t *d = j->d + (size_t)task * schedule_pitch(n);            \
        for (uint32_t k = 0; k < n; k++) {                                      \
            row[d[schedule_place(k)]] = in[k];                                  \
        }                                                                       \
        E *out = (E *)j->out + task * piece;                                    \
        for (uint32_t k = 0; k < n; k += piece, out += j->rows * piece) {       \
            memcpy(out, row + k, piece * sizeof(E));                            \
        }                                                                       \
    }

#define COLLECT(E, bytes)                                                       \
    static void collect_##bytes(void *user, int64_t task, int thread)           \
    {                                                                           \
        const job *j = user;                                                    \
        uint32_t n = j->length;                                                 \
        const E *in = (const E *)j->in + task * n;                              \
        E *row = (E *)(j->work + (size_t)thread * satf_align64(n * sizeof(E))); \
        const uint16_t *s = j->s + (size_t)task * schedule_pitch(n);            \
        for (uint32_t k = 0; k < n; k++) {                                      \
            row[k] = in[s[schedule_place(k)]];                                  \
        }                                                                       \
        memcpy((E *)j->out + task * n, row, n * sizeof(E));                     \
    }

#define TASKS(X) X(SCATTER) X(GATHER) X(ROW) X(SPREAD) X(COLLECT)
#define BOTH(TASK) TASK(uint32_t, 4) TASK(uint64_t, 8)
TASKS(BOTH)

/* Transposes by the kernels that move pixels, whatever an element means. */
static void transpose_block(void *user, int64_t task, int thread)
{
    (void)thread;
    const job *j = user;
    int64_t x = task % j->blocks_x * BLOCK, y = task / j->blocks_x * BLOCK;
    int64_t bytes = (int64_t)satf_type_bytes(j->type);
    satf_view in = satf_view_packed((char *)j->in + (y * j->columns + x) * bytes,
                                    j->columns - x < BLOCK ? j->columns - x : BLOCK,
                                    j->rows - y < BLOCK ? j->rows - y : BLOCK, 1, j->type);
    in.stride = j->columns * bytes;
    move_job move = {.in = in, .symmetry = MOVE_TRANSPOSE};
    move_rows(&move, 0, in.width, (char *)j->out + (x * j->rows + y) * bytes, j->rows * bytes);
}

typedef void task_body(void *user, int64_t task, int thread);

static satf_status permute_host_run(const permute_call *call, int64_t tasks, task_body *of_4,
                                    task_body *of_8, job *j)
{
    j->work = call->work;
    j->type = call->element_bytes == 4 ? SATF_U32 : SATF_U64;
    satf_parallel(call->ctx, tasks, call->element_bytes == 4 ? of_4 : of_8, j);
    return SATF_OK;
}

static satf_status scatter(const permute_call *call, const void *in, void *out, const uint32_t *p,
                           int64_t n)
{
    job j = {.in = in, .out = out, .table = p, .n = n};
    return permute_host_run(call, (n - 1) / STRETCH + 1, scatter_4, scatter_8, &j);
}

static satf_status permute_host_gather(const permute_call *call, const void *in, void *out,
                                       const uint32_t *q, int64_t n)
{
    job j = {.in = in, .out = out, .table = q, .n = n};
    return permute_host_run(call, (n - 1) / STRETCH + 1, gather_4, gather_8, &j);
}

static satf_status permute_host_transpose(const permute_call *call, const void *in, void *out,
                                          int64_t rows, int64_t columns)
{
    job j = {.in = in,
             .out = out,
             .rows = rows,
             .columns = columns,
             .blocks_x = (columns - 1) / BLOCK + 1};
    return permute_host_run(call, j.blocks_x * ((rows - 1) / BLOCK + 1), transpose_block,
                            transpose_block, &j);
}

static satf_status rows(const permute_call *call, const void *in, void *out, const uint16_t *s,
                        const uint16_t *d, int64_t count, uint32_t length)
{
    job j = {.in = in, .out = out, .s = s, .d = d, .length = length};
    return permute_host_run(call, count, row_4, row_8, &j);
}

static satf_status permute_host_spread(const permute_call *call, const void *in, void *out,
                                       const uint16_t *d, int64_t count, uint32_t length,
                                       uint32_t piece)
{
    job j = {.in = in, .out = out, .d = d, .rows = count, .length = length, .piece = piece};
    return permute_host_run(call, count, spread_4, spread_8, &j);
}

static satf_status collect(const permute_call *call, const void *in, void *out, const uint16_t *s,
                           int64_t count, uint32_t length)
{
    job j = {.in = in, .out = out, .s = s, .length = length};
    return permute_host_run(call, count, collect_4, collect_8, &j);
}

const permute_steps permute_host_steps = {scatter, permute_host_gather, permute_host_transpose,
                                          rows,    permute_host_spread, collect};
