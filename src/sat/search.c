#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"

#define MEASURABLE_MS 0.2 /* of all candidates; those that decide last SATF_SAMPLE_MS */
#define MIN_SAMPLES 3
#define MAX_RUNS 4096
#define PATTERN 0xa5 /* in every byte: no sum of what is measured */
#define FINALISTS 16
#define FINAL_WITHIN 1.03 /* of the best, to be measured once more */
#define FINAL_ROUNDS 7
#define WAYS (SAT_SYNC_COOP + 1)

/* One of the fastest so far. */
typedef struct finalist {
    sat_tuning tuning;
    double ms;
    bool right; /* asked already, and it was */
} finalist;

typedef struct seeker {
    satf_context *ctx;
    const sat_row *row;
    const sat_search *search;
    sat_job job;
    double end_ms; /* of satf_now_ms() */
    void *scratch;
    size_t scratch_bytes;
    const char *reason;        /* why the latest candidate was none */
    finalist final[FINALISTS]; /* the fastest first; [0] is right */
    int finalists;
    finalist start[WAYS]; /* the fastest of each way to wait; ms is 0 where there is none */
} seeker;

static double best_ms(const seeker *s)
{
    return s->finalists ? s->final[0].ms : INFINITY;
}

static satf_status reserve(seeker *s)
{
    size_t bytes = 0;
    if (s->row->scratch_bytes && !s->row->scratch_bytes(s->ctx, &s->job, &bytes)) {
        return satf_fail(s->ctx, SATF_LIMIT, "the scratch memory of algorithm %s would overflow",
                         s->row->name);
    }
    satf_status status = SATF_OK;
    if (bytes > s->scratch_bytes) {
        satf_cuda()->free(s->ctx, s->scratch);
        s->scratch = NULL;
        s->scratch_bytes = 0;
        status =
            satf_cuda()->alloc(s->ctx, s->job.in.device, bytes, "the tuner's scratch", &s->scratch);
        s->scratch_bytes = status ? 0 : bytes;
    }
    if (!status && s->row->keeps) {
        status = satf_cuda()->set_bytes(s->ctx, s->job.in.device, s->scratch, 0, bytes);
        s->job.scratch_runs = 1;
    }
    return status;
}

static satf_status run(seeker *s)
{
    satf_status status = s->row->run(s->ctx, &s->job, s->scratch);
    s->job.scratch_runs += s->row->keeps;
    return status;
}

/* Milliseconds of one run, over that many. */
static satf_status sample(seeker *s, int runs, double *ms)
{
    int device = s->job.in.device;
    satf_status status = satf_cuda()->time_begin(s->ctx, device);
    for (int i = 0; i < runs && !status; i++) {
        status = run(s);
    }
    double total = 0;
    if (!status) {
        status = satf_cuda()->time_end(s->ctx, device, &total);
    }
    *ms = total / runs;
    return status;
}

/* The least of a few samples; the first run warms up. A candidate that is far
 * behind is left early. */
static satf_status measure(seeker *s, double *least)
{
    double ms = 0;
    int runs = 1;
    satf_status status = sample(s, 1, &ms);
    for (; !status; runs *= 2) {
        status = sample(s, runs, &ms);
        if (ms * runs >= MEASURABLE_MS || runs >= MAX_RUNS) {
            break;
        }
    }
    *least = ms;
    for (int i = 1; i < MIN_SAMPLES && !status && *least < 1.3 * best_ms(s); i++) {
        status = sample(s, runs, &ms);
        *least = fmin(*least, ms);
    }
    return status;
}

/* Runs the candidate once more over a pattern, so that nothing it left undone
 * can look right, and asks. */
static satf_status ask(seeker *s, bool *right)
{
    *right = true;
    if (!s->search->check) {
        return SATF_OK;
    }
    size_t bytes = (size_t)(s->job.out_stride * s->job.in.height);
    satf_status status =
        satf_cuda()->set_bytes(s->ctx, s->job.in.device, s->job.out, PATTERN, bytes);
    if (!status) {
        status = run(s);
    }
    return status ? status : s->search->check(s->search->user, &s->job.tuning, right);
}

static int compare_ms(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_finalists(const void *a, const void *b)
{
    return compare_ms(&((const finalist *)a)->ms, &((const finalist *)b)->ms);
}

/* Keeps a candidate in its place, or not if there are enough faster ones. */
static void keep(seeker *s, const finalist *candidate)
{
    finalist *start = &s->start[candidate->tuning.sync];
    int at = s->finalists;
    if (start->ms <= 0 || candidate->ms < start->ms) {
        *start = *candidate;
    }
    while (at > 0 && candidate->ms < s->final[at - 1].ms) {
        at--;
    }
    if (at < FINALISTS) {
        s->finalists += s->finalists < FINALISTS;
        memmove(s->final + at + 1, s->final + at,
                (size_t)(s->finalists - at - 1) * sizeof *s->final);
        s->final[at] = *candidate;
    }
}

/* Measures one candidate; one that is the fastest so far must be right. */
static satf_status try_candidate(seeker *s, const sat_tuning *tuning)
{
    if (satf_now_ms() > s->end_ms && s->finalists > 0) {
        return SATF_OK;
    }
    s->job.tuning = *tuning;
    const char *reason = s->row->refuses(&s->job);
    if (reason) {
        s->reason = reason;
        return SATF_OK;
    }
    finalist candidate = {.tuning = *tuning};
    satf_status status = reserve(s);
    if (!status) {
        status = measure(s, &candidate.ms);
    }
    bool fastest = candidate.ms < best_ms(s);
    if (!status && fastest) {
        status = ask(s, &candidate.right);
        s->reason = "its result is wrong";
    }
    if (!status && (candidate.right || !fastest)) {
        keep(s, &candidate);
    }
    if (!status && s->search->step) {
        status = s->search->step(s->search->user);
    }
    return status;
}

/* The variants that agree with what is fixed. */
static satf_status try_variants(seeker *s, double r)
{
    const sat_tuning *fixed = &s->search->fixed;
    sat_tuning tuning;
    satf_status status = SATF_OK;
    size_t tried = 0;
    for (size_t i = 0; !status && s->row->variant && s->row->variant(&s->job, i, &tuning); i++) {
        bool wanted = (!fixed->tile || fixed->tile == tuning.tile) &&
                      (!fixed->threads || fixed->threads == tuning.threads) &&
                      (!fixed->sync || fixed->sync == tuning.sync);
        if (wanted) {
            tuning.r = r;
            status = try_candidate(s, &tuning);
            tried++;
        }
    }
    if (!status && !tried) { /* the row has nothing to choose, or says why not */
        tuning = *fixed;
        tuning.r = r;
        status = try_candidate(s, &tuning);
    }
    return status;
}

/* The blocks along the shorter side of the image. */
static int64_t blocks_a_side(const seeker *s, const sat_tuning *tuning)
{
    int64_t tile = tuning->tile ? tuning->tile : 32;
    int64_t samples = satf_row_samples(&s->job.in), height = s->job.in.height;
    return ((samples < height ? samples : height) + tile - 1) / tile;
}

/* r = (k / t)^2 for the k of this stride, t the blocks a side. finer: those of twice the stride
 * were tried. */
static satf_status try_stride(seeker *s, sat_tuning tuning, int64_t stride, bool finer)
{
    int64_t t = blocks_a_side(s, &tuning);
    satf_status status = SATF_OK;
    for (int64_t k = stride; k < t && !status; k += finer ? 2 * stride : stride) {
        double side = (double)k / (double)t;
        tuning.r = side * side;
        status = try_candidate(s, &tuning);
    }
    return status;
}

/* All r with the fastest blocks of each way to wait, the fastest way first, in strides that halve:
 * where stages are dear, a way that is behind at one r is ahead at another. */
static satf_status try_all_r(seeker *s)
{
    finalist start[WAYS];
    int64_t stride = 1;
    satf_status status = SATF_OK;
    memcpy(start, s->start, sizeof start);
    qsort(start, WAYS, sizeof *start, compare_finalists);
    for (int way = 0; way < WAYS; way++) {
        while (start[way].ms > 0 && stride < blocks_a_side(s, &start[way].tuning) / 16) {
            stride *= 2;
        }
    }
    for (bool finer = false; stride >= 1 && !status; stride /= 2, finer = true) {
        for (int way = 0; way < WAYS && !status; way++) {
            if (start[way].ms > 0) {
                status = try_stride(s, start[way].tuning, stride, finer);
            }
        }
    }
    return status;
}

/* Measures those that are about as fast as the best once more, in turns, by their medians: of many
 * candidates the one with the luckiest sample is not the fastest. A single one too, so that rows
 * can be compared. */
static satf_status measure_finalists(seeker *s)
{
    double ms[FINALISTS][FINAL_ROUNDS], most = FINAL_WITHIN * best_ms(s);
    int count = 0;
    while (count < s->finalists && s->final[count].ms <= most) {
        count++;
    }
    s->finalists = count;
    satf_status status = SATF_OK;
    for (int round = 0; round < FINAL_ROUNDS && !status; round++) {
        for (int i = 0; i < count && !status; i++) {
            double warm_up;
            int runs = (int)fmin(MAX_RUNS, ceil(SATF_SAMPLE_MS / s->final[i].ms));
            s->job.tuning = s->final[i].tuning;
            status = reserve(s);
            status = status ? status : sample(s, 1, &warm_up);
            status = status ? status : sample(s, runs, &ms[i][round]);
        }
        if (!status && s->search->step) {
            status = s->search->step(s->search->user);
        }
    }
    for (int i = 0; i < count && !status; i++) {
        qsort(ms[i], FINAL_ROUNDS, sizeof **ms, compare_ms);
        s->final[i].ms = ms[i][FINAL_ROUNDS / 2];
    }
    return status;
}

/* *best = the fastest finalist that is right; one of them is. */
static satf_status choose(seeker *s, finalist *best)
{
    satf_status status = SATF_OK;
    qsort(s->final, (size_t)s->finalists, sizeof *s->final, compare_finalists);
    for (int i = 0; i < s->finalists && !status; i++) {
        *best = s->final[i];
        s->job.tuning = best->tuning;
        if (!best->right && !(status = reserve(s))) {
            status = ask(s, &best->right);
        }
        if (best->right) {
            break;
        }
    }
    return status;
}

satf_status sat_search_tuning(satf_context *ctx, const sat_row *row, const sat_job *job,
                              const sat_search *search, sat_tuning *best, double *ms)
{
    seeker s = {
        .ctx = ctx,
        .row = row,
        .search = search,
        .job = *job,
        .end_ms = satf_now_ms() + search->cap_ms,
        .reason = "it has no tuning of that kind",
    };
    finalist fastest = {0};
    bool free_r = row->has_r && search->fixed.r == 0;
    satf_status status = try_variants(&s, free_r ? SAT_PAPER_R : search->fixed.r);
    if (!status && free_r && s.finalists > 0) {
        status = try_all_r(&s);
        if (!status) { /* another block or barrier may now be better */
            status = try_variants(&s, s.final[0].tuning.r);
        }
    }
    if (!status && s.finalists > 0) {
        status = measure_finalists(&s);
    }
    if (!status && s.finalists > 0) {
        status = choose(&s, &fastest);
    }
    satf_cuda()->free(ctx, s.scratch);
    if (status) {
        return status;
    }
    if (!fastest.right) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "algorithm %s cannot be used: %s", row->name,
                         s.reason);
    }
    *best = fastest.tuning;
    *ms = fastest.ms;
    return SATF_OK;
}
