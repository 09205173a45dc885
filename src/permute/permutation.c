/* The public functions of permutations. */
#include <inttypes.h>
#include <string.h>

#include "bijection.h"
#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "permute.h"

/* ------------------------------------------------------------- the argument */

static satf_status check_bijection(satf_context *ctx, const uint32_t *p, int64_t n)
{
    int64_t i;
    satf_status status = satf_bijection_check(ctx, p, n, "the check of a permutation", &i);
    if (status) {
        return status;
    }
    if (i == n) {
        return SATF_OK;
    }
    if (p[i] >= n) {
        return satf_fail(ctx, SATF_INVALID,
                         "this is no permutation: element %" PRId64 " goes to place %" PRIu32
                         ", but there are only 0 to %" PRId64,
                         i, p[i], n - 1);
    }
    return satf_fail(ctx, SATF_INVALID,
                     "this is no permutation: element %" PRId64 " goes to place %" PRIu32
                     ", and another one too",
                     i, p[i]);
}

/* ------------------------------------------------------------------- choice */

static const permute_algorithm *permutation_find_algorithm(const char *name)
{
    const permute_algorithm *algorithm = NULL;
    for (size_t i = 0;
         (algorithm = permute_algorithm_at(i)) != NULL && strcmp(algorithm->name, name) != 0; i++) {
    }
    return algorithm;
}

/* Frees the plan's tables on the host, so that another algorithm may plan. */
static void drop_tables(satf_permutation *plan)
{
    for (int i = 0; i < PERMUTE_MAX_TABLES; i++) {
        satf_free(plan->table[i]);
        plan->table[i] = NULL;
    }
}

static satf_status plan_by(satf_context *ctx, const char *name, const permute_request *request,
                           satf_permutation *plan)
{
    plan->algorithm = permutation_find_algorithm(name);
    satf_status status = plan->algorithm->plan(ctx, request, plan);
    if (status) {
        drop_tables(plan);
    }
    return status;
}

enum {
    FETCHED_BYTES = 64,             /* what a device's memory delivers at least */
    SECTOR_BYTES = 32,              /* and what it writes at once */
    SAMPLES = 4096,                 /* warps that are looked at */
    CACHED_BYTES = 32 * 1024 * 1024 /* arrays whose casual reads the device's caches serve */
};

/* Bytes that s-designated moves for an element, by a sample of its warps; q: its table. */
static double casual_bytes(const permute_request *r, const uint32_t *q)
{
    uint32_t fetched_elems = FETCHED_BYTES / (uint32_t)r->element_bytes;
    int64_t warps = r->n / 32, step = warps > SAMPLES ? warps / SAMPLES : 1, fetched = 0, seen = 0;
    for (int64_t warp = 0; warp < warps; warp += step, seen += 32) {
        uint32_t place[32], found = 0;
        for (int64_t i = warp * 32; i < warp * 32 + 32; i++) {
            uint32_t here = q[i] / fetched_elems, j = 0;
            while (j < found && place[j] != here) {
                j++;
            }
            place[found] = here;
            found += j == found;
        }
        fetched += found;
    }
    return 4 + r->element_bytes + (seen ? (double)fetched * FETCHED_BYTES / (double)seen : 0);
}

/* Whether rows or columns are so short that most of a tile of the transpose is unused. */
static bool is_thin(const satf_permutation *plan)
{
    const permute_shape *s = &plan->shape;
    return strcmp(plan->algorithm->name, "transpose") == 0 && (s->rows < 32 || s->length < 32);
}

bool permute_writes_short(satf_context *ctx, const permute_request *request)
{
    permute_shape shape, instead;
    return permute_choose_shape(ctx, request, true, &shape) == SATF_OK &&
           (int64_t)shape.piece * request->element_bytes < SECTOR_BYTES &&
           permute_choose_shape(ctx, request, false, &instead) == SATF_OK;
}

/* On the host casual reads cost less than three passes, but more than tiles do; on a device the
 * bytes that are moved decide. */
satf_status permute_choose(satf_context *ctx, const permute_request *request, bool on_device,
                           satf_permutation *plan)
{
    static const char *const special[] = {"transpose", "row-wise", "fused", "scheduled"};
    double fused_bytes = 3 * (2 * request->element_bytes + 2);
    size_t count = on_device ? sizeof special / sizeof *special : 1;
    satf_status status;
    if (on_device) {
        status = plan_by(ctx, "s-designated", request, plan);
        bool cached = request->n * request->element_bytes <= CACHED_BYTES;
        bool too_large = status == SATF_LIMIT && !cached; /* others may need no such table */
        if (!too_large &&
            (status || cached || casual_bytes(request, plan->table[0]) <= fused_bytes)) {
            return status;
        }
        drop_tables(plan);
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(special[i], "fused") == 0 && permute_writes_short(ctx, request)) {
            continue;
        }
        status = plan_by(ctx, special[i], request, plan);
        if (status != SATF_UNSUPPORTED && (status || !is_thin(plan))) {
            return status;
        }
        plan->shape = (permute_shape){0};
    }
    return plan_by(ctx, "s-designated", request, plan);
}

/* --------------------------------------------------------------------- plans */

static satf_status permutation_upload(satf_context *ctx, satf_permutation *plan, int device)
{
    satf_status status = SATF_OK;
    void *device_tables[PERMUTE_MAX_TABLES] = {0};
    for (int i = 0; i < PERMUTE_MAX_TABLES && plan->table[i] && !status; i++) {
        status = satf_cuda()->table_keep(ctx, device, plan->table[i], plan->table_bytes[i],
                                         &device_tables[i]);
    }
    if (status) {
        for (int i = 0; i < PERMUTE_MAX_TABLES && device_tables[i]; i++) {
            satf_cuda()->table_drop(device_tables[i]);
        }
        return status;
    }
    drop_tables(plan);
    memcpy(plan->table, device_tables, sizeof device_tables);
    plan->device = device;
    return SATF_OK;
}

satf_status permute_create(satf_context *ctx, const permute_request *request, int device,
                           const char *algorithm, satf_permutation **out)
{
    satf_permutation *plan = satf_alloc_zeroed(sizeof *plan);
    if (!plan) {
        return satf_fail_memory(ctx, sizeof *plan, "a permutation");
    }
    plan->n = request->n;
    plan->element_bytes = request->element_bytes;
    plan->device = SATF_HOST;
    plan->tile.layout = LAYOUT_DIAGONAL;
    satf_status status = device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, device);
    if (!status) {
        status = strcmp(algorithm, "auto") == 0
                     ? permute_choose(ctx, request, device != SATF_HOST, plan)
                     : plan_by(ctx, algorithm, request, plan);
    }
    if (!status && device != SATF_HOST) {
        status = permutation_upload(ctx, plan, device);
    }
    if (status) {
        satf_permutation_destroy(plan);
        return status;
    }
    *out = plan;
    return SATF_OK;
}

static satf_status permutation_prepare(satf_context *ctx, const uint32_t *places, int64_t n,
                                       int element_bytes, int device, const char *algorithm,
                                       satf_permutation **out)
{
    if (!out) {
        return satf_fail(ctx, SATF_INVALID, "there is no place for the permutation");
    }
    *out = NULL;
    if (!places) {
        return satf_fail(ctx, SATF_INVALID, "the places of the elements are missing");
    }
    /* A schedule takes less than 64 bytes an element: so many fit addresses of 32 bits too. */
    const int64_t most =
        SATF_MAX_PERMUTATION < SIZE_MAX / 64 ? SATF_MAX_PERMUTATION : (int64_t)(SIZE_MAX / 64);
    if (n < 1 || n > most) {
        return satf_fail(ctx, SATF_INVALID,
                         "%" PRId64 " elements cannot be permuted; 1 to %" PRId64 " can", n, most);
    }
    if (element_bytes != 4 && element_bytes != 8) {
        return satf_fail(ctx, SATF_INVALID,
                         "elements of %d bytes cannot be permuted; those of 4 and 8 can",
                         element_bytes);
    }
    if (device < SATF_HOST) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no device %d: %d (host) and, for CUDA devices, numbers from %d "
                         "are possible",
                         device, SATF_HOST, SATF_CUDA(0));
    }
    if (!algorithm || (strcmp(algorithm, "auto") != 0 && !permutation_find_algorithm(algorithm))) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no permutation algorithm '%.*s'; see "
                         "satf_permutation_algorithm()",
                         SATF_MOST(algorithm ? algorithm : "", 40));
    }
    satf_status status = check_bijection(ctx, places, n);
    permute_request request = {places, n, element_bytes, 0};
    return status ? status : permute_create(ctx, &request, device, algorithm, out);
}

satf_status satf_permutation_create(satf_context *ctx, const uint32_t *places, int64_t n,
                                    int element_bytes, int device, const char *algorithm,
                                    satf_permutation **out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_progress_none(ctx);
    return satf_gpu_leave(
        ctx, permutation_prepare(ctx, places, n, element_bytes, device, algorithm, out));
}

void satf_permutation_destroy(satf_permutation *permutation)
{
    if (!permutation) {
        return;
    }
    if (permutation->device == SATF_HOST) {
        drop_tables(permutation);
    } else {
        for (int i = 0; i < PERMUTE_MAX_TABLES && permutation->table[i]; i++) {
            satf_cuda()->table_drop(permutation->table[i]);
        }
    }
    satf_free(permutation);
}

const char *satf_permutation_algorithm(size_t index, const char **help)
{
    const permute_algorithm *algorithm = permute_algorithm_at(index);
    if (algorithm && help) {
        *help = algorithm->help;
    }
    return algorithm ? algorithm->name : NULL;
}

const char *satf_permutation_choice(const satf_permutation *permutation)
{
    return permutation ? permutation->algorithm->name : NULL;
}

/* ------------------------------------------------------------------ applying */

enum { SCRATCH_SLACK = 63 };

/* The bytes of the array between two steps, aligned; behind it lie rows in the making. */
static size_t between_bytes(const satf_permutation *plan)
{
    return plan->algorithm->scratch ? satf_align64((size_t)plan->n * (size_t)plan->element_bytes)
                                    : 0;
}

static size_t scratch_bytes(const satf_context *ctx, const satf_permutation *plan)
{
    const permute_shape *s = &plan->shape;
    uint32_t longest = s->length > s->middle_length ? s->length : s->middle_length;
    longest = s->rows > longest ? s->rows : longest; /* a row of the transpose */
    bool by_rows = plan->device == SATF_HOST && plan->table[1];
    size_t bytes = between_bytes(plan);
    if (by_rows) { /* none is longer than PERMUTE_ROW_BYTES, whatever the matrix */
        uint32_t most = PERMUTE_ROW_BYTES / (uint32_t)plan->element_bytes;
        bytes += permute_work_bytes(ctx, longest < most ? longest : most, plan->element_bytes);
    }
    return bytes ? bytes + SCRATCH_SLACK : 0;
}

satf_status satf_permutation_scratch(satf_context *ctx, const satf_permutation *permutation,
                                     size_t *bytes)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!permutation || !bytes) {
        return satf_fail(ctx, SATF_INVALID, "there is no %s",
                         permutation ? "place for the number of bytes" : "permutation");
    }
    *bytes = scratch_bytes(ctx, permutation);
    return SATF_OK;
}

satf_status permute_run(satf_context *ctx, const satf_permutation *plan, const void *in, void *out,
                        void *scratch)
{
    bool host = plan->device == SATF_HOST;
    uintptr_t start = ((uintptr_t)scratch + SCRATCH_SLACK) & ~(uintptr_t)SCRATCH_SLACK;
    char *between = scratch ? (char *)scratch + (start - (uintptr_t)scratch) : NULL;
    permute_call call = {ctx, plan->element_bytes,
                         host && scratch ? between + between_bytes(plan) : NULL, &plan->tile};
    return plan->algorithm->run(plan, &call, host ? &permute_host_steps : satf_cuda()->steps(), in,
                                out, between);
}

/* Runs the plan with scratch of the call's own. */
static satf_status run_allocating(satf_context *ctx, const satf_permutation *plan, const void *in,
                                  void *out, size_t bytes)
{
    void *scratch = NULL;
    satf_status status = SATF_OK;
    if (plan->device == SATF_HOST && bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "a permutation's scratch needs %zu bytes, above the limit of %lld bytes "
                         "(limit: max-memory)",
                         bytes, (long long)ctx->settings.max_bytes);
    }
    if (bytes && plan->device == SATF_HOST) {
        scratch = satf_alloc(bytes);
        status = scratch ? SATF_OK : satf_fail_memory(ctx, bytes, "a permutation's scratch");
    } else if (bytes) {
        status = satf_gpu_alloc(ctx, plan->device, bytes, "a permutation's scratch", &scratch);
    }
    if (!status) {
        status = permute_run(ctx, plan, in, out, scratch);
    }
    if (plan->device == SATF_HOST) {
        satf_free(scratch);
    } else {
        satf_gpu_free(ctx, scratch);
    }
    return status;
}

static satf_status permutation_apply(satf_context *ctx, const satf_permutation *permutation,
                                     const void *in, void *out)
{
    const satf_permutation *plan = permutation;
    if (!plan || !in || !out) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing",
                         !plan ? "permutation"
                         : in  ? "output"
                               : "input");
    }
    uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
    uintptr_t bytes = (uintptr_t)plan->n * (uintptr_t)plan->element_bytes;
    if ((from | to) % (uintptr_t)plan->element_bytes) {
        return satf_fail(ctx, SATF_INVALID, "input and output must be aligned to their elements");
    }
    if (from < to + bytes && to < from + bytes) {
        return satf_fail(ctx, SATF_INVALID, "the output overlaps the input");
    }
    satf_status status = plan->device == SATF_HOST ? SATF_OK : satf_gpu_open(ctx, plan->device);
    if (status) {
        return status;
    }
    size_t wanted = scratch_bytes(ctx, plan);
    if (!ctx->scratch || !wanted) {
        return run_allocating(ctx, plan, in, out, wanted);
    }
    if (wanted > ctx->scratch_bytes) {
        return satf_fail(ctx, SATF_INVALID,
                         "%zu bytes of scratch memory were given and %zu are needed",
                         ctx->scratch_bytes, wanted);
    }
    return permute_run(ctx, plan, in, out, ctx->scratch);
}

satf_status satf_permutation_apply(satf_context *ctx, const satf_permutation *permutation,
                                   const void *in, void *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_progress_none(ctx);
    return satf_gpu_leave(ctx, permutation_apply(ctx, permutation, in, out));
}
