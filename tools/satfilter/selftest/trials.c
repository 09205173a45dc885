/* Computing a case by every engine, instruction set and device. */
#include "trials.h"

#include <math.h>
#include <satfilter.h>
#include <stdlib.h>
#include <string.h>

#include "../options/message.h"
#include "trial_case.h"

/* Settings of an engine and a device. */
typedef struct runner {
    satf_context *ctx;
    char device[16]; /* "cpu", "cuda:0" */
    bool is_cuda;
} runner;

enum { MAX_RUNNERS = 34 };

typedef struct runners {
    runner all[MAX_RUNNERS];
    int count;
} runners;

/* ---------------------------------------------------------------------- one result */

/* The bytes of a sample, the lowest first on every machine. */
static void trial_add_sample(sha256 *sha, const unsigned char *sample, size_t bytes)
{
    const uint16_t one = 1;
    unsigned char turned[8];
    for (size_t i = 0; i < bytes; i++) {
        turned[i] = sample[*(const unsigned char *)&one ? i : bytes - 1 - i];
    }
    sha256_add(sha, turned, bytes);
}

static double load_float(const satf_view *view, const unsigned char *sample)
{
    float narrow;
    double wide;
    memcpy(&narrow, sample, sizeof narrow);
    memcpy(&wide, sample, view->type == SATF_F32 ? sizeof narrow : sizeof wide);
    return view->type == SATF_F32 ? (double)narrow : wide;
}

/* The samples of a case by its first engine, which the others are held against. */
typedef struct reference {
    double samples[TRIAL_IMAGES * TRIAL_SAMPLES];
    size_t count;
    double largest; /* of their magnitudes */
    double apart;   /* the most by which the latest engine's differ from them */
} reference;

/* Whether the result is within the bound of the first engine's, or is that. */
static bool is_near(reference *of, bool first, size_t place, const satf_view *out,
                    const unsigned char *sample, double bound)
{
    double value = load_float(out, sample);
    if (first) {
        of->samples[place] = value;
        of->largest = fmax(of->largest, fabs(value));
    }
    of->apart = fmax(of->apart, fabs(value - of->samples[place]));
    double rounding = fabs(value) * (out->type == SATF_F32 ? 0x1p-22 : 0x1p-50);
    return fabs(value - of->samples[place]) <= bound + rounding;
}

typedef struct result {
    sha256 sha;
    const char *engine; /* that computed it; NULL: there is none */
    bool bounded, near;
    satf_status status;
} result;

/* Filters one image, by a filter of *steps. */
static satf_status trial_run_plan(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                  const satf_view *out, size_t *steps, const char **engine)
{
    satf_plan *plan;
    satf_status status = satf_plan_create(ctx, filter, in, 1, out, 1, &plan);
    if (!status) {
        satf_plan_info info;
        satf_used used;
        satf_plan_describe(plan, &info, sizeof info);
        *steps = info.steps;
        satf_plan_step(plan, info.steps - 1, &used, sizeof used);
        status = satf_plan_run(plan, in, 1, out, 1);
        *engine = status ? *engine : used.engine;
        satf_plan_destroy(plan);
    }
    return status;
}

/* Adds the samples of one image to the result. */
static void trial_add_image(result *r, reference *of, bool first, const satf_view *in,
                            const trial_case *c, const satf_view *out)
{
    size_t bytes = satf_type_bytes(out->type);
    size_t count = (size_t)(out->width * out->height * out->channels);
    const unsigned char *samples = out->data;
    double bound = r->bounded ? trial_bound(c, in) : 0;
    for (size_t i = 0; i < count; i++) {
        if (r->bounded) {
            r->near = is_near(of, first, of->count + i, out, samples + i * bytes, bound) && r->near;
        }
        trial_add_sample(&r->sha, samples + i * bytes, bytes);
    }
    of->count += count;
}

/* All images of a case by one engine. */
static void trial_compute(runner *by, trial_case *c, bool first, reference *of, result *r)
{
    static _Alignas(16) unsigned char in_memory[TRIAL_SAMPLES * 8], out_memory[TRIAL_SAMPLES * 8];
    *r = (result){.near = true};
    sha256_start(&r->sha);
    of->count = 0;
    of->apart = 0;
    of->largest = first ? 0 : of->largest;
    for (c->image = 0; c->image < TRIAL_IMAGES && !r->status; c->image++) {
        satf_view in, out;
        satf_filter *filter;
        size_t steps = 1;
        trial_fill(c, in_memory, &in);
        r->status = trial_filter(by->ctx, c, &in, &filter);
        if (r->status == SATF_OK && satf_filter_check_engine(by->ctx, filter)) {
            satf_filter_destroy(filter); /* it has no tables */
            return;
        }
        if (!r->status && trial_output(by->ctx, c, filter, &in, out_memory, &out)) {
            memset(out_memory, 0xa5, sizeof out_memory);
            r->status = trial_run_plan(by->ctx, filter, &in, &out, &steps, &r->engine);
            r->bounded = r->bounded || (trial_is_float(c->type) && steps > 1);
            if (!r->status) {
                trial_add_image(r, of, first, &in, c, &out);
            }
        }
        satf_filter_destroy(filter);
    }
}

/* ------------------------------------------------------------------------ the walk */

/* Filters need not take every image, nor have tables, of floats either; and on a device not every
 * one takes floats without tables, which are not taken unasked. */
static bool is_refused(const runner *by, const trial_case *c, const result *r)
{
    bool may = !by->is_cuda || trial_is_float(c->type);
    return !r->engine && (!r->status || (r->status == SATF_UNSUPPORTED && may));
}

static void take_case(runners *all, trial_case *c, void (*take)(void *user, const trial *t),
                      void *user)
{
    static reference of;
    char before[sizeof((trial *)0)->by] = "";
    for (runner *by = all->all; by < all->all + all->count; by++) {
        result r;
        trial_compute(by, c, !*before, &of, &r);
        trial t = {.failed = r.status != SATF_OK};
        snprintf(t.by, sizeof t.by, "%s on %s", r.engine ? r.engine : "none", by->device);
        /* Where tables are what is taken anyway it is done already. */
        if (is_refused(by, c, &r) || strcmp(t.by, before) == 0) {
            continue;
        }
        bool is_first = !*before;
        strcpy(before, t.by);
        trial_name(c, t.name, sizeof t.name);
        t.kind = r.bounded                 ? TRIAL_BOUNDED
                 : trial_is_float(c->type) ? TRIAL_FLOATS
                                           : TRIAL_INTEGERS;
        if (t.failed) {
            snprintf(t.result, sizeof t.result, "%s", satf_message(by->ctx));
        } else if (r.bounded && !is_first) {
            snprintf(t.result, sizeof t.result, "%s: %.1e of the largest result",
                     r.near ? TRIAL_WITHIN : TRIAL_BEYOND,
                     of.apart > 0 ? of.apart / of.largest : 0);
        } else {
            sha256_end(&r.sha, t.result);
        }
        take(user, &t);
    }
}

static void walk(runners *all, void (*take)(void *user, const trial *t), void *user)
{
    trial_case c = {0};
    satf_filter_info info;
    for (size_t i = 0; (c.filter = satf_filter_name(i, &info, sizeof info)); i++) {
        if (info.from_module) {
            continue; /* other machines have others */
        }
        int borders = trial_has_border(c.filter) ? SATF_BORDER_SHRINK + 1 : 1;
        for (c.type = 0; satf_type_name(c.type); c.type++) {
            if (!trial_has_own(c.type, info.kind)) {
                continue;
            }
            for (c.border = 0; c.border < borders; c.border++) {
                take_case(all, &c, take, user);
            }
        }
    }
}

static bool add_runner(runners *all, const char *name, satf_engine engine, int device)
{
    runner *new = &all->all[all->count];
    *new = (runner){.is_cuda = device != SATF_HOST};
    snprintf(new->device, sizeof new->device, "%s", name);
    bool good = satf_context_create(&new->ctx) == SATF_OK &&
                satf_context_set_engine(new->ctx, engine) == SATF_OK &&
                satf_context_set_device(new->ctx, device) == SATF_OK;
    all->count += good;
    return good;
}

int trials_run(bool devices, void (*take)(void *user, const trial *t), void *user,
               char *without_device, size_t bytes)
{
    runners all = {.count = 0};
    *without_device = '\0';
    bool good = add_runner(&all, "cpu", SATF_ENGINE_AUTO, SATF_HOST) &&
                add_runner(&all, "cpu", SATF_ENGINE_SAT, SATF_HOST);
    bool more = good && devices;
    for (int device = 0; more && all.count + 2 <= MAX_RUNNERS; device++) {
        char name[16];
        snprintf(name, sizeof name, "cuda:%d", device);
        more = add_runner(&all, name, SATF_ENGINE_AUTO, SATF_CUDA(device)) &&
               add_runner(&all, name, SATF_ENGINE_SAT, SATF_CUDA(device));
        if (!more && device == 0) {
            snprintf(without_device, bytes, "%s", satf_message(all.all[all.count].ctx));
        }
    }
    if (good) {
        walk(&all, take, user);
    }
    for (int i = 0; i < MAX_RUNNERS; i++) {
        satf_context_destroy(all.all[i].ctx);
    }
    return good ? EXIT_SUCCESS : out_of_memory();
}
