/* The search for a tuning, on a device whose times are made up: what it finds is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/gpu.h"
#include "sat/search.h"

enum { BLOCKS = 40, WIDE = 64, NARROW = 32 };

static double clock_ms; /* of the device */
static double last_ms;  /* that the latest sample lasted */
static int tunings;     /* that were run, one for each change */
static sat_tuning latest;
static double (*cost_ms)(const sat_tuning *tuning);

static satf_status time_begin(satf_context *ctx, int device)
{
    (void)ctx;
    (void)device;
    clock_ms = 0;
    return SATF_OK;
}

static satf_status time_end(satf_context *ctx, int device, double *ms)
{
    (void)ctx;
    (void)device;
    *ms = last_ms = clock_ms;
    return SATF_OK;
}

/* The linker puts this in the place of the call of that name. */
const satf_backend *__real_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void)
{
    static satf_backend backend;
    backend = *__real_satf_cuda();
    backend.time_begin = time_begin;
    backend.time_end = time_end;
    return &backend;
}

static const char *refuses_nothing(const sat_job *job)
{
    (void)job;
    return NULL;
}

static satf_status pass_the_time(satf_context *ctx, const sat_job *job, void *scratch)
{
    (void)ctx;
    (void)scratch;
    const sat_tuning *t = &job->tuning;
    tunings += t->tile != latest.tile || t->sync != latest.sync || t->r != latest.r;
    latest = *t;
    clock_ms += cost_ms(t);
    return SATF_OK;
}

/* Two sides of blocks, each with all ways to wait. */
static bool six_variants(const sat_job *job, size_t index, sat_tuning *tuning)
{
    (void)job;
    *tuning =
        (sat_tuning){index < 3 ? NARROW : WIDE, 128, (sat_sync)(SAT_SYNC_LAUNCH + index % 3), 0};
    return index < 6;
}

static const sat_row row_with_r = {.name = "1+r",
                                   .device_kind = "cuda",
                                   .refuses = refuses_nothing,
                                   .run = pass_the_time,
                                   .variant = six_variants,
                                   .has_r = true};

static double r_of(int k)
{
    double side = (double)k / BLOCKS;
    return side * side;
}

static sat_tuning search(double (*cost)(const sat_tuning *), double cap_ms, double *ms)
{
    satf_context *ctx;
    sat_tuning best = {0};
    sat_job job = {.in = satf_view_packed(NULL, BLOCKS * WIDE, BLOCKS * WIDE, 1, SATF_F64),
                   .sum_type = SATF_SUM_F64};
    sat_search how = {.cap_ms = cap_ms};
    cost_ms = cost;
    tunings = 0;
    latest = (sat_tuning){0};
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(sat_search_tuning(ctx, &row_with_r, &job, &how, &best, ms), SATF_OK);
    satf_context_destroy(ctx);
    return best;
}

/* In one kernel the more stages the better; launches, the dearest at the r of the start, are ahead
 * where they are few, and the graph never is. */
static double few_launches(const sat_tuning *t)
{
    double stages = 1 - sqrt(t->r), ms = t->tile == WIDE ? 1 : 1.5;
    if (t->sync == SAT_SYNC_LAUNCH) {
        return ms * (1 + 4 * stages);
    }
    return ms * (t->sync == SAT_SYNC_COOP ? 1.3 : 1.4) - 0.1 * stages;
}

static void finds_the_way_for_another_r(void **state)
{
    (void)state;
    double ms;
    sat_tuning best = search(few_launches, 1e6, &ms);
    assert_int_equal(best.tile, WIDE);
    assert_int_equal(best.sync, SAT_SYNC_LAUNCH);
    assert_true(best.r == r_of(BLOCKS - 1));
    assert_true(fabs(ms - few_launches(&best)) < 1e-9);
}

static int good; /* the only good k, and in one way only */

static double one_r(const sat_tuning *t)
{
    if (t->sync != SAT_SYNC_GRAPH) {
        return 1.8;
    }
    return fabs(t->r - r_of(good)) < 1e-9 ? 1 : 1.9;
}

static void finds_the_only_r(void **state)
{
    (void)state;
    for (good = 1; good < BLOCKS; good++) {
        double ms;
        sat_tuning best = search(one_r, 1e6, &ms);
        assert_int_equal(best.sync, SAT_SYNC_GRAPH);
        assert_true(best.r == r_of(good));
    }
}

/* Another block is better with the r that was found. */
static double narrow_later(const sat_tuning *t)
{
    return t->tile == WIDE ? 2 - t->r : 3 - 2.5 * t->r;
}

static void tries_all_blocks_with_that_r(void **state)
{
    (void)state;
    double ms;
    sat_tuning best = search(narrow_later, 1e6, &ms);
    assert_int_equal(best.tile, NARROW);
    assert_true(best.r == r_of(BLOCKS - 1));
}

/* Far below a sample. */
static double short_calls(const sat_tuning *t)
{
    return 0.03 * few_launches(t);
}

static void decides_by_whole_samples(void **state)
{
    (void)state;
    double ms;
    search(short_calls, 1e6, &ms);
    assert_true(last_ms >= SATF_SAMPLE_MS && last_ms < SATF_SAMPLE_MS + 2 * ms);
}

static void ends_with_its_cap(void **state)
{
    (void)state;
    double ms;
    sat_tuning best = search(few_launches, -1, &ms);
    assert_int_equal(tunings, 1);
    assert_int_equal(best.tile, NARROW);
    assert_int_equal(best.sync, SAT_SYNC_LAUNCH);
    assert_true(best.r == SAT_PAPER_R);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_way_for_another_r),
        cmocka_unit_test(finds_the_only_r),
        cmocka_unit_test(tries_all_blocks_with_that_r),
        cmocka_unit_test(decides_by_whole_samples),
        cmocka_unit_test(ends_with_its_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
