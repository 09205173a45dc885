/* The steps on the host, by threads: each row, tile or stretch is a task. */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "permute.h"

enum { STRETCH = 1 << 14, TILE = 64 };

typedef struct job {
    const void *in;
    void *out;
    const uint32_t *table;
    const uint16_t *s, *d;
    int64_t n, rows, columns, tiles_x;
    uint32_t length, piece;
    char *work;
} job;

size_t permute_work_bytes(const satf_context *ctx, uint32_t length, int element_bytes)
{
    return satf_align64((size_t)length * (size_t)element_bytes) * (size_t)satf_thread_count(ctx);
}

/* X(E, bytes) for both sizes of elements: one set of tasks each. */
#define SCATTER(E, bytes)                                                        \
    static void scatter_##bytes(void *user, int64_t task, int thread)            \
    {                                                                            \
        const job *j = user;                                                     \
        const E *in = j->in;                                                     \
        E *out = j->out;                                                         \
        (void)thread;                                                            \
        int64_t end = (task + 1) * STRETCH < j->n ? (task + 1) * STRETCH : j->n; \
        for (int64_t i = task * STRETCH; i < end; i++) {                         \
            out[j->table[i]] = in[i];                                            \
        }                                                                        \
    }

#define GATHER(E, bytes)                                                         \
    static void gather_##bytes(void *user, int64_t task, int thread)             \
    {                                                                            \
        const job *j = user;                                                     \
        const E *in = j->in;                                                     \
        E *out = j->out;                                                         \
        (void)thread;                                                            \
        int64_t end = (task + 1) * STRETCH < j->n ? (task + 1) * STRETCH : j->n; \
        for (int64_t i = task * STRETCH; i < end; i++) {                         \
            out[i] = in[j->table[i]];                                            \
        }                                                                        \
    }

#define TRANSPOSE(E, bytes)                                                   \
    static void transpose_##bytes(void *user, int64_t task, int thread)       \
    {                                                                         \
        const job *j = user;                                                  \
        const E *in = j->in;                                                  \
        E *out = j->out;                                                      \
        (void)thread;                                                         \
        int64_t x0 = task % j->tiles_x * TILE, y0 = task / j->tiles_x * TILE; \
        int64_t x1 = x0 + TILE < j->columns ? x0 + TILE : j->columns;         \
        int64_t y1 = y0 + TILE < j->rows ? y0 + TILE : j->rows;               \
        for (int64_t x = x0; x < x1; x++) {                                   \
            for (int64_t y = y0; y < y1; y++) {                               \
                out[x * j->rows + y] = in[y * j->columns + x];                \
            }                                                                 \
        }                                                                     \
    }

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

#define TASKS(X) X(SCATTER) X(GATHER) X(TRANSPOSE) X(ROW) X(SPREAD) X(COLLECT)
#define BOTH(TASK) TASK(uint32_t, 4) TASK(uint64_t, 8)
TASKS(BOTH)

typedef void task_body(void *user, int64_t task, int thread);

static satf_status run(const permute_call *call, int64_t tasks, task_body *of_4, task_body *of_8,
                       job *j)
{
    j->work = call->work;
    satf_parallel(call->ctx, tasks, call->element_bytes == 4 ? of_4 : of_8, j);
    return SATF_OK;
}

static satf_status scatter(const permute_call *call, const void *in, void *out, const uint32_t *p,
                           int64_t n)
{
    job j = {.in = in, .out = out, .table = p, .n = n};
    return run(call, (n - 1) / STRETCH + 1, scatter_4, scatter_8, &j);
}

static satf_status gather(const permute_call *call, const void *in, void *out, const uint32_t *q,
                          int64_t n)
{
    job j = {.in = in, .out = out, .table = q, .n = n};
    return run(call, (n - 1) / STRETCH + 1, gather_4, gather_8, &j);
}

static satf_status transpose(const permute_call *call, const void *in, void *out, int64_t rows,
                             int64_t columns)
{
    job j = {.in = in,
             .out = out,
             .rows = rows,
             .columns = columns,
             .tiles_x = (columns - 1) / TILE + 1};
    return run(call, j.tiles_x * ((rows - 1) / TILE + 1), transpose_4, transpose_8, &j);
}

static satf_status rows(const permute_call *call, const void *in, void *out, const uint16_t *s,
                        const uint16_t *d, int64_t count, uint32_t length)
{
    job j = {.in = in, .out = out, .s = s, .d = d, .length = length};
    return run(call, count, row_4, row_8, &j);
}

static satf_status spread(const permute_call *call, const void *in, void *out, const uint16_t *d,
                          int64_t count, uint32_t length, uint32_t piece)
{
    job j = {.in = in, .out = out, .d = d, .rows = count, .length = length, .piece = piece};
    return run(call, count, spread_4, spread_8, &j);
}

static satf_status collect(const permute_call *call, const void *in, void *out, const uint16_t *s,
                           int64_t count, uint32_t length)
{
    job j = {.in = in, .out = out, .s = s, .length = length};
    return run(call, count, collect_4, collect_8, &j);
}

const permute_steps permute_host_steps = {scatter, gather, transpose, rows, spread, collect};
