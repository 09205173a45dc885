/* The algorithms, an entry each: how a permutation is planned, and the steps that do it. */
#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "permute.h"

satf_status permute_add_table(satf_context *ctx, satf_permutation *plan, size_t bytes, void **table)
{
    size_t all = bytes;
    int i = 0;
    for (; plan->table[i]; i++) {
        all += plan->table_bytes[i];
    }
    if (all > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "the tables of a permutation need %zu bytes or more, above the limit of "
                         "%lld bytes (limit: max-memory)",
                         all, (long long)ctx->settings.max_bytes);
    }
    *table = plan->table[i] = satf_alloc(bytes);
    plan->table_bytes[i] = bytes;
    return *table ? SATF_OK : satf_fail_memory(ctx, bytes, "a table of a permutation");
}

/* A table of 16-bit entries for rows of that length; the plan's next one. */
static satf_status add_schedule(satf_context *ctx, satf_permutation *plan, uint32_t rows,
                                uint32_t length, uint16_t **schedule)
{
    void *table;
    satf_status status = permute_add_table(
        ctx, plan, (size_t)rows * schedule_pitch(length) * sizeof(uint16_t), &table);
    *schedule = status ? NULL : table;
    return status;
}

/* Two such tables: s and d of the step `rows`. */
static satf_status add_schedules(satf_context *ctx, satf_permutation *plan, uint32_t rows,
                                 uint32_t length, uint16_t **s, uint16_t **d)
{
    satf_status status = add_schedule(ctx, plan, rows, length, s);
    return status ? status : add_schedule(ctx, plan, rows, length, d);
}

/* ---------------------------------------------------------------- designated */

typedef struct inversion {
    const uint32_t *p;
    uint32_t *q;
    int64_t n;
} inversion;

enum { STRETCH = 1 << 16 };

static void permute_invert(void *user, int64_t task, int thread)
{
    (void)thread;
    const inversion *v = user;
    int64_t end = (task + 1) * STRETCH < v->n ? (task + 1) * STRETCH : v->n;
    for (int64_t i = task * STRETCH; i < end; i++) {
        v->q[v->p[i]] = (uint32_t)i;
    }
}

static satf_status plan_to(satf_context *ctx, const permute_request *r, satf_permutation *plan)
{
    void *p;
    size_t bytes = (size_t)r->n * sizeof *r->p;
    satf_status status = permute_add_table(ctx, plan, bytes, &p);
    if (!status) {
        memcpy(p, r->p, bytes);
    }
    return status;
}

static satf_status run_to(const satf_permutation *plan, const permute_call *call,
                          const permute_steps *steps, const void *in, void *out, void *between)
{
    (void)between;
    return steps->scatter(call, in, out, plan->table[0], plan->n);
}

static satf_status plan_from(satf_context *ctx, const permute_request *r, satf_permutation *plan)
{
    void *q;
    satf_status status = permute_add_table(ctx, plan, (size_t)r->n * sizeof *r->p, &q);
    if (!status) {
        inversion v = {r->p, q, r->n};
        satf_parallel(ctx, (r->n - 1) / STRETCH + 1, permute_invert, &v);
    }
    return status;
}

static satf_status run_from(const satf_permutation *plan, const permute_call *call,
                            const permute_steps *steps, const void *in, void *out, void *between)
{
    (void)between;
    return steps->gather(call, in, out, plan->table[0], plan->n);
}

/* ----------------------------------------------------------------- transpose */

static satf_status plan_transpose(satf_context *ctx, const permute_request *r,
                                  satf_permutation *plan)
{
    int64_t rows = r->n > 1 ? r->p[1] : 1;
    bool is = rows > 0 && r->n % rows == 0;
    int64_t columns = is ? r->n / rows : 1;
    for (int64_t y = 0, i = 0; y < rows && is; y++) {
        for (int64_t x = 0; x < columns && is; x++, i++) {
            is = r->p[i] == x * rows + y;
        }
    }
    if (!is) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "the permutation is not the transpose of a matrix");
    }
    plan->shape = (permute_shape){.rows = (uint32_t)rows, .length = (uint32_t)columns};
    return SATF_OK;
}

static satf_status permute_run_transpose(const satf_permutation *plan, const permute_call *call,
                                         const permute_steps *steps, const void *in, void *out,
                                         void *between)
{
    (void)between;
    return steps->transpose(call, in, out, plan->shape.rows, plan->shape.length);
}

/* ------------------------------------------------------- row- and column-wise */

enum { LEAST = 32 };

/* The least length from 1024 up, else the largest below, among the multiples of 32 that divide n,
 * fit a row, and suit(); 0 if there is none. */
static uint32_t choose_length(const permute_request *r, bool (*suits)(const void *, int64_t),
                              const void *user)
{
    uint32_t best = 0;
    for (int64_t length = LEAST; length * r->element_bytes <= PERMUTE_ROW_BYTES; length += LEAST) {
        if (r->n % length == 0 && (best < 1024) && suits(user, length)) {
            best = (uint32_t)length;
        }
    }
    return best;
}

/* Makes s and d for `rows` rows of that length, whose permutations at() gives. */
static satf_status plan_rows(satf_context *ctx, satf_permutation *plan, const permute_request *r,
                             bool columns)
{
    uint32_t length = columns ? plan->shape.rows : plan->shape.length;
    uint32_t rows = columns ? plan->shape.length : plan->shape.rows;
    size_t bytes = (size_t)rows * schedule_pitch(length) * sizeof(uint16_t);
    uint16_t *s, *d;
    satf_status status = add_schedules(ctx, plan, rows, length, &s, &d);
    if (status) {
        return status;
    }
    uint16_t *p = satf_alloc(bytes);
    if (!p) {
        return satf_fail_memory(ctx, bytes, "a schedule in the making");
    }
    size_t pitch = schedule_pitch(length);
    for (int64_t i = 0; i < r->n; i++) {
        uint32_t y = (uint32_t)(i / plan->shape.length), x = (uint32_t)(i % plan->shape.length);
        if (columns) {
            p[x * pitch + schedule_place(y)] = (uint16_t)(r->p[i] / plan->shape.length);
        } else {
            p[y * pitch + schedule_place(x)] = (uint16_t)(r->p[i] % plan->shape.length);
        }
    }
    status = permute_schedule_rows(ctx, p, false, rows, length, s, d);
    satf_free(p);
    return status;
}

/* cut[i]: the elements before i stay before i. */
typedef struct cuts {
    const uint8_t *cut;
    int64_t n;
} cuts;

static bool keeps_rows(const void *user, int64_t length)
{
    const cuts *c = user;
    for (int64_t i = length; i < c->n; i += length) {
        if (!c->cut[i]) {
            return false;
        }
    }
    return true;
}

static satf_status plan_row_wise(satf_context *ctx, const permute_request *r,
                                 satf_permutation *plan)
{
    uint8_t *cut = satf_alloc((size_t)r->n);
    if (!cut) {
        return satf_fail_memory(ctx, (size_t)r->n, "a search for rows");
    }
    uint32_t end = 0;
    for (int64_t i = 0; i < r->n; i++) {
        cut[i] = end <= (uint64_t)i;
        end = r->p[i] >= end ? r->p[i] + 1 : end;
    }
    cuts c = {cut, r->n};
    uint32_t length = choose_length(r, keeps_rows, &c);
    satf_free(cut);
    if (!length) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the permutation leaves no rows of a multiple of 32 elements, at most "
                         "%d, to themselves",
                         (int)PERMUTE_ROW_BYTES / r->element_bytes);
    }
    plan->shape = (permute_shape){.rows = (uint32_t)(r->n / length), .length = length};
    return plan_rows(ctx, plan, r, false);
}

static satf_status run_row_wise(const satf_permutation *plan, const permute_call *call,
                                const permute_steps *steps, const void *in, void *out,
                                void *between)
{
    (void)between;
    return steps->rows(call, in, out, plan->table[0], plan->table[1], plan->shape.rows,
                       plan->shape.length);
}

/* Elements stay in their columns if the matrix's width divides all p[i] - i. */
typedef struct widths {
    int64_t n, common;
} widths;

static bool keeps_columns(const void *user, int64_t height)
{
    const widths *w = user;
    int64_t width = w->n / height;
    return width % LEAST == 0 && w->common % width == 0;
}

static satf_status plan_column_wise(satf_context *ctx, const permute_request *r,
                                    satf_permutation *plan)
{
    widths w = {r->n, r->n};
    for (int64_t i = 0; i < r->n && w.common > 1; i++) {
        int64_t a = w.common, b = r->p[i] > i ? r->p[i] - i : i - r->p[i];
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        w.common = a;
    }
    uint32_t height = choose_length(r, keeps_columns, &w);
    if (!height) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the permutation leaves no columns of a multiple of 32 elements, at most "
                         "%d, to themselves",
                         (int)PERMUTE_ROW_BYTES / r->element_bytes);
    }
    plan->shape = (permute_shape){.rows = height, .length = (uint32_t)(r->n / height)};
    return plan_rows(ctx, plan, r, true);
}

/* The transpose of a matrix, its rows' permutation, and the transpose back. */
static satf_status by_columns(const permute_call *call, const permute_steps *steps, const void *in,
                              void *out, void *between, const uint16_t *s, const uint16_t *d,
                              uint32_t rows, uint32_t length)
{
    satf_status status = steps->transpose(call, in, between, rows, length);
    if (!status) {
        status = steps->rows(call, between, between, s, d, length, rows);
    }
    return status ? status : steps->transpose(call, between, out, length, rows);
}

static satf_status run_column_wise(const satf_permutation *plan, const permute_call *call,
                                   const permute_steps *steps, const void *in, void *out,
                                   void *between)
{
    return by_columns(call, steps, in, out, between, plan->table[0], plan->table[1],
                      plan->shape.rows, plan->shape.length);
}

/* ---------------------------------------------------------- scheduled, fused */

/* Makes the three permutations of rows, as the plan's next tables; r->length 0: of rows, chosen. */
static satf_status plan_three(satf_context *ctx, const permute_request *r, bool pieces,
                              satf_permutation *plan)
{
    permute_shape *s = &plan->shape;
    uint16_t *slots[3];
    satf_status status = permute_choose_shape(ctx, r, pieces, s);
    for (int i = 0; i < 3 && !status; i++) {
        status = add_schedule(ctx, plan, i == 1 ? s->middle_rows : s->rows,
                              i == 1 ? s->middle_length : s->length, &slots[i]);
    }
    return status ? status : permute_colour(ctx, r, s, slots[0], slots[1], slots[2]);
}

static satf_status plan_fused(satf_context *ctx, const permute_request *r, satf_permutation *plan)
{
    return plan_three(ctx, r, true, plan);
}

static satf_status run_fused(const satf_permutation *plan, const permute_call *call,
                             const permute_steps *steps, const void *in, void *out, void *between)
{
    const permute_shape *s = &plan->shape;
    satf_status status =
        steps->spread(call, in, between, plan->table[0], s->rows, s->length, s->piece);
    if (!status) {
        status = steps->spread(call, between, out, plan->table[1], s->middle_rows, s->middle_length,
                               s->piece);
    }
    return status ? status : steps->collect(call, out, out, plan->table[2], s->rows, s->length);
}

/* Plans the three permutations as row-wise ones of a conflict-free schedule each. */
static satf_status plan_scheduled(satf_context *ctx, const permute_request *r,
                                  satf_permutation *plan)
{
    permute_request request = *r;
    satf_permutation three = {0};
    const permute_shape *shape = &plan->shape;
    request.length = 0;
    satf_status status = plan_three(ctx, &request, false, &three);
    plan->shape = three.shape;
    for (int i = 0; i < 3 && !status; i++) {
        uint32_t rows = i == 1 ? shape->middle_rows : shape->rows;
        uint32_t length = i == 1 ? shape->middle_length : shape->length;
        uint16_t *s, *d;
        status = add_schedules(ctx, plan, rows, length, &s, &d);
        if (!status) {
            status = permute_schedule_rows(ctx, three.table[i], i == 2, rows, length, s, d);
        }
    }
    for (int i = 0; i < 3; i++) {
        satf_free(three.table[i]);
    }
    return status;
}

static satf_status run_scheduled(const satf_permutation *plan, const permute_call *call,
                                 const permute_steps *steps, const void *in, void *out,
                                 void *between)
{
    uint32_t rows = plan->shape.rows, length = plan->shape.length;
    void *const *t = plan->table;
    satf_status status = steps->rows(call, in, out, t[0], t[1], rows, length);
    if (!status) {
        status = by_columns(call, steps, out, out, between, t[2], t[3], rows, length);
    }
    return status ? status : steps->rows(call, out, out, t[4], t[5], rows, length);
}

/* -------------------------------------------------------------------- table */

static const permute_algorithm algorithms[] = {
    {"d-designated", "each element to its place, wherever that is", plan_to, false, run_to},
    {"s-designated", "each place from its element, wherever that is", plan_from, false, run_from},
    {"transpose", "transposes of matrices, in tiles", plan_transpose, false, permute_run_transpose},
    {"row-wise", "permutations within rows, in shared memory", plan_row_wise, false, run_row_wise},
    {"column-wise", "within columns: transpose, row-wise, transpose", plan_column_wise, true,
     run_column_wise},
    {"scheduled", "any: row-wise, column-wise, row-wise; five kernels", plan_scheduled, true,
     run_scheduled},
    {"fused", "any: the same with the transposes within; three kernels", plan_fused, true,
     run_fused},
};

const permute_algorithm *permute_algorithm_at(size_t index)
{
    return index < sizeof algorithms / sizeof *algorithms ? &algorithms[index] : NULL;
}
